"""The operator asks for what its roles grant, and each right is used."""

import yaml

from queueing import OVERLAY

from checks import equal
from control_plane import accounts
from jobs.namespace import serial
from operators import least_rights
from queues import GROUP

# What `explain` reads; of Kueue's visibility no test here has a server.
UNCALLED = {("get", "visibility.kueue.x-k8s.io",
             "localqueues/pendingworkloads"),
            ("get", GROUP, "localqueues"), ("get", GROUP, "clusterqueues")}


def granted(fixture):
    """(verb, group, resource) of the overlay's role."""
    text = fixture.kubectl("kustomize", OVERLAY).stdout
    (role,) = [o for o in yaml.safe_load_all(text)
               if o["kind"] == "ClusterRole"]
    return accounts.rights(role)


@serial
def least(fixture):
    """its calls are those that its roles grant, and for queues no fewer"""
    used, forbidden = least_rights.granted_and_forbidden(fixture.cluster)
    equal(forbidden, set(), "forbidden calls")
    wanted = least_rights.of_any_kind(granted(fixture)) - UNCALLED
    equal(wanted - least_rights.of_any_kind(used), set(),
          "rights that are not used")


@serial
def foreign(fixture):
    """of Workloads of others it reads none but once, when it starts"""
    lists = [entry for entry in fixture.audit.entries()
             if entry["objectRef"].get("apiGroup") == GROUP
             and entry["objectRef"]["resource"] == "workloads"
             and entry["verb"] in ("list", "watch")
             and "labelSelector" not in entry["requestURI"]]
    equal([e["requestURI"] for e in lists if e["verb"] == "watch"], [],
          "watches of all Workloads")


CASES = [foreign, least]
