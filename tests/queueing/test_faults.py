#!/usr/bin/python3
"""Calls of the operator go wrong at random while jobs wait, give way and are
deleted: one in eight is refused, lost before or after it was done, or late, and
watches break. $TROUPE_SEED says which.

    test_faults.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import random
import sys
import urllib.parse

from queueing import FIRST, HERE, Queueing

sys.path.append(os.path.join(HERE, "..", "faults"))

import admission
import preemption
import release
from checks import main
from control_plane.client import Client
from fault_proxy import FaultProxy, Upstream
from jobs.namespace import for_kinds
from plans import ALL, Call

SEED = os.environ.get("TROUPE_SEED") or str(random.randrange(10 ** 6))
WRITES = ("refused-500", "refused-429", "refused-409", "dropped-before",
          "dropped-after", "cut-inside", "slow")
READS = ("refused-500", "dropped-after", "slow")
EVENTS = ("cut-before", "cut-inside", "repeated", "expired")
ONE_IN, ONE_EVENT_IN = 8, 60


class RandomFaults(FaultProxy):
    def __init__(self, upstream):
        super().__init__(upstream)
        self.dice = random.Random(SEED)

    def count(self, call):
        with self.changed:
            if call.verb == "WATCH":
                return self.one_of(EVENTS, ONE_EVENT_IN)
            return self.one_of(READS if call.verb in ("GET", "LIST") else
                               WRITES, ONE_IN)

    def one_of(self, faults, of):
        goes_wrong = self.dice.randrange(of) == 0
        return self.dice.choice(faults) if goes_wrong else None

    def call_of(self, request):
        """Here it is also about all namespaces together."""
        if self.is_counted(request):
            return super().call_of(request)
        path = urllib.parse.urlsplit(request.path).path
        return Call(request.method, path.rsplit("/", 1)[-1], ALL)

    def note(self, call, request, status, fault):
        """Nothing is compared here."""


class Faulty(Queueing):
    proxy = None

    def make_account(self, cluster):
        super().make_account(cluster)
        path = cluster.path(self.ACCOUNT + ".kubeconfig")
        self.proxy = RandomFaults(Upstream(Client(path)))
        self.proxy.write_kubeconfig(path, path)

    def __exit__(self, *failure):
        super().__exit__(*failure)
        self.proxy.close()

    def report(self):
        return f"TROUPE_SEED={SEED}\n" + super().report()


CASES = [case for one in (admission.ten, admission.waits, preemption.preempted,
                          preemption.reclaimable, release.deleted,
                          release.workload_deleted, release.ended)
         for case in for_kinds(FIRST, one)]

if __name__ == "__main__":
    sys.exit(main(CASES, Faulty, __doc__, at_once=4))
