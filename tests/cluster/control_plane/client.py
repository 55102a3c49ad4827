"""A small client of the Kubernetes API over the standard library."""

import base64
import http.client
import json
import ssl
import threading
import urllib.parse

import yaml


class ApiError(Exception):
    """An answer of 400 or more to `asked`; `status` is its code, `message` what
    it says."""

    def __init__(self, status, body, asked):
        self.status = status
        self.message = body.get("message") if isinstance(body, dict) else body
        super().__init__(f"{asked}: {status}: {self.message}")


class Client:
    """Reads the server, its CA and the token from a kubeconfig.

    Every thread has a connection of its own. A request on a connection that
    the server closed is sent once more.
    """

    def __init__(self, kubeconfig, timeout=60):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"] if config.get("users") else {}
        self.url = urllib.parse.urlparse(cluster["server"])
        self.timeout, self.local, self.tls = timeout, threading.local(), None
        self.headers = {"Accept": "application/json"}
        if user.get("token"):
            self.headers["Authorization"] = "Bearer " + user["token"]
        if self.url.scheme == "https":
            authority = base64.b64decode(cluster["certificate-authority-data"])
            self.tls = ssl.create_default_context(cadata=authority.decode())

    def forget_connections(self):
        """Of a forked process: its parent's connections are not its own."""
        self.local = threading.local()

    def connection(self):
        link = getattr(self.local, "link", None)
        if link is None:
            where = (self.url.hostname, self.url.port)
            if self.tls:
                link = http.client.HTTPSConnection(
                    *where, timeout=self.timeout, context=self.tls)
            else:
                link = http.client.HTTPConnection(*where, timeout=self.timeout)
            self.local.link = link
        return link

    def text(self, method, path, body=None, kind="application/json"):
        """The answer's status and bytes."""
        headers = dict(self.headers)
        if body is not None:
            headers["Content-Type"] = kind
            body = json.dumps(body)
        for attempt in (0, 1):
            link = self.connection()
            try:
                link.request(method, path, body, headers)
                answer = link.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                link.close()
                self.local.link = None
                if attempt:
                    raise

    def call(self, method, path, body=None, kind="application/json"):
        status, text = self.text(method, path, body, kind)
        try:
            answer = json.loads(text) if text else {}
        except ValueError:
            answer = text.decode(errors="replace")
        if status >= 400:
            raise ApiError(status, answer, f"{method} {path}")
        return answer

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body):
        return self.call("POST", path, body)

    def merge(self, path, body):
        return self.call("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path, body=None):
        return self.call("DELETE", path, body)
