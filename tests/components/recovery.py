"""Jobs with a policy on failures beside real controllers: each kind is restarted
as a whole; what counts, what does not, and what ends a job."""

from attempts import (WHOLE, attempt_of, await_attempt, fail, is_attempt,
                      never_meet, pod_history, recovering, recovery, start)
from checks import contains, equal
from cluster import wait_for
from jobs.kinds import JAX, KINDS, MPI, PYTORCH, TF
from jobs.namespace import for_kinds, in_namespace, serial
from operators.operator_fixture import LIMIT

# -- cases --------------------------------------------------------------------

def whole(ns, kind, noted=False):
    """a worker fails: all stop, then all start again; it is counted once"""
    before = start(ns, kind, recovering(kind, "job", WHOLE,
                                        restart="OnFailure", noted=noted))
    is_attempt(ns, kind, "job", 0)
    services = ns.uids(kind, "job", "services")
    # One that has succeeded starts again, too.
    ns.set_phase("job-worker-1", "Succeeded")
    if kind.leads != ["Worker-0", "Worker-1"]:
        wait_for("its success to be counted", lambda: recovery(
            ns, kind, "job").get("replicaStatuses", {}).get("Worker", {}).get(
                "completedIndexes") == "1", LIMIT)
    node = ns.phases(kind, "job")["job-worker-0"][2]
    fail(ns, "job-worker-0", 9)
    ns.await_running(kind, "job", others_than=before)
    is_attempt(ns, kind, "job", 1)
    never_meet(ns)
    equal(ns.uids(kind, "job", "services"), services, "services")
    seen = wait_for("the end of the recovery", lambda: (
        lambda r: r if "recoveryTime" in r["lastRestart"] else None)(
            recovery(ns, kind, "job")), LIMIT)
    last = seen["lastRestart"]
    equal((seen["restartAttempt"], seen["countedRestarts"],
           len(seen["restartTimes"]), last["attempt"], last["pod"],
           last["node"], last["reason"]),
          (1, 1, 1, 1, "job-worker-0", node, "Error"), "the restart")
    equal(seen.get("replicaStatuses", {}).get("Worker", {}).get(
        "completedIndexes"), None, "successes of the attempt before")
    restarting = ns.events("job", kind.name + "Restarting")
    contains(str([e["message"] for e in restarting]),
             "(attempt 1) because pod job-worker-0 on node " + node
             + " failed with exit code 9 (Error)")
    ns.succeed(kind, "job")


@in_namespace
def one_type(ns):
    """TFJob: workers are restarted together, and nobody else"""
    start(ns, TF, recovering(TF, "job", {"restartScope": "ReplicaType"},
                             restart="OnFailure"))
    old = ns.uids(TF, "job")
    fail(ns, "job-worker-1")
    wait_for("others", lambda: not {old["job-worker-0"], old["job-worker-1"]}
             & set(ns.uids(TF, "job").values()), LIMIT)
    ns.await_running(TF, "job")
    new = ns.uids(TF, "job")
    equal({name for name in old if old[name] == new[name]},
          {"job-chief-0", "job-ps-0"}, "pods that stay")
    never_meet(ns, same_type=True)
    equal(recovery(ns, TF, "job")["lastRestart"]["type"], "Worker")
    ns.client.delete(ns.core("pods", "job-ps-0"))
    await_attempt(ns, TF, "job", 2)
    ns.await_running(TF, "job", others_than={old["job-ps-0"]})
    seen = recovery(ns, TF, "job")
    equal((seen["countedRestarts"], seen["lastRestart"]["type"],
           seen["lastRestart"]["reason"]), (1, "PS", "Deleted"), seen)
    numbers = {name: attempt_of(pod) for name, pod in
               ns.owned(TF, "job", "pods").items()}
    equal(numbers, {"job-chief-0": 0, "job-ps-0": 2, "job-worker-0": 1,
                    "job-worker-1": 1})
    ns.succeed(TF, "job")


@in_namespace
def launcher_after_workers(ns):
    """MPIJob: the launcher is restarted with its workers, and after them"""
    before = start(ns, MPI, recovering(
        MPI, "job", {"restartScope": "ReplicaType"}, restart="OnFailure"))
    fail(ns, "job-worker-1")
    ns.await_running(MPI, "job", others_than=before)
    made = [pod["metadata"]["name"] for what, pod in pod_history(ns)
            if what == "ADDED" and attempt_of(pod) == 1]
    equal(made[-1], "job-launcher", "the last that was made")
    never_meet(ns)
    ns.succeed(MPI, "job")


@in_namespace
def many_at_once(ns):
    """PyTorchJob: all pods fail one after the other: that is one restart"""
    before = start(ns, PYTORCH, recovering(PYTORCH, "job", WHOLE,
                                           restart="OnFailure"))
    for name, uid in ns.uids(PYTORCH, "job").items():
        fail(ns, name, uid=uid)
    ns.await_running(PYTORCH, "job", others_than=before)
    seen = recovery(ns, PYTORCH, "job")
    equal((seen["restartAttempt"], seen["countedRestarts"]), (1, 1), seen)
    never_meet(ns)


@in_namespace
def used_up(ns):
    """JAXJob: one restart too many ends it; a disruption has not counted"""
    before = start(ns, JAX, recovering(JAX, "job", {
        "restartScope": "Job", "maxRestarts": 1}))
    fail(ns, "job-worker-0", conditions=[
        {"type": "DisruptionTarget", "status": "True",
         "reason": "PreemptionByScheduler"}])
    before |= ns.await_running(JAX, "job", others_than=before)
    equal(recovery(ns, JAX, "job")["lastRestart"]["reason"],
          "PreemptionByScheduler")
    fail(ns, "job-worker-0")
    before |= ns.await_running(JAX, "job", others_than=before)
    equal(recovery(ns, JAX, "job")["countedRestarts"], 1)
    fail(ns, "job-worker-1")
    ns.await_condition(JAX, "job", "Failed")
    failed = ns.condition(JAX, "job", "Failed")
    equal(failed["reason"], "JAXJobFailed")
    contains(failed["message"], "has failed because it was restarted 1 time")
    equal(recovery(ns, JAX, "job")["restartAttempt"], 2)


@in_namespace
def by_rules(ns):
    """TFJob: the first rule that matches a failed pod decides"""
    rules = [
        {"name": "bad-arguments", "action": "FailJob", "onExitCodes": {
            "containerName": "tensorflow", "operator": "In",
            "values": [42]}},
        {"action": "Ignore", "onPodConditions": [
            {"type": "DisruptionTarget"}]},
        {"action": "RestartPod", "onExitCodes": {
            "operator": "In", "values": [3]},
         "targetReplicaTypes": ["Worker"]},
        {"action": "RestartReplicaType", "onReasons": ["OOMKilled"]},
        {"action": "RestartJob",
         "onMessagePattern": "NCCL.*(timeout|unhandled)"}]
    start(ns, TF, recovering(TF, "job", {"rules": rules}, restart="ExitCode"))

    def replaced(pods, *args, **more):
        """When exactly these pods are others."""
        old = ns.uids(TF, "job")
        fail(ns, *args, **more)
        wait_for(f"others for {pods}", lambda: (
            lambda new: set(new) == set(old) and {
                name for name in old if old[name] != new[name]}
            == set(pods))(ns.uids(TF, "job")), LIMIT)
        ns.await_running(TF, "job")
        equal({name for name, uid in ns.uids(TF, "job").items()
               if old[name] != uid}, set(pods))

    replaced(["job-worker-0"], "job-worker-0", 1, conditions=[
        {"type": "DisruptionTarget", "status": "True", "reason": "Evicted"}])
    equal(ns.status(TF, "job").get("restarts"), None, "counted restarts")
    replaced(["job-worker-1"], "job-worker-1", 3)
    # `ExitCode` alone would fail the job because of a code below 128.
    workers = ["job-worker-0", "job-worker-1"]
    replaced(workers, "job-worker-0", 1, reason="OOMKilled")
    equal(recovery(ns, TF, "job")["lastRestart"]["reason"], "OOMKilled")
    replaced(TF.pods("job"), "job-ps-0", 1, reason="Error",
             message="rank 3: NCCL watchdog timeout")
    equal(recovery(ns, TF, "job")["restartAttempt"], 2)
    fail(ns, "job-worker-1", 42)
    ns.await_condition(TF, "job", "Failed")
    contains(ns.condition(TF, "job", "Failed")["message"], "bad-arguments")


@in_namespace
def permanent(ns):
    """PyTorchJob: ExitCode and a policy that is changed, each as it is then"""
    before = start(ns, PYTORCH, recovering(PYTORCH, "job", WHOLE,
                                           restart="ExitCode"))
    fail(ns, "job-worker-0", 137)
    before |= ns.await_running(PYTORCH, "job", others_than=before)
    ns.patch(PYTORCH, "job", {"runPolicy": {"failurePolicy": {"rules": [
        {"action": "RestartJob", "onExitCodes": {
            "operator": "In", "values": [1]}}]}}})
    fail(ns, "job-worker-0", 1)
    before |= ns.await_running(PYTORCH, "job", others_than=before)
    equal(recovery(ns, PYTORCH, "job")["restartAttempt"], 2)
    ns.patch(PYTORCH, "job", {"runPolicy": {"failurePolicy": {
        "rules": None}}})
    fail(ns, "job-worker-0", 1)
    ns.await_condition(PYTORCH, "job", "Failed")
    equal(recovery(ns, PYTORCH, "job")["restartAttempt"], 2)


@in_namespace
def drained(ns):
    """PyTorchJob: its node is drained: one restart, though none is allowed"""
    ns.add_node("a")
    manifest = ns.pinned_manifest(PYTORCH, "job", {"failurePolicy": {
        "restartScope": "Job", "maxRestarts": 0}})
    ns.post(PYTORCH, manifest)
    before = ns.await_running(PYTORCH, "job", node=ns.node("a"))
    ns.add_node("b")
    ns.fixture.kubectl("drain", ns.node("a"), "--timeout=60s",
                       "--delete-emptydir-data")
    ns.await_running(PYTORCH, "job", node=ns.node("b"), others_than=before)
    seen = recovery(ns, PYTORCH, "job")
    equal((seen["restartAttempt"], seen.get("countedRestarts")), (1, None))
    equal(seen["lastRestart"]["node"], ns.node("a"))
    never_meet(ns)
    ns.succeed(PYTORCH, "job")


@in_namespace
def asleep(ns):
    """PyTorchJob: suspended and resumed, it has the attempt that it had"""
    before = start(ns, PYTORCH, recovering(PYTORCH, "job", WHOLE,
                                           restart="OnFailure"))
    fail(ns, "job-worker-0")
    before |= ns.await_running(PYTORCH, "job", others_than=before)
    for suspend in (True, False):
        ns.patch(PYTORCH, "job", {"runPolicy": {"suspend": suspend}})
        if suspend:
            ns.await_condition(PYTORCH, "job", "Suspended")
            wait_for("no pods", lambda: not ns.owned(
                PYTORCH, "job", "pods"), LIMIT)
    ns.await_running(PYTORCH, "job", others_than=before)
    is_attempt(ns, PYTORCH, "job", 1)
    equal(recovery(ns, PYTORCH, "job")["countedRestarts"], 1)


@in_namespace
def deadline(ns):
    """PyTorchJob: its deadline runs on through a restart"""
    before = start(ns, PYTORCH, recovering(
        PYTORCH, "job", WHOLE, {"activeDeadlineSeconds": 12},
        restart="OnFailure"))
    began = ns.status(PYTORCH, "job")["startTime"]
    fail(ns, "job-worker-0")
    ns.await_running(PYTORCH, "job", others_than=before)
    equal(ns.status(PYTORCH, "job")["startTime"], began)
    ns.await_condition(PYTORCH, "job", "Failed")
    contains(ns.condition(PYTORCH, "job", "Failed")["message"], "deadline")
    equal(recovery(ns, PYTORCH, "job")["restartAttempt"], 1)


@in_namespace
def removed(ns):
    """PyTorchJob: deleted in the middle of a restart, it leaves nothing"""
    start(ns, PYTORCH, recovering(PYTORCH, "job", WHOLE, restart="OnFailure"))
    # What holds a pod of the attempt that is over holds the restart.
    path = ns.core("pods", "job-master-0")
    ns.client.merge(path, {"metadata": {"finalizers": ["example.org/keep"]}})
    fail(ns, "job-worker-0")
    wait_for("the others to go", lambda: sorted(
        ns.owned(PYTORCH, "job", "pods")) == ["job-master-0"], LIMIT)
    ns.client.delete(ns.of(PYTORCH, "job"))
    wait_for("the job to go", lambda: not ns.find(ns.of(PYTORCH, "job")), LIMIT)
    ns.client.merge(path, {"metadata": {"finalizers": None}})
    wait_for("nothing", lambda: not any(ns.owned(PYTORCH, "job", what) for what
                                        in ("pods", "services")), LIMIT)


@in_namespace
def done(ns):
    """TFJob: a worker that has succeeded is not made again, but by a restart"""
    start(ns, TF, recovering(TF, "job", {"restartScope": "ReplicaType"}))
    ns.set_phase("job-worker-1", "Succeeded")

    def completed():
        return recovery(ns, TF, "job")["replicaStatuses"]["Worker"].get(
            "completedIndexes")

    wait_for("its success", lambda: completed() == "1", LIMIT)
    ns.client.delete(ns.core("pods", "job-worker-1"))
    left = [p for p in TF.pods("job") if p != "job-worker-1"]
    wait_for("its end", lambda: sorted(ns.owned(TF, "job", "pods"))
             == sorted(left), LIMIT)
    # The operator has seen it: it has answered something later.
    fail(ns, "job-ps-0")
    await_attempt(ns, TF, "job", 1)
    wait_for("the server", lambda: ns.phases(TF, "job").get(
        "job-ps-0", ("", ""))[1] == "Running", LIMIT)
    equal(sorted(ns.owned(TF, "job", "pods")), sorted(left))
    status = ns.status(TF, "job")["replicaStatuses"]["Worker"]
    equal((status["active"], status["succeeded"], completed()), (1, 1, "1"))
    fail(ns, "job-worker-0")
    ns.await_running(TF, "job")
    equal(completed(), None)
    ns.succeed(TF, "job")


@in_namespace
def enough(ns):
    """PyTorchJob: with successPolicy Any one worker's success is the job's"""
    start(ns, PYTORCH, PYTORCH.manifest("job", {"successPolicy": {
        "operator": "Any", "targetReplicaTypes": ["Worker"]}}))
    ns.set_phase("job-worker-1", "Succeeded")
    ns.await_condition(PYTORCH, "job", "Succeeded")


@serial
@in_namespace
def stopped_slowly(ns):
    """TFJob: pods that still run while it is suspended are counted"""
    ns.add_node("a")
    manifest = ns.pinned_manifest(TF, "job")
    ns.post(TF, manifest)
    ns.await_running(TF, "job", node=ns.node("a"))
    with ns.fixture.cluster.controllers.without_kubelets():
        ns.patch(TF, "job", {"runPolicy": {"suspend": True}})
        ns.await_condition(TF, "job", "Suspended")
        counts = ns.status(TF, "job")["replicaStatuses"]
        equal({name: c.get("active") for name, c in counts.items()},
              {"Chief": 1, "PS": 1, "Worker": 2})
        wait_for("the explanation", lambda: "stopping: 4 of 4 pods still run"
                 in ns.report(TF, "job"), LIMIT)
    wait_for("no pod that is counted", lambda: not any(
        c.get("active") for c in
        ns.status(TF, "job")["replicaStatuses"].values()), LIMIT)


EACH_KIND = for_kinds(KINDS, whole)
CASES = [*EACH_KIND, one_type, launcher_after_workers, many_at_once, used_up,
         by_rules, permanent, drained, asleep, deadline, removed, done, enough]
SERIAL = [stopped_slowly]
