#!/usr/bin/python3
"""install.yaml: the Kustomization's objects, which a real API server takes by
server-side apply, again and again, and over the release before.

    test_install_yaml.py [PART]      cases with PART in their function's name
"""

import copy
import json
import os
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from checks import contains, equal, run
from cluster import Cluster
from helm import by_name
from operators.shipped_objects import ACCOUNT, DEPLOY, NAMESPACE

FILE = "install.yaml"
DEPLOYMENT = ("Deployment", NAMESPACE, ACCOUNT)
TFJOBS = ("CustomResourceDefinition", None, "tfjobs.kubeflow.org")
CONVERTED = ("CustomResourceDefinition", None, "dijobs.diengine.opendilab.org")
SECRET = ("Secret", NAMESPACE, "training-operator-webhook-cert")
VALIDATOR = ("ValidatingWebhookConfiguration", None,
             "validator.training-operator.kubeflow.org")
BUNDLE = "Cg=="
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MANAGED = ("creationTimestamp", "generation", "managedFields",
           "resourceVersion", "uid")


def written(cluster, *more, name=FILE):
    """The path of the file."""
    path = cluster.path(name)
    subprocess.run([os.path.join(DEPLOY, "write_install.py"), "--output", path,
                    *more], check=True, stdout=subprocess.DEVNULL)
    return path


def read(cluster, path):
    """Its objects, as kubectl reads them."""
    folder = cluster.path("read")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kustomization.yaml"), "w") as file:
        json.dump({"resources": [os.path.basename(path)]}, file)
    link = os.path.join(folder, os.path.basename(path))
    if os.path.lexists(link):
        os.unlink(link)
    with open(path) as source, open(link, "w") as file:
        file.write(source.read())
    return by_name(cluster.kubectl("kustomize", folder).stdout)


def apply(cluster, path, *more, **checked):
    return cluster.kubectl("apply", "--server-side", "-f", path, *more,
                           **checked)


def found(cluster, path):
    """The file's objects as the API server has them."""
    items = json.loads(cluster.kubectl("get", "-f", path, "--output=json",
                                       "--show-managed-fields").stdout)["items"]
    return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]):
            o for o in items}


def plain(objects):
    """Without what each installation has of its own."""
    result = copy.deepcopy(objects)
    for thing in result.values():
        for name in MANAGED:
            thing["metadata"].pop(name, None)
        notes = thing["metadata"].get("annotations", {})
        notes.pop(APPLIED, None)
        if not notes:
            thing["metadata"].pop("annotations", None)
        thing.pop("status", None)
        for name in ("clusterIP", "clusterIPs"):
            thing.get("spec", {}).pop(name, None)
    return result


def fill_in(cluster):
    """What the operator writes."""
    client = cluster.client
    configuration = cluster.client.get(path_of(VALIDATOR))
    for entry in configuration["webhooks"]:
        entry["clientConfig"]["caBundle"] = BUNDLE
    client.call("PUT", path_of(VALIDATOR), configuration)
    client.merge(path_of(SECRET), {"data": {"ca.crt": BUNDLE}})


def path_of(key):
    return {VALIDATOR: "/apis/admissionregistration.k8s.io/v1/"
                       f"validatingwebhookconfigurations/{VALIDATOR[2]}",
            SECRET: f"/api/v1/namespaces/{NAMESPACE}/secrets/{SECRET[2]}"}[key]


# -- cases --------------------------------------------------------------------

def same_objects(cluster):
    """kubectl reads from it what it makes of the Kustomization, each overlay"""
    for name in ("default", *(f"overlays/{o}" for o in os.listdir(
            os.path.join(DEPLOY, "overlays")))):
        wanted = by_name(cluster.kubectl(
            "kustomize", os.path.join(DEPLOY, name)).stdout)
        got = read(cluster, written(cluster, "--folder", name,
                                    name="overlay.yaml"))
        equal(set(got), set(wanted), name)
        for key, thing in wanted.items():
            equal(got[key], thing, f"{name}: {key}")


def image(cluster):
    """--image names a registry's"""
    text = read(cluster, written(cluster, "--image", "r.example/troupe:1",
                                 name="image.yaml"))
    spec = text[DEPLOYMENT]["spec"]["template"]["spec"]
    equal(spec["containers"][0]["image"], "r.example/troupe:1")


def upgraded(cluster):
    """applied over the release before, and again, it is as installed anew"""
    path = written(cluster)
    apply(cluster, path, "--force-conflicts")
    wanted = plain(found(cluster, path))
    with Cluster() as other:
        apply(other, release_before(cluster, path))
        fill_in(other)
        contains(json.dumps(found(other, path)[TFJOBS]["spec"]), "ofBefore")
        apply(other, path)
        got = found(other, path)
        apply(other, path)
        equal(found(other, path), got)
    got = plain(got)
    equal(got[SECRET]["data"], {"ca.crt": BUNDLE})
    for entry in got[VALIDATOR]["webhooks"]:
        equal(entry["clientConfig"]["caBundle"], BUNDLE)
    for objects in (got, wanted):
        objects[SECRET].pop("data", None)
        for entry in objects[VALIDATOR]["webhooks"]:
            entry["clientConfig"].pop("caBundle", None)
    equal(set(got), set(wanted))
    for key, thing in wanted.items():
        equal(got[key], thing, key)


def release_before(cluster, path):
    """A file that has something else, more and less."""
    with open(path) as file:
        objects = list(yaml.load_all(file, yaml.CSafeLoader))
    for thing in objects:
        if thing["kind"] == "Deployment":
            container = thing["spec"]["template"]["spec"]["containers"][0]
            container["image"] = "troupe:0.0.9"
            container["args"] += ["--log-level=debug"]
            container["env"].append({"name": "OF_BEFORE", "value": "1"})
        if thing["metadata"]["name"] == TFJOBS[2]:
            schema = thing["spec"]["versions"][0]["schema"]
            properties = schema["openAPIV3Schema"]["properties"]
            properties["spec"]["properties"]["ofBefore"] = {"type": "string"}
            del properties["status"]["properties"]["restarts"]
    older = cluster.path("before.yaml")
    with open(older, "w") as file:
        yaml.dump_all(objects, file, yaml.CSafeDumper)
    return older


def after_kustomization(cluster):
    """over what `kubectl apply -k` installed it changes nothing, if forced"""
    path = written(cluster)
    cluster.kubectl("apply", "-k", DEPLOY)
    fill_in(cluster)
    before = plain(found(cluster, path))
    refused = apply(cluster, path, check=False)
    contains(refused.stderr, "--force-conflicts")
    apply(cluster, path, "--force-conflicts")
    got = plain(found(cluster, path))
    equal(set(got), set(before))
    for key, thing in before.items():
        equal(got[key], thing, key)
    apply(cluster, path)
    cluster.kubectl("scale", f"--namespace={NAMESPACE}",
                    f"deployment/{ACCOUNT}", "--replicas=5")
    contains(apply(cluster, path, check=False).stderr, ".spec.replicas")
    apply(cluster, path, "--force-conflicts")
    equal(found(cluster, path)[DEPLOYMENT]["spec"]["replicas"], 2)


CASES = [same_objects, image, after_kustomization, upgraded]

if __name__ == "__main__":
    sys.exit(run(CASES, Cluster, *sys.argv[1:2]))
