"""In the place of the Service of the operator's webhooks: hands the API
server's connections on to replicas that are ready."""

import random
import select
import socket
import threading
import time

from cluster import wait_for
from network.listener import Listener

QUIET = 0.3  # seconds: a review is answered sooner
LIMIT = 30  # seconds


class WebhookService(Listener):
    """The replicas are Operators with webhooks. One can be taken out without
    the loss of a review."""

    def __init__(self):
        super().__init__()
        self.operators, self.lock = [], threading.Lock()
        self.out, self.links = set(), []  # Ports; the port of each connection.
        self.url = f"https://127.0.0.1:{self.port}"

    def __enter__(self):
        self.listen()
        return self

    def __exit__(self, *_):
        self.close()

    def take_out(self, operator):
        """No new connection goes there; waits until the old ones are closed."""
        with self.lock:
            self.out.add(operator.webhooks)
        wait_for("reviews to be answered",
                 lambda: operator.webhooks not in self.links, LIMIT)

    def put_back(self, operator):
        """It has connections as soon as it is ready."""
        with self.lock:
            self.out.discard(operator.webhooks)

    # -- connections ---------------------------------------------------------

    def serve(self, client):
        with client:
            try:
                server, port = self.connect()
            except TimeoutError:
                return  # The API server says so.
            with server:
                try:
                    self.hand_on(client, server, port)
                except OSError:
                    pass  # One of the two has left.
        with self.lock:
            self.links.remove(port)

    def connect(self):
        """A connection to a replica, and its port: waits for one."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for operator in random.sample(self.operators, len(self.operators)):
                port = operator.webhooks
                with self.lock:
                    if port in self.out:
                        continue
                    self.links.append(port)
                try:
                    if operator.ready():
                        return socket.create_connection(
                            ("127.0.0.1", port)), port
                except (OSError, RuntimeError):
                    pass  # It has ended.
                with self.lock:
                    self.links.remove(port)
            time.sleep(0.05)
        raise TimeoutError("no replica is ready")

    def hand_on(self, client, server, port):
        """Until one side ends it, or the port is out and nothing is asked."""
        asked, last = True, time.monotonic()
        while asked or port not in self.out or \
                time.monotonic() - last < QUIET:
            for source in select.select([client, server], [], [], 0.05)[0]:
                data = source.recv(65536)
                if not data:
                    return
                asked, last = source is client, time.monotonic()
                (server if source is client else client).sendall(data)
