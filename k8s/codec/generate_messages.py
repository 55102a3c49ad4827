#!/usr/bin/python3
"""Writes kubernetes_messages.inc: which fields the messages of built-in
resources have, as Kubernetes publishes them in its Go modules. Names, numbers,
types, and how server-side apply merges them; nothing else is taken.

    generate_messages.py            asks Go's module proxy
    generate_messages.py --check    writes nothing, fails if the file differs
    generate_messages.py --kubernetes 1.34.1 --print
        those of another Kubernetes, to compare

Numbers and types are those of generated.proto; which fields are pointers in Go,
and so can be zero, those of types.go; the rest is of the OpenAPI documents.
message_table.hpp says how the lines read.
"""

import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "deploy"))
from kubernetes_release import (  # noqa: E402
    VERSION, module_folder, openapi_files)

OUTPUT = os.path.join(HERE, "kubernetes_messages.inc")
API = "k8s.io.api."
META = "k8s.io.apimachinery.pkg.apis.meta.v1."

# Package -> the messages that requests consist of; what these have in their
# fields comes with them.
ROOTS = {
    API + "core.v1": (
        "Binding", "ConfigMap", "Endpoints", "Event", "LimitRange",
        "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim",
        "Pod", "PodTemplate", "ReplicationController", "ResourceQuota",
        "Secret", "Service", "ServiceAccount"),
    API + "apps.v1": (
        "ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet",
        "StatefulSet"),
    API + "batch.v1": ("CronJob", "Job"),
    API + "events.v1": ("Event",),
    API + "coordination.v1": ("Lease",),
    API + "rbac.v1": (
        "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    API + "scheduling.v1": ("PriorityClass",),
    API + "storage.v1": ("StorageClass",),
    API + "autoscaling.v2": ("HorizontalPodAutoscaler",),
    API + "policy.v1": ("PodDisruptionBudget",),
    API + "networking.v1": ("Ingress", "NetworkPolicy"),
    API + "discovery.v1": ("EndpointSlice",),
    API + "admissionregistration.v1": (
        "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    API + "authentication.v1": (
        "SelfSubjectReview", "TokenRequest", "TokenReview"),
    API + "authorization.v1": (
        "LocalSubjectAccessReview", "SelfSubjectAccessReview",
        "SelfSubjectRulesReview", "SubjectAccessReview"),
    META.rstrip("."): ("DeleteOptions",),
}

TYPES = {
    "string": "text", "bytes": "bytes", "bool": "flag", "int32": "number",
    "int64": "number",
    META + "Time": "time", META + "MicroTime": "micro-time",
    "k8s.io.apimachinery.pkg.api.resource.Quantity": "quantity",
    "k8s.io.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    "k8s.io.apimachinery.pkg.runtime.RawExtension": "raw",
    # Not looked into.
    META + "ManagedFieldsEntry": "ignored",
    API + "authentication.v1.AttestationValue": "ignored",
    API + "authentication.v1.ExtraValue": "ignored",
    API + "authorization.v1.ExtraValue": "ignored",
}

MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(
    r"^\s+(?:(optional|repeated)\s+(\S+)|map<string, (\S+)>)\s+(\w+) = (\d+);",
    re.M)
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.M | re.S)
MEMBER = re.compile(
    r'^\t(?:\w+\s+)?(\S+)\s+`json:"(\w*)([^"]*)"[^`]*protobuf:"\w+,(\d+)',
    re.M)


class Field:
    def __init__(self, label, single, of_map, name, number, package):
        self.name, self.number = name, int(number)
        self.can_be_unset = False  # though it is no pointer in Go
        self.is_list, self.is_map = label == "repeated", bool(of_map)
        kind = single or of_map
        if kind[0] == ".":
            kind = kind[1:]
        elif kind[0].isupper():  # of the same package
            kind = f"{package}.{kind}"
        self.type = TYPES.get(kind, kind)


class Published:
    """What one release of Kubernetes publishes."""

    def __init__(self, version):
        self.version = version
        self.messages = {}  # full name -> fields
        self.schemas = {}  # full name -> OpenAPI schema
        for name, path in openapi_files(version).items():
            if not re.search(r"v\d+$", name):
                continue
            with open(path) as file:
                found = json.load(file)["components"]["schemas"]
            self.schemas.update(
                (key.replace("io.k8s.", "k8s.io.", 1), schema)
                for key, schema in found.items())

    def read_package(self, package):
        module, _, path = package.removeprefix("k8s.io.").partition(".")
        folder = os.path.join(module_folder("k8s.io/" + module, self.version),
                              *path.split("."))
        with open(os.path.join(folder, "generated.proto")) as file:
            for name, body in MESSAGE.findall(file.read()):
                self.messages[f"{package}.{name}"] = [
                    Field(*found, package) for found in FIELD.findall(body)]
        with open(os.path.join(folder, "types.go")) as file:
            for name, body in STRUCT.findall(file.read()):
                self.read_struct(self.messages.get(f"{package}.{name}", ()),
                                 body)

    def read_struct(self, fields, body):
        """What JSON calls the fields: "" if their fields are the message's."""
        by_number = {field.number: field for field in fields}
        for kind, name, options, number in MEMBER.findall(body):
            if field := by_number.get(int(number)):
                field.name = name
                field.can_be_unset = kind[0] != "*" and re.search(
                    "omitempty|omitzero", options)

    def fields(self, full):
        if full not in self.messages:
            self.read_package(full.rpartition(".")[0])
        return self.messages[full]

    def schema(self, full):
        """That of a message whose fields others have as their own, which is
        not published, is any of theirs."""
        if full in self.schemas:
            return self.schemas[full]
        return next(self.schema(other)
                    for other, fields in self.messages.items()
                    for field in fields if field.type == full)

    def of_field(self, full, field):
        """The schema of a field; none if its fields are those of `full`."""
        return self.schema(full)["properties"][field.name] if field.name \
            else {}

    def reached(self):
        """The roots and all that their fields consist of."""
        found, left = set(), [f"{package}.{name}"
                              for package, names in ROOTS.items()
                              for name in names]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += [field.type for field in self.fields(name)
                         if "." in field.type]
        return found


def short_names(reached):
    """Full name -> name in the table. Where two have the same, the one that is
    not of the core group has its group before it."""
    names = {}
    for full in sorted(reached):
        package, _, name = full.rpartition(".")
        if package != API + "core.v1" and any(
                other != full and other.endswith("." + name)
                for other in reached):
            name = package.split(".")[-2] + "." + name
        if name in names.values():
            raise ValueError(f"two messages would be called {name}")
        names[full] = name
    return names


def merging(field, schema):
    """What stands between the name of a field and its type."""
    if field.type == "ignored":
        return ""
    kind = schema.get("x-kubernetes-map-type")
    marks = "!" if kind == "atomic" else ""
    if kind == "granular" and not field.is_map:
        marks = "~"
    if field.is_map:
        marks += "map:"
    if field.is_list:
        marks += "*"
        if schema.get("x-kubernetes-list-type") in ("set", "map"):
            keys = schema.get("x-kubernetes-list-map-keys", ())
            marks += ",".join(keys) + "="
    return marks


def lines_of(full, published, names, keys):
    """`keys`: the fields by which lists are merged."""
    atomic = published.schemas.get(full, {}).get(
        "x-kubernetes-map-type") == "atomic"
    yield names[full] + (" !" if atomic else "")
    for field in sorted(published.fields(full), key=lambda f: f.number):
        of_field = published.of_field(full, field)
        kind = names.get(field.type, field.type)
        line = f"  {field.number} {field.name or '-'} "
        line += merging(field, of_field)
        line += kind
        if kind in ("number", "flag") and not field.is_list \
                and field.can_be_unset:
            line += "?"
        default = of_field.get("default")
        if (full, field.name) in keys and kind == "text" and default:
            line += f"={default}"
        yield line


def keys_of_lists(published, reached):
    found = set()
    for full in reached:
        for field in published.fields(full):
            schema = published.of_field(full, field)
            for key in schema.get("x-kubernetes-list-map-keys", ()):
                found.add((field.type, key))
    return found


def table(version):
    published = Published(version)
    reached = published.reached()
    names = short_names(reached)
    keys = keys_of_lists(published, reached)
    return "".join(
        line + "\n"
        for full in sorted(reached, key=names.get)
        for line in lines_of(full, published, names, keys))


def content(version):
    return (
        "// Written by generate_messages.py: change that, run it again. The\n"
        f"// definitions are those of Kubernetes {version}: of generated.proto "
        "and\n// types.go in the modules k8s.io/api and k8s.io/apimachinery, "
        "and of\n// api/openapi-spec in k8s.io/kubernetes.\n"
        f'const std::string_view kubernetes_version = "{version}";\n'
        f'const std::string_view message_table = R"({table(version)})";\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit with 1 if the file differs")
    parser.add_argument("--kubernetes", default=VERSION, metavar="VERSION")
    parser.add_argument("--print", action="store_true",
                        help="print the table and write nothing")
    args = parser.parse_args()
    if args.print:
        print(table(args.kubernetes), end="")
        return 0
    made = content(args.kubernetes)
    there = None
    if os.path.exists(OUTPUT):
        with open(OUTPUT) as file:
            there = file.read()
    if made == there:
        return 0
    print(("differs: " if args.check else "written: ")
          + os.path.basename(OUTPUT))
    if args.check:
        return 1
    with open(OUTPUT, "w") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
