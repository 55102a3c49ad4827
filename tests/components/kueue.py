"""Kueue's manager beside an API server: its definitions, its webhooks and
queues, without its own management of certificates."""

import glob
import os
import shutil
import urllib.error
import urllib.request

import yaml

import assets  # of ../cluster
import needs
from cluster import wait_for
from control_plane.client import ApiError
from operators.operator_fixture import LIMIT
from process import Child, free_port

GROUP = "kueue.x-k8s.io"
API = f"/apis/{GROUP}/v1beta2"
QUEUE = GROUP + "/queue-name"
PRIORITY = GROUP + "/priority-class"
FLAVOR = "reserved"
# What its webhooks are called for, besides its own objects.
FRAMEWORKS = {"batch/job": ("batch", "jobs"),
              "kubeflow.org/mpijob": ("kubeflow.org", "mpijobs")}
# Of its definitions those that have two versions in use.
CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters",
             "workloads")
# It looks for certificates of its metrics in /etc, whatever it is told; so it
# has an /etc of its own.
IN_OWN_ETC = (*needs.USER_NAMESPACE, "--mount", "sh", "-c",
              "mount -t tmpfs none /etc && mkdir -p /etc/kueue/metrics/certs "
              "&& cp \"$0\"/tls.* /etc/kueue/metrics/certs && exec \"$@\"")


class Kueue:
    """Of one Cluster. Raises needs.Missing where it cannot be had."""

    def __init__(self, cluster):
        needs.user_namespaces()
        self.cluster, self.folder = cluster, assets.kueue()
        self.port, self.health = free_port(), free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.certificates = cluster.path("kueue")
        self.child = Child(
            [*IN_OWN_ETC, self.certificates,
             os.path.join(self.folder, "kueue"),
             "--config", cluster.path("kueue.yaml"), "--zap-log-level=2",
             # An API server of its own, which needs more of a cluster.
             "--feature-gates=VisibilityOnDemand=false"],
            cluster.path("kueue.log"),
            dict(os.environ, KUBECONFIG=cluster.kubeconfig))

    def start(self):
        """Of a cluster that runs and has definitions of jobs."""
        self.write_configuration()
        self.apply_definitions()
        self.child.start()
        wait_for("Kueue to be ready", self.ready, LIMIT)
        self.apply_webhooks()
        self.apply({"apiVersion": f"{GROUP}/v1beta2", "kind": "ResourceFlavor",
                    "metadata": {"name": FLAVOR},
                    "spec": {"nodeLabels": {"flavor": FLAVOR}}},
                   {"apiVersion": f"{GROUP}/v1beta2",
                    "kind": "WorkloadPriorityClass", "value": 1000,
                    "metadata": {"name": "high"}, "description": ""})

    def stop(self):
        self.child.stop()

    def ready(self):
        if not self.child.running():
            raise RuntimeError("Kueue ended:\n" + self.child.tail())
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.health}/readyz", timeout=10):
                return True
        except (urllib.error.URLError, OSError):
            return False

    # -- installation --------------------------------------------------------

    def read(self, *path):
        with open(os.path.join(self.folder, "components", *path)) as file:
            return list(yaml.safe_load_all(file))

    def apply(self, *objects):
        # Definitions are too large for what a plain `apply` remembers.
        self.cluster.kubectl("apply", "--server-side", "-f", "-",
                             stdin=yaml.safe_dump_all(objects))

    def authority(self):
        with open(self.cluster.kubeconfig) as file:
            config = yaml.safe_load(file)
        return config["clusters"][0]["cluster"]["certificate-authority-data"]

    def client_configuration(self, path):
        return {"url": self.url + path, "caBundle": self.authority()}

    def write_configuration(self):
        os.makedirs(self.certificates)
        for end in ("crt", "key"):  # The API server's are for 127.0.0.1.
            shutil.copy(self.cluster.path("server." + end),
                        os.path.join(self.certificates, "tls." + end))
        (config,) = self.read("manager", "controller_manager_config.yaml")
        config.update({
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{free_port()}"},
            "webhook": {"port": self.port, "host": "127.0.0.1",
                        "certDir": self.certificates},
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "integrations": {"frameworks": list(FRAMEWORKS)}})
        with open(self.cluster.path("kueue.yaml"), "w") as file:
            yaml.safe_dump(config, file)

    def apply_definitions(self):
        definitions = []
        for path in sorted(glob.glob(os.path.join(
                self.folder, "components", "crd", "bases", "*.yaml"))):
            (definition,) = self.read(path)
            if definition["spec"]["names"]["plural"] in CONVERTED:
                definition["spec"]["conversion"] = {
                    "strategy": "Webhook", "webhook": {
                        "conversionReviewVersions": ["v1"], "clientConfig":
                        self.client_configuration("/convert")}}
            definitions.append(definition)
        self.apply(*definitions, {"apiVersion": "v1", "kind": "Namespace",
                                  "metadata": {"name": "kueue-system"}})
        self.cluster.kubectl("wait", "--for=condition=Established",
                             "--timeout=60s", "crd", "--all")

    def apply_webhooks(self):
        """Those of its own objects, and of the jobs that it queues here."""
        configurations = self.read("webhook", "manifests.yaml")
        for one in configurations:
            one["metadata"]["name"] = "kueue-" + one["metadata"]["name"]
            one["webhooks"] = [hook for hook in one["webhooks"]
                               if self.wanted(hook)]
            for hook in one["webhooks"]:
                hook["clientConfig"] = self.client_configuration(
                    hook["clientConfig"]["service"]["path"])
        self.apply(*configurations)

    @staticmethod
    def wanted(hook):
        return any(GROUP in rule["apiGroups"] or any(
            group in rule["apiGroups"] and plural in rule["resources"]
            for group, plural in FRAMEWORKS.values())
            for rule in hook["rules"])

    # -- queues --------------------------------------------------------------

    def make_queue(self, ns, cpus):
        """`queue` in the namespace, for pods that take so many CPUs in all."""
        self.apply(
            {"apiVersion": f"{GROUP}/v1beta2", "kind": "ClusterQueue",
             "metadata": {"name": ns.name}, "spec": {
                 "namespaceSelector": {},
                 "preemption": {"withinClusterQueue": "LowerPriority"},
                 "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                     {"name": FLAVOR, "resources": [
                         {"name": "cpu", "nominalQuota": cpus}]}]}]}},
            {"apiVersion": f"{GROUP}/v1beta2", "kind": "LocalQueue",
             "metadata": {"name": "queue", "namespace": ns.name},
             "spec": {"clusterQueue": ns.name}})
        wait_for("the queue to be active", lambda: is_true(
            self.cluster.client.get(f"{API}/clusterqueues/{ns.name}"),
            "Active"), LIMIT)

    def workloads(self, ns):
        """name of the job -> its Workloads."""
        result = {}
        for one in ns.client.get(ns.at(API, "workloads"))["items"]:
            for owner in one["metadata"].get("ownerReferences", ()):
                result.setdefault(owner["name"], []).append(one)
        return result

    def used(self, ns):
        """CPUs of the queue that are given away."""
        try:
            status = ns.client.get(f"{API}/clusterqueues/{ns.name}")["status"]
        except ApiError:
            return 0
        return sum(int(resource["total"])
                   for flavor in status.get("flavorsReservation", ())
                   for resource in flavor["resources"])


def is_true(item, name):
    """Whether the object has that condition."""
    return any(c["type"] == name and c["status"] == "True"
               for c in item.get("status", {}).get("conditions", ()))
