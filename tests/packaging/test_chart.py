#!/usr/bin/python3
"""The Helm chart: it renders the objects of the Kustomization, values reach
what they name, and it is packed and pushed.

    test_chart.py [PART]      cases with PART in their function's name
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets
from checks import contains, equal, run
from helm import CHART, RELEASE, VERSION, Helm, by_name, without_marks
from needs import Missing
from operators.shipped import TROUPE
from operators.shipped_objects import ACCOUNT, DEPLOY, NAMESPACE
from registry import Registry

DEPLOYMENT = ("Deployment", NAMESPACE, ACCOUNT)
# Each overlay, and its values as the chart's README has them.
OVERLAY = re.compile(
    r"^\| `([a-z-]+)` \| (?:`(\w+)\.?(\w*): (\S+)`|none)", re.M)
# Those that are applied beside another one, and what their objects are called.
BESIDE = {"overlays/" + name: "training-operator-" + name
          for name in ("pod-logs", "kueue", "kueue-pods")}
# What YAML or a template could take for something else.
TEXTS = ("1e3", "0x10", "012", "1_000", "yes", "null", "~", "", " x ", '"', "'",
         "a: b", "- a", "#c", "%a", "1:20", ".inf", "2020-01-01",
         "\t", "a\n---\nkind: Secret\n", "{{ fail `x` }}", "é\u2028")


class Charts:
    """A folder of one's own, and Helm."""

    def __enter__(self):
        self.kubectl = assets.kubectl()
        self.temporary = tempfile.TemporaryDirectory(prefix="troupe-chart-")
        self.folder = self.temporary.name
        self.helm = Helm(self.folder)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def kustomization(self, folder):
        done = subprocess.run([self.kubectl, "kustomize", os.path.join(
            DEPLOY, folder)], check=True, text=True, capture_output=True)
        return by_name(done.stdout)

    def values(self, what, name="values.yaml"):
        """Arguments that name a file of these values."""
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            json.dump(what, file)
        return "--values", path


def overlays():
    """Folder -> values, from the README."""
    with open(os.path.join(CHART, "README.md")) as file:
        found = OVERLAY.findall(file.read())
    result = {"default": {}}
    for folder, name, part, value in found:
        value = yaml.safe_load(value)
        result["overlays/" + folder] = {} if not name else \
            {name: {part: value} if part else value}
    return result


def same_objects(charts):
    """the chart renders the Kustomization's objects, and its overlays'"""
    found = overlays()
    equal({"overlays/" + name for name in os.listdir(
        os.path.join(DEPLOY, "overlays"))}, set(found) - {"default"})
    for folder, values in found.items():
        wanted = charts.kustomization(folder)
        if folder in BESIDE:
            wanted.update(charts.kustomization("default"))
        # Helm makes it: --create-namespace.
        wanted.pop(("Namespace", None, NAMESPACE), None)
        arguments = charts.values(values)
        charts.helm("lint", "--strict", CHART, *arguments)
        got = charts.helm.render(*arguments)
        equal(set(got), set(wanted), folder)
        for key, thing in got.items():
            if "di-system" not in key and key[2] not in BESIDE.values():
                # Those the chart labels as all others.
                equal(without_marks(thing), wanted[key], f"{folder}: {key}")


def monitored(charts):
    """so are those for Prometheus and Grafana"""
    default = set(charts.helm.render())
    got = charts.helm.render(*charts.values({"monitoring": {
        "podMonitor": True, "alerts": True, "dashboard": True,
        "labels": {"release": "prometheus"}}}))
    wanted = charts.kustomization("monitoring")
    # The Kustomization names no namespace for them.
    equal({(kind, name) for kind, _, name in set(got) - default},
          {(kind, name) for kind, _, name in wanted})
    for (kind, namespace, name), thing in wanted.items():
        found = got[kind, NAMESPACE, name]
        for part in ("spec", "data"):
            equal(found.get(part), thing.get(part), f"{kind} {name}")
        equal(found["metadata"]["labels"].get("release"),
              "prometheus" if "spec" in thing else None)
        equal(thing["metadata"].get("labels", {}).items()
              <= found["metadata"]["labels"].items(), True)


def values(charts):
    """values reach the objects they name, in whichever namespace"""
    objects = charts.helm.render(*charts.values({
        "replicas": 3, "kinds": ["TFJob", "DIJob"],
        "args": {"log-level": "debug", "leader-elect": True,
                 "list-page": 10000000, "kube-api-qps": 1.5,
                 "namespace": ["a", "b"], "leader-election-id": "mine"},
        "image": {"repository": "r.example/troupe", "pullPolicy": "Always",
                  "digest": "sha256:" + 64 * "0"},
        "imagePullSecrets": [{"name": "pull"}], "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "k", "operator": "Exists",
                         "tolerationSeconds": 10000000}],
        "affinity": {"nodeAffinity": {}}, "priorityClassName": "high",
        "topologySpreadConstraints": [{"maxSkew": 1}],
        "resources": {"limits": {"memory": "2Gi"}},
        "env": [{"name": "A", "value": "1"}],
        "podAnnotations": {"a": "b"}, "podLabels": {"c": "d"},
        "serviceAccount": {"annotations": {"e": "f"}},
        "extraLabels": {"team": "ml"}, "podLogs": {"enabled": True}}),
        namespace="ml")
    equal({namespace for _, namespace, _ in objects}, {None, "ml"})
    equal({o["metadata"]["labels"].get("team") for o in objects.values()},
          {"ml"})
    spec = objects["Deployment", "ml", ACCOUNT]["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    equal(spec["replicas"], 3)
    equal((container["image"], container["imagePullPolicy"]),
          ("r.example/troupe@sha256:" + 64 * "0", "Always"))
    equal(container["args"], [
        "--leader-elect=true", "--server-address=di-server.ml:8080",
        "--di-server-url=http://di-server.ml.svc.cluster.local:8081",
        "--zap-encoder=json", "--enable-scheme=TFJob,DIJob",
        "--kube-api-qps=1.5", "--leader-election-id=mine",
        "--list-page=10000000", "--log-level=debug", "--namespace=a,b"])
    equal(container["resources"], {
        "requests": {"cpu": "100m", "memory": "128Mi"},
        "limits": {"memory": "2Gi"}})
    equal(container["env"][-1], {"name": "A", "value": "1"})
    for name, wanted in (("imagePullSecrets", [{"name": "pull"}]),
                         ("nodeSelector", {"pool": "a"}),
                         ("affinity", {"nodeAffinity": {}}),
                         ("priorityClassName", "high"),
                         ("topologySpreadConstraints", [{"maxSkew": 1}])):
        equal(pod[name], wanted, name)
    equal(pod["tolerations"][0]["tolerationSeconds"], 10000000)
    metadata = spec["template"]["metadata"]
    equal((metadata["annotations"]["a"], metadata["labels"]["c"]), ("b", "d"))
    equal(objects["ServiceAccount", "ml", ACCOUNT]["metadata"]["annotations"],
          {"e": "f"})
    contains(objects, ("ClusterRole", None, "training-operator-pod-logs"))
    equal([r["resourceNames"] for r in objects["Role", "ml", ACCOUNT]["rules"]
           if r["resources"] == ["leases"] and "resourceNames" in r],
          [["mine"]])
    equal(re.findall(r"'namespace': '(?!ml')\w+'", str(objects)), [])


def left_out(charts):
    """what is switched off is not there"""
    names = set(charts.helm.render())
    for values, gone in (
            ({"definitions": {"create": False}}, "CustomResourceDefinition"),
            ({"podDisruptionBudget": {"enabled": False}},
             "PodDisruptionBudget"),
            ({"networkPolicy": {"enabled": False}}, "NetworkPolicy"),
            ({"diServer": {"enabled": False}}, "di-server"),
            ({"webhooks": {"enabled": False}}, "WebhookConfiguration")):
        objects = charts.helm.render(*charts.values(values))
        equal(names - set(objects), {
            key for key in names if gone in (key[0], key[2])
            or key[0].endswith(gone)}, gone)
    # The last: v2alpha1 is served only where somebody converts.
    dijobs = objects["CustomResourceDefinition", None,
                     "dijobs.diengine.opendilab.org"]
    equal([v["name"] for v in dijobs["spec"]["versions"] if v["served"]],
          ["v1alpha1"])
    # What others may have put there stays when the chart goes.
    objects = charts.helm.render(*charts.values({
        "diServer": {"originalAddress": True}}))
    equal({key for key, thing in objects.items() if thing["metadata"].get(
        "annotations", {}).get("helm.sh/resource-policy") == "keep"},
        {("Namespace", None, "di-system"), *(
            key for key in names if key[0] == "CustomResourceDefinition")})
    objects = charts.helm.render(*charts.values({
        "diServer": {"enabled": False}, "replicas": 0}))
    spec = objects[DEPLOYMENT]["spec"]
    equal(spec["replicas"], 0)
    equal(spec["template"]["spec"]["containers"][0]["args"], [
        "--leader-elect", "--zap-encoder=json", "--di-server-bind-address=0"])


def texts(charts):
    """a text stays that text, whatever YAML or a template would make of it"""
    notes = {f"n{number}": text for number, text in enumerate(TEXTS)}
    objects = charts.helm.render(*charts.values({
        "podAnnotations": notes, "nodeSelector": notes,
        "args": {"log-level": TEXTS[-3]},
        "env": [{"name": name, "value": text}
                for name, text in notes.items()]}))
    equal(set(objects), set(charts.helm.render()))
    template = objects[DEPLOYMENT]["spec"]["template"]
    container = template["spec"]["containers"][0]
    equal({k: v for k, v in template["metadata"]["annotations"].items()
           if k in notes}, notes)
    equal(template["spec"]["nodeSelector"], notes)
    equal([e["value"] for e in container["env"] if e["name"] in notes],
          list(TEXTS))
    equal(container["args"][-1], "--log-level=" + TEXTS[-3])
    many = {f"team-{number}": "x" for number in range(5000)}
    objects = charts.helm.render(*charts.values({"podAnnotations": many}))
    equal(many.items() <= objects[DEPLOYMENT]["spec"]["template"]["metadata"][
        "annotations"].items(), True)


def refused(charts):
    """what the chart does not know, or cannot take, is refused by its name"""
    for flag, *words in (
            ("imag.tag=x", "imag"), ("kinds={TFJbo}", "kinds", "TFJob"),
            ("replicas=two", "replicas"), ("replicas=-1", "replicas"),
            ("args.Level=debug", "args", "Level"),
            ("monitoring.podmonitor=true", "monitoring", "podmonitor"),
            ("fullnameOverride=x", "fullnameOverride"),
            ("nodeSelector.a=true", "nodeSelector"),
            ("extraLabels.control-plane=x", "extraLabels", "control-plane"),
            ("image.digest=latest", "image", "digest"),
            ("webhooks=null", "webhooks"), ("webhooks.enabled=null", "enabled"),
            ("args.log-level.a=b", "args", "log-level"),
            ("args.leader-elect=false", "args.leader-elect", "replicas")):
        said = charts.helm("template", RELEASE, CHART, "--set", flag,
                           "--kube-version", assets.VERSION, fails=True)
        for word in words:
            contains(said, word)
    charts.helm.render("--set", "resources.limits=null")


def settings(charts):
    """`args` takes every flag of the operator, and no other"""
    if not os.path.exists(TROUPE):
        raise Missing(f"no {TROUPE}", "run make build")
    said = subprocess.run([TROUPE, "operator", "--help"], text=True,
                          capture_output=True, check=True).stdout
    with open(os.path.join(CHART, "values.schema.json")) as file:
        known = json.load(file)["properties"]["args"]["properties"]
    equal(set(known), set(re.findall(r"^  --([a-z-]+)", said, re.M))
          - {"config", "print-config"})


def packed(charts):
    """made twice, it is the same file, and what Helm makes of the folder"""
    made = [build(charts, name) for name in ("one", "two")]
    for first, second in zip(*made):
        with open(first, "rb") as one, open(second, "rb") as two:
            equal(one.read() == two.read(), True, first)
    said = charts.helm("package", CHART, "--destination", charts.folder)
    ours, helms = (subprocess.run(
        ["tar", "--list", "--gzip", "--file", path], check=True, text=True,
        capture_output=True).stdout.split()
        for path in (made[0][0], said.split()[-1]))
    equal({p for p in ours if not p.endswith("/")}, set(helms))
    equal(charts.helm.render(chart=made[0][0]), charts.helm.render())


def build(charts, name):
    """(file, OCI layout)"""
    epoch = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
    return subprocess.run(
        [os.path.join(DEPLOY, "build_chart.py"), "--output",
         os.path.join(charts.folder, name)], check=True, text=True,
        capture_output=True, env=epoch).stdout.split()


def pushed(charts):
    """pushed to a registry by Helm, or as an OCI layout, it is found there"""
    file, layout = build(charts, "pushed")
    wanted = charts.helm.render()
    with Registry() as registry:
        charts.helm("push", file, f"oci://{registry.address}/helm",
                    "--plain-http")
        registry.load(layout, "layout/troupe")
        for name in ("helm", "layout"):
            got = charts.helm.render(
                "--plain-http", "--version", VERSION,
                chart=f"oci://{registry.address}/{name}/troupe")
            equal(got, wanted, name)


CASES = [same_objects, monitored, values, left_out, texts, refused, settings,
         packed, pushed]

if __name__ == "__main__":
    sys.exit(run(CASES, Charts, *sys.argv[1:2]))
