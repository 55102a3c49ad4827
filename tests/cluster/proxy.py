"""What proxies before an API server have in common.

They take plain HTTP on 127.0.0.1 and speak TLS with the server; tokens are
passed on.
"""

import socket
import threading

import yaml


class Proxy:
    """Serves from `listen()` to `close()`; `serve` has one connection."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def listen(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def write_kubeconfig(self, original, path):
        """The original, with this proxy in the place of its server."""
        with open(original) as file:
            config = yaml.safe_load(file)
        port = self.listener.getsockname()[1]
        config["clusters"][0]["cluster"] = {
            "server": f"http://127.0.0.1:{port}"}
        with open(path, "w") as file:
            yaml.safe_dump(config, file)

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

    def end(self, link):
        """Whoever reads from it sees the end. It is closed when no thread uses
        it any more: before that, what TLS writes at its end could reach a file
        that got its number."""
        try:
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
