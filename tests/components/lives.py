"""Each job of deploy/samples, from its creation to its success."""

import os

from checks import equal
from cluster import wait_for
from kinds import KINDS
from components import SAMPLES, read
from stage import LIMIT

BY_NAME = {kind.name: kind for kind in KINDS}


def life(name):
    """A case of the sample `name`, in a namespace where pods succeed."""
    def lived(stage):
        room = stage.room("life")
        manifest = read(SAMPLES, name)
        kind, job = BY_NAME[manifest["kind"]], manifest["metadata"]["name"]
        stage.kubectl("apply", "--namespace", room.name, "--filename",
                      os.path.join(SAMPLES, name))
        room.await_condition(kind, job, "Succeeded")
        status = room.status(kind, job)
        found = {c["type"]: c["status"] for c in status["conditions"]}
        equal(found, {"Created": "True", "Running": "False",
                      "Succeeded": "True"}, "conditions")
        equal(room.warnings(job), {}, "warnings")
        types = manifest["spec"][kind.field]
        leads = set(kind.named(job, [lead for lead in kind.leads
                                     if lead.split("-")[0] in types]))
        equal({n: p["status"]["phase"] for n, p in
               room.owned(kind, job, "pods").items() if n in leads},
              dict.fromkeys(leads, "Succeeded"), "the pods that lead")
        # What is a job's goes with it: the garbage collector is at work.
        room.client.delete(room.of(kind, job))
        wait_for("its pods and services to go", lambda: not any(
            room.owned(kind, job, what) for what in ("pods", "services")),
            LIMIT)
    lived.__name__ = "life_" + name.replace(".yaml", "").replace("-", "_")
    lived.__doc__ = f"{name}: lives to its success and leaves nothing behind"
    return lived


NAMES = sorted(n for n in os.listdir(SAMPLES) if n.endswith(".yaml"))
CASES = [life(name) for name in NAMES]
