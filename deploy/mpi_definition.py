"""The definition of MPIJobs: v1 (of the training operator) and v2beta1 (of
mpi-operator) under one name (docs/adr/, 0015).

Nobody converts: the API server changes nothing but `apiVersion`. What is
written is pruned by the schema of the request's version and by that of the
version that is stored, so both have the same fields. They differ in defaults
and rules. The API server applies those of the request's version to what is
written, and the defaults of the version in which it was stored to what is read.

In each version that version is the default of `spec.createdAs`, which cannot be
changed. So it says for ever in which version a job was created.
"""

from small_schemas import describe, flag, record, text, version_of, whole
from words import MPI_V2BETA1, MPI_V2BETA1_FIELDS

STORED, OTHER = "v1", "v2beta1"
CREATED_AS = ("cannot be changed; a job that was created as {other} is to be "
              "written through kubeflow.org/{other}")

# What the pod template of mpi-operator has beside ours: Kubernetes 1.35 had it.
WORKLOAD_REF = record({"name": text(), "podGroup": text(),
                       "podGroupReplicaKey": text()},
                      required=("name", "podGroup"))

HAS_MANAGER = "has({0}.runPolicy) && has({0}.runPolicy.managedBy)"
OURS, KUEUE = "kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue"
# A job of v1 that is written through v2beta1 has the values of v1.
KNOWN_MANAGER = (
    "!(" + HAS_MANAGER.format("self") + ") "
    "|| (has(self.createdAs) && self.createdAs == 'v1') "
    f"|| self.runPolicy.managedBy in ['{OURS}', '{KUEUE}']")
SAME_MANAGER = "({}) == ({})".format(HAS_MANAGER.format("self"),
                                     HAS_MANAGER.format("oldSelf"))
LAUNCHER_POLICIES = ["AtStartup", "WaitForWorkersReady"]


def rules(*pairs):
    return {"x-kubernetes-validations": [
        {"rule": text, "message": message} for text, message in pairs]}


def created_as(own, other):
    return text(default=own, enum=[STORED, OTHER], **rules(
        ("self == oldSelf", CREATED_AS.format(other=other))))


def mpi_fields():
    """Of `spec` beside the replicas and the run policy, in v1: there nothing
    but createdAs has a default."""
    return {"cleanPodPolicy": text(), "createdAs": created_as(STORED, OTHER),
            "launcherCreationPolicy": text(), "mainContainer": text(),
            "mpiImplementation": text(), "runLauncherAsWorker": flag(),
            "slotsPerWorker": whole(), "sshAuthMountPath": text()}


def below(schema, *names):
    for name in names:
        schema = schema["properties"][name]
    return schema


def widen_template(schema):
    replica = below(schema, "spec", "mpiReplicaSpecs")["additionalProperties"]
    pod = below(replica, "template", "spec")
    pod["properties"] = dict(sorted({
        **pod["properties"], "workloadRef": WORKLOAD_REF}.items()))


def take_rules_of_v2beta1(schema):
    spec = below(schema, "spec")
    spec["properties"]["createdAs"] = created_as(OTHER, STORED)
    for name, more in {
            "launcherCreationPolicy": {"default": "AtStartup",
                                       "enum": LAUNCHER_POLICIES},
            "mpiImplementation": {"default": "OpenMPI",
                                  "enum": ["OpenMPI", "Intel", "MPICH"]},
            "runLauncherAsWorker": {"default": False},
            "slotsPerWorker": {"default": 1},
            "sshAuthMountPath": {"default": "/root/.ssh"}}.items():
        below(spec, name).update(more)
    spec.update(rules(
        (SAME_MANAGER, "runPolicy.managedBy cannot be added or removed"),
        (KNOWN_MANAGER, "runPolicy.managedBy is neither " + OURS + " nor "
         + KUEUE)))
    below(spec, "runPolicy", "managedBy").update(rules(
        ("self == oldSelf", "cannot be changed")))
    # In v1 it cannot be changed.
    del below(spec, "runPolicy", "schedulingPolicy", "queue")[
        "x-kubernetes-validations"]
    conditions = below(schema, "status", "conditions")
    conditions.update({"x-kubernetes-list-type": "map",
                       "x-kubernetes-list-map-keys": ["type"]})
    below(conditions["items"], "status")["enum"] = ["True", "False", "Unknown"]


def without_descriptions(schema):
    if isinstance(schema, list):
        return [without_descriptions(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    # A field may have that name.
    return {name: without_descriptions(part) for name, part in schema.items()
            if name != "description" or isinstance(part, dict)}


def with_v2beta1(definition):
    """Adds it to a definition of v1 whose `spec` has mpi_fields."""
    (v1,) = definition["spec"]["versions"]
    schema = v1["schema"]["openAPIV3Schema"]
    widen_template(schema)
    schema = without_descriptions(schema)
    take_rules_of_v2beta1(schema)
    describe(schema, MPI_V2BETA1_FIELDS, "MPI_V2BETA1_FIELDS")
    # The API server has its own for this one, and wants none here.
    del schema["properties"]["metadata"]["description"]
    definition["spec"]["versions"].append(version_of(
        OTHER, schema, MPI_V2BETA1, v1["additionalPrinterColumns"],
        v1["subresources"], storage=False))
