"""The life of a job in a queue of Kueue's, which the life plays itself.

The job waits until it is admitted; one of its workers ends; the job is evicted,
waits, and is admitted again; then it runs to its end.
"""

import re

from fault_proxy import FaultProxy
from kueue_definitions import API, FLAVOR
from life import JOB, LONG_AGO, Life
from plans import Call

# A hash over the job's UID ends the name.
WORKLOAD = re.compile(rf"\b(\w+job-{JOB})-[0-9a-f]{{5}}\b")
FLAVORS = "/resourceflavors/"
SINCE = re.compile(r'("accumulatedPastExecutionTimeSeconds": )\d+')


class QueueProxy(FaultProxy):
    def name_in_plans(self, name):
        return WORKLOAD.sub(r"\1", name)

    def is_counted(self, request):
        return FLAVORS in request.path or super().is_counted(request)

    def call_of(self, request):
        if FLAVORS in request.path:
            return Call(request.method, "resourceflavors", FLAVOR)
        call = super().call_of(request)
        return call._replace(name=self.name_in_plans(call.name))


class QueuedLife(Life):
    Proxy = QueueProxy

    def state(self):
        text = WORKLOAD.sub(r"\1", super().state())
        return SINCE.sub(r"\1*", text)

    # -- Kueue -----------------------------------------------------------------

    def workloads(self):
        return f"{API}/namespaces/{self.name}/workloads"

    def decide(self, conditions, admission=None):
        """Writes the status as Kueue does: conditions, and what it grants."""
        def written():
            workload, = self.client.get(self.workloads())["items"]
            status = workload.setdefault("status", {})
            kept = [one for one in status.get("conditions", ())
                    if one["type"] not in conditions]
            status["conditions"] = kept + [
                {"type": name, "status": value, "reason": reason,
                 "message": f"Kueue: {reason}", "lastTransitionTime": LONG_AGO}
                for name, (value, reason) in conditions.items()]
            if admission:
                status["admission"] = admission(workload)
            path = f"{self.workloads()}/{workload['metadata']['name']}/status"
            return self.client.text("PUT", path, workload)[0] == 200

        self.await_state(written, f"Kueue's write of {conditions}")

    @staticmethod
    def grants(workload):
        return {"clusterQueue": "cluster-queue", "podSetAssignments": [
            {"name": one["name"], "count": one["count"],
             "flavors": {"cpu": FLAVOR}}
            for one in workload["spec"]["podSets"]]}

    def admit_workload(self):
        self.decide({"QuotaReserved": ("True", "QuotaReserved"),
                     "Evicted": ("False", "QuotaReserved"),
                     "Admitted": ("True", "Admitted")}, self.grants)

    def evict(self):
        self.decide({"Evicted": ("True", "Preempted")})

    # -- the steps -------------------------------------------------------------

    def end_worker(self):
        self.report_phase(f"{JOB}-worker-1", "Succeeded")

    def steps(self):
        names = self.kind.pods(JOB, self.kind.with_workers(2))
        pending, running = (dict.fromkeys(names, phase)
                            for phase in ("Pending", "Running"))
        one_ended = {**running, f"{JOB}-worker-1": "Succeeded"}
        ended = {f"{JOB}-worker-1": "Succeeded",
                 **dict.fromkeys(self.kind.named(JOB, self.kind.leads),
                                 "Succeeded")}
        return [(self.create, {}, "Suspended"),
                (self.admit_workload, pending, None),
                (self.run_pending, running, "Running"),
                (self.evict, {}, "Suspended"),
                (self.admit_workload, pending, None),
                (self.run_pending, running, "Running"),
                (self.end_worker, one_ended, "Running"),
                (self.succeed, ended, "Succeeded"),
                (self.expire, ended, None)]
