"""The life of an MPIJob of v2beta1, whose launcher is a Job.

The life is the Job controller, too, one that takes its time: what it does is a
step of its own, so the operator is met by each fault before and after it. It
makes the launcher's pod, replaces one that failed, ends it where the Job is
suspended, and says so in the Job's status.
"""

import hashlib
import json
import time

from jobs.mpi_ssh import JOBS
from life import JOB, Life

LAUNCHER = f"{JOB}-launcher"
RUNS = ("Pending", "Running")


class MpiSshLife(Life):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.keys = []  # private ones that were seen
        self.made = 0  # pods of the launcher

    # -- reading ---------------------------------------------------------------

    def state(self):
        """Keys are random: those that are the same have the same number."""
        text = super().state()
        for secret in self.client.get(self.core("secrets"))["items"]:
            for name, value in secret.get("data", {}).items():
                digest = hashlib.sha256(value.encode()).digest()
                if digest not in self.keys:
                    self.keys.append(digest)
                text = text.replace(json.dumps(value),
                                    f'"{name} {self.keys.index(digest)}"')
        return text

    def launcher_job(self):
        return self.client.get(self.at(JOBS, "jobs", LAUNCHER))

    def launchers(self):
        """Its pods that have not ended."""
        return [pod for pod, phase in self.pod_phases().items()
                if pod.startswith(LAUNCHER) and phase in RUNS]

    # -- kubelets --------------------------------------------------------------

    def reported_status(self, containers, phase, code):
        """A launcher may wait until workers are ready."""
        return dict(super().reported_status(containers, phase, code),
                    conditions=[{"type": "Ready", "status":
                                 "True" if phase == "Running" else "False"}])

    def run_pending(self):
        """The launcher runs last, so that little is written between."""
        pods = [pod for pod, phase in self.pod_phases().items()
                if phase == "Pending"]
        for pod in sorted(pods, key=lambda p: (p.startswith(LAUNCHER), p)):
            self.report_phase(pod, "Running")

    # -- the Job controller ------------------------------------------------------

    def say(self, **status):
        """Of the Job; the times of what it says are those of the life."""
        self.client.merge(self.at(JOBS, "jobs", LAUNCHER) + "/status",
                          {"status": status})

    def make_launcher(self):
        """A pod of the Job's template, under a name that is known here."""
        job = self.launcher_job()
        template, uid = job["spec"]["template"], job["metadata"]["uid"]
        self.made += 1
        self.client.post(self.core("pods"), {
            "metadata": {**template["metadata"],
                         "name": f"{LAUNCHER}-{self.made}",
                         "ownerReferences": [{
                             "apiVersion": "batch/v1", "kind": "Job",
                             "name": LAUNCHER, "uid": uid, "controller": True,
                             "blockOwnerDeletion": True}]},
            "spec": template["spec"]})
        self.say(startTime=job["status"].get("startTime") or now(), active=1,
                 ready=0)

    def lose_launcher(self):
        for pod in self.launchers():
            self.report_phase(pod, "Failed", 1)

    def count_failure(self):
        self.say(active=0, failed=1)

    def end_launcher(self):
        """As the Job is suspended."""
        for pod in self.launchers():
            self.client.delete(self.core("pods", pod),
                               {"gracePeriodSeconds": 0})
        self.say(active=0, conditions=[condition("Suspended", "JobSuspended")])

    def wake(self):
        """As the Job is not suspended any more."""
        self.say(conditions=[condition("Suspended", "JobResumed", "False")])
        self.make_launcher()

    def succeed(self):
        for pod in self.launchers():
            self.report_phase(pod, "Succeeded")

    def complete(self):
        why = "CompletionsReached"
        self.say(active=0, succeeded=1, completionTime=now(), conditions=[
            *self.launcher_job()["status"].get("conditions", ()),
            condition("SuccessCriteriaMet", why), condition("Complete", why)])

    # -- the steps -------------------------------------------------------------

    def delete_worker(self):
        self.client.delete(self.core("pods", f"{JOB}-worker-0"),
                           {"gracePeriodSeconds": 0})

    def steps(self):
        run, wait, lost, end = "Running", "Pending", "Failed", "Succeeded"

        def pods(*workers, **launchers):
            return {**{f"{JOB}-worker-{i}": phase
                       for i, phase in enumerate(workers)},
                    **{f"{LAUNCHER}-{i[1:]}": phase
                       for i, phase in launchers.items()}}

        return [
            (self.create, pods(wait, wait), "Created"),
            (self.make_launcher, pods(wait, wait, _1=wait), "Created"),
            (self.run_pending, pods(run, run, _1=run), "Running"),
            (self.lose_launcher, pods(run, run, _1=lost), "Running"),
            (self.count_failure, pods(run, run, _1=lost), "Running"),
            (self.make_launcher, pods(run, run, _1=lost, _2=wait), "Running"),
            (self.run_pending, pods(run, run, _1=lost, _2=run), "Running"),
            (self.delete_worker, pods(wait, run, _1=lost, _2=run), None),
            (self.run_pending, pods(run, run, _1=lost, _2=run), "Running"),
            (self.suspend, pods(_1=lost, _2=run), "Suspended"),
            (self.end_launcher, pods(_1=lost), "Suspended"),
            (self.resume, pods(wait, wait, _1=lost), None),
            (self.wake, pods(wait, wait, _1=lost, _3=wait), None),
            (self.run_pending, pods(run, run, _1=lost, _3=run), "Running"),
            (self.scale_up, pods(run, run, wait, _1=lost, _3=run), "Running"),
            (self.run_pending, pods(run, run, run, _1=lost, _3=run),
             "Running"),
            (self.scale_down, pods(run, _1=lost, _3=run), "Running"),
            (self.succeed, pods(run, _1=lost, _3=end), "Running"),
            (self.complete, pods(_1=lost, _3=end), "Succeeded"),
            (self.expire, pods(_1=lost, _3=end), None)]


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def condition(name, reason, status="True"):
    return {"type": name, "status": status, "reason": reason, "message": "",
            "lastProbeTime": now(), "lastTransitionTime": now()}
