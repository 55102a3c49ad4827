#!/usr/bin/python3
"""How fast di-server adds replicas, and lists them meanwhile.

    replicas.py                   1000 in one request, and in 1000
    replicas.py --count 200

The first load is one POST; the other one has a POST for each replica, from as
many clients at a time as `--clients` says, for one job each of which is served
in turn. While they run, a client lists the job's replicas without a pause. The
baseline creates the same pods, with nothing decided, from the same clients.
DI-orchestrator creates pods one after the other, and its client is limited to
5 calls a second after the first 10. Exit codes: 0 (nothing is judged), 1, or
77: no cluster.
"""

import argparse
import concurrent.futures
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from jobs.namespace import Namespace  # noqa: E402
from jobs.replica_requests import ReplicaJob  # noqa: E402
from operators.operator_fixture import OperatorFixture  # noqa: E402
from operators.shipped import TROUPE  # noqa: E402
from process import end_in_order  # noqa: E402

ORIGINAL_RATE, ORIGINAL_BURST = 5, 10


def begin(fixture, name):
    job = ReplicaJob(Namespace(fixture), name,
                     f"http://127.0.0.1:{fixture.operator.di_server}")
    job.start()
    return job


class Lister(threading.Thread):
    """Lists the job's replicas until told to end; notes how long it takes."""

    def __init__(self, job):
        super().__init__(daemon=True)
        self.job, self.seconds, self.ending = job, [], False

    def run(self):
        while not self.ending:
            start = time.monotonic()
            self.job.listed()
            self.seconds.append(time.monotonic() - start)

    def percentile(self, share):
        ranked = sorted(self.seconds)
        return 1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def each(count, clients, call):
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        list(pool.map(call, range(count)))


def measured(fixture, job, add):
    """(seconds, CPU seconds of the operator, the lister)"""
    lister, cpu = Lister(job), fixture.operator.cpu()
    lister.start()
    start = time.monotonic()
    add()
    seconds = time.monotonic() - start
    lister.ending = True
    lister.join()
    return seconds, fixture.operator.cpu() - cpu, lister


def create_directly(fixture, like, count, clients):
    """Seconds for pods as those of the job `like`, in a namespace of theirs."""
    name = next(iter(like.existing()))
    pod = fixture.client.get(like.ns.core("pods", name))
    ns = Namespace(fixture)

    def create(i):
        fixture.client.post(ns.core("pods"), {
            "metadata": {"name": f"pod-{i}",
                         "labels": {"app": "baseline"}},
            "spec": {"containers": pod["spec"]["containers"]}})

    start = time.monotonic()
    each(count, clients, create)
    return time.monotonic() - start


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=16)
    args = parser.parse_args()
    end_in_order()
    with OperatorFixture(args.troupe) as fixture:
        one, many = begin(fixture, "one"), begin(fixture, "many")
        loads = [("one request", one, lambda: one.add(args.count)),
                 (f"{args.count} requests", many, lambda: each(
                     args.count, args.clients, lambda _: many.add(1)))]
        row("load", "seconds", "CPU", "lists", "p50 ms", "p99 ms")
        row(*["---"] * 6)
        for name, job, add in loads:
            seconds, cpu, lister = measured(fixture, job, add)
            if len(job.existing()) != args.count:
                raise AssertionError(f"{name}: {len(job.existing())} pods")
            row(name, f"{seconds:.1f}", f"{cpu:.1f}", len(lister.seconds),
                f"{lister.percentile(.5):.1f}", f"{lister.percentile(.99):.1f}")
        floor = create_directly(fixture, one, args.count, args.clients)
        row("baseline, pods alone", f"{floor:.1f}", *[""] * 4)
    slowest = max(args.count - ORIGINAL_BURST, 0) / ORIGINAL_RATE
    row("DI-orchestrator, by its limits", f"{slowest:.0f}", *[""] * 4)


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
