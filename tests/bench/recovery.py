#!/usr/bin/python3
"""How fast a job runs again when one of its pods has failed.

On a fresh cluster each, with kube-controller-manager, kube-scheduler and kwok's
nodes, one job of 1000 workers is made; then one pod fails, again and again:

* a bare client deletes all pods, waits until all are gone, and makes them again:
  with 16 and with 64 connections, in protobuf. The best counts.
* the operator, for jobs of scope Job, and of scope Pod.
* JobSet's manager, with the same pods, made by the Job controller for one
  replicated Job: as it is installed, which counts, and without those of its
  webhooks that are called for every pod and have nothing to say here.

They take turns, `--repeat` times; medians over all failures.

The operator's own share, without the time that the status write takes:

* before: from the failure to the status write, and from its answer to the first
  deletion;
* after: from the removal of the last pod to the first creation.

When a request has come and when it was answered is in the API server's audit log.
A failure or removal has two times: that of its event, in a watch of the load
generator's, which may lag behind the operator's; and that of the API server's
answer to who wrote it. The longer share counts.

An operator beside others is measured with --troupe NAME=FILE, once for each.

    recovery.py [--workers 1000] [--kind JAXJob] [--failures 2] [--repeat 3]
                [--troupe NAME=FILE] [--only NAME] [--json FILE]

Exit codes: 0 (a missed target is printed, not marked), 1, or 77: no cluster.
"""

import argparse
import contextlib
import datetime
import json
import os
import statistics
import subprocess
import sys
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from bench import build_loadgen  # noqa: E402
from cluster import REPOSITORY, Cluster, wait_for  # noqa: E402
from control_plane import controllers  # noqa: E402
from meter import Load, cpu_seconds, difference  # noqa: E402
from operators.jobset import JobSets  # noqa: E402
from operators.shipped import TROUPE, Operator  # noqa: E402
from process import end_in_order  # noqa: E402
from report import marked, row  # noqa: E402

NODES, PODS_OF_NODE = 10, 500
RATIO, FASTER, OWN = 1.15, 0.5, 50  # of the bare client; of JobSet; ms
CONNECTIONS = 16, 64
SETTLED = 5         # seconds after which nobody writes any more
STATUS = "kubeflow.org", "jobset.x-k8s.io"
AUDITED = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "verbs": ["create", "delete"],
         "resources": [{"group": "", "resources": ["pods"]}]},
        {"level": "Metadata", "verbs": ["update", "patch"],
         "resources": [{"group": group, "resources": ["*/status"]}
                       for group in STATUS]},
        {"level": "None"}]}


class RecoveryCluster(Cluster):
    """With room for two jobs, and a log of what recoveries consist of."""

    def __init__(self):
        super().__init__(crds=True, controllers=True)

    def write_audit_policy(self):
        path = self.path("audit-policy.yaml")
        with open(path, "w") as file:
            yaml.safe_dump(AUDITED, file)
        return path

    def start(self):
        super().start()
        for n in range(NODES):
            node = controllers.node(f"node-{n}")
            for amount in ("capacity", "allocatable"):
                node["status"][amount]["pods"] = str(PODS_OF_NODE)
            self.client.post("/api/v1/nodes", node)

    def wait_until_idle(self):
        """One that has just learnt of definitions is busy with them."""
        def idle():
            before = cpu_seconds(self.server.pid)
            time.sleep(1)
            return cpu_seconds(self.server.pid) - before < 0.25

        time.sleep(SETTLED)
        wait_for("the API server to be idle", idle, 120)


def moment(text):
    return datetime.datetime.fromisoformat(
        text.replace("Z", "+00:00")).timestamp()


def audited(cluster):
    """(when it came, when it was answered, verb, resource, by kwok) of each
    request that was granted."""
    with open(cluster.path("audit.log")) as file:
        entries = [json.loads(line) for line in file if line.endswith("\n")]
    return sorted((moment(entry["requestReceivedTimestamp"]),
                   moment(entry["stageTimestamp"]), entry["verb"],
                   entry["objectRef"]["resource"],
                   entry.get("userAgent", "").startswith("kwok/"))
                  for entry in entries
                  if entry["responseStatus"]["code"] < 300)


def shares(run, calls):
    """Adds to a recovery what the calls in its time tell, in ms."""
    calls = [call for call in calls
             if run["sent"] <= call[0] <= run["end"] + SETTLED]
    writes = [call for call in calls if call[2] in ("update", "patch")]
    deletions, removals = ([call for call in calls if call[2] == "delete"
                            and call[4] == by_kwok]
                           for by_kwok in (False, True))
    creations = [call for call in calls if call[2] == "create"]
    run.update(status_writes=len(writes), deletions=len(deletions),
               creations=len(creations))

    def longer(end, *starts):
        return 1000 * max(0, *(end - start for start in starts))

    if deletions and "gone" in run:
        end, run["write"] = deletions[0][0], 0
        if writes and writes[0][0] < end:
            run["write"] = 1000 * (writes[0][1] - writes[0][0])
        run["before"] = longer(end - run["write"] / 1000, run["failed"],
                               run["answered"])
    if creations and "gone" in run:
        end = creations[0][0]
        run["after"] = longer(end, run["gone"], max(
            call[1] for call in removals if call[0] < end))


@contextlib.contextmanager
def nobody(_):
    yield None


def operator_of(program):
    def start(cluster):
        return Operator(cluster.kubeconfig, cluster.path("operator.log"),
                        program)
    return start


class Cost:
    """Of an Operator; of others nothing is known."""

    def __init__(self, operator):
        self.operator = operator if isinstance(operator, Operator) else None
        if self.operator:
            self.requests, self.cpu = operator.requests(), operator.cpu()

    def since(self):
        if not self.operator:
            return {}
        return {"requests": difference(self.operator.requests(), self.requests),
                "cpu": self.operator.cpu() - self.cpu}


class Contestant:
    """What is started beside a cluster, and the load generator's flags."""

    def __init__(self, name, start, *flags, replaces=None):
        self.name, self.start, self.flags = name, start, flags
        self.replaces, self.first, self.runs = replaces, [], []

    def measure(self, loadgen, args):
        with RecoveryCluster() as cluster, self.start(cluster) as operator:
            cluster.wait_until_idle()
            runs = self.play(loadgen, args, cluster, operator)
            calls = audited(cluster)
        for run in runs:
            shares(run, calls)
            wanted = self.replaces or args.workers
            if run["replaced"] != wanted:
                raise AssertionError(f"{self.name}: {run['replaced']} pods "
                                     f"were replaced, not {wanted}")
        self.runs += runs
        print(f"  {self.name}: first {self.first[-1]:.1f} s, then "
              + ", ".join(f"{run['seconds']:.1f}" for run in runs) + " s",
              file=sys.stderr, flush=True)

    def play(self, loadgen, args, cluster, operator):
        load = Load(loadgen, cluster.kubeconfig, f"1x{args.workers}:{args.kind}")
        command = [*load.command, "-failures", args.failures, *self.flags,
                   "-limit", "5m",
                   "recover"]
        runs = []
        with subprocess.Popen(list(map(str, command)), text=True,
                              stdout=subprocess.PIPE,
                              env=load.environment) as generator:
            try:
                self.first.append(json.loads(
                    generator.stdout.readline())["first"])
                time.sleep(SETTLED)
                for _ in range(args.failures):
                    cost = Cost(operator)
                    runs.append(json.loads(generator.stdout.readline()))
                    time.sleep(SETTLED)
                    runs[-1].update(cost.since())
            except BaseException:
                generator.terminate()
                raise
        return runs

    def median(self, what):
        values = [run[what] for run in self.runs if what in run]
        return statistics.median(values) if values else None


def contestants(args):
    result = [Contestant(f"bare client, {connections} connections", nobody,
                         "-write", connections, "-protobuf", "-scope", "Job")
              for connections in CONNECTIONS]
    for given in args.troupe or [TROUPE]:
        name, _, program = given.rpartition("=")
        name = name or "operator"
        result += [
            Contestant(f"{name}, scope Job", operator_of(program),
                       "-scope", "Job"),
            Contestant(f"{name}, scope Pod", operator_of(program),
                       "-scope", "Pod", replaces=1)]
    result += [
        Contestant("JobSet", JobSets, "-jobset"),
        Contestant("JobSet without webhooks of pods",
                   lambda cluster: JobSets(cluster, about_pods=False),
                   "-jobset")]
    return [one for one in result
            if not args.only or any(part in one.name for part in args.only)]


def cell(value, form="{:.1f}"):
    return "-" if value is None else form.format(value)


def report(all_of_them):
    bare = min((one.median("seconds") for one in all_of_them
                if one.name.startswith("bare")), default=None)
    jobset = next((one.median("seconds") for one in all_of_them
                   if one.name == "JobSet"), None)
    row("", "first start", "all run again", "of the bare client", "of JobSet",
        "own share before", "status write", "own share after",
        "status writes", "other requests", "CPU")
    row(*["---"] * 11)
    for one in all_of_them:
        seconds = one.median("seconds")
        judged = one.name.endswith("scope Job")
        own = [cell(None) if (value := one.median(what)) is None else
               marked(value, OWN if judged else 1e9, "{:.0f} ms")
               for what in ("before", "after")]
        row(one.name, f"{statistics.median(one.first):.1f} s",
            f"{seconds:.1f} s",
            cell(None) if bare is None else marked(
                seconds / bare, RATIO if judged else 1e9, "{:.2f}"),
            cell(None) if jobset is None else marked(
                seconds / jobset, FASTER if judged and bare is not None
                and bare <= FASTER * jobset else 1e9, "{:.2f}"),
            own[0], cell(one.median("write"), "{:.0f} ms"), own[1],
            cell(one.median("status_writes"), "{:.0f}"),
            cell(others(one), "{:.0f}"), cell(one.median("cpu"), "{:.2f} s"))


def others(one):
    """Requests beside creations, deletions and status writes, events left out."""
    counts = [sum(count for key, count in run["requests"].items()
                  if "events" not in key) - run["status_writes"]
              - run["deletions"] - run["creations"]
              for run in one.runs if "requests" in run]
    return statistics.median(counts) if counts else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--kind", default="JAXJob",
                        help="one that has workers alone")
    parser.add_argument("--failures", type=int, default=2,
                        help="of a pod on each cluster")
    parser.add_argument("--repeat", type=int, default=1, metavar="TIMES")
    parser.add_argument("--troupe", action="append", metavar="[NAME=]FILE")
    parser.add_argument("--only", action="append", metavar="PART",
                        help="what has this in its name; may be repeated")
    parser.add_argument("--json", metavar="FILE", default=os.path.join(
        REPOSITORY, "build", "bench", "recovery.json"))
    args = parser.parse_args()
    end_in_order()
    loadgen = build_loadgen()
    os.makedirs(os.path.dirname(os.path.abspath(args.json)), exist_ok=True)
    all_of_them = contestants(args)
    for _ in range(args.repeat):
        for one in all_of_them:
            one.measure(loadgen, args)
            with open(args.json, "w") as file:
                json.dump({one.name: {"first": one.first, "runs": one.runs}
                           for one in all_of_them if one.runs}, file, indent=1)
    report(all_of_them)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "MEASURED"))
