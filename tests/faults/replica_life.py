"""The life of a DIJob whose coordinator asks di-server for replicas.

The coordinator does as di-server's clients are told: where a request was not
answered it looks what is there, and asks for the rest. Replicas have random
names; here each is called after its role.
"""

import re

from coordinator_life import COORDINATOR, CoordinatorLife
from fault_proxy import FaultProxy
from jobs.replica_requests import Refused, ReplicaJob, Unanswered
from life import JOB
from process import free_port

REPLICA = re.compile(rf"\b{JOB}-(collector|learner)-[a-z0-9]{{5}}\b")
COLLECTORS, LEARNERS = f"{JOB}-collector", f"{JOB}-learner"


def role_of(text):
    """The text with the role of each replica in place of its name."""
    return REPLICA.sub(rf"{JOB}-\1", text)


class ReplicaProxy(FaultProxy):
    def name_in_plans(self, name):
        return role_of(name)


class ReplicaLife(CoordinatorLife):
    Proxy = ReplicaProxy

    def __init__(self, *arguments):
        super().__init__(*arguments)
        address = f"127.0.0.1:{free_port()}"
        self.operator.args += ["--di-server-bind-address", address,
                                  "--di-server-access", "anybody"]
        self.requests = ReplicaJob(self, JOB, f"http://{address}")
        self.wanted = None  # collectors and learners, while they are asked for
        self.failed = set()  # names, until they are replaced
        self.reference = {}  # effects of the undisturbed life

    # -- reading ---------------------------------------------------------------

    def state(self):
        return role_of(super().state())

    def sort_key(self, item):
        """Those of one role as they are, since their names say nothing."""
        phase = item.get("status", {}).get("phase", "")
        return role_of(item["metadata"]["name"]), phase

    def pod_phases(self):
        found = {}
        for name, phase in super().pod_phases().items():
            found.setdefault(role_of(name), []).append(phase)
        return {name: " ".join(sorted(phases))
                for name, phases in found.items()}

    def effects(self):
        """A creation that came late was one too many, and taken back."""
        found = super().effects()
        if "killed-late" in self.proxy.due.met:
            for resource in ("pods", "services"):
                for name in (COLLECTORS, LEARNERS):
                    late = found[("POST", resource, name)] - \
                        self.reference[("POST", resource, name)]
                    found[("POST", resource, name)] -= late
                    found[("DELETE", resource, name)] -= late
        return +found

    def play(self, reference):
        self.reference = reference[1]
        super().play(reference)

    # -- the coordinator ---------------------------------------------------------

    def await_state(self, test, what):
        super().await_state(lambda: self.has_replicas() and test(), what)

    def has_replicas(self):
        """Whether those that are wanted are there; asks for what lacks."""
        if not self.wanted:
            return True
        try:
            return self.ask_for_difference(self.requests.listed())
        except (Unanswered, Refused):
            return False

    def ask_for_difference(self, there):
        self.failed &= there
        if self.failed:
            self.requests.report_failed(*self.failed)
            return False
        lacking = [wanted - sum(role_of(name) == role for name in there)
                   for wanted, role in zip(self.wanted,
                                           (COLLECTORS, LEARNERS))]
        if max(lacking) > 0:
            self.requests.add(*(max(count, 0) for count in lacking))
        elif min(lacking) < 0:
            self.requests.remove(*(max(-count, 0) for count in lacking))
        return lacking == [0, 0]

    # -- the steps -------------------------------------------------------------

    def start_replicas(self):
        self.wanted = (2, 1)

    def run_pending(self):
        for name, phase in super().pod_phases().items():
            if phase == "Pending":
                self.report_phase(name, "Running")

    def lose_collector(self):
        """It is reported as failed, which replaces it."""
        name = next(n for n in sorted(super().pod_phases())
                    if role_of(n) == COLLECTORS)
        self.report_phase(name, "Failed", 1)
        self.failed = {name}

    def remove_collector(self):
        self.wanted = (1, 1)

    def succeed(self):
        self.wanted = None
        super().succeed()

    def steps(self):
        def pods(coordinator, collectors, learner):
            return {COORDINATOR: coordinator, COLLECTORS: collectors,
                    LEARNERS: learner}

        return [(self.create, {COORDINATOR: "Pending"}, "Created"),
                (self.run_pending, {COORDINATOR: "Running"}, "Running"),
                (self.start_replicas,
                 pods("Running", "Pending Pending", "Pending"), "Running"),
                (self.run_pending,
                 pods("Running", "Running Running", "Running"), "Running"),
                (self.lose_collector,
                 pods("Running", "Pending Running", "Running"), "Running"),
                (self.run_pending,
                 pods("Running", "Running Running", "Running"), "Running"),
                (self.remove_collector,
                 pods("Running", "Running", "Running"), "Running"),
                (self.succeed, {COORDINATOR: "Succeeded"}, "Succeeded"),
                (self.remove, {COORDINATOR: "Succeeded"}, None)]
