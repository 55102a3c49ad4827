"""kube-controller-manager, kube-scheduler and kwok beside an API server.

kwok simulates the nodes' kubelets, as `kubelet.yaml` says.
"""

import contextlib
import os
import signal
import time

import assets
from control_plane.client import ApiError
from process import Child

HERE = os.path.dirname(os.path.abspath(__file__))
# All that has to do with pods, namespaces, Jobs and what scales jobs.
CONTROLLERS = (
    "endpoints-controller", "endpointslice-controller", "disruption-controller",
    "garbage-collector-controller", "horizontal-pod-autoscaler-controller",
    "job-controller", "namespace-controller",
    "node-lifecycle-controller", "pod-garbage-collector-controller",
    "resourcequota-controller", "root-ca-certificate-publisher-controller",
    "serviceaccount-controller", "taint-eviction-controller",
    "ttl-after-finished-controller")
START_LIMIT = 60  # seconds; a start takes about three
RATE = ("--kube-api-qps", 500, "--kube-api-burst", 1000)
# An autoscaler that acts on what it sees now.
SCALING = [f"--horizontal-pod-autoscaler-{name}" for name in (
    "sync-period=1s", "downscale-stabilization=1s",
    "cpu-initialization-period=1s", "initial-readiness-delay=1s")]


# A label of nodes that the shared kwok leaves alone.
OWN_KUBELET = {"kubelet": "own"}


class Controllers:
    """Of one Cluster, whose API server has to be started with
    `server_arguments`.

    `node_grace`: how long a node may be silent before it is lost; None: no node
    ever is, because a machine that is busy must not lose its nodes.
    """

    def __init__(self, cluster, node_grace=None):
        self.cluster, self.children, self.kubelets = cluster, [], []
        self.node_grace = node_grace
        self.more = {}  # Program -> further arguments.
        self.kwok = assets.kwok()
        # What kwok's kubelets do: a file, which may be another one.
        self.stages = os.path.join(HERE, "kubelet.yaml")

    def server_arguments(self):
        return ["--enable-admission-plugins",
                # As on OpenShift: who names a job as a pod's owner needs
                # `update` on the job's finalizers.
                "OwnerReferencesPermissionEnforcement",
                # Beside an etcd of 3.4, kwok misses updates with it.
                "--feature-gates", "WatchList=false"]

    def start(self):
        config = ("--kubeconfig", self.cluster.kubeconfig)
        quiet = ("--leader-elect=false", "--secure-port=0")
        path, binary = self.cluster.path, self.cluster.binary
        self.children = [
            Child([binary("kube-controller-manager"), *config, *quiet, *RATE,
                   "--controllers", ",".join(CONTROLLERS), *SCALING,
                   "--node-monitor-period=1s",
                   "--node-monitor-grace-period",
                   self.node_grace or "15m",
                   "--root-ca-file", path("ca.crt"),
                   *self.more.get("kube-controller-manager", ())],
                  path("kube-controller-manager.log")),
            Child([binary("kube-scheduler"), *config, *quiet, *RATE,
                   *self.more.get("kube-scheduler", ())],
                  path("kube-scheduler.log")),
            Child([self.kwok, *self.kwok_arguments(),
                   *(("--manage-nodes-with-label-selector", "kubelet!=own")
                     if self.node_grace else ("--manage-all-nodes",))],
                  path("kwok.log"),
                  # It would read a configuration of the user's.
                  dict(os.environ, HOME=self.cluster.folder))]
        for child in self.children:
            child.start()
        end = time.monotonic() + START_LIMIT
        while not self.ready():
            if time.monotonic() > end:
                raise TimeoutError("the controllers do not work:\n" + "\n".join(
                    f"{c.args[0]}:\n{c.tail()}" for c in self.children))
            time.sleep(0.1)

    def kwok_arguments(self):
        return ["--kubeconfig", self.cluster.kubeconfig,
                "--node-port", 0, "--node-ip", "127.0.0.1",
                # It renews four times as often.
                *(("--node-lease-duration-seconds", 8)
                  if self.node_grace else ()),
                "--config", self.stages]

    def ready(self):
        """Whether pods may be made: the controllers have done their first
        work."""
        for child in self.children:
            if not child.running():
                raise RuntimeError(f"{child.args[0]} ended:\n{child.tail()}")
        try:
            for what in ("serviceaccounts/default",
                         "configmaps/kube-root-ca.crt"):
                self.cluster.client.get("/api/v1/namespaces/default/" + what)
            return True
        except ApiError:
            return False

    @contextlib.contextmanager
    def without_kubelets(self):
        """kwok does nothing meanwhile."""
        kwok = self.children[-1].process
        kwok.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            kwok.send_signal(signal.SIGCONT)

    def start_kubelet(self, node):
        """A kwok for a node with OWN_KUBELET alone: while its process is
        stopped, the node does not report. Only with a `node_grace`."""
        child = Child([self.kwok, *self.kwok_arguments(),
                       "--manage-single-node", node],
                      self.cluster.path(f"kwok-{node}.log"),
                      dict(os.environ, HOME=self.cluster.folder)).start()
        self.kubelets.append(child)
        return child

    def stop(self):
        for child in self.kubelets:
            child.kill()
        for child in self.children:
            child.process.terminate()
        for child in self.children:
            child.stop()


def node(name, cpu=64, labels=None, taints=()):
    """A node's manifest: it is ready at once, and kwok keeps it so."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    capacity = {"cpu": str(cpu), "memory": "256Gi", "pods": "500",
                "ephemeral-storage": "1Ti"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, **(labels or {})}},
            "spec": {"taints": list(taints)},
            "status": {
                "capacity": capacity, "allocatable": capacity,
                "conditions": [{
                    "type": "Ready", "status": "True", "reason": "KubeletReady",
                    "message": "", "lastHeartbeatTime": now,
                    "lastTransitionTime": now}]}}
