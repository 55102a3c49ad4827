#!/usr/bin/python3
"""How soon after the API server was away a new job has its pods.

Each time the server is killed, stays away for some seconds, and a job is
created at the moment it is ready again; the clock stops when all its pods and
services are there. As many jobs as `--jobs` says were there before.

    outages.py                                 20 outages, half an hour
    outages.py --outages 5 --longest 20        two minutes

Lists are counted, too: an outage should not cost more of them than the operator
has watchers. Exit codes: 0 (nothing is judged), 1, or 77: no cluster.
"""

import argparse
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from cluster import wait_for  # noqa: E402
from operators.operator_fixture import (JOBS, OperatorFixture,  # noqa: E402
                                        tfjob)
from operators.shipped import TROUPE  # noqa: E402
from process import end_in_order  # noqa: E402

LIMIT = 300  # seconds for the pods of all jobs, or of one


def absences(count, shortest, longest):
    """Seconds, from the shortest to the longest, short and long in turn."""
    step = (longest - shortest) / max(count - 1, 1)
    ascending = [shortest + step * i for i in range(count)]
    return [ascending[i // 2] if i % 2 == 0 else ascending[-1 - i // 2]
            for i in range(count)]


def lists(operator):
    """How many lists the operator has asked for."""
    return sum(count for key, count in operator.requests().items()
               if key.startswith("list "))


def outage(fixture, number, seconds):
    """Seconds from the server's return to the new job's pods, and lists."""
    before = lists(fixture.operator)
    fixture.cluster.kill_server()
    time.sleep(seconds)
    fixture.cluster.start_server()
    name, start = f"new-{number}", time.monotonic()
    fixture.client.post(JOBS, tfjob(name))
    wait_for("the pods of " + name, lambda: all(
        len(fixture.owned(what, name)) == 2 for what in ("pods", "services")),
        LIMIT)
    delay = time.monotonic() - start
    time.sleep(10)  # what comes late is counted, too
    return delay, lists(fixture.operator) - before


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def measure(args):
    with OperatorFixture(args.troupe) as fixture:
        for number in range(args.jobs):
            fixture.client.post(JOBS, tfjob(f"old-{number}", workers=1))
        wait_for("the pods of all jobs", lambda: len(fixture.client.get(
            "/api/v1/namespaces/default/pods")["items"]) == args.jobs, LIMIT)
        print(f"{args.jobs} jobs are there", flush=True)
        delays = []
        times = absences(args.outages, args.shortest, args.longest)
        for number, seconds in enumerate(times, 1):
            delay, listed = outage(fixture, number, seconds)
            delays.append(delay)
            print(f"{number:3}: away {seconds:5.0f} s, pods after "
                  f"{delay:6.2f} s, {listed} lists", flush=True)
    print(f"{len(delays)} outages: p50 {percentile(delays, 0.5):.2f} s, "
          f"p95 {percentile(delays, 0.95):.2f} s, at most {max(delays):.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outages", type=int, default=20)
    parser.add_argument("--shortest", type=float, default=5, metavar="S")
    parser.add_argument("--longest", type=float, default=120, metavar="S")
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    if args.outages < 1:
        parser.error("--outages: at least 1")
    end_in_order()
    measure(args)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
