"""Helm, the chart, and what Helm prints of it."""

import os
import subprocess

import yaml

import assets  # of ../cluster
from checks import equal
from operators.shipped_objects import DEPLOY, NAMESPACE

CHART = os.path.join(DEPLOY, "chart")
RELEASE = "training-operator"
with open(os.path.join(CHART, "Chart.yaml")) as file:
    VERSION = yaml.safe_load(file)["version"]
# What Helm writes: who installed an object, and that definitions stay.
OWNER = "meta.helm.sh/release-name"
OF_HELM = (OWNER, "meta.helm.sh/release-namespace", "helm.sh/resource-policy")


class Helm:
    """Its configuration and caches are in `folder`."""

    def __init__(self, folder, kubeconfig=os.devnull):
        self.program, self.folder = assets.helm(), folder
        self.kubeconfig = kubeconfig

    def __call__(self, *arguments, fails=False, namespace=NAMESPACE):
        """What it prints; of a failure, what it says."""
        done = subprocess.run(
            [self.program, *arguments, "--kubeconfig", self.kubeconfig,
             "--namespace", namespace], text=True, capture_output=True,
            env=dict(os.environ, HOME=self.folder))
        said = done.stdout + "".join(
            line + "\n" for line in done.stderr.splitlines()
            if "symbolic link" not in line)
        equal(bool(done.returncode), fails, said)
        return said if fails else done.stdout

    def render(self, *values, chart=CHART, **more):
        """(kind, namespace, name) -> object."""
        return by_name(self("template", RELEASE, chart, "--kube-version",
                            assets.VERSION, *values, **more))


def by_name(text):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]):
            o for o in yaml.load_all(text, loader) if o}


def without_marks(thing):
    """The object without Helm's annotations."""
    notes = thing["metadata"].get("annotations", {})
    for name in OF_HELM:
        notes.pop(name, None)
    if not notes:
        thing["metadata"].pop("annotations", None)
    return thing
