"""JobSet's manager itself, to compare with: its definition and its webhooks,
without its own management of certificates."""

import os
import shutil
import urllib.error
import urllib.request

import yaml

import assets
from cluster import wait_for
from process import Child, free_port

# Called for every pod of the cluster, whoever makes it; about pods of JobSets
# that ask for no exclusive placement they decide nothing.
ABOUT_PODS = ("mpod.kb.io", "vpod.kb.io")


class JobSets:
    """Of one Cluster. Raises needs.Missing where it cannot be had.

    It is the cluster's administrator, and as fast as it is by itself: 500
    requests a second.
    """

    def __init__(self, cluster, about_pods=True):
        self.cluster, self.folder = cluster, assets.jobset()
        self.about_pods = about_pods
        self.port, self.health = free_port(), free_port()
        self.certificates = cluster.path("jobset")
        self.child = Child(
            [os.path.join(self.folder, "jobset"),
             "--config", cluster.path("jobset.yaml"), "--zap-log-level=error"],
            cluster.path("jobset.log"),
            dict(os.environ, KUBECONFIG=cluster.kubeconfig))

    def __enter__(self):
        self.write_configuration()
        path = os.path.join(self.folder, "components", "crd", "bases",
                            "jobset.x-k8s.io_jobsets.yaml")
        self.cluster.kubectl("apply", "--server-side", "-f", path)
        # `wait` refuses a definition that has no conditions yet.
        wait_for("JobSet's definition", lambda: not self.cluster.kubectl(
            "wait", "--for=condition=Established", "--timeout=60s", "-f", path,
            check=False).returncode, 60)
        self.child.start()
        try:
            wait_for("JobSet's manager to be ready", self.ready, 60)
            self.apply_webhooks()
        except BaseException:
            self.child.stop()
            raise
        return self

    def __exit__(self, *_):
        self.child.stop()

    def ready(self):
        if not self.child.running():
            raise RuntimeError("JobSet's manager ended:\n" + self.child.tail())
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.health}/readyz", timeout=10):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def write_configuration(self):
        os.makedirs(self.certificates)
        for end in ("crt", "key"):  # The API server's are for 127.0.0.1.
            shutil.copy(self.cluster.path("server." + end),
                        os.path.join(self.certificates, "tls." + end))
        with open(self.cluster.path("jobset.yaml"), "w") as file:
            yaml.safe_dump({
                "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
                "kind": "Configuration",
                "health": {
                    "healthProbeBindAddress": f"127.0.0.1:{self.health}"},
                "metrics": {"bindAddress": "0",
                            "certDir": self.certificates},
                "webhook": {"port": self.port, "host": "127.0.0.1",
                            "certDir": self.certificates},
                "internalCertManagement": {"enable": False},
                "leaderElection": {"leaderElect": False}}, file)

    def apply_webhooks(self):
        with open(os.path.join(self.folder, "components", "webhook",
                               "manifests.yaml")) as file:
            configurations = list(yaml.safe_load_all(file))
        with open(self.cluster.kubeconfig) as file:
            authority = yaml.safe_load(file)["clusters"][0]["cluster"][
                "certificate-authority-data"]
        for one in configurations:
            one["metadata"]["name"] = "jobset-" + one["metadata"]["name"]
            one["webhooks"] = [hook for hook in one["webhooks"]
                               if self.about_pods
                               or hook["name"] not in ABOUT_PODS]
            for hook in one["webhooks"]:
                path = hook["clientConfig"]["service"]["path"]
                hook["clientConfig"] = {
                    "url": f"https://127.0.0.1:{self.port}{path}",
                    "caBundle": authority}
        self.cluster.kubectl("apply", "-f", "-",
                             stdin=yaml.safe_dump_all(configurations))
