#!/usr/bin/python3
"""What jobs leave behind in the operator when they have ended and are gone.

    ended_jobs.py [--rate 40] [--minutes 20] [--alive 400] [--troupe FILE]

Jobs of one worker are made at this rate on a real API server. Each one's pod is
reported to have succeeded as soon as it is there; the oldest job goes with its
pod and service when so many jobs are alive. Every minute a row: jobs made,
jobs that the operator saw succeed, its resident memory and CPU. The last rows
are for the end, with no job left. Exit codes: 0 (nothing is judged), 1, or 77:
no cluster.
"""

import argparse
import collections
import concurrent.futures
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from cluster import wait_for  # noqa: E402
from control_plane.client import ApiError  # noqa: E402
from operators.operator_fixture import (CORE, JOBS,  # noqa: E402
                                        OperatorFixture, reported, tfjob)
from operators.shipped import TROUPE  # noqa: E402
from process import end_in_order  # noqa: E402
from report import row  # noqa: E402

LIMIT = 120   # seconds for a job's pod to come, or for all to be idle
PAUSE = 0.05  # seconds between two looks for a pod
THREADS = 24
SUCCEEDED = "training_operator_jobs_successful_total"
CONTAINERS = [{"name": "tensorflow", "image": "registry.example/train:1"}]


def end_job(client, name):
    """Creates the job and lets its pod succeed, as a kubelet would."""
    client.post(JOBS, tfjob(name, workers=1))
    status = {"status": reported(CONTAINERS, "Succeeded")}

    def succeeded():
        try:
            client.merge(f"{CORE}/pods/{name}-worker-0/status", status)
            return True
        except ApiError as error:
            if error.status != 404:
                raise
            return False

    wait_for(f"the pod of {name}", succeeded, LIMIT, PAUSE)


def remove_job(client, name):
    """The job, and what the garbage collector of a cluster would remove."""
    for path in (f"{JOBS}/{name}",
                 f"{CORE}/pods/{name}-worker-0?gracePeriodSeconds=0",
                 f"{CORE}/services/{name}-worker-0"):
        try:
            client.delete(path)
        except ApiError as error:
            if error.status != 404:
                raise


class Rows:
    """Prints what the operator has, under a heading."""

    def __init__(self, operator):
        self.operator, self.start = operator, time.monotonic()
        row("minute", "jobs made", "succeeded", "memory", "peak", "CPU")
        row(*["---"] * 6)

    def print(self, made):
        now, peak = self.operator.memory()
        succeeded = sum(value for _, value in self.operator.metric(SUCCEEDED))
        row(f"{(time.monotonic() - self.start) / 60:.1f}", str(made),
            f"{succeeded:.0f}", f"{now:.1f} MiB", f"{peak:.1f} MiB",
            f"{self.operator.cpu():.1f} s")
        sys.stdout.flush()


def measure(args):
    with OperatorFixture(args.troupe) as fixture:
        client, rows = fixture.client, Rows(fixture.operator)
        total = int(args.rate * args.minutes * 60)
        alive, lock = collections.deque(), threading.Lock()

        def one(number):
            end_job(client, f"job-{number}")
            with lock:
                alive.append(f"job-{number}")
                oldest = (alive.popleft() if len(alive) >= args.alive else None)
            if oldest:
                remove_job(client, oldest)

        rows.print(0)
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            start, running = time.monotonic(), set()
            for number in range(total):
                time.sleep(max(0, start + number / args.rate
                               - time.monotonic()))
                running.add(pool.submit(one, number))
                for task in [t for t in running if t.done()]:
                    task.result()
                    running.remove(task)
                while len(running) > 4 * THREADS:
                    time.sleep(PAUSE)
                    running = {t for t in running if not t.done()}
                if (number + 1) % int(args.rate * 60) == 0:
                    rows.print(number + 1)
            for task in running:
                task.result()
            rows.print(total)
            for task in [pool.submit(remove_job, client, name)
                         for name in alive]:
                task.result()

        def idle():
            before = fixture.operator.cpu()
            time.sleep(2)
            return fixture.operator.cpu() - before < 0.1

        wait_for("the operator to be idle", idle, LIMIT)
        rows.print(total)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rate", type=float, default=40, metavar="JOBS",
                        help="a second")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--alive", type=int, default=400, metavar="JOBS",
                        help="at most")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    end_in_order()
    return measure(parser.parse_args())


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
