#!/usr/bin/python3
"""Plays the lives of jobs while a call or watch of each, or two, go wrong.

    run.py                     all plans
    run.py --each-once         each fault at each sort of call, the kinds in turn
    run.py --minutes 10        as many as fit, in an order from --seed
    run.py --shard 3/10        the third of ten parts
    run.py --plan 17 --plan 18 only these
    run.py --pairs 300         lives of two faults, chosen by --seed; with
                               --each-once, after those
    run.py --plan 17+233 --plan 17+next1.4
                               those in which these two go wrong
    run.py --only killed       those whose text has this in it
    run.py --list              says all plans, plays none
    run.py --record            writes the records again, see plans.py

The last line is `N passed, N failed`. Exit codes: 0, 1, or 77 where no cluster
can be had.
"""

import argparse
import concurrent.futures
import contextlib
import itertools
import multiprocessing
import os
import random
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import kueue_definitions  # noqa: E402
import needs  # noqa: E402
import plans  # noqa: E402
from cluster import Cluster  # noqa: E402
from coordinator_life import CoordinatorLife  # noqa: E402
from fault_proxy import Upstream  # noqa: E402
from jobs import pod_groups  # noqa: E402
from life import Life  # noqa: E402
from mpi_ssh_life import MpiSshLife  # noqa: E402
from lives import COSCHEDULING, LIVES, VOLCANO  # noqa: E402
from operators.shipped import TROUPE  # noqa: E402
from process import die_with_parent, end_in_order  # noqa: E402
from queued_life import QueuedLife  # noqa: E402
from replica_life import ReplicaLife  # noqa: E402
from reported_life import ReportedLife, StalledLife  # noqa: E402
from restarted_life import NotedLife, RestartedLife  # noqa: E402
from tasks_life import TasksLife  # noqa: E402

RECORDED = 4  # lives from which a record is made


CLASSES = {"DIJob": CoordinatorLife, "DIJob-replicas": ReplicaLife,
           "DIJob-tasks": TasksLife, "MPIJob-ssh": MpiSshLife,
           "TFJob-queued": QueuedLife,
           "PyTorchJob-restarted": RestartedLife,
           "PyTorchJob-noted": NotedLife,
           "PyTorchJob-reported": ReportedLife,
           "PyTorchJob-stalled": StalledLife}


class Worker:
    """Plays one life at a time, in a process of its own."""

    def __init__(self, clusters, troupe):
        self.clusters, self.troupe = clusters, troupe
        self.upstreams, self.numbers = {}, itertools.count(1)

    def life(self, name, plan=None):
        cluster = self.clusters[LIVES[name].define]
        if cluster not in self.upstreams:
            self.upstreams[cluster] = Upstream(cluster.client)
        return CLASSES.get(name, Life)(
            cluster, self.upstreams[cluster], name, plan, self.troupe,
            next(self.numbers))

    def undisturbed(self, name):
        """What it leaves, and the calls that it made."""
        life = self.life(name)
        result, failure = played(life, life.play_undisturbed)
        if failure:
            raise RuntimeError(f"{name}: {failure}")
        return result, dict(life.proxy.seen)

    def disturbed(self, plan, reference):
        """(whether the fault has happened, what went wrong or "")."""
        life = self.life(plan.life, plan)
        _, failure = played(life, lambda: life.play(reference))
        return life.proxy.has_met_all(), failure


def played(life, play):
    """(result, what went wrong or "")."""
    try:
        life.begin()
        return play(), ""
    except Exception as error:  # some cannot be sent between processes
        return None, f"{type(error).__name__}: {error}\n{life.report()}"
    finally:
        life.close()


WORKER = None  # of this process


def start_worker(clusters, troupe):
    global WORKER
    die_with_parent()
    # The pool would wait for a process that answers SIGTERM with an exception.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for cluster in clusters.values():
        cluster.client.forget_connections()
    WORKER = Worker(clusters, troupe)


def undisturbed(name):
    return WORKER.undisturbed(name)


def disturbed(plan, reference):
    return WORKER.disturbed(plan, reference)


# -- the command line -------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--plan", action="append", default=[])
    parser.add_argument("--each-once", action="store_true")
    parser.add_argument("--pairs", type=int, default=0, metavar="N")
    parser.add_argument("--only", default="", metavar="PART")
    parser.add_argument("--life", action="append", choices=list(LIVES))
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--seed", type=int, default=1,
                        help="of the order, so of the shards, and of pairs")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=6,
                        help="lives that are played at a time")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


def chosen(args):
    singles = plans.all_plans()
    if args.plan:
        return [plans.named(text, singles) for text in args.plan]
    found = [p for p in singles if not args.life or p.life in args.life]
    pairs = plans.pairs(found, args.pairs, args.seed) if args.pairs else []
    if args.each_once:
        found = plans.each_once(found)
    elif args.pairs:
        found = []
    if not args.list:
        random.Random(args.seed).shuffle(found)
    found = [p for p in found + pairs if args.only in plans.describe(p)]
    part, parts = map(int, args.shard.split("/"))
    return found[part - 1::parts]


def record(args, pool):
    names = args.life or list(LIVES)
    lives = {name: [pool.submit(undisturbed, name) for _ in range(RECORDED)]
             for name in names}
    for name, futures in lives.items():
        plans.write_record(name, [f.result()[1] for f in futures])
        print(f"{name}: recorded", flush=True)
    return 0


def warn_of_calls_that_did_not_come(name, seen):
    for call, count in plans.read_record(name).items():
        if seen.get(call, 0) < count:
            print(f"{name}: the record has {' '.join(call)} {count}, but "
                  f"it came {seen.get(call, 0)} times", flush=True)


def share(args, todo):
    """What these are of all, in words."""
    text = ""
    if args.each_once:
        singles = [plan for plan in todo if isinstance(plan, plans.Plan)]
        sorts = len({plans.sort_of(plan) for plan in singles})
        text = (f" of {len(plans.all_plans())}: each of {sorts} faults and "
                f"sorts of call once, the {len({p.life for p in singles})} "
                "lives in turn; `make faults` plays all")
    if args.pairs:
        pairs = sum(isinstance(plan, plans.Pair) for plan in todo)
        text += f"; {pairs} of two faults"
    return text


class Results:
    """Counts the lives that have been played, and says what is to be known."""

    def __init__(self, says_all):
        self.says_all = says_all
        self.passed = self.failed = self.idle = 0

    def add(self, plan, fired, failure):
        self.idle += not fired
        self.passed += not failure
        self.failed += bool(failure)
        state = f"FAIL {failure}" if failure else "ok  "
        text = "" if fired else " (its call was not made)"
        if failure or not fired or self.says_all:
            print(f"{state} {plans.describe(plan)}{text}", flush=True)
        if failure:
            print("repeat it: tests/faults/run.py --plan "
                  + plans.name(plan), flush=True)


def play(args, todo, pool):
    """Plays each as soon as the undisturbed life of its name is known."""
    print(f"{len(todo)} plans{share(args, todo)}, seed {args.seed}", flush=True)
    start = time.monotonic()
    results, reference, waiting = Results(bool(args.plan)), {}, list(todo)
    undisturbed_lives = {pool.submit(undisturbed, name): name
                         for name in sorted({p.life for p in todo})}
    disturbed_lives, end = {}, None  # end: of the minutes, from the first on
    while True:
        if end and time.monotonic() > end:
            waiting = []
        under_way = len(undisturbed_lives) + len(disturbed_lives)
        playable = (plan for plan in waiting if plan.life in reference)
        for plan in list(itertools.islice(playable,
                                          max(args.jobs - under_way, 0))):
            end = end or time.monotonic() + 60 * args.minutes
            waiting.remove(plan)
            disturbed_lives[pool.submit(disturbed, plan,
                                        reference[plan.life])] = plan
        if not undisturbed_lives and not disturbed_lives:
            break
        done, _ = concurrent.futures.wait(
            [*undisturbed_lives, *disturbed_lives],
            return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            if name := undisturbed_lives.pop(future, None):
                reference[name], seen = future.result()
                warn_of_calls_that_did_not_come(name, seen)
            else:
                results.add(disturbed_lives.pop(future), *future.result())
    print(f"{time.monotonic() - start:.0f} s; in {results.idle} lives the call "
          "of the plan was not made")
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


def start_clusters(stack, lives):
    """How a life's definitions are made -> the cluster that has them."""
    clusters = {}
    for define in {LIVES[name].define for name in lives}:
        cluster = clusters[define] = stack.enter_context(Cluster(crds=True))
        if define:
            define(cluster)
        else:
            for api_version in (VOLCANO, COSCHEDULING):
                pod_groups.define(cluster, api_version)
            kueue_definitions.define(cluster)
    return clusters


def main():
    args = parse()
    if args.list:
        for plan in chosen(args):
            print(plans.describe(plan))
        return 0
    end_in_order()
    todo = [] if args.record else chosen(args)
    lives = (args.life or list(LIVES)) if args.record else \
        {plan.life for plan in todo}
    with contextlib.ExitStack() as stack:
        clusters = start_clusters(stack, lives)
        pool = stack.enter_context(concurrent.futures.ProcessPoolExecutor(
            args.jobs, multiprocessing.get_context("fork"), start_worker,
            (clusters, args.troupe)))
        return record(args, pool) if args.record else play(args, todo, pool)


if __name__ == "__main__":
    sys.exit(needs.exit_code(main))
