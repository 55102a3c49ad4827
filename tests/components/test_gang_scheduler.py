#!/usr/bin/python3
"""Gangs with the scheduler of scheduler-plugins, beside real controllers and
with the account of deploy/rbac.

    test_gang_scheduler.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import subprocess
import sys

import yaml

from components import Components

import assets
import attempts
from checks import contains, equal, main
from cluster import wait_for
from jobs.gangs import FLAG
from jobs.kinds import KINDS, PYTORCH, TF
from jobs.mpi_ssh import MPI_SSH
from jobs.namespace import for_kinds, in_namespace
from jobs.pod_groups import Groups
from operators import shipped_objects
from operators.operator_fixture import LIMIT
from process import Child

SCHEDULER = "scheduler-plugins-scheduler"
GROUPS = Groups("scheduling.x-k8s.io/v1alpha1")


class GangScheduled(Components):
    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT

    def __init__(self, troupe, more):
        self.plugins, self.troupe = assets.plugins(), troupe
        super().__init__(troupe, [FLAG + SCHEDULER, *more])
        config = self.cluster.path("scheduler.yaml")
        self.scheduler = Child(
            [os.path.join(self.plugins, "scheduler"), "--config", config,
             "--secure-port=0",
             # What it overlooks it looks at again after five minutes else.
             "--pod-max-in-unschedulable-pods-duration=10s"],
            self.cluster.path("scheduler.log"))

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)

    def prepare_cluster(self, cluster):
        super().prepare_cluster(cluster)
        definition = os.path.join(self.plugins, "crd.yaml")
        cluster.kubectl("apply", "-f", definition)
        cluster.kubectl("wait", "--for=condition=Established", "-f", definition)
        with open(cluster.path("scheduler.yaml"), "w") as file:
            yaml.safe_dump(scheduler_configuration(cluster), file)
        self.scheduler.start()

    def __exit__(self, *failure):
        self.scheduler.stop()
        super().__exit__(*failure)

    def report(self):
        return (super().report() + "\n-- the scheduler's last lines:\n"
                + self.scheduler.tail())

    def explain(self, ns, kind, job):
        """What `troupe explain` says of it."""
        return subprocess.run(
            [self.troupe, "explain", f"{kind.name}/{job}", "-n", ns.name,
             "--admin", f"http://127.0.0.1:{self.operator.admin}"],
            text=True, check=True, stdout=subprocess.PIPE).stdout


def scheduler_configuration(cluster):
    """One profile, in which Coscheduling is on wherever it can be; what is
    placed waits for the rest of its gang for three seconds."""
    only = {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": cluster.kubeconfig,
                             "qps": 500, "burst": 1000},
        "profiles": [{
            "schedulerName": SCHEDULER,
            "plugins": {"multiPoint": {"enabled": only["enabled"]},
                        "queueSort": only},
            "pluginConfig": [{"name": "Coscheduling", "args": {
                "permitWaitingTimeSeconds": 3}}]}]}


def gang(ns, kind, job, **more):
    """A job for the namespace's nodes, each of whose pods takes a CPU."""
    result = ns.pinned_manifest(kind, job, {"cleanPodPolicy": "All"}, **more)
    for replica in result["spec"][kind.field].values():
        replica["template"]["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": "1"}}
    return result


def placed(ns, kind, job):
    """The pods that have a node."""
    return [name for name, (_, _, node) in ns.phases(kind, job).items() if node]


def refused(ns, kind, job):
    """The pods of which the scheduler says that they cannot be placed."""
    return sorted(
        name for name, pod in ns.owned(kind, job, "pods").items()
        for c in pod["status"].get("conditions", ())
        if (c["type"], c.get("reason")) == ("PodScheduled", "Unschedulable"))


# -- cases --------------------------------------------------------------------

def waits(ns, kind):
    """a gang that does not fit waits wholly, until a node comes"""
    pods = kind.pods("gang")
    ns.add_node("a", cpu=len(pods) - 1)
    ns.post(kind, gang(ns, kind, "gang"))
    wait_for("all pods to be refused", lambda: placed(ns, kind, "gang")
             or refused(ns, kind, "gang") == sorted(pods), LIMIT)
    equal(placed(ns, kind, "gang"), [], "pods that were placed")
    equal(GROUPS.find(ns, "gang")["spec"]["minMember"], len(pods))
    why = wait_for("the scheduler's reason", lambda: [
        line for line in ns.fixture.explain(ns, kind, "gang").splitlines()
        if line.startswith("Waiting for: ")
        and "to be scheduled: Unschedulable: " in line
        and "Insufficient cpu" in line], LIMIT)
    contains(why[0], "whose move: the scheduler")
    equal(placed(ns, kind, "gang"), [], "pods that were placed")
    ns.add_node("b", cpu=1)
    ns.await_running(kind, "gang")


@in_namespace
def turns(ns):
    """of two gangs of which one fits, the other runs when that has ended"""
    ns.add_node("a", cpu=len(TF.pods("one")))
    jobs = ["one", "other"]
    for job in jobs:
        ns.post(TF, gang(ns, TF, job))
    wait_for("one gang to be placed", lambda: any(
        len(placed(ns, TF, job)) == len(TF.pods(job)) for job in jobs), LIMIT)
    jobs.sort(key=lambda job: len(placed(ns, TF, job)), reverse=True)
    ns.await_running(TF, jobs[0])
    wait_for("the other to be refused", lambda: refused(
        ns, TF, jobs[1]) == sorted(TF.pods(jobs[1])), LIMIT)
    equal(placed(ns, TF, jobs[1]), [], "pods that were placed")
    ns.succeed(TF, jobs[0])
    ns.await_running(TF, jobs[1])


@in_namespace
def restarted(ns):
    """restarted as a whole, a gang is placed again as a whole, in the group
    that it had"""
    ns.add_node("a", cpu=len(PYTORCH.pods("gang")))
    job = gang(ns, PYTORCH, "gang", restart="OnFailure")
    job["spec"]["runPolicy"]["failurePolicy"] = attempts.WHOLE
    ns.post(PYTORCH, job)
    before = ns.await_running(PYTORCH, "gang")
    group = GROUPS.find(ns, "gang")
    # Of the next attempt none may have a place while not all have.
    ns.fixture.kubectl("cordon", ns.node("a"))
    ns.add_node("b", cpu=len(PYTORCH.pods("gang")) - 1)
    attempts.fail(ns, "gang-worker-0")
    attempts.await_attempt(ns, PYTORCH, "gang", 1)
    # The scheduler tells the others later, or while they wait for one another
    # not at all.
    wait_for("a pod of the next attempt to be refused", lambda:
             refused(ns, PYTORCH, "gang"), LIMIT)
    attempts.is_attempt(ns, PYTORCH, "gang", 1)
    equal(placed(ns, PYTORCH, "gang"), [], "pods that were placed")
    ns.add_node("c", cpu=1)
    ns.await_running(PYTORCH, "gang", others_than=before)
    now = GROUPS.find(ns, "gang")
    equal((now["metadata"]["uid"], now["spec"]),
          (group["metadata"]["uid"], group["spec"]), "its group")
    equal(now["spec"]["minMember"], 3)
    attempts.never_meet(ns)


@in_namespace
def launcher_restarted(ns):
    """MPIJob of v2beta1: the Job of the next attempt is of the group, too"""
    ns.add_node("a", cpu=3)
    job = gang(ns, MPI_SSH, "gang")
    job["spec"]["runPolicy"]["failurePolicy"] = attempts.WHOLE
    ns.post(MPI_SSH, job)
    ns.await_condition(MPI_SSH, "gang", "Running")
    before = set(ns.uids(MPI_SSH, "gang").values())
    group = GROUPS.find(ns, "gang")
    attempts.fail(ns, "gang-worker-0")
    wait_for("another attempt", lambda: (
        lambda pods: len(pods) == 3 and all(
            phase == "Running" and uid not in before
            for uid, phase, _ in pods.values()))(
                ns.phases(MPI_SSH, "gang")), LIMIT)
    equal(GROUPS.find(ns, "gang")["metadata"]["uid"],
          group["metadata"]["uid"], "its group")
    for pod in ns.owned(MPI_SSH, "gang", "pods").values():
        equal(pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"],
              "gang")
    attempts.never_meet(ns)


@in_namespace
def with_launcher_job(ns):
    """the launcher that the Job controller makes is of the gang, too"""
    ns.add_node("a", cpu=2)
    ns.post(MPI_SSH, gang(ns, MPI_SSH, "gang"))
    wait_for("three pods to be refused", lambda: placed(ns, MPI_SSH, "gang")
             or len(refused(ns, MPI_SSH, "gang")) == 3, LIMIT)
    equal(placed(ns, MPI_SSH, "gang"), [], "pods that were placed")
    equal(GROUPS.find(ns, "gang")["spec"]["minMember"], 3)
    ns.add_node("b", cpu=1)
    ns.await_condition(MPI_SSH, "gang", "Running")


@in_namespace
def launcher_comes_later(ns):
    """workers do not wait for a launcher that waits for them, nor when the job
    is suspended and resumed"""
    ns.add_node("a", cpu=3)
    ns.post(MPI_SSH, gang(ns, MPI_SSH, "gang",
                          launcherCreationPolicy="WaitForWorkersReady"))
    ns.await_condition(MPI_SSH, "gang", "Running")
    ns.patch(MPI_SSH, "gang", {"runPolicy": {"suspend": True}})
    ns.await_condition(MPI_SSH, "gang", "Suspended")
    wait_for("the pods to go", lambda: not ns.phases(MPI_SSH, "gang"), LIMIT)
    ns.patch(MPI_SSH, "gang", {"runPolicy": {"suspend": False}})
    ns.await_condition(MPI_SSH, "gang", "Running")


CASES = [*for_kinds(KINDS, waits), turns, restarted, with_launcher_job,
         launcher_restarted,
         launcher_comes_later]

if __name__ == "__main__":
    sys.exit(main(CASES, GangScheduled, __doc__, at_once=8))
