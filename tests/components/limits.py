"""What a namespace or the operator's own rights do not allow."""

from checks import contains, equal
from cluster import wait_for
from kinds import KINDS, MPI, PYTORCH, TF
from room import for_kinds, in_room
from stage import LIMIT

RESTRICTED = {"runAsNonRoot": True, "allowPrivilegeEscalation": False,
              "capabilities": {"drop": ["ALL"]},
              "seccompProfile": {"type": "RuntimeDefault"}}
ENFORCE = "pod-security.kubernetes.io/enforce"


def enforce(room, level):
    room.client.merge("/api/v1/namespaces/" + room.name,
                      {"metadata": {"labels": {ENFORCE: level}}})


def quota(room, kind):
    """its pods exceed a quota; when that is raised, it runs"""
    path = room.core("resourcequotas")
    room.client.post(path, {"metadata": {"name": "pods"},
                            "spec": {"hard": {"pods": "1"}}})
    wait_for("the quota to be known", lambda: room.client.get(
        path + "/pods").get("status", {}).get("hard"), LIMIT)
    room.make(kind, "job")
    wait_for("a refusal", lambda: "FailedCreatePod" in room.warnings("job")
             or "MPIJobFailed" in room.warnings("job"), LIMIT)
    contains(str(room.warnings("job")), "exceeded quota: pods")
    equal(room.condition(kind, "job", "Failed"), {})
    room.client.merge(path + "/pods", {"spec": {"hard": {"pods": "9"}}})
    room.await_running(kind, "job")
    room.succeed(kind, "job")


@in_room
def expired(room):
    """the active deadline runs while a quota refuses all pods"""
    room.client.post(room.core("resourcequotas"), {
        "metadata": {"name": "pods"}, "spec": {"hard": {"pods": "0"}}})
    wait_for("the quota to be known", lambda: room.client.get(
        room.core("resourcequotas", "pods")).get("status", {}).get("hard"),
        LIMIT)
    room.make(TF, "job", {"activeDeadlineSeconds": 5})
    room.await_condition(TF, "job", "Failed")
    contains(room.condition(TF, "job", "Failed")["message"],
             "active longer than specified deadline")
    equal(room.owned(TF, "job", "pods"), {}, "pods")


def restricted(room, kind):
    """in a namespace with PodSecurity `restricted`, what the operator adds to
    its pods is as strict as what the user wrote"""
    enforce(room, "restricted")
    job = kind.manifest("job")
    for replica in job["spec"][kind.field].values():
        (container,) = replica["template"]["spec"]["containers"]
        container["securityContext"] = RESTRICTED
    room.post(kind, job)
    room.await_running(kind, "job")
    equal(room.warnings("job"), {}, "warnings")
    room.succeed(kind, "job")


@in_room
def relaxed(room):
    """pods that PodSecurity refuses are made when the namespace allows them"""
    enforce(room, "restricted")
    room.make(TF, "job")
    wait_for("a refusal", lambda: "FailedCreatePod" in room.warnings("job"),
             LIMIT)
    contains(room.warnings("job")["FailedCreatePod"], "violates PodSecurity")
    equal(room.condition(TF, "job", "Failed"), {})
    enforce(room, "privileged")
    room.await_running(TF, "job")


@in_room
def bound(room):
    """MPIJob: its role binding is made without a warning"""
    jobs = [f"job-{number}" for number in range(10)]
    for job in jobs:
        room.make(MPI, job)
    for job in jobs:
        room.await_running(MPI, job)
        equal(room.warnings(job), {}, job)


CASES = [*for_kinds(KINDS, quota), *for_kinds([PYTORCH, MPI], restricted),
         expired, relaxed, bound]
