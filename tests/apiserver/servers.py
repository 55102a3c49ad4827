"""The two servers that are compared: kube-apiserver with the garbage collector
and the namespace controller of kube-controller-manager, and ours."""

import base64
import http.client
import json
import os
import ssl
import sys
import urllib.parse
import urllib.request

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("cluster", "whole"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

import assets  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane.client import Client  # noqa: E402
from definitions_of_cases import SHARED  # noqa: E402
from process import Child  # noqa: E402
from troupe import Program  # noqa: E402

CONTROLLERS = "garbage-collector-controller,namespace-controller"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OLD_OBJECTS = "/apis/old.example.com/v1/namespaces/default/olds"
LIMIT = 60  # seconds, for what happens once, at the start


class Server:
    """Where it is, and what a client shows to it."""

    def read(self, kubeconfig):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        self.url = urllib.parse.urlparse(cluster["server"])
        self.token = config["users"][0]["user"]["token"]
        authority = base64.b64decode(cluster["certificate-authority-data"])
        self.tls = ssl.create_default_context(cadata=authority.decode())
        self.client = Client(kubeconfig)

    def connection(self):
        return http.client.HTTPSConnection(
            self.url.hostname, self.url.port, timeout=60, context=self.tls)

    def define(self, definition):
        self.client.post(DEFINITIONS, definition)
        path = f"{DEFINITIONS}/{definition['metadata']['name']}"
        wait_for(path, lambda: any(
            c["type"] == "Established" and c["status"] == "True"
            for c in self.client.get(path)["status"]["conditions"] or ()),
            LIMIT)
        spec = definition["spec"]
        objects = (f"/apis/{spec['group']}/{spec['versions'][0]['name']}/"
                   + spec["names"]["plural"])
        wait_for(objects, lambda: self.client.text("GET", objects)[0] == 200,
                 LIMIT)

    def prepare(self):
        """Before a garbage collector starts, which else learns of the
        definitions late."""
        for definition in SHARED:
            self.define(definition)
        for name in "abc":
            self.client.post(OLD_OBJECTS, {
                "apiVersion": "old.example.com/v1", "kind": "Old",
                "metadata": {"name": name}})
        metadata = self.client.get(OLD_OBJECTS + "?limit=1")["metadata"]
        self.old_token = metadata["continue"]
        self.old_version = metadata["resourceVersion"]
        # What is to be forgotten must not be the present.
        self.client.delete(OLD_OBJECTS + "/b")
        self.forget_history()


class Kubernetes(Server):
    name = "kube-apiserver"

    def __init__(self):
        self.cluster = Cluster(
            etcd=assets.newer_etcd(),
            # Else it forgets no version that it has answered a list with.
            server_arguments=("--feature-gates",
                              "ListFromCacheSnapshot=false"))
        self.manager = os.path.join(assets.find(controllers=True),
                                    "kube-controller-manager")

    def __enter__(self):
        self.cluster.__enter__()
        try:
            self.read(self.cluster.kubeconfig)
            self.prepare()
            self.controllers = Child(
                [self.manager, "--kubeconfig", self.cluster.kubeconfig,
                 "--leader-elect=false", "--secure-port=0",
                 "--controllers", CONTROLLERS, "--kube-api-qps", 500,
                 "--kube-api-burst", 1000],
                self.cluster.path("kube-controller-manager.log")).start()
            self.await_collector()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if getattr(self, "controllers", None):
            self.controllers.stop()
        self.cluster.__exit__()

    def await_collector(self):
        """It works once it has collected something."""
        path = "/api/v1/namespaces/default/configmaps"
        self.client.post(path, {"metadata": {
            "name": "dependent", "ownerReferences": [{
                "apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
                "uid": "00000000-0000-0000-0000-000000000000"}]}})
        wait_for("the garbage collector", lambda: self.client.text(
            "GET", path + "/dependent")[0] == 404, LIMIT)

    def forget_history(self):
        """Versions of the past can no longer be read from etcd."""
        def etcd(what, body):
            request = urllib.request.Request(
                f"{self.cluster.etcd_url}/v3/kv/{what}",
                json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        now = etcd("range", {"key": base64.b64encode(b"x").decode()})
        etcd("compaction", {"revision": now["header"]["revision"],
                            "physical": True})


class Embedded(Server):
    name = "embedded"

    def __enter__(self):
        self.program = Program("up", "--no-node", "--no-operator",
                               "--admin-bind-address", "127.0.0.1:0")
        try:
            self.program.await_line(r"API server: (https\S+)")
            self.read(self.program.await_line(r"^export KUBECONFIG=(.*)")[1])
            self.prepare()
        except BaseException:
            self.program.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.program.__exit__()

    def forget_history(self):
        """It remembers 5000 changes of each resource: makes as many."""
        for number in range(5001):
            self.client.merge(OLD_OBJECTS + "/a", {"number": number})
