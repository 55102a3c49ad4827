#!/usr/bin/python3
"""The operator beside `troupe up`, by kubeconfigs of all kinds."""

import functools
import http.server
import os
import socket
import sys
import threading

import yaml

from test_up import QUIET, Up
from troupe import Folder, Program, finished, tfjob

import needs  # of ../cluster
from checks import contains, equal, run

SIMULATED = ("--no-operator", "--node", "simulated", "--simulated-run-time",
             "1s")


class Proxy:
    """An HTTP proxy that connects everybody with one port of this machine."""

    def __init__(self, port):
        self.port, self.asked = port, []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listening.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,),
                             daemon=True).start()

    def _serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(1)
            if not piece:
                return
            head += piece
        self.asked.append(head.split(b"\r\n")[0].decode())
        server = socket.create_connection(("127.0.0.1", self.port))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=self._copy, args=(server, client),
                         daemon=True).start()
        self._copy(client, server)

    @staticmethod
    def _copy(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def read(up):
    with open(up.kubeconfig) as file:
        return yaml.safe_load(file)


def port_of(up):
    return int(up.server.rsplit(":", 1)[1])


def check_operator(up, *args, env=None):
    """An operator with this configuration runs a job to its end."""
    with Program("operator", *QUIET, *args, env=env) as operator:
        up.create(tfjob("seen", "pass"))
        try:
            up.await_condition("seen", "Succeeded")
        except AssertionError:
            raise AssertionError(operator.text()) from None


def ipv6(_):
    """an API server with an IPv6 address is called and watched"""
    needs.ipv6()
    with Up(*SIMULATED, "--listen", "[::1]:0") as up:
        contains(up.server, "https://[::1]:")
        check_operator(up, "--kubeconfig", up.kubeconfig)
    with Up("--no-node", "--listen", "[::1]:0") as up:
        up.create(tfjob("alone", "pass"))
        up.await_condition("alone", "Created")
        code, text = finished("explain", "alone", "--kubeconfig",
                              up.kubeconfig)
        equal(code, 0, text)


def merged(folder):
    """KUBECONFIG lists files, of which each has a part; names of the server"""
    with Up(*SIMULATED) as up:
        whole = read(up)
        cluster = whole["clusters"][0]["cluster"]
        os.makedirs(f"{folder.path}/pki", exist_ok=True)
        os.makedirs(f"{folder.path}/me", exist_ok=True)
        folder.write("me/token", whole["users"][0]["user"]["token"] + "\n")
        folder.write("pki/cluster", yaml.safe_dump({
            "clusters": [{"name": "c", "cluster": {
                **cluster, "tls-server-name": "localhost"}}],
            "current-context": "nowhere"}))
        parts = [
            folder.write("context", yaml.safe_dump({
                "current-context": "x", "contexts": [
                    {"name": "x", "context": {"cluster": "c", "user": "u"}}],
            })),
            f"{folder.path}/missing", f"{folder.path}/pki/cluster",
            folder.write("me/user", yaml.safe_dump({
                "users": [{"name": "u", "user": {"tokenFile": "token"}}],
                "clusters": [{"name": "c", "cluster": {
                    "server": "https://127.0.0.1:1"}}]}))]
        check_operator(up, env={"KUBECONFIG": ":".join(parts)})


def proxied(folder):
    """all connections go through the proxy that is asked for"""
    name = socket.gethostname()
    with Up(*SIMULATED, "--listen", "0.0.0.0:0") as up, \
            Proxy(port_of(up)) as proxy:
        config = read(up)
        cluster = config["clusters"][0]["cluster"]
        cluster["server"] = f"https://{name}:{port_of(up)}"
        path = folder.write("through", yaml.safe_dump(config))
        check_operator(up, "--kubeconfig", path,
                       env={"HTTPS_PROXY": proxy.url, "NO_PROXY": ".corp"})
        equal(set(proxy.asked), {f"CONNECT {name}:{port_of(up)} HTTP/1.1"},
              "what the proxy was asked")
        code, text = finished("operator", *QUIET, "--kubeconfig", path,
                              env={"HTTPS_PROXY": "socks5://127.0.0.1:1"})
        equal(code, 2, text)
        contains(text, "HTTPS_PROXY: a proxy of the kind socks5://")
        cluster["proxy-url"] = "http://127.0.0.1:1"
        path = folder.write("closed", yaml.safe_dump(config))
        code, text = finished("run", "--kubeconfig", path,
                              folder.write("job", tfjob("late", "pass")))
        equal(code == 0, False, text)
        contains(text, "the proxy 127.0.0.1:1 failed: connection refused")


def from_the_web(folder):
    """`run` takes the URL of a manifest"""
    folder.write("job.yaml", tfjob("fetched", "print('from afar')"))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/job.yaml")
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                super().do_GET()

    with http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0),
            functools.partial(Quiet, directory=folder.path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        code, text = finished("run", f"{url}/moved")
        equal(code, 0, text)
        contains(text, "from afar")
        code, text = finished("run", f"{url}/none")
        equal(code == 0, False, text)
        contains(text, f"{url}/none: cannot be read: the server answers 404")
        server.shutdown()
    code, text = finished("run", "http://example.com/job.yaml")
    equal(code == 0, False, text)
    contains(text, "use https")


CASES = [ipv6, merged, proxied, from_the_web]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
