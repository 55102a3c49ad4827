"""What the SDK's documentation shows of TrainingClient, on `troupe up`; run by
test_wheel.py with the Python that has both, and no terminal."""

import os
import re
import subprocess
import sys

LIMIT = 60  # seconds


def started():
    """`troupe up`, its isolation, and the environment for its clients."""
    up = subprocess.Popen(
        ["troupe", "up", "--admin-bind-address=127.0.0.1:0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    isolation = ""
    for line in up.stdout:
        print(line, end="", flush=True)
        if found := re.match(r"#? *Isolation: (\w+)", line):
            isolation = found[1]
        if found := re.match(r"export KUBECONFIG=(.*)", line):
            os.environ["KUBECONFIG"] = found[1]
            return up, isolation
    sys.exit("`troupe up` has ended")


def train_alone():
    import os
    print("worker", os.environ["RANK"], "of", os.environ["WORLD_SIZE"])


def train_together():
    import json
    import os
    print("worker", json.loads(os.environ["TF_CONFIG"])["task"]["index"])


def expect(value, message):
    if not value:
        sys.exit("not so: " + message)


def await_condition(client, name, *conditions):
    client.wait_for_job_conditions(
        name=name, expected_conditions=set(conditions), wait_timeout=LIMIT,
        polling_interval=0.5)


def of_function(client):
    client.create_job(name="function", train_func=train_alone,
                      resources_per_worker={"cpu": "10m", "memory": "64Mi"})
    await_condition(client, "function", "Succeeded")
    expect(client.is_job_succeeded(name="function"), "the job has succeeded")
    logs, _ = client.get_job_logs(name="function")
    expect(logs == {"function-master-0": "worker 0 of 1\n"}, f"logs: {logs}")
    # Several workers of a PyTorchJob are started by torchrun, a part of torch.
    client.create_job(name="many", job_kind="TFJob", num_workers=3,
                      train_func=train_together)
    client.wait_for_job_conditions(
        name="many", job_kind="TFJob", expected_conditions={"Succeeded"},
        wait_timeout=LIMIT, polling_interval=0.5)
    logs, _ = client.get_job_logs(name="many", job_kind="TFJob",
                                  is_master=False)
    expect(logs == {f"many-worker-{i}": f"worker {i}\n" for i in range(3)},
           f"logs: {logs}")
    expect(len(client.get_job_pods(name="many")) == 3,
           "there are three pods")
    client.delete_job(name="many", job_kind="TFJob")


def of_manifest(client):
    from kubeflow.training import KubeflowOrgV1PyTorchJob, models
    from kubernetes.client import (V1Container, V1ObjectMeta, V1PodSpec,
                                   V1PodTemplateSpec)
    template = V1PodTemplateSpec(spec=V1PodSpec(containers=[V1Container(
        name="pytorch", image="none",
        command=["python", "-c", "print('master')"])]))
    client.create_job(KubeflowOrgV1PyTorchJob(
        api_version="kubeflow.org/v1", kind="PyTorchJob",
        metadata=V1ObjectMeta(name="manifest"),
        spec=models.KubeflowOrgV1PyTorchJobSpec(
            run_policy=models.KubeflowOrgV1RunPolicy(clean_pod_policy="None"),
            pytorch_replica_specs={"Master": models.KubeflowOrgV1ReplicaSpec(
                replicas=1, template=template)})))
    await_condition(client, "manifest", "Running", "Succeeded")
    logs, _ = client.get_job_logs(name="manifest", follow=True)
    expect("master" in str(logs), f"the logs {logs}")
    await_condition(client, "manifest", "Succeeded")


def main():
    up, isolation = started()
    try:
        tour(isolation)
    finally:
        up.terminate()
        up.communicate(timeout=LIMIT)
    print("the tour has ended")


def tour(isolation):
    # Reads $KUBECONFIG when it is imported.
    from kubeflow.training import TrainingClient
    print("isolation:", isolation)
    client = TrainingClient()
    of_function(client)
    of_manifest(client)
    expect({job.metadata.name for job in client.list_jobs()} ==
           {"function", "manifest"}, "two jobs are listed")
    for name in ("function", "manifest"):
        client.delete_job(name=name)
    expect(client.list_jobs() == [], "no job is left")


if __name__ == "__main__":
    main()
