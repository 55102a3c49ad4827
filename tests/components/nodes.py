"""Nodes that are drained, tainted and deleted, and pods that must give way:
jobs of every kind go on, and nothing of it counts as a failure."""

from checks import equal
from cluster import wait_for
from kinds import KINDS
from room import for_kinds
from components import NODES
from stage import LIMIT

GONE = 180  # seconds: pod GC waits 40 before it looks, and looks every 20


def two_jobs(room, kind):
    """One whose failed pods are final and one whose exit codes tell; both run
    on the room's node `a`. Returns their names and uids."""
    room.add_node("a")
    jobs = {"final": dict(policy={"backoffLimit": 0}, restart="Never"),
            "codes": dict(restart="ExitCode")}
    for job, more in jobs.items():
        room.post(kind, room.settled(kind, job, **more))
    uids = {job: room.await_running(kind, job, node=room.node("a"))
            for job in jobs}
    room.add_node("b")
    return uids


# What the scheduler says of a pod while others come and go.
SCHEDULERS = ("Unschedulable", "SchedulerError")


def unharmed(room, kind, job):
    """No failure was counted or told of, and the job can still succeed."""
    status = room.status(kind, job)
    found = {c["type"]: c["status"] for c in status["conditions"]}
    for condition in ("Failed", "Restarting"):
        equal(found.get(condition), None, f"{job}: {condition}")
    equal(status.get("restarts"), None, f"{job}: restarts")
    equal([c.get("failed") for c in status["replicaStatuses"].values()
           if c.get("failed")], [], f"{job}: failed")
    equal({reason: text for reason, text in room.warnings(job).items()
           if reason not in SCHEDULERS}, {}, f"{job}: warnings")
    room.succeed(kind, job)


def moved(room, kind, uids, seconds=LIMIT):
    """All pods are replaced by others on node `b`."""
    wait_for("the pods to leave their node", lambda: not any(
        uid in uids[job] for job in uids
        for uid, _, _ in room.phases(kind, job).values()), seconds)
    for job, before in uids.items():
        room.await_running(kind, job, node=room.node("b"), others_than=before)
    for job in uids:
        unharmed(room, kind, job)


def drained(room, kind):
    """its pods are evicted from a node that is drained"""
    uids = two_jobs(room, kind)
    room.stage.kubectl("drain", room.node("a"), "--timeout=60s",
                       "--delete-emptydir-data")
    moved(room, kind, uids)


def tainted(room, kind):
    """its pods are deleted from a node that gets a taint NoExecute"""
    uids = two_jobs(room, kind)
    room.stage.kubectl("taint", "node", room.node("a"),
                       "maintenance=now:NoExecute")
    moved(room, kind, uids)


def deleted(room, kind):
    """its node is deleted: pod GC lets its pods fail and removes them"""
    uids = two_jobs(room, kind)
    room.client.delete(f"{NODES}/{room.node('a')}")
    moved(room, kind, uids, GONE)


def preempted(room, kind):
    """a pod of a higher priority takes the place of one of its pods"""
    room.add_node("a", cpu=len(kind.pods("job")))
    job = room.settled(kind, "job", policy={"backoffLimit": 0},
                       restart="Never")
    one = {"requests": {"cpu": "1"}}
    for replica in job["spec"][kind.field].values():
        replica["template"]["spec"]["containers"][0]["resources"] = one
    room.post(kind, job)
    before = room.await_running(kind, "job")
    room.client.post(room.core("pods"), {
        "metadata": {"name": "urgent"},
        "spec": room.settle({
            "priorityClassName": "high", "containers": [
                {"name": "main", "image": "image", "resources": one}]})})
    wait_for("the urgent pod to run", lambda: room.client.get(
        room.core("pods", "urgent"))["status"]["phase"] == "Running", LIMIT)
    wait_for("a pod in place of the preempted one", lambda: any(
        uid not in before for uid, _, _ in
        room.phases(kind, "job").values()), LIMIT)
    room.client.delete(room.core("pods", "urgent"))
    after = room.await_running(kind, "job")
    equal(len(after - before), 1, "pods that were replaced")
    unharmed(room, kind, "job")


CASES = [case for scenario in (deleted, drained, tainted, preempted)
         for case in for_kinds(KINDS, scenario)]
