#!/usr/bin/python3
"""Writes crds/*.yaml: the definitions of the kinds of kubeflow.org, and those
of di_definitions.py.

The schema of a pod template is what Kubernetes publishes, so every field of a
template is known and a typo is refused when the job is created. Inside the
template descriptions are left out, which keeps each definition small enough for
a plain `kubectl apply` (262,144 bytes, as the annotation that it writes); all
other fields say what they are for.

    generate_crds.py                asks Go's module proxy for the schemas
    generate_crds.py --check        writes nothing, fails if a file differs
    generate_crds.py --openapi FILE --openapi FILE
        saved answers of /openapi/v3/api/v1 and /openapi/v3/apis/autoscaling/v2
"""

import argparse
import json
import os
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 262144  # bytes; all annotations of one object together
DOCUMENTS = ("v1", "autoscaling/v2")

TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
METRIC = "io.k8s.api.autoscaling.v2.MetricSpec"
SELECTOR = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"

sys.path.insert(0, HERE)
from di_definitions import di_definitions  # noqa: E402
from kubernetes_release import VERSION, openapi_files  # noqa: E402
from mpi_definition import mpi_fields, with_v2beta1  # noqa: E402
from policy_schemas import (  # noqa: E402
    failure_policy, progress_policy, progress_status, recovery_status,
    replica_recovery_status, success_policy)
from small_schemas import (
    custom_resource,  # noqa: E402
    AGE, describe, flag, instant, int_or_string, items, mapping, object_meta,
    quantity, record, text, whole)
from words import FIELDS, KIND_FIELDS, KIND_NAMES  # noqa: E402

HEADER = ("# Written by deploy/generate_crds.py: change that, run it again.\n"
          f"# The pod template is that of Kubernetes {VERSION}.\n")

# What is kept of a published schema. Not kept: descriptions (what is not inside
# a pod template gets ours, from words.py); enumerations (a
# newer cluster knows more values, and a template's restartPolicy is replaced
# anyway); how strategic merge patches work, which custom resources lack.
KEPT = ("type", "format", "required", "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys", "x-kubernetes-map-type")


# -- published schemas -------------------------------------------------------

LEAVES = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": quantity,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": int_or_string,
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": object_meta,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": instant,
}


class Published:
    """The schemas of an API server, with nothing left to refer to."""

    def __init__(self, documents):
        self.schemas = {}
        for document in documents:
            self.schemas.update(document["components"]["schemas"])

    def named(self, name):
        if name in LEAVES:
            return LEAVES[name]()
        return self.resolve(self.schemas[name])

    def resolve(self, schema):
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[1])
        if "allOf" in schema:  # a reference beside a description or default
            (only,) = schema["allOf"]
            return self.resolve(only)
        kept = {key: schema[key] for key in KEPT if key in schema}
        if "items" in schema:
            kept["items"] = self.resolve(schema["items"])
        if "additionalProperties" in schema:
            kept["additionalProperties"] = self.resolve(
                schema["additionalProperties"])
        if "properties" in schema:
            kept["properties"] = {
                name: self.member(name, schema) for name in
                sorted(schema["properties"])}
        return kept

    def member(self, name, parent):
        published = parent["properties"][name]
        schema = self.resolve(published)
        # A required field's default is Go's zero value: it would fill in
        # what has to be refused. `{}` says nothing.
        if name not in parent.get("required", ()) \
                and published.get("default", {}) != {}:
            schema["default"] = published["default"]
        return schema


# -- the kinds ---------------------------------------------------------------

def run_policy():
    queue = text(**{"x-kubernetes-validations": [{
        "rule": "self == oldSelf",
        "message": "spec.runPolicy.schedulingPolicy.queue is immutable"}]})
    return record({
        "activeDeadlineSeconds": whole(64),
        "backoffLimit": whole(),
        "cleanPodPolicy": text(),
        "failurePolicy": failure_policy(),
        "managedBy": text(),
        "progress": progress_policy(),
        "schedulingPolicy": record({
            "minAvailable": whole(),
            "minResources": mapping(quantity()),
            "priorityClass": text(),
            "queue": queue,
            "scheduleTimeoutSeconds": whole()}),
        "successPolicy": success_policy(),
        "suspend": flag(default=False),
        "ttlSecondsAfterFinished": whole()})


def status(published):
    condition = record({
        "lastTransitionTime": instant(), "lastUpdateTime": instant(),
        "message": text(), "reason": text(), "status": text(),
        "type": text()}, required=("status", "type"))
    replicas = record(dict(sorted({
        "active": whole(), "failed": whole(),
        "labelSelector": published.named(SELECTOR),
        "selector": text(), "succeeded": whole(),
        **replica_recovery_status()}.items())))
    restarts = items(record({
        "count": whole(), "pod": text(), "uid": text()}))
    return record(dict(sorted({
        "completionTime": instant(), "conditions": items(condition),
        "lastReconcileTime": instant(), "replicaStatuses": mapping(replicas),
        "restarts": restarts, "startTime": instant(),
        **progress_status(),
        **recovery_status()}.items())))


def elastic(**more):
    bounds = ("maxReplicas", "maxRestarts", "minReplicas")
    return lambda published: record(dict(sorted({
        **{name: whole() for name in bounds},
        "metrics": items(published.named(METRIC)), **more}.items())))


PYTORCH_ELASTIC = elastic(
    nProcPerNode=whole(), rdzvBackend=text(), rdzvHost=text(), rdzvId=text(),
    rdzvConf=items(record({"key": text(), "value": text()})),
    rdzvPort=whole(), standalone=flag())

# Kind: replica map, further fields of spec (a schema, or a function of the
# published ones), further required fields, scale subresource, columns.
STATE = {"name": "State", "type": "string",
         "jsonPath": ".status.conditions[-1:].type"}
PROGRESS = {"name": "Progress", "type": "integer", "priority": 1,
            "jsonPath": ".status.progress.percent"}
KINDS = {
    "TFJob": ("tfReplicaSpecs", {
        "enableDynamicWorker": flag(), "successPolicy": text()},
        (), False, (STATE, AGE, PROGRESS)),
    "PyTorchJob": ("pytorchReplicaSpecs", {
        "elasticPolicy": PYTORCH_ELASTIC, "nprocPerNode": text()},
        (), True, (STATE, AGE, PROGRESS)),
    "XGBoostJob": ("xgbReplicaSpecs", {}, (), False, (STATE, AGE, PROGRESS)),
    "MPIJob": ("mpiReplicaSpecs", mpi_fields(), (), False, (AGE, STATE, PROGRESS)),
    "PaddleJob": ("paddleReplicaSpecs", {
        "elasticPolicy": elastic()}, (), True, (STATE, AGE, PROGRESS)),
    "JAXJob": ("jaxReplicaSpecs", {}, (), True, (STATE, AGE, PROGRESS)),
    "MXJob": ("mxReplicaSpecs", {"jobMode": text()},
              ("jobMode",), False, (STATE, AGE, PROGRESS)),
}


def definition(kind, published):
    if kind not in KIND_NAMES:
        raise ValueError(f"no description of {kind}: add it to KIND_NAMES in "
                         "deploy/words.py")
    replicas, more, required, scale, columns = KINDS[kind]
    fields = {name: field(published) if callable(field) else field
              for name, field in more.items()}
    fields["runPolicy"] = run_policy()
    # The one copy of the template: every replica type shares it.
    fields[replicas] = mapping(record({
        "replicas": whole(), "restartPolicy": text(),
        "template": published.named(TEMPLATE)}))
    schema = record({
        "apiVersion": text(), "kind": text(), "metadata": {"type": "object"},
        "spec": record(dict(sorted(fields.items())),
                       sorted((replicas, *required))),
        "status": status(published)})
    describe(schema, {**FIELDS, **KIND_FIELDS.get(kind, {})},
             f'KIND_FIELDS["{kind}"]')
    subresources = {"status": {}}
    if scale:
        worker = ".status.replicaStatuses.Worker"
        subresources["scale"] = {
            "specReplicasPath": f".spec.{replicas}.Worker.replicas",
            "statusReplicasPath": worker + ".active",
            "labelSelectorPath": worker + ".selector"}
    return custom_resource("kubeflow.org", "v1", kind, schema, KIND_NAMES[kind],
                           columns, subresources)


# -- writing -----------------------------------------------------------------

class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def files(published):
    """File name -> content. Raises ValueError where one grew too big."""
    made = {}
    bodies = [definition(kind, published) for kind in KINDS]
    with_v2beta1(bodies[list(KINDS).index("MPIJob")])
    for body in [*bodies, *di_definitions()]:
        spec = body["spec"]
        name = f"{spec['group']}_{spec['names']['plural']}.yaml"
        made[name] = HEADER + yaml.dump(
            body, Dumper=Dumper, sort_keys=False, width=100,
            default_flow_style=None)
        annotation = json.dumps(body, separators=(",", ":"))
        if len(annotation) >= LIMIT:
            raise ValueError(
                f"{name}: the annotation has {len(annotation)} bytes")
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--openapi", action="append", metavar="FILE",
                        help="a saved answer, instead of the Go module")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit with 1 if a file differs")
    args = parser.parse_args()
    documents = []
    for name in args.openapi or map(openapi_files().get, DOCUMENTS):
        with open(name) as file:
            documents.append(json.load(file))
    differing = 0
    for name, content in files(Published(documents)).items():
        path = os.path.join(HERE, "crds", name)
        if os.path.exists(path):
            with open(path) as file:
                if file.read() == content:
                    continue
        differing += 1
        print(("differs: " if args.check else "written: ") + name)
        if not args.check:
            with open(path, "w") as file:
                file.write(content)
    return 1 if args.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
