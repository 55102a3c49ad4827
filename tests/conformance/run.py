#!/usr/bin/python3
"""Runs recorded scenarios against the shipped binary and compares.

The scenarios, the records of the originals and the two programs that run and
compare (trace.py, compare.py) are not part of this project: they lie in the
folder `conformance` below `--shared`. Where that is absent nothing is tested.

    run.py                        all; with --replicas none that ask di-server
    run.py 'pt-*' 'jax-*'         some, by shell patterns
    run.py tf-scale-up --verbose  one, with the intended differences shown
    run.py '*-gang-*'             with either gang scheduler's pod groups
    run.py --replicas 2           one at a time is killed and started again;
                                  see STRETCH_WITH_KILLS, LOST_EVENTS
    run.py --stretch 4            on a busy machine
    run.py --original             the MPI operator itself: of its scenarios,
                                  `mpi2-*`, none may differ; see LATE_CACHE

The operator has the account of `deploy` and no right but its roles', and the
API server its webhook configuration. Beside it runs the Job controller of
kube-controller-manager, if a chosen scenario has an MPIJob whose launcher is a
Job.

Records and the operator's log are left in `--out`. The last line is
`N passed, N failed`. Exit codes: 0, 1, or 77 where no cluster can be had, or
no records are there.
"""

import argparse
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from cluster import REPOSITORY  # noqa: E402
from operators.shipped import TROUPE  # noqa: E402
from process import end_in_order  # noqa: E402
from rounds import ROUNDS, OriginalRound, Round  # noqa: E402


# Seconds in scenarios, and in what records have of them.
TIMES = ("activeDeadlineSeconds", "ttlSecondsAfterFinished", "sleep")


# What the MPI operator has records of.
OF_THE_ORIGINAL = "mpi2-*"

# Only with replicas that are killed: how many times as long deadlines and
# pauses are, so that the moment of a kill decides nothing; and what may be
# missing.
STRETCH_WITH_KILLS = 4
LOST_EVENTS = {"scenario": "*", "path": "^/events/",
               "why": "a replica that was killed has not written all events"}
# Of the MPI operator: on a busy machine it makes what is there already, since its
# own cache is late.
LATE_CACHE = {"scenario": "mpi2-*",
              "path": r"^/events/.*\| MPIJobFailed \| .* already exists \|",
              "why": "the original's cache was late"}


def chosen(scenario, args):
    """A replica that is killed does not answer requests to di-server."""
    name = scenario["name"]
    if args.original and not fnmatch.fnmatch(name, OF_THE_ORIGINAL):
        return False
    if args.pattern:
        return any(fnmatch.fnmatch(name, p) for p in args.pattern)
    return (args.replicas == 1
            or not any("http" in step for step in scenario["steps"]))


def stretched(value, factor):
    """A part of a scenario, or of a record, with all its times so many times
    longer."""
    if isinstance(value, list):
        return [stretched(v, factor) for v in value]
    if isinstance(value, dict):
        return {k: v * factor if k in TIMES and isinstance(v, int)
                else stretched(v, factor) for k, v in value.items()}
    return value


def differences(args, this, out):
    """compare.py's arguments that name the rules."""
    path = os.path.join(HERE, "differences.yaml")
    more = [LOST_EVENTS] if args.replicas > 1 else []
    rules = [LATE_CACHE]
    if this.own_differences:
        with open(path) as file:
            rules = yaml.safe_load(file) + more
    if more or not this.own_differences:
        path = os.path.join(out, "differences.yaml")
        with open(path, "w") as file:
            yaml.safe_dump(rules, file)
    return ["--differences", path]


def collect(source, args, this, out):
    """Writes the chosen scenarios and goldens into `out`; returns the scenarios.

    Only the chosen goldens: compare.py fails what was not run.
    """
    scenarios, records = [], os.path.join(source, this.golden)
    for path in (path for pattern in this.scenarios for path in
                 sorted(glob.glob(os.path.join(source, pattern)))):
        with open(path) as file:
            scenarios += [stretched(s, args.stretch)
                          for s in yaml.safe_load_all(file)
                          if s and chosen(s, args)]
    golden = os.path.join(out, "golden")
    os.makedirs(golden)
    with open(os.path.join(out, "scenarios.yaml"), "w") as file:
        yaml.safe_dump_all(scenarios, file, sort_keys=False)
    for scenario in scenarios:
        for end in (".json", ".alt.json"):
            record = os.path.join(records, scenario["name"] + end)
            if os.path.exists(record):
                with open(record) as old, open(os.path.join(
                        golden, scenario["name"] + end), "w") as new:
                    json.dump(stretched(json.load(old), args.stretch), new)
    return scenarios


def run_scenarios(args, source, this, scenarios, out):
    """Returns how many passed and failed."""
    tools = [sys.executable, "-B"]  # writes nothing beside the shared files
    records = os.path.join(out, "records")
    with this.started(args, scenarios, out) as (cluster, running, more):
        subprocess.run(
            [*tools, os.path.join(source, "trace.py"),
             "--kubeconfig", cluster.kubeconfig, "--out", records,
             "--jobs", str(args.jobs), *more,
             os.path.join(out, "scenarios.yaml")], check=True,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ, TMPDIR=cluster.folder))
        died = not running.child.running()
        forbidden = this.forbidden(cluster)
    more = ["--verbose"] if args.verbose else []
    result = subprocess.run(
        [*tools, os.path.join(source, "compare.py"),
         os.path.join(out, "golden"), records,
         *differences(args, this, out), *more],
        stdout=subprocess.PIPE, text=True)
    report, _, last = result.stdout.rstrip("\n").rpartition("\n")
    print(f"== {this.name}")
    print("\n".join(line for line in report.split("\n")
                    if args.verbose or not line.startswith("unused rule")))
    if result.returncode or died:
        print(f"-- the end of {running.child.log}:\n{running.child.tail()}")
    if died:
        print("the operator ended before the scenarios did")
    if forbidden:
        print(f"calls that its roles do not grant: {sorted(forbidden)}")
    passed, failed = (int(n) for n in re.findall(r"\d+", last))
    return passed, failed + bool(died) + bool(forbidden)


def run_rounds(args, source):
    passed = failed = 0
    for this in (OriginalRound(*r) if args.original else Round(*r)
                 for r in ROUNDS):
        out = os.path.join(args.out, this.name)
        # Only what an earlier run left: `--out` may name a folder with more.
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        if scenarios := collect(source, args, this, out):
            more_passed, more_failed = run_scenarios(args, source, this,
                                                     scenarios, out)
            passed, failed = passed + more_passed, failed + more_failed
    if passed + failed == 0:
        print("no scenario has such a name")
        return 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="*", help="names of scenarios")
    parser.add_argument("--shared", default=os.path.join(
        REPOSITORY, "..", "shared"), metavar="DIR")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--jobs", type=int, default=6,
                        help="scenarios run at a time")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(
        REPOSITORY, "build", "conformance"))
    parser.add_argument("--operator-argument", action="append", default=[],
                        metavar="ARG", help="handed on to the operator")
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1,
                        help="of which replica is killed when")
    parser.add_argument("--stretch", type=int, metavar="N",
                        help="deadlines and pauses are N times as long; "
                        f"default: 1, with replicas {STRETCH_WITH_KILLS}")
    parser.add_argument("--original", action="store_true",
                        help="play them with the MPI operator itself")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if args.original and args.replicas > 1:
        parser.error("of the MPI operator there is one")
    if args.stretch is None:
        args.stretch = STRETCH_WITH_KILLS if args.replicas > 1 else 1
    end_in_order()
    source = os.path.join(args.shared, "conformance")
    if not os.path.isdir(source):
        raise needs.Missing(f"no {source}", "give the folder of the records "
                            "by --shared")
    return run_rounds(args, source)


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "COMPARED"))
