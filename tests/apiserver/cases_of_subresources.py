"""Subresources: status, scale, and those of pods."""

from session import MERGE_PATCH, config_map, pod, query, thing

APPS = "/apis/apps/v1/namespaces/"


def status_of_thing(s):
    """a status is written through its subresource only, and nothing else is
    there"""
    s.post(s.things, dict(thing("a"), status={"phase": "Up"}))
    made = s.quiet("GET", s.things + "/a").body
    made["status"] = {"phase": "Up"}
    s.put(s.things + "/a", made)
    made = s.quiet("GET", s.things + "/a").body
    made.update(status={"phase": "Up"}, spec={"replicas": 5})
    made["metadata"].update(labels={"new": "label"},
                            annotations={"new": "note"},
                            finalizers=["example.com/new"])
    s.put(s.things + "/a/status", made)
    s.get(s.things + "/a/status")


def status_patches(s):
    """patches of a status"""
    s.make(s.things, thing("a"))
    path = s.things + "/a/status"
    s.merge(path, {"status": {"phase": "Up"}, "spec": {"replicas": 3}})
    s.operations(path, [{"op": "replace", "path": "/status/phase",
                         "value": "Down"}])
    s.merge(path, {"status": {"unknown": 1}})
    s.refuse("PATCH", path, {"status": {"phase": 5}}, kind=MERGE_PATCH)
    s.merge(path, {"status": None}, show=("status", "spec"))


def status_of_invalid_spec(s):
    """a status update does not look at the spec it comes with"""
    made = s.make(s.things, thing("a"))
    made.update(spec={"replicas": 99}, status={"phase": "Up"})
    s.put(s.things + "/a/status", made, show=("spec", "status"))


def status_of_nothing(s):
    """a status of what is not there, or has none"""
    s.put(s.things + "/none/status", thing("none"))
    s.merge(s.things + "/none/status", {})
    s.get(s.things + "/none/status")
    s.make(s.config_maps, config_map("a"))
    s.get(s.config_maps + "/a/status")
    s.put(s.config_maps + "/a/status", config_map("a"))
    s.make(s.things, thing("a"))
    s.post(s.things + "/a/status", thing("a"))


def status_of_pod(s):
    """a pod's status; with it labels and annotations, but no spec"""
    s.make(s.pods, pod("a"))
    show = ("metadata.labels", "metadata.finalizers", "spec.containers.image",
            "status.phase", "status.message")
    s.merge(s.pods + "/a/status", {
        "metadata": {"labels": {"l": "1"}, "finalizers": ["example.com/f"]},
        "spec": {"activeDeadlineSeconds": 5},
        "status": {"phase": "Running", "message": "hello"}}, show=show)
    s.get(s.pods + "/a/status", show=show + ("spec.activeDeadlineSeconds",))
    s.merge(s.pods + "/a", {"status": {"phase": "Failed"}},
            show=("status.phase",))


def status_conditions_of_pod(s):
    """a strategic patch merges a pod's conditions by type"""
    s.make(s.pods, pod("a"))
    for kind, value in (("Ready", "False"), ("Initialized", "True"),
                        ("Ready", "True")):
        s.strategic(s.pods + "/a/status", {"status": {"conditions": [
            {"type": kind, "status": value}]}},
            show=lambda body: sorted(
                [c["type"], c["status"]]
                for c in body["status"]["conditions"]))


def scale_of_thing(s):
    """a scale of a custom resource is read, replaced and patched"""
    s.make(s.things, thing("a", {"replicas": 1}))
    s.merge(s.things + "/a/status", {"status": {
        "replicas": 1, "selector": "app=a"}}, show=("status",))
    path = s.things + "/a/scale"
    scale = s.get(path).body
    scale["spec"]["replicas"] = 2
    s.put(path, scale)
    s.put(path, scale)
    s.merge(path, {"spec": {"replicas": 3}})
    s.get(s.things + "/a")


def scale_without_replicas(s):
    """a scale of what says no replicas"""
    s.make(s.things, thing("a"))
    s.get(s.things + "/a/scale")
    s.merge(s.things + "/a/scale", {"spec": {"replicas": 4}})


def scale_that_is_wrong(s):
    """scales that are refused"""
    s.make(s.things, thing("a", {"replicas": 1}))
    path = s.things + "/a/scale"
    s.refuse("PATCH", path, {"spec": {"replicas": -1}}, kind=MERGE_PATCH)
    s.merge(path, {"spec": {"replicas": 11}})
    s.fail("PATCH", path, {"spec": {"replicas": "two"}},
           kind=MERGE_PATCH)
    scale = s.quiet("GET", path).body
    scale["metadata"]["name"] = "b"
    s.put(path, scale)
    s.refuse("PUT", path, thing("a"))
    s.get(s.things + "/none/scale")
    s.get(s.config_maps + "/none/scale")


def scale_of_deployment(s):
    """what kubectl scale does to a deployment"""
    path = f"{APPS}{s.name}/deployments"
    labels = {"app": "a"}
    s.make(path, {"apiVersion": "apps/v1", "kind": "Deployment",
                  "metadata": {"name": "a"}, "spec": {
                      "replicas": 1, "selector": {"matchLabels": labels},
                      "template": {"metadata": {"labels": labels},
                                   "spec": pod("x")["spec"]}}})
    s.get(path + "/a/scale")
    s.merge(path + "/a/scale", {"spec": {"replicas": 3}})
    s.get(path + "/a", show=("spec.replicas", "spec.selector"))


def selector_of_scale(s):
    """a scale tells all that selects the pods"""
    path = f"{APPS}{s.name}/deployments"
    labels = {"app": "a", "zone": "z", "gpu": "", "tier": "x"}
    s.make(path, {"apiVersion": "apps/v1", "kind": "Deployment",
                  "metadata": {"name": "a"}, "spec": {
                      "replicas": 1, "selector": {
                          "matchLabels": {"tier": "x"},
                          "matchExpressions": [
                              {"key": "zone", "operator": "In",
                               "values": ["z", "y"]},
                              {"key": "old", "operator": "DoesNotExist"},
                              {"key": "app", "operator": "NotIn",
                               "values": ["b"]},
                              {"key": "gpu", "operator": "Exists"}]},
                      "template": {"metadata": {"labels": labels},
                                   "spec": pod("x")["spec"]}}})
    scale = s.get(path + "/a/scale").body
    scale["spec"]["replicas"] = None
    s.put(path + "/a/scale", scale, show=("kind",))
    s.get(path + "/a", show=("spec.replicas",))


def binding_of_pod(s):
    """a pod is bound once"""
    s.make(s.pods, pod("a"))
    binding = {"apiVersion": "v1", "kind": "Binding",
               "metadata": {"name": "a"},
               "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}
    s.post(s.pods + "/a/binding", binding)
    s.get(s.pods + "/a", show=lambda body: [
        body["spec"]["nodeName"],
        [[c["type"], c["status"]] for c in body["status"]["conditions"]]])
    s.post(s.pods + "/a/binding", binding)
    s.post(s.pods + "/none/binding", dict(binding, metadata={"name": "none"}))


def eviction_of_pod(s):
    """an eviction deletes a pod"""
    s.make(s.pods, pod("a"))
    s.make(s.pods, pod("b", nodeName="n1"))
    for name in ("a", "b", "none"):
        s.post(f"{s.pods}/{name}/eviction", {
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": name}})
    s.get(s.pods + "/a")
    s.get(s.pods + "/b", show=("metadata.deletionGracePeriodSeconds",))
    s.make(s.pods, pod("c"))
    s.post(s.pods + "/c/eviction", {
        "apiVersion": "policy/v1", "kind": "Eviction",
        "metadata": {"name": "c"}, "deleteOptions": None})
    s.get(s.pods + "/c")


def finalize_of_namespace(s):
    """a namespace's finalizers change through finalize"""
    path = "/api/v1/namespaces/" + s.name
    made = s.quiet("GET", path).body
    made["spec"]["finalizers"].append("example.com/more")
    s.put(path + "/finalize", made)
    made["spec"]["finalizers"].remove("example.com/more")
    del made["metadata"]["resourceVersion"]
    s.put(path, made, show=("spec",))
    s.put(path + "/finalize", made, show=("spec",))


def log_of_pod(s):
    """a log of a pod that runs nowhere, of one that is not there"""
    s.get(s.pods + "/none/log")
    s.make(s.pods, pod("a"))
    s.get(query(s.pods + "/a/log", container="other"))


def update_of_pod(s):
    """what may change of a pod"""
    s.make(s.pods, pod("a"))
    image = ("spec.containers.image",)
    s.strategic(s.pods + "/a", {"spec": {"containers": [
        {"name": "main", "image": "registry/x:2"}]}}, show=image)
    s.strategic(s.pods + "/a", {"spec": {"activeDeadlineSeconds": 10}},
                show=("spec.activeDeadlineSeconds",))
    s.merge(s.pods + "/a", {"metadata": {"labels": {"a": "b"}}},
            show=("metadata.labels",))
