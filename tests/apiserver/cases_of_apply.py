"""Server-side apply: owners of fields, conflicts, what is merged and removed.

Objects are made by an apply: of others the embedded server keeps no owners.
"""

from session import (
    JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, config_map, owner, pod, query,
    thing)

APPLY = "application/apply-patch+yaml"


def _owned(*paths):
    """Of an answer what is at these paths, and who owns what."""
    def show(body):
        owners = [[m["manager"], m["operation"], m["apiVersion"],
                   m.get("subresource"), m["fieldsV1"]]
                  for m in body["metadata"].get("managedFields", [])]
        return {"owners": sorted(owners, key=str),
                **{path: _value_at(body, path) for path in paths}}
    return show


def _value_at(body, path):
    for key in path.split("."):
        body = body.get(key) if isinstance(body, dict) else None
    return body


def _apply(s, path, body, manager="me", shown=("data",), **parameters):
    return s.ask("PATCH", query(path, fieldManager=manager, **parameters),
                 body, _owned(*shown), kind=APPLY)


def _update(s, path, body, manager="editor", shown=("data",),
           kind=MERGE_PATCH):
    return s.ask("PATCH", query(path, fieldManager=manager), body,
                 _owned(*shown), kind=kind)


def apply_creates(s):
    """an apply creates, changes, adds and removes"""
    path = s.config_maps + "/a"
    for data in ({"a": "1", "b": "1"}, {"a": "2", "c": "1"}, {"a": "2"}, {},
                 None):
        _apply(s, path, config_map("a", data))
    _apply(s, path, config_map("a", {"a": "1"}, labels={"x": "1"},
                              annotations={"y": "1"}),
          shown=("data", "metadata.labels", "metadata.annotations"))
    _apply(s, path, config_map("a", {"a": "3"}, managedFields=None))


def apply_shares(s):
    """fields of two managers stay until both have let go"""
    path = s.config_maps + "/a"
    _apply(s, path, config_map("a", {"a": "1", "b": "1"}))
    _apply(s, path, config_map("a", {"a": "1", "c": "1"}), "you")
    _apply(s, path, config_map("a", {"b": "1"}))
    _apply(s, path, config_map("a", {"c": "1"}), "you")


def apply_conflicts(s):
    """conflicts name managers and fields; force takes over"""
    path = s.config_maps + "/a"
    _apply(s, path, config_map("a", {"a": "1", "b": "1"}))
    _apply(s, path, config_map("a", {"a": "2"}), "you")
    _apply(s, path, config_map("a", {"a": "2", "b": "2"}), "you")
    _apply(s, path, config_map("a", {"a": "2"}), "you", force="true")
    _apply(s, path, config_map("a", {"a": "3", "b": "1"}))
    _apply(s, path, config_map("a", {"b": "1"}))


def apply_after_updates(s):
    """who updates owns what it changed"""
    path = s.config_maps + "/a"
    _apply(s, path, config_map("a", {"a": "1", "b": "1"}))
    _update(s, path, {"data": {"a": "2", "c": "1"}})
    _apply(s, path, config_map("a", {"a": "3", "b": "1"}))
    _apply(s, path, config_map("a", {"a": "2", "b": "1"}))
    _update(s, path, {"data": {"b": None}})
    _apply(s, path, config_map("a", {"a": "2", "b": "2", "c": "2"}))
    _apply(s, path, config_map("a", {"a": "2", "b": "2", "c": "2"}),
          force="true")
    _update(s, path, {"metadata": {"labels": {"x": "1"}}},
           shown=("metadata.labels",))
    _update(s, path, {"metadata": {"labels": None}},
           shown=("metadata.labels",))


def apply_lists_by_keys(s):
    """items of lists are merged by their keys"""
    path = s.core + "/services/a"

    def ports(*items):
        return {"apiVersion": "v1", "kind": "Service",
                "metadata": {"name": "a"},
                "spec": {"type": "ExternalName",
                         "externalName": "x.example", "ports": list(items)}}

    shown = ("spec.ports",)
    one, two = {"port": 1, "name": "one"}, {"port": 2, "name": "two"}
    _apply(s, path, ports(one, two), shown=shown)
    _apply(s, path, ports({"port": 3, "name": "three"}, two), "you",
          shown=shown)
    _apply(s, path, ports(dict(one, protocol="UDP")), shown=shown)
    _apply(s, path, ports({"port": 2, "name": "zwei"}), "you", shown=shown)
    _apply(s, path, ports({"port": 2, "name": "zwei"}), "you", shown=shown,
          force="true")


def apply_containers(s):
    """containers, their variables and ports are merged"""
    path = s.pods + "/a"

    def body(**container):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
                "spec": {"containers": [{"name": "main", **container}]}}

    def shown(answer):
        keys = ("name", "image", "command", "env", "ports")
        return {"containers": [{k: c.get(k) for k in keys}
                               for c in answer["spec"]["containers"]],
                **_owned()(answer)}

    def ask(body, manager, **more):
        s.ask("PATCH", query(path, fieldManager=manager, **more), body, shown,
              kind=APPLY)

    ask(body(image="registry/x:1", command=["a"],
             env=[{"name": "A", "value": "1"}],
             ports=[{"containerPort": 80}]), "me")
    ask(body(image="registry/x:2"), "you")
    ask(body(image="registry/x:2"), "you", force="true")
    s.refuse("PATCH", query(path, fieldManager="you", force="true"),
             body(command=["b"]), kind=APPLY)


def apply_sets(s):
    """finalizers are a set, owner references a list by uid"""
    path = s.config_maps + "/a"
    shown = ("metadata.finalizers", "metadata.ownerReferences")
    # Of a kind that no server has: else the garbage collector may delete the
    # object between two requests, since no such owner is there.
    refs = [{"apiVersion": "example.com/v1", "kind": "Absent", "name": "o",
             "uid": f"00000000-0000-0000-0000-00000000000{i}"}
            for i in range(2)]
    _apply(s, path, config_map("a", finalizers=["x.io/a", "x.io/b"],
                              ownerReferences=refs[:1]), shown=shown)
    _apply(s, path, config_map("a", finalizers=["x.io/c", "x.io/b"],
                              ownerReferences=refs[1:]), "you", shown=shown)
    _apply(s, path, config_map("a", finalizers=["x.io/b"]), shown=shown)
    _apply(s, path, config_map("a"), "you", shown=shown)
    _apply(s, path, config_map("a"), shown=shown)


def apply_atomic(s):
    """selectors are replaced whole"""
    path = s.core + "/services/a"

    def service(**selector):
        return {"apiVersion": "v1", "kind": "Service",
                "metadata": {"name": "a"},
                "spec": {"type": "ExternalName",
                         "externalName": "x.example", "selector": selector}}

    shown = ("spec.selector",)
    _apply(s, path, service(a="1"), shown=shown)
    _apply(s, path, service(b="1"), "you", shown=shown)
    _apply(s, path, service(b="1"), "you", shown=shown, force="true")
    _apply(s, path, service(), "you", shown=shown)


def apply_custom(s):
    """a custom resource and its status have owners of their own"""
    path = s.things + "/a"
    shown = ("spec", "status")
    body = thing("a", {"words": ["a", "b"], "counts": {"x": 1}})
    _apply(s, path, body, shown=shown)
    status = dict(thing("a", {"words": ["c"]}), status={"phase": "Running"})
    _apply(s, path + "/status", status, "controller", shown=shown)
    _apply(s, path, dict(body, status={"phase": "None"}), shown=shown)
    _update(s, path + "/status", {"status": {"phase": "Done"}}, shown=shown)
    _apply(s, path + "/status", status, "controller", shown=shown)
    _apply(s, path, thing("a", {"counts": {"y": 2}}), shown=shown)
    _apply(s, s.things + "/none/status", status, shown=shown)


def _owned_thing(s):
    """One with all that an apply can own beside its spec."""
    path = s.things + "/a"
    refs = [owner(s.make(s.config_maps, config_map("o")))]
    answer = _apply(s, path, thing(
        "a", {"words": ["a"]}, labels={"l": "1"}, annotations={"a": "1"},
        finalizers=["x.io/a"], ownerReferences=refs), shown=())
    return path, answer


STATUS_SHOWN = ("metadata.labels", "metadata.annotations",
                "metadata.finalizers", "metadata.ownerReferences", "status")


def _put_status(s, path, metadata, **status):
    s.ask("PUT", query(path + "/status", fieldManager="controller"),
          dict(thing("a"), metadata={"name": "a", **metadata}, status=status),
          _owned(*STATUS_SHOWN))


def apply_before_put_of_status(s):
    """of metadata that a PUT of the status leaves out nobody is owner"""
    path, made = _owned_thing(s)
    _put_status(s, path, {"resourceVersion": made.version}, phase="Running")
    _apply(s, path, thing("a", {"words": ["a"]}, labels={"l": "2"}), "you",
           shown=STATUS_SHOWN)
    _apply(s, path, thing("a", {"words": ["a"]}), shown=STATUS_SHOWN)


def apply_before_whole_put_of_status(s):
    """a PUT of the status with all the metadata leaves its owners"""
    path, made = _owned_thing(s)
    kept = {key: made["metadata." + key] for key in (
        "labels", "annotations", "finalizers", "ownerReferences",
        "resourceVersion")}
    _put_status(s, path, kept, phase="Running")
    _apply(s, path, thing("a", {"words": ["a"]}, labels={"l": "2"}), "you",
           shown=STATUS_SHOWN)


def apply_before_put_of_other_labels(s):
    """a PUT of the status owns labels that it changes, though they stay"""
    path, made = _owned_thing(s)
    _put_status(s, path, {"resourceVersion": made.version,
                          "labels": {"l": "2", "m": "1"},
                          "finalizers": ["x.io/b"]}, phase="Running")


def apply_before_patch_of_status(s):
    """patches of the status leave owners of metadata as they are"""
    path, made = _owned_thing(s)
    version = {"op": "add", "path": "/metadata/resourceVersion"}

    def patch(value, of):
        s.ask("PATCH", query(path + "/status", fieldManager="controller"),
              [dict(version, value=of),
               {"op": "add", "path": "/status", "value": value}],
              _owned(*STATUS_SHOWN), kind=JSON_PATCH)

    patch({"phase": "Created", "replicas": 1}, made.version)
    patch({"phase": "Running"}, made.version)
    now = s.get(path, show=_owned(*STATUS_SHOWN))
    patch({"phase": "Running"}, now.version)
    _update(s, path + "/status", {"status": {"phase": "Done"}}, "controller",
            STATUS_SHOWN)
    _apply(s, path, thing("a", {"words": ["a"]}, labels={"l": "2"}), "you",
           shown=STATUS_SHOWN)
    _apply(s, path, thing("a", {"words": ["a"]}), shown=STATUS_SHOWN)


def apply_before_status_of_pod(s):
    """a status update of a pod changes its labels, not its owners"""
    path = s.pods + "/a"
    made = s.make(s.config_maps, config_map("o"))
    body = pod("a")
    body["metadata"].update(
        labels={"l": "1", "m": "1"}, annotations={"a": "1"},
        ownerReferences=[owner(made)])
    _apply(s, path, body, shown=())
    shown = ("metadata.labels", "metadata.annotations",
             "metadata.ownerReferences", "status.message")
    _update(s, path + "/status", {"status": {"message": "x"}}, "kubelet", shown)
    _update(s, path + "/status", {"metadata": {"labels": {"l": "2"}}},
            "kubelet", shown)
    s.ask("PUT", query(path + "/status", fieldManager="kubelet"),
          dict(pod("a"), status={"message": "y"}), _owned(*shown))


def patch_of_another_object(s):
    """a patch with the version and UID of an object that is gone"""
    path = s.things + "/a"
    made = s.post(s.things, thing("a"))
    s.merge(path, {"spec": {"words": ["a"]}})
    uid = {"uid": "00000000-0000-0000-0000-000000000000"}
    s.merge(path, {"metadata": dict(uid, resourceVersion=made.version)})
    s.merge(path, {"metadata": uid})


def apply_yaml(s):
    """the body is YAML"""
    path = s.config_maps + "/a"
    _apply(s, path, "apiVersion: v1\nkind: ConfigMap\n"
                   "metadata:\n  name: a\ndata:\n  a: '1'\n")
    s.refuse("PATCH", query(path, fieldManager="me"), "a: [", kind=APPLY)


def apply_nothing_new(s):
    """applying the same makes no version"""
    path = s.config_maps + "/a"
    before = _apply(s, path, config_map("a", {"a": "1"}))
    after = _apply(s, path, config_map("a", {"a": "1"}))
    s.show("same version", before.version == after.version)


def apply_refused(s):
    """requests that are no apply"""
    path = s.config_maps + "/a"
    s.ask("PATCH", path, config_map("a"), kind=APPLY)
    _apply(s, path, config_map("b"))
    _apply(s, path, config_map("a", managedFields=[{"manager": "x"}]))
    _apply(s, path, config_map("a", resourceVersion="1"))
    _apply(s, path, dict(config_map("a"), kind="Secret"))
    nameless = {"apiVersion": "v1", "kind": "ConfigMap"}
    _apply(s, path, nameless)
    _apply(s, s.config_maps + "/none", nameless)
    s.fail("PATCH", query(path, fieldManager="me", fieldValidation="Strict"),
           dict(config_map("a"), dat={"a": "1"}), kind=APPLY)
    _apply(s, path, config_map("a", {"a": "1"}), dryRun="All")
    s.get(path)


def apply_reset(s):
    """an update with one empty entry drops all owners"""
    path = s.config_maps + "/a"
    _apply(s, path, config_map("a", {"a": "1"}))
    s.merge(path, {"metadata": {"managedFields": [{}]}}, _owned("data"))
    _apply(s, path, config_map("a", {"a": "1"}))


def apply_empty(s):
    """empty maps and lists are owned or not"""
    path = s.config_maps + "/a"
    shown = ("data", "metadata.labels", "metadata.finalizers")
    _apply(s, path, config_map("a", {}, labels={}, finalizers=[]), shown=shown)
    _apply(s, s.things + "/a", thing("a", {"words": ["x"], "counts": {}}),
          shown=("spec",))


def apply_beside_strategic(s):
    """a strategic merge patch makes its sender an owner"""
    path = s.core + "/services/a"
    service = {"apiVersion": "v1", "kind": "Service",
               "metadata": {"name": "a"},
               "spec": {"type": "ExternalName", "externalName": "x.example",
                        "ports": [{"port": 1, "name": "one"}]}}
    _apply(s, path, service, shown=("spec.ports",))
    _update(s, path, {"spec": {"ports": [{"port": 2, "name": "two"}]}},
           kind=STRATEGIC_PATCH, shown=("spec.ports",))
    _apply(s, path, service, shown=("spec.ports",))

