#!/usr/bin/python3
"""What jobs have beside pods and services: MPIJob's files and rights,
PyTorchJob's autoscaler.

    test_auxiliary_objects.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys

from checks import contains, equal, main
from cluster import wait_for
from jobs.kinds import MPI, PYTORCH
from jobs.namespace import Namespace, serial, in_namespace, before_and_after
from operators.operator_fixture import LIMIT, OperatorFixture

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCALING = "/apis/autoscaling/v2"
AUTOSCALER = "horizontalpodautoscalers"


# -- MPIJob -------------------------------------------------------------------

def config(ns, job, file):
    """Of the job's ConfigMap; "" if there is none."""
    found = ns.find(ns.core("configmaps", job + "-config"))
    return found["data"].get(file, "") if found else ""


def hosts(ns, job):
    return config(ns, job, "hostfile").split("\n")[:-1]


def discovered(ns, job):
    """The hosts that discover_hosts.sh names."""
    lines = config(ns, job, "discover_hosts.sh").split("\n")
    return [line[len("echo "):] for line in lines[1:] if line]


def await_lines(what, lines, wanted):
    wait_for(what, lambda: lines() == wanted, LIMIT)


def executable(ns, job):
    """The pods that the launcher may execute in."""
    role = ns.find(ns.at(RBAC, "roles", job + "-launcher")) or {}
    return [name for rule in role.get("rules") or ()
            if rule["resources"] == ["pods/exec"]
            for name in rule["resourceNames"]]


def workers(job, count):
    return [f"{job}-worker-{i}" for i in range(count)]


def rights(ns):
    """account, role and binding are the launcher's, and owned by the job"""
    ns.make(MPI, "mpi")
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))
    uid = ns.job(MPI, "mpi")["metadata"]["uid"]
    for path in (ns.core("serviceaccounts", "mpi-launcher"),
                 ns.at(RBAC, "roles", "mpi-launcher"),
                 ns.at(RBAC, "rolebindings", "mpi-launcher"),
                 ns.core("configmaps", "mpi-config")):
        meta = ns.client.get(path)["metadata"]
        (owner,) = meta["ownerReferences"]
        equal((owner["kind"], owner["uid"], owner["controller"]),
              ("MPIJob", uid, True), path)
        equal(meta["labels"], {"app": "mpi"}, path)
    equal(executable(ns, "mpi"), workers("mpi", 2))
    binding = ns.client.get(ns.at(RBAC, "rolebindings", "mpi-launcher"))
    equal(binding["roleRef"]["name"], "mpi-launcher")
    equal(ns.events("mpi", "FailedCreateRoleBinding"), [])
    (subject,) = binding["subjects"]
    equal((subject["kind"], subject["name"], subject["namespace"]),
          ("ServiceAccount", "mpi-launcher", ns.name))
    launcher = ns.client.get(ns.core("pods", "mpi-launcher"))["spec"]
    equal(launcher["serviceAccountName"], "mpi-launcher")
    equal([c["name"] for c in launcher["initContainers"]],
          ["kubectl-delivery"])


def files(ns):
    """the files follow the workers that run, and scaling"""
    ns.make(MPI, "mpi", slotsPerWorker=2)
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))
    equal(hosts(ns, "mpi"), ["mpi-worker-0 slots=2", "mpi-worker-1 slots=2"])
    equal(discovered(ns, "mpi"), [])
    contains(config(ns, "mpi", "kubexec.sh"), "/opt/kube/kubectl exec")
    ns.set_phase("mpi-worker-1", "Running")
    await_lines("one host", lambda: discovered(ns, "mpi"),
                ["mpi-worker-1:2"])
    ns.run_all(MPI, "mpi")
    await_lines("two hosts", lambda: discovered(ns, "mpi"),
                ["mpi-worker-0:2", "mpi-worker-1:2"])
    launcher = ns.uids(MPI, "mpi")["mpi-launcher"]
    ns.patch(MPI, "mpi", {MPI.field: {"Worker": {"replicas": 3}}})
    await_lines("three names", lambda: executable(ns, "mpi"),
                workers("mpi", 3))
    await_lines("three hosts", lambda: hosts(ns, "mpi"),
                [f"{name} slots=2" for name in workers("mpi", 3)])
    ns.await_pods(MPI, "mpi", MPI.pods("mpi", MPI.with_workers(3)))
    ns.run_all(MPI, "mpi")
    await_lines("the third", lambda: discovered(ns, "mpi"),
                [f"{name}:2" for name in workers("mpi", 3)])
    ns.patch(MPI, "mpi", {MPI.field: {"Worker": {"replicas": 1}}})
    for what, lines, one in (
            ("one name", executable, "mpi-worker-0"),
            ("one host", hosts, "mpi-worker-0 slots=2"),
            ("one that runs", discovered, "mpi-worker-0:2")):
        await_lines(what, lambda: lines(ns, "mpi"), [one])
    equal(ns.uids(MPI, "mpi")["mpi-launcher"], launcher)


def repaired(ns):
    """what a user deletes or overwrites is restored"""
    ns.start(MPI, "mpi")
    pods = ns.uids(MPI, "mpi")
    paths = {"files": ns.core("configmaps", "mpi-config"),
             "account": ns.core("serviceaccounts", "mpi-launcher"),
             "role": ns.at(RBAC, "roles", "mpi-launcher"),
             "binding": ns.at(RBAC, "rolebindings", "mpi-launcher")}
    await_lines("its hosts", lambda: discovered(ns, "mpi"),
                ["mpi-worker-0:1", "mpi-worker-1:1"])
    for what, path in paths.items():
        before = ns.client.get(path)
        ns.client.delete(path)
        after = wait_for(f"another {what}", lambda: ns.find(path), LIMIT)
        for part in ("data", "rules", "roleRef", "subjects"):
            equal(after.get(part), before.get(part), f"{part} of {what}")
        equal(after["metadata"]["uid"] != before["metadata"]["uid"], True)
    ns.client.merge(paths["files"], {
        "metadata": {"annotations": {"theirs": "yes"}},
        "data": {"hostfile": "elsewhere\n", "discover_hosts.sh": None,
                 "theirs": "1"}})
    await_lines("the host file", lambda: hosts(ns, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])
    await_lines("the script", lambda: discovered(ns, "mpi"),
                ["mpi-worker-0:1", "mpi-worker-1:1"])
    kept = ns.client.get(paths["files"])
    equal(kept["metadata"]["annotations"], {"theirs": "yes"})
    equal(kept["metadata"]["labels"], {"app": "mpi"})
    equal(kept["data"]["theirs"], "1")
    ns.client.merge(paths["role"], {"rules": []})
    await_lines("the rights", lambda: executable(ns, "mpi"),
                workers("mpi", 2))
    equal(ns.uids(MPI, "mpi"), pods)
    # What it did to them calls for nothing more.
    equal(*before_and_after(lambda: [ns.find(p)["metadata"]["resourceVersion"]
                                     for p in paths.values()]))


def foreign(ns):
    """a ConfigMap of others is not changed; the job goes on when it is gone"""
    path = ns.core("configmaps", "mpi-config")
    theirs = ns.client.post(ns.core("configmaps"), {
        "metadata": {"name": "mpi-config"}, "data": {"theirs": "yes"}})
    ns.make(MPI, "mpi")
    event = ns.await_event("mpi", "ErrResourceExists", '"mpi-config"')
    equal(event["type"], "Warning")
    contains(event["message"],
             "is not managed by MPIJob; it has no owner")
    equal(ns.owned(MPI, "mpi", "pods"), {})
    equal(ns.client.get(path), theirs)
    equal(ns.condition(MPI, "mpi", "Failed"), {})
    ns.client.delete(path)
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))
    equal(hosts(ns, "mpi"), ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])


def own_account(ns):
    """an account that the template names and that exists is used as it is"""
    path = ns.core("serviceaccounts", "mine")
    ns.client.post(ns.core("serviceaccounts"),
                   {"metadata": {"name": "mine"}})
    before = ns.client.get(path)
    job = MPI.manifest("mpi")
    job["spec"][MPI.field]["Launcher"]["template"]["spec"][
        "serviceAccountName"] = "mine"
    ns.client.post(ns.of(MPI), job)
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))
    launcher = ns.client.get(ns.core("pods", "mpi-launcher"))
    equal(launcher["spec"]["serviceAccountName"], "mine")
    binding = ns.client.get(ns.at(RBAC, "rolebindings", "mpi-launcher"))
    equal([s["name"] for s in binding["subjects"]], ["mine"])
    equal(ns.find(ns.core("serviceaccounts", "mpi-launcher")), None)
    equal(ns.client.get(path), before)


def kept(ns):
    """suspension and the end leave files and rights where they are"""
    ns.start(MPI, "mpi")
    ns.patch(MPI, "mpi", {"runPolicy": {"suspend": True}})
    ns.await_condition(MPI, "mpi", "Suspended")
    ns.await_pods(MPI, "mpi", [])
    ns.patch(MPI, "mpi", {"runPolicy": {"suspend": False}})
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))
    ns.succeed(MPI, "mpi")
    equal(executable(ns, "mpi"), workers("mpi", 2))
    equal(len(hosts(ns, "mpi")), 2)


# -- PyTorchJob ---------------------------------------------------------------

def metric(value="0.5"):
    return {"type": "Pods", "pods": {
        "metric": {"name": "load"},
        "target": {"type": "AverageValue", "averageValue": value}}}


def elastic(ns, job, metrics, least=1, most=3):
    ns.make(PYTORCH, job, counts={"Worker": 2}, elasticPolicy={
        "minReplicas": least, "maxReplicas": most, "metrics": metrics})


def scaler(ns, job):
    return ns.find(ns.at(SCALING, AUTOSCALER, job))


def bounds(ns, job):
    found = scaler(ns, job)
    return found and (found["spec"]["minReplicas"],
                      found["spec"]["maxReplicas"])


def autoscaler(ns):
    """made, changed with the bounds, removed with the metrics"""
    elastic(ns, "auto", [metric()])
    wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    found = scaler(ns, "auto")
    target = found["spec"]["scaleTargetRef"]
    equal((target["apiVersion"], target["kind"], target["name"]),
          ("kubeflow.org/v1", "PyTorchJob", "auto"))
    equal(bounds(ns, "auto"), (1, 3))
    equal(found["spec"]["metrics"], [metric("500m")])
    (owner,) = found["metadata"]["ownerReferences"]
    equal(owner["uid"], ns.job(PYTORCH, "auto")["metadata"]["uid"])
    ns.patch(PYTORCH, "auto", {"elasticPolicy": {"minReplicas": 2,
                                                 "maxReplicas": 5}})
    wait_for("the new bounds", lambda: bounds(ns, "auto") == (2, 5), LIMIT)
    ns.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": [metric("2")]}})
    wait_for("the new metric", lambda: scaler(ns, "auto")["spec"]["metrics"]
             == [metric("2")], LIMIT)
    equal(scaler(ns, "auto")["metadata"]["uid"], found["metadata"]["uid"])
    ns.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": None}})
    wait_for("its removal", lambda: not scaler(ns, "auto"), LIMIT)
    ns.await_pods(PYTORCH, "auto", workers("auto", 2))


def autoscaler_rests(ns):
    """suspension removes it, resumption makes it anew"""
    elastic(ns, "auto", [metric()])
    first = wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    ns.patch(PYTORCH, "auto", {"runPolicy": {"suspend": True}})
    wait_for("its removal", lambda: not scaler(ns, "auto"), LIMIT)
    ns.await_condition(PYTORCH, "auto", "Suspended")
    equal(*before_and_after(lambda: scaler(ns, "auto")))
    ns.patch(PYTORCH, "auto", {"runPolicy": {"suspend": False}})
    second = wait_for("another", lambda: scaler(ns, "auto"), LIMIT)
    equal(second["metadata"]["uid"] != first["metadata"]["uid"], True)


def patches(fixture):
    """How often the operator has asked to change an autoscaler."""
    return fixture.operator.requests().get(f"patch {AUTOSCALER}", 0)


def set_scaler_status(ns, job, count):
    """What the autoscaler's controller writes."""
    path = ns.at(SCALING, AUTOSCALER, job)
    ns.client.merge(path + "/status", {"status": {
        "currentReplicas": count, "desiredReplicas": count}})


def rewritten(ns):
    """quantities that the server rewrites are not written again and again"""
    elastic(ns, "auto", [metric("0.5")])
    wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    ns.await_pods(PYTORCH, "auto", workers("auto", 2))
    ns.run_all(PYTORCH, "auto")
    ns.await_condition(PYTORCH, "auto", "Running")
    equal(*before_and_after(
        lambda: scaler(ns, "auto")["metadata"]["resourceVersion"]))


@serial
def rewritten_and_scaling(fixture):
    """nor when the autoscaler's controller writes its status"""
    ns = Namespace(fixture)
    elastic(ns, "auto", [metric("0.5")])
    wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    seen_by_operator(ns, 0)
    before = patches(fixture)
    for count in range(1, 6):
        set_scaler_status(ns, "auto", count)
        seen_by_operator(ns, count)
    equal(patches(fixture), before, "changes of autoscalers")


def seen_by_operator(ns, turn):
    """A job that is made later shows that earlier news has arrived."""
    elastic(ns, f"turn-{turn}", [metric("1")])
    wait_for("its autoscaler", lambda: scaler(ns, f"turn-{turn}"), LIMIT)
    ns.client.delete(ns.of(PYTORCH, f"turn-{turn}"))
    ns.client.delete(ns.at(SCALING, AUTOSCALER, f"turn-{turn}"))
    ns.collect(PYTORCH, f"turn-{turn}")


@serial
def rewritten_and_killed(fixture):
    """nor after a restart, when nobody knows what was asked for"""
    ns = Namespace(fixture)
    elastic(ns, "auto", [metric("0.5")])
    found = wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    ns.await_pods(PYTORCH, "auto", workers("auto", 2))
    fixture.operator.kill()
    fixture.operator.start()
    ns.run_all(PYTORCH, "auto")
    ns.await_condition(PYTORCH, "auto", "Running")
    equal(*before_and_after(lambda: patches(fixture)))
    equal(scaler(ns, "auto"), found)


@serial
def caught_up(fixture):
    """what happens to them while it is away is put right after"""
    ns = Namespace(fixture)
    ns.start(MPI, "mpi")
    elastic(ns, "auto", [metric()])
    wait_for("an autoscaler", lambda: scaler(ns, "auto"), LIMIT)
    fixture.operator.kill()
    ns.client.delete(ns.core("configmaps", "mpi-config"))
    ns.client.merge(ns.at(RBAC, "roles", "mpi-launcher"), {"rules": []})
    ns.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": None}})
    fixture.operator.start()
    await_lines("the host file", lambda: hosts(ns, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])
    await_lines("the rights", lambda: executable(ns, "mpi"),
                workers("mpi", 2))
    wait_for("its removal", lambda: not scaler(ns, "auto"), LIMIT)


@serial
def foreign_objects(fixture):
    """large ones of others cost nothing: they are seen as metadata only"""
    ns = Namespace(fixture)
    ns.start(MPI, "mpi")
    fixture.operator.kill()
    fixture.operator.start()
    _, alone_here = fixture.operator.memory()
    for i in range(200):
        ns.client.post(ns.core("configmaps"), {
            "metadata": {"name": f"theirs-{i}"},
            "data": {"theirs": "x" * 250_000}})
    # What was made after them shows that the news of them has arrived.
    ns.start(MPI, "later")
    _, watched = fixture.operator.memory()
    fixture.operator.kill()
    fixture.operator.start()
    _, listed = fixture.operator.memory()
    # 50 MB of bodies would be 100 MiB at the peak.
    for peak in (watched, listed):
        equal(peak - alone_here < 16, True, f"{alone_here} MiB became {peak}")
    # A job's own is read all the same.
    ns.client.merge(ns.core("configmaps", "mpi-config"),
                    {"data": {"hostfile": "elsewhere\n"}})
    await_lines("the host file", lambda: hosts(ns, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])


CASES = [in_namespace(case) for case in (
    rights, files, repaired, foreign, own_account, kept, autoscaler,
    autoscaler_rests, rewritten)] + [
        rewritten_and_scaling, rewritten_and_killed, caught_up,
        foreign_objects]

if __name__ == "__main__":
    sys.exit(main(CASES, OperatorFixture, __doc__, at_once=4))
