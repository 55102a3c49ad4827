#!/usr/bin/python3
"""Failure and success policies: every wrong field is refused by a real API
server on every way in, in the spec by the definition or the webhook, and in an
annotation by the webhook; and by that of `troupe up`.

    test_policies.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import os
import sys

import yaml

from checks import contains, equal, main
from cluster import REPOSITORY, wait_for
from control_plane.client import ApiError
from jobs.kinds import KINDS, PYTORCH, TF
from jobs.mpi_ssh import MPI_SSH
from jobs.mpi_versions import Embedded
from jobs.upstream_fields import remove_own_fields
from operators.operator_fixture import LIMIT
from test_webhooks import WebhookFixture, denial, jobs

TABLE = os.path.join(REPOSITORY, "tests", "fixtures", "bad_policies.yaml")
LABELS = {"failurePolicy": "training.kubeflow.org/failure-policy",
          "progress": "training.kubeflow.org/progress",
          "successPolicy": "training.kubeflow.org/success-policy"}
DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              "pytorchjobs.kubeflow.org")
GOOD = {"restartScope": "Job", "maxRestarts": 10, "restartWindow": "6h",
        "lostNodePeriod": "60s", "rules": [
            {"name": "a", "action": "Ignore", "onPodConditions": [
                {"type": "DisruptionTarget", "status": "True"}]},
            {"action": "FailJob", "onExitCodes": {
                "operator": "In", "values": [2, 42]}},
            {"action": "RestartJob", "onReasons": ["OOMKilled"],
             "onMessagePattern": "NCCL.*(timeout|unhandled)"}]}
SUCCESS = {"operator": "Any", "targetReplicaTypes": ["Worker"]}
PROGRESS = {"report": True, "stalledAfter": "10m", "startWithin": "1h30m",
            "onStalled": "RestartJob"}


def rows():
    """(field of runPolicy, its policy, path, text)."""
    with open(TABLE) as file:
        table = yaml.safe_load(file)
    return [(field, row["policy"], row["path"], row["error"])
            for field, found in table.items() for row in found]


def job_of(kind, name, policy=None, notes=None):
    job = kind.manifest(name, {"suspend": True, **(policy or {})})
    job["metadata"]["annotations"] = notes or {}
    return job


def of_pytorch(name, policy=None, notes=None):
    """With the types of the table."""
    return job_of(PYTORCH, name, policy, notes)


def annotated(field, path, text):
    """What the webhook says of an annotation."""
    place = f"metadata.annotations[{LABELS[field]}]: "
    return place + (path and path + ": ") + text


def path_of(kind, name=""):
    if kind is MPI_SSH:
        path = f"{kind.group}/namespaces/default/{kind.plural}"
        return f"{path}/{name}" if name else path
    return jobs(kind, name)


class PoliciesFixture(WebhookFixture):
    def __enter__(self):
        self.embedded = Embedded().__enter__()
        try:
            return super().__enter__()
        except BaseException:
            self.embedded.__exit__()
            raise

    def __exit__(self, *failure):
        self.embedded.__exit__()
        super().__exit__(*failure)

    def clients(self):
        """Of the real server, and of the other one."""
        return self.client, self.embedded.client


def refused(client, method, path, body):
    """The status and the message of an answer that is an error."""
    kind = {"PATCH": "application/merge-patch+json"}.get(
        method, "application/json")
    try:
        client.call(method, path, body, kind)
    except ApiError as refusal:
        return refusal.status, refusal.message
    raise AssertionError(f"{method} {path} was not refused: {body}")


def check_annotations(client, existing):
    """No job is created with a row, and none gets it."""
    client.post(jobs(PYTORCH), of_pytorch(existing))
    for field, policy, path, text in rows():
        notes = {LABELS[field]: policy}
        wanted = denial(PYTORCH, annotated(field, path, text))
        equal(refused(client, "POST", jobs(PYTORCH), of_pytorch(
            "new", notes=notes)), wanted, policy)
        equal(refused(client, "PATCH", jobs(PYTORCH, existing), {
            "metadata": {"annotations": notes}}), wanted, policy)


def check_spec(client, existing):
    """The same in the spec, where a definition may be the first to refuse."""
    client.post(jobs(PYTORCH), of_pytorch(existing))
    strict = "?fieldValidation=Strict"
    for field, policy, path, _ in rows():
        given = {field: yaml.safe_load(policy)}
        place = f"spec.runPolicy.{field}" + (path and "." + path)
        for answer in (
                refused(client, "POST", jobs(PYTORCH) + strict,
                        of_pytorch("new", given)),
                refused(client, "PATCH", jobs(PYTORCH, existing) + strict,
                        {"spec": {"runPolicy": given}})):
            equal(answer[0] in (400, 403, 422), True, answer)
            contains(answer[1], place)


def check_kind(client, kind):
    path = path_of(kind)
    version = path.split("/")[3]  # Names are of all versions.
    end = "" if version == "v1" else "-" + version
    client.post(path, job_of(
        kind, "in-spec" + end, {"failurePolicy": GOOD, "progress": PROGRESS,
                                "successPolicy": SUCCESS}))
    stored = client.get(path_of(kind, "in-spec" + end))
    equal(stored["spec"]["runPolicy"]["failurePolicy"], GOOD)
    equal(stored["spec"]["runPolicy"]["successPolicy"], SUCCESS)
    equal(stored["spec"]["runPolicy"]["progress"], PROGRESS)
    notes = {LABELS["failurePolicy"]: yaml.safe_dump(GOOD),
             LABELS["progress"]: yaml.safe_dump(PROGRESS),
             LABELS["successPolicy"]: json.dumps(SUCCESS)}
    client.post(path, job_of(kind, "in-notes" + end, notes=notes))
    both = refused(client, "POST", path, job_of(
        kind, "both", {"failurePolicy": GOOD}, notes))
    equal(both[0], 403)
    contains(both[1], annotated(
        "failurePolicy", "", "Forbidden: spec.runPolicy.failurePolicy is set, "
                             "too; remove one of the two"))
    wrong = refused(client, "POST", path, job_of(kind, "wrong", notes={
        LABELS["successPolicy"]: "targetReplicaTypes: [Boss]"}))
    equal(wrong[0], 403)
    contains(wrong[1], annotated(
        "successPolicy", "targetReplicaTypes[0]",
        'Unsupported value: "Boss": supported values: '))


# -- cases --------------------------------------------------------------------

def in_spec(fixture):
    """each wrong field of the table is refused in the spec, by its path"""
    for client in fixture.clients():
        check_spec(client, "specified")


def in_annotations(fixture):
    """each is refused in an annotation, in our words"""
    for client in fixture.clients():
        check_annotations(client, "noted")


def by_kubectl(fixture):
    """kubectl apply and annotate show why"""
    note = "restartScope: Jobs"
    wanted = denial(PYTORCH, annotated(
        "failurePolicy", "restartScope", 'Unsupported value: "Jobs": supported '
        'values: "Pod", "ReplicaType", "Job"'))[1]
    job = of_pytorch("applied")
    for server_side in ([], ["--server-side"]):
        job["metadata"]["annotations"] = {LABELS["failurePolicy"]: note}
        done = fixture.kubectl("apply", *server_side, "-f", "-",
                               stdin=json.dumps(job), check=False)
        contains(done.stderr, wanted)
    job["metadata"]["annotations"] = {}
    fixture.kubectl("apply", "-f", "-", stdin=json.dumps(job))
    done = fixture.kubectl("annotate", "pytorchjob", "applied",
                           f"{LABELS['failurePolicy']}={note}", check=False)
    contains(done.stderr, wanted)


def every_kind(fixture):
    """every kind has policies in both places, and refuses wrong ones and both"""
    for client in fixture.clients():
        for kind in [*KINDS, MPI_SSH]:
            check_kind(client, kind)


def of_tfjobs(fixture):
    """a TFJob's own success policy goes with no other"""
    job = TF.manifest("two", {"suspend": True, "successPolicy": SUCCESS},
                      successPolicy="AllWorkers")
    for client in fixture.clients():
        equal(refused(client, "POST", jobs(TF), job), denial(
            TF, "spec.runPolicy.successPolicy: Forbidden: spec.successPolicy is "
                "set, too; remove one of the two"))


def changed(fixture):
    """a policy may be changed, added and removed in a job that is there"""
    path = jobs(PYTORCH, "in-spec")
    for policy in ({"maxRestarts": 3}, None, GOOD):
        fixture.client.merge(path, {"spec": {"runPolicy": {
            "failurePolicy": policy}}})
    path = jobs(PYTORCH, "in-notes")
    for text in ("maxRestarts: 3", None, "restartScope: Pod"):
        fixture.client.merge(path, {"metadata": {"annotations": {
            LABELS["failurePolicy"]: text}}})


def on_definitions_of_others(fixture):
    """where the definition prunes the fields, annotations are checked as well"""
    for name in ("in-spec", "in-notes", "specified", "noted", "applied"):
        fixture.client.delete(jobs(PYTORCH, name))
    definition = fixture.client.get(DEFINITION)
    remove_own_fields(definition)
    fixture.client.call("PUT", DEFINITION, definition)

    def pruned():
        """The storage of a definition that has changed answers 503 first."""
        try:
            job = fixture.client.post(
                jobs(PYTORCH) + "?dryRun=All",
                of_pytorch("trial", {"failurePolicy": GOOD}))
        except ApiError as refusal:
            equal(refusal.status >= 500, True, refusal)
            return False
        return "failurePolicy" not in job["spec"]["runPolicy"]

    wait_for("the changed definition", pruned, LIMIT)
    check_annotations(fixture.client, "pruned")
    fixture.client.post(jobs(PYTORCH), of_pytorch(
        "good", notes={LABELS["failurePolicy"]: yaml.safe_dump(GOOD)}))


CASES = [in_spec, in_annotations, by_kubectl, every_kind, of_tfjobs, changed,
         on_definitions_of_others]

if __name__ == "__main__":
    sys.exit(main(CASES, PoliciesFixture, __doc__))
