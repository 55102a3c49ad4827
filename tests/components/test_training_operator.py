#!/usr/bin/python3
"""The operator in the training operator's place: with its ClusterRole and its
definitions, beside kube-controller-manager, kube-scheduler and kwok.

    test_training_operator.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import glob
import os
import sys

import yaml

from components import CRDS, HERE, Components, read

import attempts
import calls
import recovery
import samples
from checks import contains, equal, main
from control_plane import accounts
from jobs.kinds import DI, KINDS, PYTORCH, UPSTREAM_KINDS
from jobs.namespace import for_kinds, in_namespace, serial
from jobs.upstream_fields import remove_own_fields

# It knows none of these.
OTHERS = [DI, *(kind for kind in KINDS if not kind.upstream)]


class InItsPlace(Components):
    def make_account(self, cluster):
        accounts.bind(cluster, self.ACCOUNT,
                      read(HERE, "training_operator_role.yaml"))

    def prepare_cluster(self, cluster):
        """Its definitions, without those of OTHERS and what is ours."""
        self.crds = cluster.path("crds")
        os.mkdir(self.crds)
        for path in glob.glob(os.path.join(CRDS, "*_*.yaml")):
            definition = read(path)
            if definition["spec"]["names"]["kind"] not in \
                    map(str, UPSTREAM_KINDS):
                continue
            remove_own_fields(definition)
            name = os.path.join(self.crds, os.path.basename(path))
            with open(name, "w") as file:
                yaml.safe_dump(definition, file)
        super().prepare_cluster(cluster)


# What MPIJobs of v2beta1 need, which that operator does not have.
OF_V2BETA1 = {("apiextensions.k8s.io", "customresourcedefinitions"),
              ("batch", "jobs"), ("coordination.k8s.io", "leases")}


# -- cases --------------------------------------------------------------------

def ready(fixture):
    """it is ready although it may not list kinds of others"""
    equal(fixture.operator.page(fixture.operator.health, "/readyz") != "", True)


def noted(ns, kind):
    """its policy is in an annotation, and what happened in another: a worker
    fails, all start again, and it is counted once"""
    recovery.whole(ns, kind, noted=True)


@in_namespace
def wrong_later(ns):
    """PyTorchJob: a policy that becomes wrong is told, and its rest holds; one
    that is wrong from the first fails the job"""
    manifest = attempts.recovering(PYTORCH, "job", {"restartScope": "Job"},
                                   restart="OnFailure", noted=True)
    before = attempts.start(ns, PYTORCH, manifest)
    wrong = '{"restartScope": "Job", "maxRestarts": -1}'
    ns.client.merge(ns.of(PYTORCH, "job"), {"metadata": {"annotations": {
        attempts.POLICY: wrong}}})
    path = f"metadata.annotations[{attempts.POLICY}]: maxRestarts: "
    contains(ns.await_event("job", "PyTorchJobInvalidPolicy")["message"], path)
    contains(ns.report(PYTORCH, "job"), "policyErrors")
    attempts.fail(ns, "job-worker-0")
    ns.await_running(PYTORCH, "job", others_than=before)
    equal(attempts.recovery(ns, PYTORCH, "job")["restartAttempt"], 1)
    manifest["metadata"] = {"name": "new", "annotations": {
        attempts.POLICY: wrong}}
    ns.post(PYTORCH, manifest)
    ns.await_condition(PYTORCH, "new", "Failed")
    failed = ns.condition(PYTORCH, "new", "Failed")
    equal(failed["reason"], "PyTorchJobFailedValidation")
    contains(failed["message"], path)


@serial
def forbidden(fixture):
    """no call was forbidden but those that look for kinds of others"""
    found = {(group, resource) for _, group, resource in
             fixture.audit.forbidden()}
    equal(found, {(kind.group.split("/")[2], kind.plural)
                  for kind in OTHERS} | OF_V2BETA1)


# The training operator's definitions do not know a policy on failures.
WITH_OWN_FIELDS = ("pytorchjob-restart", "tfjob-restart")
CASES = [ready,
         *samples.cases(*WITH_OWN_FIELDS, samples.TELL_WITH_WEBHOOKS,
                        samples.TELL_WITH_LOGS,
                        *(kind.name.lower() for kind in OTHERS)),
         *calls.cases(UPSTREAM_KINDS),
         *for_kinds(UPSTREAM_KINDS, noted), wrong_later,
         forbidden]

if __name__ == "__main__":
    sys.exit(main(CASES, InItsPlace, __doc__, at_once=8))
