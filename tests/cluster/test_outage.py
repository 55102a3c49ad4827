#!/usr/bin/python3
"""The API server and etcd are killed, twice, while a thousand jobs get their
pods; the operator has the account of deploy/.

    test_outage.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import collections
import concurrent.futures
import datetime
import http.client
import sys
import threading
import time

from checks import equal, main
from cluster import wait_for
from control_plane import accounts
from control_plane.client import ApiError
from control_plane.etcd_history import changes
from operators import shipped_objects
from operators.operator_fixture import CORE, JOBS, OperatorFixture, tfjob

FAILURES = (OSError, http.client.HTTPException, ApiError)
NAMES = [f"job-{number}" for number in range(1000)]
PODS = [f"{job}-{replica}" for job in NAMES
        for replica in ("ps-0", "worker-0", "worker-1", "worker-2")]
KILLED_AT = (1000, 2500)  # pods
LIMIT = 300  # seconds for all of it; it takes about a minute
# Between two writes of Beats: so a machine that is busy has fewer of them.
BEAT = 0.1  # seconds
MOST_BEATS = 50  # without a pod, while the server is ready and some lack


class Beats:
    """Writes by somebody else, as fast as the server takes them."""

    def __init__(self, client):
        self.client, self.times = client, []  # while the server is ready
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.client.post(CORE + "/configmaps", {"metadata": {"name": "beat"}})
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def run(self):
        while not self.ended.wait(BEAT):
            try:
                self.client.merge(CORE + "/configmaps/beat", {
                    "data": {"at": str(time.time())}})
                if self.client.text("GET", "/readyz")[0] == 200:
                    self.times.append(time.time())
            except FAILURES:
                pass

    def between(self, before, after):
        return sum(before < beat < after for beat in self.times)


def created_by_user(client, name):
    """Creates the job, however often it takes; returns its UID."""
    end = time.monotonic() + LIMIT
    while True:
        try:
            return client.post(JOBS, tfjob(name, workers=3, ps=1))[
                "metadata"]["uid"]
        except FAILURES as failure:
            if getattr(failure, "status", 0) == 409:
                return client.get(f"{JOBS}/{name}")["metadata"]["uid"]
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def count(client, what):
    """How many there are in the namespace."""
    found = client.get(f"{CORE}/{what}?limit=1")
    return len(found["items"]) + found["metadata"].get("remainingItemCount", 0)


def creations(fixture):
    """When the API server answered 201 to a creation of a pod."""
    audit = accounts.Audit(fixture.cluster, shipped_objects.NAMESPACE,
                           shipped_objects.ACCOUNT)
    return sorted(datetime.datetime.fromisoformat(
        entry["stageTimestamp"].replace("Z", "+00:00")).timestamp()
        for entry in audit.entries()
        if entry["verb"] == "create"
        and accounts.resource(entry["objectRef"]) == "pods"
        and entry["responseStatus"]["code"] == 201)


def pods_of_jobs(fixture):
    """pod -> the UID of its job."""
    return {pod["metadata"]["name"]:
            pod["metadata"]["ownerReferences"][0]["uid"]
            for pod in fixture.client.get(CORE + "/pods")["items"]}


def kept(fixture, what):
    """Nothing of the jobs was created twice, and nothing was deleted."""
    last = {"metadata": {"name": "last"}, "spec": {
        "containers": [{"name": "main", "image": "image"}]}
        if what == "pods" else {"ports": [{"port": 1}]}}
    fixture.client.post(f"{CORE}/{what}", last)
    stored = {"pods": "pods", "services": "services/specs"}[what]
    seen = collections.Counter(
        (change.key.rsplit("/", 1)[1], change.what)
        for change in changes(fixture.cluster, stored, "/last")
        if "/default/job-" in change.key and change.what != "changed")
    equal(seen - collections.Counter((pod, "created") for pod in PODS),
          {}, f"{what} that were created again, or deleted")
    equal(len(seen), len(PODS), what)


# -- cases --------------------------------------------------------------------

def killed(fixture):
    """nothing is lost, doubled or delayed when both are killed"""
    client = fixture.client
    with Beats(client) as beats, \
            concurrent.futures.ThreadPoolExecutor(8) as users:
        jobs = {name: users.submit(created_by_user, client, name)
                for name in NAMES}
        for pods in KILLED_AT:
            wait_for(f"{pods} pods", lambda: fixture.operator.requests().get(
                "create pods", 0) >= pods, LIMIT)
            fixture.cluster.kill_control_plane()
            fixture.cluster.start_control_plane()
        uids = {name: job.result() for name, job in jobs.items()}
        wait_for("the API server", fixture.cluster.ready, LIMIT)
        for what in ("pods", "services"):
            wait_for(f"all {what}",
                     lambda: count(client, what) >= len(PODS), LIMIT)
    equal(fixture.operator.child.running(), True, "the operator runs")
    equal(pods_of_jobs(fixture), {
        pod: uids[pod.rsplit("-", 2)[0]] for pod in PODS}, "pods of the jobs")
    for what in ("pods", "services"):
        kept(fixture, what)
    times = creations(fixture)
    pairs = list(zip(times, times[1:]))
    print("     seconds without a pod, at most: " + ", ".join(
        f"{s:.1f}" for s in sorted((b - a for a, b in pairs))[-4:]))
    most = max(beats.between(*pair) for pair in pairs)
    print(f"     {most} beats without a pod, of {len(beats.times)}")
    equal(most < MOST_BEATS, True, f"{most} beats without a pod")


CASES = [killed]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, more: OperatorFixture(
        troupe, more, shipped_objects.install_account,
        account=shipped_objects.KUBECONFIG), __doc__))
