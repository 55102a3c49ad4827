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

The operator has the account of `deploy` and no right but its roles', and the
API server its webhook configuration.

Records and the operator's log are left in `--out`. The last line is
`N passed, N failed`. Exit codes: 0, 1, or 77 where no cluster can be had, or
no records are there.
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

import needs  # noqa: E402
from cluster import REPOSITORY, Cluster  # noqa: E402
from control_plane import accounts  # noqa: E402
from jobs import pod_groups  # noqa: E402
from operators import least_rights, shipped_objects  # noqa: E402
from operators.replicas import Replicas  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from operators.webhook_service import WebhookService  # noqa: E402
from process import end_in_order, free_port  # noqa: E402


# Seconds in scenarios.
TIMES = ("activeDeadlineSeconds", "ttlSecondsAfterFinished", "sleep")


class Round:
    """What is run against one operator in one cluster."""

    def __init__(self, name, scenarios, golden, group="", scheduler=""):
        self.name, self.scenarios, self.golden = name, scenarios, golden
        self.group, self.scheduler = group, scheduler

    def operator_arguments(self):
        more = ["--gang-scheduler-name", self.scheduler] if self.group else []
        return ["--leader-elect", "--leader-election-namespace",
                shipped_objects.NAMESPACE, "--di-server-access", "anybody",
                *more]

    def trace_arguments(self, operator):
        if self.group:
            return ["--gang-version", self.group]
        return ["--di-server", f"http://127.0.0.1:{operator.di_server}"]

    def prepare(self, cluster):
        """Returns the path of the operator's kubeconfig."""
        shipped_objects.apply(cluster)
        if self.group:
            pod_groups.install(cluster, self.group)
        return accounts.write_kubeconfig(cluster, shipped_objects.NAMESPACE,
                                         shipped_objects.ACCOUNT)


ROUNDS = [
    Round("default", "scenarios/*.yaml", "golden-default"),
    Round("volcano", "scenarios-gang.yaml", "gang-volcano",
          "scheduling.volcano.sh/v1beta1", "volcano"),
    Round("scheduler-plugins", "scenarios-gang.yaml", "gang-scheduler-plugins",
          "scheduling.x-k8s.io/v1alpha1", "scheduler-plugins-scheduler"),
]


# Only with replicas that are killed: how many times as long deadlines and
# pauses are, so that the moment of a kill decides nothing; and what may be
# missing.
STRETCH_WITH_KILLS = 4
LOST_EVENTS = {"scenario": "*", "path": "^/events/",
               "why": "a replica that was killed has not written all events"}


def chosen(scenario, args):
    """A replica that is killed does not answer requests to di-server."""
    name = scenario["name"]
    if args.pattern:
        return any(fnmatch.fnmatch(name, p) for p in args.pattern)
    return (args.replicas == 1
            or not any("http" in step for step in scenario["steps"]))


def stretched(value, factor):
    """A part of a scenario with all its times so many times longer. Records do
    not contain them."""
    if isinstance(value, list):
        return [stretched(v, factor) for v in value]
    if isinstance(value, dict):
        return {k: v * factor if k in TIMES and isinstance(v, int)
                else stretched(v, factor) for k, v in value.items()}
    return value


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
                shutil.copy(record, golden)
    return len(scenarios)


def operator(args, this, kubeconfig, log, service):
    """One, or replicas."""
    more = [*this.operator_arguments(), "--webhook-url", service.url,
            *args.operator_argument]
    service.operators = [Operator(kubeconfig, log, args.troupe, more,
                                  webhooks=free_port())
                         for _ in range(args.replicas)]
    if args.replicas > 1:
        return Replicas(service.operators, args.seed, service)
    return service.operators[0]


def run_scenarios(args, source, this, out):
    """Returns how many passed and failed."""
    tools = [sys.executable, "-B"]  # writes nothing beside the shared files
    records = os.path.join(out, "records")
    with Cluster(crds=True) as cluster, WebhookService() as service:
        kubeconfig = this.prepare(cluster)
        running = operator(args, this, kubeconfig,
                           os.path.join(out, "operator.log"), service)
        with running:
            subprocess.run(
                [*tools, os.path.join(source, "trace.py"),
                 "--kubeconfig", cluster.kubeconfig, "--out", records,
                 "--jobs", str(args.jobs),
                 *this.trace_arguments(service.operators[0]),
                 os.path.join(out, "scenarios.yaml")], check=True,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ, TMPDIR=cluster.folder))
            died = not running.child.running()
        _, forbidden = least_rights.granted_and_forbidden(cluster)
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
    if forbidden:
        print(f"calls that its roles do not grant: {sorted(forbidden)}")
    passed, failed = (int(n) for n in re.findall(r"\d+", last))
    return passed, failed + bool(died) + bool(forbidden)


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
    parser.add_argument("--stretch", type=int, metavar="N",
                        help="deadlines and pauses are N times as long; "
                        f"default: 1, with replicas {STRETCH_WITH_KILLS}")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
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
