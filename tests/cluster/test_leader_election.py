#!/usr/bin/python3
"""Two replicas of the operator: one leads, the other takes over.

    test_leader_election.py [--troupe FILE] [--only PART]
                            [-- OPERATOR ARGUMENTS]
"""

import json
import os
import signal
import sys
import time

from checks import contains, equal, main
from cluster import wait_for
from network.write_proxy import WriteProxy
from operators.operator_fixture import JOBS, LIMIT, OperatorFixture, tfjob
from operators.shipped import Operator
from process import Child

LEASE = ("/apis/coordination.k8s.io/v1/namespaces/default/leases/"
         "1ca428e5.training-operator.kubeflow.org")
ELECTION = ["--leader-elect"]
# Short times, for what has to wait until a Lease expires.
SHORT = ELECTION + ["--leader-election-lease-duration", "3s",
                    "--leader-election-renew-deadline", "2s",
                    "--leader-election-retry-period", "500ms"]


class Replicas:
    """A cluster, and operators that a case starts in it."""

    def __init__(self, troupe, more):
        self.troupe, self.more = troupe, list(more)
        self.started = []
        self.fixture = OperatorFixture(troupe)
        # Operators are started by the cases.
        self.fixture.operator.start = lambda: None

    def __enter__(self):
        self.fixture.__enter__()
        self.cluster, self.client = self.fixture.cluster, self.fixture.client
        return self

    def __exit__(self, *failure):
        self.stop_all()
        self.fixture.__exit__(*failure)

    def report(self):
        return "\n".join(f"-- {o.child.log}:\n{o.child.tail()}"
                         for o in self.started)

    def operator(self, name, arguments, kubeconfig=None, environment=None):
        """Starts one more and waits until it is ready."""
        one = Operator(kubeconfig or self.cluster.kubeconfig,
                       self.cluster.path(name + ".log"), self.troupe,
                       [*arguments, *self.more])
        one.child.env = environment
        self.started.append(one)
        one.start()
        return one

    def stop_all(self):
        for one in self.started:
            if one.child.running():
                os.kill(one.child.pid, signal.SIGCONT)
                one.child.stop()
        self.started.clear()

    # -- looking -------------------------------------------------------------

    def actors(self, operator, name):
        """The reports of the root's actors of this name."""
        tree = json.loads(operator.page(operator.admin, "/admin/v1/actors"))
        return [c for c in tree["children"] if c["actor"] == name]

    def elector(self, operator):
        """The report of its leader elector."""
        (found,) = self.actors(operator, "leader-elector")
        return found

    def is_idle(self, operator):
        """Whether all its calls have a response, and are counted."""
        return all(gateway["underWay"] + gateway["waiting"] == 0
                   for gateway in self.actors(operator, "gateway"))

    def leads(self, operator):
        return self.elector(operator)["state"] == "leading"

    def await_leader(self, operator):
        wait_for("another leader", lambda: self.leads(operator), LIMIT)

    def lease(self):
        return self.client.get(LEASE)["spec"]

    def holder(self):
        return self.lease().get("holderIdentity", "")

    def writes(self, operator):
        """How many calls it has made that change what belongs to jobs."""
        return sum(n for call, n in operator.requests().items()
                   if call.split()[0] in ("create", "update", "patch", "delete")
                   and call.split()[1] != "events")

    def run_job(self, name, workers=2):
        self.fixture.apply(tfjob(name, workers=workers))
        self.fixture.await_replicas(
            name, [f"{name}-worker-{i}" for i in range(workers)])

    def scale(self, name, workers):
        self.fixture.patch(
            name, {"tfReplicaSpecs": {"Worker": {"replicas": workers}}})


def case(test):
    """Each case has operators and a Lease of its own."""
    def body(replicas):
        replicas.stop_all()
        replicas.client.text("DELETE", LEASE)
        try:
            test(replicas)
        finally:
            replicas.stop_all()
    body.__name__, body.__doc__ = test.__name__, test.__doc__
    return body


@case
def released(r):
    """a leader that is told to stop releases the Lease; the standby leads"""
    first = r.operator("first", ELECTION)
    r.await_leader(first)
    second = r.operator("second", ELECTION)
    r.run_job("released")
    equal(r.leads(second), False)
    equal(r.writes(second), 0)
    start = time.monotonic()
    equal(first.child.stop(), 0)
    stopped = time.monotonic() - start
    r.await_leader(second)
    r.scale("released", 3)
    r.fixture.await_replicas(
        "released", [f"released-worker-{i}" for i in range(3)])
    seconds = time.monotonic() - start - stopped
    print(f"     stopped in {stopped:.1f} s, a pod of the new leader "
          f"{seconds:.1f} s later")
    samples = second.metric("leader_election_master_status")
    equal([value for _, value in samples], [1.0])


@case
def killed(r):
    """a leader that is killed is replaced, and no pod is touched"""
    first = r.operator("first", ELECTION)
    r.await_leader(first)
    second = r.operator("second", ELECTION)
    r.run_job("killed")
    r.fixture.run_all("killed")
    r.fixture.await_condition("killed", "Running")
    before = r.fixture.uids("killed")
    first.kill()
    r.await_leader(second)
    r.fixture.set_phase("killed-worker-0", "Succeeded")
    r.fixture.await_condition("killed", "Succeeded")
    equal(set(r.fixture.uids("killed").values()) <= set(before.values()), True)


@case
def frozen(r):
    """a leader that is stopped and continued writes nothing any more"""
    first = r.operator("first", SHORT)
    r.await_leader(first)
    second = r.operator("second", SHORT)
    r.run_job("frozen")
    wait_for("the responses to its calls", lambda: r.is_idle(first), LIMIT)
    os.kill(first.child.pid, signal.SIGSTOP)
    r.await_leader(second)
    r.scale("frozen", 4)
    r.fixture.await_replicas(
        "frozen", [f"frozen-worker-{i}" for i in range(4)])
    os.kill(first.child.pid, signal.SIGCONT)
    before = r.writes(first)
    wait_for("the first to know that it does not lead",
             lambda: r.elector(first)["state"] == "standby", LIMIT)
    r.scale("frozen", 2)
    r.fixture.await_replicas(
        "frozen", [f"frozen-worker-{i}" for i in range(2)])
    equal(r.writes(first), before)
    # It is a standby as any other.
    equal(second.child.stop(), 0)
    r.await_leader(first)
    r.scale("frozen", 3)
    r.fixture.await_replicas(
        "frozen", [f"frozen-worker-{i}" for i in range(3)])


@case
def held_back(r):
    """what a former leader had sent, and arrives late, does no harm"""
    proxy = WriteProxy(r.cluster.kubeconfig)
    through = r.cluster.path("through-proxy")
    proxy.write_kubeconfig(r.cluster.kubeconfig, through)
    try:
        first = r.operator("first", SHORT, through)
        r.await_leader(first)
        second = r.operator("second", SHORT)
        r.run_job("late")
        r.run_job("shrunk", workers=4)
        r.fixture.run_all("late")
        r.fixture.await_condition("late", "Running")
        before = r.fixture.uids("late")
        proxy.hold()
        r.scale("late", 4)      # two pods, two services to create
        r.scale("shrunk", 3)    # one of each to delete
        wait_for("the calls of the first",
                 lambda: len(proxy.held_requests()) >= 4, LIMIT)
        os.kill(first.child.pid, signal.SIGSTOP)
        r.await_leader(second)
        r.fixture.await_replicas("late",
                                 [f"late-worker-{i}" for i in range(4)])
        # Now they are no longer wanted, and what was to go is wanted again.
        r.scale("late", 2)
        r.scale("shrunk", 4)
        r.fixture.await_replicas("late",
                                 [f"late-worker-{i}" for i in range(2)])
        r.fixture.await_replicas("shrunk",
                                 [f"shrunk-worker-{i}" for i in range(4)])
        proxy.release()
        r.fixture.await_replicas("late",
                                 [f"late-worker-{i}" for i in range(2)])
        for (what, name), uid in before.items():
            if name in ("late-worker-0", "late-worker-1"):
                equal(r.fixture.uids("late")[what, name], uid, name)
        os.kill(first.child.pid, signal.SIGCONT)
        wait_for("the first to know that it does not lead",
                 lambda: r.elector(first)["state"] == "standby", LIMIT)
        for pod in ("late-worker-0", "late-worker-1"):
            r.fixture.set_phase(pod, "Succeeded")
        r.fixture.await_condition("late", "Succeeded")
        r.fixture.await_replicas("shrunk",
                                 [f"shrunk-worker-{i}" for i in range(4)])
    finally:
        proxy.close()


@case
def server_away(r):
    """the same replica leads on after an outage of the API server"""
    first = r.operator("first", SHORT)
    r.await_leader(first)
    r.run_job("away")
    before = r.fixture.uids("away")
    identity = r.holder()
    r.cluster.kill_server()
    wait_for("the Lease to run out",
             lambda: r.elector(first)["state"] == "renewing", LIMIT)
    r.cluster.start_server()
    r.scale("away", 3)
    r.fixture.await_replicas("away", [f"away-worker-{i}" for i in range(3)])
    equal(r.holder(), identity)
    after = r.fixture.uids("away")
    equal({k: after[k] for k in before}, before)


@case
def without_election(r):
    """two operators without an election: the second refuses to start"""
    first = r.operator("first", [])
    wait_for("the first to show that it runs", r.holder, LIMIT)
    arguments = [r.troupe, "operator", "--kubeconfig", r.cluster.kubeconfig,
                 "--health-probe-bind-address", "0",
                 "--metrics-bind-address", "0", "--admin-bind-address", "0",
                 "--di-server-bind-address", "0"]
    second = Child(arguments, r.cluster.path("refused.log")).start()
    equal(second.process.wait(LIMIT), 1)
    contains(second.tail(), "another operator runs: " + r.holder())
    contains(second.tail(), "--leader-elect")
    # Told to, it starts.
    third = r.operator("third", ["--ignore-lease"])
    equal(third.ready(), True)
    third.child.stop()
    # A killed one is no obstacle to its successor.
    first.kill()
    r.operator("fourth", [])
    # One with an election waits for it.
    fifth = r.operator("fifth", ELECTION)
    equal(r.leads(fifth), False)


CASES = [released, killed, frozen, held_back, server_away, without_election]

if __name__ == "__main__":
    sys.exit(main(CASES, Replicas, __doc__))
