"""PodGroup definitions of gang schedulers, as far as tests need them."""

from cluster import wait_for


def definition(group, version):
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"podgroups.{group}",
            # The API server wants this of its own domain's groups.
            "annotations": {"api-approved.kubernetes.io": "unapproved, test"},
        },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": "podgroups", "singular": "podgroup",
                      "kind": "PodGroup", "listKind": "PodGroupList"},
            "versions": [{
                "name": version, "served": True, "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": anything, "status": anything}}}}]}}


def install(cluster, api_version):
    """The definition, served, and a PriorityClass `high` of value 1000."""
    group, version = api_version.split("/")
    cluster.client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                        definition(group, version))
    cluster.client.post("/apis/scheduling.k8s.io/v1/priorityclasses",
                        {"metadata": {"name": "high"}, "value": 1000})
    # A server holds up writes of what it has not known for long.
    trial = {"apiVersion": api_version, "kind": "PodGroup",
             "metadata": {"name": "trial"}, "spec": {"minMember": 1}}
    wait_for("PodGroups to be taken", lambda: cluster.client.text(
        "POST", f"/apis/{api_version}/namespaces/default/podgroups?dryRun=All",
        trial)[0] == 201, 30)
