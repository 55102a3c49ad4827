#!/usr/bin/python3
"""How soon a laptop has a cluster, and how fast that one is: `troupe up`,
beside what else simulates nodes: etcd, kube-apiserver, kube-controller-manager,
kube-scheduler and kwok, with `troupe operator`.

    laptop.py [--load 1000x4:TFJob] [--repeat 3] [--troupe FILE]

Of each, in turn: seconds from the start of the first program until a pod of a
TFJob runs, seconds from the first job of the load to its last pod and service,
CPU seconds until then and MiB of all programs together. The nodes of both are
simulated: pods run nothing. Exit codes: 0 (nothing is judged), 1, or 77: no
cluster.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from bench import BIG, build_loadgen, kubeconfig_in, median  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane.client import Client  # noqa: E402
from control_plane.controllers import node  # noqa: E402
from meter import Load, cpu_seconds, peak_mib  # noqa: E402
from operators.operator_fixture import CORE, JOBS, tfjob  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from process import Child, end_in_order  # noqa: E402
from report import row  # noqa: E402

LIMIT = 120  # seconds
PAUSE = 0.005  # seconds between two looks: what is waited for takes 0.1
NODES = 10  # of kwok, for 500 pods each


@contextlib.contextmanager
def embedded(troupe):
    """(kubeconfig, programs) of `troupe up`."""
    with tempfile.TemporaryDirectory(prefix="troupe-bench-") as folder:
        child = Child([troupe, "up", "--node", "simulated",
                       "--simulated-run-time", "0s"],
                      os.path.join(folder, "up.log")).start()
        try:
            def started():
                if not child.running():
                    raise RuntimeError("troupe up ended:\n" + child.tail())
                return kubeconfig_in(child.log)

            yield wait_for("a kubeconfig", started, LIMIT, PAUSE), [child]
        finally:
            child.stop()


@contextlib.contextmanager
def with_kwok(troupe):
    """(kubeconfig, programs) of a cluster with an operator."""
    with Cluster(crds=True, controllers=True) as cluster:
        for number in range(NODES):
            cluster.client.post("/api/v1/nodes", node(f"node-{number}"))
        with Operator(cluster.kubeconfig, cluster.path("operator.log"),
                      troupe) as operator:
            yield cluster.kubeconfig, [
                cluster.etcd, cluster.server, operator.child,
                *cluster.controllers.children]


SIDES = {"troupe up": embedded, "kube-apiserver and kwok": with_kwok}


def await_first_pod(kubeconfig):
    client = Client(kubeconfig)
    client.post(JOBS, tfjob("first", workers=1))
    wait_for("a pod that runs", lambda: any(
        pod.get("status", {}).get("phase") == "Running"
        for pod in client.get(CORE + "/pods")["items"]), LIMIT, PAUSE)


def measure(side, loadgen, load, troupe):
    start = time.monotonic()
    with side(troupe) as (kubeconfig, programs):
        await_first_pod(kubeconfig)
        first = time.monotonic() - start
        pids = [program.pid for program in programs]
        before = sum(map(cpu_seconds, pids))
        created = Load(loadgen, kubeconfig, load)("create")
        return {"first_pod": first, "seconds": created["seconds"],
                "cpu": sum(map(cpu_seconds, pids)) - before,
                "peak_mib": sum(map(peak_mib, pids))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--load", default=BIG[0], metavar="JOBSxPODS[:KIND]")
    parser.add_argument("--repeat", type=int, default=1, metavar="TIMES")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    end_in_order()
    runs = {name: [] for name in SIDES}
    loadgen = build_loadgen()
    for _ in range(args.repeat):
        for name, side in SIDES.items():
            runs[name].append(
                measure(side, loadgen, args.load, args.troupe))
            print(f"  {name}: {runs[name][-1]}", file=sys.stderr)
    row(args.load, "first pod runs", "all created", "CPU", "peak")
    row(*["---"] * 5)
    for name, results in runs.items():
        one = median(results, lambda run: run["seconds"])
        row(name, f"{one['first_pod']:.2f} s", f"{one['seconds']:.2f} s",
            f"{one['cpu']:.1f} s", f"{one['peak_mib']:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
