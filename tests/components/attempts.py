"""Attempts of jobs with a policy on failures: what is there of them, and how pods
fail."""

import json

from checks import equal
from cluster import wait_for
from control_plane.client import ApiError
from jobs.kinds import LABEL
from operators.operator_fixture import LIMIT, reported

ATTEMPT = LABEL + "restart-attempt"
VARIABLE = "TRAINING_RESTART_ATTEMPT"
# Where the definition has no field for them.
POLICY, STATE = LABEL + "failure-policy", LABEL + "recovery"
WHOLE = {"restartScope": "Job", "maxRestarts": 3, "restartWindow": "6h"}
LONG_AGO = "2020-01-01T00:00:00Z"


def recovering(kind, job, policy, *args, noted=False, **more):
    """A job's manifest with this policy on failures, in its spec or `noted` as
    an annotation."""
    result = kind.manifest(job, *args, **more)
    if noted:
        result["metadata"]["annotations"] = {POLICY: json.dumps(policy)}
    else:
        result["spec"]["runPolicy"]["failurePolicy"] = policy
    return result


# -- what is there ------------------------------------------------------------

def recovery(ns, kind, job):
    """Its attempts: from its status, or where that is pruned, an annotation."""
    found = ns.job(kind, job)
    note = found["metadata"].get("annotations", {}).get(STATE)
    return json.loads(note) if note else found.get("status", {})


def attempt_of(pod):
    """By its label."""
    return int(pod["metadata"]["labels"].get(ATTEMPT, -1))


def told_attempt(pod):
    """By what its main container finds."""
    return {e["name"]: e.get("value") for e in
            pod["spec"]["containers"][0].get("env", ())}.get(VARIABLE)


def is_attempt(ns, kind, job, number):
    """All of its pods are of that attempt, and say so."""
    for name, pod in ns.owned(kind, job, "pods").items():
        equal((attempt_of(pod), told_attempt(pod)), (number, str(number)), name)
        equal(pod["spec"]["restartPolicy"], "Never", name)


def pod_history(ns):
    """(type, pod) of all that was seen of its pods since the namespace is
    there, in that order."""
    _, text = ns.client.text(
        "GET", ns.core("pods") + "?watch=1&timeoutSeconds=1&resourceVersion="
        + ns.version)
    events = [json.loads(line) for line in text.splitlines()]
    equal([e for e in events if e["type"] == "ERROR"], [], "errors of the watch")
    return [(e["type"], e["object"]) for e in events]


def never_meet(ns, same_type=False):
    """No pod of one attempt was ever beside one of another; of the same type,
    where types are restarted by themselves."""
    there = {}
    for what, pod in pod_history(ns):
        meta = pod["metadata"]
        key = (meta["labels"][LABEL + "job-name"],
               meta["labels"][LABEL + "replica-type"] if same_type else "")
        if what == "DELETED":
            del there[meta["uid"]]
            continue
        there[meta["uid"]] = (key, attempt_of(pod), meta["name"])
        others = {(name, number) for k, number, name in there.values()
                  if k == key and number != attempt_of(pod)}
        equal(others, set(), f"beside {meta['name']} of {attempt_of(pod)}")


def fail(ns, pod, code=137, uid=None, early=False, **more):
    """Its containers end so; `more` is put into what the first one tells. A
    pod that ran for long, unless `early`. False: it is another one by now."""
    path = ns.core("pods", pod)
    found = ns.client.get(path)
    status = reported(found["spec"]["containers"], "Failed", code)
    ended = status["containerStatuses"][0]["state"]["terminated"]
    conditions = more.pop("conditions", None)
    ended.update(more)
    if conditions:
        status["conditions"] = conditions
    if not early:
        ended["startedAt"] = status["startTime"] = LONG_AGO
    try:
        ns.client.merge(path + "/status", {
            "metadata": {"uid": uid or found["metadata"]["uid"]},
            "status": status})
    except ApiError as gone:
        if gone.status not in (404, 409):
            raise
        return False
    return True


def start(ns, kind, manifest):
    """The uids of its pods, which all run."""
    ns.post(kind, manifest)
    return ns.await_running(kind, manifest["metadata"]["name"])


def await_attempt(ns, kind, job, number):
    try:
        wait_for("an attempt", lambda: recovery(ns, kind, job).get(
            "restartAttempt") == number, LIMIT)
    except TimeoutError:
        raise AssertionError(f"wanted attempt {number} of {job}, its status is "
                             f"{recovery(ns, kind, job)}") from None
