#!/usr/bin/python3
"""The Kubeflow training operator itself, of each kind a running job: Helm installs
Troupe in its place, and removes it; the training operator is installed again and
goes on. All the time the jobs have the same pods.

    test_changing_over.py [--troupe FILE] [--only PART]
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs
from checks import equal, main
from cluster import Cluster, wait_for
from control_plane import accounts
from helm import CHART, RELEASE, Helm
from jobs.kinds import PYTORCH, TF
from jobs.kinds import UPSTREAM_KINDS as KINDS
from jobs.namespace import Namespace
from operators.operator_fixture import LIMIT
from operators.shipped import Operator
from operators.shipped_objects import ACCOUNT, KUBECONFIG, NAMESPACE
from operators.training_operator import (TrainingOperator,
                                         without_webhooks)

ATTEMPT = "training.kubeflow.org/restart-attempt"


class Trial:
    """A cluster with the training operator, and Troupe, which does not run yet."""

    def __init__(self, troupe, more):
        needs.programs("unshare")
        self.cluster = Cluster()
        self.helm = Helm(self.cluster.folder, self.cluster.kubeconfig)
        self.original = TrainingOperator(self.cluster)
        self.troupe = Operator(self.cluster.path(KUBECONFIG),
                               self.cluster.path("operator.log"), troupe, more)

    def __enter__(self):
        self.cluster.__enter__()
        try:
            self.client = self.cluster.client
            self.original.install()
            self.original.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.original.child.stop()
        self.troupe.child.stop()
        self.cluster.stop()

    def report(self):
        return "-- the last lines of both operators:\n" + \
            self.original.child.tail() + self.troupe.child.tail()


def over_and_back(fixture):
    """jobs that one has made are the other's, in the same pods"""
    cluster = fixture.cluster
    places = {kind: Namespace(fixture) for kind in KINDS}

    def start(job):
        for kind, ns in places.items():
            ns.start(kind, job, {"cleanPodPolicy": "None"})

    def pods(*jobs):
        return {kind.name: {name: uid for job in jobs for name, uid in
                            ns.uids(kind, job).items()}
                for kind, ns in places.items()}

    start("theirs")
    theirs = pods("theirs")
    fixture.original.child.stop()
    cluster.kubectl("delete", "deployment", ACCOUNT, "-n", NAMESPACE)

    fixture.helm("upgrade", "--install", "--take-ownership", RELEASE, CHART)
    without_webhooks(cluster)
    accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
    fixture.troupe.start()
    start("ours")
    equal(pods("theirs"), theirs)
    both = pods("theirs", "ours")
    places[TF].succeed(TF, "theirs")
    fixture.troupe.child.stop()

    fixture.helm("uninstall", RELEASE, "--wait")
    fixture.original.install("--force-conflicts")
    fixture.original.start()
    start("later")
    equal(pods("theirs", "ours"), both)
    for kind, ns in places.items():
        ns.succeed(kind, "theirs")
        ns.succeed(kind, "ours")
    equal(pods("theirs", "ours"), both)


class Restarting:
    """A job with the scope Job. Of attempt 1, which has just been decided, no
    pod is there yet, as one of attempt 0 has not ended."""

    def __init__(self, ns, job):
        self.ns, self.job = ns, job
        ns.start(PYTORCH, job)
        ns.client.merge(ns.of(PYTORCH, job), {"metadata": {"annotations": {
            "training.kubeflow.org/failure-policy": "restartScope: Job"}}})
        self.held, failed, _ = sorted(self.uids())
        self.before = self.uids()
        self.merge_metadata({"finalizers": ["example.com/has-not-ended"]})
        ns.set_phase(failed, "Failed", 9)
        wait_for("the others to be gone",
                 lambda: list(self.uids()) == [self.held], LIMIT)

    def uids(self):
        return self.ns.uids(PYTORCH, self.job)

    def merge_metadata(self, metadata):
        self.ns.client.merge(self.ns.core("pods", self.held),
                             {"metadata": metadata})

    def labels(self):
        """Of its pods, the attempts."""
        return [pod["metadata"]["labels"].get(ATTEMPT) for pod in
                self.ns.owned(PYTORCH, self.job, "pods").values()]


def in_the_middle_of_a_restart(fixture):
    """a restart of a job is ended pod by pod; back, its attempt counts again"""
    cluster, ns = fixture.cluster, Namespace(fixture)
    fixture.original.child.stop()
    accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
    fixture.troupe.start()
    jobs = forgotten, kept = Restarting(ns, "forgotten"), Restarting(ns, "kept")
    fixture.troupe.child.stop()

    # It makes those that are gone beside the one that is there.
    fixture.original.start()
    for it in jobs:
        wait_for("all pods", lambda: len(it.uids()) == 3, LIMIT)
        equal(it.uids()[it.held], it.before[it.held])
        it.merge_metadata({"finalizers": None})
        wait_for("the last pod", lambda: it.uids().get(it.held) not in (
            None, it.before[it.held]), LIMIT)
        ns.run_all(PYTORCH, it.job)
        ns.await_condition(PYTORCH, it.job, "Running")
        equal(it.labels(), [None] * 3)
    fixture.original.child.stop()

    # Without the annotation it is a job that was never restarted.
    cluster.kubectl("annotate", "pytorchjob", "-n", ns.name, forgotten.job,
                    "training.kubeflow.org/recovery-")
    theirs = {it: it.uids() for it in jobs}
    fixture.troupe.start()
    wait_for("attempt 1", lambda: kept.labels() == ["1"] * 3, LIMIT)
    equal(set(kept.uids().values()) & set(theirs[kept].values()), set())
    equal(forgotten.uids(), theirs[forgotten])
    ns.succeed(PYTORCH, forgotten.job)


if __name__ == "__main__":
    sys.exit(main([over_and_back, in_the_middle_of_a_restart], Trial, __doc__))
