"""A proxy before an API server that can hold back what changes objects.

Lease calls are never held: what is held are the writes that a leader has sent
before it was stopped.
"""

import socket
import ssl
import threading
import urllib.parse

from control_plane.client import Client
from network.proxy import Proxy
from network.tls_link import TlsLink

WRITES = ("POST", "PUT", "PATCH", "DELETE")


class WriteProxy(Proxy):
    def __init__(self, kubeconfig):
        """`kubeconfig`: of the server; its account is used by nobody here."""
        super().__init__()
        client = Client(kubeconfig)
        self.tls = client.tls
        url = urllib.parse.urlparse(client.url.geturl())
        self.server = (url.hostname, url.port)
        self.released = threading.Event()
        self.released.set()
        self.held = []
        self.lock = threading.Lock()
        self.listen()

    def close(self):
        self.released.set()
        super().close()

    # -- holding -------------------------------------------------------------

    def hold(self):
        """From now on no write reaches the server."""
        self.released.clear()

    def release(self):
        """Sends what was held, and holds no more."""
        self.released.set()

    def held_requests(self):
        """The first lines of what is held."""
        with self.lock:
            return list(self.held)

    def wait_if_held(self, line):
        method, path, _ = line.split(" ", 2)
        if method not in WRITES or "/leases" in path or self.released.is_set():
            return
        with self.lock:
            self.held.append(f"{method} {path}")
        self.released.wait()

    # -- passing on ----------------------------------------------------------

    def serve(self, link):
        """One connection: requests one after the other, answers as they come."""
        try:
            raw = socket.create_connection(self.server)
            upstream = TlsLink(self.tls.wrap_socket(
                raw, server_hostname=self.server[0]))
        except OSError:
            link.close()
            return
        threading.Thread(target=self.pump, args=(upstream, link),
                         daemon=True).start()
        try:
            reader = link.makefile("rb")
            while request := self.read_request(reader):
                line, data = request
                self.wait_if_held(line)
                upstream.sendall(data)
        except (OSError, ValueError):
            pass
        self.end(upstream)

    @staticmethod
    def read_request(reader):
        """(request line, all bytes), or None at the end."""
        lines, length = [], 0
        while True:
            line = reader.readline()
            if not line:
                return None
            lines.append(line)
            if line in (b"\r\n", b"\n"):
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = reader.read(length) if length else b""
        return lines[0].decode(), b"".join(lines) + body

    def pump(self, upstream, link):
        try:
            while data := upstream.recv(65536):
                link.sendall(data)
        except (OSError, ssl.SSLError):
            pass
        self.end(link)
