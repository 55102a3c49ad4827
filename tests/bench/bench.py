#!/usr/bin/python3
"""How fast and how frugal the operator is, beside what is possible at all.

For each load (jobs x pods of a job), on a fresh cluster each that is idle:

* the baseline: a bare client writes the same objects, with 16 and with 64
  connections, in JSON and in protobuf, and watches what the operator watches; the
  best of the four counts.
* the operator: seconds from the first job to the last pod, service and what
  else jobs of the kind have (MPIJob: four objects, but no services), its
  CPU and peak memory, its requests by verb; requests in quiet seconds; then
  all pods Running, then all Succeeded, with the status writes of each.
* what either cost the API server and its etcd in CPU.
* with MPIJobs of v2beta1, the MPI operator itself: as fast as its flags let it
  be, and with those that it has by itself, for two minutes.

A load is `1000x4`, of TFJobs, or names its kind: `1000x4:PyTorchJob`. The
jobs of `1000x4:mix` are of seven kinds in turn, those of `1000x4:MPIJob2` are
MPIJobs of v2beta1. Of these the launchers' pods, which the Job controller makes,
are not there before the part in which all are Running; then the load generator
makes them.

With --repeat the five take turns, and of each the median in seconds counts.

    bench.py [--load 1x1000] [--repeat 3] [--created] [--quiet 30]
             [--json FILE] [--troupe FILE]
    bench.py --embedded      1000x4 on `troupe up`'s own API server instead

Exit codes: 0 (a missed target is printed, not marked), 1, or 77: no cluster.
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
import needs  # noqa: E402
from cluster import REPOSITORY, Cluster, wait_for  # noqa: E402
from meter import Load, Meter, cpu_seconds, flags, peak_mib  # noqa: E402
from operators.mpi_operator import FAST as AT_FULL_SPEED  # noqa: E402
from operators.mpi_operator import MpiOperator  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from process import Child, end_in_order  # noqa: E402
from report import BIG, EMBEDDED, marked, report  # noqa: E402

LOADS = tuple(f"{size}:{kind}" for kind in ("TFJob", "PyTorchJob", "MPIJob")
              for size in ("1x1000", "100x8", "1000x4")) + (
                  "1000x4:MPIJob2", "1000x4:mix")
ORIGINALS = {"MPIJob2": {  # of MPI operators: arguments, the generator's flags
    "at full speed": (AT_FULL_SPEED, ()),
    "as it is": ((), ("-limit", "2m", "-partly"))}}
BASELINES = tuple((encoding, connections) for encoding in ("JSON", "protobuf")
                  for connections in (16, 64))

IDLE_AFTER = 10    # seconds after the definitions were made, at least
IDLE_LIMIT = 120   # seconds until a server that does not is used as it is
FAST = 0.5            # seconds; a write that is held up takes two
IDLE_CPU = 0.25           # of a core, in the second of a probe


def build_loadgen():
    """Builds the load generator; returns its path."""
    out = os.path.join(REPOSITORY, "build", "bench", "loadgen")
    def go(*arguments):
        return subprocess.run(["go", *arguments], cwd=os.path.join(HERE, "loadgen"),
                              env=dict(os.environ, GOFLAGS="", GOWORK="off"))

    try:
        if go("mod", "download").returncode:
            raise needs.Missing("no modules to build the load generator with",
                                "let Go reach them (GOPROXY)")
        go("build", "-o", out, ".").check_returncode()
    except FileNotFoundError:
        raise needs.Missing("no Go to build the load generator", assets.GO)
    return out


def refused(loadgen, loads):
    """Why one of the loads cannot be, or None."""
    for load in loads:
        try:
            done = subprocess.run([loadgen, *flags(load), "check"], text=True,
                                  stderr=subprocess.PIPE)
        except ValueError as error:
            return str(error)
        if done.returncode:
            return f"{load}: {done.stderr.strip()}"
    return None


@contextlib.contextmanager
def idle_cluster(loadgen):
    """One that has read its definitions. Just after they were made a
    server ends all watches of a kind, holds up its first writes for two
    seconds, and is busy with describing what it serves."""
    with Cluster(crds=True) as cluster:
        since = time.monotonic()
        probe = Load(loadgen, cluster.kubeconfig, LOADS[0])
        good = 0

        def idle():
            nonlocal good
            before = cpu_seconds(cluster.server.pid)
            try:
                fast = probe("probe")["slowest"] < FAST
            except subprocess.CalledProcessError:
                fast = False
            time.sleep(1)
            idle = cpu_seconds(cluster.server.pid) - before < IDLE_CPU
            good = good + 1 if fast and idle else 0
            return (good >= 2
                    and time.monotonic() - since >= IDLE_AFTER)

        try:
            wait_for("the API server to be idle", idle, IDLE_LIMIT)
        except TimeoutError as error:
            print(f"  {error}: measured all the same", file=sys.stderr)
        yield cluster


@contextlib.contextmanager
def server_cpu(cluster):
    """What the API server and etcd use inside, in seconds, by name."""
    def read():
        return {"server_cpu": cpu_seconds(cluster.server.pid),
                "etcd_cpu": cpu_seconds(cluster.etcd.pid)}

    before, used = read(), {}
    yield used
    used.update({name: value - before[name] for name, value in read().items()})


def measure_baseline(loadgen, load, encoding, connections):
    with idle_cluster(loadgen) as cluster:
        with server_cpu(cluster) as used:
            result = Load(loadgen, cluster.kubeconfig, load)(
                "create", "-write", connections,
                f"-protobuf={str(encoding == 'protobuf').lower()}")
        return dict(result, **used)


def measure_operator(loadgen, load, args):
    with idle_cluster(loadgen) as cluster:
        operator = Operator(cluster.kubeconfig, cluster.path("operator.log"),
                            args.troupe, args.operator_argument)
        with operator:
            return measure_parts(loadgen, load, args, cluster, operator)


def measure_parts(loadgen, load, args, cluster, operator, flags=()):
    """`flags` are the load generator's. Of a load that was made in part there
    is no other part."""
    run_load = Load(loadgen, cluster.kubeconfig, load)
    meter = Meter(cluster, operator)
    result = {"start_mib": operator.memory()[0]}
    with server_cpu(cluster) as used:
        created = run_load("create", *flags)
    result["create"] = meter.part(dict(created, **used),
                                  rests=not created["missing"])
    if args.created or created["missing"]:
        return result
    result["quiet"] = meter.quiet(args.quiet)
    for phase in ("Running", "Succeeded"):
        result[phase.lower()] = meter.part(
            run_load("phase", "-phase", phase))
        print(f"  {load}: all {phase}", file=sys.stderr, flush=True)
    return result


def measure_originals(loadgen, load, args):
    """name -> what the MPI operator takes, with our definitions; nothing for
    loads of other kinds."""
    results = {}
    for name, (arguments, flags) in ORIGINALS.get(
            load.partition(":")[2], {}).items():
        with idle_cluster(loadgen) as cluster:
            operator = MpiOperator(cluster, more=arguments)
            operator.prepare()
            with operator:
                results[name] = measure_parts(loadgen, load, args, cluster,
                                              operator, flags)
        print_result(f"{load}: the MPI operator, {name}",
                     results[name]["create"])
    return results


def print_result(name, result):
    print(f"  {name}: {result['seconds']:.2f} s, API server "
          f"{result['server_cpu']:.1f} s of CPU", file=sys.stderr, flush=True)


def median(results, seconds):
    return sorted(results, key=seconds)[(len(results) - 1) // 2]


def measure(loadgen, load, args):
    """The medians of the baselines, by their names, and of the operator."""
    baselines = {baseline: [] for baseline in BASELINES}
    operators = []
    for _ in range(args.repeat):
        for (encoding, connections), runs in baselines.items():
            runs.append(measure_baseline(loadgen, load, encoding, connections))
            print_result(f"{load}: baseline, {encoding}, {connections} connections",
                         runs[-1])
        operators.append(measure_operator(loadgen, load, args))
        print_result(f"{load}: operator", operators[-1]["create"])
    return {
        "baseline": {" ".join(map(str, baseline)):
                     median(runs, lambda run: run["seconds"])
                     for baseline, runs in baselines.items()},
        "operator": median(operators, lambda run: run["create"]["seconds"]),
        "originals": measure_originals(loadgen, load, args)}


# -- the embedded API server -------------------------------------------------

def kubeconfig_in(log):
    """The first existing file that the output names."""
    with open(log, errors="replace") as file:
        for word in re.split(r"[\s'\"`=,]+", file.read()):
            if word.startswith("/") and os.path.isfile(word):
                return word
    return None


def measure_embedded(loadgen, load, args):
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
            result = Load(loadgen, path, load)("create")
            result["peak_mib"] = peak_mib(child.pid)
            return result
        finally:
            child.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--load", action="append", metavar="JOBSxPODS[:KIND]",
                        help="instead of " + ", ".join(LOADS))
    parser.add_argument("--repeat", type=int, default=1, metavar="TIMES")
    parser.add_argument("--created", action="store_true",
                        help="end when all objects are created")
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
    loadgen = build_loadgen()
    loads = args.load or (BIG[:1] if args.embedded else LOADS)
    refusal = refused(loadgen, loads)
    if refusal:
        parser.error(refusal)
    for load in loads:
        if args.embedded:
            results[load] = made = measure_embedded(loadgen, load, args)
            print(f"{load} on the embedded API server: "
                  f"{marked(made['seconds'], EMBEDDED)} s to all "
                  f"{made['objects']} objects, "
                  f"{made['peak_mib']:.0f} MiB at the peak")
        else:
            results[load] = measure(loadgen, load, args)
    if not args.embedded:
        report(results)
    os.makedirs(os.path.dirname(os.path.abspath(args.json)), exist_ok=True)
    with open(args.json, "w") as file:
        json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
