"""What holds for gang scheduling with either scheduler."""

import subprocess

from checks import contains, equal
from cluster import wait_for
from kinds import KINDS, PYTORCH, TF
from room import for_kinds, in_room, quiet
from stage import LIMIT, Stage

FLAG = "--gang-scheduler-name="


class GangStage(Stage):
    """With the definitions of one scheduler and an operator that uses it.

    `admit(room, job)` waits for the group and does the scheduler's part.
    """

    def __init__(self, troupe, more, scheduler, groups, admit):
        super().__init__(troupe, [FLAG + scheduler, *more], groups.install)
        self.troupe, self.groups, self.admit = troupe, groups, admit


def start(room, kind, job, *args, **more):
    """A job whose pods all run; returns the stage's groups."""
    room.make(kind, job, *args, **more)
    room.stage.admit(room, job)
    room.await_pods(kind, job, kind.pods(job))
    room.run_all(kind, job)
    room.await_condition(kind, job, "Running")
    return room.stage.groups


def requesting(kind, job, policy):
    """A manifest of pods that ask for half a CPU and an eighth of a GiB."""
    result = kind.manifest(job, policy)
    for replica in result["spec"][kind.field].values():
        replica["template"]["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": "500m", "memory": "128Mi"},
            "limits": {"cpu": "2"}}
    return result


def refuses(stage, scheduler, why):
    """A second operator, of a scheduler that is not there."""
    done = subprocess.run(
        [stage.troupe, "operator", "--kubeconfig", stage.cluster.kubeconfig,
         "--health-probe-bind-address=0", "--metrics-bind-address=0",
         "--admin-bind-address=0", FLAG + scheduler],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    equal(done.returncode, 1, "exit code")
    contains(done.stderr, f"--gang-scheduler-name {scheduler}: {why}")
    contains(done.stderr, "install that scheduler, or leave the flag out")


# -- cases --------------------------------------------------------------------

def unschedulable(room):
    """what the scheduler says of a group is told of the job, once"""
    groups = room.stage.groups
    room.make(TF, "gang")
    groups.await_one(room, "gang")
    condition = {"type": "Unschedulable", "status": "True",
                 "reason": "NotEnoughResources", "transitionID": "1",
                 "message": "4/0 tasks in gang unschedulable"}
    groups.tell(room, "gang", phase="Pending", conditions=[condition])
    event = room.await_event("gang", "NotEnoughResources",
                             "4/0 tasks in gang unschedulable")
    equal((event["type"], event["involvedObject"]["kind"]),
          ("Warning", "TFJob"))
    # A scheduler writes the same again with each of its turns.
    for turn in "23":
        groups.tell(room, "gang", phase="Pending",
                    conditions=[dict(condition, transitionID=turn)])
    room.stage.admit(room, "gang")
    room.await_pods(TF, "gang", TF.pods("gang"))
    (event,) = room.events("gang", "NotEnoughResources")
    equal(event.get("count", 1), 1)


def untouched(room):
    """a group that is as it should be is not written"""
    job = requesting(PYTORCH, "gang", {"schedulingPolicy": {
        "minAvailable": 2}})
    room.client.post(room.of(PYTORCH), job)
    room.stage.admit(room, "gang")
    room.await_pods(PYTORCH, "gang", PYTORCH.pods("gang"))
    room.run_all(PYTORCH, "gang")
    room.await_condition(PYTORCH, "gang", "Running")
    groups = room.stage.groups
    groups.tell(room, "gang", phase="Running", running=3)
    equal(*quiet(lambda: groups.version(room, "gang")))


def ended(room, kind):
    """its group goes when it has succeeded, and that is told once"""
    groups = start(room, kind, "gang")
    room.succeed(kind, "gang")
    groups.await_none(room, "gang")
    for reason in ("JobTerminated", "SuccessfulDeletePodGroup"):
        room.await_event("gang", reason)
        (event,) = room.events("gang", reason)
        equal(event.get("count", 1), 1, reason)
    equal(*quiet(lambda: groups.find(room, "gang"), 1))


def broken(room):
    """a job that fails has no group any more; its pods stay as they may"""
    groups = start(room, TF, "gang", restart="Never")
    room.set_phase("gang-ps-0", "Failed", 1)
    room.await_condition(TF, "gang", "Failed")
    groups.await_none(room, "gang")
    room.await_pods(TF, "gang", TF.pods("gang"))


def rested(room, kind):
    """suspension removes its group, resumption makes another"""
    groups = start(room, kind, "gang")
    first = groups.find(room, "gang")["metadata"]["uid"]
    room.patch(kind, "gang", {"runPolicy": {"suspend": True}})
    groups.await_none(room, "gang")
    room.await_condition(kind, "gang", "Suspended")
    room.await_pods(kind, "gang", [])
    equal(*quiet(lambda: groups.find(room, "gang"), 1))
    room.patch(kind, "gang", {"runPolicy": {"suspend": False}})
    second = groups.await_one(room, "gang")["metadata"]["uid"]
    equal(second != first, True, "another group")
    room.stage.admit(room, "gang")
    room.await_pods(kind, "gang", kind.pods("gang"))


def grown(room):
    """its size follows the job's, and it comes back if somebody deletes it"""
    groups = start(room, PYTORCH, "gang")
    equal(groups.find(room, "gang")["spec"]["minMember"], 3)
    room.scale(PYTORCH, "gang", 4)
    wait_for("the new size", lambda: groups.find(room, "gang")["spec"][
        "minMember"] == 5, LIMIT)
    room.await_pods(PYTORCH, "gang",
                    PYTORCH.pods("gang", PYTORCH.with_workers(4)))
    pods = room.uids(PYTORCH, "gang")
    before = groups.find(room, "gang")["metadata"]["uid"]
    room.client.delete(groups.path(room, "gang"))
    wait_for("another group", lambda: (groups.find(room, "gang") or {
        "metadata": {"uid": before}})["metadata"]["uid"] != before, LIMIT)
    room.stage.admit(room, "gang")
    equal(room.uids(PYTORCH, "gang"), pods)


CASES = (for_kinds(KINDS, ended) + for_kinds([TF, PYTORCH], rested)
         + [in_room(case) for case in (unschedulable, untouched, broken,
                                       grown)])
