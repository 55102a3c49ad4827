"""Kueue's manager beside an API server: its definitions, its webhooks and its
configuration, without its own management of certificates."""

import glob
import os
import shutil
import urllib.error
import urllib.request

import yaml

import assets  # of ../cluster
import needs
from cluster import wait_for
from control_plane import controllers
from operators.operator_fixture import LIMIT
from process import Child, free_port

GROUP = "kueue.x-k8s.io"
API = f"/apis/{GROUP}/v1beta2"
QUEUE = GROUP + "/queue-name"
PRIORITY = GROUP + "/priority-class"
FLAVOR = "reserved"
# Only pods that an admission has marked get to the flavor's nodes.
TAINT = {"key": "reserved", "value": "yes", "effect": "NoSchedule"}
TOLERATION = {"key": "reserved", "operator": "Exists", "effect": "NoSchedule"}
NODES = "/api/v1/nodes"
# Its integrations, and what its webhooks are called for because of each.
FRAMEWORKS = {"batch/job": ("batch", "jobs"), "pod": ("", "pods"),
              **{f"kubeflow.org/{kind}": ("kubeflow.org", kind + "s")
                 for kind in ("jaxjob", "mpijob", "paddlejob", "pytorchjob",
                              "tfjob", "xgboostjob")}}
# Of its definitions those that have two versions in use.
CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters",
             "workloads")
# It looks for certificates of its metrics in /etc, whatever it is told; so it
# has an /etc of its own.
IN_OWN_ETC = (*needs.USER_NAMESPACE, "--mount", "sh", "-c",
              "mount -t tmpfs none /etc && mkdir -p /etc/kueue/metrics/certs "
              "&& cp \"$0\"/tls.* /etc/kueue/metrics/certs && exec \"$@\"")


class Kueue:
    """Of one Cluster. Raises needs.Missing where it cannot be had.

    `frameworks`: its integrations; `external`: its `externalFrameworks`, as
    `TFJob.v1.kubeflow.org`; `waiting_on`: further kinds `kubeflow.org/NAME`
    before whose jobs its webhooks stand, which do nothing then: an
    installation has them for all. `settings` go into its configuration,
    `gates` are features: name -> whether they are on.
    """

    def __init__(self, cluster, frameworks=("batch/job",), external=(),
                 waiting_on=(), settings=None, gates=None):
        needs.user_namespaces()
        self.cluster, self.folder = cluster, assets.kueue()
        self.frameworks, self.external = list(frameworks), list(external)
        self.waiting_on, self.settings = list(waiting_on), settings or {}
        self.port, self.health = free_port(), free_port()
        self.metrics = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.certificates = cluster.path("kueue")
        # Its visibility is an API server of its own, which needs more of a
        # cluster.
        features = {"VisibilityOnDemand": False, **(gates or {})}
        self.child = Child(
            [*IN_OWN_ETC, self.certificates,
             os.path.join(self.folder, "kueue"),
             "--config", cluster.path("kueue.yaml"), "--zap-log-level=info",
             "--feature-gates=" + ",".join(
                 f"{name}={str(on).lower()}" for name, on in features.items())],
            cluster.path("kueue.log"),
            dict(os.environ, KUBECONFIG=cluster.kubeconfig))

    def start(self):
        """Of a cluster that runs and has definitions of jobs. Two nodes have
        the flavor."""
        for name in ("queue-1", "queue-2"):
            self.cluster.client.post(NODES, controllers.node(
                name, cpu=1000, labels={"flavor": FLAVOR}, taints=[TAINT]))
        self.write_configuration()
        self.apply_definitions()
        self.start_again()
        self.apply_webhooks()
        self.apply({"apiVersion": f"{GROUP}/v1beta2", "kind": "ResourceFlavor",
                    "metadata": {"name": FLAVOR},
                    "spec": {"nodeLabels": {"flavor": FLAVOR},
                             "tolerations": [TOLERATION]}},
                   {"apiVersion": f"{GROUP}/v1beta2",
                    "kind": "WorkloadPriorityClass", "value": 1000,
                    "metadata": {"name": "high"}, "description": ""})

    def start_again(self):
        """Call it from the main thread."""
        self.child.start()
        wait_for("Kueue to be ready", self.ready, LIMIT)

    def stop(self):
        self.child.stop()

    def kill(self):
        """SIGKILL, as a node's crash ends it."""
        self.child.kill()

    def change_to(self, frameworks):
        """It ends, and starts with these integrations."""
        self.stop()
        self.frameworks = list(frameworks)
        self.write_configuration()
        self.apply_webhooks()
        self.start_again()

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
        os.makedirs(self.certificates, exist_ok=True)
        for end in ("crt", "key"):  # The API server's are for 127.0.0.1.
            shutil.copy(self.cluster.path("server." + end),
                        os.path.join(self.certificates, "tls." + end))
        (config,) = self.read("manager", "controller_manager_config.yaml")
        config.update({
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self.metrics}"},
            "webhook": {"port": self.port, "host": "127.0.0.1",
                        "certDir": self.certificates},
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "integrations": {"frameworks": self.frameworks, **(
                {"externalFrameworks": self.external} if self.external
                else {})},
            **self.settings})
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
        """Those of its own objects, and of what it queues here."""
        configurations = self.read("webhook", "manifests.yaml")
        for one in configurations:
            one["metadata"]["name"] = "kueue-" + one["metadata"]["name"]
            one["webhooks"] = [hook for hook in one["webhooks"]
                               if self.wanted(hook)]
            for hook in one["webhooks"]:
                hook["clientConfig"] = self.client_configuration(
                    hook["clientConfig"]["service"]["path"])
        self.apply(*configurations)

    def wanted(self, hook):
        return any(GROUP in rule["apiGroups"] or any(
            group in rule["apiGroups"] and plural in rule["resources"]
            for group, plural in (FRAMEWORKS[name] for name in
                                  self.frameworks + self.waiting_on))
            for rule in hook["rules"])


def is_true(item, name):
    """Whether the object has that condition."""
    return any(c["type"] == name and c["status"] == "True"
               for c in item.get("status", {}).get("conditions", ()))
