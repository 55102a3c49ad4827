#!/usr/bin/python3
"""Plays recorded scenarios against the shipped binary and compares.

The scenarios, the records of the originals and the two programs that play and
compare (trace.py, compare.py) are not part of this project: they lie in the
folder `conformance` below `--shared`. Where that is absent nothing is tested.

    run.py                        TFJob's scenarios, without those on refusals
    run.py 'pt-*' 'jax-*'         others, by shell patterns
    run.py tf-scale-up --verbose  one, with the intended differences shown

Records and the operator's log are left in `--out`. The last line is
`N passed, N failed`. Exit codes: 0, 1, or 77 where no cluster can be had.
"""

import argparse
import fnmatch
import glob
import os
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets  # noqa: E402
from cluster import REPOSITORY, Cluster  # noqa: E402
from process import end_in_order  # noqa: E402
from shipped import TROUPE, Operator  # noqa: E402

DEFAULT = ["tf-*"]
REFUSALS = "*-refuse-*"  # need the webhook: played only when asked for by name


def chosen(name, patterns):
    if not patterns and fnmatch.fnmatch(name, REFUSALS):
        return False
    return any(fnmatch.fnmatch(name, p) for p in patterns or DEFAULT)


def collect(source, patterns, out):
    """Writes the chosen scenarios and goldens into `out`; returns how many.

    Only the chosen goldens: compare.py fails what was not played.
    """
    scenarios = []
    for path in sorted(glob.glob(os.path.join(source, "scenarios", "*.yaml"))):
        with open(path) as file:
            scenarios += [s for s in yaml.safe_load_all(file)
                          if s and chosen(s["name"], patterns)]
    with open(os.path.join(out, "scenarios.yaml"), "w") as file:
        yaml.safe_dump_all(scenarios, file, sort_keys=False)
    golden = os.path.join(out, "golden")
    os.makedirs(golden)
    for scenario in scenarios:
        for end in (".json", ".alt.json"):
            record = os.path.join(source, "golden-default",
                                  scenario["name"] + end)
            if os.path.exists(record):
                shutil.copy(record, golden)
    return len(scenarios)


def play(args, source):
    tools = [sys.executable, "-B"]  # writes nothing beside the shared files
    records = os.path.join(args.out, "records")
    with Cluster(crds=True) as cluster:
        operator = Operator(cluster.kubeconfig,
                            os.path.join(args.out, "operator.log"),
                            args.troupe, args.operator_argument)
        with operator:
            subprocess.run(
                [*tools, os.path.join(source, "trace.py"),
                 "--kubeconfig", cluster.kubeconfig, "--out", records,
                 "--jobs", str(args.jobs),
                 os.path.join(args.out, "scenarios.yaml")], check=True,
                env=dict(os.environ, TMPDIR=cluster.folder))
            died = not operator.child.running()
    more = ["--verbose"] if args.verbose else []
    result = subprocess.run(
        [*tools, os.path.join(source, "compare.py"),
         os.path.join(args.out, "golden"), records,
         "--differences", os.path.join(HERE, "differences.yaml"), *more],
        stdout=subprocess.PIPE, text=True)
    report, _, last = result.stdout.rstrip("\n").rpartition("\n")
    print(report)
    if result.returncode or died:
        print(f"-- the end of {operator.child.log}:\n{operator.child.tail()}")
    if died:
        print("the operator ended before the scenarios did")
    print(last)
    return 1 if result.returncode or died else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="*", help="names of scenarios")
    parser.add_argument("--shared", default=os.path.join(
        REPOSITORY, "..", "shared"), metavar="DIR")
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--jobs", type=int, default=6,
                        help="scenarios played at a time")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(
        REPOSITORY, "build", "conformance"))
    parser.add_argument("--operator-argument", action="append", default=[],
                        metavar="ARG", help="handed on to the operator")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    end_in_order()
    source = os.path.join(args.shared, "conformance")
    if not os.path.isdir(source):
        print(f"SKIPPED, NOTHING WAS COMPARED: there is no {source}")
        return 0
    # Only what an earlier run left: `--out` may name a folder with more in it.
    os.makedirs(args.out, exist_ok=True)
    for part in ("golden", "records"):
        shutil.rmtree(os.path.join(args.out, part), ignore_errors=True)
    for part in ("scenarios.yaml", "operator.log"):
        if os.path.exists(os.path.join(args.out, part)):
            os.remove(os.path.join(args.out, part))
    if not collect(source, args.pattern, args.out):
        print("no scenario has such a name")
        return 1
    try:
        return play(args, source)
    except assets.Missing as lack:
        print(f"SKIPPED, NOTHING WAS COMPARED: {lack}", file=sys.stderr)
        return assets.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
