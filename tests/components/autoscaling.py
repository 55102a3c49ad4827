"""Elastic jobs that kube-controller-manager's autoscaler scales."""

from calls import METRICS
from checks import equal
from cluster import wait_for
from jobs.kinds import PYTORCH
from jobs.namespace import namespace_of, serial
from operators.operator_fixture import LIMIT
from pod_metrics import PodMetrics


def elastic(ns):
    """Two workers that may be one to four, and ask for a CPU each."""
    job = PYTORCH.manifest("job", counts={"Worker": 2}, elasticPolicy={
        "minReplicas": 1, "maxReplicas": 4, "metrics": METRICS})
    (container,) = job["spec"][PYTORCH.field]["Worker"]["template"]["spec"][
        "containers"]
    container["resources"] = {"requests": {"cpu": "1"}}
    return job


def size(ns):
    """What the autoscaler asks for."""
    return ns.job(PYTORCH, "job")["spec"][PYTORCH.field]["Worker"]["replicas"]


@serial
def autoscaled(fixture):
    """PyTorchJob: its workers follow the load, and it goes on"""
    ns = namespace_of(fixture)
    with PodMetrics(fixture.cluster) as metrics:
        metrics.load[ns.name] = 1.6  # what two workers should have
        ns.post(PYTORCH, elastic(ns))
        before = ns.await_running(PYTORCH, "job", {"Worker": 2})
        for load, workers in ((8, 4), (0.1, 1), (8, 4)):
            metrics.load[ns.name] = load
            wait_for(f"{workers} workers for {load} CPUs of load",
                     lambda: size(ns) == workers, LIMIT)
            after = ns.await_running(PYTORCH, "job", {"Worker": workers})
            equal(len(before & after), min(len(before), workers),
                  f"workers that stayed when there were to be {workers}")
            before = after
    for worker in range(4):
        ns.set_phase(f"job-worker-{worker}", "Succeeded")
    ns.await_condition(PYTORCH, "job", "Succeeded")
    equal(ns.warnings("job"), {}, "warnings")


CASES = [autoscaled]
