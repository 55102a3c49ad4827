"""PodGroup definitions of gang schedulers, as far as tests need them."""

import os

import yaml

import assets
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


def volcano_definition():
    """Volcano's own, which has no status subresource."""
    with open(os.path.join(assets.volcano_definitions(),
                           "scheduling.volcano.sh_podgroups.yaml")) as file:
        return yaml.safe_load(file)


def define(cluster, api_version, own=None):
    """Makes the definition, the scheduler's `own` or as far as tests need it,
    and waits until it is served."""
    group, version = api_version.split("/")
    cluster.client.post(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        own or definition(group, version))
    # A server delays writes of a definition that is new.
    trial = {"apiVersion": api_version, "kind": "PodGroup",
             "metadata": {"name": "trial"}, "spec": {"minMember": 1}}
    wait_for("PodGroups to be taken", lambda: cluster.client.text(
        "POST", f"/apis/{api_version}/namespaces/default/podgroups?dryRun=All",
        trial)[0] == 201, 30)


def install(cluster, api_version, own=None):
    """The definition, served, and a PriorityClass `high` of value 1000."""
    define(cluster, api_version, own)
    cluster.client.post("/apis/scheduling.k8s.io/v1/priorityclasses",
                        {"metadata": {"name": "high"}, "value": 1000})


class Groups:
    """The PodGroups of one API version, as a namespace's case sees them."""

    def __init__(self, api_version, own=None):
        """`own()` gives the scheduler's own definition."""
        self.api = "/apis/" + api_version
        self.api_version = api_version
        self.own = own
        self.status = "/status"

    def install(self, cluster):
        own = self.own and self.own()
        if own and "status" not in own["spec"]["versions"][0].get(
                "subresources", {}):
            self.status = ""
        install(cluster, self.api_version, own)

    def path(self, ns, job=""):
        return ns.at(self.api, "podgroups", job)

    def find(self, ns, job):
        return ns.find(self.path(ns, job))

    def await_one(self, ns, job):
        return wait_for(f"the PodGroup of {job}",
                        lambda: self.find(ns, job), 90)

    def await_none(self, ns, job):
        wait_for(f"the end of the PodGroup of {job}",
                 lambda: not self.find(ns, job), 90)

    def version(self, ns, job):
        """Of the group and its making: the same if nobody has written it."""
        meta = self.find(ns, job)["metadata"]
        return meta["uid"], meta["resourceVersion"]

    def set_status(self, ns, job, **status):
        """What the scheduler writes."""
        ns.client.merge(self.path(ns, job) + self.status,
                        {"status": status})
