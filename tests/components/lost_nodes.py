"""Nodes whose kubelets report no more, beside the real node lifecycle
controller, taint manager and pod garbage collector."""

import signal

from checks import contains, equal
from cluster import wait_for
from components import NODES
from control_plane import controllers
from jobs.kinds import PYTORCH, TF
from jobs.mpi_ssh import MPI_SSH
from jobs.namespace import in_namespace
from operators.operator_fixture import LIMIT
from attempts import ATTEMPT, never_meet, recovery

OUT_OF_SERVICE = {"key": "node.kubernetes.io/out-of-service",
                  "value": "nodeshutdown", "effect": "NoExecute"}


class OwnNode:
    """A node with a kubelet of its own, for the jobs of one namespace."""

    def __init__(self, ns):
        self.ns = ns
        self.name, self.kubelet = ns.fixture.own_kubelets.get()
        taint = {"key": "namespace", "value": ns.name, "effect": "NoSchedule"}
        ns.client.post(NODES, controllers.node(
            self.name, labels={"namespace": ns.name, **controllers.OWN_KUBELET},
            taints=[taint]))
        wait_for("the node to be ready", lambda: self.read()["spec"][
            "taints"] == [taint], LIMIT)
        wait_for("its kubelet", lambda: ns.find(
            "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"
            + self.name), LIMIT)

    def read(self):
        return self.ns.client.get(f"{NODES}/{self.name}")

    def fall_silent(self):
        self.kubelet.process.send_signal(signal.SIGSTOP)

    def report_again(self):
        self.kubelet.process.send_signal(signal.SIGCONT)

    def ready(self):
        (found,) = [c["status"] for c in self.read()["status"]["conditions"]
                    if c["type"] == "Ready"]
        return found

    def await_ready(self, *which):
        wait_for(f"{self.name} to be {which}", lambda: self.ready() in which,
                 LIMIT)


def nodes(ns, count):
    return [OwnNode(ns) for _ in range(count)]


def start(ns, job, policy=None, period=None, kind=PYTORCH, **more):
    """name -> uid of the pods of a job on the namespace's nodes, one a node
    where there are as many; its failures are final."""
    policy = dict(policy or {})
    if period:
        policy["lostNodePeriod"] = period
    manifest = ns.pinned_manifest(
        kind, job, {"backoffLimit": 0,
                    **({"failurePolicy": policy} if policy else {})}, **more)
    for replica in manifest["spec"][kind.field].values():
        template = replica["template"]
        template["metadata"] = {"labels": {"spread": job}}
        template["spec"]["topologySpreadConstraints"] = [{
            "maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"spread": job}},
            # A node that is lost is none to spread over.
            "nodeTaintsPolicy": "Honor"}]
    ns.post(kind, manifest)
    if kind is MPI_SSH:
        ns.await_condition(kind, job, "Running")
    else:
        ns.await_running(kind, job)
    return ns.uids(kind, job)


def on(ns, kind, job, node):
    """Names of its pods there."""
    return {name for name, (_, _, at) in ns.phases(kind, job).items()
            if at == node.name}


def unready_as_kubernetes_says_it(ns, pod):
    """The node lifecycle controller changes Ready, gives no reason, and leaves
    ContainersReady as it was: that is how the operator knows whose it is."""
    found = {c["type"]: c for c in ns.client.get(
        ns.core("pods", pod))["status"]["conditions"]}
    equal((found["Ready"]["status"], found["Ready"].get("reason"),
           found["ContainersReady"]["status"]), ("False", None, "True"),
          "what is said of a pod on a node that is silent")


def lost_pods(ns, job):
    """Those of which an event says so."""
    return {e["involvedObject"]["name"] for e in
            ns.client.get(ns.core("events"))["items"]
            if e["reason"] == "NodeLost"
            and e["involvedObject"]["kind"] == "Pod"
            and e["involvedObject"]["name"].startswith(job + "-")}


def nothing_counts(ns, kind, job):
    status = ns.status(kind, job)
    equal((status.get("restarts"), status.get("countedRestarts"),
           ns.condition(kind, job, "Failed")), (None, None, {}), job)


# -- cases --------------------------------------------------------------------

@in_namespace
def replaced(ns):
    """scope Pod: pods of a node that is silent are replaced, after the period
    of the policy or the flag, and no others"""
    own, other = nodes(ns, 2)
    jobs = {"by-policy": ({"restartScope": "Pod"}, "2s"),
            "by-flag": (None, None), "patient": (None, "1h")}
    before = {job: start(ns, job, *more) for job, more in jobs.items()}
    there = {job: on(ns, PYTORCH, job, own) for job in jobs}
    for job, pods in there.items():
        equal(0 < len(pods) < 3, True, f"{job}: pods on {own.name}: {pods}")
    own.fall_silent()
    patient = sorted(there["patient"])[0]
    wait_for("its pods to be unready", lambda: {
        c["type"]: c["status"] for c in ns.client.get(ns.core(
            "pods", patient))["status"]["conditions"]}["Ready"] == "False",
        LIMIT)
    unready_as_kubernetes_says_it(ns, patient)
    equal(own.ready(), "Unknown")
    for job in ("by-policy", "by-flag"):
        ns.await_running(PYTORCH, job, node=other.name, others_than={
            before[job][pod] for pod in there[job]})
        after = ns.uids(PYTORCH, job)
        equal({pod for pod in after if after[pod] != before[job][pod]},
              there[job], f"{job}: pods that were replaced")
        wait_for("events on its pods", lambda: lost_pods(
            ns, job) == there[job], LIMIT)
        nothing_counts(ns, PYTORCH, job)
    equal(ns.uids(PYTORCH, "patient"), before["patient"])
    contains(ns.report(PYTORCH, "patient"),
             f"its node {own.name} has not reported for ")


@in_namespace
def several(ns):
    """scope Job: two nodes that are silent are one restart, counted nowhere"""
    one, two, other = nodes(ns, 3)
    start(ns, "job", {"restartScope": "Job", "maxRestarts": 0}, "3s")
    before = set(ns.uids(PYTORCH, "job").values())
    lost = on(ns, PYTORCH, "job", one) | on(ns, PYTORCH, "job", two)
    equal(len(lost), 2, "pods on nodes that are lost")
    for node in (one, two):
        node.fall_silent()
    ns.await_running(PYTORCH, "job", node=other.name, others_than=before)
    seen = recovery(ns, PYTORCH, "job")
    equal((seen["restartAttempt"], seen["lastRestart"]["reason"],
           seen["lastRestart"]["pod"] in lost), (1, "NodeLost", True), seen)
    nothing_counts(ns, PYTORCH, "job")
    never_meet(ns)
    causes = {labels["cause"]: value for labels, value in
              ns.fixture.operator.metric("troupe_job_restarts_total")
              if (labels["scope"], labels["framework"]) == ("Job", "pytorch")}
    equal(causes["node_lost"] >= 1, True, causes)


@in_namespace
def comes_back(ns):
    """a node reports again before the period is over: its pod stays"""
    own, _ = nodes(ns, 2)
    before = start(ns, "job", {"restartScope": "Job"}, "1h")
    own.fall_silent()
    own.await_ready("Unknown")
    wait_for("the explanation", lambda: "has not reported for " in ns.report(
        PYTORCH, "job"), LIMIT)
    own.report_again()
    own.await_ready("True")
    for name in on(ns, PYTORCH, "job", own):  # A kubelet says so, kwok does not.
        ns.client.call("PATCH", ns.core("pods", name) + "/status", {
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}},
            "application/strategic-merge-patch+json")
    wait_for("no more doubts", lambda: "has not reported" not in ns.report(
        PYTORCH, "job"), LIMIT)
    equal(ns.uids(PYTORCH, "job"), before)
    equal(recovery(ns, PYTORCH, "job").get("restartAttempt"), None)
    ns.succeed(PYTORCH, "job")


@in_namespace
def stuck(ns):
    """scope Job: a pod that nobody ends, of a node that is gone, is removed"""
    own, other = nodes(ns, 2)
    before = start(ns, "job", {"restartScope": "Job"}, "2s")
    (pod, *_) = sorted(on(ns, PYTORCH, "job", own))
    own.fall_silent()
    ns.client.delete(ns.core("pods", pod), {"gracePeriodSeconds": 1})
    ns.client.delete(f"{NODES}/{own.name}")
    ns.await_running(PYTORCH, "job", node=other.name,
                     others_than=set(before.values()))
    equal(recovery(ns, PYTORCH, "job")["restartAttempt"], 1)
    nothing_counts(ns, PYTORCH, "job")
    never_meet(ns)


@in_namespace
def fenced(ns):
    """a node gets the taint out-of-service: its pods are gone at once"""
    own, other = nodes(ns, 2)
    before = start(ns, "job", {"restartScope": "Job"}, "2s")
    own.fall_silent()
    ns.fixture.kubectl("cordon", own.name)
    ns.client.call("PATCH", f"{NODES}/{own.name}", {"spec": {"taints": [
        *own.read()["spec"]["taints"], OUT_OF_SERVICE]}},
        "application/merge-patch+json")
    ns.await_running(PYTORCH, "job", node=other.name,
                     others_than=set(before.values()))
    equal(recovery(ns, PYTORCH, "job")["restartAttempt"], 1)
    nothing_counts(ns, PYTORCH, "job")
    never_meet(ns)


@in_namespace
def never(ns):
    """TFJob: a rule for lost nodes ends it"""
    own, _ = nodes(ns, 2)
    start(ns, "job", {"rules": [{"name": "lost", "action": "FailJob",
                                 "onReasons": ["NodeLost"]}]}, "2s", TF)
    equal(bool(on(ns, TF, "job", own)), True)
    own.fall_silent()
    ns.await_condition(TF, "job", "Failed")
    contains(ns.condition(TF, "job", "Failed")["message"], "lost")


@in_namespace
def launcher(ns):
    """MPIJob of v2beta1: a node is silent: all of it starts again, once"""
    own, other = nodes(ns, 2)
    before = set(start(ns, "job", {"restartScope": "Job", "maxRestarts": 0},
                       "2s", MPI_SSH).values())
    own.fall_silent()

    def others():
        pods = ns.phases(MPI_SSH, "job")
        return len(pods) == 3 and all(
            phase == "Running" and uid not in before
            for uid, phase, _ in pods.values())

    wait_for("others", others, LIMIT)
    pods = ns.owned(MPI_SSH, "job", "pods")
    equal({p["metadata"]["labels"][ATTEMPT] for p in pods.values()}, {"1"})
    nothing_counts(ns, MPI_SSH, "job")
    never_meet(ns)


CASES = [replaced, several, comes_back, stuck, fenced, never, launcher]
OWN_KUBELETS = 15  # of all cases together
