"""What a namespace or the operator's own rights do not allow."""

from checks import contains, equal
from cluster import wait_for
from jobs.kinds import KINDS, MPI, PYTORCH, TF
from jobs.namespace import for_kinds, in_namespace
from operators.operator_fixture import LIMIT

RESTRICTED = {"runAsNonRoot": True, "allowPrivilegeEscalation": False,
              "capabilities": {"drop": ["ALL"]},
              "seccompProfile": {"type": "RuntimeDefault"}}
ENFORCE = "pod-security.kubernetes.io/enforce"


def enforce(ns, level):
    ns.client.merge("/api/v1/namespaces/" + ns.name,
                    {"metadata": {"labels": {ENFORCE: level}}})


def quota(ns, kind):
    """its pods exceed a quota; when that is raised, it runs"""
    path = ns.core("resourcequotas")
    ns.client.post(path, {"metadata": {"name": "pods"},
                          "spec": {"hard": {"pods": "1"}}})
    wait_for("the quota to be known", lambda: ns.client.get(
        path + "/pods").get("status", {}).get("hard"), LIMIT)
    ns.make(kind, "job")
    wait_for("a refusal", lambda: "FailedCreatePod" in ns.warnings("job")
             or "MPIJobFailed" in ns.warnings("job"), LIMIT)
    contains(str(ns.warnings("job")), "exceeded quota: pods")
    equal(ns.condition(kind, "job", "Failed"), {})
    ns.client.merge(path + "/pods", {"spec": {"hard": {"pods": "9"}}})
    ns.await_running(kind, "job")
    ns.succeed(kind, "job")


@in_namespace
def expired(ns):
    """the active deadline runs while a quota refuses all pods"""
    ns.client.post(ns.core("resourcequotas"), {
        "metadata": {"name": "pods"}, "spec": {"hard": {"pods": "0"}}})
    wait_for("the quota to be known", lambda: ns.client.get(
        ns.core("resourcequotas", "pods")).get("status", {}).get("hard"),
        LIMIT)
    ns.make(TF, "job", {"activeDeadlineSeconds": 5})
    ns.await_condition(TF, "job", "Failed")
    contains(ns.condition(TF, "job", "Failed")["message"],
             "active longer than specified deadline")
    equal(ns.owned(TF, "job", "pods"), {}, "pods")


def restricted(ns, kind):
    """in a namespace with PodSecurity `restricted`, what the operator adds to
    its pods is as strict as what the user wrote"""
    enforce(ns, "restricted")
    job = kind.manifest("job")
    for replica in job["spec"][kind.field].values():
        (container,) = replica["template"]["spec"]["containers"]
        container["securityContext"] = RESTRICTED
    ns.post(kind, job)
    ns.await_running(kind, "job")
    equal(ns.warnings("job"), {}, "warnings")
    ns.succeed(kind, "job")


@in_namespace
def relaxed(ns):
    """pods that PodSecurity refuses are made when the namespace allows them"""
    enforce(ns, "restricted")
    ns.make(TF, "job")
    wait_for("a refusal", lambda: "FailedCreatePod" in ns.warnings("job"),
             LIMIT)
    contains(ns.warnings("job")["FailedCreatePod"], "violates PodSecurity")
    equal(ns.condition(TF, "job", "Failed"), {})
    enforce(ns, "privileged")
    ns.await_running(TF, "job")


@in_namespace
def bound(ns):
    """MPIJob: its role binding is made without a warning"""
    jobs = [f"job-{number}" for number in range(10)]
    for job in jobs:
        ns.make(MPI, job)
    for job in jobs:
        ns.await_running(MPI, job)
        equal(ns.warnings(job), {}, job)


CASES = [*for_kinds(KINDS, quota), *for_kinds([PYTORCH, MPI], restricted),
         expired, relaxed, bound]
