"""A TCP server on 127.0.0.1 with a thread for each connection."""

import socket
import threading


class Listener:
    """Serves from `listen()` to `close()`; `serve` has one connection."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]

    def listen(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        # Wakes accept(), which close() alone does not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            if self.admit(link):
                threading.Thread(target=self.serve, args=(link,),
                                 daemon=True).start()

    def admit(self, link):
        """Whether this connection is served; else it has been closed."""
        return True

    def serve(self, link):
        raise NotImplementedError
