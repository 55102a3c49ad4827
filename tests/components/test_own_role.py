#!/usr/bin/python3
"""The operator with the rights of deploy/rbac/role.yaml beside real components:
kube-controller-manager, kube-scheduler and kwok.

    test_own_role.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import re
import sys

from components import REPOSITORY, Components, read

import accounts
import calls
import limits
import samples
import nodes
import outage
from checks import equal, main
from kinds import KINDS
from namespace import serial

ROLE = read(REPOSITORY, "deploy", "rbac", "role.yaml")


# Rights that no call shows here: what the operator grants to launchers, what
# lets it name jobs as owners, gang scheduling, for which it was not asked, and
# the annotation of jobs that definitions without `status.restarts` need.
UNCALLED = {(verb, group, resource)
            for verb, group, resource in accounts.rights(ROLE)
            if resource in ("pods/exec", "podgroups", "queues")
            or (verb, group) == ("patch", "kubeflow.org")
            or (verb, resource) == ("list", "events")
            or resource.endswith("/finalizers")
            or (verb, resource) == ("get", "pods")}


def of_any_kind(rights):
    """A right to the jobs of one kind as one to jobs: what makes the operator
    read a job anew need not happen to every kind."""
    return {(verb, group, re.sub(r"^\w+jobs", "jobs", resource))
            for verb, group, resource in rights}


def make(troupe, more):
    return Components(troupe, more, ROLE)


@serial
def least(fixture):
    """its calls are those that its role grants, no more and no less"""
    granted = {call[:3] for call in fixture.audit.calls() if call[3]}
    # A server that has just started forbids what it will grant when it knows
    # its roles.
    equal(fixture.audit.forbidden() - granted, set(), "forbidden calls")
    used = of_any_kind(granted)
    equal(of_any_kind(accounts.rights(ROLE)) - used,
          of_any_kind(UNCALLED) - used, "rights that are not used")


CASES = [*nodes.CASES, *limits.CASES, *samples.CASES, *calls.cases(KINDS),
         calls.adopted, calls.taken_mpi, calls.taken_pytorch, *outage.CASES,
         least]

if __name__ == "__main__":
    sys.exit(main(CASES, make, __doc__, at_once=8))
