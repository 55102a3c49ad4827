#!/usr/bin/python3
"""Two replicas of the operator, of which one at a time is killed and started
again throughout, with the account of deploy/rbac beside real components.

    test_replicas.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]

$TROUPE_SEED says which are killed when; it is printed.
"""

import os
import random
import sys

from components import Components

import calls
import deletion
import recovery
import samples
from checks import equal, main
from jobs.kinds import KINDS
from jobs.namespace import serial
from operators import shipped_objects
from operators.replicas import Replicas


class Replicated(Components):
    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT

    def __init__(self, troupe, more):
        super().__init__(troupe, more)
        seed = int(os.environ.get("TROUPE_SEED") or random.randrange(10**6))
        print(f"TROUPE_SEED={seed}", flush=True)
        self.operator = Replicas.of(
            2, seed, self.cluster.path(self.ACCOUNT + ".kubeconfig"),
            self.cluster.path("operator.log"), troupe,
            ["--leader-election-namespace", self.NAMESPACE, *more])

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)
        # Replicas sign with a key in it what they forward to the leader.
        shipped_objects.apply_some(cluster, lambda o: o["kind"] == "Secret")


@serial
def killed(fixture):
    """replicas were killed meanwhile, and no call was forbidden"""
    print(f"     {fixture.operator.kills} times")
    equal(fixture.operator.kills > 0, True, "kills")
    equal(fixture.audit.forbidden(), set())


# Without webhooks nobody converts DIJobs, and v2alpha1 is not served.
CASES = [*samples.cases("dijob-tasks", samples.TELL_WITH_WEBHOOKS,
                        samples.TELL_WITH_LOGS), *calls.cases(KINDS), *deletion.CASES,
         *recovery.EACH_KIND, killed]

if __name__ == "__main__":
    sys.exit(main(CASES, Replicated, __doc__, at_once=8))
