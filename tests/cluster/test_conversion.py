#!/usr/bin/python3
"""DIJobs of v1alpha1 and of v2alpha1: a real API server asks the operator for
conversions.

    test_conversion.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import copy
import json
import os
import re
import shlex
import sys
import threading
import urllib.parse

import yaml

import assets
from checks import contains, equal, main
from cluster import CRDS, REPOSITORY, wait_for
from control_plane.client import ApiError
from control_plane.definitions import define_dijobs_of_tasks
from operators.operator_fixture import LIMIT, OperatorFixture
from operators.webhook_service import WebhookService
from process import free_port

GROUP = "diengine.opendilab.org"
LABEL, ANNOTATION = GROUP + "/converted-from", GROUP + "/unconverted"
DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              f"dijobs.{GROUP}")
SECRET = "/api/v1/namespaces/kubeflow/secrets/training-operator-webhook-cert"
CONTAINER = {"name": "di-container", "image": "registry.example/di:1"}
TEMPLATE = {"spec": {"containers": [CONTAINER]}}


def jobs(version, name="", **query):
    path = f"/apis/{GROUP}/{version}/namespaces/default/dijobs"
    path += f"/{name}" if name else ""
    return path + ("?" + urllib.parse.urlencode(query) if query else "")


def with_coordinator(name):
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": "DIJob",
            "metadata": {"name": name, "annotations": {"a": "b"}},
            "spec": {"group": "g", "cleanPodPolicy": "All",
                     "coordinator": {"template": TEMPLATE},
                     "learner": {"template": TEMPLATE}}}


def of_tasks(name):
    return {"apiVersion": f"{GROUP}/v2alpha1", "kind": "DIJob",
            "metadata": {"name": name, "labels": {"a": "b"}},
            "spec": {"priority": "high", "tasks": [
                {"type": "learner", "template": TEMPLATE},
                {"type": "none", "name": "beside", "replicas": 2,
                 "template": dict(TEMPLATE, metadata={"labels": {"x": "y"}})}]}}


def deep(levels):
    """A job of tasks with a template that has so many levels."""
    job = of_tasks(f"deep-{levels}")
    value = 1
    for _ in range(levels):
        value = [value]
    job["spec"]["tasks"][0]["template"] = {
        "spec": dict(TEMPLATE["spec"], deep=value)}
    return job


sys.setrecursionlimit(20_000)  # for jobs of 1100 levels
MARKED = with_coordinator("marked")
MARKED["metadata"]["labels"] = {LABEL: "v2alpha1"}


class ConversionFixture(OperatorFixture):
    """A job is stored as v2alpha1 before Troupe is installed. The API server
    reaches replicas that are ready, as through a Service."""

    def __init__(self, troupe, more):
        self.service, port = WebhookService(), free_port()
        super().__init__(troupe, [
            *more, "--webhook-url", self.service.url,
            "--webhook-server-port", str(port)], self.store_earlier_jobs)
        self.operator.webhooks = port
        self.service.operators = [self.operator]

    def __enter__(self):
        self.service.__enter__()
        return super().__enter__()

    def __exit__(self, *failure):
        super().__exit__(*failure)
        self.service.__exit__(*failure)

    def store_earlier_jobs(self, cluster):
        cluster.kubectl("create", "namespace", "kubeflow")
        define_dijobs_of_tasks(cluster)
        cluster.kubectl("create", "-n", "default", "-f", "-",
                        stdin=json.dumps(of_tasks("earlier")))
        # No webhook has looked at these.
        for levels in (198, 1100):
            cluster.client.post(jobs("v2alpha1"), deep(levels))
        cluster.kubectl("apply", "-f",
                        os.path.join(CRDS, f"{GROUP}_dijobs.yaml"))

    def refused(self, method, path, body=None, kind="application/json"):
        """What the API server says, and its code."""
        status, text = self.client.text(method, path, body, kind)
        if status < 400:
            raise AssertionError(f"{method} {path} was done: {text}")
        return status, json.loads(text)["message"]

    def refused_merge(self, path, body):
        return self.refused("PATCH", path, body, "application/merge-patch+json")

    def await_conversion(self):
        """Until the API server can ask for conversions."""
        def works():
            for version in ("v1alpha1", "v2alpha1"):
                if self.client.text("GET", jobs(version))[0] != 200:
                    return False
            return True
        wait_for("conversions", works, LIMIT)


def names(items):
    return sorted(item["metadata"]["name"] for item in items["items"])


def without_what_servers_set(job):
    """The spec and the metadata that its user wrote."""
    job = copy.deepcopy(job)
    job.pop("status", None)
    for field in ("creationTimestamp", "generation", "managedFields",
                  "namespace", "resourceVersion", "uid"):
        job["metadata"].pop(field, None)
    return job


# -- cases --------------------------------------------------------------------

def configured(fixture):
    """the definition gets the URL and the bundle, and serves both versions"""
    fixture.await_conversion()
    spec = fixture.client.get(DEFINITION)["spec"]
    client = spec["conversion"]["webhook"]["clientConfig"]
    equal(client["url"], fixture.service.url + "/convert")
    equal("service" in client, False)
    equal([(v["name"], v["served"], v["storage"]) for v in spec["versions"]],
          [("v1alpha1", True, True), ("v2alpha1", True, False)])


def earlier(fixture):
    """a job that DI-orchestrator v1.1.3 has stored is as it was"""
    fixture.await_conversion()
    job = fixture.client.get(jobs("v2alpha1", "earlier"))
    wanted = of_tasks("earlier")["spec"]
    equal(job["spec"]["tasks"][1], wanted["tasks"][1])
    equal(job["spec"]["priority"], "high")
    equal(job["metadata"]["labels"], {"a": "b"})
    view = fixture.client.get(jobs("v1alpha1", "earlier"))
    equal(view["metadata"]["labels"][LABEL], "v2alpha1")
    # Written anew it is stored in the other version.
    fixture.client.merge(jobs("v2alpha1", "earlier"),
                         {"metadata": {"labels": {"new": "label"}}})
    again = fixture.client.get(jobs("v2alpha1", "earlier"))
    equal(again["spec"], job["spec"])
    equal(again["metadata"]["uid"], job["metadata"]["uid"])
    equal(again["metadata"]["labels"], {"a": "b", "new": "label"})


def too_deep(fixture):
    """jobs deeper than is admitted now are read, written and deleted"""
    fixture.await_conversion()
    for levels in (198, 1100):
        name = f"deep-{levels}"
        for version in ("v1alpha1", "v2alpha1"):
            equal(name in names(fixture.client.get(jobs(version))), True)
        fixture.client.merge(jobs("v2alpha1", name), {
            "metadata": {"finalizers": ["example.org/held"]}})
        equal(fixture.client.get(jobs("v2alpha1", name))["spec"],
              deep_spec(fixture, levels))
        fixture.client.delete(jobs("v2alpha1", name))
        fixture.client.merge(jobs("v1alpha1", name), {
            "metadata": {"finalizers": None}})
        equal(fixture.client.text("GET", jobs("v2alpha1", name))[0], 404)
    for job in (deep(198), deep(1100)):
        status, message = fixture.refused("POST", jobs("v2alpha1"), job)
        equal(status, 403, message)
        contains(message, "levels deep, the limit is 100")


def deep_spec(fixture, levels):
    """With the defaults of its version."""
    spec = fixture.client.get(jobs("v2alpha1", "earlier"))["spec"]
    spec["tasks"][0]["template"] = deep(levels)["spec"]["tasks"][0]["template"]
    return spec


def read(fixture):
    """a job reads in either version, and is the same in its own"""
    fixture.await_conversion()
    made = fixture.client.post(jobs("v1alpha1"), with_coordinator("read-1"))
    view = fixture.client.get(jobs("v2alpha1", "read-1"))
    equal(view["apiVersion"], f"{GROUP}/v2alpha1")
    equal(view["spec"], {
        "backoffLimit": 3, "cleanPodPolicy": "All", "preemptible": False,
        "priority": "normal", "tasks": []})
    equal(view["metadata"]["labels"], {LABEL: "v1alpha1"})
    equal(sorted(json.loads(
        view["metadata"]["annotations"][ANNOTATION])["spec"]),
        ["coordinator", "group", "learner"])
    equal(without_what_servers_set(
        fixture.client.get(jobs("v1alpha1", "read-1"))),
        without_what_servers_set(made))
    made = fixture.client.post(jobs("v2alpha1"), of_tasks("read-2"))
    equal(made["spec"]["cleanPodPolicy"], "Running")
    equal(made["spec"]["tasks"][0]["replicas"], 1)
    view = fixture.client.get(jobs("v1alpha1", "read-2"))
    equal(view["spec"], {"cleanPodPolicy": "Running"})
    equal(view["metadata"]["labels"], {"a": "b", LABEL: "v2alpha1"})
    equal(without_what_servers_set(
        fixture.client.get(jobs("v2alpha1", "read-2"))),
        without_what_servers_set(made))


def listed(fixture):
    """a selector divides the jobs of both versions, in either"""
    fixture.await_conversion()
    fixture.client.post(jobs("v1alpha1"), with_coordinator("listed-1"))
    fixture.client.post(jobs("v2alpha1"), of_tasks("listed-2"))

    def chosen(version, selector):
        return {name for name in names(fixture.client.get(
            jobs(version, labelSelector=selector))) if "listed" in name}
    for version, own, other in (("v1alpha1", "listed-1", "listed-2"),
                                ("v2alpha1", "listed-2", "listed-1")):
        equal(chosen(version, ""), {"listed-1", "listed-2"})
        equal(chosen(version, "!" + LABEL), {own})
        equal(chosen(version, LABEL), {other})


def watched(fixture):
    """a watch sees changes that were made in the other version"""
    fixture.await_conversion()
    version = fixture.client.get(jobs("v2alpha1"))["metadata"][
        "resourceVersion"]
    seen = []

    def watch():
        done = fixture.client.text("GET", jobs(
            "v2alpha1", watch=1, timeoutSeconds=5, resourceVersion=version,
            fieldSelector="metadata.name=watched"))
        seen.extend(json.loads(line) for line in done[1].splitlines())
    thread = threading.Thread(target=watch)
    thread.start()
    fixture.client.post(jobs("v1alpha1"), with_coordinator("watched"))
    fixture.client.merge(jobs("v1alpha1", "watched"),
                         {"metadata": {"labels": {"seen": "yes"}}})
    fixture.client.delete(jobs("v1alpha1", "watched"))
    thread.join()
    events = [event["type"] for event in seen]
    equal((events[0], events[-1]), ("ADDED", "DELETED"))
    for event in seen:
        equal(event["object"]["apiVersion"], f"{GROUP}/v2alpha1")
        equal(event["object"]["spec"]["tasks"], [])
    equal(any(event["object"]["metadata"]["labels"].get("seen") == "yes"
              for event in seen), True)


def labelled(fixture):
    """what both versions have can be changed in either"""
    fixture.await_conversion()
    for made, job, other in (
            ("v1alpha1", with_coordinator("labelled-1"), "v2alpha1"),
            ("v2alpha1", of_tasks("labelled-2"), "v1alpha1")):
        name = job["metadata"]["name"]
        before = fixture.client.post(jobs(made), job)
        fixture.client.merge(jobs(other, name), {
            "metadata": {"labels": {"new": "label"}}})
        after = fixture.client.get(jobs(made, name))
        equal(after["metadata"]["labels"].pop("new"), "label")
        wanted = without_what_servers_set(before)
        wanted["metadata"].setdefault("labels", {})
        equal(without_what_servers_set(after), wanted)
    fixture.client.merge(jobs("v2alpha1", "labelled-1"),
                         {"spec": {"cleanPodPolicy": "None"}})
    spec = fixture.client.get(jobs("v1alpha1", "labelled-1"))["spec"]
    equal((spec["cleanPodPolicy"], spec["group"]), ("None", "g"))
    fixture.kubectl("delete", "dijobs", "labelled-1", "labelled-2")


def applied(fixture):
    """kubectl apply, on the server too, changes a job in either version"""
    fixture.await_conversion()
    for made, job, other in (
            ("v1alpha1", with_coordinator("applied-1"), "v2alpha1"),
            ("v2alpha1", of_tasks("applied-2"), "v1alpha1")):
        name = job["metadata"]["name"]
        job["metadata"]["namespace"] = "default"
        fixture.kubectl("apply", "-f", "-", stdin=json.dumps(job))
        before = fixture.client.get(jobs(made, name))
        label = {"apiVersion": f"{GROUP}/{other}", "kind": "DIJob",
                 "metadata": {"name": name, "namespace": "default",
                              "labels": {"by": "server"}}}
        fixture.kubectl("apply", "--server-side", "--field-manager=labels",
                        "-f", "-", stdin=json.dumps(label))
        after = fixture.client.get(jobs(made, name))
        equal(after["metadata"]["labels"].pop("by"), "server")
        equal(after["spec"], before["spec"])
        job["spec"]["cleanPodPolicy"] = "None"
        fixture.kubectl("apply", "-f", "-", stdin=json.dumps(job))
        after = fixture.client.get(jobs(made, name))
        equal(after["spec"], dict(before["spec"], cleanPodPolicy="None"))


def refused(fixture):
    """what would be lost is refused, with the field and what to do"""
    fixture.await_conversion()
    fixture.client.post(jobs("v1alpha1"), with_coordinator("refused-1"))
    fixture.client.post(jobs("v2alpha1"), of_tasks("refused-2"))
    path = jobs("v2alpha1", "refused-1")
    why = (f": Forbidden: the job was made as {GROUP}/v1alpha1, which has no "
           "such field; unset it, or delete the job and create it as "
           f"{GROUP}/v2alpha1")
    contains(fixture.refused_merge(path, {"spec": {"tasks": [
        {"type": "learner"}]}})[1], "spec.tasks" + why)
    # A status is not reviewed, so only the conversion can refuse it.
    equal(fixture.refused_merge(path + "/status", {"status": {"replicas": 1}}),
          (500, f"conversion webhook for {GROUP}/v2alpha1, Kind=DIJob failed: "
           "status.replicas" + why))
    for change in ({"spec": {"backoffLimit": 1}},
                   {"spec": {"preemptible": True}},
                   {"spec": {"priority": "high"}},
                   {"metadata": {"annotations": {ANNOTATION: "{}"}}},
                   {"metadata": {"labels": {LABEL: None}}}):
        status, message = fixture.refused_merge(path, change)
        equal(status in (403, 500), True, message)
        contains(message, "orbidden" if "spec" in change else "metadata.")
    path = jobs("v1alpha1", "refused-2")
    for change, part in (
            ({"spec": {"coordinator": {"template": TEMPLATE}}},
             f"spec.coordinator: Forbidden: the job was made as {GROUP}/v2"),
            ({"metadata": {"labels": {LABEL: None}}},
             "only conversion between versions writes it"),
            ({"metadata": {"annotations": {ANNOTATION: None}}},
             "only conversion between versions writes it")):
        status, message = fixture.refused_merge(path, change)
        equal(status, 403, message)
        contains(message, part)
    status, message = fixture.refused("POST", jobs("v1alpha1"), MARKED)
    equal(status, 403, message)
    contains(message, "leave it out")
    marked = of_tasks("marked")
    marked["metadata"]["labels"] = {LABEL: "v2alpha1"}
    status, message = fixture.refused("POST", jobs("v2alpha1"), marked)
    equal(status in (403, 500), True, message)
    contains(message, "only conversion between versions writes")


def validated(fixture):
    """each version has its own schema and defaults"""
    fixture.await_conversion()
    wrong = of_tasks("wrong")
    wrong["spec"]["tasks"][0]["type"] = "actor"
    status, message = fixture.refused("POST", jobs("v2alpha1"), wrong)
    equal(status, 422)
    contains(message, 'spec.tasks[0].type: Unsupported value: "actor"')
    wrong = of_tasks("wrong")
    del wrong["spec"]["tasks"]
    contains(fixture.refused("POST", jobs("v2alpha1"), wrong)[1],
             "spec.tasks: Required value")
    wrong = with_coordinator("wrong")
    del wrong["spec"]["coordinator"]
    contains(fixture.refused("POST", jobs("v1alpha1"), wrong)[1],
             "spec.coordinator: Required value")
    columns = fixture.kubectl("get", f"dijobs.v2alpha1.{GROUP}").stdout
    equal(columns.split("\n")[0].split(), [
        "NAME", "PHASE", "READYREPLICAS", "REPLICAS", "RESTARTS",
        "RESCHEDULES", "AGE"])


def from_nothing(fixture):
    """the operator gets ready with jobs of both versions, and no certificate"""
    fixture.await_conversion()
    fixture.client.post(jobs("v1alpha1"), with_coordinator("kept-1"))
    fixture.client.post(jobs("v2alpha1"), of_tasks("kept-2"))
    fixture.operator.child.stop()
    fixture.client.delete(SECRET)
    fixture.client.merge(DEFINITION, {"spec": {"conversion": {"webhook": {
        "clientConfig": {"caBundle": None}}}}})
    # Nobody is asked about what is stored.
    contains(names(fixture.client.get(jobs("v1alpha1"))), "kept-1")
    fixture.client.merge(jobs("v1alpha1", "kept-1") + "/status",
                         {"status": {"phase": "Created"}})
    try:
        fixture.client.get(jobs("v2alpha1", "kept-1"))
        raise AssertionError("converted without an operator")
    except ApiError as failure:
        contains(str(failure), "conversion webhook for " + GROUP)
    fixture.operator.start()
    fixture.await_conversion()
    contains(names(fixture.client.get(jobs("v2alpha1"))), "kept-1")


def changed_in_its_own_version(fixture):
    """a job is changed in its own version; in the other one the API server misses
    what it requires there, also of a job that lacked it before"""
    fixture.await_conversion()
    change = {"metadata": {"labels": {"new": "label"}}}
    for made, job, other, lack in (
            ("v1alpha1", with_coordinator("own-1"), "v2alpha1", None),
            ("v2alpha1", of_tasks("own-2"), "v1alpha1", "spec.coordinator")):
        name = job["metadata"]["name"]
        fixture.client.post(jobs(made), job)
        if lack:
            status, message = fixture.refused_merge(jobs(other, name), change)
            equal(status, 422, message)
            contains(message, lack + ": Required value")
        fixture.client.merge(jobs(made, name), change)
        for version in (made, other):
            equal(fixture.client.get(jobs(version, name))["metadata"]["labels"][
                "new"], "label")


def moved(fixture):
    """jobs of both versions that were saved are made anew as they were, by the
    commands of docs/operations.md"""
    fixture.await_conversion()
    fixture.kubectl("create", "namespace", "moved")
    for job in (with_coordinator("moved-1"), of_tasks("moved-2")):
        fixture.kubectl("create", "-n", "moved", "-f", "-",
                        stdin=json.dumps(job))
    before = in_both_versions(fixture)
    saved = [item for arguments in saving() for item in yaml.safe_load(
        fixture.kubectl(*shlex.split(arguments)).stdout)["items"]
             if item["metadata"]["namespace"] == "moved"]
    equal(sorted(item["metadata"]["name"] for item in saved),
          ["moved-1", "moved-2"])
    for item in saved:
        item.pop("status", None)
        item["metadata"].pop("ownerReferences", None)
        del item["metadata"]["uid"], item["metadata"]["resourceVersion"]
    fixture.kubectl("delete", "-n", "moved", "dijobs", "--all")
    fixture.kubectl("apply", "-f", "-", stdin=json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": saved}))
    equal(in_both_versions(fixture), before)


def saving():
    """Arguments of the commands of kubectl that save jobs."""
    with open(os.path.join(REPOSITORY, "docs", "operations.md")) as file:
        return re.findall(r"^kubectl (get \S+ -A .*-o yaml) > \S+$", file.read(),
                          re.M)


def in_both_versions(fixture):
    """The specs of the jobs that are moved, each in its own version."""
    return {(version, item["metadata"]["name"]): item["spec"]
            for version in ("v1alpha1", "v2alpha1")
            for item in fixture.client.get(
                f"/apis/{GROUP}/{version}/namespaces/moved/dijobs?"
                + urllib.parse.urlencode({"labelSelector": "!" + LABEL}))["items"]}


CASES = [configured, earlier, too_deep, read, listed, watched, labelled, applied,
         refused, validated, moved, from_nothing]
# API servers before 1.30 check what a change leaves alone, too, and those before
# 1.31 read lists from etcd, for which they have to ask the operator.
if assets.version() < (1, 30):
    CASES = [configured, earlier, read, listed, watched, validated,
             changed_in_its_own_version]

if __name__ == "__main__":
    sys.exit(main(CASES, ConversionFixture, __doc__))
