#!/usr/bin/python3
"""MPIJobs of v2beta1 beside a Job controller that lags, fails pods, and is killed.

    test_job_controller.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import os
import signal
import sys

from checks import contains, equal, main
from cluster import wait_for
from control_plane.client import ApiError
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.namespace import before_and_after, in_namespace, serial
from operators.operator_fixture import LIMIT
from operators.with_job_controller import WithJobController


class Stopped:
    """The Job controller, as one that does nothing for a while."""

    def __init__(self, fixture):
        self.pid = fixture.jobs.child.pid

    def __enter__(self):
        os.kill(self.pid, signal.SIGSTOP)

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGCONT)


# -- cases --------------------------------------------------------------------

@in_namespace
def fails(ns):
    """a launcher whose tries are used up ends the job, and its workers go"""
    launcher = ns.start("job", policy={"backoffLimit": 0,
                                       "cleanPodPolicy": "All"})
    ns.set_phase(launcher, "Failed", 1)
    ns.await_condition(MPI_SSH, "job", "Failed")
    failed = ns.condition(MPI_SSH, "job", "Failed")
    equal(failed["reason"].split("/")[0], "BackoffLimitExceeded")
    contains(failed["message"], "Job has reached the specified backoff limit")
    ns.await_live("job", "worker", 0)
    equal("completionTime" in ns.status(MPI_SSH, "job"), True)


@in_namespace
def tries_again(ns):
    """a launcher that fails is replaced; the job runs on with its workers"""
    launcher = ns.start("job")
    before = ns.pods("job", "worker")
    ns.set_phase(launcher, "Failed", 1)
    (second,) = ns.await_live("job", "launcher", 1)
    equal(second == launcher, False, "the same pod")
    equal(ns.condition(MPI_SSH, "job", "Running")["status"], "True")
    ns.set_phase(second, "Running")
    wait_for("the counts of launchers", lambda: ns.status(
        MPI_SSH, "job")["replicaStatuses"]["Launcher"] == {
            "active": 1, "failed": 1}, LIMIT)
    equal([p["metadata"]["uid"] for p in ns.pods("job", "worker").values()],
          [p["metadata"]["uid"] for p in before.values()], "workers")
    ns.set_phase(second, "Succeeded")
    ns.await_condition(MPI_SSH, "job", "Succeeded")


@serial
@in_namespace
def lags(ns):
    """a job is suspended, resumed and scaled while nobody looks after Jobs; then
    it has one launcher"""
    with Stopped(ns.fixture):
        ns.make(MPI_SSH, "job")
        for pod in ns.await_live("job", "worker", 2):
            ns.set_phase(pod, "Running")
        wait_for("its Job", lambda: ns.launcher_job("job"), LIMIT)
        equal(ns.pods("job", "launcher"), {}, "launchers")
        ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": True}})
        wait_for("its Job to be suspended", lambda: ns.launcher_job(
            "job")["spec"].get("suspend"), LIMIT)
        ns.await_live("job", "worker", 0)
        ns.patch(MPI_SSH, "job", {
            "runPolicy": {"suspend": False},
            MPI_SSH.field: {"Worker": {"replicas": 3}}})
        wait_for("its Job to be resumed", lambda: not ns.launcher_job(
            "job")["spec"].get("suspend"), LIMIT)
        for pod in ns.await_live("job", "worker", 3):
            ns.set_phase(pod, "Running")
        equal(ns.condition(MPI_SSH, "job", "Running").get("status") == "True",
              False, "it runs without a launcher")
    (launcher,) = ns.await_live("job", "launcher", 1)
    ns.set_phase(launcher, "Running")
    ns.await_condition(MPI_SSH, "job", "Running")
    equal(len(ns.pods("job", "launcher")), 1, "launchers")


@serial
@in_namespace
def suspended_late(ns):
    """a job is resumed before its launcher's Job was seen to be suspended"""
    launcher = ns.start("job")
    with Stopped(ns.fixture):
        ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": True}})
        ns.await_live("job", "worker", 0)
        ns.patch(MPI_SSH, "job", {"runPolicy": {"suspend": False}})
        for pod in ns.await_live("job", "worker", 2):
            ns.set_phase(pod, "Running")
    ns.await_condition(MPI_SSH, "job", "Running")

    def ended():
        """The controller may have seen it after all, and makes another one."""
        live = ns.live("job", "launcher")
        try:
            for pod in live if len(live) == 1 else []:
                if pod != launcher:
                    ns.set_phase(pod, "Running")
                ns.set_phase(pod, "Succeeded")
        except ApiError as gone:
            if gone.status != 404:
                raise
        return ns.condition(MPI_SSH, "job", "Succeeded").get("status") == "True"

    wait_for("the end of the job", ended, LIMIT)


@serial
@in_namespace
def killed(ns):
    """a launcher ends while the Job controller is away; the job ends when that
    is back, and not before"""
    launcher = ns.start("job", policy={"cleanPodPolicy": "Running"})
    ns.fixture.jobs.kill()
    ns.set_phase(launcher, "Succeeded")
    equal(*before_and_after(lambda: (
        ns.condition(MPI_SSH, "job", "Succeeded").get("status"),
        len(ns.live("job", "worker")))))
    equal(len(ns.live("job", "worker")), 2, "workers meanwhile")
    ns.fixture.jobs.start()
    ns.await_condition(MPI_SSH, "job", "Succeeded")
    ns.await_live("job", "worker", 0)
    equal(len(ns.pods("job", "launcher")), 1, "launchers")


@serial
@in_namespace
def not_again(ns):
    """work that may be done is not done again, though its Job went while the
    operator was away; the job says so"""
    launcher = ns.start("job")
    ns.fixture.operator.kill()
    ns.set_phase(launcher, "Succeeded")
    wait_for("its Job to be complete", lambda: ns.launcher_job("job")["status"]
             .get("completionTime"), LIMIT)
    ns.client.delete(ns.at(JOBS, "jobs", MPI_SSH.launcher("job")),
                     {"propagationPolicy": "Background"})
    ns.fixture.operator.start()
    ns.await_condition(MPI_SSH, "job", "Failed")
    equal(ns.condition(MPI_SSH, "job", "Failed")["reason"],
          "MPIJobLauncherLost")
    equal(ns.launcher_job("job"), None, "another Job")
    equal(set(ns.pods("job", "launcher")) <= {launcher}, True,
          "another launcher was made")


CASES = [fails, tries_again, lags, suspended_late, killed, not_again]

if __name__ == "__main__":
    sys.exit(main(CASES, WithJobController, __doc__, at_once=4))
