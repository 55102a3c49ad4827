#!/usr/bin/python3
"""How fast many jobs go through a queue of Kueue's, by who keeps Workloads.

1,000 TFJobs of 4 pods, for which there is quota for 400, on kwok's nodes; the
queue is opened when all of them wait in it:

* own: the operator keeps the Workloads;
* integration: Kueue's own integration does, beside this operator;
* original: the same beside the training operator v1.9.4.

Of each: seconds until all wait in the queue, seconds from its opening until
all have succeeded, CPU, and how many writes the API server was asked for (where
others use the machine, too, they say more than seconds).

    through_queue.py [--jobs 1000] [--pods 4] [--quota 400] [--only NAME]
              [--json FILE] [--troupe FILE]

Exit codes: 0, 1, or 77.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import sys
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in (
    "queueing", "cluster")]

from queueing import (Queueing, QueueingNamespace, STAGES,  # noqa: E402
                      queued)

import kueue  # noqa: E402
import needs  # noqa: E402
import queues  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane import controllers  # noqa: E402
from jobs.kinds import TF  # noqa: E402
from meter import cpu_seconds, difference, served  # noqa: E402
from operators.shipped import TROUPE  # noqa: E402
from operators.training_operator import TrainingOperator  # noqa: E402
from process import end_in_order  # noqa: E402

INTEGRATION = ["batch/job", "kubeflow.org/tfjob"]
FASTER = ["--controller-threads", "10", "--kube-api-qps", "500",
          "--kube-api-burst", "1000"]
RUNS = "500ms"  # of a pod
AT_ONCE = 16  # jobs that are being made
LIMIT = 3600  # seconds for anything


def add_nodes(client, pods):
    """So that a scheduler never waits for a place."""
    for index in range(8):
        node = controllers.node(f"large-{index}", cpu=1000,
                                labels={"flavor": kueue.FLAVOR},
                                taints=[kueue.TAINT])
        for part in ("capacity", "allocatable"):
            node["status"][part]["pods"] = str(pods)
        client.post(kueue.NODES, node)


@contextlib.contextmanager
def troupe(args, frameworks):
    fixture = Queueing(args.troupe, ["--kueue=auto"], recorded=False,
                       frameworks=frameworks)
    with fixture:
        yield types.SimpleNamespace(
            client=fixture.client, kueue=fixture.kueue, cluster=fixture.cluster,
            child=fixture.operator.child, operator=fixture.operator)


@contextlib.contextmanager
def original(_):
    needs.programs("unshare")
    cluster = Cluster(controllers=True)
    cluster.controllers.stages = STAGES
    manager = kueue.Kueue(cluster, frameworks=INTEGRATION)
    with cluster:
        operator = TrainingOperator(cluster)
        operator.child.args += FASTER
        try:
            operator.install()
            manager.start()
            operator.start()
            yield types.SimpleNamespace(
                client=cluster.client, kueue=manager, cluster=cluster,
                child=operator.child, operator=None)
        finally:
            operator.child.stop()
            manager.stop()


CONTENDERS = {
    "own": lambda args: troupe(args, ["batch/job"]),
    "integration": lambda args: troupe(args, INTEGRATION),
    "original": original}


def post_all(ns, args, **more):
    """The jobs, in their order."""
    def post(index):
        ns.post(TF, queued(
            TF, f"job-{index:04}", {"cleanPodPolicy": "None",
                                    **more.get("policy", {})},
            counts={"Worker": args.pods}, runs=RUNS,
            queue=more.get("queue", "queue")))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(post, range(args.jobs)))


def state(ns, name):
    """A count of the ClusterQueue's status."""
    return ns.client.get(queues.cluster_queue(ns.name)).get("status", {}).get(
        name, 0)


def workloads(ns):
    """How many there are. To list all would cost more than what is measured."""
    answer = ns.client.get(ns.at(kueue.API, "workloads") + "?limit=1")
    return len(answer["items"]) + answer["metadata"].get(
        "remainingItemCount", 0)


def processes(place):
    """name -> pid of what is measured. Kueue's is that of its shell, which has
    become Kueue."""
    return {"operator": place.child.pid, "API server":
            place.cluster.server.pid, "Kueue": place.kueue.child.pid}


def measure(name, args):
    with CONTENDERS[name](args) as place:
        add_nodes(place.client, args.jobs * args.pods)
        ns = QueueingNamespace(place)
        queues.make(ns, args.quota)
        queues.stop(ns, "Hold")
        start = time.monotonic()
        post_all(ns, args)
        wait_for("all jobs to wait in the queue",
                 lambda: workloads(ns) == args.jobs, LIMIT, 1)
        result = {"waiting": time.monotonic() - start}
        print(f"  {name}: {result}", file=sys.stderr, flush=True)
        before = {what: cpu_seconds(pid)
                  for what, pid in processes(place).items()}
        asked = served(place.cluster)
        start = time.monotonic()
        queues.stop(ns, "None")
        wait_for("the queue to fill", lambda: state(ns, "admittedWorkloads"),
                 LIMIT)
        wait_for("the queue to be empty", lambda: not state(
            ns, "pendingWorkloads") and not state(ns, "reservingWorkloads"),
            LIMIT, 0.5)
        wait_for("all jobs to have succeeded", lambda: succeeded(ns)
                 == args.jobs, LIMIT, 1)
        result["through"] = time.monotonic() - start
        result["cpu"] = {what: cpu_seconds(pid) - before[what]
                         for what, pid in processes(place).items()}
        result["requests"] = difference(served(place.cluster), asked)
        if place.operator:
            result["peak"] = place.operator.memory()[1]
        return result


def succeeded(ns):
    return sum(kueue.is_true(job, "Succeeded")
               for job in ns.client.get(ns.of(TF))["items"])


def writes(requests):
    """How many of `VERB resource` -> count were no reads."""
    return sum(count for request, count in requests.items()
               if request.split()[0] not in ("GET", "LIST", "WATCH"))


def report(results, args):
    print(f"{args.jobs} jobs of {args.pods} pods, quota for {args.quota} pods\n"
          "| Workloads | s until all wait | s from opening to the end | CPU s: "
          "operator | API server | Kueue | writes of a job, of all programs |\n"
          "|---|---|---|---|---|---|---|")
    for name, one in results.items():
        cpu = one["cpu"]
        print(f"| {name} | {one['waiting']:.1f} | {one['through']:.1f} | "
              f"{cpu['operator']:.1f} | {cpu['API server']:.1f} | "
              f"{cpu['Kueue']:.1f} | "
              f"{writes(one['requests']) / args.jobs:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=4)
    parser.add_argument("--quota", type=int, default=400)
    parser.add_argument("--only", action="append", metavar="NAME",
                        choices=CONTENDERS)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    end_in_order()
    results = {}
    for name in args.only or CONTENDERS:
        results[name] = measure(name, args)
        print(f"  {name}: {results[name]}", file=sys.stderr, flush=True)
    report(results, args)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
