#!/usr/bin/python3
"""Leader election while wall clocks jump by an hour, forward and back.

    test_clock_jumps.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import datetime
import os
import signal
import sys
import time

from checks import equal, main
from cluster import wait_for
from network.write_proxy import WriteProxy
from operators.operator_fixture import JOBS, LIMIT
from operators.wall_clock import WallClock
from test_leader_election import SHORT, Replicas, case

HOUR = 3600
JUMPS = (HOUR, 0, -HOUR, 0)  # seconds that a clock is ahead of ours
RENEWALS = 8  # by then a standby that had waited for the Lease would have it


class Clocks(Replicas):
    """Replicas whose wall clocks are the test's: `clocks`, by name.

    They speak plain HTTP with a proxy: to an early clock the API server's
    certificate would not be valid yet.
    """

    def __init__(self, troupe, more):
        super().__init__(troupe, more)
        path = self.fixture.cluster.path
        self.clocks = {name: WallClock(path(name + ".clock"))
                       for name in ("first", "second")}

    def __enter__(self):
        super().__enter__()
        self.proxy = WriteProxy(self.cluster.kubeconfig)
        self.through = self.cluster.path("through-proxy")
        self.proxy.write_kubeconfig(self.cluster.kubeconfig, self.through)
        return self

    def __exit__(self, *failure):
        super().__exit__(*failure)
        self.proxy.close()

    def two(self):
        """The first leads, the second does not."""
        for clock in self.clocks.values():
            clock.set(0)
        first, second = [], []
        for name, into in (("first", first), ("second", second)):
            into.append(self.operator(name, SHORT, self.through,
                                      self.clocks[name].environment))
            self.await_leader(first[0])
        return first[0], second[0]

    def ahead(self):
        """Seconds that the leader's clock was ahead when it renewed."""
        renewed = datetime.datetime.fromisoformat(
            self.lease()["renewTime"].replace("Z", "+00:00"))
        return renewed.timestamp() - time.time()

    def await_renewals(self, clock):
        """Waits until the leader has renewed the Lease for longer than it
        lasts, by the clock that it should see."""
        times = set()

        def enough():
            times.add(self.lease()["renewTime"])
            return len(times) > RENEWALS

        wait_for("the Lease to be renewed", enough, LIMIT)
        equal(abs(self.ahead() - clock) < HOUR / 2, True,
              f"the leader's clock is {self.ahead():.0f} s ahead")

    def scale_to(self, job, workers):
        """The job goes on: it has so many pods, and counts those that run."""
        self.scale(job, workers)
        self.fixture.await_replicas(
            job, [f"{job}-worker-{i}" for i in range(workers)])
        self.fixture.run_all(job)
        wait_for(f"{workers} active workers", lambda: self.client.get(
            f"{JOBS}/{job}")["status"]["replicaStatuses"]["Worker"].get(
                "active") == workers, LIMIT)


def jumps(name):
    """A case in which the clock of this replica jumps."""
    def test(r):
        first, second = r.two()
        r.run_job(name, workers=1)
        lease = r.lease()
        for workers, seconds in enumerate(JUMPS, 2):
            r.clocks[name].set(seconds)
            r.await_renewals(seconds if name == "first" else 0)
            r.scale_to(name, workers)
            equal(r.writes(second), 0, "writes of the standby")
        for field in ("holderIdentity", "leaseTransitions", "acquireTime"):
            equal(r.lease()[field], lease[field], field)
        equal(first.child.stop(), 0)
        r.await_leader(second)
        r.scale_to(name, 1)
    test.__name__ = f"{name}_jumps"
    role = {"first": "leader", "second": "standby"}[name]
    test.__doc__ = f"the clock of the {role} jumps: the leader stays the same"
    return case(test)


@case
def frozen(r):
    """a leader that is stopped and whose clock is set back writes no more"""
    first, second = r.two()
    r.run_job("frozen")
    wait_for("the responses to its calls", lambda: r.is_idle(first), LIMIT)
    os.kill(first.child.pid, signal.SIGSTOP)
    r.await_leader(second)
    r.scale_to("frozen", 4)
    r.clocks["first"].set(-HOUR)
    os.kill(first.child.pid, signal.SIGCONT)
    before = r.writes(first)
    wait_for("the first to know that it does not lead",
             lambda: r.elector(first)["state"] == "standby", LIMIT)
    r.scale_to("frozen", 2)
    equal(r.writes(first), before, "writes of the first")


def killed(seconds):
    """A case in which a standby whose clock is that much ahead takes over."""
    def test(r):
        first, second = r.two()
        r.run_job("killed")
        before = r.fixture.uids("killed")
        r.clocks["second"].set(seconds)
        first.kill()
        r.await_leader(second)
        equal(abs(r.ahead() - seconds) < HOUR / 2, True, "its clock")
        r.scale_to("killed", 3)
        after = r.fixture.uids("killed")
        equal({k: after[k] for k in before}, before)
    test.__name__ = f"killed_{seconds}"
    where = "ahead" if seconds > 0 else "behind"
    test.__doc__ = (f"a standby whose clock is an hour {where} takes over from "
                    "a killed leader")
    return case(test)


CASES = [jumps("first"), jumps("second"), frozen, killed(HOUR), killed(-HOUR)]

if __name__ == "__main__":
    sys.exit(main(CASES, Clocks, __doc__))
