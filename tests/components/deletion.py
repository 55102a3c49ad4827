"""Jobs that run are deleted, with each cascade, and their whole namespace."""

from checks import equal
from cluster import wait_for
from jobs.kinds import KINDS, MPI
from jobs.namespace import for_kinds
from operators.operator_fixture import LIMIT

RBAC = "/apis/rbac.authorization.k8s.io/v1"


def delete_job(ns, kind, cascade):
    """Deletes the job and waits for its end."""
    ns.client.delete(ns.of(kind, "job"), {"propagationPolicy": cascade})
    wait_for("the job to go", lambda: not ns.find(ns.of(kind, "job")), LIMIT)


def paths(ns, kind):
    """Of all that a job has."""
    names = kind.pods("job")
    found = [ns.core("pods", name) for name in names]
    if kind.port:
        found += [ns.core("services", name) for name in names]
    if kind is MPI:
        found += [ns.core("configmaps", "job-config"),
                  ns.core("serviceaccounts", "job-launcher"),
                  ns.at(RBAC, "roles", "job-launcher"),
                  ns.at(RBAC, "rolebindings", "job-launcher")]
    return found


def leaves_nothing(ns, kind, cascade):
    ns.make(kind, "job")
    ns.await_running(kind, "job")
    all_of_it = paths(ns, kind)
    delete_job(ns, kind, cascade)
    wait_for("all that it had to go", lambda: not any(
        ns.find(path) for path in all_of_it), LIMIT)
    after(ns, kind)
    equal([path for path in all_of_it if ns.find(path)], [], "came back")


def after(ns, kind):
    """The operator has seen the deletion: it has served a later job."""
    ns.make(kind, "after")
    ns.await_running(kind, "after")


def background(ns, kind):
    """deleted in the background: all that it had goes, nothing comes back"""
    leaves_nothing(ns, kind, "Background")


def foreground(ns, kind):
    """deleted in the foreground: its pods go first and do not come back"""
    leaves_nothing(ns, kind, "Foreground")


def orphaned(ns, kind):
    """deleted without a cascade: what it had stays, and runs"""
    ns.make(kind, "job")
    uids = ns.await_running(kind, "job")
    all_of_it = paths(ns, kind)
    delete_job(ns, kind, "Orphan")
    after(ns, kind)
    for path in all_of_it:
        equal(ns.client.get(path)["metadata"].get("ownerReferences"), None,
              path)
    equal({(uid, phase) for uid, phase, _ in ns.phases(kind, "job").values()},
          {(uid, "Running") for uid in uids}, "pods")


def with_namespace(fixture):
    """every kind: a namespace is deleted while jobs run in it"""
    ns = fixture.namespace()
    for kind in KINDS:
        ns.make(kind, kind.short_name)
    for kind in KINDS:
        ns.await_running(kind, kind.short_name)
    ns.client.delete("/api/v1/namespaces/" + ns.name)
    wait_for("the namespace to go", lambda: not ns.find(
        "/api/v1/namespaces/" + ns.name), LIMIT)


CASES = [*(case for scenario in (background, foreground, orphaned)
           for case in for_kinds(KINDS, scenario)), with_namespace]
