#!/usr/bin/python3
"""The Kubeflow Python SDK, unchanged, against a real API server, with the
rights of people who may edit, and the operator with its own account.

    test_sdk_on_cluster.py [--troupe FILE] [--only PART] [-- ARGUMENTS]

Nothing runs the pods: their states are written here.
"""

import sys

import virtual_environment

if __name__ == "__main__":
    virtual_environment.enter()

from kubeflow.training import constants  # noqa: E402

from checks import contains, equal, main  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane import accounts  # noqa: E402
from jobs.kinds import MPI, PYTORCH, TF  # noqa: E402
from jobs.namespace import Namespace, for_kinds, in_namespace  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT, OperatorFixture  # noqa: E402
from process import free_port  # noqa: E402
from sdk_jobs import (SDK_KINDS, check_pod_names, client_of,  # noqa: E402
                      has_event, job_object, refusal, replicas_of,
                      true_conditions)

# Kubernetes' role `edit` is put together of the first two by a controller.
ROLES = ("system:aggregate-to-edit", "system:aggregate-to-view",
         "kubeflow-training-edit")
RBAC = "rbac.authorization.k8s.io"


class Installed(OperatorFixture):
    def __init__(self, troupe, more):
        port = free_port()
        super().__init__(troupe, [
            "--leader-elect", "--leader-election-namespace",
            shipped_objects.NAMESPACE,
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port), *more],
            self.install, Cluster(), shipped_objects.KUBECONFIG)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        accounts.write_kubeconfig(cluster, shipped_objects.NAMESPACE,
                                  shipped_objects.ACCOUNT)

    def namespace(self):
        return UserNamespace(self)


class UserNamespace(Namespace):
    """With an account that may edit in it."""

    def __init__(self, fixture):
        super().__init__(fixture)
        self.client.post(self.core("serviceaccounts"),
                         {"metadata": {"name": self.name}})
        for role in ROLES:
            self.client.post(self.at(f"/apis/{RBAC}/v1", "rolebindings"), {
                "metadata": {"name": role},
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole",
                            "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": self.name,
                              "namespace": self.name}]})
        self.kubeconfig = accounts.write_kubeconfig(
            fixture.cluster, self.name, self.name)
        for verb, group, resource in (("list", "", "pods"),
                                      ("create", "kubeflow.org", "tfjobs")):
            wait_for(f"the right to {verb} {resource}", lambda: accounts.may(
                self.client, self.name, self.name, verb, group, resource),
                LIMIT)

    def sdk(self, kind):
        return client_of(self.kubeconfig, self.name, kind)


def await_condition(client, job, condition):
    return client.wait_for_job_conditions(
        job, expected_conditions={condition}, wait_timeout=LIMIT,
        polling_interval=0.2)


# -- cases of every kind ------------------------------------------------------

def life(ns, kind):
    """is created, found, watched until it has succeeded, and deleted"""
    client = ns.sdk(kind)
    client.create_job(job_object(kind, "job"))
    await_condition(client, "job", constants.JOB_CONDITION_CREATED)
    ns.await_pods(kind, "job", kind.pods("job"))
    check_pod_names(client, kind, "job")
    equal(client.get_job_logs("job"), ({}, {}), "logs while pods are pending")
    ns.run_all(kind, "job")
    job = await_condition(client, "job", constants.JOB_CONDITION_RUNNING)
    equal(true_conditions(client, "job"), {"Created", "Running"})
    equal(client.is_job_created("job"), True)
    equal(client.is_job_running("job"), True)
    equal({name: replica.replicas
           for name, replica in replicas_of(kind, job).items()},
          dict(kind.types), "replicas as the SDK reads them")
    equal([j.metadata.uid for j in client.list_jobs()], [job.metadata.uid])
    equal(client.is_job_succeeded("job"), False)
    ns.succeed(kind, "job")
    job = await_condition(client, "job", constants.JOB_CONDITION_SUCCEEDED)
    equal(client.is_job_succeeded(job=job), True)
    equal(job.status.completion_time is not None, True)
    # No kubelet has logs of them; whoever has no node has an empty log.
    empty = {pod: "" for pod in kind.named("job", kind.roles)}
    equal(client.get_job_logs("job"), (empty, {}))
    equal(client.get_job_logs("job", follow=True), ({}, {}))
    wait_for("an event", lambda: has_event(client, kind, "job",
                                           "job-worker-1"), LIMIT)
    client.delete_job("job")
    contains(refusal(client.get_job, "job"), "404")
    equal(client.list_jobs(), [])


def updated(ns, kind):
    """its workers are scaled by an update"""
    client = ns.sdk(kind)
    job = job_object(kind, "job")
    client.create_job(job)
    ns.await_pods(kind, "job", kind.pods("job"))
    replicas_of(kind, job)["Worker"].replicas = 3
    client.update_job(job, "job")
    ns.await_pods(kind, "job", kind.pods("job", kind.with_workers(3)))
    equal(replicas_of(kind, client.get_job("job"))["Worker"].replicas, 3)


def failed(ns, kind):
    """its failure is seen and ends the wait for its success"""
    client = ns.sdk(kind)
    client.create_job(job_object(kind, "job", backoff_limit=0))
    ns.await_pods(kind, "job", kind.pods("job"))
    ns.run_all(kind, "job")
    await_condition(client, "job", constants.JOB_CONDITION_RUNNING)
    ns.set_phase(kind.named("job", kind.leads)[0], "Failed", 1)
    contains(refusal(await_condition, client, "job",
                     constants.JOB_CONDITION_SUCCEEDED), "is Failed")
    equal(client.is_job_failed("job"), True)


def refused(ns, kind):
    """what the API server refuses is told with the reason"""
    client = ns.sdk(kind)
    contains(refusal(client.create_job, job_object(
        kind, "job", managed_by="nobody.example/nothing")),
        "spec.runPolicy.managedBy")
    client.create_job(job_object(kind, "job"))
    contains(refusal(client.create_job, job_object(kind, "job")), "409")
    contains(refusal(client.delete_job, "another"), "404")


# -- cases of a kind ----------------------------------------------------------

def train(parameters):
    print("learning rate", parameters["lr"])


@in_namespace
def functions(ns):
    """a function becomes a PyTorchJob that torchrun starts, or a TFJob"""
    for kind, more, entrypoint in (
            (PYTORCH, {"num_procs_per_worker": 2}, "torchrun"),
            (TF, {"num_chief_replicas": 1, "num_ps_replicas": 1}, "python -u")):
        client, job = ns.sdk(kind), kind.short_name
        client.create_job(
            name=job, base_image="registry.example/base:1", train_func=train,
            parameters={"lr": 0.1}, num_workers=3,
            resources_per_worker={"cpu": "2", "gpu": 1}, env_vars={"A": "b"},
            labels={"team": "vision"}, packages_to_install=["einops"], **more)
        counts = {"Master": 1, "Worker": 2} if kind is PYTORCH else {
            "Chief": 1, "PS": 1, "Worker": 3}
        ns.await_pods(kind, job, kind.pods(job, counts))
        for pod in client.get_job_pods(job):
            container, = pod.spec.containers
            equal(container.image, "registry.example/base:1")
            equal(container.command, ["bash", "-c"])
            contains(container.args[0], f"{entrypoint} \"$program_path")
            contains(container.args[0], "train({'lr': 0.1})")
            contains(container.args[0], "einops")
            equal(container.resources.limits,
                  {"cpu": "2", "nvidia.com/gpu": "1"})
            environment = {e.name: e.value for e in container.env}
            equal(environment["A"], "b")
            if kind is PYTORCH:
                equal(environment["PET_NPROC_PER_NODE"], "2")
        equal(client.get_job(job).metadata.labels, {"team": "vision"})


@in_namespace
def images(ns):
    """an image alone becomes a job, whose pods have no command"""
    client = ns.sdk(PYTORCH)
    client.create_job(name="job", base_image="registry.example/base:1")
    ns.await_pods(PYTORCH, "job", ["job-master-0"])
    container, = client.get_job_pods("job")[0].spec.containers
    equal((container.image, container.command),
          ("registry.example/base:1", None))


@in_namespace
def queued(ns):
    """a queue that is not there does not keep a job from being created"""
    client = ns.sdk(MPI)
    client.create_job(job_object(MPI, "job"), queue_name="mine")
    equal(client.get_job("job").metadata.labels,
          {"kueue.x-k8s.io/queue-name": "mine"})


@in_namespace
def restarted(ns):
    """a job whose master was killed is restarting until another one runs"""
    client = ns.sdk(PYTORCH)
    client.create_job(job_object(PYTORCH, "job", restart="ExitCode"))
    ns.await_pods(PYTORCH, "job", PYTORCH.pods("job"))
    ns.run_all(PYTORCH, "job")
    await_condition(client, "job", constants.JOB_CONDITION_RUNNING)
    equal(client.is_job_restarting("job"), False)
    ns.replaced(PYTORCH, "job", "job-master-0", 137)
    await_condition(client, "job", constants.JOB_CONDITION_RESTARTING)
    equal(client.is_job_restarting("job"), True)
    ns.set_phase("job-master-0", "Running")
    await_condition(client, "job", constants.JOB_CONDITION_RUNNING)
    equal(client.is_job_restarting("job"), False)


@in_namespace
def suspended(ns):
    """an update suspends a job and resumes it"""
    client = ns.sdk(PYTORCH)
    job = job_object(PYTORCH, "job", suspend=True)
    client.create_job(job)
    wait_for("Suspended", lambda: "Suspended" in true_conditions(
        client, "job"), LIMIT)
    equal(client.get_job_pod_names("job"), [])
    job.spec.run_policy.suspend = False
    client.update_job(job, "job")
    ns.await_pods(PYTORCH, "job", PYTORCH.pods("job"))


CASES = [*(case for each in (life, updated, failed, refused)
           for case in for_kinds(SDK_KINDS, each)),
         functions, images, queued, restarted, suspended]

if __name__ == "__main__":
    sys.exit(main(CASES, Installed, __doc__, at_once=6))
