#!/usr/bin/python3
"""Writes the lists of kinds in rbac/, overlays/, webhook/ and crds/Kustomization
from the definitions in crds/, which `generate_crds.py` writes.

    list_kinds.py            writes the files that differ
    list_kinds.py --check    writes nothing; fails, and names the file

A list is a run of lines `- tfjobs`, or `- tfjobs/status`, of kinds of
kubeflow.org: each such run gets every kind, `/scale` those that have it. The
configuration of webhooks gets an entry for each version of a kind. To leave a
kind out on purpose, write its list in brackets: `[tfjobs, mxjobs]`.
"""

import argparse
import glob
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
GROUP = "kubeflow.org"
LISTS = ("overlays/kueue/role.yaml", "overlays/kueue-pods/role.yaml",
         "rbac/role.yaml", "rbac/users/roles.yaml")
WEBHOOKS = "webhook/configuration.yaml"
KUSTOMIZATION = "crds/Kustomization"
ITEM = re.compile(r"( +)- ([a-z]+)(/[a-z]+)?(?: *#.*)?$")
# Each is called for writes through the other versions, too, and reviews the
# jobs that were created in its own.
WEBHOOK = """\
  - name: validator.{kind}{suffix}.training-operator.kubeflow.org
    admissionReviewVersions: [v1]
    clientConfig:
      service:
        name: training-operator
        namespace: kubeflow
        path: /validate-kubeflow-org-{version}-{kind}
    failurePolicy: Fail
    rules:
      - apiGroups: [kubeflow.org]
        apiVersions: [{version}]
        operations: [CREATE, UPDATE]
        resources: [{plural}]
    sideEffects: None
"""


def path_of(name):
    return os.path.join(HERE, name)


def read(name):
    with open(path_of(name)) as file:
        return file.read()


def definitions():
    """Of our kinds in kubeflow.org: plural -> definition."""
    result = {}
    for path in sorted(glob.glob(path_of(f"crds/{GROUP}_*.yaml"))):
        with open(path) as file:
            definition = yaml.load(file, yaml.CSafeLoader)
        result[definition["spec"]["names"]["plural"]] = definition
    return result


def has_scale(definition):
    return any("scale" in version.get("subresources", {})
               for version in definition["spec"]["versions"])


def with_kinds_in_lists(text, kinds):
    lines, result, at = text.split("\n"), [], 0
    while at < len(lines):
        match = ITEM.match(lines[at])
        if not match or match[2] not in kinds:
            result.append(lines[at])
            at += 1
            continue
        indent, part = match[1], match[3] or ""
        while at < len(lines):
            item = ITEM.match(lines[at])
            if not item or item[1] != indent or (item[3] or "") != part:
                break
            at += 1
        result += [f"{indent}- {plural}{part}"
                   for plural, definition in sorted(kinds.items())
                   if part != "/scale" or has_scale(definition)]
    return "\n".join(result)


def suffix_of(version):
    """As the training operator has it for those of v1."""
    return "" if version == "v1" else "-" + version


def with_webhooks(text, kinds):
    begin = text.index("webhooks:\n") + len("webhooks:\n")
    end = text.index("---\n", begin)
    entries = "".join(
        WEBHOOK.format(plural=plural, version=version["name"],
                       suffix=suffix_of(version["name"]),
                       kind=definition["spec"]["names"]["singular"])
        for plural, definition in sorted(kinds.items())
        for version in definition["spec"]["versions"])
    return text[:begin] + entries + text[end:]


def with_definitions(text):
    begin = text.index("resources:\n") + len("resources:\n")
    files = sorted(os.path.basename(path)
                   for path in glob.glob(path_of("crds/*.yaml")))
    return text[:begin] + "".join(f"  - {name}\n" for name in files)


def texts():
    """file -> its text as it should be."""
    kinds = definitions()
    result = {name: with_kinds_in_lists(read(name), kinds) for name in LISTS}
    result[WEBHOOKS] = with_webhooks(read(WEBHOOKS), kinds)
    result[KUSTOMIZATION] = with_definitions(read(KUSTOMIZATION))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    different = 0
    for name, text in texts().items():
        if text == read(name):
            continue
        different += 1
        if check:
            print(f"deploy/{name}: its lists are not those of deploy/crds; run "
                  "deploy/list_kinds.py")
        else:
            with open(path_of(name), "w") as file:
                file.write(text)
            print(f"wrote deploy/{name}")
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
