"""What holds for gang scheduling with either scheduler."""

import subprocess

from checks import contains, equal
from cluster import wait_for
from jobs.kinds import KINDS, PYTORCH, TF
from jobs.namespace import before_and_after, for_kinds, in_namespace, serial
from operators import least_rights, shipped_objects
from operators.operator_fixture import LIMIT, OperatorFixture

FLAG = "--gang-scheduler-name="


class GangFixture(OperatorFixture):
    """With the definitions of one scheduler and an operator that uses it.

    `admit(ns, job)` waits for the group and does the scheduler's part.
    """

    def __init__(self, troupe, more, scheduler, groups, admit):
        super().__init__(troupe, [FLAG + scheduler, *more], self.install,
                         account=shipped_objects.KUBECONFIG)
        self.troupe, self.groups, self.admit = troupe, groups, admit

    def install(self, cluster):
        self.groups.install(cluster)
        shipped_objects.install_account(cluster)


def start(ns, kind, job, *args, **more):
    """A job whose pods all run; returns the fixture's groups."""
    ns.make(kind, job, *args, **more)
    ns.fixture.admit(ns, job)
    ns.await_pods(kind, job, kind.pods(job))
    ns.run_all(kind, job)
    ns.await_condition(kind, job, "Running")
    return ns.fixture.groups


def requesting(kind, job, policy):
    """A manifest of pods that ask for half a CPU and an eighth of a GiB."""
    result = kind.manifest(job, policy)
    for replica in result["spec"][kind.field].values():
        replica["template"]["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": "500m", "memory": "128Mi"},
            "limits": {"cpu": "2"}}
    return result


def refuses(fixture, scheduler, why):
    """A second operator, of a scheduler that is not there."""
    done = subprocess.run(
        [fixture.troupe, "operator",
         "--kubeconfig", fixture.cluster.kubeconfig,
         "--health-probe-bind-address=0", "--metrics-bind-address=0",
         "--admin-bind-address=0", "--di-server-bind-address=0",
         FLAG + scheduler],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    equal(done.returncode, 1, "exit code")
    contains(done.stderr, f"--gang-scheduler-name {scheduler}: {why}")
    contains(done.stderr, "install that scheduler, or leave the flag out")


def uses_its_rights(expected):
    """The last case: what the account may do with gangs has been done."""
    @serial
    def least(fixture):
        """its account's rights to pod groups are those that it uses"""
        least_rights.check(fixture.cluster, expected)
    return least


# -- cases --------------------------------------------------------------------

def unschedulable(ns):
    """the scheduler's condition of a group is one event of the job"""
    groups = ns.fixture.groups
    ns.make(TF, "gang")
    groups.await_one(ns, "gang")
    condition = {"type": "Unschedulable", "status": "True",
                 "reason": "NotEnoughResources", "transitionID": "1",
                 "message": "4/0 tasks in gang unschedulable"}
    groups.set_status(ns, "gang", phase="Pending", conditions=[condition])
    event = ns.await_event("gang", "NotEnoughResources",
                           "4/0 tasks in gang unschedulable")
    equal((event["type"], event["involvedObject"]["kind"]),
          ("Warning", "TFJob"))
    # A scheduler writes the same again in each cycle.
    for turn in "23":
        groups.set_status(ns, "gang", phase="Pending",
                          conditions=[dict(condition, transitionID=turn)])
    ns.fixture.admit(ns, "gang")
    ns.await_pods(TF, "gang", TF.pods("gang"))
    (event,) = ns.events("gang", "NotEnoughResources")
    equal(event.get("count", 1), 1)


def untouched(ns):
    """a group that is as it should be is not written"""
    job = requesting(PYTORCH, "gang", {"schedulingPolicy": {
        "minAvailable": 2}})
    ns.client.post(ns.of(PYTORCH), job)
    ns.fixture.admit(ns, "gang")
    ns.await_pods(PYTORCH, "gang", PYTORCH.pods("gang"))
    ns.run_all(PYTORCH, "gang")
    ns.await_condition(PYTORCH, "gang", "Running")
    groups = ns.fixture.groups
    groups.set_status(ns, "gang", phase="Running", running=3)
    equal(*before_and_after(lambda: groups.version(ns, "gang")))


def finished(ns, kind):
    """its group goes when it has succeeded, and there is one event of it"""
    groups = start(ns, kind, "gang")
    ns.succeed(kind, "gang")
    groups.await_none(ns, "gang")
    for reason in ("JobTerminated", "SuccessfulDeletePodGroup"):
        ns.await_event("gang", reason)
        (event,) = ns.events("gang", reason)
        equal(event.get("count", 1), 1, reason)
    equal(*before_and_after(lambda: groups.find(ns, "gang"), 1))


def failed(ns):
    """a job that fails has no group any more; its other pods stay"""
    groups = start(ns, TF, "gang", restart="Never")
    ns.set_phase("gang-ps-0", "Failed", 1)
    ns.await_condition(TF, "gang", "Failed")
    groups.await_none(ns, "gang")
    ns.await_pods(TF, "gang", TF.pods("gang"))


def suspended(ns, kind):
    """suspension removes its group, resumption makes another"""
    groups = start(ns, kind, "gang")
    first = groups.find(ns, "gang")["metadata"]["uid"]
    ns.patch(kind, "gang", {"runPolicy": {"suspend": True}})
    groups.await_none(ns, "gang")
    ns.await_condition(kind, "gang", "Suspended")
    ns.await_pods(kind, "gang", [])
    equal(*before_and_after(lambda: groups.find(ns, "gang"), 1))
    ns.patch(kind, "gang", {"runPolicy": {"suspend": False}})
    second = groups.await_one(ns, "gang")["metadata"]["uid"]
    equal(second != first, True, "another group")
    ns.fixture.admit(ns, "gang")
    ns.await_pods(kind, "gang", kind.pods("gang"))


def restarted(ns):
    """restarted as a whole, it keeps its group, and pods of the next attempt
    are of it"""
    groups = start(ns, PYTORCH, "gang", {"failurePolicy": {
        "restartScope": "Job"}}, restart="OnFailure")
    groups.set_status(ns, "gang", phase="Running", running=3)
    group, before = groups.version(ns, "gang"), ns.uids(PYTORCH, "gang")
    marks = gang_marks(ns)
    ns.set_phase("gang-worker-0", "Failed", 1)
    wait_for("another attempt", lambda: (
        lambda now: sorted(now) == sorted(before) and not
        set(now.values()) & set(before.values()))(ns.uids(PYTORCH, "gang")),
        LIMIT)
    equal(groups.version(ns, "gang"), group, "version of the group")
    equal(gang_marks(ns), marks, "what says of which gang a pod is")
    ns.run_all(PYTORCH, "gang")
    ns.await_condition(PYTORCH, "gang", "Running")
    ns.succeed(PYTORCH, "gang")
    groups.await_none(ns, "gang")


def gang_marks(ns):
    """name -> what of a pod concerns its gang."""
    def of(pod):
        meta = pod["metadata"]
        return [pod["spec"]["schedulerName"], *sorted(
            (key, value) for part in ("labels", "annotations")
            for key, value in meta.get(part, {}).items()
            if "scheduling" in key or "volcano" in key)]
    return {name: of(pod) for name, pod in
            ns.owned(PYTORCH, "gang", "pods").items()}


def resized(ns):
    """its size follows the job's, and it comes back if a user deletes it"""
    groups = start(ns, PYTORCH, "gang")
    equal(groups.find(ns, "gang")["spec"]["minMember"], 3)
    ns.scale(PYTORCH, "gang", 4)
    wait_for("the new size", lambda: groups.find(ns, "gang")["spec"][
        "minMember"] == 5, LIMIT)
    ns.await_pods(PYTORCH, "gang",
                  PYTORCH.pods("gang", PYTORCH.with_workers(4)))
    pods = ns.uids(PYTORCH, "gang")
    before = groups.find(ns, "gang")["metadata"]["uid"]
    ns.client.delete(groups.path(ns, "gang"))
    wait_for("another group", lambda: (groups.find(ns, "gang") or {
        "metadata": {"uid": before}})["metadata"]["uid"] != before, LIMIT)
    ns.fixture.admit(ns, "gang")
    equal(ns.uids(PYTORCH, "gang"), pods)


CASES = (for_kinds(KINDS, finished) + for_kinds([TF, PYTORCH], suspended)
         + [in_namespace(case) for case in (unschedulable, untouched, failed,
                                            restarted, resized)])
