#!/usr/bin/python3
"""What jobs have beside pods and services: MPIJob's files and rights,
PyTorchJob's autoscaler.

    test_auxiliary_objects.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import contains, equal, main
from cluster import wait_for
from kinds import MPI, PYTORCH
from room import Room, alone, in_room, quiet
from stage import LIMIT, Stage

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCALING = "/apis/autoscaling/v2"
AUTOSCALER = "horizontalpodautoscalers"


# -- MPIJob -------------------------------------------------------------------

def config(room, job, file):
    """Of the job's ConfigMap; "" if there is none."""
    found = room.find(room.core("configmaps", job + "-config"))
    return found["data"].get(file, "") if found else ""


def hosts(room, job):
    return config(room, job, "hostfile").split("\n")[:-1]


def discovered(room, job):
    """The hosts that discover_hosts.sh names."""
    lines = config(room, job, "discover_hosts.sh").split("\n")
    return [line[len("echo "):] for line in lines[1:] if line]


def await_lines(what, lines, wanted):
    wait_for(what, lambda: lines() == wanted, LIMIT)


def executable(room, job):
    """The pods that the launcher may execute in."""
    role = room.find(room.at(RBAC, "roles", job + "-launcher")) or {}
    return [name for rule in role.get("rules") or ()
            if rule["resources"] == ["pods/exec"]
            for name in rule["resourceNames"]]


def workers(job, count):
    return [f"{job}-worker-{i}" for i in range(count)]


def rights(room):
    """account, role and binding are the launcher's, and owned by the job"""
    room.make(MPI, "mpi")
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))
    uid = room.job(MPI, "mpi")["metadata"]["uid"]
    for path in (room.core("serviceaccounts", "mpi-launcher"),
                 room.at(RBAC, "roles", "mpi-launcher"),
                 room.at(RBAC, "rolebindings", "mpi-launcher"),
                 room.core("configmaps", "mpi-config")):
        meta = room.client.get(path)["metadata"]
        (owner,) = meta["ownerReferences"]
        equal((owner["kind"], owner["uid"], owner["controller"]),
              ("MPIJob", uid, True), path)
        equal(meta["labels"], {"app": "mpi"}, path)
    equal(executable(room, "mpi"), workers("mpi", 2))
    binding = room.client.get(room.at(RBAC, "rolebindings", "mpi-launcher"))
    equal(binding["roleRef"]["name"], "mpi-launcher")
    equal(room.events("mpi", "FailedCreateRoleBinding"), [])
    (subject,) = binding["subjects"]
    equal((subject["kind"], subject["name"], subject["namespace"]),
          ("ServiceAccount", "mpi-launcher", room.name))
    launcher = room.client.get(room.core("pods", "mpi-launcher"))["spec"]
    equal(launcher["serviceAccountName"], "mpi-launcher")
    equal([c["name"] for c in launcher["initContainers"]],
          ["kubectl-delivery"])


def files(room):
    """the files follow the workers that run, and scaling"""
    room.make(MPI, "mpi", slotsPerWorker=2)
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))
    equal(hosts(room, "mpi"), ["mpi-worker-0 slots=2", "mpi-worker-1 slots=2"])
    equal(discovered(room, "mpi"), [])
    contains(config(room, "mpi", "kubexec.sh"), "/opt/kube/kubectl exec")
    room.set_phase("mpi-worker-1", "Running")
    await_lines("one host", lambda: discovered(room, "mpi"),
                ["mpi-worker-1:2"])
    room.run_all(MPI, "mpi")
    await_lines("two hosts", lambda: discovered(room, "mpi"),
                ["mpi-worker-0:2", "mpi-worker-1:2"])
    launcher = room.uids(MPI, "mpi")["mpi-launcher"]
    room.patch(MPI, "mpi", {MPI.field: {"Worker": {"replicas": 3}}})
    await_lines("three names", lambda: executable(room, "mpi"),
                workers("mpi", 3))
    await_lines("three hosts", lambda: hosts(room, "mpi"),
                [f"{name} slots=2" for name in workers("mpi", 3)])
    room.await_pods(MPI, "mpi", MPI.pods("mpi", MPI.with_workers(3)))
    room.run_all(MPI, "mpi")
    await_lines("the third", lambda: discovered(room, "mpi"),
                [f"{name}:2" for name in workers("mpi", 3)])
    room.patch(MPI, "mpi", {MPI.field: {"Worker": {"replicas": 1}}})
    for what, lines, one in (
            ("one name", executable, "mpi-worker-0"),
            ("one host", hosts, "mpi-worker-0 slots=2"),
            ("one that runs", discovered, "mpi-worker-0:2")):
        await_lines(what, lambda: lines(room, "mpi"), [one])
    equal(room.uids(MPI, "mpi")["mpi-launcher"], launcher)


def repaired(room):
    """what somebody deletes or overwrites is put right again"""
    room.start(MPI, "mpi")
    pods = room.uids(MPI, "mpi")
    paths = {"files": room.core("configmaps", "mpi-config"),
             "account": room.core("serviceaccounts", "mpi-launcher"),
             "role": room.at(RBAC, "roles", "mpi-launcher"),
             "binding": room.at(RBAC, "rolebindings", "mpi-launcher")}
    await_lines("its hosts", lambda: discovered(room, "mpi"),
                ["mpi-worker-0:1", "mpi-worker-1:1"])
    for what, path in paths.items():
        before = room.client.get(path)
        room.client.delete(path)
        after = wait_for(f"another {what}", lambda: room.find(path), LIMIT)
        for part in ("data", "rules", "roleRef", "subjects"):
            equal(after.get(part), before.get(part), f"{part} of {what}")
        equal(after["metadata"]["uid"] != before["metadata"]["uid"], True)
    room.client.merge(paths["files"], {
        "metadata": {"annotations": {"theirs": "yes"}},
        "data": {"hostfile": "elsewhere\n", "discover_hosts.sh": None,
                 "theirs": "1"}})
    await_lines("the host file", lambda: hosts(room, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])
    await_lines("the script", lambda: discovered(room, "mpi"),
                ["mpi-worker-0:1", "mpi-worker-1:1"])
    kept = room.client.get(paths["files"])
    equal(kept["metadata"]["annotations"], {"theirs": "yes"})
    equal(kept["metadata"]["labels"], {"app": "mpi"})
    equal(kept["data"]["theirs"], "1")
    room.client.merge(paths["role"], {"rules": []})
    await_lines("the rights", lambda: executable(room, "mpi"),
                workers("mpi", 2))
    equal(room.uids(MPI, "mpi"), pods)
    # What it did to them calls for nothing more.
    equal(*quiet(lambda: [room.find(p)["metadata"]["resourceVersion"]
                          for p in paths.values()]))


def foreign(room):
    """somebody's ConfigMap is not touched; the job goes on when it is gone"""
    path = room.core("configmaps", "mpi-config")
    theirs = room.client.post(room.core("configmaps"), {
        "metadata": {"name": "mpi-config"}, "data": {"theirs": "yes"}})
    room.make(MPI, "mpi")
    event = room.await_event("mpi", "ErrResourceExists", '"mpi-config"')
    equal(event["type"], "Warning")
    contains(event["message"],
             "is not managed by MPIJob; it has no owner")
    equal(room.owned(MPI, "mpi", "pods"), {})
    equal(room.client.get(path), theirs)
    equal(room.condition(MPI, "mpi", "Failed"), {})
    room.client.delete(path)
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))
    equal(hosts(room, "mpi"), ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])


def own_account(room):
    """an account that the template names and that exists is used as it is"""
    path = room.core("serviceaccounts", "mine")
    room.client.post(room.core("serviceaccounts"),
                     {"metadata": {"name": "mine"}})
    before = room.client.get(path)
    job = MPI.manifest("mpi")
    job["spec"][MPI.field]["Launcher"]["template"]["spec"][
        "serviceAccountName"] = "mine"
    room.client.post(room.of(MPI), job)
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))
    launcher = room.client.get(room.core("pods", "mpi-launcher"))
    equal(launcher["spec"]["serviceAccountName"], "mine")
    binding = room.client.get(room.at(RBAC, "rolebindings", "mpi-launcher"))
    equal([s["name"] for s in binding["subjects"]], ["mine"])
    equal(room.find(room.core("serviceaccounts", "mpi-launcher")), None)
    equal(room.client.get(path), before)


def kept(room):
    """suspension and the end leave files and rights where they are"""
    room.start(MPI, "mpi")
    room.patch(MPI, "mpi", {"runPolicy": {"suspend": True}})
    room.await_condition(MPI, "mpi", "Suspended")
    room.await_pods(MPI, "mpi", [])
    room.patch(MPI, "mpi", {"runPolicy": {"suspend": False}})
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))
    room.succeed(MPI, "mpi")
    equal(executable(room, "mpi"), workers("mpi", 2))
    equal(len(hosts(room, "mpi")), 2)


# -- PyTorchJob ---------------------------------------------------------------

def metric(value="0.5"):
    return {"type": "Pods", "pods": {
        "metric": {"name": "load"},
        "target": {"type": "AverageValue", "averageValue": value}}}


def elastic(room, job, metrics, least=1, most=3):
    room.make(PYTORCH, job, counts={"Worker": 2}, elasticPolicy={
        "minReplicas": least, "maxReplicas": most, "metrics": metrics})


def scaler(room, job):
    return room.find(room.at(SCALING, AUTOSCALER, job))


def bounds(room, job):
    found = scaler(room, job)
    return found and (found["spec"]["minReplicas"],
                      found["spec"]["maxReplicas"])


def autoscaler(room):
    """made, changed with the bounds, removed with the metrics"""
    elastic(room, "auto", [metric()])
    wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    found = scaler(room, "auto")
    target = found["spec"]["scaleTargetRef"]
    equal((target["apiVersion"], target["kind"], target["name"]),
          ("kubeflow.org/v1", "PyTorchJob", "auto"))
    equal(bounds(room, "auto"), (1, 3))
    equal(found["spec"]["metrics"], [metric("500m")])
    (owner,) = found["metadata"]["ownerReferences"]
    equal(owner["uid"], room.job(PYTORCH, "auto")["metadata"]["uid"])
    room.patch(PYTORCH, "auto", {"elasticPolicy": {"minReplicas": 2,
                                                   "maxReplicas": 5}})
    wait_for("the new bounds", lambda: bounds(room, "auto") == (2, 5), LIMIT)
    room.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": [metric("2")]}})
    wait_for("the new metric", lambda: scaler(room, "auto")["spec"]["metrics"]
             == [metric("2")], LIMIT)
    equal(scaler(room, "auto")["metadata"]["uid"], found["metadata"]["uid"])
    room.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": None}})
    wait_for("its removal", lambda: not scaler(room, "auto"), LIMIT)
    room.await_pods(PYTORCH, "auto", workers("auto", 2))


def autoscaler_rests(room):
    """suspension removes it, resumption makes it anew"""
    elastic(room, "auto", [metric()])
    first = wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    room.patch(PYTORCH, "auto", {"runPolicy": {"suspend": True}})
    wait_for("its removal", lambda: not scaler(room, "auto"), LIMIT)
    room.await_condition(PYTORCH, "auto", "Suspended")
    equal(*quiet(lambda: scaler(room, "auto")))
    room.patch(PYTORCH, "auto", {"runPolicy": {"suspend": False}})
    second = wait_for("another", lambda: scaler(room, "auto"), LIMIT)
    equal(second["metadata"]["uid"] != first["metadata"]["uid"], True)


def patches(stage):
    """How often the operator has asked to change an autoscaler."""
    return stage.operator.requests().get(f"patch {AUTOSCALER}", 0)


def told(room, job, count):
    """The autoscaler's controller tells of what it sees."""
    path = room.at(SCALING, AUTOSCALER, job)
    room.client.merge(path + "/status", {"status": {
        "currentReplicas": count, "desiredReplicas": count}})


def rewritten(room):
    """quantities that the server rewrites are not written again and again"""
    elastic(room, "auto", [metric("0.5")])
    wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    room.await_pods(PYTORCH, "auto", workers("auto", 2))
    room.run_all(PYTORCH, "auto")
    room.await_condition(PYTORCH, "auto", "Running")
    equal(*quiet(lambda: scaler(room, "auto")["metadata"]["resourceVersion"]))


@alone
def rewritten_and_scaling(stage):
    """nor when the autoscaler's controller tells of what it sees"""
    room = Room(stage)
    elastic(room, "auto", [metric("0.5")])
    wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    seen_by_operator(room, 0)
    before = patches(stage)
    for count in range(1, 6):
        told(room, "auto", count)
        seen_by_operator(room, count)
    equal(patches(stage), before, "changes of autoscalers")


def seen_by_operator(room, turn):
    """A job that is made later shows that earlier news has arrived."""
    elastic(room, f"turn-{turn}", [metric("1")])
    wait_for("its autoscaler", lambda: scaler(room, f"turn-{turn}"), LIMIT)
    room.client.delete(room.of(PYTORCH, f"turn-{turn}"))
    room.client.delete(room.at(SCALING, AUTOSCALER, f"turn-{turn}"))
    room.collect(PYTORCH, f"turn-{turn}")


@alone
def rewritten_and_killed(stage):
    """nor after a restart, when nobody knows what was asked for"""
    room = Room(stage)
    elastic(room, "auto", [metric("0.5")])
    found = wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    room.await_pods(PYTORCH, "auto", workers("auto", 2))
    stage.operator.kill()
    stage.operator.start()
    room.run_all(PYTORCH, "auto")
    room.await_condition(PYTORCH, "auto", "Running")
    equal(*quiet(lambda: patches(stage)))
    equal(scaler(room, "auto"), found)


@alone
def caught_up(stage):
    """what happens to them while it is away is put right after"""
    room = Room(stage)
    room.start(MPI, "mpi")
    elastic(room, "auto", [metric()])
    wait_for("an autoscaler", lambda: scaler(room, "auto"), LIMIT)
    stage.operator.kill()
    room.client.delete(room.core("configmaps", "mpi-config"))
    room.client.merge(room.at(RBAC, "roles", "mpi-launcher"), {"rules": []})
    room.patch(PYTORCH, "auto", {"elasticPolicy": {"metrics": None}})
    stage.operator.start()
    await_lines("the host file", lambda: hosts(room, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])
    await_lines("the rights", lambda: executable(room, "mpi"),
                workers("mpi", 2))
    wait_for("its removal", lambda: not scaler(room, "auto"), LIMIT)


@alone
def strangers(stage):
    """large ones of others cost nothing: they are seen as metadata only"""
    room = Room(stage)
    room.start(MPI, "mpi")
    stage.operator.kill()
    stage.operator.start()
    _, alone_here = stage.operator.memory()
    for i in range(200):
        room.client.post(room.core("configmaps"), {
            "metadata": {"name": f"theirs-{i}"},
            "data": {"theirs": "x" * 250_000}})
    # What was made after them shows that the news of them has arrived.
    room.start(MPI, "later")
    _, told = stage.operator.memory()
    stage.operator.kill()
    stage.operator.start()
    _, listed = stage.operator.memory()
    # 50 MB of bodies would be 100 MiB at the peak.
    for peak in (told, listed):
        equal(peak - alone_here < 16, True, f"{alone_here} MiB became {peak}")
    # A job's own is read all the same.
    room.client.merge(room.core("configmaps", "mpi-config"),
                      {"data": {"hostfile": "elsewhere\n"}})
    await_lines("the host file", lambda: hosts(room, "mpi"),
                ["mpi-worker-0 slots=1", "mpi-worker-1 slots=1"])


CASES = [in_room(case) for case in (
    rights, files, repaired, foreign, own_account, kept, autoscaler,
    autoscaler_rests, rewritten)] + [
        rewritten_and_scaling, rewritten_and_killed, caught_up, strangers]

if __name__ == "__main__":
    sys.exit(main(CASES, Stage, __doc__, at_once=4))
