"""MPIJobs of v2beta1 with a policy on failures: their launcher's pod is made by
the Job controller of kube-controller-manager, which must not repeat it itself."""

from checks import contains, equal
from cluster import wait_for
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.namespace import in_namespace
from operators.operator_fixture import LIMIT
from attempts import (ATTEMPT, WHOLE, attempt_of, fail, is_attempt, never_meet,
                      pod_history, recovering, recovery)

WORKERS = MPI_SSH.workers("job")


def start(ns, policy=None, run_policy=None, noted=False):
    ns.post(MPI_SSH, recovering(MPI_SSH, "job", policy or WHOLE, run_policy,
                                noted=noted))
    ns.await_condition(MPI_SSH, "job", "Running")
    return uids(ns)


def launcher_job(ns):
    return ns.find(ns.at(JOBS, "jobs", MPI_SSH.launcher("job")))


def launcher(ns):
    """The name of the one pod."""
    (name,) = [n for n in ns.uids(MPI_SSH, "job") if n not in WORKERS]
    return name


def uids(ns):
    """Of its pods, and of its launcher's Job."""
    job = launcher_job(ns)
    return {*ns.uids(MPI_SSH, "job").values(),
            *([job["metadata"]["uid"]] if job else ())}


def await_attempt(ns, number, before):
    """All of it is new, and runs."""
    def runs():
        pods = ns.phases(MPI_SSH, "job")
        return len(pods) == 3 and all(
            phase == "Running" for _, phase, _ in pods.values()) \
            and not uids(ns) & before and launcher_job(ns)

    try:
        wait_for("another attempt", runs, LIMIT)
    except TimeoutError as late:
        raise AssertionError(f"{late}: {ns.phases(MPI_SSH, 'job')}, "
                             f"{ns.status(MPI_SSH, 'job')}") from None
    ns.await_condition(MPI_SSH, "job", "Running")
    is_attempt(ns, MPI_SSH, "job", number)
    spec = launcher_job(ns)["spec"]
    equal((spec["backoffLimit"], spec.get("activeDeadlineSeconds"),
           spec.get("ttlSecondsAfterFinished"),
           spec["template"]["metadata"]["labels"][ATTEMPT]),
          (0, None, None, str(number)), "the launcher's Job")
    # Its workers are there when the launcher is made.
    made = [pod["metadata"]["name"] for what, pod in pod_history(ns)
            if what == "ADDED" and attempt_of(pod) == number]
    equal((sorted(made[:2]), len(made)), (WORKERS, 3), "the order of creation")
    never_meet(ns)
    return before | uids(ns)


def counted(ns, attempt, count, pod):
    """What the status says of the restarts."""
    seen = recovery(ns, MPI_SSH, "job")
    equal((seen["restartAttempt"], seen.get("countedRestarts"),
           seen["lastRestart"]["pod"]), (attempt, count, pod), seen)


def succeed(ns):
    ns.set_phase(launcher(ns), "Succeeded")
    ns.await_condition(MPI_SSH, "job", "Succeeded")


# -- cases --------------------------------------------------------------------

def failing(ns, noted=False):
    """a worker fails, then the launcher: each restarts all of it, once"""
    before = start(ns, None, {"cleanPodPolicy": "All",
                              "activeDeadlineSeconds": 3600}, noted)
    is_attempt(ns, MPI_SSH, "job", 0)
    fail(ns, "job-worker-1", 9)
    before = await_attempt(ns, 1, before)
    counted(ns, 1, 1, "job-worker-1")
    pod = launcher(ns)
    fail(ns, pod, 1)
    before = await_attempt(ns, 2, before)
    counted(ns, 2, 2, pod)
    succeed(ns)
    equal(ns.condition(MPI_SSH, "job", "Failed"), {})


@in_namespace
def launcher_fails(ns):
    """MPIJob of v2beta1: a worker, then the launcher restarts all of it, once"""
    failing(ns)


@in_namespace
def launcher_noted(ns):
    """MPIJob of v2beta1: the same with its policy in an annotation"""
    failing(ns, noted=True)


@in_namespace
def launcher_used_up(ns):
    """MPIJob of v2beta1: a launcher that fails too often ends it"""
    before = start(ns, {"restartScope": "Job", "maxRestarts": 1})
    fail(ns, launcher(ns), 1)
    await_attempt(ns, 1, before)
    fail(ns, launcher(ns), 1)
    ns.await_condition(MPI_SSH, "job", "Failed")
    contains(ns.condition(MPI_SSH, "job", "Failed")["message"],
             "has failed because it was restarted 1 time")


@in_namespace
def launcher_taken_away(ns):
    """MPIJob of v2beta1: its Job, then a pod is deleted by hand: not counted"""
    before = start(ns)
    ns.client.delete(ns.at(JOBS, "jobs", MPI_SSH.launcher("job")),
                     {"propagationPolicy": "Background"})
    before = await_attempt(ns, 1, before)
    ns.client.delete(ns.core("pods", launcher(ns)))
    before = await_attempt(ns, 2, before)
    equal(recovery(ns, MPI_SSH, "job").get("countedRestarts"), None)
    succeed(ns)


@in_namespace
def launcher_ruled(ns):
    """MPIJob of v2beta1: a rule replaces the launcher alone, another ends it"""
    start(ns, {"restartScope": "Job", "rules": [
        {"action": "RestartPod", "onExitCodes": {
            "operator": "In", "values": [3]}},
        {"name": "fatal", "action": "FailJob", "onExitCodes": {
            "operator": "In", "values": [42]}}]},
          {"cleanPodPolicy": "Running"})
    old, job = ns.uids(MPI_SSH, "job"), launcher_job(ns)["metadata"]["uid"]
    pod = launcher(ns)
    fail(ns, pod, 3)
    wait_for("another launcher", lambda: (
        lambda pods: len(pods) == 3 and pod not in pods and all(
            phase == "Running" for _, phase, _ in pods.values()))(
                ns.phases(MPI_SSH, "job")), LIMIT)
    equal({n: ns.uids(MPI_SSH, "job")[n] == old[n] for n in WORKERS},
          dict.fromkeys(WORKERS, True), "workers that stayed")
    equal(launcher_job(ns)["metadata"]["uid"] == job, False, "the same Job")
    equal(recovery(ns, MPI_SSH, "job").get("restartAttempt"), None)
    fail(ns, "job-worker-0", 42)
    ns.await_condition(MPI_SSH, "job", "Failed")
    contains(ns.condition(MPI_SSH, "job", "Failed")["message"], "fatal")
    wait_for("the launcher's Job to go", lambda: not launcher_job(ns), LIMIT)


@in_namespace
def launcher_asleep(ns):
    """MPIJob of v2beta1: suspended and resumed, it has the attempt it had"""
    before = start(ns)
    fail(ns, "job-worker-0", 9)
    before = await_attempt(ns, 1, before)
    ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": True}})
    ns.await_condition(MPI_SSH, "job", "Suspended")
    wait_for("no pods", lambda: not ns.owned(MPI_SSH, "job", "pods"), LIMIT)
    ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": False}})
    ns.await_condition(MPI_SSH, "job", "Running")
    is_attempt(ns, MPI_SSH, "job", 1)
    equal(recovery(ns, MPI_SSH, "job")["countedRestarts"], 1)
    succeed(ns)


CASES = [launcher_fails, launcher_noted, launcher_used_up, launcher_taken_away,
         launcher_ruled, launcher_asleep]
