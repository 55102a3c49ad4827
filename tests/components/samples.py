"""Each job of deploy/samples, from its creation to its success."""

import os

from checks import equal
from cluster import wait_for
from kinds import DI, KINDS
from components import SAMPLES, read
from operator_fixture import LIMIT

BY_NAME = {kind.name: kind for kind in [*KINDS, DI]}


def sample_case(name):
    """A case of the sample `name`, in a namespace where pods succeed."""
    def run(fixture):
        ns = fixture.namespace("succeeding")
        manifest = read(SAMPLES, name)
        kind, job = BY_NAME[manifest["kind"]], manifest["metadata"]["name"]
        fixture.kubectl("apply", "--namespace", ns.name, "--filename",
                        os.path.join(SAMPLES, name))
        ns.await_condition(kind, job, "Succeeded")
        status = ns.status(kind, job)
        found = {c["type"]: c["status"] for c in status["conditions"]}
        equal(found, {"Created": "True", "Running": "False",
                      "Succeeded": "True"}, "conditions")
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


NAMES = sorted(n for n in os.listdir(SAMPLES) if n.endswith(".yaml"))
CASES = [sample_case(name) for name in NAMES]
