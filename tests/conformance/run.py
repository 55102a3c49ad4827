#!/usr/bin/python3
"""Runs recorded scenarios against the shipped binary and compares.

The scenarios, the records of the originals and the two programs that run and
compare (trace.py, compare.py) are not part of this project: they lie in the
folder `conformance` below `--shared`. Where that is absent nothing is tested.

    run.py                        all but DIJobs
    run.py 'pt-*' 'jax-*'         some, by shell patterns
    run.py tf-scale-up --verbose  one, with the intended differences shown
    run.py '*-gang-*'             with either gang scheduler's pod groups
    run.py --replicas 2           one at a time is killed and started again;
                                  see NOT_PLAYED and LOST_EVENTS

Records and the operator's log are left in `--out`. The last line is
`N passed, N failed`. Exit codes: 0, 1, or 77 where no cluster can be had.
"""

import argparse
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets  # noqa: E402
import pod_groups  # noqa: E402
from cluster import REPOSITORY, Cluster  # noqa: E402
from process import end_in_order, free_port  # noqa: E402
from replicas import Replicas  # noqa: E402
from shipped import TROUPE, Operator  # noqa: E402

class Round:
    """What is run against one operator in one cluster."""

    def __init__(self, name, scenarios, golden, group="", scheduler=""):
        self.name, self.scenarios, self.golden = name, scenarios, golden
        self.group, self.scheduler = group, scheduler

    def operator_arguments(self):
        return ["--gang-scheduler-name", self.scheduler] if self.group else []

    def trace_arguments(self):
        return ["--gang-version", self.group] if self.group else []

    def prepare(self, cluster):
        cluster.kubectl("create", "namespace", "kubeflow")  # for a Secret
        if self.group:
            pod_groups.install(cluster, self.group)


ROUNDS = [
    Round("default", "scenarios/*.yaml", "golden-default"),
    Round("volcano", "scenarios-gang.yaml", "gang-volcano",
          "scheduling.volcano.sh/v1beta1", "volcano"),
    Round("scheduler-plugins", "scenarios-gang.yaml", "gang-scheduler-plugins",
          "scheduling.x-k8s.io/v1alpha1", "scheduler-plugins-scheduler"),
]


# Only with replicas that are killed: what is not played, as webhooks or a few
# seconds decide it; and what may be missing.
NOT_PLAYED = ("*-refuse-*", "*-deadline")
LOST_EVENTS = {"scenario": "*", "path": "^/events/",
               "why": "a replica that was killed has not written all events"}


def chosen(name, args):
    """DIJobs need another operator: they are run only when asked for."""
    if args.replicas > 1 and any(fnmatch.fnmatch(name, p) for p in NOT_PLAYED):
        return False
    if args.pattern:
        return any(fnmatch.fnmatch(name, p) for p in args.pattern)
    return not name.startswith("di-")


def differences(args, out):
    """The path of the rules."""
    path = os.path.join(HERE, "differences.yaml")
    if args.replicas == 1:
        return path
    with open(path) as file:
        rules = yaml.safe_load(file) + [LOST_EVENTS]
    path = os.path.join(out, "differences.yaml")
    with open(path, "w") as file:
        yaml.safe_dump(rules, file)
    return path


def collect(source, args, this, out):
    """Writes the chosen scenarios and goldens into `out`; returns how many.

    Only the chosen goldens: compare.py fails what was not run.
    """
    scenarios, records = [], os.path.join(source, this.golden)
    for path in sorted(glob.glob(os.path.join(source, this.scenarios))):
        with open(path) as file:
            scenarios += [s for s in yaml.safe_load_all(file)
                          if s and chosen(s["name"], args)]
    golden = os.path.join(out, "golden")
    os.makedirs(golden)
    with open(os.path.join(out, "scenarios.yaml"), "w") as file:
        yaml.safe_dump_all(scenarios, file, sort_keys=False)
    for scenario in scenarios:
        for end in (".json", ".alt.json"):
            record = os.path.join(records, scenario["name"] + end)
            if os.path.exists(record):
                shutil.copy(record, golden)
    return len(scenarios)


def operator(args, cluster, this, log):
    """One operator, or some replicas without webhooks: these have one URL."""
    more = this.operator_arguments() + args.operator_argument
    if args.replicas > 1:
        return Replicas.of(args.replicas, args.seed, cluster.kubeconfig, log,
                           args.troupe, more)
    port = free_port()
    webhooks = ["--webhook-server-port", str(port),
                "--webhook-url", f"https://127.0.0.1:{port}"]
    return Operator(cluster.kubeconfig, log, args.troupe, webhooks + more)


def run_scenarios(args, source, this, out):
    """Returns how many passed and failed."""
    tools = [sys.executable, "-B"]  # writes nothing beside the shared files
    records = os.path.join(out, "records")
    with Cluster(crds=True) as cluster:
        this.prepare(cluster)
        running = operator(args, cluster, this,
                           os.path.join(out, "operator.log"))
        with running:
            subprocess.run(
                [*tools, os.path.join(source, "trace.py"),
                 "--kubeconfig", cluster.kubeconfig, "--out", records,
                 "--jobs", str(args.jobs), *this.trace_arguments(),
                 os.path.join(out, "scenarios.yaml")], check=True,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ, TMPDIR=cluster.folder))
            died = not running.child.running()
    more = ["--verbose"] if args.verbose else []
    result = subprocess.run(
        [*tools, os.path.join(source, "compare.py"),
         os.path.join(out, "golden"), records,
         "--differences", differences(args, out), *more],
        stdout=subprocess.PIPE, text=True)
    report, _, last = result.stdout.rstrip("\n").rpartition("\n")
    print(f"== {this.name}")
    print("\n".join(line for line in report.split("\n")
                    if args.verbose or not line.startswith("unused rule")))
    if result.returncode or died:
        print(f"-- the end of {running.child.log}:\n{running.child.tail()}")
    if died:
        print("the operator ended before the scenarios did")
    passed, failed = (int(n) for n in re.findall(r"\d+", last))
    return passed, failed + (1 if died else 0)


def run_rounds(args, source):
    passed = failed = 0
    for this in ROUNDS:
        out = os.path.join(args.out, this.name)
        # Only what an earlier run left: `--out` may name a folder with more.
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        if collect(source, args, this, out):
            more_passed, more_failed = run_scenarios(args, source, this, out)
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
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    end_in_order()
    source = os.path.join(args.shared, "conformance")
    if not os.path.isdir(source):
        print(f"SKIPPED, NOTHING WAS COMPARED: there is no {source}")
        return 0
    try:
        return run_rounds(args, source)
    except assets.Missing as lack:
        print(f"SKIPPED, NOTHING WAS COMPARED: {lack}", file=sys.stderr)
        return assets.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
