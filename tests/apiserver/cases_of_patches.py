"""Patches: of JSON, merged, merged strategically."""

from session import (JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH,
                     config_map, pod, thing)


def merge_patches(s):
    """a merge patch sets, replaces and removes"""
    s.make(s.config_maps, config_map("a", {"keep": "1", "go": "2"}))
    s.merge(s.config_maps + "/a", {"data": {"go": None, "new": "3"}})
    s.merge(s.config_maps + "/a", {"data": None})
    s.make(s.things, thing("a", {"words": ["a", "b"], "counts": {"x": 1}}))
    s.merge(s.things + "/a", {"spec": {"words": ["c"],
                                       "counts": {"y": 2, "x": None}}})


def json_patches(s):
    """a JSON patch adds, removes, replaces, moves, copies and tests"""
    s.make(s.config_maps, config_map("a", {"a": "1", "b": "2"}))
    s.operations(s.config_maps + "/a", [
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "add", "path": "/data/c", "value": "3"},
        {"op": "replace", "path": "/data/b", "value": "4"},
        {"op": "remove", "path": "/data/a"},
        {"op": "copy", "from": "/data/b", "path": "/data/d"},
        {"op": "move", "from": "/data/c", "path": "/data/e"}])
    s.make(s.things, thing("a", {"words": ["x"]}))
    s.operations(s.things + "/a", [
        {"op": "add", "path": "/spec/words/-", "value": "y"},
        {"op": "add", "path": "/spec/words/0", "value": "w"},
        {"op": "add", "path": "/metadata/labels", "value": {"a~b": "c"}},
        {"op": "remove", "path": "/metadata/labels/a~0b"}])


def json_patches_that_fail(s):
    """JSON patches that cannot be applied"""
    s.make(s.config_maps, config_map("a", {"a": "1"}))
    path = s.config_maps + "/a"
    for operation in (
            {"op": "test", "path": "/data/a", "value": "2"},
            {"op": "test", "path": "/data/none", "value": "2"},
            {"op": "remove", "path": "/none"},
            {"op": "remove", "path": "/data/none"},
            {"op": "replace", "path": "/data/none", "value": "2"},
            {"op": "replace", "path": "/none/deeper", "value": "2"},
            {"op": "add", "path": "/none/deeper", "value": "2"}):
        s.refuse("PATCH", path, [operation], kind=JSON_PATCH)
    s.get(path)


def json_patches_beyond_limits(s):
    """JSON patches of too many operations, of too much that is copied"""
    s.make(s.config_maps, config_map("a", {"a": "1"}))
    path = s.config_maps + "/a"
    add = {"op": "add", "path": "/data/b", "value": "1"}
    s.operations(path, [add] * 10000, show=("data",))
    s.refuse("PATCH", path, [add] * 10001, kind=JSON_PATCH)
    copies = [{"op": "add", "path": "/data/c0", "value": "x" * 1000}]
    for i in range(17):
        copies += [{"op": "copy", "from": "/data", "path": f"/data/d{i}"}]
    s.fail("PATCH", path, copies, kind=JSON_PATCH)
    s.get(path, show=("data",))


def json_patches_that_are_none(s):
    """JSON patches that are malformed"""
    s.make(s.config_maps, config_map("a", {"a": "1"}))
    path = s.config_maps + "/a"
    for body in ({"op": "add"}, b"[{", [{"op": "jump", "path": "/data/a"}]):
        s.refuse("PATCH", path, body, kind=JSON_PATCH)


def merge_patches_that_are_none(s):
    """merge patches that are malformed"""
    s.make(s.config_maps, config_map("a", {"a": "1"}))
    path = s.config_maps + "/a"
    for kind in (MERGE_PATCH, STRATEGIC_PATCH):
        for body in ([1], b"{", b'"text"'):
            s.refuse("PATCH", path, body, kind=kind)


def patches_of_wrong_type(s):
    """patches of types that are not accepted"""
    s.make(s.config_maps, config_map("a"))
    s.make(s.things, thing("a"))
    for path in (s.config_maps, s.things):
        for kind in (JSON, "text/plain"):
            s.refuse("PATCH", path + "/a", {}, kind=kind)
    s.refuse("PATCH", s.things + "/a", {}, kind=STRATEGIC_PATCH)
    s.merge(s.config_maps + "/a", {}, show=("kind",),
            headers={"Content-Type":
                     "application/merge-patch+json; charset=utf-8"})


def patches_of_nothing(s):
    """a patch of what is not there, of a collection"""
    s.merge(s.config_maps + "/none", {"data": {}})
    s.strategic(s.config_maps + "/none", {"data": {}})
    s.operations(s.things + "/none", [])
    s.merge(s.config_maps, {})


def patches_that_make_invalid_objects(s):
    """a patch whose result is invalid"""
    s.make(s.things, thing("a", {"replicas": 1}))
    s.merge(s.things + "/a", {"spec": {"replicas": 11}})
    s.operations(s.things + "/a", [
        {"op": "add", "path": "/spec/unknown", "value": 1}])
    s.make(s.config_maps, config_map("a"))
    s.merge(s.config_maps + "/a", {"metadata": {"labels": {"a b": "c"}}})


def strategic_patch_of_containers(s):
    """containers, their variables and ports are merged by their keys"""
    s.make(s.pods, pod("a", containers=[
        {"name": "one", "image": "x:1", "env": [{"name": "A", "value": "1"}]},
        {"name": "two", "image": "y:1"}]))
    s.strategic(s.pods + "/a", {"spec": {"containers": [
        {"name": "two", "image": "y:2"}]}},
        show=lambda body: [[c["name"], c["image"], c.get("env")]
                           for c in body["spec"]["containers"]])


def _template(s, name="a"):
    """A podtemplate, whose pod may change in every way."""
    path = s.core + "/podtemplates"
    s.make(path, {"metadata": {"name": name}, "template": {
        "metadata": {"labels": {"a": "1", "b": "2"}},
        "spec": pod("x", containers=[
            {"name": "one", "image": "x:1",
             "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
             "ports": [{"containerPort": 80}],
             "args": ["a", "b"]},
            {"name": "two", "image": "y:1"}],
            volumes=[{"name": "v", "emptyDir": {}}],
            tolerations=[{"key": "k", "operator": "Exists"}])["spec"]}})
    return path + "/" + name


def _brief(body):
    spec = body["template"]["spec"]
    for container in spec["containers"]:
        for port in container.get("ports", ()):
            port.pop("protocol", None)  # Built-in defaults are not the matter.
    return {"labels": body["template"]["metadata"].get("labels"),
            "containers": [{k: c[k] for k in sorted(c) if k in (
                "name", "image", "env", "ports", "args")}
                for c in spec["containers"]],
            "volumes": spec.get("volumes"),
            "tolerations": spec.get("tolerations"),
            "nodeSelector": spec.get("nodeSelector")}


def _patch(s, path, spec, **template):
    s.strategic(path, {"template": {"spec": spec, **template}}, show=_brief)


def strategic_merges_lists(s):
    """lists with a merge key are merged, others replaced"""
    path = _template(s)
    _patch(s, path, {"containers": [
        {"name": "one", "args": ["c"], "env": [{"name": "B", "value": "3"},
                                               {"name": "C", "value": "4"}],
         "ports": [{"containerPort": 81}]},
        {"name": "three", "image": "z:1"}]})
    _patch(s, path, {"tolerations": [{"key": "other"}]})


def strategic_directives(s):
    """$patch deletes and replaces, $retainKeys and null"""
    path = _template(s)
    _patch(s, path, {"containers": [{"name": "two", "$patch": "delete"}]})
    _patch(s, path, {"containers": [{"name": "one", "env": [
        {"name": "A", "$patch": "delete"}]}]})
    _patch(s, path, {"volumes": [
        {"name": "v", "$retainKeys": ["name", "hostPath"],
         "hostPath": {"path": "/x", "type": ""}}]})
    _patch(s, path, {"containers": [
        {"$patch": "replace"}, {"name": "only", "image": "o:1"}]})
    _patch(s, path, {"nodeSelector": {"a": "b"}},
           metadata={"labels": {"$patch": "replace", "c": "3"}})
    _patch(s, path, {"nodeSelector": None, "volumes": None})


def strategic_order(s):
    """$setElementOrder and $deleteFromPrimitiveList"""
    path = _template(s)
    _patch(s, path, {
        "$setElementOrder/containers": [{"name": "two"}, {"name": "one"}],
        "containers": [{"name": "two", "image": "y:3"}]})
    s.strategic(path, {"metadata": {"finalizers": ["a.b/1", "a.b/2"]}},
                show=("metadata.finalizers",))
    s.strategic(path, {"metadata": {"finalizers": ["a.b/3"]}},
                show=("metadata.finalizers",))
    s.strategic(path, {"metadata": {
        "$deleteFromPrimitiveList/finalizers": ["a.b/1"]}},
        show=("metadata.finalizers",))
    s.strategic(path, {"metadata": {"finalizers": None}},
                show=("metadata.finalizers",))


def strategic_that_is_wrong(s):
    """strategic patches that are refused"""
    path = _template(s)
    for container in ({"image": "no-name"},
                      {"name": "one", "$patch": "jump"}):
        s.fail("PATCH", path, {"template": {"spec": {
            "containers": [container]}}}, kind=STRATEGIC_PATCH)
    _patch(s, path, {"containers": [{"name": "none", "$patch": "delete"}]})


def strategic_owner_references(s):
    """owner references are merged by uid"""
    uids = [f"00000000-0000-0000-0000-00000000001{i}" for i in range(2)]
    made = [s.make(s.config_maps, config_map(n)) for n in "ab"]
    s.make(s.config_maps, config_map("c"))
    for owner in made:
        s.strategic(s.config_maps + "/c", {"metadata": {"ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap",
             "name": owner["metadata"]["name"],
             "uid": owner["metadata"]["uid"]}]}})
    s.strategic(s.config_maps + "/c", {"metadata": {"ownerReferences": [
        {"$patch": "delete", "uid": made[0]["metadata"]["uid"]}]}})
    s.strategic(s.config_maps + "/c", {"metadata": {"ownerReferences": [
        {"$patch": "delete", "uid": uids[0]}]}})
