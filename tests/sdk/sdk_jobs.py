"""The kinds of jobs that the SDK knows, and objects of its models."""

import threading

from kubernetes import client as kubernetes
from kubeflow.training import TrainingClient, models

from checks import equal  # of ../cluster
from jobs.kinds import UPSTREAM_KINDS as SDK_KINDS  # of ../cluster


ONE_AT_A_TIME = threading.Lock()


def client_of(kubeconfig, namespace, kind):
    """The SDK's client of jobs of a kind.

    Kubernetes' client writes the authority of a kubeconfig into a file, which
    another thread takes before the text is in it.
    """
    with ONE_AT_A_TIME:
        return TrainingClient(config_file=kubeconfig, namespace=namespace,
                              job_kind=str(kind))


def model(name):
    return getattr(models, "KubeflowOrgV1" + name)


def job_object(kind, name, command=None, restart="Never", **policy):
    """A usual job of the kind; `policy` is of the SDK's model RunPolicy."""
    template = kubernetes.V1PodTemplateSpec(spec=kubernetes.V1PodSpec(
        containers=[kubernetes.V1Container(
            name=kind.container, image="registry.example/train:1",
            command=command)]))
    replicas = {replica: model("ReplicaSpec")(
        replicas=count, restart_policy=restart, template=template)
        for replica, count in kind.types}
    spec = model(f"{kind}Spec")
    return model(str(kind))(
        api_version="kubeflow.org/v1", kind=str(kind),
        metadata=kubernetes.V1ObjectMeta(name=name),
        spec=spec(run_policy=model("RunPolicy")(**policy),
                  **{field_of(kind): replicas}))


def field_of(kind):
    """The model's attribute with the replicas."""
    names = model(f"{kind}Spec").attribute_map
    return next(ours for ours, wire in names.items() if wire == kind.field)


def replicas_of(kind, job):
    return getattr(job.spec, field_of(kind))


def refusal(call, *args, **more):
    """The text of the RuntimeError that the call ends with."""
    try:
        call(*args, **more)
    except RuntimeError as failure:
        return str(failure)
    raise AssertionError(f"{call.__name__} did not fail")


def check_pod_names(client, kind, job):
    """The pods of a job are found by all that the SDK can ask for."""
    names = client.get_job_pod_names

    def found(**more):
        return sorted(names(job, **more))

    equal(found(), sorted(kind.pods(job)), "pods")
    equal({pod.metadata.name for pod in client.get_job_pods(job)},
          set(kind.pods(job)), "pods as objects")
    equal(found(is_master=True), kind.named(job, kind.roles), "master")
    for replica, count in kind.types:
        equal(found(replica_type=replica.lower()),
              [kind.pod(job, replica, i) for i in range(count)], replica)
    equal(found(replica_type="worker", replica_index=1),
          [kind.pod(job, "Worker", 1)], "one worker")


def has_event(client, kind, job, part):
    """Whether an event of the job has this text; they are written last."""
    _, events = client.get_job_logs(job, verbose=True)
    return part in str(events.get(f"{str(kind).lower()}/{job}"))


def true_conditions(client, job):
    return {c.type for c in client.get_job_conditions(job)
            if c.status == "True"}
