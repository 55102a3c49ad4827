"""The life of a job that is restarted as a whole, twice.

The first worker fails, then the second; each time all pods are made again, as
one attempt. Then it runs to its end.
"""

import re

from life import JOB, Life

CAUSE = re.compile(r'(is restarting \(attempt \d+\) because )[^"]*')


class RestartedLife(Life):
    def lose_other_worker(self):
        self.report_phase(f"{JOB}-worker-1", "Failed", 1)

    def steps(self):
        names = self.kind.pods(JOB, self.kind.with_workers(2))
        pending, running = (dict.fromkeys(names, phase)
                            for phase in ("Pending", "Running"))
        ended = {**dict.fromkeys(self.kind.named(JOB, self.kind.leads),
                                 "Succeeded")}
        return [(self.create, pending, "Created"),
                (self.run_pending, running, "Running"),
                (self.lose_worker, pending, "Restarting"),
                (self.run_pending, running, "Running"),
                (self.lose_other_worker, pending, "Restarting"),
                (self.run_pending, running, "Running"),
                (self.succeed, ended, "Succeeded"),
                (self.expire, ended, None)]


class NotedLife(RestartedLife):
    """Whose attempts are in an annotation, which is written before the status:
    what another process finds there says less of the cause."""

    def state(self):
        return CAUSE.sub(r"\1*", super().state())
