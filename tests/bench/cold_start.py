#!/usr/bin/python3
"""How soon an operator is ready beside jobs that are there already.

    cold_start.py [--load 10000x4:TFJob] [--repeat 5] [--troupe FILE]

The jobs are made once on `troupe up`, whose data is kept; it starts again with
them, without operator and node, and an operator is started and stopped beside
it. Of each start: seconds until /readyz says so (every list was read), and what
it cost operator and API server in CPU and memory. Exit codes: 0 (nothing is
judged), or 1.
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
from bench import build_loadgen, kubeconfig_in  # noqa: E402
from cluster import wait_for  # noqa: E402
from control_plane.client import Client  # noqa: E402
from meter import Load, cpu_seconds, peak_mib  # noqa: E402
from operators.operator_fixture import CORE  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from process import Child, end_in_order  # noqa: E402
from report import row  # noqa: E402

LIMIT = 600   # seconds for each step
PAUSE = 0.01  # seconds between two looks at /readyz
IDLE = 0.02   # of a core: nothing is left to do


@contextlib.contextmanager
def cluster(troupe, data, log, *more):
    """(kubeconfig, program) of `troupe up` with the data of this directory."""
    child = Child([troupe, "up", "--data", data, *more], log).start()
    try:
        def started():
            if not child.running():
                raise RuntimeError("troupe up ended:\n" + child.tail())
            return kubeconfig_in(child.log)

        yield wait_for("a kubeconfig", started, LIMIT), child
    finally:
        child.stop()


def wait_until_idle(child):
    def idle():
        before = cpu_seconds(child.pid)
        time.sleep(1)
        return cpu_seconds(child.pid) - before < IDLE

    wait_for("nothing to be left to do", idle, LIMIT)


def make_jobs(troupe, data, log, load):
    ports = [argument for which in ("admin", "metrics", "health-probe",
                                    "di-server")
             for argument in (f"--{which}-bind-address", "127.0.0.1:0")]
    jobs, pods = load.split(":")[0].split("x")
    with cluster(troupe, data, log, "--no-node", *ports) as (kubeconfig, child):
        Load(build_loadgen(), kubeconfig, load)("create")
        wait_until_idle(child)
        page = Client(kubeconfig).get(CORE + "/pods?limit=1")
        left = page["metadata"].get("remainingItemCount", 0)
        if left + 1 != int(jobs) * int(pods):
            raise RuntimeError(f"{left + 1} pods are there")


def measure_start(troupe, kubeconfig, server, log):
    before = cpu_seconds(server.pid)
    operator = Operator(kubeconfig, log, troupe)
    start = time.monotonic()
    operator.child.start()
    try:
        wait_for("the operator to be ready", operator.ready, LIMIT, PAUSE)
        result = {"seconds": time.monotonic() - start,
                  "cpu": cpu_seconds(operator.child.pid),
                  "peak_mib": peak_mib(operator.child.pid),
                  "server_cpu": cpu_seconds(server.pid) - before,
                  "server_peak_mib": peak_mib(server.pid)}
        wait_until_idle(operator.child)  # So the next one finds the Lease free.
        return result
    finally:
        operator.child.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--load", default="10000x4:TFJob",
                        metavar="JOBSxPODS[:KIND]")
    parser.add_argument("--repeat", type=int, default=5, metavar="TIMES")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    args = parser.parse_args()
    end_in_order()
    with tempfile.TemporaryDirectory(prefix="troupe-bench-") as folder:
        def path(name):
            return os.path.join(folder, name)

        make_jobs(args.troupe, path("data"), path("first.log"), args.load)
        row(args.load, "ready", "CPU", "peak", "API server")
        row(*["---"] * 5)
        with cluster(args.troupe, path("data"), path("up.log"), "--no-node",
                     "--no-operator") as (kubeconfig, server):
            wait_until_idle(server)
            for number in range(args.repeat):
                one = measure_start(args.troupe, kubeconfig, server,
                                    path("operator.log"))
                row(f"start {number + 1}", f"{one['seconds']:.2f} s",
                    f"{one['cpu']:.2f} s", f"{one['peak_mib']:.0f} MiB",
                    f"{one['server_cpu']:.2f} s, "
                    f"{one['server_peak_mib']:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
