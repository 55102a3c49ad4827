"""Elastic jobs that kube-controller-manager's autoscaler scales."""

import attempts
from calls import METRICS, SCALING
from checks import equal
from cluster import wait_for
from jobs.kinds import PYTORCH
from jobs.namespace import namespace_of, serial
from operators.operator_fixture import LIMIT
from pod_metrics import PodMetrics


def elastic(ns):
    """Two workers that may be one to four, and ask for a CPU each; all are
    restarted when one fails."""
    job = PYTORCH.manifest("job", {"failurePolicy": {
        "restartScope": "Job"}}, counts={"Worker": 2}, elasticPolicy={
        "minReplicas": 1, "maxReplicas": 4, "metrics": METRICS})
    (container,) = job["spec"][PYTORCH.field]["Worker"]["template"]["spec"][
        "containers"]
    container["resources"] = {"requests": {"cpu": "1"}}
    return job


def size(ns):
    """What the autoscaler asks for."""
    return ns.job(PYTORCH, "job")["spec"][PYTORCH.field]["Worker"]["replicas"]


def autoscaler(ns):
    """Its UID and spec."""
    found = ns.client.get(ns.at(SCALING, "horizontalpodautoscalers", "job"))
    return found["metadata"]["uid"], found["spec"]


@serial
def autoscaled(fixture):
    """PyTorchJob: its workers follow the load, it is restarted, and goes on"""
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
        scaler = autoscaler(ns)
        attempts.fail(ns, "job-worker-3")
        ns.await_running(PYTORCH, "job", {"Worker": 4}, others_than=before)
        attempts.is_attempt(ns, PYTORCH, "job", 1)
        equal((autoscaler(ns), size(ns)), (scaler, 4),
              "its autoscaler, and what that asks for")
    for worker in range(4):
        ns.set_phase(f"job-worker-{worker}", "Succeeded")
    ns.await_condition(PYTORCH, "job", "Succeeded")
    equal(set(ns.warnings("job")), {"PyTorchJobRestarting"}, "warnings")


CASES = [autoscaled]
