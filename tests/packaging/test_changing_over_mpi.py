#!/usr/bin/python3
"""The MPI operator itself, in each release that docs/from-mpi-operator.md names, with
jobs that run, wait and have ended: Helm installs Troupe in its place, and
removes it; the MPI operator is started again and goes on. All the time nothing
of the jobs is made anew, and no pod is written.

    test_changing_over_mpi.py [--troupe FILE] [--only PART]
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets
from checks import equal, main
from cluster import Cluster, wait_for
from control_plane import accounts
from control_plane.job_controller import JobController
from helm import CHART, RELEASE, Helm
from jobs.mpi_ssh import JOBS, MPI_SSH
from operators.mpi_operator import RELEASES, MpiOperator
from operators.operator_fixture import LIMIT
from operators.shipped import Operator
from operators.shipped_objects import ACCOUNT, KUBECONFIG, NAMESPACE
from operators.with_job_controller import LauncherNamespace

# Of a job. Pods, keys and the Service stay as they are.
OF_A_JOB = (("/api/v1", "pods"), ("/api/v1", "services"), ("/api/v1", "secrets"),
            ("/api/v1", "configmaps"), (JOBS, "jobs"))
UNTOUCHED = ("pods", "services", "secrets")
# Later ones give a launcher that is a host an address before it is ready. So
# does Troupe, which corrects its Service.
BEFORE_ADDRESSES = ("0.5.0", "0.6.0")


class Trial:
    """A cluster with a release of the MPI operator, and Troupe, which does not
    run yet."""

    def __init__(self, release, troupe, more):
        self.release, self.cluster = release, Cluster()
        self.helm = Helm(self.cluster.folder, self.cluster.kubeconfig)
        self.jobs = JobController(self.cluster)
        self.original = MpiOperator(self.cluster, release=release)
        self.troupe = Operator(self.cluster.path(KUBECONFIG),
                               self.cluster.path("operator.log"), troupe, more)

    def __enter__(self):
        self.cluster.__enter__()
        try:
            self.client = self.cluster.client
            self.jobs.start()
            self.jobs.await_work()
            self.original.install()
            self.original.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.original.child.stop()
        self.troupe.child.stop()
        self.jobs.stop()
        self.cluster.stop()

    def report(self):
        return "-- the last lines of both operators:\n" + \
            self.original.child.tail() + self.troupe.child.tail()

    def install_troupe(self):
        self.helm("upgrade", "--install", "--create-namespace",
                  "--take-ownership", RELEASE, CHART,
                  "--set", "definitions.mpiStorage=v2beta1")
        for kind in ("validating", "mutating"):  # No Service leads to them.
            self.cluster.kubectl("delete", kind + "webhookconfiguration",
                                 "--all")
        accounts.write_kubeconfig(self.cluster, NAMESPACE, ACCOUNT)


class Trials:
    """One at a time: the last one stays until the next, for its report. Raises
    needs.Missing on a machine that cannot have one."""

    def __init__(self, troupe, more):
        assets.find()
        assets.mpi_operator(RELEASES[-1])
        self.arguments, self.trial = (troupe, more), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.trial:
            self.trial.__exit__()
        self.trial = None

    def start(self, release):
        self.__exit__()
        trial = Trial(release, *self.arguments)
        self.trial = trial.__enter__()
        return trial

    def report(self):
        return self.trial.report() if self.trial else ""


def found(ns, resources, part):
    """(resource, name) -> a part of the metadata of all that is there."""
    return {(resource, item["metadata"]["name"]): item["metadata"][part]
            for group, resource in OF_A_JOB if resource in resources
            for item in ns.client.get(ns.at(group, resource))["items"]}


def uids(ns):
    return found(ns, [name for _, name in OF_A_JOB], "uid")


def versions(ns):
    """Of what nobody may write."""
    result = found(ns, UNTOUCHED, "resourceVersion")
    if ns.fixture.release in BEFORE_ADDRESSES:
        result.pop(("services", "computing"), None)
    return result


def end(ns, job):
    """Its launcher succeeds."""
    (launcher,) = ns.live(job, "launcher")
    ns.set_phase(launcher, "Succeeded")
    ns.await_condition(MPI_SSH, job, "Succeeded")


def suspend(ns, job):
    ns.patch(MPI_SSH, job, {"runPolicy": {"suspend": True}})
    ns.await_condition(MPI_SSH, job, "Suspended")
    # Wholly: what was there may not go later.
    wait_for("its pods to be gone", lambda: not any(
        ns.pods(job, role) for role in ("worker", "launcher")), LIMIT)


def resume(ns, job):
    ns.patch(MPI_SSH, job, {"runPolicy": {"suspend": False}})
    for pod in ns.await_live(job, "worker", 2):
        ns.set_phase(pod, "Running")
    (launcher,) = ns.await_live(job, "launcher", 1)
    ns.set_phase(launcher, "Running")
    ns.await_condition(MPI_SSH, job, "Running")


def hosts(ns, job):
    config_map = ns.client.get(ns.core("configmaps", job + "-config"))
    return config_map["data"]["hostfile"]


def over_and_back(fixture):
    ns = LauncherNamespace(fixture)
    ns.start("running")
    ns.make(MPI_SSH, "waiting", {"suspend": True})
    ns.await_condition(MPI_SSH, "waiting", "Suspended")
    ns.start("paused")
    suspend(ns, "paused")
    ns.start("returned")
    ns.start("unsaved")
    ns.start("ended")
    end(ns, "ended")
    # The launcher is a host, too; since 0.7 that shifts labels of workers.
    ns.start("computing", runLauncherAsWorker=True, mpiImplementation="MPICH")
    theirs, written = uids(ns), versions(ns)
    listed = {job: hosts(ns, job) for job in ("running", "computing")}
    fixture.original.child.stop()
    # As if it had ended between making the launcher and saying so.
    ns.client.merge(ns.of(MPI_SSH, "unsaved") + "/status", {"status": None})

    fixture.install_troupe()
    fixture.troupe.start()
    ns.start("ours")
    ours = uids(ns)
    equal({key: ours.get(key) for key in theirs}, theirs, "what was there")
    now = versions(ns)
    equal({key: now.get(key) for key in written}, written,
          "versions of what was there")
    equal({job: hosts(ns, job) for job in listed}, listed, "host files")
    wait_for("the launcher's address before it is ready", lambda: ns.client.get(
        ns.core("services", "computing"))["spec"].get(
            "publishNotReadyAddresses"), LIMIT)
    ns.await_condition(MPI_SSH, "unsaved", "Running")
    end(ns, "running")
    resume(ns, "waiting")
    resume(ns, "paused")
    suspend(ns, "returned")
    both, written = uids(ns), versions(ns)
    fixture.troupe.child.stop()

    fixture.helm("uninstall", RELEASE, "--wait")
    fixture.original.install("--force-conflicts")
    fixture.original.start()
    ns.start("later")
    all_of_them = uids(ns)
    equal({key: all_of_them.get(key) for key in both}, both,
          "what was there")
    now = versions(ns)
    equal({key: now.get(key) for key in written}, written,
          "versions of what was there")
    resume(ns, "returned")
    for job in ("ours", "waiting", "paused", "computing", "returned",
                "unsaved"):
        end(ns, job)


def of(release):
    def case(trials):
        over_and_back(trials.start(release))

    case.__name__ = "over_and_back_" + release
    case.__doc__ = f"{release}: jobs that one has made are the other's, in " \
                   "the same pods"
    return case


if __name__ == "__main__":
    sys.exit(main([of(release) for release in RELEASES], Trials, __doc__))
