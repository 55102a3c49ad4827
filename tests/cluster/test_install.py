#!/usr/bin/python3
"""The objects of deploy/ on a real API server, and the operator started as its
Deployment says.

    test_install.py [--troupe FILE] [--only PART]
"""

import base64
import copy
import json
import os
import re
import sys
import tempfile

from checks import contains, equal, main
from cluster import REPOSITORY, Cluster
from control_plane import accounts
from jobs.kinds import KINDS, TF
from jobs.namespace import Namespace
from operators import shipped_objects
from operators.operator_fixture import OperatorFixture
from operators.shipped_objects import (ACCOUNT, DEPLOY, NAMESPACE, built,
                                       container)
from process import free_port

DEPLOYMENT = ("Deployment", ACCOUNT)
SECRET = (f"/api/v1/namespaces/{NAMESPACE}/secrets/"
          "training-operator-webhook-cert")
CONFIGURATION = ("/apis/admissionregistration.k8s.io/v1/"
                 "validatingwebhookconfigurations/"
                 "validator.training-operator.kubeflow.org")
USERS = {("ClusterRole", f"kubeflow-training-{who}")
         for who in ("admin", "edit", "view")}


class Installed(OperatorFixture):
    """The operator is called `manager`, has the Deployment's arguments and the
    account's token. It runs outside of the cluster: the API server reaches its
    webhooks by a URL."""

    def __init__(self, troupe, more):
        port = free_port()
        super().__init__(troupe, [
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port), *more],
            self.install, Cluster(), shipped_objects.KUBECONFIG)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        self.apply_again(cluster)
        accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
        child = self.operator.child
        manager = cluster.path("manager")
        os.symlink(os.path.abspath(child.args[0]), manager)
        shipped = container(cluster)
        equal(shipped["command"], ["/manager"])
        child.args[:2] = [manager, *shipped["args"]]
        child.env = dict(os.environ, MY_POD_NAMESPACE=NAMESPACE,
                         MY_POD_NAME=ACCOUNT + "-0")

    def apply_again(self, cluster):
        """When the operator has written what is its own."""
        with open(cluster.path("ca.crt"), "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        configuration = cluster.client.get(CONFIGURATION)
        for entry in configuration["webhooks"]:
            entry["clientConfig"]["caBundle"] = authority
        cluster.client.call("PUT", CONFIGURATION, configuration)
        cluster.client.merge(SECRET, {"data": {"ca.crt": authority}})
        self.before = versions(cluster)
        shipped_objects.apply(cluster)
        self.after = versions(cluster)


def versions(cluster):
    """(kind, name) -> resourceVersion of all that was applied."""
    items = json.loads(cluster.kubectl(
        "get", "-k", DEPLOY, "--output=json").stdout)["items"]
    return {(o["kind"], o["metadata"]["name"]):
            o["metadata"]["resourceVersion"] for o in items}


def works(fixture):
    """the Deployment's command with its account runs a job"""
    ns = Namespace(fixture)
    ns.start(TF, "job")
    ns.succeed(TF, "job")


def unchanged(fixture):
    """applied a second time, nothing changes; what the operator wrote stays"""
    equal(set(fixture.before), set(built(fixture.cluster)))
    equal(fixture.after, fixture.before)


def other_namespace(fixture):
    """in another namespace everything refers to that"""
    with tempfile.TemporaryDirectory(dir=fixture.cluster.folder) as folder:
        with open(os.path.join(folder, "kustomization.yaml"), "w") as file:
            json.dump({"namespace": "other",
                       "resources": [os.path.relpath(
                           os.path.join(DEPLOY, "default"), folder)]}, file)
        text = fixture.kubectl("kustomize", folder).stdout
    equal(re.findall(r"namespace: (?!other\b)(.*)", text), [])


def overlays(fixture):
    """every folder can be applied, and has what it is for"""
    cluster = fixture.cluster
    default = built(cluster)
    equal(USERS - set(default), set())
    equal(set(built(cluster, "overlays/standalone")), set(default) - USERS)
    equal(set(built(cluster, "overlays/kubeflow")),
          set(default) - {("Namespace", NAMESPACE)})
    for name in ("pod-logs", "kueue", "kueue-pods"):
        equal(set(built(cluster, f"overlays/{name}")),
              {(kind, f"training-operator-{name}")
               for kind in ("ClusterRole", "ClusterRoleBinding")})
    role = "training-operator-native-gang"
    equal(set(built(cluster, "overlays/native-gang")) - set(default),
          {("ClusterRole", role), ("ClusterRoleBinding", role)})
    for name, scheduler in (("native-gang", "kubernetes"), ("volcano", "volcano"), (
            "scheduler-plugins", "scheduler-plugins-scheduler")):
        objects = built(cluster, f"overlays/{name}")
        changed = {key for key in objects
                   if key in default and objects[key] != default[key]}
        equal(changed, {DEPLOYMENT}, name)
        spec = objects[DEPLOYMENT]["spec"]["template"]["spec"]
        contains(spec["containers"][0]["args"],
                 "--gang-scheduler-name=" + scheduler)
        cluster.kubectl("apply", "--dry-run=server", "-f", "-",
                        stdin=json.dumps(objects[DEPLOYMENT]))


def overlay_for_mpijobs(fixture):
    """MPIJobs are stored as v2beta1, and nothing else differs"""
    default = built(fixture.cluster)
    objects = built(fixture.cluster, "overlays/mpi-operator")
    key = ("CustomResourceDefinition", "mpijobs.kubeflow.org")
    equal({k for k in objects if objects[k] != default[k]}, {key})
    for made, stored in ((default, "v1"), (objects, "v2beta1")):
        equal([v["name"] for v in made[key]["spec"]["versions"]
               if v["storage"]], [stored])


def overlay_for_dijobs(fixture):
    """DI-orchestrator's address leads to di-server, for pods of DIJobs only"""
    cluster = fixture.cluster
    default, objects = built(cluster), built(cluster, "overlays/di")
    policy = ("NetworkPolicy", "training-operator")
    new = set(objects) - set(default)
    equal(new, {("Namespace", "di-system")}, "new")
    changed = {k for k in set(objects) - new if objects[k] != default[k]}
    # Two Services, in two namespaces, are called di-server.
    equal(changed - {("Service", "di-server")}, {DEPLOYMENT, policy}, "changed")
    ports = {port["port"]: rule.get("from")
             for rule in objects[policy]["spec"]["ingress"]
             for port in rule["ports"]}
    equal([port for port, sources in ports.items() if sources], ["di-server"])
    arguments = objects[DEPLOYMENT]["spec"]["template"]["spec"][
        "containers"][0]["args"]
    equal([a for a in arguments if a.startswith("--server-address")],
          ["--server-address=di-server.di-system:8080"])
    for key in (DEPLOYMENT, policy):
        cluster.kubectl("apply", "--dry-run=server", "-f", "-",
                        stdin=json.dumps(objects[key]))


def restricted(fixture):
    """its pods comply with the Pod Security Standard `restricted`"""
    ns = Namespace(fixture)
    fixture.client.merge(f"/api/v1/namespaces/{ns.name}", {"metadata": {
        "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    template = built(fixture.cluster)[DEPLOYMENT]["spec"]["template"]
    pod = copy.deepcopy(template)
    pod["metadata"]["name"] = "operator"
    fixture.client.post(ns.core("pods"), pod)
    container = pod["spec"]["containers"][0]
    equal(container["securityContext"]["readOnlyRootFilesystem"], True)


def people(fixture):
    """who may edit can make and scale jobs of all kinds, who may view sees
    them; nobody writes a status"""
    ns = Namespace(fixture)
    for who in ("edit", "view"):
        fixture.client.post(ns.at(
            "/apis/rbac.authorization.k8s.io/v1", "rolebindings"), {
            "metadata": {"name": who},
            "subjects": [{"kind": "User", "name": who}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                        "kind": "ClusterRole",
                        "name": "kubeflow-training-" + who}})

    def may(who, verb, resource):
        name, _, part = resource.partition("/")
        return fixture.client.post(
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            {"spec": {"user": who, "resourceAttributes": {
                "namespace": ns.name, "group": "kubeflow.org", "verb": verb,
                "resource": name, "subresource": part}}})["status"]["allowed"]

    for kind in KINDS:
        found = {(who, verb) for who in ("edit", "view")
                 for verb in ("get", "watch", "create", "delete", "update")
                 if may(who, verb, kind.plural)}
        equal(found, {("edit", verb) for verb in (
            "get", "watch", "create", "delete", "update")}
            | {("view", "get"), ("view", "watch")}, kind.name)
        equal(may("edit", "update", kind.plural + "/scale"), kind.scales)
        equal(may("edit", "update", kind.plural + "/status"), False)
        equal(may("view", "get", kind.plural + "/status"), True)


def kept_selector(fixture):
    """what selects the training operator's pods selects these"""
    objects = built(fixture.cluster)
    selector = {"control-plane": "kubeflow-training-operator"}
    spec = objects[DEPLOYMENT]["spec"]
    # A Deployment's selector cannot change: it has to be the original's.
    equal(spec["selector"]["matchLabels"], selector)
    equal(objects["Service", ACCOUNT]["spec"]["selector"], selector)
    equal(objects["PodDisruptionBudget", ACCOUNT]["spec"]["selector"][
        "matchLabels"], selector)


def named_ports(fixture):
    """what refers to a port of the pod by its name finds it"""
    objects = built(fixture.cluster)
    names = {port["name"] for port in container(fixture.cluster)["ports"]}
    monitor = built(fixture.cluster, "monitoring")["PodMonitor", ACCOUNT]
    used = {port["targetPort"]
            for port in objects["Service", ACCOUNT]["spec"]["ports"]}
    used |= {rule["port"] for rule in objects["NetworkPolicy", ACCOUNT][
        "spec"]["ingress"][0]["ports"]}
    used |= {end["port"] for end in monitor["spec"]["podMetricsEndpoints"]}
    equal(used, names)
    template = objects[DEPLOYMENT]["spec"]["template"]["metadata"]["labels"]
    selector = monitor["spec"]["selector"]["matchLabels"]
    equal({key: template.get(key) for key in selector}, selector)


def version(fixture):
    """the image's tag is the version of this source"""
    with open(os.path.join(REPOSITORY, "CMakeLists.txt")) as file:
        number = re.search(r"project\(troupe VERSION (\S+)", file.read())[1]
    equal(container(fixture.cluster)["image"], "troupe:" + number)


CASES = [works, unchanged, overlays, overlay_for_mpijobs, overlay_for_dijobs,
         other_namespace, people, restricted, kept_selector, named_ports,
         version]

if __name__ == "__main__":
    sys.exit(main(CASES, Installed, __doc__))
