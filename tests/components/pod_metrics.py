"""The resource metrics API for one cluster: the pods of a namespace share the
load that a test puts on it."""

import http.server
import json
import ssl
import threading
import time
import urllib.parse

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
API = f"/apis/{GROUP}/{VERSION}"
SERVICES = "/api/v1/namespaces/kube-system/services"
REGISTRATIONS = "/apis/apiregistration.k8s.io/v1/apiservices"


class PodMetrics:
    """From `with` to its end the API server passes the group's calls on to it.

    `load`: namespace -> CPUs that its work takes.
    """

    def __init__(self, cluster):
        self.cluster, self.client, self.load = cluster, cluster.client, {}
        metrics = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, answer = metrics.answer(self.path)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cluster.path("server.crt"),
                            cluster.path("server.key"))
        self.server.socket = tls.wrap_socket(
            self.server.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client.post(SERVICES, {
            "metadata": {"name": "pod-metrics"},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        self.client.post(REGISTRATIONS, {
            "metadata": {"name": f"{VERSION}.{GROUP}"},
            "spec": {"group": GROUP, "version": VERSION,
                     "groupPriorityMinimum": 100, "versionPriority": 100,
                     "insecureSkipTLSVerify": True,
                     "service": {"namespace": "kube-system",
                                 "name": "pod-metrics",
                                 "port": self.server.server_port}}})
        return self

    def __exit__(self, *_):
        self.client.delete(f"{REGISTRATIONS}/{VERSION}.{GROUP}")
        self.client.delete(f"{SERVICES}/pod-metrics")
        self.server.shutdown()
        self.server.server_close()

    def answer(self, url):
        """(status, object)"""
        path, _, query = url.partition("?")
        if path == API:
            return 200, {"kind": "APIResourceList", "apiVersion": "v1",
                         "groupVersion": f"{GROUP}/{VERSION}", "resources": [{
                             "name": "pods", "kind": "PodMetrics",
                             "singularName": "", "namespaced": True,
                             "verbs": ["get", "list"]}]}
        parts = path[len(API):].split("/")
        if parts[1:2] == ["namespaces"] and parts[3:] == ["pods"]:
            selector = urllib.parse.parse_qs(query).get("labelSelector", [""])
            return 200, self.usage(parts[2], selector[0])
        return 404, {"kind": "Status", "apiVersion": "v1", "code": 404,
                     "status": "Failure", "reason": "NotFound",
                     "message": f"no {path}"}

    def usage(self, namespace, selector):
        """Of the pods that run: all take the same part of the load."""
        pods = [pod for pod in self.client.get(
            f"/api/v1/namespaces/{namespace}/pods?"
            + urllib.parse.urlencode({"labelSelector": selector}))["items"]
            if pod["status"]["phase"] == "Running"]
        each = 1000 * self.load.get(namespace, 0) // max(len(pods), 1)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return {"kind": "PodMetricsList", "apiVersion": f"{GROUP}/{VERSION}",
                "metadata": {}, "items": [{
                    "metadata": {"name": pod["metadata"]["name"],
                                 "namespace": namespace,
                                 "labels": pod["metadata"]["labels"]},
                    "timestamp": now, "window": "1s",
                    "containers": [{
                        "name": container["name"],
                        "usage": {"cpu": f"{int(each)}m", "memory": "1Mi"}}
                        for container in pod["spec"]["containers"]]}
                    for pod in pods]}
