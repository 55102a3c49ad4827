#!/usr/bin/python3
"""What the Jobs and Secrets of others cost the operator, which has some itself.

    foreign.py [--count 10000] [--keys 1000] [--rest 30] [--starts 5]
               [--troupe FILE]

On one API server with all that is installed, without a Job controller: first
none, then as many Jobs and Secrets, then Secrets of the type beside that the
keys of MPIJobs have. Two rows for each: of the operator that was running while
they came, and of one that has started beside them. What it took until it was
idle: CPU and requests; then its memory, and how much that is more than before,
or than of one that started beside less (the median of some starts, which differ
by a MiB); its CPU and requests in seconds of rest. Exit codes: 0 (nothing is
judged), 1, or 77: no cluster.
"""

import argparse
import base64
import concurrent.futures
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane import accounts  # noqa: E402
from meter import difference  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import CORE  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from process import end_in_order, free_port  # noqa: E402
from report import marked, row  # noqa: E402

JOBS = "/apis/batch/v1/namespaces/default/jobs"
SECRETS = CORE + "/secrets"
LIMIT = 600      # seconds until the operator is idle
IDLE = 3         # seconds without CPU that was more than a tick of the clock
TICK = 0.02
CONNECTIONS = 8
MEMORY = 1       # MiB: to reach
TEXT = base64.b64encode(b"x" * 300).decode()


def job(number):
    """As Jobs are: with labels, a template, volumes. It makes no pods."""
    labels = {"app": "batch", "team": f"team-{number % 7}"}
    return {"metadata": {"name": f"batch-{number}", "labels": labels}, "spec": {
        "suspend": True, "template": {"metadata": {"labels": labels}, "spec": {
            "restartPolicy": "Never", "containers": [{
                "name": "main", "image": "registry.example/batch:1",
                "command": ["sh", "-c", "exit 0"],
                "env": [{"name": "NUMBER", "value": str(number)}],
                "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumes": [{"name": "data", "emptyDir": {}}]}}}}


def secret(number):
    return {"metadata": {"name": f"token-{number}", "labels": {"app": "batch"}},
            "type": "Opaque", "data": {"token": TEXT}}


def ssh_key(number):
    return {"metadata": {"name": f"key-{number}", "labels": {"app": "git"}},
            "type": "kubernetes.io/ssh-auth", "data": {"ssh-privatekey": TEXT}}


def create(client, path, make, count):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        for _ in pool.map(lambda n: client.post(path, make(n)), range(count)):
            pass


def wait_until_idle(operator):
    def idle():
        before = operator.cpu()
        time.sleep(IDLE)
        return operator.cpu() - before <= TICK

    wait_for("the operator to be idle", idle, LIMIT)


class Measure:
    """Prints a row for what an operator has done since it was started, or since
    the last row."""

    def __init__(self, operator, rest):
        self.operator, self.rest = operator, rest
        self.cpu, self.requests, self.memory = 0.0, {}, 0.0

    def row(self, does, beside, memory=None, before=None):
        """`memory`: of several such operators, `before`: what it was before."""
        wait_until_idle(self.operator)
        self.memory = self.operator.memory()[0]
        cpu, requests = self.operator.cpu(), self.operator.requests()
        time.sleep(self.rest)
        resting = self.operator.cpu() - cpu
        more = difference(self.operator.requests(), requests)
        memory = memory or self.memory
        row(does, beside, f"{cpu - self.cpu:.2f} s",
            str(sum(difference(requests, self.requests).values())),
            f"{memory:.2f} MiB", "-" if before is None else marked(
                memory - before, MEMORY, "{:+.2f} MiB"), f"{resting:.2f} s",
            str(sum(more.values())))
        sys.stdout.flush()
        self.cpu, self.requests = self.operator.cpu(), self.operator.requests()


def installed(cluster, troupe):
    """Makes operators of the cluster, which has all that is installed."""
    shipped_objects.apply(cluster)
    accounts.write_kubeconfig(cluster, shipped_objects.NAMESPACE,
                              shipped_objects.ACCOUNT)
    port = free_port()
    return lambda: Operator(
        cluster.path(shipped_objects.KUBECONFIG), cluster.path("operator.log"),
        troupe, ["--webhook-url", f"https://127.0.0.1:{port}"], port)


def memory_of_a_start(operator):
    with operator:
        wait_until_idle(operator)
        return operator.memory()[0]


def measure(args):
    steps = [("none", []),
             (f"{args.count} Jobs, {args.count} Secrets",
              [(JOBS, job, args.count), (SECRETS, secret, args.count)]),
             (f"and {args.keys} Secrets of type ssh-auth",
              [(SECRETS, ssh_key, args.keys)])]
    with Cluster() as cluster:
        make_operator = installed(cluster, args.troupe)
        memory_of_a_start(make_operator())  # Which makes the certificates.
        row("the operator", "beside", "CPU", "requests", "memory", "more",
            f"CPU in {args.rest:g} s of rest", "requests in them")
        row(*["---"] * 8)
        before = None
        for number, (beside, _) in enumerate(steps):
            memory = statistics.median(memory_of_a_start(make_operator())
                                       for _ in range(args.starts))
            with make_operator() as operator:
                measure = Measure(operator, args.rest)
                measure.row("has started", beside, memory, before)
                before = memory
                for later, objects in steps[number + 1:number + 2]:
                    for path, make, count in objects:
                        create(cluster.client, path, make, count)
                    measure.row("goes on", later, before=measure.memory)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--rest", type=float, default=30, metavar="SECONDS")
    parser.add_argument("--starts", type=int, default=5, metavar="TIMES")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    end_in_order()
    return measure(parser.parse_args())


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
