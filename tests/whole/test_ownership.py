#!/usr/bin/python3
"""What belongs to a job, with `troupe up --no-node`: nothing of another
namespace, and nothing of a former job of its name, for whose end it waits."""

import sys

from troupe import Folder, finished, wait_until
from test_up import QUIET, Up

from checks import contains, equal, run  # of ../cluster
from jobs.kinds import DI, DI_TASKS, KINDS, TF

NAMESPACES = "/api/v1/namespaces"
ENDED = {"phase": "Succeeded", "containerStatuses": [{
    "name": "tensorflow", "image": "x", "imageID": "", "ready": False,
    "restartCount": 0, "state": {"terminated": {
        "exitCode": 0, "reason": "Completed",
        "startedAt": "2026-01-01T00:00:00Z",
        "finishedAt": "2026-01-01T00:10:00Z"}}}]}


def pods(namespace="default"):
    return f"{NAMESPACES}/{namespace}/pods"


def jobs(kind, namespace="default"):
    return f"{kind.group}/namespaces/{namespace}/{kind.plural}"


def uids(up, job):
    """Name -> UID of the pods with the label of this job."""
    items = up.get(pods() + "?labelSelector=training.kubeflow.org/job-name%3D"
                   + job)["items"]
    return {p["metadata"]["name"]: p["metadata"]["uid"] for p in items}


def post(up, path, body):
    status, answer = up.ask("POST", path, body)
    equal(status, 201, f"creating: {answer}")
    return answer


def of_other_namespace(_):
    """a finished pod of another namespace that names a job ends nothing"""
    with Up("--no-node", *QUIET) as up:
        job = post(up, jobs(TF), TF.manifest("mine", counts={"Worker": 1}))
        wait_until("the pod", lambda: uids(up, "mine"))
        before = uids(up, "mine")
        pod = up.get(f"{pods()}/mine-worker-0")
        post(up, NAMESPACES, {"metadata": {"name": "b"}})
        # The finalizer keeps it although its owner is nowhere.
        post(up, pods("b"), {
            "metadata": {"name": "mine-worker-0", "finalizers": ["x/y"],
                         "labels": pod["metadata"]["labels"]},
            "spec": {"containers": [{"name": "tensorflow", "image": "x"}]}})
        there = f"{pods('b')}/mine-worker-0"
        up.api.merge(there + "/status", {"status": ENDED})
        owner = pod["metadata"]["ownerReferences"]
        equal(owner[0]["uid"], job["metadata"]["uid"], "the owner's UID")
        up.api.merge(there, {"metadata": {"ownerReferences": owner}})
        wait_until("the garbage collector, which finds no such owner there",
                   lambda: "deletionTimestamp" in up.get(there)["metadata"])
        # What was seen before this job's pod has been dealt with.
        post(up, jobs(TF), TF.manifest("next", counts={"Worker": 1}))
        wait_until("a pod of the next job", lambda: uids(up, "next"))
        equal(up.conditions("mine"), ["Created"], "the job's conditions")
        equal(uids(up, "mine"), before, "the job's pods")


def slow_to_end(template):
    """On a node without a kubelet: nobody ends its pod."""
    template.setdefault("spec", {}).update(
        nodeName="ghost", terminationGracePeriodSeconds=600)


def training_job(kind):
    job = kind.manifest("twice")
    for replicas in job["spec"][kind.field].values():
        slow_to_end(replicas["template"])
    return kind, job, kind.pods("twice")


def di_job(kind, pod, spec_of):
    template = {"spec": {"containers": [
        {"name": "di-container", "image": "x"}]}}
    slow_to_end(template)
    job = {"apiVersion": kind.group[len("/apis/"):], "kind": "DIJob",
           "metadata": {"name": "twice"}, "spec": spec_of(template)}
    return kind, job, [pod]


def recreated(kind, job, names):
    def case(_):
        with Up("--no-node") as up:
            def there():
                return [up.get(f"{pods()}/{name}").get("metadata", {})
                        for name in names]

            post(up, jobs(kind), job)
            wait_until("the pods", lambda: all(there()))
            former = {meta["uid"] for meta in there()}
            up.ask("DELETE", f"{jobs(kind)}/twice")
            wait_until("the end of all pods to begin", lambda: all(
                "deletionTimestamp" in meta for meta in there()))
            post(up, jobs(kind), job)

            def explained():
                code, text = finished("explain", f"{kind.name}/twice",
                                      "--admin", up.admin)
                return code == 0 and "already exists" in text and text

            text = wait_until("what it waits for", explained)
            contains(text, f"the former {kind.name}'s pod is being deleted")
            contains(text, "the kubelet")
            equal("a person" in text, False, text)
            for name in names:
                up.ask("DELETE", f"{pods()}/{name}",
                       {"gracePeriodSeconds": 0})
            wait_until("new pods", lambda: all(
                meta.get("uid", "") not in former | {""}
                for meta in there()))

    version = job["apiVersion"].rsplit("/", 1)[1]
    case.__name__ = f"recreated_{kind.short_name}_{version}"
    case.__doc__ = (f"a {kind.name} ({version}) whose former pods stop waits "
                    "for their end")
    return case


JOBS = [*map(training_job, KINDS),
        di_job(DI, "twice-coordinator",
               lambda template: {"coordinator": {"template": template}}),
        di_job(DI_TASKS, "twice-learner-0", lambda template: {"tasks": [
            {"type": "learner", "replicas": 1, "template": template}]})]
CASES = [of_other_namespace, *(recreated(*job) for job in JOBS)]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
