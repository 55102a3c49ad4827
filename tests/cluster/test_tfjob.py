#!/usr/bin/python3
"""TFJobs with the shipped binary and kubectl on a real API server.

No case depends on time: each waits for what has to come about.

    test_tfjob.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import contains, equal, main
from cluster import wait_for
from operators.operator_fixture import CORE, JOBS, LIMIT, OperatorFixture, tfjob


def workers(job, count):
    return [f"{job}-worker-{i}" for i in range(count)]


def succeeded(fixture):
    """apply, get, describe, wait: a job from creation to success"""
    fixture.apply(tfjob("job", workers=2, ps=1))
    fixture.await_replicas("job", workers("job", 2) + ["job-ps-0"])
    fixture.await_condition("job", "Created")
    rows = fixture.kubectl("get", "tfjob", "job").stdout.splitlines()
    equal(rows[0].split(), ["NAME", "STATE", "AGE"])
    equal(rows[1].split()[:2], ["job", "Created"])
    fixture.run_all("job")
    fixture.kubectl("wait", "--for=condition=Running", "tfjob/job",
                    f"--timeout={LIMIT}s")
    fixture.set_phase("job-worker-0", "Succeeded")
    fixture.kubectl("wait", "--for=condition=Succeeded", "tfjob/job",
                    f"--timeout={LIMIT}s")
    rows = fixture.kubectl("get", "tfjob", "job").stdout.splitlines()
    equal(rows[1].split()[:2], ["job", "Succeeded"])
    status = fixture.client.get(f"{JOBS}/job")["status"]
    equal("startTime" in status and "completionTime" in status, True, status)

    def described():
        text = fixture.kubectl("describe", "tfjob", "job").stdout
        return all(part in text for part in (
            "Created pod: job-worker-1", "Created service: job-ps-0",
            "TFJobSucceeded", "tfjob-controller"))

    wait_for("the events in kubectl describe", described, LIMIT)


def bodies(fixture):
    """pods and services carry labels, owner, TF_CONFIG and port"""
    fixture.apply(tfjob("bodies", workers=2))
    fixture.await_replicas("bodies", workers("bodies", 2))
    uid = fixture.client.get(f"{JOBS}/bodies")["metadata"]["uid"]
    pod = fixture.owned("pods", "bodies")["bodies-worker-1"]
    service = fixture.owned("services", "bodies")["bodies-worker-1"]
    labels = {"training.kubeflow.org/" + key: value for key, value in (
        ("operator-name", "tfjob-controller"), ("job-name", "bodies"),
        ("replica-type", "worker"), ("replica-index", "1"))}
    for item in (pod, service):
        equal(item["metadata"]["labels"], labels)
        (owner,) = item["metadata"]["ownerReferences"]
        equal((owner["kind"], owner["uid"], owner["controller"]),
              ("TFJob", uid, True))
    (container,) = pod["spec"]["containers"]
    contains(container["env"][0]["value"], '"task":{"type":"worker","index":1}')
    equal((service["spec"]["clusterIP"], service["spec"]["selector"],
           service["spec"]["ports"][0]["port"]), ("None", labels, 2222))


def scaled(fixture):
    """patch: more workers are created, surplus ones deleted"""
    fixture.apply(tfjob("scale", workers=2))
    fixture.await_replicas("scale", workers("scale", 2))
    before = fixture.uids("scale")
    size = {"tfReplicaSpecs": {"Worker": {"replicas": 4}}}
    fixture.patch("scale", size)
    fixture.await_replicas("scale", workers("scale", 4))
    size["tfReplicaSpecs"]["Worker"]["replicas"] = 1
    fixture.patch("scale", size)
    fixture.await_replicas("scale", workers("scale", 1))
    for key, uid in fixture.uids("scale").items():
        equal(uid, before[key], key)


def suspended(fixture):
    """patch: suspend deletes the replicas, resume brings them back"""
    fixture.apply(tfjob("pause", workers=2))
    fixture.await_replicas("pause", workers("pause", 2))
    fixture.run_all("pause")
    fixture.await_condition("pause", "Running")
    fixture.patch("pause", {"runPolicy": {"suspend": True}})
    fixture.await_replicas("pause", [])
    fixture.await_condition("pause", "Suspended")
    equal(fixture.condition("pause", "Running"), "False")
    fixture.patch("pause", {"runPolicy": {"suspend": False}})
    fixture.await_replicas("pause", workers("pause", 2))
    fixture.await_condition("pause", "Suspended", "False")
    fixture.run_all("pause")
    fixture.await_condition("pause", "Running")


def deleted(fixture):
    """delete: the job goes, and its replicas do not come back"""
    fixture.apply(tfjob("gone", workers=2))
    fixture.await_replicas("gone", workers("gone", 2))
    fixture.kubectl("delete", "tfjob", "gone", f"--timeout={LIMIT}s")
    fixture.collect("gone")
    # A later job's replicas show that the operator has got this far.
    fixture.apply(tfjob("later", workers=1))
    fixture.await_replicas("later", workers("later", 1))
    equal(fixture.uids("gone"), {})


def replaced(fixture):
    """a job of the same name after the first gets replicas of its own"""
    fixture.apply(tfjob("again", workers=1))
    fixture.await_replicas("again", workers("again", 1))
    before = fixture.uids("again")
    fixture.kubectl("delete", "tfjob", "again", f"--timeout={LIMIT}s")
    fixture.apply(tfjob("again", workers=1))
    fixture.collect("again")
    fixture.await_replicas("again", workers("again", 1))
    equal(set(fixture.uids("again").values()) & set(before.values()), set())


def killed(fixture):
    """SIGKILL while it creates, while pods run: resumed, nothing doubled"""
    names = workers("killed", 12)
    since = fixture.client.get(f"{CORE}/pods")["metadata"]["resourceVersion"]
    fixture.apply(tfjob("killed", workers=12))
    wait_for("a first pod", lambda: fixture.owned("pods", "killed"), LIMIT)
    fixture.operator.kill()
    first = fixture.uids("killed")
    fixture.operator.start()
    fixture.await_replicas("killed", names)
    fixture.run_all("killed")
    fixture.await_condition("killed", "Running")
    complete = fixture.uids("killed")
    for key, uid in first.items():
        equal(complete[key], uid, key)
    fixture.operator.kill()
    fixture.set_phase("killed-worker-0", "Succeeded")
    fixture.operator.start()
    fixture.await_condition("killed", "Succeeded")
    equal(fixture.uids("killed"), complete)
    equal(created(fixture, "killed", since), dict.fromkeys(names, 1))


def created(fixture, job, since):
    """How often each pod of the job was created after a resourceVersion."""
    _, text = fixture.client.text(
        "GET", f"{CORE}/pods?watch=1&timeoutSeconds=1&resourceVersion={since}"
        f"&labelSelector=training.kubeflow.org%2Fjob-name%3D{job}")
    counts = {}
    for line in text.decode().splitlines():
        if line.startswith('{"type":"ADDED"'):
            name = line.split('"metadata":{"name":"', 1)[1].split('"', 1)[0]
            counts[name] = counts.get(name, 0) + 1
    return counts


def changed_while_down(fixture):
    """what happens while it is away is caught up with"""
    fixture.apply(tfjob("kept", workers=2))
    fixture.apply(tfjob("left", workers=1))
    fixture.await_replicas("kept", workers("kept", 2))
    fixture.await_replicas("left", workers("left", 1))
    fixture.operator.kill()
    fixture.client.delete(f"{CORE}/pods/kept-worker-1")
    fixture.patch("kept", {"tfReplicaSpecs": {"Worker": {"replicas": 3}}})
    fixture.kubectl("delete", "tfjob", "left", f"--timeout={LIMIT}s")
    fixture.collect("left")
    fixture.apply(tfjob("new", workers=1))
    fixture.operator.start()
    fixture.await_replicas("kept", workers("kept", 3))
    fixture.await_replicas("new", workers("new", 1))
    equal(fixture.uids("left"), {})


def server_restarted(fixture):
    """the API server goes and comes back while jobs start and run"""
    fixture.apply(tfjob("steady", workers=2))
    fixture.await_replicas("steady", workers("steady", 2))
    fixture.run_all("steady")
    fixture.await_condition("steady", "Running")
    steady = fixture.uids("steady")
    fixture.apply(tfjob("rush", workers=30))
    wait_for("a first pod", lambda: fixture.owned("pods", "rush"), LIMIT)
    fixture.cluster.stop_server()
    fixture.cluster.start_server()
    first = fixture.uids("rush")
    equal(fixture.operator.child.running(), True, "the operator runs")
    fixture.await_replicas("rush", workers("rush", 30))
    complete = fixture.uids("rush")
    for key, uid in first.items():
        equal(complete[key], uid, key)
    equal(fixture.uids("steady"), steady)
    fixture.set_phase("steady-worker-0", "Succeeded")
    fixture.await_condition("steady", "Succeeded")
    fixture.run_all("rush")
    fixture.await_condition("rush", "Running")
    equal(fixture.uids("rush"), complete)


def stopped(fixture):
    """SIGTERM: it ends in order"""
    equal(fixture.operator.child.stop(seconds=LIMIT), 0, "exit code")


CASES = [succeeded, bodies, scaled, suspended, deleted, replaced, killed,
         changed_while_down, server_restarted, stopped]


if __name__ == "__main__":
    sys.exit(main(CASES, OperatorFixture, __doc__))
