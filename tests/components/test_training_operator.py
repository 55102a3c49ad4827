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

import calls
import samples
from checks import equal, main
from control_plane import accounts
from jobs.kinds import DI, KINDS, UPSTREAM_KINDS
from jobs.namespace import serial
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
         *samples.cases(*WITH_OWN_FIELDS,
                        *(kind.name.lower() for kind in OTHERS)),
         *calls.cases(UPSTREAM_KINDS),
         forbidden]

if __name__ == "__main__":
    sys.exit(main(CASES, InItsPlace, __doc__, at_once=8))
