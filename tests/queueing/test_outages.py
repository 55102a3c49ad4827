#!/usr/bin/python3
"""Kueue, or the API server, is away for a while.

    test_outages.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys
import time

from queueing import FIRST, LIMIT, Queueing

import queues
from checks import equal, main
from cluster import wait_for
from jobs.kinds import TF
from jobs.namespace import namespace_of, serial
from kueue import API

AWAY = 5  # seconds


def jobs_of(ns, first, count):
    """Some of each kind; returns them by name."""
    jobs = {f"job-{i}": FIRST[i % len(FIRST)]
            for i in range(first, first + count)}
    for job, kind in jobs.items():
        ns.queue(kind, job, runs="2s")
    return jobs


def all_end(ns, jobs):
    for kind in FIRST:
        ns.ends(kind, *(job for job in jobs if jobs[job] is kind))
    queues.await_used(ns, 0)
    ns.fixture.record.check([ns], 9)


@serial
def without_kueue(fixture):
    """jobs that are made while Kueue is away wait without pods, those that run
    go on, and all end when it is back"""
    ns = namespace_of(fixture)
    queues.make(ns, 9)
    ns.queue(TF, "runs")
    pods = ns.runs(TF, "runs")
    jobs = jobs_of(ns, 0, 6)
    fixture.kueue.kill()
    try:
        later = jobs_of(ns, 6, 4)
        time.sleep(AWAY)
        equal([name for job in later for name in ns.live(job)], [],
              "pods of jobs that were made meanwhile")
        equal(set(ns.uids(TF, "runs").values()), pods, "pods of one that runs")
        gone = ns.queue(TF, "gone")["metadata"]["name"]
        ns.client.delete(ns.of(TF, gone))
    finally:
        fixture.kueue.start_again()
    ns.finish(TF, "runs")
    all_end(ns, {**jobs, **later})
    wait_for("nothing of the one that was made and deleted meanwhile",
             lambda: gone not in queues.workloads(ns), LIMIT)


@serial
def without_api_server(fixture):
    """the API server dies while jobs wait, run and are evicted: all end"""
    ns = namespace_of(fixture)
    queues.make(ns, 9)
    jobs = jobs_of(ns, 0, 10)
    ns.queue(TF, "high", priority="high", runs="2s")
    for _ in range(2):
        fixture.cluster.kill_server()
        time.sleep(AWAY / 2)
        fixture.cluster.start_server()
        time.sleep(AWAY / 2)
    all_end(ns, {**jobs, "high": TF})


@serial
def without_definitions(fixture):
    """definitions of Kueue's that vanish release no job that is held; one that
    runs may be held, because its Workload is deleted with them"""
    ns = namespace_of(fixture)
    queues.make(ns, 3)
    ns.queue(TF, "runs")
    ns.runs(TF, "runs")
    ns.queue(TF, "job")
    ns.waits(TF, "job")
    fixture.kueue.stop()
    definition = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                  "workloads.kueue.x-k8s.io")
    for item in ns.client.get(API + "/workloads")["items"]:
        remove_finalizers(fixture, item)
    fixture.client.delete(definition)
    wait_for("the definition to go", lambda: not ns.find(definition), LIMIT)
    ns.await_text("the reason", lambda: "ueue" in ns.report(TF, "job"))
    time.sleep(AWAY)
    equal(ns.live("job"), [], "pods of the one that waits")


def remove_finalizers(fixture, item):
    """By an administrator, whom no webhook of a Kueue that is away stops."""
    hooks = "/apis/admissionregistration.k8s.io/v1/"
    for kind in ("validating", "mutating"):
        path = f"{hooks}{kind}webhookconfigurations"
        for one in fixture.client.get(path)["items"]:
            if one["metadata"]["name"].startswith("kueue-"):
                fixture.client.delete(f"{path}/{one['metadata']['name']}")
    meta = item["metadata"]
    fixture.client.merge(
        f"{API}/namespaces/{meta['namespace']}/workloads/{meta['name']}",
        {"metadata": {"finalizers": None}})


# The last one leaves nothing that a further one could use.
CASES = [without_kueue, without_api_server, without_definitions]

if __name__ == "__main__":
    sys.exit(main(CASES, Queueing, __doc__))
