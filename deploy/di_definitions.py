"""The definitions of diengine.opendilab.org/v1alpha1.

A DIJob has up to three pod templates, each larger than what `kubectl apply` can
annotate, if it were published in full. So of a template only its metadata, and
what most containers have, is typed; all else is kept as it is, and checked when
the pod is created.
"""

from small_schemas import (
    AGE, custom_resource, describe, instant, items, mapping, object_meta,
    quantity, record, text, whole)
from words import DI_FIELDS, KIND_NAMES

GROUP = "diengine.opendilab.org"
VERSION = "v1alpha1"
PHASE = {"name": "Phase", "type": "string", "jsonPath": ".status.phase"}


def open_record(properties, required=()):
    return {**record(properties, required),
            "x-kubernetes-preserve-unknown-fields": True}


def container():
    return open_record({
        "args": items(text()), "command": items(text()),
        "env": items(open_record({"name": text(), "value": text()},
                                 required=("name",))),
        "image": text(), "imagePullPolicy": text(), "name": text(),
        "ports": items(open_record({
            "containerPort": whole(), "name": text(), "protocol": text()},
            required=("containerPort",))),
        "resources": open_record({"limits": mapping(quantity()),
                                  "requests": mapping(quantity())}),
        "volumeMounts": items(open_record({
            "mountPath": text(), "name": text()},
            required=("mountPath", "name"))),
        "workingDir": text()}, required=("name",))


def section():
    spec = open_record({
        "containers": items(container()),
        "initContainers": items(container()),
        "nodeSelector": mapping(text()), "restartPolicy": text(),
        "schedulerName": text(), "serviceAccountName": text(),
        "volumes": volumes()}, required=("containers",))
    return record({"template": record({
        "metadata": object_meta(), "spec": spec}, required=("spec",))},
        required=("template",))


def volumes():
    return items(open_record({"name": text()}, required=("name",)))


def job_status():
    condition = record({
        "lastTransitionTime": instant(), "lastUpdateTime": instant(),
        "message": text(), "reason": text(), "status": text(),
        "type": text()}, required=("status", "type"))
    return record({
        "conditions": items(condition), "phase": text(),
        "replicaStatus": mapping(record({
            "active": whole(), "failed": whole(), "succeeded": whole()}))})


def job():
    return {
        "spec": record({
            "cleanPodPolicy": text(), "collector": section(),
            "coordinator": section(), "group": text(), "learner": section(),
            "priorityClassName": text(), "volumes": volumes()},
            required=("coordinator",)),
        "status": job_status()}


def aggregator_config():
    return {"spec": record({"aggregator": section()},
                           required=("aggregator",))}


def definition(kind, short_name, columns, properties):
    schema = record({"apiVersion": text(), "kind": text(),
                     "metadata": {"type": "object"}, **properties})
    describe(schema, DI_FIELDS)
    return custom_resource(GROUP, VERSION, kind, schema, KIND_NAMES[kind],
                           columns, {"status": {}}, [short_name])


def di_definitions():
    return [
        definition("DIJob", "dijob", (PHASE, AGE), job()),
        definition("AggregatorConfig", "agconfig", (AGE,),
                   aggregator_config())]
