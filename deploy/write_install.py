#!/usr/bin/python3
"""Writes install.yaml: the Kustomization's objects in one file, for `kubectl
apply --server-side -f`.

    write_install.py [--folder default] [--image troupe:VERSION]
                     [--output FILE]

Needs no kubectl: it knows what our kustomization files use, and ends with an
error at all else. --folder: of deploy/, e.g. overlays/volcano. --image: as a
registry of yours has it.
"""

import argparse
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = {"apiVersion", "kind", "namespace", "labels", "resources", "patches",
         "images"}
FILES = ("kustomization.yaml", "Kustomization")
OF_CLUSTER = ("ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition",
              "MutatingWebhookConfiguration", "Namespace",
              "ValidatingWebhookConfiguration")
# What others need comes first; webhooks last, as they hold up what is written.
FIRST = ("Namespace", "CustomResourceDefinition", "ServiceAccount")
LAST = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
HEAD = """\
# Troupe {version}, an operator for training jobs, with the image {image}:
#
#   kubectl apply --server-side -f install.yaml
#
# So the next release, too. Where another command has written a field (kubectl
# apply -k, kubectl scale, kubectl edit), kubectl names it and leaves that
# object as it is: with --force-conflicts it does not. `kubectl delete -f`
# deletes the definitions, too, and so all jobs.
"""


def load(path):
    with open(path) as file:
        return [thing for thing in yaml.load_all(file, yaml.CSafeLoader)
                if thing]


def built(folder):
    """The objects of a folder with a kustomization file."""
    path = next(p for p in (os.path.join(folder, name) for name in FILES)
                if os.path.exists(p))
    (wanted,) = load(path)
    if unknown := set(wanted) - KNOWN:
        sys.exit(f"{path}: {', '.join(sorted(unknown))}: write_install.py "
                 "does not know it; teach it")
    objects = []
    for name in wanted["resources"]:
        source = os.path.join(folder, name)
        objects += built(source) if os.path.isdir(source) else load(source)
    for patch in wanted.get("patches", ()):
        objects = patched(objects, patch, folder)
    for thing in objects:
        change(thing, wanted)
    return objects


def change(thing, wanted):
    metadata = thing["metadata"]
    if "namespace" in wanted and thing["kind"] not in OF_CLUSTER:
        metadata["namespace"] = wanted["namespace"]
    template = thing.get("spec", {}).get("template")
    for labels in wanted.get("labels", ()):
        metadata.setdefault("labels", {}).update(labels["pairs"])
        if template and labels.get("includeTemplates"):
            template["metadata"].setdefault("labels", {}).update(
                labels["pairs"])
    for image in wanted.get("images", ()):
        for container in template["spec"]["containers"] if template else ():
            if container["image"] == image["name"]:
                container["image"] += ":" + image["newTag"]


# -- patches ------------------------------------------------------------------

def patched(objects, patch, folder):
    if "path" in patch:
        bodies = load(os.path.join(folder, patch["path"]))
    else:
        bodies = list(yaml.safe_load_all(patch["patch"]))
    for body in bodies:
        if isinstance(body, list):
            for thing in objects:
                if is_target(thing, patch["target"]):
                    for step in body:
                        take(thing, step)
        elif body.get("$patch") == "delete":
            target = patch.get("target") or {
                "kind": body["kind"], "name": body["metadata"]["name"]}
            objects = [o for o in objects if not is_target(o, target)]
        else:
            sys.exit(f"{folder}: a patch that write_install.py does not know; "
                     "teach it")
    return objects


def is_target(thing, target):
    return thing["kind"] == target["kind"] and re.fullmatch(
        target["name"], thing["metadata"]["name"])


def take(thing, step):
    """One step of a JSON patch."""
    *parents, last = step["path"].strip("/").split("/")
    for name in parents:
        thing = thing[int(name) if isinstance(thing, list) else name]
    if isinstance(thing, list):
        last = len(thing) if last == "-" else int(last)
    if step["op"] == "test":
        if thing[last] != step["value"]:
            sys.exit(f"{step['path']} is {thing[last]}, not {step['value']}")
    elif step["op"] == "remove":
        del thing[last]
    elif step["op"] == "replace":
        thing[last] = step["value"]
    elif step["op"] == "add" and isinstance(thing, list):
        thing.insert(last, step["value"])
    else:
        sys.exit(f"{step}: write_install.py does not know it; teach it")


# -- text ---------------------------------------------------------------------

class Dumper(yaml.SafeDumper):
    """Quotes what a reader of another version of YAML could take for a
    number."""

    def ignore_aliases(self, _):
        return True


def text_of(dumper, text):
    style = "'" if re.match(r"[-+.]?[0-9]", text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, text_of)


def rank(thing):
    kind = thing["kind"]
    return (FIRST.index(kind) if kind in FIRST else len(FIRST),
            kind in LAST)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--folder", default="default")
    parser.add_argument("--image")
    parser.add_argument("--output", metavar="FILE", default="-")
    args = parser.parse_args()
    objects = sorted(built(os.path.join(HERE, args.folder)), key=rank)
    with open(os.path.join(os.path.dirname(HERE), "CMakeLists.txt")) as file:
        version = re.search(r"project\(troupe VERSION (\S+)", file.read())[1]
    image = args.image or "troupe:" + version
    for thing in objects:
        if thing["kind"] == "Deployment":
            thing["spec"]["template"]["spec"]["containers"][0]["image"] = image
    text = HEAD.format(version=version, image=image) + yaml.dump_all(
        objects, Dumper=Dumper, sort_keys=False, explicit_start=True, width=80,
        default_flow_style=None, allow_unicode=True)
    if args.output == "-":
        sys.stdout.write(text)
    else:
        os.makedirs(os.path.dirname(args.output) or ".", exist_ok=True)
        with open(args.output, "w") as file:
            file.write(text)
        print(args.output)


if __name__ == "__main__":
    main()
