#!/usr/bin/python3
"""etcd is restored from an older state as a whole while the operator runs: jobs
that had ended run again, jobs that were gone are back, new ones are gone, and
versions that the operator has seen are given to other objects.

    test_restored_etcd.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import shutil
import sys

from checks import equal, main
from cluster import wait_for
from control_plane.client import ApiError
from operators.operator_fixture import CORE, JOBS, LIMIT, OperatorFixture, tfjob


def replicas(job, count=2):
    return [f"{job}-worker-{index}" for index in range(count)]


class Backup:
    """Of etcd's files, taken and restored while etcd and the API server are
    stopped."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.data, self.copy = cluster.path("etcd"), cluster.path("backup")

    def start_again(self):
        self.cluster.start_control_plane()
        wait_for("the API server", self.cluster.ready, LIMIT)

    def take(self):
        self.cluster.kill_control_plane()
        shutil.copytree(self.data, self.copy)
        self.start_again()

    def restore(self):
        self.cluster.kill_control_plane()
        shutil.rmtree(self.data)
        shutil.copytree(self.copy, self.data)
        self.start_again()


def make(fixture, job):
    fixture.client.post(JOBS, tfjob(job))
    fixture.await_replicas(job, replicas(job))
    fixture.run_all(job)
    fixture.await_condition(job, "Running")


def succeed(fixture, job):
    for pod in replicas(job):
        fixture.set_phase(pod, "Succeeded")
    fixture.await_condition(job, "Succeeded")


def remove(fixture, job):
    fixture.client.delete(f"{JOBS}/{job}")
    fixture.collect(job)


def version_of_jobs(fixture):
    return int(fixture.client.get(JOBS)["metadata"]["resourceVersion"])


def known_jobs(fixture):
    """The names of the jobs that the operator knows."""
    page = json.loads(fixture.operator.page(fixture.operator.admin,
                                            "/admin/v1/jobs"))
    return sorted(job["name"] for job in page["jobs"])


# -- cases --------------------------------------------------------------------

def restored(fixture):
    """the operator continues with what the restored cluster has"""
    backup, process = Backup(fixture.cluster), fixture.operator.child.pid
    for job in ("running", "ended-later", "removed-later"):
        make(fixture, job)
    backup.take()
    before = version_of_jobs(fixture)
    succeed(fixture, "ended-later")
    remove(fixture, "removed-later")
    for job in ("made-later", "made-again"):
        make(fixture, job)
    wait_for("the operator to know them", lambda: known_jobs(fixture) == [
        "ended-later", "made-again", "made-later", "running"], LIMIT)
    equal(version_of_jobs(fixture) > before, True, "versions were given since")

    backup.restore()
    wait_for("the operator to know what is there", lambda: known_jobs(
        fixture) == ["ended-later", "removed-later", "running"], LIMIT)
    equal(fixture.condition("ended-later", "Succeeded"), None,
          "nobody says of the job that it succeeded")
    for job in ("running", "ended-later", "removed-later"):
        pod = replicas(job)[0]
        fixture.client.delete(f"{CORE}/pods/{pod}", {"gracePeriodSeconds": 0})
        fixture.await_replicas(job, replicas(job))
        fixture.run_all(job)
        succeed(fixture, job)
    make(fixture, "made-again")  # Under a name that was known.
    succeed(fixture, "made-again")
    try:
        fixture.client.get(JOBS + "/made-later")
        raise AssertionError("a job came back that is not in the backup")
    except ApiError as error:
        equal(error.status, 404, "a job that is not in the backup")
    equal((fixture.operator.child.running(), fixture.operator.child.pid),
          (True, process), "the operator has run on")


CASES = [restored]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, more: OperatorFixture(troupe, more),
                  __doc__))
