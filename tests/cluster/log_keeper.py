"""A kubelet that has nothing but the logs of containers.

The API server connects to it for `pods/log`. What it says is what a test gives
it; a log that is followed goes on until its reader leaves.
"""

import http.server
import ssl
import threading


class LogKeeper:
    """Serves with this certificate; `requests` are the paths of all calls."""

    def __init__(self, certificate, key):
        keeper = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                keeper.requests.append(self.path)
                keeper.answer(self)

            def log_message(self, *_):
                pass

        self.requests, self.left = [], 0
        self.pieces, self.changed = [], threading.Condition()
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

    def say(self, piece):
        """Bytes that every log has next."""
        with self.changed:
            self.pieces.append(piece)
            self.changed.notify_all()

    def answer(self, request):
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        said = 0
        try:
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: len(self.pieces) > said, 0.2)
                    new, said = self.pieces[said:], len(self.pieces)
                # Without news, what shows whether the reader is there.
                for piece in new or [b"\r"]:
                    request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    request.wfile.flush()
        except OSError:
            self.left += 1
        request.close_connection = True

    def node(self, name):
        """The Node by which the API server finds it."""
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name},
                "status": {
                    "addresses": [{"type": "InternalIP",
                                   "address": "127.0.0.1"}],
                    "daemonEndpoints": {
                        "kubeletEndpoint": {"Port": self.port}}}}
