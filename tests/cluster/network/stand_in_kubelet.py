"""A kubelet that can do one thing of what a real one can: what its class says.

The API server connects to it for subresources of pods.
"""

import http.server
import ssl
import sys
import threading


class Kubelet:
    """Serves with this certificate; `requests` are the paths of all calls."""

    def __init__(self, certificate, key):
        kubelet = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                kubelet.requests.append(self.path)
                kubelet.answer(self)

            def log_message(self, *_):
                pass

        self.requests = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket,
                                                 server_side=True)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        """Answers a GET; `request` is the handler of http.server."""
        raise NotImplementedError

    def node(self, name):
        """The Node by which the API server finds it."""
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name},
                "status": {
                    "addresses": [{"type": "InternalIP",
                                   "address": "127.0.0.1"}],
                    "daemonEndpoints": {
                        "kubeletEndpoint": {"Port": self.port}}}}


class OperatorAndKubelet:
    """A context: `fixture`, an OperatorFixture, and the node `node` of a
    kubelet of the class `kind`."""

    def __init__(self, fixture, kind):
        self.fixture, self.kind = fixture, kind

    def __enter__(self):
        self.fixture.__enter__()
        try:
            self.cluster, self.client = (self.fixture.cluster,
                                         self.fixture.client)
            self.kubelet = self.kind(self.cluster.path("server.crt"),
                                     self.cluster.path("server.key"))
            self.kubelet.__enter__()
            self.make_node("node", self.kubelet.node("node"))
            self.make_objects()
        except BaseException:
            self.fixture.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, *failure):
        self.kubelet.__exit__()
        self.fixture.__exit__(*failure)

    def report(self):
        return self.fixture.report()

    def make_node(self, name, node):
        self.client.post("/api/v1/nodes", node)
        self.client.merge(f"/api/v1/nodes/{name}/status",
                          {"status": node["status"]})

    def make_objects(self):
        """What else a test wants to be there."""
