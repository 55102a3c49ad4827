#!/usr/bin/python3
"""Jobs of Kubernetes itself (batch/v1) on a laptop."""

import calendar
import json
import os
import signal
import sys
import time

from test_up import Up
from troupe import Folder, finished, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster

JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
EVENTS = "/api/v1/namespaces/default/events"
MERGE = "application/merge-patch+json"


def manifest(name, program, restart="Never", **spec):
    """A Job that runs a Python program."""
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name},
            "spec": {**spec, "template": {"spec": {
                "restartPolicy": restart, "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": "any",
                                "command": ["python3", "-c", program]}]}}}}


def seconds(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


class Jobs(Up):
    def create_job(self, *args, **spec):
        code, answer = self.ask("POST", JOBS, manifest(*args, **spec))
        equal(code, 201, f"creating: {answer}")
        return answer

    def job(self, name):
        return self.get(f"{JOBS}/{name}")

    def true_conditions(self, name):
        return [c["type"] for c in self.job(name)["status"].get(
            "conditions", []) if c["status"] == "True"]

    def await_end(self, name, wanted):
        wait_until(f"{name} to be {wanted}",
                   lambda: wanted in self.true_conditions(name))

    def pods_of(self, name):
        return self.get(f"{PODS}?labelSelector=job-name={name}")["items"]

    def reasons(self, name):
        return {e["reason"] for e in self.get(EVENTS)["items"]
                if e["involvedObject"]["kind"] == "Job"
                and e["involvedObject"]["name"] == name}

    def suspend(self, name, value):
        code, answer = self.ask("PATCH", f"{JOBS}/{name}",
                                {"spec": {"suspend": value}}, MERGE)
        equal(code, 200, f"suspending: {answer}")


def success(_):
    """a Job runs its program, completes, and is removed with its pods"""
    with Jobs() as up:
        up.create_job("good", "print('from a Job')",
                      ttlSecondsAfterFinished=5)
        up.await_end("good", "Complete")
        job = up.job("good")
        equal(job["status"]["succeeded"], 1, "succeeded")
        equal([c["type"] for c in job["status"]["conditions"]],
              ["SuccessCriteriaMet", "Complete"], "conditions")
        equal("completionTime" in job["status"], True, "completionTime")
        pod, = up.pods_of("good")
        contains(up.get(f"{PODS}/{pod['metadata']['name']}/log"),
                 "from a Job")
        equal(pod["metadata"]["ownerReferences"][0]["uid"],
              job["metadata"]["uid"], "owner")
        equal(up.reasons("good"), {"SuccessfulCreate", "Completed"})
        wait_until("the Job to be removed",
                   lambda: up.ask("GET", f"{JOBS}/good")[0] == 404)
        wait_until("its pods to be removed", lambda: not up.pods_of("good"))


def retries(folder):
    """a pod that fails is replaced after ten seconds; another limit is final"""
    program = ("import os, sys\n"
               "if os.path.exists('flag'): sys.exit(0)\n"
               "open('flag', 'w'); sys.exit(1)")
    with Jobs("--workdir", folder.path) as up:
        up.create_job("again", program)
        up.create_job("never", "raise SystemExit(3)", backoffLimit=0)
        up.create_job("codes", "raise SystemExit(42)", podFailurePolicy={
            "rules": [{"action": "FailJob", "onExitCodes": {
                "operator": "In", "values": [42]}}]})
        up.create_job("restarts", "raise SystemExit(1)", "OnFailure",
                      backoffLimit=1)
        up.await_end("never", "Failed")
        equal(up.job("never")["status"]["failed"], 1, "failed")
        contains(up.job("never")["status"]["conditions"][-1]["reason"],
                 "BackoffLimitExceeded")
        up.await_end("codes", "Failed")
        contains(up.job("codes")["status"]["conditions"][-1]["message"],
                 "failed with exit code 42 matching FailJob rule at index 0")
        up.await_end("restarts", "Failed")
        up.await_end("again", "Complete")
        status = up.job("again")["status"]
        equal((status["failed"], status["succeeded"]), (1, 1), "counts")
        ended, begun = sorted(seconds(p["status"]["startTime"])
                              for p in up.pods_of("again"))
        equal(begun - ended >= 9, True, f"a pause of {begun - ended} s")


def deadline(_):
    """a deadline ends a Job's processes, and then the Job"""
    with Jobs() as up:
        up.create_job("late", "import time; time.sleep(600)  # of-late",
                      activeDeadlineSeconds=3)
        up.await_end("late", "Failed")
        status = up.job("late")["status"]
        equal([(c["type"], c["reason"]) for c in status["conditions"]],
              [("FailureTarget", "DeadlineExceeded"),
               ("Failed", "DeadlineExceeded")], "conditions")
        equal(status["failed"], 1, "failed")
        equal("active" in status, False, "active")
        wait_until("its pods to go", lambda: not up.pods_of("late"))


def suspension(_):
    """a suspended Job has no pods; resumed, it begins anew"""
    with Jobs() as up:
        up.create_job("pause", "import time; time.sleep(600)", suspend=True)
        wait_until("the condition",
                   lambda: up.true_conditions("pause") == ["Suspended"])
        equal(up.pods_of("pause"), [], "pods of a suspended Job")
        equal("startTime" in up.job("pause")["status"], False, "startTime")
        up.suspend("pause", False)

        def is_running():
            return any(p["status"]["phase"] == "Running"
                       for p in up.pods_of("pause"))

        wait_until("its pod to run", is_running)
        first = up.job("pause")["status"]["startTime"]
        up.suspend("pause", True)
        wait_until("its pods to go", lambda: not up.pods_of("pause"))
        wait_until("the condition",
                   lambda: up.true_conditions("pause") == ["Suspended"])
        equal(up.job("pause")["status"].get("failed", 0), 0, "failed")
        wait_until("another second",
                   lambda: time.time() > seconds(first) + 1)
        up.suspend("pause", False)
        wait_until("its pod to run", is_running)
        equal(up.job("pause")["status"]["startTime"] > first, True,
              "a new startTime")
        equal({"Suspended", "Resumed"} <= up.reasons("pause"), True, "events")


def kept(folder):
    """with --data Jobs go on after the program was killed"""
    data = os.path.join(folder.path, "data")
    flags = ("--data", data, "--workdir", folder.path)
    program = ("import os, time\n"
               "while not os.path.exists('go'): time.sleep(0.05)")
    with Jobs(*flags) as up:
        up.create_job("kept", program)
        up.create_job("done", "pass")
        up.await_end("done", "Complete")
        wait_until("its pod to run", lambda: [
            p["status"]["phase"] for p in up.pods_of("kept")] == ["Running"])
        up.child.send_signal(signal.SIGKILL)
        up.child.wait()
    folder.write("go", "")
    with Jobs(*flags) as up:
        up.await_end("kept", "Complete")
        status = up.job("kept")["status"]
        equal((status["failed"], status["succeeded"]), (1, 1), "counts")
        equal(len(up.pods_of("done")), 1, "pods of a finished Job")


def beside_a_job(folder):
    """`troupe run` applies a Job that is beside a training job"""
    text = json.dumps(manifest("prepare", "open('data', 'w')"))
    both = folder.write("both.yaml", text + "\n---\n" + tfjob(
        "train", "import os, time\n"
                 "while not os.path.exists('data'): time.sleep(0.05)\n"
                 "print('prepared')"))
    code, out = finished("run", "--workdir", folder.path, both)
    equal(code, 0, out)
    contains(out, "prepared")


CASES = [success, retries, deadline, suspension, kept, beside_a_job]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
