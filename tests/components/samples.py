"""Each job of deploy/samples, from its creation to its success."""

import os

from checks import equal
from cluster import wait_for
from components import SAMPLES, read
from jobs.kinds import DI, DI_TASKS, KINDS
from operators.operator_fixture import LIMIT

# How far these are is told where the operator serves webhooks, or may read logs.
TELL_WITH_WEBHOOKS = "pytorchjob-progress"
TELL_WITH_LOGS = "tfjob-log-rules"
BY_VERSION = {(kind.group.removeprefix("/apis/"), kind.name): kind
              for kind in [*KINDS, DI, DI_TASKS]}


def claims_of(value):
    """The names of all claims in a part of a manifest."""
    if isinstance(value, dict):
        claim = value.get("persistentVolumeClaim", {}).get("claimName")
        return {claim} - {None} | claims_of(list(value.values()))
    if isinstance(value, list):
        return set().union(*map(claims_of, value))
    return set()


def sample_case(name):
    """A case of the sample `name`, in a namespace where pods succeed."""
    def run(fixture):
        ns = fixture.namespace("succeeding")
        manifest = read(SAMPLES, name)
        kind = BY_VERSION[manifest["apiVersion"], manifest["kind"]]
        job = manifest["metadata"]["name"]
        fixture.kubectl("apply", "--namespace", ns.name, "--filename",
                        os.path.join(SAMPLES, name))
        ns.await_condition(kind, job, "Succeeded")
        status = ns.status(kind, job)
        equal({c["type"] for c in status["conditions"]
               if c["status"] == "True"}, kind.true_at_end, "conditions")
        equal(ns.warnings(job), {}, "warnings")
        leads = kind.leading_pods(manifest)
        equal({n: p["status"]["phase"] for n, p in
               ns.owned(kind, job, "pods").items() if n in leads},
              dict.fromkeys(leads, "Succeeded"), "the pods that lead")
        # What is a job's goes with it: the garbage collector is at work.
        ns.client.delete(ns.of(kind, job))
        wait_for("its pods and services to go", lambda: not any(
            ns.owned(kind, job, what) for what in ("pods", "services")),
            LIMIT)
    run.__name__ = "sample_" + name.replace(".yaml", "").replace("-", "_")
    run.__doc__ = f"{name}: succeeds and leaves nothing behind"
    return run


def has_row(name):
    """Whether the sample's kind, in its version, is one of `jobs.kinds`."""
    manifest = read(SAMPLES, name)
    return (manifest["apiVersion"], manifest["kind"]) in BY_VERSION


def cases(*without):
    """Of all samples but those whose names begin so, and those with claims: no
    volume is provisioned here."""
    return [sample_case(name) for name in sorted(os.listdir(SAMPLES))
            if name.endswith(".yaml") and not name.startswith(without)
            and has_row(name) and not claims_of(read(SAMPLES, name))]


