#!/usr/bin/python3
"""From Kueue's own integration to the operator's queueing, and back.

    test_changing_over.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys

from queueing import FIRST, LIMIT, Queueing

import queues
from checks import contains, equal, main
from cluster import wait_for
from control_plane.client import ApiError
from jobs.kinds import TF
from jobs.namespace import before_and_after, namespace_of, serial
from kueue import GROUP

OWN = ["batch/job"]
THEIRS = [*OWN, "kubeflow.org/tfjob", "kubeflow.org/pytorchjob"]
CHANGES = ("create", "update", "patch", "delete")


class Theirs(Queueing):
    """The integration of both kinds is on when it starts."""

    def __init__(self, troupe, more):
        super().__init__(troupe, more, frameworks=THEIRS)


def writes(fixture):
    """What the operator has changed of Workloads."""
    return [entry["requestURI"] for entry in fixture.audit.entries()
            if entry["objectRef"].get("apiGroup") == GROUP
            and entry["verb"] in CHANGES]


@serial
def passive(fixture):
    """while the integration is on, the operator changes no Workload, and says
    why"""
    ns = namespace_of(fixture)
    queues.make(ns, 3)
    for kind in FIRST:
        ns.queue(kind, kind.short_name)
        ns.runs(kind, kind.short_name)
        ns.await_text("the reason", lambda: "integration"
                      in ns.report(kind, kind.short_name))
        ns.finish(kind, kind.short_name)
    equal(writes(fixture), [], "changes of Workloads")
    with open(fixture.operator.child.log) as file:
        contains(file.read(), "integration")


def restart(fixture):
    """The operator is killed and started, and its webhooks are ready."""
    fixture.operator.kill()
    fixture.operator.start()
    ns = namespace_of(fixture)

    def served():
        try:
            ns.queue(TF, "probe", queue=None)
            return True
        except ApiError as error:
            if error.status < 500:
                raise
            return False

    wait_for("the webhooks", served, LIMIT)
    ns.client.delete(ns.of(TF, "probe"))


def waiting_and_running(ns):
    """kind -> UIDs of the pods of the job that runs."""
    queues.make(ns, 6)
    pods = {}
    for kind in FIRST:
        ns.queue(kind, "runs-" + kind.short_name)
        pods[kind] = ns.runs(kind, "runs-" + kind.short_name)
    for kind in FIRST:
        ns.queue(kind, "waits-" + kind.short_name)
        ns.waits(kind, "waits-" + kind.short_name)
    return pods


def same_pods(ns, pods):
    for kind, uids in pods.items():
        equal(before_and_after(lambda: set(ns.uids(
            kind, "runs-" + kind.short_name).values())), (uids, uids),
            f"pods of the {kind} that runs")


def goes_on(ns):
    """A running job gives way and comes back, and those that wait begin."""
    ns.queue(TF, "high", priority="high", runs="2s")
    ns.ends(TF, "high")
    for kind in FIRST:
        ns.runs(kind, "runs-" + kind.short_name)
        ns.finish(kind, "runs-" + kind.short_name)
    for kind in FIRST:
        ns.runs(kind, "waits-" + kind.short_name)
        ns.finish(kind, "waits-" + kind.short_name)
    equal({job: len(found) for job, found in queues.workloads(ns).items()},
          {"high": 1, **{f"{state}-{kind.short_name}": 1 for kind in FIRST
                         for state in ("runs", "waits")}},
          "Workloads of each")
    queues.await_used(ns, 0)


@serial
def over(fixture):
    """the integration is switched off: jobs that run and that wait are taken
    over, and no pod is made anew"""
    ns = namespace_of(fixture)
    pods = waiting_and_running(ns)
    fixture.kueue.change_to(OWN)
    restart(fixture)
    since = int(ns.client.get(ns.core("pods"))["metadata"]["resourceVersion"])
    same_pods(ns, pods)
    goes_on(ns)
    fixture.record.check([ns], 6, since)


@serial
def back(fixture):
    """it is switched on again: the same the other way"""
    ns = namespace_of(fixture)
    pods = waiting_and_running(ns)
    fixture.kueue.change_to(THEIRS)
    restart(fixture)
    same_pods(ns, pods)
    goes_on(ns)
    fixture.kueue.change_to(OWN)


@serial
def noticed(fixture):
    """an integration that is switched off and on again while the operator runs
    is noticed without a restart of it"""
    ns = namespace_of(fixture)
    queues.make(ns, 3)
    fixture.kueue.change_to(THEIRS)
    ns.queue(TF, "theirs")
    ns.runs(TF, "theirs")
    fixture.kueue.change_to(OWN)
    ns.queue(TF, "high", priority="high")
    ns.runs(TF, "high")
    ns.waits(TF, "theirs")


CASES = [passive, over, back, noticed]

if __name__ == "__main__":
    sys.exit(main(CASES, Theirs, __doc__))
