"""MPIJobs of both versions, and the API servers that serve them: a real one and
that of `troupe up`."""

import base64
import copy
import json
import os
import sys
import urllib.request

from checks import equal
from cluster import REPOSITORY, Cluster, wait_for
from control_plane.client import Client

sys.path.insert(0, os.path.join(REPOSITORY, "tests", "whole"))
from troupe import Program  # noqa: E402

NAME = "mpijobs.kubeflow.org"
DEFINITION = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{NAME}"
V1, V2 = "v1", "v2beta1"
VERSIONS = (V1, V2)
OTHER = {V1: V2, V2: V1}
LIMIT = 60
OWN_FIELDS = {
    V1: {"mainContainer": "mpi", "cleanPodPolicy": "All", "slotsPerWorker": 3},
    V2: {"mpiImplementation": "Intel", "sshAuthMountPath": "/home/u/.ssh",
         "runLauncherAsWorker": True, "slotsPerWorker": 8,
         "launcherCreationPolicy": "WaitForWorkersReady"}}
DEFAULTS = {
    V1: {}, V2: {"mpiImplementation": "OpenMPI", "slotsPerWorker": 1,
                 "sshAuthMountPath": "/root/.ssh",
                 "runLauncherAsWorker": False,
                 "launcherCreationPolicy": "AtStartup"}}


def jobs(version, name=""):
    path = f"/apis/kubeflow.org/{version}/namespaces/default/mpijobs"
    return f"{path}/{name}" if name else path


def job(version, name, policy=None, **fields):
    pod = {"spec": {"containers": [{"name": "mpi", "image": "example/mpi:1"}]}}
    spec = {"mpiReplicaSpecs": {
        kind: {"replicas": 1, "template": copy.deepcopy(pod)}
        for kind in ("Launcher", "Worker")}, **fields}
    if policy is not None:
        spec["runPolicy"] = policy
    return {"apiVersion": "kubeflow.org/" + version, "kind": "MPIJob",
            "metadata": {"name": name}, "spec": spec}


def definition(server, stored):
    """The one in the cluster, with another stored version."""
    found = server.client.get(DEFINITION)
    for version in found["spec"]["versions"]:
        version["storage"] = version["name"] == stored
    return found


def store_as(server, version):
    """Until what is created is stored so: only etcd shows that, but the API
    server has taken the definition up when it answers to both."""
    server.client.call("PUT", DEFINITION, definition(server, version))
    server.settle()


class Real(Cluster):
    has_rules = True

    def __init__(self):
        super().__init__(crds=True)

    def settle(self):
        """The API server serves by the definition as it is now: it serves
        another column."""
        self.mark = getattr(self, "mark", 0) + 1
        name = f"settled-{self.mark}"
        found = self.client.get(DEFINITION)
        for version in found["spec"]["versions"]:
            version["additionalPrinterColumns"][0]["name"] = name
        self.client.call("PUT", DEFINITION, found)
        wait_for("the definition", lambda: all(
            name in self.columns(version) for version in VERSIONS), LIMIT)

    def columns(self, version):
        path, saved = jobs(version), self.client.headers["Accept"]
        self.client.headers["Accept"] = (
            "application/json;as=Table;v=v1;g=meta.k8s.io")
        try:
            return [column["name"] for column in self.client.get(path).get(
                "columnDefinitions", ())]
        finally:
            self.client.headers["Accept"] = saved

    def store_old(self, version, name, fields, then):
        """As an earlier operator's definition, of one version and without the
        field, has stored it."""
        body = job(version, name, **DEFAULTS[version], **{})
        body["spec"].update(fields)
        body["metadata"].update(
            namespace="default", generation=1,
            uid=f"00000000-0000-0000-0000-{abs(hash(name)) % 10**12:012}",
            creationTimestamp="2024-01-01T00:00:00Z")
        self.put_into_etcd(f"/registry/kubeflow.org/mpijobs/default/{name}",
                           json.dumps(body))

    def put_into_etcd(self, key, value):
        body = {"key": base64.b64encode(key.encode()).decode(),
                "value": base64.b64encode(value.encode()).decode()}
        with urllib.request.urlopen(urllib.request.Request(
                self.etcd_url + "/v3/kv/put", json.dumps(body).encode()),
                timeout=30):
            pass


class Embedded:
    """`troupe up` keeps what it stores, so an earlier definition can be put in
    the place of its own while old jobs are stored."""
    has_rules = False

    def __enter__(self):
        self.program = Program("up", "--no-node", "--no-operator",
                               "--admin-bind-address", "127.0.0.1:0")
        try:
            self.program.await_line(r"API server: (https\S+)")
            self.client = Client(
                self.program.await_line(r"^export KUBECONFIG=(.*)")[1])
        except BaseException:
            self.program.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.program.__exit__()

    def settle(self):
        pass

    def store_old(self, version, name, fields, then):
        current = self.client.get(DEFINITION)
        earlier_one = copy.deepcopy(current)
        for each in earlier_one["spec"]["versions"]:
            each["storage"] = each["name"] == version
            del each["schema"]["openAPIV3Schema"]["properties"]["spec"][
                "properties"]["createdAs"]
        self.client.call("PUT", DEFINITION, earlier_one)
        made = self.client.post(jobs(version), job(version, name, **fields))
        equal("createdAs" in made["spec"], False)
        newer = self.client.get(DEFINITION)
        newer["spec"] = current["spec"]
        self.client.call("PUT", DEFINITION, newer)
        store_as(self, then)
