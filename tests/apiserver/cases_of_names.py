"""Names: generated, taken, wrong."""

import json
import re

from session import MERGE_PATCH, config_map, pod, query, thing


def _generated(prefix):
    def show(body):
        name = body["metadata"]["name"]
        fits = re.fullmatch(re.escape(prefix) + "[a-z0-9]{5}", name)
        return {"fits": bool(fits), "length": len(name),
                "generateName": body["metadata"].get("generateName")}
    return show


def generated_names(s):
    """a generated name is the prefix and five characters"""
    s.post(s.config_maps, {"metadata": {"generateName": "job-"}},
           show=_generated("job-"))
    s.post(s.things, dict(thing(""), metadata={"generateName": "job-"}),
           show=_generated("job-"))
    long = "x" * 70
    s.post(s.config_maps, {"metadata": {"generateName": long}},
           show=_generated(long[:58]))
    s.post(s.config_maps, {"metadata": {"generateName": "a", "name": "b"}})
    s.post(s.config_maps, {"metadata": {"generateName": "a", "name": ""}},
           show=_generated("a"))


def generated_names_that_are_wrong(s):
    """a prefix that makes no name"""
    for prefix in ("Upper-", "-x", "a_"):
        answer = s.quiet("POST", s.config_maps,
                         {"metadata": {"generateName": prefix}})
        text = re.sub(re.escape(prefix) + "[a-z0-9]{5}", prefix + "*****",
                      json.dumps(answer.body))
        s.show(f"{prefix}: {answer.status}", json.loads(text))


def names_that_are_missing(s):
    """a name or a prefix is needed"""
    s.post(s.config_maps, {"metadata": {}})
    s.post(s.config_maps, {"data": {}})
    s.post(s.things, {"apiVersion": "conformance.example.com/v1",
                      "kind": "Thing"})
    s.post(s.pods, {"spec": pod("a")["spec"]})


def names_that_are_taken(s):
    """a name that is taken"""
    s.make(s.config_maps, config_map("a"))
    s.post(s.config_maps, config_map("a", {"other": "data"}))
    s.make(s.things, thing("a"))
    s.post(s.things, thing("a"))
    s.post("/api/v1/namespaces", {"metadata": {"name": s.name}})


def names_of_objects(s):
    """names that are no DNS subdomains"""
    for name in ("Upper", "under_score", "-a", "a-", "a..b", ".", "a/b",
                 "x" * 254, "ümlaut"):
        s.post(s.config_maps, config_map(name))
    s.post(s.config_maps, config_map("a.b-c.1"), show=("metadata.name",))
    for name in ("Upper", "x" * 254):
        s.post(s.things, thing(name))
        s.post(s.pods, pod(name))


def names_of_services(s):
    """services are named as namespaces are"""
    service = {"spec": {"clusterIP": "None"}}
    for name in ("1a", "a.b", "x" * 64, "Upper"):
        s.post(s.core + "/services", {"metadata": {"name": name}, **service},
               show=("metadata.name",))


def names_of_other_kinds(s):
    """namespaces and roles have rules of their own"""
    for name in ("a.b", "x" * 64, "Upper"):
        s.post("/api/v1/namespaces", {"metadata": {"name": name}})
    roles = (f"/apis/rbac.authorization.k8s.io/v1/namespaces/{s.name}/roles")
    for name in ("system:x", "a%b", "Upper"):
        s.post(roles, {"metadata": {"name": name}}, show=("metadata.name",))


def names_of_events(s):
    """events may have names that objects may not"""
    about = {"involvedObject": {"kind": "Pod", "name": "p",
                                "namespace": s.name}}
    events = s.core + "/events"
    s.post(events, {"metadata": {"generateName": "p."}, **about},
           show=_generated("p."))
    for name in ("Upper_.", "a%b", ".."):
        s.post(events, {"metadata": {"name": name}, **about},
               show=("metadata.name",))


def labels_that_are_wrong(s):
    """labels and annotations that are refused"""
    for labels in ({"a b": "c"}, {"a": "b c"}, {"a": "x" * 64},
                   {"/a": "b"}, {"Upper.com/a": "b"}, {"x" * 64: "y"},
                   {"": "a"}, {"a/b/c": "d"}):
        s.post(s.config_maps, config_map("a", labels=labels))
    for notes in ({"a b": "c"}, {"": "a"}):
        s.post(s.config_maps, config_map("a", annotations=notes))
    s.post(s.config_maps, config_map("a", annotations={"a": "x" * 300000}))
    s.post(s.things, thing("a", labels={"a": "b c"}))


def labels_of_wrong_types(s):
    """labels and the like of wrong types"""
    for metadata in ({"labels": {"a": 1}}, {"annotations": {"a": True}},
                     {"labels": "a=b"}, {"finalizers": "a"}):
        s.refuse("POST", s.things, thing("a", **metadata))
        s.refuse("POST", s.config_maps, config_map("a", **metadata))


def namespaces_that_are_missing(s):
    """nothing is made in a namespace that is not there"""
    path = "/api/v1/namespaces/nowhere/configmaps"
    s.post(path, config_map("a"))
    s.post(path + "?dryRun=All", config_map("a"))
    s.post(s.things.replace(s.name, "nowhere"), thing("a"))
    s.get(path + "/a")
    s.post("/api/v1/configmaps", config_map("a"))


def names_in_query_and_path(s):
    """a list by name, and names with characters that are escaped"""
    s.make(s.config_maps, config_map("a.b"))
    s.get(s.config_maps + "/a%2Eb", show=("metadata.name",))
    s.get(query(s.config_maps, fieldSelector="metadata.name=a.b"),
          show=("items.metadata.name",))


def changes_of_names(s):
    """an object keeps its name and namespace"""
    s.make(s.config_maps, config_map("a"))
    path = s.config_maps + "/a"
    s.merge(path, {"metadata": {"name": "b"}})
    s.merge(path, {"metadata": {"namespace": "other"}})
    s.fail("PATCH", path, {"kind": "Secret"}, kind=MERGE_PATCH)
    s.fail("PATCH", path, {"apiVersion": "v2"}, kind=MERGE_PATCH)
    s.make(s.things, thing("a"))
    s.merge(s.things + "/a", {"metadata": {"name": "b"}})
    s.fail("PATCH", s.things + "/a", {"kind": "Thong"}, kind=MERGE_PATCH)
