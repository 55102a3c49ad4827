"""Launchers of MPIJobs of v2beta1 in gangs of Kubernetes itself: their pods are
made by a Job, whose template can get no other group."""

from native_gangs import (DISRUPTION_MODE, await_no_groups, bound, gang,
                          group, min_count, pods_name)

from checks import equal
from cluster import wait_for
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.namespace import in_namespace
from operators.operator_fixture import LIMIT

PODS = 3
WAITS = {"launcherCreationPolicy": "WaitForWorkersReady"}


def post(ns, policy=None, **more):
    ns.add_node("a", cpu=4)
    ns.post(MPI_SSH, gang(ns, MPI_SSH, "gang", policy, **more))


def launcher_job(ns):
    return ns.find(ns.at(JOBS, "jobs", MPI_SSH.launcher("gang")))


def launcher_pod(ns):
    (name,) = [name for name in ns.uids(MPI_SSH, "gang")
               if name.startswith(MPI_SSH.launcher("gang"))]
    return name


def one_gang_runs(ns):
    """All of its pods run in its group, which asks for all of them."""
    wait_for("all pods to have a node",
             lambda: len(bound(ns, MPI_SSH, "gang")) == PODS, LIMIT)
    ns.await_condition(MPI_SSH, "gang", "Running")
    wait_for("minCount with the launcher",
             lambda: min_count(ns, MPI_SSH, "gang") == PODS, LIMIT)
    equal(pods_name(ns, MPI_SSH, "gang"),
          {group(ns, MPI_SSH, "gang")["metadata"]["name"]}, "groups of pods")


def suspend(ns):
    ns.patch(MPI_SSH, "gang", {"runPolicy": {"suspend": True}})
    ns.await_condition(MPI_SSH, "gang", "Suspended")
    await_no_groups(ns)


def resume(ns):
    ns.patch(MPI_SSH, "gang", {"runPolicy": {"suspend": False}})


@in_namespace
def launcher_comes_later(ns):
    """workers do not wait for a launcher that waits for them, which counts
    once it is there; nor when the job is suspended and resumed"""
    post(ns, **WAITS)
    one_gang_runs(ns)
    suspend(ns)
    resume(ns)
    one_gang_runs(ns)


@in_namespace
def launcher_born_suspended(ns):
    """a launcher that was made suspended is in the gang when it begins"""
    post(ns, {"suspend": True})
    before = wait_for("the launcher's Job", lambda: launcher_job(ns), LIMIT)
    resume(ns)
    one_gang_runs(ns)
    equal(launcher_job(ns)["metadata"]["uid"], before["metadata"]["uid"])


@in_namespace
def launcher_resumed(ns):
    """a launcher that ran is in the gang again when the job is resumed"""
    post(ns)
    one_gang_runs(ns)
    before = launcher_job(ns)["metadata"]["uid"]
    suspend(ns)
    resume(ns)
    one_gang_runs(ns)
    equal(launcher_job(ns)["metadata"]["uid"], before)


@in_namespace
def launcher_of_another_group(ns):
    """a launcher gets another group when its suspended job does"""
    post(ns)
    one_gang_runs(ns)
    before = group(ns, MPI_SSH, "gang")["metadata"]["name"]
    suspend(ns)
    ns.client.merge(ns.of(MPI_SSH, "gang"), {
        "metadata": {"annotations": {DISRUPTION_MODE: "Single"}}})
    resume(ns)
    one_gang_runs(ns)
    equal(group(ns, MPI_SSH, "gang")["metadata"]["name"] != before, True)
    equal(ns.events("gang", "MPIJobLauncherLost"), [])


@in_namespace
def launcher_done(ns):
    """a worker is replaced at once beside a launcher that has succeeded"""
    job = gang(ns, MPI_SSH, "gang", {
        "successPolicy": {"targetReplicaTypes": ["Worker"]}})
    job["spec"][MPI_SSH.field]["Worker"]["restartPolicy"] = "OnFailure"
    ns.add_node("a", cpu=4)
    ns.post(MPI_SSH, job)
    one_gang_runs(ns)
    ns.set_phase(launcher_pod(ns), "Succeeded")
    wait_for("the end of the launcher's Job", lambda: launcher_job(ns)[
        "status"].get("succeeded"), LIMIT)
    worker = MPI_SSH.workers("gang")[1]
    before = ns.uids(MPI_SSH, "gang")[worker]
    ns.client.delete(ns.core("pods", worker))
    wait_for("the replacement to run", lambda: (
        lambda pod: pod and pod[0] != before and pod[1] == "Running")(
            ns.phases(MPI_SSH, "gang").get(worker)), LIMIT)
    equal(min_count(ns, MPI_SSH, "gang"), PODS - 1, "minCount")


CASES = [launcher_comes_later, launcher_born_suspended, launcher_resumed,
         launcher_of_another_group, launcher_done]
