"""A balancer of TCP connections on 127.0.0.1: each goes to the next port."""

import itertools
import socket
import threading

from network.listener import Listener


class LoadBalancer(Listener):
    """`ports` may grow; `port` is its own."""

    def __init__(self, ports):
        super().__init__()
        self.ports, self.turns = list(ports), itertools.count()
        self.listen()

    def serve(self, link):
        port = self.ports[next(self.turns) % len(self.ports)]
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            link.close()
            return
        threading.Thread(target=pump, args=(server, link), daemon=True).start()
        pump(link, server)


def pump(source, sink):
    """Passes bytes on until either side ends, then ends both."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for link in (source, sink):
        try:
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
