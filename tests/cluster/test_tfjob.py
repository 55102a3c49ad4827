#!/usr/bin/python3
"""TFJobs with the shipped binary and kubectl on a real API server.

No case depends on time: each waits for what has to come about.

    test_tfjob.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import contains, equal, main
from cluster import wait_for
from stage import CORE, JOBS, LIMIT, Stage, tfjob


def workers(job, count):
    return [f"{job}-worker-{i}" for i in range(count)]


def lifetime(stage):
    """apply, get, describe, wait: a job from creation to success"""
    stage.apply(tfjob("life", workers=2, ps=1))
    stage.await_replicas("life", workers("life", 2) + ["life-ps-0"])
    stage.await_condition("life", "Created")
    rows = stage.kubectl("get", "tfjob", "life").stdout.splitlines()
    equal(rows[0].split(), ["NAME", "STATE", "AGE"])
    equal(rows[1].split()[:2], ["life", "Created"])
    stage.run_all("life")
    stage.kubectl("wait", "--for=condition=Running", "tfjob/life",
                  f"--timeout={LIMIT}s")
    stage.set_phase("life-worker-0", "Succeeded")
    stage.kubectl("wait", "--for=condition=Succeeded", "tfjob/life",
                  f"--timeout={LIMIT}s")
    rows = stage.kubectl("get", "tfjob", "life").stdout.splitlines()
    equal(rows[1].split()[:2], ["life", "Succeeded"])
    status = stage.client.get(f"{JOBS}/life")["status"]
    equal("startTime" in status and "completionTime" in status, True, status)

    def described():
        text = stage.kubectl("describe", "tfjob", "life").stdout
        return all(part in text for part in (
            "Created pod: life-worker-1", "Created service: life-ps-0",
            "TFJobSucceeded", "tfjob-controller"))

    wait_for("the events in kubectl describe", described, LIMIT)


def bodies(stage):
    """pods and services carry labels, owner, TF_CONFIG and port"""
    stage.apply(tfjob("bodies", workers=2))
    stage.await_replicas("bodies", workers("bodies", 2))
    uid = stage.client.get(f"{JOBS}/bodies")["metadata"]["uid"]
    pod = stage.owned("pods", "bodies")["bodies-worker-1"]
    service = stage.owned("services", "bodies")["bodies-worker-1"]
    labels = {"training.kubeflow.org/" + key: value for key, value in (
        ("operator-name", "tfjob-controller"), ("job-name", "bodies"),
        ("replica-type", "worker"), ("replica-index", "1"))}
    for item in (pod, service):
        equal(item["metadata"]["labels"], labels)
        (owner,) = item["metadata"]["ownerReferences"]
        equal((owner["kind"], owner["uid"], owner["controller"]),
              ("TFJob", uid, True))
    (box,) = pod["spec"]["containers"]
    contains(box["env"][0]["value"], '"task":{"type":"worker","index":1}')
    equal((service["spec"]["clusterIP"], service["spec"]["selector"],
           service["spec"]["ports"][0]["port"]), ("None", labels, 2222))


def scaled(stage):
    """patch: more workers are created, surplus ones deleted"""
    stage.apply(tfjob("scale", workers=2))
    stage.await_replicas("scale", workers("scale", 2))
    before = stage.uids("scale")
    size = {"tfReplicaSpecs": {"Worker": {"replicas": 4}}}
    stage.patch("scale", size)
    stage.await_replicas("scale", workers("scale", 4))
    size["tfReplicaSpecs"]["Worker"]["replicas"] = 1
    stage.patch("scale", size)
    stage.await_replicas("scale", workers("scale", 1))
    for key, uid in stage.uids("scale").items():
        equal(uid, before[key], key)


def suspended(stage):
    """patch: suspend deletes the replicas, resume brings them back"""
    stage.apply(tfjob("pause", workers=2))
    stage.await_replicas("pause", workers("pause", 2))
    stage.run_all("pause")
    stage.await_condition("pause", "Running")
    stage.patch("pause", {"runPolicy": {"suspend": True}})
    stage.await_replicas("pause", [])
    stage.await_condition("pause", "Suspended")
    equal(stage.condition("pause", "Running"), "False")
    stage.patch("pause", {"runPolicy": {"suspend": False}})
    stage.await_replicas("pause", workers("pause", 2))
    stage.await_condition("pause", "Suspended", "False")
    stage.run_all("pause")
    stage.await_condition("pause", "Running")


def deleted(stage):
    """delete: the job goes, and its replicas do not come back"""
    stage.apply(tfjob("gone", workers=2))
    stage.await_replicas("gone", workers("gone", 2))
    stage.kubectl("delete", "tfjob", "gone", f"--timeout={LIMIT}s")
    stage.collect("gone")
    # A later job's replicas show that the operator has got this far.
    stage.apply(tfjob("later", workers=1))
    stage.await_replicas("later", workers("later", 1))
    equal(stage.uids("gone"), {})


def replaced(stage):
    """a job of the same name after the first gets replicas of its own"""
    stage.apply(tfjob("again", workers=1))
    stage.await_replicas("again", workers("again", 1))
    before = stage.uids("again")
    stage.kubectl("delete", "tfjob", "again", f"--timeout={LIMIT}s")
    stage.apply(tfjob("again", workers=1))
    stage.collect("again")
    stage.await_replicas("again", workers("again", 1))
    equal(set(stage.uids("again").values()) & set(before.values()), set())


def killed(stage):
    """SIGKILL while it creates, while pods run: resumed, nothing doubled"""
    names = workers("killed", 12)
    since = stage.client.get(f"{CORE}/pods")["metadata"]["resourceVersion"]
    stage.apply(tfjob("killed", workers=12))
    wait_for("a first pod", lambda: stage.owned("pods", "killed"), LIMIT)
    stage.operator.kill()
    first = stage.uids("killed")
    stage.operator.start()
    stage.await_replicas("killed", names)
    stage.run_all("killed")
    stage.await_condition("killed", "Running")
    complete = stage.uids("killed")
    for key, uid in first.items():
        equal(complete[key], uid, key)
    stage.operator.kill()
    stage.set_phase("killed-worker-0", "Succeeded")
    stage.operator.start()
    stage.await_condition("killed", "Succeeded")
    equal(stage.uids("killed"), complete)
    equal(created(stage, "killed", since), dict.fromkeys(names, 1))


def created(stage, job, since):
    """How often each pod of the job was created after a resourceVersion."""
    _, text = stage.client.text(
        "GET", f"{CORE}/pods?watch=1&timeoutSeconds=1&resourceVersion={since}"
        f"&labelSelector=training.kubeflow.org%2Fjob-name%3D{job}")
    counts = {}
    for line in text.decode().splitlines():
        if line.startswith('{"type":"ADDED"'):
            name = line.split('"metadata":{"name":"', 1)[1].split('"', 1)[0]
            counts[name] = counts.get(name, 0) + 1
    return counts


def changed_while_down(stage):
    """what happens while it is away is caught up with"""
    stage.apply(tfjob("kept", workers=2))
    stage.apply(tfjob("left", workers=1))
    stage.await_replicas("kept", workers("kept", 2))
    stage.await_replicas("left", workers("left", 1))
    stage.operator.kill()
    stage.client.delete(f"{CORE}/pods/kept-worker-1")
    stage.patch("kept", {"tfReplicaSpecs": {"Worker": {"replicas": 3}}})
    stage.kubectl("delete", "tfjob", "left", f"--timeout={LIMIT}s")
    stage.collect("left")
    stage.apply(tfjob("new", workers=1))
    stage.operator.start()
    stage.await_replicas("kept", workers("kept", 3))
    stage.await_replicas("new", workers("new", 1))
    equal(stage.uids("left"), {})


def server_restarted(stage):
    """the API server goes and comes back while jobs start and run"""
    stage.apply(tfjob("calm", workers=2))
    stage.await_replicas("calm", workers("calm", 2))
    stage.run_all("calm")
    stage.await_condition("calm", "Running")
    calm = stage.uids("calm")
    stage.apply(tfjob("rush", workers=30))
    wait_for("a first pod", lambda: stage.owned("pods", "rush"), LIMIT)
    stage.cluster.stop_server()
    stage.cluster.start_server()
    first = stage.uids("rush")
    equal(stage.operator.child.running(), True, "the operator runs")
    stage.await_replicas("rush", workers("rush", 30))
    complete = stage.uids("rush")
    for key, uid in first.items():
        equal(complete[key], uid, key)
    equal(stage.uids("calm"), calm)
    stage.set_phase("calm-worker-0", "Succeeded")
    stage.await_condition("calm", "Succeeded")
    stage.run_all("rush")
    stage.await_condition("rush", "Running")
    equal(stage.uids("rush"), complete)


def stopped(stage):
    """SIGTERM: it ends in order"""
    equal(stage.operator.child.stop(seconds=LIMIT), 0, "exit code")


CASES = [lifetime, bodies, scaled, suspended, deleted, replaced, killed,
         changed_while_down, server_restarted, stopped]


if __name__ == "__main__":
    sys.exit(main(CASES, Stage, __doc__))
