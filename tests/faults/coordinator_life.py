"""The life of a DIJob: a coordinator, its service, and nobody's requests."""

from jobs.kinds import DI
from life import JOB, Life

COORDINATOR = f"{JOB}-coordinator"


class CoordinatorLife(Life):
    def run_pending(self):
        self.report_phase(COORDINATOR, "Running")

    def lose_coordinator(self):
        self.client.delete(self.core("pods", COORDINATOR),
                           {"gracePeriodSeconds": 0})

    def lose_service(self):
        self.client.delete(self.core("services", COORDINATOR))

    def succeed(self):
        self.report_phase(COORDINATOR, "Succeeded")

    def remove(self):
        """Nobody collects what the job leaves."""
        self.client.delete(self.of(DI, JOB))

    def effects(self):
        """The service of a lost coordinator is deleted, unless the next
        coordinator is there before; then that has it."""
        found = super().effects()
        pairs = found.pop(("DELETE", "services", COORDINATOR), 0)
        found[("POST", "services", COORDINATOR)] -= pairs
        return found

    def steps(self):
        pending, running, ended = ({COORDINATOR: phase} for phase in
                                   ("Pending", "Running", "Succeeded"))
        return [(self.create, pending, "Created"),
                (self.run_pending, running, "Running"),
                (self.lose_service, running, "Running"),
                (self.lose_coordinator, pending, "Running"),
                (self.run_pending, running, "Running"),
                (self.succeed, ended, "Succeeded"),
                (self.remove, ended, None)]
