"""Kueue's definitions, as far as a life needs them: Workloads and flavors."""

from cluster import wait_for

GROUP = "kueue.x-k8s.io"
API = f"/apis/{GROUP}/v1beta2"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FLAVOR = "reserved"


def definition(plural, kind, scope):
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{GROUP}",
            # The API server wants this of its own domain's groups.
            "annotations": {"api-approved.kubernetes.io": "unapproved, test"},
        },
        "spec": {
            "group": GROUP, "scope": scope,
            "names": {"plural": plural, "singular": kind.lower(),
                      "kind": kind, "listKind": kind + "List"},
            "versions": [{
                "name": "v1beta2", "served": True, "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": anything, "status": anything}}}}]}}


def define(cluster):
    """Makes the definitions, and a flavor; waits until they are served."""
    for row in (("workloads", "Workload", "Namespaced"),
                ("resourceflavors", "ResourceFlavor", "Cluster")):
        cluster.client.post(DEFINITIONS, definition(*row))
    # A server delays writes of a definition that is new.
    trial = {"apiVersion": f"{GROUP}/v1beta2", "kind": "Workload",
             "metadata": {"name": "trial"}, "spec": {}}
    wait_for("Workloads to be taken", lambda: cluster.client.text(
        "POST", f"{API}/namespaces/default/workloads?dryRun=All",
        trial)[0] == 201, 30)
    flavor = {"apiVersion": f"{GROUP}/v1beta2", "kind": "ResourceFlavor",
              "metadata": {"name": FLAVOR},
              "spec": {"nodeLabels": {"flavor": FLAVOR}, "tolerations": [
                  {"key": "reserved", "operator": "Exists"}]}}
    wait_for("flavors to be taken", lambda: cluster.client.text(
        "POST", f"{API}/resourceflavors", flavor)[0] in (201, 409), 30)
