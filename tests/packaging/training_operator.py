"""What a cluster has of the Kubeflow training operator v1.9: the names, labels
and fields of its objects as its documentation and installations show them."""

import glob
import os

import yaml

from cluster import CRDS  # of ../cluster
from jobs.upstream_fields import remove_own_fields
from operators.shipped_objects import ACCOUNT, NAMESPACE
from operators.training_operator import SECRET

LABEL = {"control-plane": "kubeflow-training-operator"}
KINDS = ("jax", "mpi", "paddle", "pytorch", "tf", "xgboost")


def named(kind, api, name=ACCOUNT, labels=LABEL, **more):
    return {"apiVersion": api, "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE,
                         "labels": dict(labels)}, **more}


def deployment():
    def from_field(path):
        return {"fieldRef": {"fieldPath": path}}

    container = {
        "name": "training-operator", "command": ["/manager"],
        "image": "registry.example/training-operator:v1.9",
        "env": [{"name": "MY_POD_NAMESPACE",
                 "valueFrom": from_field("metadata.namespace")},
                {"name": "MY_POD_NAME",
                 "valueFrom": from_field("metadata.name")}],
        "ports": [{"containerPort": 8080}, {
            "containerPort": 9443, "name": "webhook-server"}],
        "volumeMounts": [{"name": "cert", "readOnly": True, "mountPath":
                          "/tmp/k8s-webhook-server/serving-certs"}]}
    return named("Deployment", "apps/v1", spec={
        "replicas": 1, "selector": {"matchLabels": LABEL},
        "template": {"metadata": {"labels": LABEL}, "spec": {
            "containers": [container], "serviceAccountName": ACCOUNT,
            "volumes": [{"name": "cert", "secret": {
                "secretName": SECRET}}]}}})


def definitions():
    """Of its kinds, which do not have what Troupe's have beside."""
    for path in sorted(glob.glob(os.path.join(CRDS, "kubeflow.org_*.yaml"))):
        with open(path) as file:
            definition = yaml.safe_load(file)
        if definition["spec"]["names"]["singular"][:-3] not in KINDS:
            continue
        remove_own_fields(definition)
        yield definition


def webhooks():
    return named(
        "ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1",
        "validator.training-operator.kubeflow.org", webhooks=[
            {"name": f"validator.{kind}job.training-operator.kubeflow.org",
             "admissionReviewVersions": ["v1"], "sideEffects": "None",
             "failurePolicy": "Ignore", "clientConfig": {
                 "caBundle": "Cg==", "service": {
                     "name": ACCOUNT, "namespace": NAMESPACE,
                     "path": f"/validate-kubeflow-org-v1-{kind}job"}},
             "rules": [{"apiGroups": ["kubeflow.org"], "apiVersions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": [f"{kind}jobs"]}]}
            for kind in KINDS if kind != "mpi"])


def objects():
    rbac = "rbac.authorization.k8s.io/v1"
    return [
        {"apiVersion": "v1", "kind": "Namespace",
         "metadata": {"name": NAMESPACE}},
        *definitions(), named("ServiceAccount", "v1"),
        named("Secret", "v1", SECRET, type="Opaque"),
        named("Service", "v1", spec={"selector": LABEL, "ports": [
            {"name": "monitoring-port", "port": 8080, "targetPort": 8080},
            {"name": "webhook-server", "port": 443, "targetPort": 9443}]}),
        named("ClusterRole", rbac, rules=[
            {"apiGroups": ["kubeflow.org"], "resources": ["*"],
             "verbs": ["*"]}]),
        named("ClusterRoleBinding", rbac, roleRef={
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
            "name": ACCOUNT}, subjects=[{
                "kind": "ServiceAccount", "name": ACCOUNT,
                "namespace": NAMESPACE}]),
        deployment(), webhooks()]


def install(cluster):
    cluster.kubectl("apply", "--server-side", "-f", "-",
                    stdin=yaml.safe_dump_all(objects()))
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s",
                    "crd", "--all")
