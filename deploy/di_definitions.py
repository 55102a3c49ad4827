"""The definitions of diengine.opendilab.org: v1alpha1, and of DIJobs v2alpha1.

A DIJob is made in one version and can be read in the other: the operator
converts it when the API server asks. v1alpha1 is stored, so nobody is asked
about jobs of that version in that version. v2alpha1 is not served as the
definition lies here, because the API server's own controllers read the newest
version that is served, and they would have to wait for an operator that is not
there; default/serve_v2alpha1.yaml serves it (docs/adr/, 0010).

A DIJob has up to three pod templates, each larger than what `kubectl apply` can
annotate, if it were published in full. So of a template only its metadata, and
what most containers have, is typed; all else is kept as it is, and checked when
the pod is created.
"""

from small_schemas import (
    AGE, custom_resource, describe, flag, instant, items, mapping, object_meta,
    quantity, record, text, version_of, whole)
from words import DI_FIELDS, DI_TASK_FIELDS, DI_TASKS, KIND_NAMES

GROUP = "diengine.opendilab.org"
VERSION = "v1alpha1"
TASKS_VERSION = "v2alpha1"
PHASE = {"name": "Phase", "type": "string", "jsonPath": ".status.phase"}
COUNTS = tuple({"name": name[0].upper() + name[1:], "type": "integer",
                "jsonPath": ".status." + name} for name in
               ("readyReplicas", "replicas", "restarts", "reschedules"))


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


def template(required=()):
    spec = open_record({
        "containers": items(container()),
        "initContainers": items(container()),
        "nodeSelector": mapping(text()), "restartPolicy": text(),
        "schedulerName": text(), "serviceAccountName": text(),
        "volumes": volumes()}, required=("containers",))
    return record({"metadata": object_meta(), "spec": spec}, required)


def section():
    return record({"template": template(required=("spec",))},
                  required=("template",))


def volumes():
    return items(open_record({"name": text()}, required=("name",)))


def condition():
    return record({
        "lastTransitionTime": instant(), "lastUpdateTime": instant(),
        "message": text(), "reason": text(), "status": text(),
        "type": text()}, required=("status", "type"))


def job_status():
    return record({
        "conditions": items(condition()), "phase": text(),
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


def job_of_tasks():
    task = record({
        "name": text(), "replicas": whole(default=1, minimum=1),
        "template": template(),
        "type": text(enum=["learner", "collector", "evaluator", "none"])})
    return {
        "spec": record({
            "backoffLimit": whole(default=3),
            "cleanPodPolicy": text(default="Running",
                                   enum=["Running", "All", "None"]),
            "preemptible": flag(default=False),
            "priority": text(default="normal", enum=["normal", "high"]),
            "tasks": items(task), "volumes": volumes()}, required=("tasks",)),
        "status": record({
            "allocation": items(text()), "completionTimestamp": instant(),
            "conditions": items(condition()), "phase": text(default="Pending"),
            "profilings": {"type": "object"}, "readyReplicas": whole(),
            "replicas": whole(), "reschedules": whole(default=0),
            "restarts": whole(default=0),
            "taskStatus": mapping(mapping(whole()))})}


def aggregator_config():
    return {"spec": record({"aggregator": section()},
                           required=("aggregator",))}


def object_schema(properties, words, table):
    schema = record({"apiVersion": text(), "kind": text(),
                     "metadata": {"type": "object"}, **properties})
    describe(schema, words, table)
    # The API server has its own for this one, and wants none here.
    del schema["properties"]["metadata"]["description"]
    return schema


def definition(kind, short_name, columns, properties):
    schema = object_schema(properties, DI_FIELDS, "DI_FIELDS")
    return custom_resource(GROUP, VERSION, kind, schema, KIND_NAMES[kind],
                           columns, {"status": {}}, [short_name])


def di_definitions():
    jobs = definition("DIJob", "dijob", (PHASE, AGE), job())
    jobs["spec"]["versions"].append(version_of(
        TASKS_VERSION,
        object_schema(job_of_tasks(), DI_TASK_FIELDS, "DI_TASK_FIELDS"),
        DI_TASKS, (PHASE, *COUNTS, AGE), {"status": {}}, served=False,
        storage=False))
    jobs["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {
        "clientConfig": {"service": {
            "name": "training-operator", "namespace": "kubeflow",
            "path": "/convert"}},
        "conversionReviewVersions": ["v1"]}}
    return [
        jobs,
        definition("AggregatorConfig", "agconfig", (AGE,),
                   aggregator_config())]
