"""What needs calls that a job without changes does not: corrections, autoscalers,
adoption, scaling down, removal after the end."""

from checks import equal
from cluster import wait_for
from jobs.kinds import JAX, LABEL, MPI, PYTORCH, TF
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.namespace import for_kinds, in_namespace
from operators.operator_fixture import LIMIT

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCALING = "/apis/autoscaling/v2"
METRICS = [{"type": "Resource", "resource": {
    "name": "cpu", "target": {"type": "Utilization",
                              "averageUtilization": 80}}}]


def replaced(ns, kind):
    """a pod that fails with a retryable code is replaced"""
    ns.post(kind, kind.manifest("job", {"backoffLimit": 3},
                                restart="ExitCode"))
    ns.await_running(kind, "job")
    ns.replaced(kind, "job", "job-worker-0", 137)
    ns.await_running(kind, "job")
    ns.succeed(kind, "job")


@in_namespace
def corrected(ns):
    """MPIJob: what is changed by hand of its objects is restored"""
    ns.make(MPI, "job")
    ns.await_running(MPI, "job")
    other = {"kind": "ServiceAccount", "name": "other",
             "namespace": ns.name}
    for path, part, change in (
            (ns.core("configmaps", "job-config"), "data", {"hostfile": ""}),
            (ns.at(RBAC, "roles", "job-launcher"), "rules", []),
            (ns.at(RBAC, "rolebindings", "job-launcher"), "subjects",
             [other])):
        def value():
            found = ns.client.get(path)[part]
            # The config map's other file lists the workers that run: it may
            # still change.
            return found["hostfile"] if part == "data" else found

        wanted = value()
        ns.client.merge(path, {part: change})
        wait_for(path, lambda: value() == wanted, LIMIT)


@in_namespace
def ssh_objects(ns):
    """MPIJob of v2beta1: its service and keys are restored; it is suspended and
    resumed"""
    ns.post(MPI_SSH, MPI_SSH.manifest("job"))
    service, keys = ns.core("services", "job"), ns.core("secrets", "job-ssh")
    launcher = ns.at(JOBS, "jobs", MPI_SSH.launcher("job"))

    def selector():
        return ns.client.get(service)["spec"]["selector"]

    def state():
        found = ns.find(launcher)
        return found and (found["spec"]["suspend"],
                          "startTime" in found["status"])

    wait_for("a launcher that has begun", lambda: state() == (False, True),
             LIMIT)
    wanted = selector()
    ns.client.merge(service, {"spec": {"selector": {LABEL + "job-name": "x"}}})
    wait_for("its selector", lambda: selector() == wanted, LIMIT)
    ns.client.merge(keys, {"data": {"ssh-publickey": None}})
    wait_for("its keys", lambda: len(ns.client.get(keys)["data"]) == 2, LIMIT)
    for suspend in (True, False):
        ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": suspend}})
        wait_for(f"suspend: {suspend}", lambda: state()[0] == suspend, LIMIT)


@in_namespace
def scaled(ns):
    """PyTorchJob: its autoscaler is made, corrected, and goes"""
    ns.post(PYTORCH, PYTORCH.manifest("job", elasticPolicy={
        "minReplicas": 1, "maxReplicas": 3, "metrics": METRICS}))
    path = ns.at(SCALING, "horizontalpodautoscalers", "job")
    wait_for("the autoscaler", lambda: ns.find(path), LIMIT)
    ns.patch(PYTORCH, "job", {"elasticPolicy": {"maxReplicas": 4}})
    wait_for("its new bound", lambda: ns.find(path)["spec"][
        "maxReplicas"] == 4, LIMIT)
    ns.patch(PYTORCH, "job", {"elasticPolicy": {"metrics": None}})
    wait_for("its end", lambda: not ns.find(path), LIMIT)


@in_namespace
def resized(ns):
    """JAXJob: workers beyond its new size go, with their services"""
    ns.make(JAX, "job")
    ns.await_running(JAX, "job")
    # A patch: the operator may write the job at the same time.
    ns.client.merge(ns.of(JAX, "job") + "/scale",
                    {"spec": {"replicas": 1}})
    ns.await_pods(JAX, "job", ["job-worker-0"])


@in_namespace
def adopted(ns):
    """TFJob: a pod and a service without an owner become its own, and are
    released when their labels change"""
    labels = {LABEL + "job-name": "job", LABEL + "replica-index": "0",
              LABEL + "operator-name": TF.controller,
              LABEL + "replica-type": "worker"}
    meta = {"name": "job-worker-0", "labels": labels}
    container = {"name": "tensorflow", "image": "image"}
    given = {what: ns.client.post(ns.core(what), {
        "metadata": meta, "spec": spec})["metadata"]["uid"]
        for what, spec in (("pods", {"containers": [container]}),
                           ("services", {"ports": [{"port": 2222}]}))}
    ns.make(TF, "job", counts={"Worker": 1})
    for what, uid in given.items():
        path = ns.core(what, "job-worker-0")
        wait_for("adoption", lambda: ns.client.get(path)["metadata"].get(
            "ownerReferences"), LIMIT)
        equal(ns.client.get(path)["metadata"]["uid"], uid, what)
    path = ns.core("pods", "job-worker-0")
    ns.client.merge(path, {"metadata": {"labels": {
        LABEL + "job-name": "other"}}})
    wait_for("release", lambda: not ns.client.get(path)["metadata"].get(
        "ownerReferences"), LIMIT)


def waits_for_names(ns, kind, job, paths):
    """Objects of others have the names: the job says so, and runs when
    they are gone; an account is used as it is. `paths`: path of an object ->
    the rest of its manifest."""
    for path, rest in paths.items():
        collection, name = path.rsplit("/", 1)
        ns.client.post(collection, {"metadata": {"name": name}, **rest})
    ns.post(kind, job)
    wait_for("a warning", lambda: "already exists" in str(
        ns.warnings("job")), LIMIT)
    for path in paths:
        if "/serviceaccounts/" not in path:
            ns.client.delete(path, {"gracePeriodSeconds": 0})
    ns.await_running(kind, "job")


@in_namespace
def taken_mpi(ns):
    """MPIJob: names of its config map, account, role and binding are taken"""
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
           "name": "job-launcher"}
    waits_for_names(ns, MPI, MPI.manifest("job"), {
        ns.core("configmaps", "job-config"): {},
        ns.core("serviceaccounts", "job-launcher"): {},
        ns.at(RBAC, "roles", "job-launcher"): {},
        ns.at(RBAC, "rolebindings", "job-launcher"): {"roleRef": ref}})


@in_namespace
def taken_pytorch(ns):
    """PyTorchJob: names of its pod, service and autoscaler are taken"""
    job = PYTORCH.manifest("job", elasticPolicy={
        "minReplicas": 1, "maxReplicas": 3, "metrics": METRICS})
    container = {"name": "main", "image": "image"}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "other"}
    waits_for_names(ns, PYTORCH, job, {
        ns.core("pods", "job-worker-0"): {"spec": {"containers": [container]}},
        ns.core("services", "job-worker-0"): {
            "spec": {"ports": [{"port": 80}]}},
        ns.at(SCALING, "horizontalpodautoscalers", "job"): {"spec": {
            "maxReplicas": 2, "scaleTargetRef": target}}})


def removed(ns, kind):
    """it is deleted when its time to live is over"""
    ns.make(kind, "job", {"ttlSecondsAfterFinished": 1,
                          "cleanPodPolicy": "All"})
    ns.await_running(kind, "job")
    for pod in kind.named("job", kind.leads):
        ns.set_phase(pod, "Succeeded")
    wait_for("its removal", lambda: not ns.find(ns.of(kind, "job")), LIMIT)


OF_ALL = (corrected, scaled, resized)  # need no rights of their own


def cases(kinds):
    return [*OF_ALL, *for_kinds(kinds, replaced), *for_kinds(kinds, removed)]
