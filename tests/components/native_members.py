"""Who counts for a gang of Kubernetes itself: pods that do not name its group
do not, and one that has grown keeps its places."""

from native_gangs import bound, gang, group, min_count, pods_name

import attempts
from checks import equal
from cluster import wait_for
from jobs.gangs import FLAG
from jobs.kinds import PYTORCH, TF
from jobs.namespace import in_namespace, serial
from operators.operator_fixture import LIMIT


def replace(ns, kind, name):
    """Fails it, and waits until its replacement runs."""
    before = ns.uids(kind, "gang")[name]
    attempts.fail(ns, name, 130)

    def runs():
        pod = ns.phases(kind, "gang").get(name)
        return pod and pod[0] != before and pod[1] == "Running"

    wait_for(f"another {name}", runs, LIMIT)


def replace_all(ns):
    """One after the other; then all are one gang."""
    for name in TF.pods("gang"):
        replace(ns, TF, name)
    wait_for("minCount of all", lambda: min_count(ns, TF, "gang") == 4, LIMIT)
    equal(pods_name(ns, TF, "gang"),
          {group(ns, TF, "gang")["metadata"]["name"]}, "groups of pods")
    equal(ns.events("gang", "PodGroupsIgnored"), [])


def start(ns):
    ns.add_node("a", cpu=4)
    job = gang(ns, TF, "gang", restart="ExitCode")
    ns.post(TF, job)
    ns.await_running(TF, "gang")
    return job


@serial
def switched_on_later(fixture):
    """pods that ran before there were gangs are replaced one by one"""
    child, flag = fixture.operator.child, FLAG + "kubernetes"
    arguments = child.args
    ns = fixture.namespace()
    fixture.operator.kill()
    child.args = [a for a in arguments if a != flag]
    try:
        fixture.operator.start()
        start(ns)
    finally:
        fixture.operator.kill()
        child.args = arguments
        fixture.operator.start()
    wait_for("the group", lambda: group(ns, TF, "gang"), LIMIT)
    equal((min_count(ns, TF, "gang"), pods_name(ns, TF, "gang")), (1, {None}))
    replace_all(ns)


@in_namespace
def adopted(ns):
    """pods of a group that another job has left are, too"""
    job = start(ns)
    ns.client.call("DELETE", ns.of(TF, "gang"), {
        "apiVersion": "v1", "kind": "DeleteOptions",
        "propagationPolicy": "Orphan"})
    wait_for("the job to go", lambda: not ns.find(ns.of(TF, "gang")), LIMIT)
    ns.post(TF, job)
    wait_for("a group of its own", lambda: group(ns, TF, "gang"), LIMIT)
    replace_all(ns)


@in_namespace
def scaled(ns):
    """from four to six and back: no pod waits in silence"""
    ns.add_node("a", cpu=16)
    ns.post(PYTORCH, gang(ns, PYTORCH, "gang", restart="ExitCode",
                          counts=PYTORCH.with_workers(3)))
    for workers in (3, 5, 3, 5):
        ns.scale(PYTORCH, "gang", workers)
        ns.await_running(PYTORCH, "gang", PYTORCH.with_workers(workers))
        wait_for(f"minCount of {workers + 1}", lambda: min_count(
            ns, PYTORCH, "gang") == workers + 1, LIMIT)
        replace(ns, PYTORCH, "gang-worker-1")


@in_namespace
def beyond_room(ns):
    """a job that has grown beyond the room keeps the places it has"""
    ns.add_node("a", cpu=4)
    ns.post(PYTORCH, gang(ns, PYTORCH, "gang", restart="ExitCode",
                          counts=PYTORCH.with_workers(3)))
    ns.await_running(PYTORCH, "gang", PYTORCH.with_workers(3))
    ns.scale(PYTORCH, "gang", 5)
    wait_for("six pods", lambda: len(ns.phases(PYTORCH, "gang")) == 6, LIMIT)
    name = "gang-worker-1"
    before = ns.uids(PYTORCH, "gang")[name]
    attempts.fail(ns, name, 130)
    wait_for(f"another {name}", lambda: ns.uids(PYTORCH, "gang").get(
        name, before) != before, LIMIT)
    # Its place is taken by it or by one that waited.
    wait_for("four pods", lambda: len(bound(ns, PYTORCH, "gang")) == 4, LIMIT)
    equal(min_count(ns, PYTORCH, "gang"), 4, "minCount")
    ns.add_node("b", cpu=2)
    ns.await_running(PYTORCH, "gang", PYTORCH.with_workers(5))
    wait_for("minCount of all", lambda: min_count(ns, PYTORCH, "gang") == 6,
             LIMIT)


@in_namespace
def of_the_usual_scheduler(ns):
    """templates of which one names the default scheduler are one gang"""
    ns.add_node("a", cpu=4)
    job = gang(ns, TF, "gang")
    first = next(iter(job["spec"][TF.field].values()))
    first["template"]["spec"]["schedulerName"] = "default-scheduler"
    ns.post(TF, job)
    ns.await_running(TF, "gang")
    equal(min_count(ns, TF, "gang"), 4, "minCount")
    equal(ns.events("gang", "NoPodGroup"), [])


CASES = [scaled, adopted, beyond_room, of_the_usual_scheduler,
         switched_on_later]
