#!/usr/bin/python3
"""What the operator keeps, and has at its peak, of a hundred and sixty jobs of
1.1 MB each that are there when it starts.

    test_lists.py [--troupe FILE] [--only PART]
"""

import json
import sys

from tenants import LIMIT, equal, wait_for

from checks import main
from cluster import Cluster
from jobs.kinds import PYTORCH, TF
from operators.operator_fixture import OperatorFixture

JOBS, SIZE = 160, 1_100_000  # bytes of annotations in a template
KEPT, PEAK = 1.3, 1.3  # times


def large(kind, name):
    job = kind.manifest(name, policy={"suspend": True}, counts={"Worker": 1}
                        if kind is TF else {"Master": 1})
    for replica in job["spec"][kind.field].values():
        replica["template"]["metadata"] = {"annotations": {
            "large": (name + " ") * (SIZE // (len(name) + 1))}}
    return job


class Stored(OperatorFixture):
    """The operator has started twice: without jobs, and with them."""

    def __init__(self, troupe, more):
        super().__init__(troupe, more, None, Cluster(crds=True))

    def __enter__(self):
        super().__enter__()
        self.base = self.operator.memory()[0]
        return self

    def restart_with(self, kind):
        """MiB of all specs; the operator has told of each that it knows it."""
        self.operator.child.stop()
        path = f"{kind.group}/namespaces/default/{kind.plural}"
        total = 0
        for number in range(JOBS):
            job = large(kind, f"large-{number}")
            total += len(json.dumps(job["spec"]))
            self.client.post(path, job)
        self.operator.start()
        wait_for("all jobs to be suspended", lambda: all(
            self.suspended(path, number) for number in (0, JOBS - 1)), LIMIT)
        self.path = path
        return total / (1 << 20)

    def suspended(self, path, number):
        status = self.client.get(f"{path}/large-{number}").get("status", {})
        return any(c["type"] == "Suspended" and c["status"] == "True"
                   for c in status.get("conditions", ()))


def of_kind(kind):
    def case(fixture):
        total = fixture.restart_with(kind)
        limit = fixture.base + KEPT * total
        try:
            wait_for("memory to be given back", lambda:
                     fixture.operator.memory()[0] <= limit, LIMIT)
        except TimeoutError:
            pass
        now, peak = fixture.operator.memory()
        text = (f"specs {total:.0f} MiB, base {fixture.base:.0f}, kept "
                f"{now:.0f}, peak {peak:.0f}")
        print("     " + text, flush=True)
        fixture.client.delete(fixture.path)
        equal(now <= limit, True, f"kept is at most {limit:.0f}: {text}")
        equal(peak <= PEAK * limit, True,
              f"the peak is at most {PEAK * limit:.0f}: {text}")

    case.__name__ = "lists_" + kind.short_name
    case.__doc__ = f"{JOBS} {kind}s of 1.1 MB"
    return case


CASES = [of_kind(TF), of_kind(PYTORCH)]

if __name__ == "__main__":
    sys.exit(main(CASES, Stored, __doc__))
