#!/usr/bin/python3
"""200 jobs in a queue while the operator, Kueue and the API server are killed
at random: every job ends, at no moment are there more pods than quota, and
nothing is left.

    chaos.py [--minutes 10] [--jobs 200] [--seed NUMBER] [--troupe FILE]

Not in a stage. Prints what was killed how often; exit codes: 0, 1, or 77.
"""

import argparse
import random
import sys
import threading
import time

from queueing import FIRST, LIMIT, OTHERS, Queueing, queued

import needs
import queues
from cluster import wait_for
from control_plane.client import ApiError
from operators.shipped import TROUPE
from process import end_in_order

CPUS = 30
KINDS = (*FIRST, *FIRST, *OTHERS)  # the first ones twice as often
ENDED = ("Succeeded", "Failed")
LONGEST = 1800  # seconds until all jobs were made, on a machine that is busy
PER_JOB = 6  # seconds that a job may need at the end, one after the other


class Load(threading.Thread):
    """Makes the jobs, spread over `seconds`, whoever is away."""

    def __init__(self, ns, count, seconds, seed):
        super().__init__(daemon=True)
        self.ns, self.count, self.seconds = ns, count, seconds
        self.dice, self.jobs, self.failed = random.Random(seed), {}, None

    def run(self):
        try:
            for index in range(self.count):
                kind = self.dice.choice(KINDS)
                self.make(kind, f"job-{index:03}")
                time.sleep(self.seconds / self.count)
        except Exception as failure:
            self.failed = failure

    def make(self, kind, job):
        manifest = queued(
            kind, job, {"cleanPodPolicy": "All"},
            priority="high" if self.dice.random() < 0.2 else None,
            runs=f"{self.dice.randint(500, 8000)}ms")
        end = time.monotonic() + 300
        while True:
            try:
                self.ns.post(kind, manifest)
                break
            except ApiError as error:
                if error.status == 409:
                    break  # It was made, and the answer was lost.
                if error.status < 500 and error.status != 429 \
                        or time.monotonic() > end:
                    raise
            except OSError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.5)
        self.jobs[job] = kind


def again(start, what):
    """Starts a server that was killed; whatever it needs may be away, too."""
    for _ in range(20):
        try:
            return start()
        except (OSError, RuntimeError, TimeoutError, ApiError) as error:
            print(f"  {what}: {error}", file=sys.stderr)
            time.sleep(1)
    raise RuntimeError(f"{what} does not start")


def kill(fixture, dice):
    """One of them, or all at once; what it was."""
    victims = {
        "operator": (fixture.operator.kill, fixture.operator.start),
        "Kueue": (fixture.kueue.kill, fixture.kueue.start_again),
        "API server": (fixture.cluster.kill_server,
                       fixture.cluster.start_server)}
    chosen = dice.choices(
        [["operator"], ["Kueue"], ["API server"], list(victims)],
        [5, 3, 1, 1])[0]
    for name in chosen:
        victims[name][0]()
    time.sleep(dice.choice((0, 0.5, 3)))
    for name in reversed(chosen):
        again(victims[name][1], name)
    return chosen


def ended(ns, jobs):
    """How many of the jobs have."""
    found = 0
    for kind in set(jobs.values()):
        for job in ns.client.get(ns.of(kind))["items"]:
            if job["metadata"]["name"] in jobs \
                    and jobs[job["metadata"]["name"]] is kind:
                found += any(queues.condition(job, c).get("status") == "True"
                             for c in ENDED)
    return found


def play(fixture, args):
    dice, killed = random.Random(args.seed), {}
    ns = fixture.namespace()
    queues.make(ns, CPUS)
    load = Load(ns, args.jobs, args.minutes * 60 * 0.8, args.seed)
    load.start()
    over = time.monotonic() + args.minutes * 60
    while time.monotonic() < over:
        for name in kill(fixture, dice):
            killed[name] = killed.get(name, 0) + 1
        time.sleep(dice.uniform(1, 10))
    print("killed: " + ", ".join(f"{name} {count} times" for name, count in
                                 sorted(killed.items())), flush=True)
    load.join(LONGEST)
    if load.failed or load.is_alive():
        raise AssertionError(f"not all jobs were made: {load.failed}")
    print(f"{ended(ns, load.jobs)} of {args.jobs} jobs have ended by now",
          flush=True)
    started = time.monotonic()
    ns.await_text("all jobs to end",
                  lambda: ended(ns, load.jobs) == args.jobs,
                  LIMIT + PER_JOB * args.jobs)
    print(f"all have, {time.monotonic() - started:.0f} s later")
    queues.await_used(ns, 0)
    ns.fixture.record.check([ns], CPUS)
    print(f"at no moment more than {CPUS} pods, none without an admission")
    for job, kind in load.jobs.items():
        ns.client.delete(ns.of(kind, job))
    wait_for("the Workloads to go", lambda: not ns.client.get(
        ns.at(queues.API, "workloads"))["items"], LIMIT)
    print("no Workload is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seed", type=int,
                        default=random.SystemRandom().randrange(10 ** 6))
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    end_in_order()
    print(f"seed {args.seed}", flush=True)
    fixture = Queueing(args.troupe, [])
    with fixture:
        try:
            play(fixture, args)
        except BaseException:
            print(fixture.report())
            raise
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main))
