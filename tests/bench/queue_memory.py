#!/usr/bin/python3
"""What jobs that wait in a queue of Kueue's take of the operator's memory.

1,000 TFJobs of 4 pods that wait in a queue, and as many that are suspended and
in no queue. Of each the resident set of an operator that was there when they
came, 16 at a time, then and when connections that nobody uses are closed; and of
one that starts beside them. In MiB, each the smallest of SAMPLES in a minute
without a change.

    queue_memory.py [--jobs 1000] [--pods 4] [--only NAME] [--json FILE]
                    [--troupe FILE]

Exit codes: 0 (a missed target is marked, and nothing else), 1, or 77.
"""

import argparse
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in (
    "queueing", "cluster")]

from queueing import QueueingNamespace  # noqa: E402

import kueue  # noqa: E402
import needs  # noqa: E402
import queues  # noqa: E402
from cluster import wait_for  # noqa: E402
from jobs.kinds import TF  # noqa: E402
from operators.shipped import TROUPE  # noqa: E402
from process import end_in_order  # noqa: E402
from report import marked, row  # noqa: E402
from through_queue import LIMIT, post_all, troupe, workloads  # noqa: E402

SAMPLES, PAUSE = 6, 10  # seconds
CLOSED = 90  # seconds more until connections are closed
MORE_MIB = 6  # for all jobs that wait, beside suspended ones


def resident(operator):
    found = []
    for _ in range(SAMPLES):
        time.sleep(PAUSE)
        found.append(operator.memory()[0])
    return min(found)


def count_suspended(ns):
    return sum(kueue.is_true(job, "Suspended")
               for job in ns.client.get(ns.of(TF))["items"])


def wait_in_queue(ns, args):
    queues.make(ns, args.jobs)
    queues.stop(ns, "Hold")
    post_all(ns, args)
    wait_for("all jobs to wait in the queue",
             lambda: workloads(ns) == args.jobs, LIMIT, 1)


def be_suspended(ns, args):
    post_all(ns, args, queue=None, policy={"suspend": True})
    wait_for("all jobs to be suspended",
             lambda: count_suspended(ns) == args.jobs, LIMIT, 5)


STATES = {"waiting": wait_in_queue, "suspended": be_suspended}
MOMENTS = {"there": "was there when they came",
           "later": "the same, three minutes later",
           "started": "starts beside them"}


def measure(name, args):
    with troupe(args, ["batch/job"]) as place:
        ns = QueueingNamespace(place)
        STATES[name](ns, args)
        result = {"there": resident(place.operator)}
        time.sleep(CLOSED)
        result["later"] = resident(place.operator)
        place.operator.child.stop()
        place.operator.start()
        result["started"] = resident(place.operator)
        return result


def report(results, args):
    compares = len(results) == len(STATES)
    heads = ["an operator that", *results, *(["more"] if compares else [])]
    print(f"{args.jobs} jobs of {args.pods} pods, MiB")
    row(*heads)
    row(*["---"] * len(heads))
    for moment, words in MOMENTS.items():
        found = [one[moment] for one in results.values()]
        cells = [words, *(f"{each:.1f}" for each in found)]
        if compares:
            more = found[0] - found[1]
            cells.append(marked(more, MORE_MIB))
        row(*cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=4)
    parser.add_argument("--only", choices=STATES, metavar="NAME")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    end_in_order()
    results = {}
    for name in [args.only] if args.only else STATES:
        results[name] = measure(name, args)
        print(f"  {name}: {results[name]}", file=sys.stderr, flush=True)
    report(results, args)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
