"""A job's life, played with a process of the operator and a proxy of its own.

The undisturbed life leaves what is there after each step. A disturbed one has
come through a step when the same is there, and at its end must have created and
deleted the same objects, each as often.
"""

import difflib
import json
import os
import re
import time

from cluster import wait_for
from fault_proxy import FaultProxy
from jobs.namespace import Namespace
from lives import LIVES
from operators.operator_fixture import reported
from plans import arguments, describe
from process import Child

JOB = "job"
# Seconds for a step; it takes one, or a few with a fault. What was refused to the
# keeper of certificates is tried again after a minute.
LIMIT = 120
LONG_AGO = "2020-01-01T00:00:00Z"
QUIET = 1  # seconds without a write: an undisturbed step is over
CHANGING = re.compile(
    r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
    r'|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z')
LEFT_OUT = ("resourceVersion", "managedFields", "generation",
            "lastUpdateTime", "lastTransitionTime", "observedGeneration")


class Differs(AssertionError):
    """A disturbed life did not come to what an undisturbed one has."""


def normal(value):
    """Without what differs between two equal objects."""
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items() if k not in LEFT_OUT}
    if isinstance(value, list):
        return [normal(v) for v in value]
    return CHANGING.sub("*", value) if isinstance(value, str) else value


class Life(Namespace):
    """One life of the row `name`; in the namespace, so to speak, of itself."""

    Proxy = FaultProxy

    def __init__(self, cluster, upstream, name, plan, troupe, number):
        self.client = cluster.client  # instead of a fixture's
        self.row, self.plan = LIVES[name], plan
        self.kind = self.row.kind
        self.name = f"life-{os.getpid()}-{number}"
        self.proxy = self.Proxy(upstream, plan, self.row.elects)
        self.original = cluster.kubeconfig
        self.kubeconfig, log = (cluster.path(f"{self.name}.{end}")
                                for end in ("kubeconfig", "log"))
        self.operator = Child(
            [troupe, "operator", "--kubeconfig", self.kubeconfig,
             "--namespace", self.name, "--enable-scheme",
             getattr(self.kind, "scheme", self.kind.name),
             "--leader-election-namespace", self.name,
             "--health-probe-bind-address", "0", "--metrics-bind-address", "0",
             "--admin-bind-address", "0", "--di-server-bind-address", "0",
             "--status-interval", "200ms", "--kueue", self.row.queueing,
             "--log-level", "debug", *self.row.arguments, *arguments(plan)],
            log)

    def begin(self):
        self.client.post("/api/v1/namespaces",
                         {"metadata": {"name": self.name}})
        self.proxy.write_kubeconfig(self.original, self.kubeconfig)
        self.start()
        wanted = {self.kind.plural, *(name for _, name in self.row.read())}
        self.await_state(lambda: wanted <= self.proxy.watched,
                         f"the start, for watches of {wanted}")

    def close(self):
        self.operator.kill()
        self.proxy.close()
        for path in (self.kubeconfig, self.operator.log):
            if os.path.exists(path):
                os.remove(path)

    # -- the operator --------------------------------------------------------

    def start(self):
        self.operator.start()
        self.proxy.started(self.operator.pid)

    def restart_if_killed(self):
        if not self.operator.running():
            if not self.proxy.killed:
                raise Differs("the operator has ended by itself")
            self.start()

    # -- reading ---------------------------------------------------------------

    def state(self):
        """resource -> normalised objects, sorted by name."""
        job = self.find(self.of(self.kind, JOB))
        found = {self.kind.plural: [job] if job else []}
        for group, resource in self.row.read():
            items = self.client.get(self.at(group, resource))["items"]
            items.sort(key=self.sort_key)
            found[resource] = items
        text = json.dumps(normal(found), indent=1, sort_keys=True)
        return text.replace(self.name, "NAMESPACE")

    def sort_key(self, item):
        return item["metadata"]["name"]

    def pod_phases(self):
        items = self.client.get(self.core("pods"))["items"]
        return {p["metadata"]["name"]: p["status"]["phase"] for p in items}

    # -- kubelets --------------------------------------------------------------

    def report_phase(self, pod, phase, code=0):
        """Its containers started long ago: a failure is no early one."""
        path = self.core("pods", pod)
        containers = self.client.get(path)["spec"]["containers"]
        status = json.dumps(self.reported_status(containers, phase, code))
        status = re.sub(r'("start\w+": )"[^"]+"', rf'\1"{LONG_AGO}"', status)
        self.client.merge(path + "/status", {"status": json.loads(status)})

    def reported_status(self, containers, phase, code):
        return reported(containers, phase, code)

    def run_pending(self):
        """Those that lead run last, so that little is written between."""
        leads = self.kind.named(JOB, self.kind.leads)
        pods = [p for p, phase in self.pod_phases().items()
                if phase == "Pending"]
        for pod in sorted(pods, key=lambda p: (p in leads, p)):
            self.report_phase(pod, "Running")

    # -- the steps -------------------------------------------------------------

    def create(self):
        """A server that is busy does not know a new namespace at once."""
        wait_for("the namespace", lambda: self.client.text(
            "POST", self.of(self.kind), self.row.manifest(JOB))[0] == 201,
            LIMIT)

    def admit(self):
        """The gang scheduler admits the pod group that waits."""
        group, resource = self.row.auxiliary[0]
        self.client.merge(self.at(group, resource, JOB) + "/status",
                          {"status": {"phase": "Inqueue"}})

    def lose_worker(self):
        self.report_phase(f"{JOB}-worker-0", "Failed", 137)

    def suspend(self):
        self.patch(self.kind, JOB, {"runPolicy": {"suspend": True}})

    def resume(self):
        self.patch(self.kind, JOB, {"runPolicy": {"suspend": False}})

    def scale_to(self, count):
        self.patch(self.kind, JOB,
                   {self.kind.field: {"Worker": {"replicas": count}}})

    def scale_up(self):
        self.scale_to(3)

    def scale_down(self):
        self.scale_to(1)

    def succeed(self):
        there = self.pod_phases()
        for pod in self.kind.named(JOB, self.kind.leads):
            if pod in there:
                self.report_phase(pod, "Succeeded")

    def expire(self):
        self.patch(self.kind, JOB,
                   {"runPolicy": {"ttlSecondsAfterFinished": 0}})

    def steps(self):
        """(what is done, the phase of each pod then, a condition)."""
        def pods(workers, **others):
            names = self.kind.pods(JOB, self.kind.with_workers(workers))
            return {**dict.fromkeys(names, "Running"),
                    **{f"{JOB}-worker-{i[1:]}": phase
                       for i, phase in others.items()}}

        pending = dict.fromkeys(pods(2), "Pending")
        leads = {pod: "Succeeded" for pod in
                 self.kind.named(JOB, self.kind.leads) if pod in pods(1)}

        def made(step, condition):
            """Pods are made, when the scheduler lets them be."""
            if not self.row.waits_for_admission:
                return [(step, pending, condition)]
            return [(step, {}, condition), (self.admit, pending, condition)]

        return [*made(self.create, "Created"),
                (self.run_pending, pods(2), "Running"),
                (self.lose_worker, pods(2, _0="Pending"), None),
                (self.run_pending, pods(2), "Running"),
                (self.suspend, {}, "Suspended"),
                *made(self.resume, None),
                (self.run_pending, pods(2), "Running"),
                (self.scale_up, pods(3, _2="Pending"), "Running"),
                (self.run_pending, pods(3), "Running"),
                (self.scale_down, pods(1), "Running"),
                (self.succeed, leads, "Succeeded"),
                (self.expire, leads, None)]

    # -- undisturbed -----------------------------------------------------------

    def play_undisturbed(self):
        """The state after each step, and what was created and deleted."""
        states = []
        for step, pods, condition in self.steps():
            step()
            self.await_state(lambda: self.is_over(pods, condition),
                             f"{step.__name__}: {pods} and {condition}")
            states.append(self.state())
        if self.find(self.of(self.kind, JOB)):
            raise Differs("the job is still there")
        return states, self.effects()

    def is_over(self, pods, condition):
        """Whether this is there, and no write has come for a while."""
        writes = len(self.proxy.writes)
        if self.pod_phases() != pods:
            return False
        if condition and self.condition(self.kind, JOB, condition).get(
                "status") != "True":
            return False
        time.sleep(QUIET)
        return writes == len(self.proxy.writes)

    # -- disturbed -------------------------------------------------------------

    def play(self, reference):
        """Plays it against what the undisturbed life has left."""
        states, effects = reference
        for (step, _, _), wanted in zip(self.steps(), states):
            step()
            try:
                self.await_state(lambda: self.state() == wanted, step.__name__)
            except Differs as late:
                raise Differs(f"{late}\n{difference(wanted, self.state())}")
        if self.effects() != effects:
            raise Differs("created and deleted:\n" + difference(
                listed(effects), listed(self.effects())))

    def effects(self):
        """(verb, resource, name) -> how often; equal in all lives."""
        return self.proxy.effects()

    def await_state(self, test, what):
        end = time.monotonic() + LIMIT
        while True:
            self.restart_if_killed()
            seen = len(self.proxy.writes)
            if test():
                return
            if time.monotonic() > end:
                raise Differs(f"waited {LIMIT} s after {what}")
            self.proxy.await_write(seen, 0.5)

    def report(self):
        writes = "\n".join(f"{' '.join(w.call)} {w.status} {w.fault or ''}"
                           for w in self.proxy.writes[-40:])
        what = describe(self.plan) if self.plan else self.kind.name
        return (f"-- {what}: the last writes\n{writes}\n"
                f"-- the operator's last lines\n{self.operator.tail(40)}")


def listed(effects):
    return "\n".join(f"{' '.join(call)} {count}"
                     for call, count in sorted(effects.items()))


def difference(wanted, got):
    return "\n".join(difflib.unified_diff(
        wanted.split("\n"), got.split("\n"), "undisturbed", "disturbed",
        lineterm="", n=2))
