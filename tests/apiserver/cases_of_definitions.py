"""Custom resource definitions: made, checked, changed and deleted."""

import copy

from definitions_of_cases import definition, version
from session import TABLE, thing

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def _group(s):
    return s.name + ".example.com"


def _conditions(body):
    return {c["type"]: [c["status"], c["reason"], c["message"]]
            for c in body["status"]["conditions"] or ()}


def _established(s, path):
    s.until(path + " to be established", lambda: _conditions(
        s.quiet("GET", path).body).get("Established", [0])[0] == "True")


def _served(s, path):
    s.until(path + " to be served",
            lambda: s.quiet("GET", path).status == 200)


def _make(s, plural, kind, *versions, **spec):
    """The path of its objects."""
    made = definition(plural, kind, list(versions) or None, _group(s), **spec)
    s.make(DEFINITIONS, made)
    _established(s, f"{DEFINITIONS}/{made['metadata']['name']}")
    name = (versions or [version("v1")])[0]["name"]
    path = f"/apis/{_group(s)}/{name}/namespaces/{s.name}/{plural}"
    _served(s, path)
    return path


def _refused(s, *definitions):
    for one in definitions:
        s.post(DEFINITIONS + "?dryRun=All", one, show=("spec.versions.name",))


def definition_lives(s):
    """a definition is established, serves, and takes its objects along"""
    path = _make(s, "lamps", "Lamp")
    crd = f"{DEFINITIONS}/lamps.{_group(s)}"
    s.get(crd, show=lambda body: {
        "conditions": _conditions(body), "spec": body["spec"],
        "stored": body["status"]["storedVersions"],
        "names": body["status"]["acceptedNames"],
        "generation": body["metadata"]["generation"]})
    s.post(path, {"apiVersion": _group(s) + "/v1", "kind": "Lamp",
                  "metadata": {"name": "a"}, "any": "thing"})
    s.delete(crd, show=("kind", "metadata.finalizers"))
    s.until_gone(crd)
    s.until_gone(path + "/a")
    s.fail("GET", path)


def definition_again(s):
    """objects do not come back with a definition"""
    path = _make(s, "lamps", "Lamp")
    s.make(path, {"apiVersion": _group(s) + "/v1", "kind": "Lamp",
                  "metadata": {"name": "a"}})
    s.quiet("DELETE", f"{DEFINITIONS}/lamps.{_group(s)}")
    s.until_gone(f"{DEFINITIONS}/lamps.{_group(s)}")
    s.until_gone(path)
    _make(s, "lamps", "Lamp")
    s.get(path, show=("items",))


def definition_names(s):
    """names of a definition that do not fit together"""
    good = definition("lamps", "Lamp", None, _group(s))
    wrong_name = copy.deepcopy(good)
    wrong_name["metadata"]["name"] = "other." + _group(s)
    no_kind = copy.deepcopy(good)
    del no_kind["spec"]["names"]["kind"]
    upper = copy.deepcopy(good)
    upper["spec"]["names"].update(plural="Lamps")
    upper["metadata"]["name"] = "Lamps." + _group(s)
    scope = copy.deepcopy(good)
    scope["spec"]["scope"] = "Somewhere"
    no_scope = copy.deepcopy(good)
    del no_scope["spec"]["scope"]
    _refused(s, wrong_name, no_kind, upper, scope, no_scope)


def definition_versions(s):
    """versions of a definition that are refused"""
    def of(*versions):
        return definition("lamps", "Lamp", list(versions), _group(s))
    none = of()
    none["spec"]["versions"] = []
    no_schema = of({"name": "v1", "served": True, "storage": True})
    # What is said of versions shows how Go keeps them.
    for one in (none, of(version("v1", storage=False)),
                of(version("v1"), version("v2")),
                of(version("v1"), version("v1", storage=False))):
        s.refuse("POST", DEFINITIONS + "?dryRun=All", one)
    _refused(s, no_schema)


def definition_structure(s):
    """schemas that are not structural"""
    def of(schema):
        return definition("lamps", "Lamp", [version("v1", schema=schema)],
                          _group(s))

    def spec(value):
        return of({"type": "object", "properties": {"spec": value}})

    _refused(s, of({"type": "string"}),
             of({"properties": {"spec": {"type": "object"}}}),
             spec({"properties": {}}),
             spec({"type": "array"}),
             spec({"type": "nonsense"}),
             spec({"type": "object", "properties": {"a": {"type": "string"}},
                   "additionalProperties": {"type": "string"}}),
             spec({"type": "object", "additionalProperties": False}),
             spec({"type": "string", "default": 5}),
             spec({"type": "object", "properties": {
                 "a": {"type": "string"}}, "default": {"b": 1}}),
             spec({"type": "array", "items": {"type": "string"},
                   "uniqueItems": True}),
             spec({"type": "array", "items": {"type": "object"},
                   "x-kubernetes-list-type": "map"}),
             spec({"type": "object", "oneOf": [{"properties": {
                 "a": {"type": "string"}}}]}))


def definition_patterns(s):
    """patterns that are no regular expressions, and some that are"""
    def of(value):
        schema = {"type": "object", "properties": {"spec": value}}
        return definition("lamps", "Lamp", [version("v1", schema=schema)],
                          _group(s))

    for text in ("(", "a)", "[a", "(?=a)", "a{1001}", "a**", "*a", "[b-a]",
                 r"\8", r"\C", "\\", "(?P<x>a)", "(?<x>a)", r"^\pL+$",
                 r"[(?<a]", r"\Q(?<\E", "(?i)^a$", "[[:foo:]]"):
        s.post(DEFINITIONS + "?dryRun=All",
               of({"type": "string", "pattern": text}),
               show=lambda body: body.get("message", "taken"))
    bad = {"pattern": "("}
    _refused(s, of({"type": "array", "items": dict(bad, type="string")}),
             of({"type": "object", "additionalProperties":
                 dict(bad, type="string")}),
             of({"type": "string", "not": bad}),
             of({"type": "string", "oneOf": [{"pattern": "a"}, bad]}))


def definition_subresources(s):
    """subresources and columns that are refused"""
    def of(**more):
        return definition("lamps", "Lamp", [version("v1", **more)], _group(s))

    _refused(s, of(subresources={"scale": {
        "specReplicasPath": "spec.replicas",
        "statusReplicasPath": ".status.replicas"}}),
        of(subresources={"scale": {"specReplicasPath": ".spec.replicas"}}),
        of(additionalPrinterColumns=[{"name": "A"}]),
        of(additionalPrinterColumns=[{"name": "A", "type": "nonsense",
                                      "jsonPath": ".spec"}]),
        of(additionalPrinterColumns=[{"name": "A", "type": "string",
                                      "jsonPath": "spec"}]))


def definition_changes(s):
    """a definition that gets another version"""
    path = _make(s, "lamps", "Lamp")
    s.make(path, {"apiVersion": _group(s) + "/v1", "kind": "Lamp",
                  "metadata": {"name": "a"}})
    crd = f"{DEFINITIONS}/lamps.{_group(s)}"
    s.operations(crd, [
        {"op": "add", "path": "/spec/versions/-",
         "value": version("v2")},
        {"op": "replace", "path": "/spec/versions/0/storage",
         "value": False}],
        show=("metadata.generation", "spec.versions.name"))
    newer = path.replace("/v1/", "/v2/")
    _served(s, newer)
    s.get(newer + "/a")
    s.until("both versions to be stored", lambda: s.quiet(
        "GET", crd)["status.storedVersions"] == ["v1", "v2"])
    s.operations(crd, [{"op": "replace", "path": "/spec/versions/0/served",
                        "value": False}], show=("metadata.generation",))
    s.until_gone(path)
    s.operations(crd, [{"op": "remove", "path": "/spec/versions/0"}])
    s.merge(crd, {"spec": {"scope": "Cluster"}})
    s.merge(crd, {"spec": {"names": {"kind": "Other"}}},
            show=("spec.names",))
    s.merge(crd, {"spec": {"group": "other.example.com"}})


def definition_cluster_wide(s):
    """a cluster-wide custom resource"""
    s.make(DEFINITIONS, definition("suns", "Sun", None, _group(s),
                                   scope="Cluster"))
    _established(s, f"{DEFINITIONS}/suns.{_group(s)}")
    path = f"/apis/{_group(s)}/v1/suns"
    _served(s, path)
    sun = {"apiVersion": _group(s) + "/v1", "kind": "Sun"}
    s.post(path, dict(sun, metadata={"name": "a"}))
    s.post(path, dict(sun, metadata={"name": "b", "namespace": "x"}))
    s.get(path + "/a")
    s.fail("GET", f"/apis/{_group(s)}/v1/namespaces/{s.name}/suns")
    s.get(path + "/a/status")
    s.delete(path + "/a")


def definition_warnings(s):
    """a deprecated version warns, with a text of its own"""
    path = _make(s, "lamps", "Lamp",
                 version("v1", deprecated=True,
                         deprecationWarning="lamps are out"))
    lamp = {"apiVersion": _group(s) + "/v1", "kind": "Lamp",
            "metadata": {"name": "a"}}
    s.post(path, lamp)
    s.get(path, show=("kind",))
    s.delete(path + "/a", show=("status",))


def definition_list_kind(s):
    """the kind of lists"""
    made = definition("lamps", "Lamp", None, _group(s))
    made["spec"]["names"]["listKind"] = "LampCollection"
    s.make(DEFINITIONS, made)
    _established(s, f"{DEFINITIONS}/lamps.{_group(s)}")
    path = f"/apis/{_group(s)}/v1/namespaces/{s.name}/lamps"
    _served(s, path)
    s.get(path)


def _columns(body):
    """Without what is said of each object's name and age."""
    return [{k: v for k, v in c.items()
             if k != "description" or c["name"] not in ("Name", "Age")}
            for c in body["columnDefinitions"]]


def definition_columns(s):
    """the printer columns of custom resources, with none and with some"""
    path = _make(s, "lamps", "Lamp")
    s.make(path, {"apiVersion": _group(s) + "/v1", "kind": "Lamp",
                  "metadata": {"name": "a"}})
    s.get(path, accept=TABLE, show=lambda body: [
        _columns(body), [len(r["cells"]) for r in body["rows"]]])
    s.make(s.things, thing("a", {"replicas": 2, "words": ["x", "y"],
                                 "when": "2000-01-01T00:00:00Z",
                                 "on": True}))
    s.make(s.things, thing("b"))
    s.get(s.things, accept=TABLE, show=lambda body: [
        body["kind"], body["apiVersion"], _columns(body),
        # The last is an age.
        [r["cells"][:5] for r in body["rows"]],
        [r["cells"][5] is None for r in body["rows"]]])


def definition_with_short_name_taken(s):
    """names that another definition has are not accepted"""
    _make(s, "lamps", "Lamp")
    path = f"{DEFINITIONS}/others.{_group(s)}"
    s.make(DEFINITIONS, definition("others", "Lamp", None, _group(s)))
    s.until("an opinion", lambda: _conditions(s.quiet("GET", path).body))
    s.get(path, show=_conditions)
    s.quiet("DELETE", path)


def definition_status(s):
    """the status of a definition is not its writers'"""
    made = definition("lamps", "Lamp", None, _group(s))
    made["status"] = {"storedVersions": ["v9"], "conditions": [],
                      "acceptedNames": {"plural": "x", "kind": "y"}}
    s.make(DEFINITIONS, made)
    path = f"{DEFINITIONS}/lamps.{_group(s)}"
    _established(s, path)
    s.get(path, show=("status.storedVersions", "status.acceptedNames"))
