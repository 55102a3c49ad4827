#!/usr/bin/python3
"""Kueue's own integration is on, and the operator queues all the same, by a
mistake (--kueue=own): nothing of it shows.

    test_both_at_once.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys

from queueing import FIRST, Queueing, within

import queues
from checks import equal, main
from jobs.namespace import for_kinds


class Both(Queueing):
    def __init__(self, troupe, more):
        super().__init__(troupe, ["--kueue=own", *more], frameworks=[
            "batch/job", "kubeflow.org/tfjob", "kubeflow.org/pytorchjob"])


def ten(ns, kind):
    """ten jobs and places for three all succeed, each with one Workload

    Kueue's integration gives quota back when a job has ended, and not when its
    pods have gone: those of jobs that have not ended are within it."""
    queues.make(ns, 9)
    jobs = [f"job-{i}" for i in range(10)]
    for job in jobs:
        ns.queue(kind, job, runs="1500ms")
    ns.ends(kind, *jobs)
    equal({job: len(found) for job, found in queues.workloads(ns).items()},
          dict.fromkeys(jobs, 1), "Workloads of each")
    queues.await_used(ns, 0)
    ns.fixture.record.check([ns], 9, finished_give_back=True)


@within(6)
def preempted(ns, kind):
    """a job that matters more takes the places of one that runs, and that one
    runs again

    Kueue's integration gives quota back before the pods have gone, so there may
    be twice as many."""
    queues.write_quota(ns, 3)
    ns.queue(kind, "low")
    ns.runs(kind, "low")
    ns.queue(kind, "high", priority="high")
    ns.runs(kind, "high")
    ns.waits(kind, "low")
    ns.finish(kind, "high")
    ns.runs(kind, "low")


CASES = [case for one in (ten, preempted) for case in for_kinds(FIRST, one)]

if __name__ == "__main__":
    sys.exit(main(CASES, Both, __doc__, at_once=4))
