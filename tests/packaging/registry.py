"""A registry of OCI artifacts: what is pushed is kept in memory."""

import hashlib
import json
import re
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UPLOAD = re.compile(r"/v2/(.+)/blobs/uploads/([^?]*)")
BLOB = re.compile(r"/v2/.+/blobs/(sha256:[0-9a-f]{64})$")
MANIFEST = re.compile(r"/v2/(.+)/manifests/(.+)$")


class Registry:
    """At `address`, by plain HTTP."""

    def __init__(self):
        self.blobs, self.manifests, self.tags = {}, {}, {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.registry = self
        self.address = "127.0.0.1:%d" % self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def load(self, path, name):
        """What an OCI image layout has, by the names in its index."""
        with tarfile.open(path) as tar:
            for member in tar:
                if member.isfile() and member.name.startswith("blobs/"):
                    data = tar.extractfile(member).read()
                    self.blobs[digest_of(data)] = data
            index = json.load(tar.extractfile("index.json"))
        for entry in index["manifests"]:
            tag = entry["annotations"]["org.opencontainers.image.ref.name"]
            self.keep(name, tag, self.blobs[entry["digest"]],
                      entry["mediaType"])

    def keep(self, name, reference, data, kind):
        digest = digest_of(data)
        self.manifests[digest] = (data, kind)
        self.tags[name, reference] = digest
        return digest


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, data=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_GET(self):
        registry = self.server.registry
        if self.path == "/v2/":
            return self.answer(200)
        if found := BLOB.match(self.path):
            digest, kind = found[1], "application/octet-stream"
            data = registry.blobs.get(digest)
        elif found := MANIFEST.match(self.path):
            digest = registry.tags.get((found[1], found[2]), found[2])
            data, kind = registry.manifests.get(digest, (None, ""))
        else:
            data = None
        if data is None:
            return self.answer(404)
        self.answer(200, data, Content_Type=kind,
                    Docker_Content_Digest=digest)

    do_HEAD = do_GET

    def do_POST(self):
        found = UPLOAD.match(self.path)
        self.answer(202, Location=f"/v2/{found[1]}/blobs/uploads/one")

    def do_PUT(self):
        registry = self.server.registry
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if found := UPLOAD.match(self.path):
            digest = digest_of(data)
            registry.blobs[digest] = data
        else:
            found = MANIFEST.match(self.path)
            digest = registry.keep(found[1], found[2], data,
                                   self.headers["Content-Type"])
        self.answer(201, Location=self.path, Docker_Content_Digest=digest)

    def log_message(self, *_):
        pass
