"""A balancer of TCP connections on 127.0.0.1: each goes to the next port."""

import itertools
import socket
import threading


class LoadBalancer:
    """`ports` may grow; `port` is its own."""

    def __init__(self, ports):
        self.ports = list(ports)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        # Wakes accept(), which close() alone does not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        for turn in itertools.count():
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            port = self.ports[turn % len(self.ports)]
            threading.Thread(target=self.serve, args=(link, port),
                             daemon=True).start()

    @staticmethod
    def serve(link, port):
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
