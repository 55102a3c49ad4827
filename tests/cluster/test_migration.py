#!/usr/bin/python3
"""Troupe takes the training operator's place, and gives it back: jobs that one
has left are the other's.

    test_migration.py [--troupe FILE] [--only PART]
"""

import json
import sys

from checks import equal, main
from cluster import wait_for
from control_plane import accounts
from jobs import original
from jobs.kinds import KINDS, MPI
from jobs.namespace import Namespace
from operators import shipped_objects
from operators.operator_fixture import LIMIT, OperatorFixture

PODS = ("pods", "services")


class Swapped(OperatorFixture):
    """Jobs of every kind in every state are there before Troupe starts."""

    def __init__(self, troupe, more):
        super().__init__(troupe, more, self.leave,
                         account=shipped_objects.KUBECONFIG)
        self.left, self.before = {}, {}

    def leave(self, cluster):
        shipped_objects.install_account(cluster)
        self.client = cluster.client
        for kind in KINDS:
            ns = self.left[kind] = Namespace(self)
            for state in original.STATES:
                original.leave(ns, kind, state)
            self.before[kind] = objects(ns, kind)

    def writes(self, ns):
        """What the operator wrote in a namespace, events aside: (verb,
        resource, name)."""
        audit = accounts.Audit(self.cluster, shipped_objects.NAMESPACE,
                               shipped_objects.ACCOUNT)
        return [(entry["verb"], accounts.resource(entry["objectRef"]),
                 entry["objectRef"].get("name", ""))
                for entry in audit.entries()
                if entry["objectRef"].get("namespace") == ns.name
                and entry["objectRef"]["resource"] != "events"
                and entry["verb"] not in ("get", "list", "watch")]


def objects(ns, kind):
    """(collection, name) -> (uid, resourceVersion) of all in a namespace that
    jobs have."""
    paths = [ns.core(what) for what in PODS] + [ns.of(kind)]
    if kind is MPI:
        paths += list(original.launcher_objects(ns, "any", "any"))
    return {(path, item["metadata"]["name"]): (
        item["metadata"]["uid"], item["metadata"]["resourceVersion"])
        for path in paths for item in ns.client.get(path)["items"]}


def await_looked_at(fixture, ns, kind, job):
    """Until the operator has decided about a job, and carried it out."""
    operator = fixture.operator

    def looked_at():
        path = f"/admin/v1/jobs/{ns.name}/{kind}/{job}"
        report = json.loads(operator.page(operator.admin, path))
        return report["passes"] > 0 and not report["orders"]
    wait_for(f"a look at {kind} {job}", looked_at, LIMIT)


# -- cases --------------------------------------------------------------------

def taken_over(fixture, kind):
    """nothing is changed of what runs, waits, rests or has ended; it goes on
    in the same pods"""
    ns = fixture.left[kind]
    for state in original.STATES:
        await_looked_at(fixture, ns, kind, state)
    equal(objects(ns, kind), fixture.before[kind], "objects")
    equal(fixture.writes(ns), [], "writes")
    goes_on(fixture, ns, kind)


def goes_on(fixture, ns, kind):
    pods = {path: uid for path, (uid, _) in fixture.before[kind].items()}
    for job in ("created", "running"):
        ns.run_all(kind, job)
        ns.await_condition(kind, job, "Running")
        ns.succeed(kind, job)
    ns.patch(kind, "suspended", {"runPolicy": {"suspend": False}})
    ns.await_pods(kind, "suspended", kind.pods("suspended"))
    ns.patch(kind, "failed", {"runPolicy": {"ttlSecondsAfterFinished": 0}})
    wait_for("the removal of the failed job", lambda: not ns.find(
        ns.of(kind, "failed")), LIMIT)
    now = {path: uid for path, (uid, _) in objects(ns, kind).items()}
    equal({path: uid for path, uid in pods.items()
           if now.get(path) != uid}, {
        (ns.of(kind), "failed"): pods[ns.of(kind), "failed"]})
    writes = fixture.writes(ns)
    equal(("patch", kind.plural + "/status", "running") in writes, True,
          "a write is in the log")
    equal([w for w in writes if w[1] in PODS
           and (w[0] != "create" or not w[2].startswith("suspended-"))], [])


def given_back(fixture, kind):
    """what Troupe leaves is what the training operator would have left"""
    ns = Namespace(fixture)
    for state in original.STATES:
        made(ns, kind, state)
    for state in original.STATES:
        uid = ns.job(kind, state)["metadata"]["uid"]
        slots = original.slots(kind, state)
        for what, model in (("pods", original.pod),
                            ("services", original.service)):
            wanted = {kind.pod(state, *slot): model(kind, state, uid, slot)
                      for slot in slots if what == "pods" or kind.port}
            equal({name: reduced(item, wanted.get(name)) for name, item in
                   ns.owned(kind, state, what).items()}, wanted, what)
        await_status(ns, kind, state)
        if kind is MPI and state in ("running", "succeeded"):
            for path, wanted in original.launcher_objects(
                    ns, state, uid).items():
                found = ns.client.get(f"{path}/{wanted['metadata']['name']}")
                equal(reduced(found, wanted), wanted, path)


def await_status(ns, kind, state):
    """Counts are written once a second."""
    wanted = timeless(original.status(kind, ns, state, ""))
    try:
        wait_for("a status", lambda: timeless(ns.status(kind, state))
                 == wanted, LIMIT)
    except TimeoutError:
        equal(timeless(ns.status(kind, state)), wanted, f"{kind} {state}")


def made(ns, kind, state):
    """Troupe brings a new job into a state."""
    manifest = original.manifest(kind, state)
    manifest["spec"]["runPolicy"].pop("suspend", None)
    ns.client.post(ns.of(kind), manifest)
    ns.await_pods(kind, state, kind.pods(state))
    if state == "created":
        return ns.await_condition(kind, state, "Created")
    ns.run_all(kind, state)
    ns.await_condition(kind, state, "Running")
    if state == "suspended":
        ns.patch(kind, state, {"runPolicy": {"suspend": True}})
        ns.await_pods(kind, state, [])
        return ns.await_condition(kind, state, "Suspended")
    for slot in original.slots(kind):
        reached = original.phase(kind, state, slot)
        if reached != "Running":
            ns.set_phase(kind.pod(state, *slot), reached,
                         1 if reached == "Failed" else 0)
    ns.await_condition(kind, state, original.STATES[state][-1][0])


def reduced(found, wanted):
    """Of an object the fields that `wanted` has; of environments the names."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        if wanted.keys() == {"name", "value"}:
            return {"name": found["name"], "value": found.get("value", "")}
        # Labels are compared in whole.
        return {key: found[key] if key == "labels"
                else reduced(found[key], wanted[key])
                for key in wanted if key in found}
    if isinstance(wanted, list) and isinstance(found, list):
        if wanted and all("name" in w for w in wanted):
            by_name = {w["name"]: w for w in wanted}
            return [reduced(f, by_name[f["name"]]) for f in found
                    if f["name"] in by_name]
        return [reduced(f, w) for f, w in zip(found, wanted)] + found[
            len(wanted):]
    return found


def timeless(status):
    """A status without times, and without the selector beside the counts of a
    type that succeeded, which the original leaves out now and then."""
    return {**status, "startTime": "startTime" in status,
            "completionTime": "completionTime" in status,
            "conditions": [{k: v for k, v in c.items() if "Time" not in k}
                           for c in status["conditions"]],
            "replicaStatuses": {
                name: {k: v for k, v in counts.items() if k != "selector"
                       or not counts.get("succeeded")}
                for name, counts in status["replicaStatuses"].items()}}


def of_kinds(case):
    """`case(fixture, kind)` for each kind."""
    def of(kind):
        def run(fixture):
            case(fixture, kind)
        run.__name__ = f"{case.__name__}_{kind.short_name}"
        run.__doc__ = f"{kind}: {case.__doc__}"
        return run
    return [of(kind) for kind in KINDS]


CASES = of_kinds(taken_over) + of_kinds(given_back)

if __name__ == "__main__":
    sys.exit(main(CASES, Swapped, __doc__, at_once=4))
