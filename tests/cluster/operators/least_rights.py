"""Whether the operator's account may do just what the operator does."""

import re

from checks import equal
from control_plane import accounts
from operators import shipped_objects

# Rights that no call of a test shows.
UNCALLED = {
    # Where the admission plugin OwnerReferencesPermissionEnforcement is on, it
    # asks whether who makes an object of a job has this.
    ("update", "kubeflow.org", "jobs/finalizers"),
    # The count of restarts, where definitions have no status.restarts.
    ("patch", "kubeflow.org", "jobs"),
    # Where `patch` of a status is not granted, and by operators of old.
    ("update", "kubeflow.org", "jobs/status"),
    ("update", "diengine.opendilab.org", "jobs/status"),
    # Nobody can grant what he may not do, and an MPIJob's launcher gets this.
    ("create", "", "pods/exec"),
    ("update", "diengine.opendilab.org", "jobs/finalizers"),
    # What makes the operator read a DIJob anew.
    ("get", "diengine.opendilab.org", "jobs"),
    # For requests to di-server; an MPIJob's launcher is granted the first.
    ("get", "", "pods"),
    ("get", "diengine.opendilab.org", "aggregatorconfigs"),
    ("list", "", "nodes"),
}
VOLCANO = ("scheduling.volcano.sh",)
COSCHEDULING = ("scheduling.x-k8s.io",)


def of_any_kind(rights):
    """A right to the jobs of one kind as one to jobs: what makes the operator
    read a job anew need not happen to every kind."""
    return {(verb, group, re.sub(r"^\w+jobs", "jobs", resource))
            for verb, group, resource in rights}


def of_gangs(right):
    """Events are listed to say what Volcano says of a pod group."""
    return right[1] in VOLCANO + COSCHEDULING or right == ("list", "", "events")


def granted_and_forbidden(cluster):
    """(verb, group, resource) of the operator's calls."""
    audit = accounts.Audit(cluster, shipped_objects.NAMESPACE,
                           shipped_objects.ACCOUNT)
    granted = {call[:3] for call in audit.calls() if call[3]}
    # A server that has just started forbids what it will grant when it knows
    # its roles.
    return granted, audit.forbidden() - granted


def check(cluster, expected):
    """No call was forbidden, and each right was used for which `expected` is
    true."""
    granted, forbidden = granted_and_forbidden(cluster)
    equal(forbidden, set(), "forbidden calls")
    shipped = of_any_kind(shipped_objects.rights(cluster))
    equal(UNCALLED - shipped, set(), "rights that are not granted")
    equal({right for right in shipped - UNCALLED if expected(right)}
          - of_any_kind(granted), set(), "rights that are not used")
