"""The life of a DIJob of tasks (v2alpha1): a learner and its collectors."""

from jobs.kinds import DI_TASKS
from life import JOB, Life

LEARNER = f"{JOB}-learner-0"


def collector(index):
    return f"{JOB}-collector-{index}"


class TasksLife(Life):
    def reported_status(self, containers, phase, code):
        """The job counts pods whose containers are ready."""
        status = super().reported_status(containers, phase, code)
        ready = "True" if phase == "Running" else "False"
        return dict(status, conditions=[
            {"type": "ContainersReady", "status": ready}])

    def run_pending(self):
        for pod, phase in self.pod_phases().items():
            if phase == "Pending":
                self.report_phase(pod, "Running")

    def lose_collector(self):
        self.report_phase(collector(0), "Failed", 1)

    def delete_collector(self):
        self.client.delete(self.core("pods", collector(1)),
                           {"gracePeriodSeconds": 0})

    def lose_service(self):
        self.client.delete(self.core("services", f"di-{JOB}"))

    def scale_to(self, count):
        self.patch(self.kind, JOB, self.row.spec_of(count))

    def succeed(self):
        for pod in self.pod_phases():
            self.report_phase(pod, "Succeeded")

    def remove(self):
        """Nobody collects what the job leaves."""
        self.client.delete(self.of(DI_TASKS, JOB))

    def steps(self):
        def pods(*collectors, learner="Running"):
            return {LEARNER: learner, **{collector(i): phase for i, phase
                                         in enumerate(collectors)}}

        run, wait, end = "Running", "Pending", "Succeeded"
        return [(self.create, pods(wait, wait, learner=wait), "Starting"),
                (self.run_pending, pods(run, run), "Running"),
                (self.lose_service, pods(run, run), "Running"),
                (self.lose_collector, pods(wait, run), "Starting"),
                (self.run_pending, pods(run, run), "Running"),
                (self.delete_collector, pods(run, wait), "Starting"),
                (self.run_pending, pods(run, run), "Running"),
                (self.scale_up, pods(run, run, wait), "Starting"),
                (self.run_pending, pods(run, run, run), "Running"),
                (self.scale_down, pods(run), "Running"),
                (self.succeed, pods(end, learner=end), "Succeeded"),
                (self.remove, pods(end, learner=end), None)]
