"""Discovery: what is served, and how it is called."""

from definitions_of_cases import GROUP
from session import TABLE

AGGREGATED = ("application/json;g=apidiscovery.k8s.io;v=v2;"
              "as=APIGroupDiscoveryList")
# Both servers have them; ours has no other verbs and subresources of these.
CORE = {"pods", "pods/status", "pods/log", "pods/exec", "pods/binding",
        "pods/eviction", "services", "services/status", "configmaps",
        "secrets", "events", "namespaces", "namespaces/status",
        "namespaces/finalize", "nodes", "nodes/status",
        "persistentvolumeclaims", "replicationcontrollers",
        "replicationcontrollers/scale", "podtemplates", "endpoints",
        "limitranges", "resourcequotas"}


def _resources(names=None):
    def show(body):
        return {"kind": body["kind"], "groupVersion": body["groupVersion"],
                "resources": sorted((dict(r, verbs=sorted(r["verbs"])) for r in body["resources"]
                                     if not names or r["name"] in names),
                                    key=lambda r: r["name"])}
    return show


def discovery_of_core(s):
    """resources of the core"""
    s.get("/api", show=("kind", "versions"))
    s.get("/api/v1", show=_resources(CORE))


def discovery_of_groups(s):
    """groups, and one of them"""
    wanted = ("apps", "batch", "coordination.k8s.io", GROUP)
    s.get("/apis", show=lambda body: [
        body["kind"], body["apiVersion"],
        sorted((g for g in body["groups"] if g["name"] in wanted),
               key=lambda g: g["name"])])
    s.get("/apis/apps")
    s.get("/apis/" + GROUP)


def discovery_of_versions(s):
    """resources of groups"""
    s.get("/apis/coordination.k8s.io/v1", show=_resources({"leases"}))
    s.get("/apis/apps/v1", show=_resources(
        {"deployments", "deployments/status", "deployments/scale",
         "statefulsets", "statefulsets/scale", "replicasets/scale"}))
    s.get("/apis/batch/v1", show=_resources({"jobs", "jobs/status"}))
    s.get("/apis/rbac.authorization.k8s.io/v1",
          show=_resources({"roles", "clusterroles"}))
    s.get("/apis/apiextensions.k8s.io/v1", show=_resources())
    s.get("/apis/autoscaling/v2", show=_resources())
    s.get("/apis/policy/v1", show=_resources())


def discovery_of_things(s):
    """resources of a custom group"""
    for version in ("v1", "v1beta1"):
        s.get(f"/apis/{GROUP}/{version}", show=_resources())


def discovery_of_nothing(s):
    """groups and versions that are not there"""
    for path in (f"/apis/{GROUP}/v1alpha1", f"/apis/{GROUP}/v7",
                 "/apis/nothing.example.com", "/apis/nothing.example.com/v1",
                 "/api/v2", "/nothing", "/apis/apps/v7"):
        s.fail("GET", path)


def discovery_aggregated(s):
    """all of it in one answer"""
    def show(wanted, names=None):
        def of(body):
            groups = [g for g in body["items"]
                      if g["metadata"].get("name", "") in wanted]
            return {"kind": body["kind"], "apiVersion": body["apiVersion"],
                    "groups": [
                        {"metadata": g["metadata"], "versions": [
                            {**v, "resources": sorted(
                                (dict(r, verbs=sorted(r["verbs"]))
                                 for r in v["resources"] if not names
                                 or r["resource"] in names),
                                key=lambda r: r["resource"])}
                            for v in g["versions"]]} for g in groups]}
        return of
    s.get("/apis", accept=AGGREGATED, show=show((GROUP,)))
    s.get("/apis", accept=AGGREGATED + ",application/json",
          show=show(("coordination.k8s.io",), {"leases"}))
    s.get("/api", accept=AGGREGATED, show=show(
        ("",), {"configmaps", "endpoints", "podtemplates"}))
    s.get("/apis", accept="application/json;g=apidiscovery.k8s.io;v=v9;"
          "as=APIGroupDiscoveryList,application/json", show=("kind",))


def health(s):
    """whether it is well"""
    for path in ("/healthz", "/readyz", "/livez"):
        s.get(path)


def version_of_server(s):
    """the version has a number that clients read"""
    s.get("/version", show=lambda body: sorted(
        k for k in ("major", "minor", "gitVersion", "platform")
        if isinstance(body[k], str)))


def discovery_as_table(s):
    """discovery for one who asks for tables"""
    s.get("/apis/" + GROUP, accept=TABLE)
