#!/usr/bin/python3
"""`kubectl apply` against `troupe up`: server-side apply, and what is said of
fields that are not there."""

import json
import os
import subprocess
import sys

from test_up import Up
from troupe import Folder, LIMIT

import assets  # of ../cluster
from checks import contains, equal, run

MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: %s}
data: {color: %s}
"""
JOB = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: staged}
spec:
  runPolicy: {suspend: true}
  tfReplicaSpecs:
    Worker:
      replicas: %d
      template:
        spec:
          containers:
          - {name: tensorflow, image: none, command: [sleep, '60']}
"""


class Cluster(Folder):
    """`troupe up`, and kubectl."""

    def __init__(self):
        self.program = assets.kubectl()

    def __enter__(self):
        super().__enter__()
        self.up = Up("--run-dir", os.path.join(self.path, "run"))
        self.up.__enter__()
        return self

    def __exit__(self, *_):
        self.up.__exit__()
        super().__exit__()

    def kubectl(self, *args, manifest=None, code=0):
        """Its output, and what it says of errors."""
        done = subprocess.run(
            [self.program, "--kubeconfig", self.up.kubeconfig, *args],
            input=manifest, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=LIMIT)
        equal(done.returncode, code, f"exit code of {args}: {done.stdout}")
        return done.stdout

    def apply(self, manifest, *args, code=0):
        return self.kubectl("apply", "--server-side", "-f", "-", *args,
                            manifest=manifest, code=code)

    def managers(self, *what):
        found = json.loads(self.kubectl("get", *what, "-o", "json",
                                        "--show-managed-fields"))
        return [(m["manager"], m["operation"])
                for m in found["metadata"].get("managedFields", [])]


def managers_conflict_unless_forced(cluster):
    """two managers conflict over a field until one forces it"""
    contains(cluster.apply(MAP % ("shared", "red")), "serverside-applied")
    refused = cluster.apply(MAP % ("shared", "blue"), "--field-manager", "two",
                            code=1)
    contains(refused, 'Apply failed with 1 conflict: conflict with "kubectl": '
             ".data.color")
    cluster.apply(MAP % ("shared", "blue"), "--field-manager", "two",
                  "--force-conflicts")
    equal(cluster.managers("cm", "shared"), [("two", "Apply")], "managers")


def client_side_apply_goes_over_to_server_side(cluster):
    """what was applied without --server-side can be applied with it, and back"""
    for color, more in (("red", ()), ("green", ("--server-side",)),
                        ("blue", ())):
        cluster.kubectl("apply", *more, "-f", "-",
                        manifest=MAP % ("moved", color))
        equal(cluster.kubectl("get", "cm", "moved", "-o",
                              "jsonpath={.data.color}"), color, "color")


def a_controller_and_a_user_share_a_job(cluster):
    """who applies a job does not own its status, nor replicas scaled since"""
    cluster.apply(JOB % 1)
    cluster.kubectl("wait", "tfjob/staged", "--for=condition=Suspended")
    cluster.kubectl("patch", "tfjob/staged", "--type=merge", "-p", json.dumps(
        {"spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2}}}}))
    refused = cluster.apply(JOB % 3, code=1)
    contains(refused, 'conflict with "kubectl-patch" using kubeflow.org/v1')
    contains(refused, ".spec.tfReplicaSpecs.Worker.replicas")
    cluster.apply(JOB % 3, "--force-conflicts")
    equal(cluster.kubectl("get", "tfjob/staged", "-o", "jsonpath="
                          "{.status.conditions[-1:].type}"), "Suspended",
          "status")


def the_operator_takes_no_owners_away(cluster):
    """after the operator's writes a label still belongs to who applied it"""
    def job(more):
        return JOB.replace("{name: staged}", "{name: owned%s}" % more) % 1

    kept = ", labels: {l: '1'}, annotations: {a: '1'}, finalizers: [x.io/f]"
    cluster.apply(job(kept))
    cluster.kubectl("wait", "tfjob/owned", "--for=condition=Suspended")
    refused = cluster.apply(job(", labels: {l: '2'}"),
                            "--field-manager", "two", code=1)
    contains(refused, 'conflict with "kubectl": .metadata.labels.l')
    cluster.apply(job(""))
    equal(cluster.kubectl(
        "get", "tfjob/owned", "-o", "jsonpath={.metadata.labels}"
        "{.metadata.annotations}{.metadata.finalizers}"), "", "what is left")


def a_kind_that_is_not_there_stops_no_other(cluster):
    """of a file with one unknown kind the rest is created"""
    said = cluster.kubectl(
        "apply", "-f", "-", code=1, manifest=MAP % ("beside", "red")
        + "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\n"
        "metadata: {name: queue}\nspec: {clusterQueue: all}\n")
    contains(said, "configmap/beside created")
    contains(said, 'no matches for kind "LocalQueue" in version '
             '"kueue.x-k8s.io/v1beta1"')
    cluster.kubectl("get", "cm", "beside")


def plain_data_of_a_secret_is_data(cluster):
    """stringData becomes data, by either way to apply"""
    secret = ("apiVersion: v1\nkind: Secret\nmetadata: {name: plain}\n"
              "stringData: {TOKEN: %s}\n")
    show = ("get", "secret", "plain", "-o", "jsonpath={.data}{.stringData}")
    for way, text, data in (((), "abc", "YWJj"), ((), "def", "ZGVm"),
                            (("--server-side", "--force-conflicts"), "abc",
                             "YWJj")):
        cluster.kubectl("apply", "-f", "-", *way, manifest=secret % text)
        equal(cluster.kubectl(*show), '{"TOKEN":"%s"}' % data, "data")


def misspelt_fields_are_refused(cluster):
    """an unknown field or a wrong type of a pod is refused with its path"""
    for field, said in (
            ("conteiners: []", 'unknown field "spec.conteiners"'),
            ("nodeName: 5", "spec.nodeName in body must be of type string"),
    ):
        contains(cluster.kubectl(
            "create", "-f", "-", code=1, manifest="apiVersion: v1\n"
            "kind: Pod\nmetadata: {name: a}\nspec:\n"
            "  containers: [{name: a, image: none}]\n  " + field + "\n"), said)


def fields_are_explained(cluster):
    """kubectl explain knows fields of built-in and custom resources"""
    for path, said in (
            ("pod.spec.containers.ports", "containerPort\t<integer>"),
            ("pod.spec", "containers\t<[]Container>"),
            ("tfjob.metadata", "labels\t<map[string]string>"),
            ("tfjob.spec.runPolicy", "suspend\t<boolean>"),
    ):
        contains(cluster.kubectl("explain", path), said)


CASES = [managers_conflict_unless_forced,
         client_side_apply_goes_over_to_server_side,
         a_controller_and_a_user_share_a_job,
         the_operator_takes_no_owners_away,
         a_kind_that_is_not_there_stops_no_other,
         plain_data_of_a_secret_is_data,
         misspelt_fields_are_refused,
         fields_are_explained]

if __name__ == "__main__":
    sys.exit(run(CASES, Cluster, *sys.argv[1:2]))
