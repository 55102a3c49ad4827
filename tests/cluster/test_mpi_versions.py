#!/usr/bin/python3
"""MPIJobs of v1 and of v2beta1 under one definition, on a real API server and
on that of `troupe up`; no operator runs.

    TROUPE_ONLY=PART test_mpi_versions.py [Real|Embedded]
"""

import sys

from checks import contains, equal, run
from control_plane.client import ApiError
from jobs.mpi_versions import (
    DEFAULTS, DEFINITION, OTHER, OWN_FIELDS, V1, V2, VERSIONS, Embedded, Real,
    job, jobs, store_as)
from needs import SKIPPED
from process import end_in_order


def created(server, version, name, **fields):
    return server.client.post(jobs(version), job(version, name, **fields))


def spec_of(server, version, name):
    return server.client.get(jobs(version, name))["spec"]


def seen(server, name):
    """The spec, which is the same in both versions."""
    first, second = (spec_of(server, version, name) for version in VERSIONS)
    equal(first, second, name)
    return first


def refused(call, *parts):
    try:
        answer = call()
    except ApiError as error:
        equal(error.status, 422, error.message)
        for part in parts:
            contains(error.message, part)
        return
    raise AssertionError(f"accepted: {answer['spec']}")


# -- what says how a job was created -----------------------------------------

def born(server):
    """a job says for ever in which version it was created"""
    for version in VERSIONS:
        name = "born-" + version
        created(server, version, name, **OWN_FIELDS[version])
        wanted = {**DEFAULTS[version], **OWN_FIELDS[version],
                  "createdAs": version}
        spec = seen(server, name)
        del spec["mpiReplicaSpecs"]
        equal(spec, wanted)


def defaults(server):
    """a job gets the defaults of the version in which it was created only"""
    for version in VERSIONS:
        name = "defaults-" + version
        created(server, version, name, policy={"cleanPodPolicy": "All"})
        spec = seen(server, name)
        del spec["mpiReplicaSpecs"]
        equal(spec, {**DEFAULTS[version], "createdAs": version, "runPolicy": {
            "cleanPodPolicy": "All", "suspend": False}})


def patched(server):
    """patches through the other version lose nothing"""
    for version in VERSIONS:
        name = "patched-" + version
        before = created(server, version, name, **OWN_FIELDS[version])["spec"]
        path = jobs(OTHER[version], name)
        server.client.merge(path, {"metadata": {"labels": {"a": "b"}}})
        server.client.merge(path, {"spec": {"runPolicy": {"suspend": True}}})
        server.client.call("PATCH", path, [
            {"op": "add", "path": "/spec/runPolicy/suspend", "value": False}],
            "application/json-patch+json")
        spec = seen(server, name)
        equal(spec.pop("runPolicy"), {"suspend": False})
        equal(spec, {**DEFAULTS[OTHER[version]], **before})


def applied(server):
    """server-side apply through the other version neither takes nor turns it"""
    for version in VERSIONS:
        name = "applied-" + version
        before = created(server, version, name, **OWN_FIELDS[version])["spec"]
        path = jobs(OTHER[version], name) + "?fieldManager=t&force=true"
        for suspend in (True, False):
            manifest = job(OTHER[version], name, policy={"suspend": suspend})
            server.client.call("PATCH", path, manifest,
                               "application/apply-patch+yaml")
        spec = seen(server, name)
        equal(spec.pop("runPolicy"), {"suspend": False})
        equal(spec, {**DEFAULTS[OTHER[version]], **before})


def replaced(server):
    """a replacement that drops the field passes through its own version only"""
    for version in VERSIONS:
        name = "replaced-" + version
        created(server, version, name, **OWN_FIELDS[version])

        def put(through):
            body = server.client.get(jobs(through, name))
            body["spec"] = job(through, name)["spec"]
            return server.client.call("PUT", jobs(through, name), body)

        refused(lambda: put(OTHER[version]), "spec.createdAs",
                f"created as {version} is to be written through "
                f"kubeflow.org/{version}")
        equal(seen(server, name)["createdAs"], version)
        equal(put(version)["spec"]["createdAs"], version)


def returned(server):
    """what was read in the other version can be put back there"""
    for version in VERSIONS:
        name = "returned-" + version
        before = created(server, version, name, **OWN_FIELDS[version])["spec"]
        path = jobs(OTHER[version], name)
        body = server.client.get(path)
        body["metadata"]["labels"] = {"a": "b"}
        server.client.call("PUT", path, body)
        equal(seen(server, name), {**DEFAULTS[OTHER[version]], **before})


def forced(server):
    """nobody changes the field, and it has two values"""
    for version in VERSIONS:
        name = "forced-" + version
        created(server, version, name)
        for through in VERSIONS:
            path = jobs(through, name)
            refused(lambda: server.client.merge(path, {
                "spec": {"createdAs": OTHER[version]}}), "spec.createdAs")
        # Without it the default takes its place.
        refused(lambda: server.client.merge(jobs(OTHER[version], name), {
            "spec": {"createdAs": None}}), "spec.createdAs")
        server.client.merge(jobs(version, name), {"spec": {"createdAs": None}})
        equal(seen(server, name)["createdAs"], version)
    refused(lambda: created(server, V1, "forced", createdAs="v3"),
            'Unsupported value: "v3"')
    # What was backed up in the other version is what it was.
    created(server, V1, "restored", createdAs=V2)
    equal(seen(server, "restored")["createdAs"], V2)


def statuses(server):
    """a status is written through either version"""
    for version in VERSIONS:
        name = "statuses-" + version
        before = created(server, version, name, **OWN_FIELDS[version])["spec"]
        for through in VERSIONS:
            given = {"conditions": [{"type": "Created", "status": "True",
                                     "reason": through, "message": ""}],
                     "replicaStatuses": {"Worker": {"active": 2}}}
            server.client.merge(jobs(through, name) + "/status",
                                {"status": given})
            for version_read in VERSIONS:
                found = server.client.get(jobs(version_read, name))
                equal(found["status"], given)
        equal(seen(server, name), before)


# -- what v2beta1 refuses ----------------------------------------------------

def enumerations(server):
    """v2beta1 knows its values"""
    for field, value in (("mpiImplementation", "LAM"),
                         ("launcherCreationPolicy", "Later")):
        refused(lambda: created(server, V2, "refused", **{field: value}),
                "spec." + field, f'Unsupported value: "{value}"')
        created(server, V1, field.lower(), **{field: value})  # Not used there.


def managers(server):
    """who manages a job of v2beta1 is known, and stays"""
    if not server.has_rules:
        return
    for value in ("", "kubeflow.org/training-operator", "someone"):
        refused(lambda: created(server, V2, "refused",
                                policy={"managedBy": value}),
                "runPolicy.managedBy is neither kubeflow.org/mpi-operator nor "
                "kueue.x-k8s.io/multikueue")
    kueue, ours = "kueue.x-k8s.io/multikueue", "kubeflow.org/mpi-operator"
    created(server, V2, "managed", policy={"managedBy": kueue})
    created(server, V2, "unmanaged")
    for name, value, part in (("managed", ours, "cannot be changed"),
                              ("managed", None, "cannot be added or removed"),
                              ("unmanaged", ours,
                               "cannot be added or removed")):
        refused(lambda: server.client.merge(jobs(V2, name), {
            "spec": {"runPolicy": {"managedBy": value}}}), part)
    # v1's own value does not stand in the way of a write through v2beta1.
    created(server, V1, "managed-v1",
            policy={"managedBy": "kubeflow.org/training-operator"})
    server.client.merge(jobs(V2, "managed-v1"),
                        {"spec": {"runPolicy": {"suspend": True}}})


# -- what was there before ----------------------------------------------------

def earlier(server):
    """jobs that were stored without the field read as what they were"""
    for stored in VERSIONS:
        for version in VERSIONS:
            server.store_old(version, f"earlier-{version}-under-{stored}",
                             OWN_FIELDS[version], then=stored)
    for stored in VERSIONS:
        store_as(server, stored)
        for was in VERSIONS:
            for version in VERSIONS:
                spec = seen(server, f"earlier-{version}-under-{was}")
                del spec["mpiReplicaSpecs"]
                equal(spec, {**DEFAULTS[version], **OWN_FIELDS[version],
                             "createdAs": version})
    for version in VERSIONS:
        name = f"earlier-{version}-under-{V1}"
        server.client.merge(jobs(OTHER[version], name),
                            {"metadata": {"labels": {"a": "b"}}})
        equal(seen(server, name)["createdAs"], version)
    store_as(server, V1)


def stored(server):
    """a change of the stored version is survived, and can be made final"""
    for version in VERSIONS:
        created(server, version, "stored-" + version, **OWN_FIELDS[version])
    before = {v: seen(server, "stored-" + v) for v in VERSIONS}
    for last in (V2, V1):
        store_as(server, last)
        found = server.client.get(DEFINITION)
        equal(sorted(found["status"]["storedVersions"]), sorted(VERSIONS))
        for version in VERSIONS:
            equal(seen(server, "stored-" + version), before[version])
    # Neither can be left out while objects may be stored in it.
    found = server.client.get(DEFINITION)
    found["spec"]["versions"] = found["spec"]["versions"][:1]
    try:
        server.client.call("PUT", DEFINITION, found)
        raise AssertionError("accepted")
    except ApiError as error:
        contains(error.message, V2 + " was previously a storage version")
    for item in server.client.get(jobs(V1))["items"]:  # rewrites them
        server.client.call("PUT", jobs(V1, item["metadata"]["name"]), item)
    server.client.merge(DEFINITION + "/status",
                        {"status": {"storedVersions": [V1]}})
    for version in VERSIONS:
        equal(seen(server, "stored-" + version)["createdAs"], version)


CASES = [born, defaults, patched, applied, replaced, returned, forced, statuses,
         enumerations, managers, earlier, stored]


def main():
    end_in_order()
    wanted = sys.argv[1:] or ("Real", "Embedded")
    results = []
    for make in (Real, Embedded):
        if make.__name__ in wanted and SKIPPED not in results:
            results.append(run(CASES, make))
    return max(results)


if __name__ == "__main__":
    sys.exit(main())
