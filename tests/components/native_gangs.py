"""Kubernetes' own gangs: a control plane of 1.37.2 with its feature gates, an
operator with the rights of deploy/overlays/native-gang, and what is looked at."""

import json
import os
import subprocess

os.environ.setdefault("TROUPE_KUBERNETES", "1.37.2")

from components import Components  # noqa: E402

from checks import equal  # noqa: E402
from cluster import wait_for  # noqa: E402
from control_plane.client import ApiError  # noqa: E402
from jobs.gangs import FLAG  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT  # noqa: E402

GROUPS = "/apis/scheduling.k8s.io/v1beta1"
GATE, RACKS = "GenericWorkload=true", "TopologyAwareWorkloadScheduling=true"
SERVED = "--runtime-config=scheduling.k8s.io/v1beta1=true"
DISRUPTION_MODE = "training.kubeflow.org/disruption-mode"
TOPOLOGY = "training.kubeflow.org/topology"


def use_gates(cluster, gates, of_scheduler):
    """Of a cluster that is not started yet."""
    all_gates = "--feature-gates=" + ",".join(gates)
    cluster.server_arguments = [all_gates, SERVED]
    cluster.controllers.more = {
        # It takes the finalizer off a group whose pods have ended.
        "kube-controller-manager": [
            all_gates, "--controllers=podgroup-protection-controller"],
        "kube-scheduler": ["--feature-gates=" + ",".join(of_scheduler)]
        if of_scheduler else []}


class NativeGangs(Components):
    """`gates` of all programs; those of the scheduler may be others."""

    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT
    GATES, SCHEDULER_GATES = (GATE, RACKS), (GATE, RACKS)

    def __init__(self, troupe, more):
        self.troupe = troupe
        super().__init__(troupe, [FLAG + "kubernetes", *more])
        use_gates(self.cluster, self.GATES, self.SCHEDULER_GATES)

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)
        shipped_objects.apply_some(
            cluster, lambda o: o["metadata"]["name"].endswith("native-gang"),
            "overlays/native-gang")

    def explain(self, ns, kind, job):
        """What `troupe explain` says of it."""
        return subprocess.run(
            [self.troupe, "explain", f"{kind.name}/{job}", "-n", ns.name,
             "--admin", f"http://127.0.0.1:{self.operator.admin}"],
            text=True, check=True, stdout=subprocess.PIPE).stdout

    def report(self):
        scheduler = self.cluster.controllers.children[1]
        return (super().report() + "\n-- the scheduler's last lines:\n"
                + scheduler.tail())


def gang(ns, kind, job, policy=None, annotations=None, priority=None, **more):
    """A job for the namespace's nodes, each of whose pods takes a CPU."""
    result = ns.pinned_manifest(kind, job, policy or {"cleanPodPolicy": "All"},
                                **more)
    if annotations:
        result["metadata"]["annotations"] = annotations
    for replica in result["spec"][kind.field].values():
        spec = replica["template"]["spec"]
        spec["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
        if priority:
            spec["priorityClassName"] = priority
    return result


# -- what is there ------------------------------------------------------------

def groups(ns):
    return ns.client.get(ns.at(GROUPS, "podgroups"))["items"]


def group(ns, kind, job):
    """The job's own, that is not being deleted; None: it has none."""
    found = [g for g in groups(ns)
             if "deletionTimestamp" not in g["metadata"]
             and any((o["kind"], o["name"], o.get("controller"))
                     == (kind.name, job, True)
                     for o in g["metadata"].get("ownerReferences", ()))]
    equal(len(found) <= 1, True, f"one PodGroup of {job}: {found}")
    return found[0] if found else None


def min_count(ns, kind, job):
    found = group(ns, kind, job)
    return found and found["spec"]["schedulingPolicy"]["gang"]["minCount"]


def condition(found):
    for c in (found or {}).get("status", {}).get("conditions", ()):
        if c["type"] == "PodGroupInitiallyScheduled":
            return c
    return {}


def await_reason(ns, kind, job, reason):
    """Its condition, once it has this reason."""
    wait_for(f"the PodGroup to be {reason}", lambda: condition(
        group(ns, kind, job)).get("reason") == reason, LIMIT)
    return condition(group(ns, kind, job))


def bound(ns, kind, job):
    """The pods that have a node."""
    return sorted(name for name, (_, _, node) in ns.phases(kind, job).items()
                  if node)


def pods_name(ns, kind, job):
    """The groups that its pods name."""
    return {pod["spec"].get("schedulingGroup", {}).get("podGroupName")
            for pod in ns.owned(kind, job, "pods").values()}


def await_no_groups(ns):
    wait_for("the PodGroups to go", lambda: not groups(ns), LIMIT)


# -- what people do -----------------------------------------------------------

def write_min_count(ns, kind, job, count):
    name = group(ns, kind, job)["metadata"]["name"]
    ns.client.merge(ns.at(GROUPS, "podgroups", name), {
        "spec": {"schedulingPolicy": {"gang": {"minCount": count}}}})


def remove_group(ns, kind, job):
    name = group(ns, kind, job)["metadata"]["name"]
    ns.client.delete(ns.at(GROUPS, "podgroups", name))


def finalizers_off(ns, name):
    """As if nobody protected it."""
    try:
        ns.client.merge(ns.at(GROUPS, "podgroups", name),
                        {"metadata": {"finalizers": None}})
    except ApiError as error:
        if error.status != 404:
            raise


def calls(fixture, verbs, resource, namespace):
    """Those of the operator on objects of a namespace, by the audit log."""
    found = []
    with open(fixture.cluster.path("audit.log")) as log:
        for line in log:
            event = json.loads(line)
            ref = event.get("objectRef", {})
            if event["verb"] in verbs and ref.get("resource") == resource \
                    and ref.get("namespace") == namespace \
                    and "training-operator" in event["user"]["username"]:
                found.append(event)
    return found
