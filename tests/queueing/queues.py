"""Queues of Kueue's, and the Workloads in them."""

import calendar
import time

import kueue
from cluster import wait_for
from control_plane.client import ApiError
from kueue import API, FLAVOR, GROUP, is_true
from operators.operator_fixture import LIMIT

QUEUE = GROUP + "/queue-name"
PRIORITY = GROUP + "/priority-class"
LONGEST = GROUP + "/max-exec-time-seconds"
VERSION = f"{GROUP}/v1beta2"


def cluster_queue(name):
    return f"{API}/clusterqueues/{name}"


def make(ns, cpus, cohort=None, flavor=FLAVOR, local="queue", name=None,
         **more):
    """A ClusterQueue of the namespace's name, or of `name`, with `local` in the
    namespace, for pods that take so many CPUs in all."""
    name = name or ns.name
    ns.fixture.kueue.apply(
        {"apiVersion": VERSION, "kind": "ClusterQueue",
         "metadata": {"name": name}, "spec": {
             "namespaceSelector": {},
             **({"cohortName": cohort} if cohort else {}),
             "preemption": {"withinClusterQueue": "LowerPriority",
                            "reclaimWithinCohort": "Any"},
             "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                 {"name": flavor, "resources": [
                     {"name": "cpu", "nominalQuota": cpus}]}]}], **more}},
        {"apiVersion": VERSION, "kind": "LocalQueue",
         "metadata": {"name": local, "namespace": ns.name},
         "spec": {"clusterQueue": name}})
    wait_for("the queue to be active", lambda: is_true(
        ns.client.get(cluster_queue(name)), "Active"), LIMIT)


def write_quota(ns, cpus, flavor=FLAVOR):
    """Of the ClusterQueue that is there."""
    ns.client.merge(cluster_queue(ns.name), {"spec": {
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
            {"name": flavor, "resources": [
                {"name": "cpu", "nominalQuota": cpus}]}]}]}})


def stop(ns, policy, local=None):
    """Sets the stop policy of the ClusterQueue, or of the LocalQueue."""
    path = ns.at(API, "localqueues", local) if local else \
        cluster_queue(ns.name)
    ns.client.merge(path, {"spec": {"stopPolicy": policy}})


def used(ns, name=None):
    """CPUs of the queue that are given away."""
    try:
        status = ns.client.get(cluster_queue(name or ns.name))["status"]
    except (ApiError, KeyError):
        return 0
    return sum(int(resource["total"])
               for flavor in status.get("flavorsReservation", ())
               for resource in flavor["resources"])


def await_used(ns, cpus):
    try:
        wait_for("quota", lambda: used(ns) == cpus, LIMIT)
    except TimeoutError:
        raise AssertionError(
            f"wanted {cpus} CPUs of {ns.name} to be used, {used(ns)} are; "
            f"{summary(ns)}") from None


# -- Workloads ----------------------------------------------------------------

def workloads(ns):
    """name of the job -> its Workloads, the oldest first."""
    result = {}
    for one in sorted(ns.client.get(ns.at(API, "workloads"))["items"],
                      key=lambda w: w["metadata"]["creationTimestamp"]):
        for owner in one["metadata"].get("ownerReferences", ()):
            result.setdefault(owner["name"], []).append(one)
    return result


def workload(ns, job):
    """The one Workload of the job; None: it has none."""
    found = workloads(ns).get(job, [])
    if len(found) > 1:
        raise AssertionError(f"Workloads of {job}: " + ", ".join(
            w["metadata"]["name"] for w in found))
    return found[0] if found else None


def condition(item, name):
    """The condition, or {}."""
    for c in (item or {}).get("status", {}).get("conditions", ()):
        if c["type"] == name:
            return c
    return {}


def write(ns, job, change, status=False):
    """`change(workload)` of the job's Workload, once more if somebody wrote in
    between."""
    def written():
        found = workload(ns, job)
        change(found)
        path = ns.at(API, "workloads", found["metadata"]["name"])
        try:
            ns.client.call("PUT", path + ("/status" if status else ""), found)
        except ApiError as error:
            if error.status != 409:
                raise
            return False
        return True

    wait_for("a write without a conflict", written, LIMIT)


def activate(ns, job, active):
    """As `kueuectl stop workload` and `resume workload`."""
    found = await_workload(ns, job, "a Workload", bool)
    ns.client.merge(ns.at(API, "workloads", found["metadata"]["name"]),
                    {"spec": {"active": active}})


def await_workload(ns, job, what, test):
    """The one Workload of the job, when it is as `test` wants it."""
    def right():
        found = workload(ns, job)
        return found is not None and test(found) and found
    try:
        return wait_for(what, right, LIMIT)
    except TimeoutError:
        raise AssertionError(f"{job}: wanted {what}; {summary(ns)}") from None


def await_condition(ns, job, name, status="True", reason=None):
    return await_workload(
        ns, job, f"{name}={status} {reason or ''}",
        lambda w: condition(w, name).get("status") == status
        and reason in (None, condition(w, name).get("reason")))


def at(item, name):
    """When the condition was as it is, in seconds; None: it is not there."""
    text = condition(item, name).get("lastTransitionTime")
    return text and calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def age(ns, job, name):
    """For how many seconds the job's Workload has that condition."""
    return time.time() - at(workload(ns, job), name)


def summary(ns):
    """What the Workloads and jobs of the namespace say, as text."""
    lines = [f"the queue uses {used(ns)}"]
    for job, found in workloads(ns).items():
        for one in found:
            lines.append(f"Workload {one['metadata']['name']} of {job}, active "
                         f"{one['spec'].get('active')}: " + "; ".join(
                             f"{c['type']}={c['status']} {c.get('reason')} "
                             f"{c.get('message')}" for c in
                             one.get("status", {}).get("conditions", ())))
    for pod in ns.client.get(ns.core("pods"))["items"]:
        lines.append(f"pod {pod['metadata']['name']} "
                     f"{pod['status'].get('phase')} "
                     f"{pod['metadata'].get('deletionTimestamp', '')} "
                     f"{pod['spec'].get('schedulingGates', '')}")
    return "\n".join(lines + ns.warnings())


def apply_flavor(ns, name, labels, **more):
    ns.fixture.kueue.apply({
        "apiVersion": VERSION, "kind": "ResourceFlavor",
        "metadata": {"name": name},
        "spec": {"nodeLabels": labels, "tolerations": [kueue.TOLERATION],
                 **more}})
