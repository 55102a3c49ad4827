#!/usr/bin/python3
"""How fast and how frugal the operator is, beside what is possible at all.

For each load (jobs x pods of a job) on a fresh cluster each:

* the floor: a bare client writes the same objects, with 16 and with 64
  connections; the better counts. No operator on this machine can be faster.
* the operator: seconds from the first job to the last pod, service and what
  else jobs of the kind have (MPIJob: four objects, but no services), its
  CPU and peak memory, its requests by verb; requests in quiet seconds; then
  all pods Running, then all Succeeded, with the status writes of each.

A load is `1000x4`, of TFJobs, or names its kind: `1000x4:PyTorchJob`. The
jobs of `1000x4:mix` are of all kinds in turn.

    bench.py [--load 1x1000] [--quiet 30] [--json FILE] [--troupe FILE]
    bench.py --embedded      1000x4 on `troupe up`'s own API server instead

Exit codes: 0 (a missed target is printed, not judged), 1, or 77: no cluster.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets  # noqa: E402
from cluster import REPOSITORY, Cluster, wait_for  # noqa: E402
from meter import Load, Meter, flags  # noqa: E402
from process import Child, end_in_order  # noqa: E402
from report import EMBEDDED, judged, report  # noqa: E402
from shipped import TROUPE, Operator  # noqa: E402

LOADS = ("1x1000", "100x8", "1000x4", "1000x4:PyTorchJob", "1000x4:MPIJob",
         "1000x4:mix")
CONNECTIONS = (16, 64)


def build_floor():
    """Builds the load generator; returns its path."""
    out = os.path.join(REPOSITORY, "build", "bench", "floor")
    try:
        subprocess.run(["go", "build", "-o", out, "."], check=True,
                       cwd=os.path.join(HERE, "floor"),
                       env=dict(os.environ, GOFLAGS="", GOWORK="off"))
    except FileNotFoundError:
        raise assets.Missing("no Go to build the load generator")
    return out


def refused(floor, loads):
    """Why one of the loads cannot be, or None."""
    for load in loads:
        try:
            done = subprocess.run([floor, *flags(load), "check"], text=True,
                                  stderr=subprocess.PIPE)
        except ValueError as error:
            return str(error)
        if done.returncode:
            return f"{load}: {done.stderr.strip()}"
    return None


@contextlib.contextmanager
def calm_cluster():
    """A server ends all watches of a kind a second after it learnt of it:
    with that behind it, every run meets the same."""
    with Cluster(crds=True) as cluster:
        time.sleep(2)
        yield cluster


def measure_floor(floor, load):
    """Seconds by number of connections."""
    seconds = {}
    for connections in CONNECTIONS:
        with calm_cluster() as cluster:
            play = Load(floor, cluster.kubeconfig, load)
            seconds[connections] = play("create", "-write",
                                        connections)["seconds"]
    return seconds


def measure_operator(floor, load, args):
    with calm_cluster() as cluster:
        operator = Operator(cluster.kubeconfig, cluster.path("operator.log"),
                            args.troupe, args.operator_argument)
        with operator:
            play = Load(floor, cluster.kubeconfig, load)
            meter = Meter(cluster, operator)
            result = {"start_mib": operator.memory()[0]}
            result["create"] = meter.part(play("create"))
            print(f"  {load}: all created", file=sys.stderr, flush=True)
            result["quiet"] = meter.quiet(args.quiet)
            for phase in ("Running", "Succeeded"):
                result[phase.lower()] = meter.part(
                    play("phase", "-phase", phase))
                print(f"  {load}: all {phase}", file=sys.stderr, flush=True)
            return result


# -- the embedded API server -------------------------------------------------

def kubeconfig_in(log):
    """The first existing file that the output names."""
    with open(log, errors="replace") as file:
        for word in re.split(r"[\s'\"`=,]+", file.read()):
            if word.startswith("/") and os.path.isfile(word):
                return word
    return None


def measure_embedded(floor, load, args):
    with tempfile.TemporaryDirectory(prefix="troupe-bench-") as folder:
        log = os.path.join(folder, "up.log")
        child = Child([args.troupe, "up", "--no-node", *args.operator_argument],
                      log)
        child.start()
        try:
            def started():
                if not child.running():
                    raise RuntimeError("troupe up ended:\n" + child.tail())
                return kubeconfig_in(log)

            path = wait_for("troupe up to print a kubeconfig", started, 60)
            result = Load(floor, path, load)("create")
            with open(f"/proc/{child.pid}/status") as file:
                peak = re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)
            result["peak_mib"] = int(peak) / 1024
            return result
        finally:
            child.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--load", action="append", metavar="JOBSxPODS[:KIND]",
                        help="instead of " + ", ".join(LOADS))
    parser.add_argument("--quiet", type=int, default=30, metavar="SECONDS")
    parser.add_argument("--json", metavar="FILE", default=os.path.join(
        REPOSITORY, "build", "bench", "bench.json"))
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--operator-argument", action="append", default=[],
                        metavar="ARG", help="handed on to the operator")
    parser.add_argument("--embedded", action="store_true")
    args = parser.parse_args()
    end_in_order()
    results = {}
    try:
        floor = build_floor()
        loads = args.load or (["1000x4"] if args.embedded else LOADS)
        refusal = refused(floor, loads)
        if refusal:
            parser.error(refusal)
        for load in loads:
            if args.embedded:
                results[load] = made = measure_embedded(floor, load, args)
                print(f"{load} on the embedded API server: "
                      f"{judged(made['seconds'], EMBEDDED)} s to all "
                      f"{made['objects']} objects, "
                      f"{made['peak_mib']:.0f} MiB at the peak")
            else:
                results[load] = {"floor": measure_floor(floor, load)}
                print(f"  {load}: floor {results[load]['floor']}",
                      file=sys.stderr, flush=True)
                results[load]["operator"] = measure_operator(floor, load, args)
    except assets.Missing as lack:
        print(f"SKIPPED, NOTHING WAS MEASURED: {lack}", file=sys.stderr)
        return assets.SKIPPED
    if not args.embedded:
        report(results)
    os.makedirs(os.path.dirname(os.path.abspath(args.json)), exist_ok=True)
    with open(args.json, "w") as file:
        json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
