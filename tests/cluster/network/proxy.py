"""What proxies before an API server have in common.

They take plain HTTP on 127.0.0.1 and speak TLS with the server; tokens are
passed on.
"""

import socket

import yaml

from network.listener import Listener


class Proxy(Listener):
    def write_kubeconfig(self, original, path):
        """The original, with this proxy in the place of its server."""
        with open(original) as file:
            config = yaml.safe_load(file)
        config["clusters"][0]["cluster"] = {
            "server": f"http://127.0.0.1:{self.port}"}
        with open(path, "w") as file:
            yaml.safe_dump(config, file)

    def end(self, link):
        """Whoever reads from it sees the end. It is closed when no thread uses
        it any more: before that, what TLS writes at its end could reach a file
        that got its number."""
        try:
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
