"""A check of the test's own stands between quota and admission, and says what
pods get."""

from queueing import FIRST, LIMIT, templates, within

import kueue
import queues
from checks import equal
from cluster import wait_for
from control_plane.client import ApiError
from jobs.namespace import for_kinds
from kueue import API
from queues import VERSION

LABEL, NOTE = "check/label", "check/note"
TOLERATION = {"key": "check", "operator": "Exists", "effect": "NoSchedule"}
UPDATES = {"labels": {LABEL: "yes"}, "annotations": {NOTE: "told"},
           "nodeSelector": {"kubernetes.io/hostname": "queue-1"},
           "tolerations": [TOLERATION]}


def with_check(ns):
    """A check of the namespace's name, for its queue."""
    path = f"{API}/admissionchecks"
    ns.client.post(path, {
        "apiVersion": VERSION, "kind": "AdmissionCheck",
        "metadata": {"name": ns.name},
        "spec": {"controllerName": "test.example.com/mine"}})

    def is_active():
        try:
            found = ns.client.get(f"{path}/{ns.name}")
            found["status"] = {"conditions": [{
                "type": "Active", "status": "True", "reason": "Active",
                "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
            ns.client.call("PUT", f"{path}/{ns.name}/status", found)
            return True
        except ApiError as error:
            if error.status != 409:
                raise
            return False

    wait_for("the check to be active", is_active, LIMIT)
    ns.client.merge(queues.cluster_queue(ns.name), {"spec": {
        "admissionChecksStrategy": {"admissionChecks": [{"name": ns.name}]}}})
    wait_for("the queue to be active", lambda: kueue.is_true(
        ns.client.get(queues.cluster_queue(ns.name)), "Active"), LIMIT)


def says(ns, job, state, updates=None):
    """The check says so of the job, as soon as Kueue asks it."""
    queues.await_workload(ns, job, "a question", lambda w: any(
        c["state"] == "Pending" for c in
        w.get("status", {}).get("admissionChecks", ())) and queues.condition(
            w, "QuotaReserved").get("status") == "True")

    def change(workload):
        (check,) = workload["status"]["admissionChecks"]
        check.update({"state": state, "message": f"the check says {state}",
                      "lastTransitionTime": "2026-01-01T00:00:00Z"})
        if updates:
            check["podSetUpdates"] = [{"name": p["name"], **updates}
                                      for p in workload["spec"]["podSets"]]
    queues.write(ns, job, change, status=True)


@within(3)
def checked(ns, kind):
    """no pod before the check is ready; then it has what the check says, which
    an eviction takes back; a rejection stops the job for good"""
    with_check(ns)
    made = ns.queue(kind, "job")
    queues.await_condition(ns, "job", "QuotaReserved")
    ns.waits(kind, "job")
    says(ns, "job", "Ready", UPDATES)
    ns.runs(kind, "job")
    for name, pod in ns.owned(kind, "job", "pods").items():
        equal(pod["metadata"]["labels"].get(LABEL), "yes", name)
        equal(pod["metadata"]["annotations"].get(NOTE), "told", name)
        equal(pod["spec"]["nodeSelector"],
              {"flavor": kueue.FLAVOR, **UPDATES["nodeSelector"]}, name)
        for one in (TOLERATION, kueue.TOLERATION):
            equal(one in pod["spec"]["tolerations"], True, f"{name}: {one}")

    def retry(workload):
        (check,) = workload["status"]["admissionChecks"]
        check.update({"state": "Retry", "message": "again"})
    queues.write(ns, "job", retry, status=True)
    queues.await_condition(ns, "job", "Evicted", reason="AdmissionCheck")
    ns.waits(kind, "job")
    equal(templates(ns.job(kind, "job"), kind), templates(made, kind),
          "templates")
    says(ns, "job", "Ready", UPDATES)
    ns.runs(kind, "job")
    equal(ns.fixture.record.released_after_pods(ns, "job"), 1,
          "times that its quota was given back")
    ns.client.delete(ns.of(kind, "job"))
    ns.queue(kind, "refused")
    says(ns, "refused", "Rejected")
    queues.await_workload(ns, "refused", "its deactivation",
                          lambda w: w["spec"].get("active") is False)
    ns.waits(kind, "refused")
    ns.await_text("the check's words", lambda: "the check says Rejected"
                  in ns.report(kind, "refused"))
    queues.await_used(ns, 0)


CASES = for_kinds(FIRST, checked)
