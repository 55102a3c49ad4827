#!/usr/bin/python3
"""The definitions of deploy/crds on a real API server; no operator runs."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

import assets
import needs
from checks import contains, equal, run
from cluster import CRDS, REPOSITORY
from jobs.kinds import KINDS

FIELDS = {kind.plural: kind.field for kind in KINDS}
DI_GROUP = "diengine.opendilab.org"
DI_KINDS = ("aggregatorconfigs", "dijobs")
PATH = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"


def tfjob(name, **policy):
    container = {"name": "tensorflow", "image": "registry.example/train:1",
                 "resources": {"limits": {"cpu": 1, "memory": "1.5Gi"}}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"runPolicy": policy, "tfReplicaSpecs": {"Worker": {
                "replicas": 2,
                "template": {"spec": {"containers": [container]}}}}}}


def template(job):
    return job["spec"]["tfReplicaSpecs"]["Worker"]["template"]


def refused(cluster, job, *parts, verb="create"):
    done = cluster.kubectl(verb, "-f", "-", stdin=json.dumps(job), check=False)
    if done.returncode == 0:
        raise AssertionError("accepted: " + done.stdout)
    for part in parts:
        contains(done.stderr, part)


def established(cluster):
    """every kind is served, with plain kubectl apply, twice"""
    listed = cluster.kubectl("api-resources", "--api-group=kubeflow.org",
                             "--output=name").stdout.split()
    equal(sorted(listed), sorted(kind + ".kubeflow.org" for kind in FIELDS))
    listed = cluster.kubectl("api-resources", "--api-group=" + DI_GROUP,
                             "--output=name").stdout.split()
    equal(sorted(listed), [f"{kind}.{DI_GROUP}" for kind in DI_KINDS])
    again = cluster.kubectl("apply", "-f", CRDS).stdout
    equal(len(re.findall("unchanged", again)), len(FIELDS) + len(DI_KINDS),
          again)
    definitions = cluster.client.get(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]
    for item in definitions:
        for condition in item["status"]["conditions"]:
            if condition["type"] == "NonStructuralSchema":
                raise AssertionError(condition["message"])


def generated(_):
    """the files are what their generators make of the Kubernetes they name"""
    if shutil.which("go") is None:
        raise needs.Missing("no Go to fetch the published schemas with",
                            assets.GO)
    for program in ("deploy/generate_crds.py",
                    "k8s/codec/generate_messages.py"):
        done = subprocess.run(
            [os.path.join(REPOSITORY, program), "--check"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if "CalledProcessError" in done.stderr and "'go'" in done.stderr:
            raise needs.Missing("what Kubernetes publishes cannot be fetched",
                                "let Go reach its modules (GOPROXY)")
        equal(done.returncode, 0, done.stdout + done.stderr)


def typos(cluster):
    """a misspelt field is refused when the job is created"""
    job = tfjob("typo")
    template(job)["spec"]["containers"][0]["imagePullPolice"] = "Always"
    where = 'spec.tfReplicaSpecs.Worker.template.spec.containers[0]'
    for verb in ("create", "apply"):
        refused(cluster, job, f'unknown field "{where}.imagePullPolice"',
                verb=verb)
    job = tfjob("typo")
    template(job)["spec"]["restartPolice"] = "Never"
    refused(cluster, job, "restartPolice")
    job = tfjob("typo")
    template(job)["metadata"] = {"label": {"a": "b"}}
    refused(cluster, job, "template.metadata.label")
    job = tfjob("typo", cleanPodPolice="All")
    refused(cluster, job, "spec.runPolicy.cleanPodPolice")


def wrong(cluster):
    """wrong types, lacking containers and lacking replica specs are refused"""
    job = tfjob("wrong")
    del template(job)["spec"]["containers"]
    refused(cluster, job, "template.spec.containers", "Required value")
    job = tfjob("wrong")
    del template(job)["spec"]["containers"][0]["name"]
    refused(cluster, job, "containers[0].name", "Required value")
    job = tfjob("wrong")
    job["spec"] = {}
    refused(cluster, job, "spec.tfReplicaSpecs", "Required value")
    job = tfjob("wrong", backoffLimit="three")
    refused(cluster, job, "spec.runPolicy.backoffLimit")
    job = tfjob("wrong")
    template(job)["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "1x"
    refused(cluster, job, "limits.cpu")


def stored(cluster):
    """a job is stored as it was given, but for suspend and port protocols"""
    job = tfjob("stored", cleanPodPolicy="Running")
    job["spec"]["successPolicy"] = None
    container = template(job)["spec"]["containers"][0]
    container["ports"] = [{"containerPort": 2222, "name": "tfjob-port"}]
    container["livenessProbe"] = {"httpGet": {"port": "tfjob-port"}}
    wanted = copy.deepcopy(job["spec"])
    del wanted["successPolicy"]
    wanted["runPolicy"]["suspend"] = False
    worker = wanted["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    worker["containers"][0]["ports"][0]["protocol"] = "TCP"
    equal(cluster.client.post(PATH, job)["spec"], wanted)


def newest(cluster):
    """fields that Kubernetes has got lately are kept, in all places"""
    job = tfjob("newest")
    spec = template(job)["spec"]
    spec["schedulingGroup"] = {"podGroupName": "gang"}  # 1.36
    spec["evictionResponders"] = [
        {"name": "example.com/r", "priority": 100}]  # 1.37, as the users, ...
    spec["hostnameOverride"] = "worker.example"
    spec["resources"] = {"limits": {"cpu": "2"}}
    spec["volumes"] = [{"name": "identity", "projected": {"sources": [
        {"podCertificate": {"signerName": "example.com/ca",
                            "keyType": "ED25519",
                            "userAnnotations": {"example.com/a": "b"},
                            "user": 1000}}]}},
        {"name": "c", "configMap": {"name": "c", "defaultUser": 1000}},
        {"name": "e", "emptyDir": {"mode": 511}}]  # ... modes,
    spec["containers"][0].update(
        volumeMounts=[{"name": "e", "mountPath": "/e",
                       "bindMountOptions": ["noexec"]}],  # options
        readinessProbe={"httpGet": {
            "port": 80, "protocol": "HTTP1"}},  # and protocols
        livenessProbe={"grpc": {
            "port": 81, "service": "s", "mode": "TLS"}},
        restartPolicy="Never",
        restartPolicyRules=[{"action": "Restart", "exitCodes": {
            "operator": "In", "values": [42]}}],
        env=[{"name": "A", "valueFrom": {"fileKeyRef": {
            "volumeName": "identity", "path": "p", "key": "k"}}}])
    wanted = copy.deepcopy(spec)
    cluster.client.post(PATH, job)
    stored = template(cluster.client.get(PATH + "/newest"))["spec"]
    key_ref = stored["containers"][0]["env"][0]["valueFrom"]["fileKeyRef"]
    equal(key_ref.pop("optional"), False)  # a default of Kubernetes' own
    equal(stored, wanted)


def atomic(_):
    """what server-side apply must not merge is marked as Kubernetes marks it"""
    path = os.path.join(CRDS, "kubeflow.org_tfjobs.yaml")
    with open(path) as file:
        (version,) = yaml.safe_load(file)["spec"]["versions"]

    def below(schema, *names):
        for name in names:
            schema = schema["properties"][name]
        return schema

    top = version["schema"]["openAPIV3Schema"]
    pod = below(top, "spec", "tfReplicaSpecs")["additionalProperties"]
    pod = below(pod, "template", "spec")
    env = below(below(pod, "containers")["items"], "env")
    source = below(env["items"], "valueFrom")
    selector = below(top, "status", "replicaStatuses")["additionalProperties"]
    for schema in (below(pod, "nodeSelector"),
                   below(pod, "imagePullSecrets")["items"],
                   below(source, "secretKeyRef"), below(source, "fieldRef"),
                   below(source, "resourceFieldRef"),
                   below(selector, "labelSelector")):
        equal(schema.get("x-kubernetes-map-type"), "atomic", schema)
    equal(env["x-kubernetes-list-map-keys"], ["name"])


def status(cluster):
    """status is a subresource, with our fields, and feeds the columns"""
    cluster.client.post(PATH, tfjob("columns"))
    times = {"lastUpdateTime": "2024-01-01T00:00:00Z",
             "lastTransitionTime": "2024-01-01T00:00:00Z"}
    given = {"conditions": [
        {"type": name, "status": "True", "reason": "TFJob" + name,
         "message": "", **times} for name in ("Created", "Running")],
        "replicaStatuses": {"Worker": {
            "active": 2, "completedIndexes": "0-3,7", "restartAttempt": 1}},
        "restartAttempt": 2, "countedRestarts": 1,
        "restartTimes": ["2024-01-01T00:00:00Z"],
        "lastRestart": {"attempt": 2, "time": "2024-01-01T00:00:00Z",
                        "reason": "Error", "pod": "p", "node": "n",
                        "type": "Worker", "earlyEnds": 1,
                        "recoveryTime": "2024-01-01T00:00:00Z"},
        "restarts": [{"pod": "columns-worker-0", "uid": "u", "count": 3}]}
    body = {"spec": {"successPolicy": "AllWorkers"}, "status": given}
    after = cluster.client.merge(PATH + "/columns/status", body)
    equal(after["status"], given)
    equal("successPolicy" in after["spec"], False)
    rows = cluster.kubectl("get", "tfjobs", "columns").stdout.splitlines()
    equal(rows[0].split(), ["NAME", "STATE", "AGE"])
    equal(rows[1].split()[:2], ["columns", "Running"])


def queue(cluster):
    """a queue does not change; it may come and go"""
    cluster.client.post(PATH, tfjob("queue", schedulingPolicy={"queue": "a"}))

    def change(value):
        patch = {"spec": {"runPolicy": {"schedulingPolicy": {"queue": value}}}}
        return cluster.kubectl("patch", "tfjob", "queue", "--type=merge",
                               "--patch", json.dumps(patch), check=False)

    contains(change("b").stderr,
             "spec.runPolicy.schedulingPolicy.queue is immutable")
    equal(change(None).returncode, 0)
    equal(change("b").returncode, 0)


def undescribed(schema, path=()):
    """The fields without a description; those of pod templates need none."""
    found = []
    for name, field in schema.get("properties", {}).items():
        # The server itself describes the metadata.
        if path + (name,) != ("metadata",) and not field.get("description"):
            found.append(".".join((*path, name)))
        if name != "template":
            found += undescribed(field, (*path, name))
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            found += undescribed(schema[inner], path)
    return found


def explain(cluster):
    """kubectl explain knows all fields, and says what they are for"""
    for kind, replicas in FIELDS.items():
        shown = cluster.kubectl(
            "explain", f"{kind}.spec.{replicas}.template.spec.containers")
        contains(shown.stdout, "imagePullPolicy")
        with open(os.path.join(CRDS, f"kubeflow.org_{kind}.yaml")) as file:
            for version in yaml.safe_load(file)["spec"]["versions"]:
                equal(undescribed(version["schema"]["openAPIV3Schema"]), [],
                      f"{kind} {version['name']}")
    shown = cluster.kubectl("explain", "tfjob.spec.runPolicy.cleanPodPolicy")
    contains(shown.stdout, "deleted when the job has finished")


def scale(cluster):
    """those kinds can be scaled of which jobs/kinds.py says so"""
    for kind in KINDS:
        path = os.path.join(CRDS, f"kubeflow.org_{kind.plural}.yaml")
        with open(path) as file:
            for version in yaml.safe_load(file)["spec"]["versions"]:
                equal("scale" in version["subresources"], kind.scales,
                      kind.name)
    container = {"name": "jax", "image": "registry.example/train:1"}
    cluster.client.post(PATH.replace("tfjobs", "jaxjobs"), {
        "apiVersion": "kubeflow.org/v1", "kind": "JAXJob",
        "metadata": {"name": "scaled"}, "spec": {"jaxReplicaSpecs": {
            "Worker": {"replicas": 1,
                       "template": {"spec": {"containers": [container]}}}}}})
    cluster.kubectl("scale", "jaxjob/scaled", "--replicas=3")
    shown = cluster.client.get(PATH.replace("tfjobs", "jaxjobs") + "/scaled")
    equal(shown["spec"]["jaxReplicaSpecs"]["Worker"]["replicas"], 3)


if __name__ == "__main__":
    sys.exit(run([established, generated, typos, wrong, stored, newest, atomic,
                  status, queue, explain, scale]))
