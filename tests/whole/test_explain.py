#!/usr/bin/python3
"""Which operator `explain` and `top` ask; what `explain` says a job waits for.
"""

import json
import sys

from test_up import JOBS, PODS, QUIET, Up, ready
from troupe import Folder, Program, finished, tfjob, wait_until

import needs  # of ../cluster
from checks import contains, equal, run
from process import free_port

STAYS = "import time; time.sleep(600)"


def explained(name, *args, env=None):
    return finished("explain", name, *args, env=env)


def own_operator(_):
    """the operator of the kubeconfig's cluster answers, not another one"""
    with Up("--no-node") as other, Up("--no-node") as up:
        up.create(tfjob("here", "pass"))
        up.await_condition("here", "Created")
        for args, env in ((("--kubeconfig", up.kubeconfig), {}),
                          ((), {"KUBECONFIG": up.kubeconfig})):
            code, text = explained("here", *args, env=env)
            equal(code, 0, text)
            contains(text, "TFJob default/here")
            code, text = finished("top", "--once", *args, env=env)
            equal(code, 0, text)
            contains(text, "default/here")
        code, text = explained("here", "--kubeconfig", other.kubeconfig)
        equal(code, 1, text)
        contains(text, "no job default/here")


def during_run(folder):
    """what `run` says to export leads to its operator"""
    job = folder.write("job.yaml", tfjob("running", STAYS))
    with Program("run", job) as program:
        path = program.await_line(r"export KUBECONFIG=(.*)")[1]
        program.await_line("Running")
        code, text = explained("running", env={"KUBECONFIG": path})
        equal(code, 0, text)
        contains(text, "TFJob default/running")


def without_address(_):
    """an operator without an admin endpoint is named as such"""
    with Up("--no-node", "--admin-bind-address", "0") as up:
        code, text = explained("any", "--kubeconfig", up.kubeconfig)
        equal(code, 1, text)
        contains(text, "the operator of this cluster has no admin endpoint")


def apart(_):
    """an operator beside the control plane is found, if it is that cluster's"""
    needs.free_local_port(8082)  # The usual address of the admin endpoint.
    health = free_port()
    quiet = list(QUIET)
    quiet[1], quiet[5] = f"127.0.0.1:{health}", "127.0.0.1:8082"
    with Up("--no-node", "--no-operator") as up, \
            Up("--no-node", "--no-operator") as other:
        with Program("operator", "--kubeconfig", up.kubeconfig, *quiet):
            wait_until("the operator to be ready", lambda: ready(health))
            up.create(tfjob("here", "pass"))
            up.await_condition("here", "Created")
            code, text = explained("here", "--kubeconfig", up.kubeconfig)
            equal(code, 0, text)
            contains(text, "TFJob default/here")
            code, text = explained("here", "--kubeconfig", other.kubeconfig)
            equal(code, 1, text)
            contains(text, "no pod has the label")


def waiting_of(up, name):
    """The field of the report, and the line of text that prints it; they are
    read one after the other."""
    code, report = explained(name, "--kubeconfig", up.kubeconfig, "-o", "json")
    field = json.loads(report).get("waitingFor", {}) if code == 0 else {}
    _, text = explained(name, "--kubeconfig", up.kubeconfig)
    line = [x for x in text.splitlines() if x.startswith("Waiting for: ")]
    return field, "".join(line)


def await_waiting(up, name, row, mover, *texts):
    """Until the job waits for that, and the text says so. Returns the field."""
    found = {}

    def there():
        found["field"], found["line"] = waiting_of(up, name)
        field = found["field"]
        return (field.get("row") == row and field["whoseMove"] == mover
                and all(t.format(**field) in found["line"] for t in texts))

    try:
        wait_until(f"{name} to wait for {row}", there)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{found}") from error
    return found["field"]


def pods_that_do_not_get_on(_):
    """a node or an image that is not there: the scheduler, the kubelet"""
    with Up("--no-node", *QUIET) as up:
        for name, status, text in (
                ("gpu", {"conditions": [
                    {"type": "PodScheduled", "status": "False",
                     "reason": "Unschedulable",
                     "message": "0/1 nodes are available: 1 Insufficient "
                                "gpu."}]},
                 "gpu-worker-0 to be scheduled: Unschedulable: 0/1 nodes are "
                 "available: 1 Insufficient gpu. (whose move: the scheduler; a "
                 "person if no node can ever fit)"),
                ("image", {"containerStatuses": [
                    {"name": "tensorflow", "image": "x", "imageID": "",
                     "ready": False, "restartCount": 0, "state": {"waiting": {
                         "reason": "ImagePullBackOff",
                         "message": "Back-off pulling image x"}}}]},
                 "the image of image-worker-0 to be pulled: ImagePullBackOff: "
                 "Back-off pulling image x (whose move: the kubelet, which "
                 "tries again; a person if")):
            up.create(tfjob(name, "pass"))
            await_waiting(up, name, "scheduling", "cluster",
                          f"{name}-worker-0 to be scheduled (whose move: the "
                          "scheduler)")
            up.api.merge(f"{PODS}/{name}-worker-0/status", {"status": status})
            await_waiting(up, name, "troubled-pod", "cluster", text)


def suspended(_):
    """who resumes a suspended job, and since when it is one"""
    with Up("--no-node", *QUIET) as up:
        up.create(tfjob("paused", "pass", suspend=True))
        up.await_condition("paused", "Suspended")
        field = await_waiting(
            up, "paused", "resume", "person",
            "runPolicy.suspend to become false",
            "(whose move: a person, or the program that suspended the job)")
        job = up.get(f"{JOBS}/paused")
        since, = [c["lastTransitionTime"] for c in job["status"]["conditions"]
                  if c["type"] == "Suspended"]
        equal(field["since"], since, "since")


def forbidden(_):
    """who grants the operator a right that it lacks"""
    with Up("--authorization", "RBAC", "--no-node", *QUIET) as up:
        path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/" \
            "training-operator"
        role = up.get(path)
        for rule in role["rules"]:
            if "pods" in rule["resources"]:
                rule["verbs"].remove("create")
        equal(up.ask("PUT", path, role)[0], 200)
        up.create(tfjob("stuck", "pass"))
        field = await_waiting(
            up, "stuck", "failed-call", "person",
            'cannot create resource "pods"',
            "(whose move: a person, who grants the operator this right)")
        equal(field["what"], "the creation of pod worker-0")


def back_off(_):
    """when a pod is replaced that has failed at once, again and again"""
    with Up(*QUIET) as up:
        up.create(tfjob("again", "raise SystemExit(130)", restart="ExitCode"))
        await_waiting(
            up, "again", "delayed-replacement", "operator",
            "the replacement of again-worker-0 in ",
            ", at {until}: it failed shortly after its start, ",
            "(whose move: the operator, after its back-off; a person if the "
            "program is wrong)")


CASES = [own_operator, during_run, without_address, apart,
         pods_that_do_not_get_on, suspended, forbidden, back_off]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
