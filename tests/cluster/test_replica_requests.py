#!/usr/bin/python3
"""Fifty DIJobs ask di-server for replicas at the same time.

    test_replica_requests.py [--troupe FILE] [--only PART] [-- ARGUMENTS]

Pods fail and are reported, and the operator is killed in between. What an
answer says is there then; what was not answered is looked up.
"""

import random
import sys
import threading
import time

from checks import equal, main
from cluster import wait_for
from jobs.namespace import Namespace
from jobs.replica_requests import ReplicaJob, Unanswered
from operators.operator_fixture import LIMIT, OperatorFixture

JOBS = 50
ROUNDS = 8  # requests of each job that change something
KILLS = 3
SEED = 1


class Asker(threading.Thread):
    """One job's requests, one after the other; `wrong` is what it found."""

    def __init__(self, job, seed, answering):
        super().__init__(daemon=True)
        self.job, self.random = job, random.Random(seed)
        self.answering = answering
        self.there, self.unanswered, self.wrong = set(), 0, None

    def run(self):
        try:
            for _ in range(ROUNDS):
                self.change()
                self.compare()
        except Exception as failure:
            self.wrong = f"{self.job.name}: {type(failure).__name__}: {failure}"

    def change(self):
        """Something is asked for; afterwards `there` is what must be."""
        collectors = sorted(n for n in self.there if "-collector-" in n)
        kind = self.random.choice(("add", "add", "remove", "replace"))
        count = self.random.randint(1, 3)
        added = removed = ()
        try:
            if kind == "add" or not collectors:
                added = self.job.add(count, self.random.randint(0, 1))
            elif kind == "remove":
                removed = self.job.remove(count)
                equal(len(removed), min(count, len(collectors)), "removed")
            else:
                removed = [self.random.choice(collectors)]
                self.job.ns.set_phase(removed[0], "Failed", 1)
                added = self.job.report_failed(*removed)
                equal(len(added), 1, "replacements")
        except Unanswered:
            return self.look_up()
        equal(len(set(added) - self.there), len(added), "new names")
        equal(set(removed) - self.there, set(), "removed, but not there")
        self.there = (self.there - set(removed)) | set(added)

    def look_up(self):
        """What became of the last request: all, nothing or a part of it."""
        self.unanswered += 1
        wait_for("an operator that answers", self.answering, LIMIT)
        now = self.listed()
        changed = len(now ^ self.there)
        if changed > 4:  # Of three collectors and a learner at most.
            raise AssertionError(f"{changed} replicas changed by one request: "
                                 f"{sorted(self.there)} -> {sorted(now)}")
        self.there = now

    def listed(self):
        while True:
            try:
                return self.job.listed()
            except Unanswered:
                wait_for("an operator that answers", self.answering, LIMIT)

    def compare(self):
        """The answer, and what exists; nobody else changes the job."""
        equal(self.listed(), self.there, "listed")
        equal(self.job.existing(), self.there, "existing")


def collect_terminating(ns):
    """What the pod garbage collector does: the API server leaves a pod marked
    when the client of a deletion is killed at the wrong moment."""
    for pod in ns.client.get(ns.core("pods"))["items"]:
        if "deletionTimestamp" in pod["metadata"]:
            ns.client.delete(ns.core("pods", pod["metadata"]["name"]),
                             {"gracePeriodSeconds": 0})


def wrong_services(asker):
    """Each pod has one of its name."""
    return asker.job.existing("services") ^ asker.there


def many(fixture):
    """no replica is lost or doubled, whatever fails; answers are what exists"""
    ns, operator = Namespace(fixture), fixture.operator
    url = f"http://127.0.0.1:{operator.di_server}"
    jobs = [ReplicaJob(ns, f"job-{i}", url) for i in range(JOBS)]
    for job in jobs:
        job.start()

    def answering():
        return operator.child.running() and operator.ready()

    askers = [Asker(job, SEED + i, answering)
              for i, job in enumerate(jobs)]
    for asker in askers:
        asker.start()
    for _ in range(KILLS):
        time.sleep(2)  # In the middle of whatever is asked for now.
        if any(asker.is_alive() for asker in askers):
            operator.kill()
            operator.start()
    for asker in askers:
        asker.join()
    equal([a.wrong for a in askers if a.wrong], [], "found wrong")
    print(f"     {sum(a.unanswered for a in askers)} of {JOBS * ROUNDS} "
          "requests were not answered")
    collect_terminating(ns)
    try:
        wait_for("services", lambda: not any(map(wrong_services, askers)),
                 LIMIT)
    except TimeoutError:
        raise AssertionError("services without a pod, or pods without one: "
                             f"{[w for w in map(wrong_services, askers) if w]}")


if __name__ == "__main__":
    sys.exit(main([many], OperatorFixture, __doc__))
