"""What takes calls that a plain life does not: corrections, autoscalers,
adoption, scaling down, removal after the end."""

from checks import equal
from cluster import wait_for
from kinds import JAX, MPI, PYTORCH, TF
from room import LABEL, for_kinds, in_room
from stage import LIMIT

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCALING = "/apis/autoscaling/v2"
METRICS = [{"type": "Resource", "resource": {
    "name": "cpu", "target": {"type": "Utilization",
                              "averageUtilization": 80}}}]


def replaced(room, kind):
    """a pod that fails with a retryable code is replaced"""
    room.post(kind, kind.manifest("job", {"backoffLimit": 3},
                                  restart="ExitCode"))
    room.await_running(kind, "job")
    room.replaced(kind, "job", "job-worker-0", 137)
    room.await_running(kind, "job")
    room.succeed(kind, "job")


@in_room
def corrected(room):
    """MPIJob: what is changed by hand of its objects is restored"""
    room.make(MPI, "job")
    room.await_running(MPI, "job")
    stranger = {"kind": "ServiceAccount", "name": "stranger",
                "namespace": room.name}
    for path, part, change in (
            (room.core("configmaps", "job-config"), "data", {"hostfile": ""}),
            (room.at(RBAC, "roles", "job-launcher"), "rules", []),
            (room.at(RBAC, "rolebindings", "job-launcher"), "subjects",
             [stranger])):
        wanted = room.client.get(path)[part]
        room.client.merge(path, {part: change})
        wait_for(path, lambda: room.client.get(path)[part] == wanted, LIMIT)


@in_room
def scaled(room):
    """PyTorchJob: its autoscaler is made, corrected, and goes"""
    room.post(PYTORCH, PYTORCH.manifest("job", elasticPolicy={
        "minReplicas": 1, "maxReplicas": 3, "metrics": METRICS}))
    path = room.at(SCALING, "horizontalpodautoscalers", "job")
    wait_for("the autoscaler", lambda: room.find(path), LIMIT)
    room.patch(PYTORCH, "job", {"elasticPolicy": {"maxReplicas": 4}})
    wait_for("its new bound", lambda: room.find(path)["spec"][
        "maxReplicas"] == 4, LIMIT)
    room.patch(PYTORCH, "job", {"elasticPolicy": {"metrics": None}})
    wait_for("its end", lambda: not room.find(path), LIMIT)


@in_room
def resized(room):
    """JAXJob: workers beyond its new size go, with their services"""
    room.make(JAX, "job")
    room.await_running(JAX, "job")
    # A patch: the operator may write the job at the same time.
    room.client.merge(room.of(JAX, "job") + "/scale",
                      {"spec": {"replicas": 1}})
    room.await_pods(JAX, "job", ["job-worker-0"])


@in_room
def adopted(room):
    """TFJob: a pod and a service without an owner become its own, and are
    released when their labels change"""
    labels = {LABEL + "job-name": "job", LABEL + "replica-index": "0",
              LABEL + "operator-name": TF.controller,
              LABEL + "replica-type": "worker"}
    meta = {"name": "job-worker-0", "labels": labels}
    box = {"name": "tensorflow", "image": "image"}
    given = {what: room.client.post(room.core(what), {
        "metadata": meta, "spec": spec})["metadata"]["uid"]
        for what, spec in (("pods", {"containers": [box]}),
                           ("services", {"ports": [{"port": 2222}]}))}
    room.make(TF, "job", counts={"Worker": 1})
    for what, uid in given.items():
        path = room.core(what, "job-worker-0")
        wait_for("adoption", lambda: room.client.get(path)["metadata"].get(
            "ownerReferences"), LIMIT)
        equal(room.client.get(path)["metadata"]["uid"], uid, what)
    path = room.core("pods", "job-worker-0")
    room.client.merge(path, {"metadata": {"labels": {
        LABEL + "job-name": "other"}}})
    wait_for("release", lambda: not room.client.get(path)["metadata"].get(
        "ownerReferences"), LIMIT)


def waits_for_names(room, kind, job, paths):
    """Objects of somebody else have the names: the job says so, and runs when
    they are gone; an account is used as it is. `paths`: path of an object ->
    the rest of its manifest."""
    for path, rest in paths.items():
        collection, name = path.rsplit("/", 1)
        room.client.post(collection, {"metadata": {"name": name}, **rest})
    room.post(kind, job)
    wait_for("a warning", lambda: "already exists" in str(
        room.warnings("job")), LIMIT)
    for path in paths:
        if "/serviceaccounts/" not in path:
            room.client.delete(path, {"gracePeriodSeconds": 0})
    room.await_running(kind, "job")


@in_room
def taken_mpi(room):
    """MPIJob: names of its config map, account, role and binding are taken"""
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
           "name": "job-launcher"}
    waits_for_names(room, MPI, MPI.manifest("job"), {
        room.core("configmaps", "job-config"): {},
        room.core("serviceaccounts", "job-launcher"): {},
        room.at(RBAC, "roles", "job-launcher"): {},
        room.at(RBAC, "rolebindings", "job-launcher"): {"roleRef": ref}})


@in_room
def taken_pytorch(room):
    """PyTorchJob: names of its pod, service and autoscaler are taken"""
    job = PYTORCH.manifest("job", elasticPolicy={
        "minReplicas": 1, "maxReplicas": 3, "metrics": METRICS})
    box = {"name": "main", "image": "image"}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "other"}
    waits_for_names(room, PYTORCH, job, {
        room.core("pods", "job-worker-0"): {"spec": {"containers": [box]}},
        room.core("services", "job-worker-0"): {
            "spec": {"ports": [{"port": 80}]}},
        room.at(SCALING, "horizontalpodautoscalers", "job"): {"spec": {
            "maxReplicas": 2, "scaleTargetRef": target}}})


def removed(room, kind):
    """it is deleted when its time to live is over"""
    room.make(kind, "job", {"ttlSecondsAfterFinished": 1,
                            "cleanPodPolicy": "All"})
    room.await_running(kind, "job")
    for pod in kind.named("job", kind.leads):
        room.set_phase(pod, "Succeeded")
    wait_for("its removal", lambda: not room.find(room.of(kind, "job")), LIMIT)


OF_ALL = (corrected, scaled, resized)  # need no rights of their own


def cases(kinds):
    return [*OF_ALL, *for_kinds(kinds, replaced), *for_kinds(kinds, removed)]
