"""Schemas of custom resources: errors, defaults, pruning, validation."""

from session import GROUP, MERGE_PATCH, form, query, thing

BETA = "conformance.example.com/v1beta1"


def _refused(s, *specs):
    for spec in specs:
        s.post(s.forms, form("a", spec), show=("spec",))
        s.quiet("DELETE", s.forms + "/a")


def schema_types(s):
    """values of wrong types"""
    _refused(s, {"replicas": "two"}, {"replicas": 1.5}, {"replicas": True},
             {"mode": 1}, {"words": "a"}, {"words": [1]}, {"free": []},
             {"parts": {}}, {"counts": {"a": "b"}}, {"port": 1.5},
             {"port": True}, {"ratio": "x"}, {"on": "yes"})
    _refused(s, "text", [], 5)
    s.post(s.forms, dict(form("a"), spec=None))


def schema_bounds(s):
    """numbers, texts and lists out of their bounds"""
    _refused(s, {"replicas": -1}, {"replicas": 11}, {"ratio": -2},
             {"ratio": 3}, {"title": "a"}, {"title": "abcdef"},
             {"title": "ABC"}, {"words": []}, {"words": list("abcd")},
             {"counts": {"a": 1, "b": 2, "c": 3}}, {"mode": "Other"},
             {"when": "yesterday"})


def schema_large_numbers(s):
    """doubles that are too large to be whole"""
    _refused(s, {"counts": {"a": 1e300}}, {"counts": {"a": -1e300}},
             {"counts": {"a": 2.0**53}}, {"port": 1e300}, {"ratio": 1e300},
             {"ratio": 2**63 - 1})


def schema_formats(s):
    """a number that is too large for its format"""
    _refused(s, {"parts": [{"name": "a", "size": 3000000000}]})


def schema_patterns(s):
    """texts that a pattern fits, or not, also long ones"""
    _refused(s, {"code": "abAB"}, {"code": "ab1"}, {"code": ""},
             {"code": "ab\u00e4"}, {"code": "ab\n"}, {"code": "ab" * 5000},
             {"code": "ab" * 5000 + "1"}, {"code": "a" * 100 + "--"})


def schema_lists(s):
    """required fields, sets and maps"""
    _refused(s, {"parts": [{"size": 1}]}, {"parts": [{}, {}]},
             {"words": ["a", "a"]},
             {"parts": [{"name": "a"}, {"name": "a", "size": 2}]})


def schema_alternatives(s):
    """oneOf"""
    _refused(s, {"either": {}}, {"either": {"a": "1", "b": "2"}},
             {"either": {"a": "1"}})


def schema_several_errors(s):
    """several errors are named together"""
    _refused(s, {"replicas": 11, "mode": "Other", "parts": [{}],
                 "words": ["a", "a"]},
             {"title": "ABCDEFG"})


def schema_nulls(s):
    """null where it is allowed, where there is a default, and elsewhere"""
    _refused(s, {"nothing": None}, {"mode": None}, {"replicas": None},
             {"words": None}, {"parts": [None]}, {"counts": {"a": None}})


def schema_defaults(s):
    """defaults of fields and in lists; read and written"""
    s.post(s.forms, form("a", {"parts": [{"name": "x"},
                                           {"name": "y", "size": 5}]}))
    s.merge(s.forms + "/a", {"spec": {"mode": None}})
    s.post(s.forms, {"apiVersion": "conformance.example.com/v1",
                      "kind": "Form", "metadata": {"name": "b"}})


def schema_int_or_string(s):
    """int-or-string"""
    _refused(s, {"port": 80}, {"port": "http"})


def schema_pruning(s):
    """unknown fields are dropped, where they are not preserved"""
    s.post(query(s.forms, fieldValidation="Ignore"), dict(form("a", {
        "unknown": 1, "free": {"any": {"thing": []}},
        "parts": [{"name": "x", "unknown": 2}],
        "template": {"apiVersion": "v1", "kind": "Pod",
                     "metadata": {"name": "t", "labels": {"a": "b"}},
                     "spec": {"image": "x", "unknown": 3}}}),
        unknown={"at": "the top"}))


def schema_field_validation(s):
    """fieldValidation: Strict refuses, Warn warns, Ignore is silent"""
    body = dict(form("a", {"unknown": 1, "parts": [
        {"name": "x", "more": 2}]}), top=3)
    for mode in ("Strict", "Warn", "Ignore", "", "Other"):
        s.post(query(s.forms, fieldValidation=mode, dryRun="All"), body,
               show=("spec",))
    s.post(query(s.forms, dryRun="All"), body, show=("spec",))
    s.make(s.forms, form("b"))
    for mode in ("Strict", "Warn", "Ignore"):
        path = query(s.forms + "/b", fieldValidation=mode)
        if mode == "Strict":
            s.fail("PATCH", path, {"spec": {"unknown": 1}}, kind=MERGE_PATCH)
        else:
            s.merge(path, {"spec": {"unknown": 1}}, show=("spec",))
        made = s.quiet("GET", s.forms + "/b").body
        made["spec"]["unknown"] = 1
        s.put(query(s.forms + "/b", fieldValidation=mode), made,
              show=("spec",))


def schema_field_validation_of_metadata(s):
    """unknown fields of metadata"""
    body = form("a", nonsense=1)
    for mode in ("Strict", "Warn"):
        s.post(query(s.forms, fieldValidation=mode, dryRun="All"), body)


def schema_duplicate_fields(s):
    """a field that is there twice"""
    body = (b'{"apiVersion":"conformance.example.com/v1","kind":"Form",'
            b'"metadata":{"name":"a"},"spec":{"on":true,"on":false}}')
    for mode in ("Strict", "Warn", "Ignore"):
        answer = s.quiet("POST", query(s.forms, fieldValidation=mode,
                                       dryRun="All"), body)
        s.note(f"{mode}: {answer.status} {answer.headers.get('Warning')}")


def schema_embedded(s):
    """an embedded resource needs apiVersion and kind"""
    _refused(s, {"template": {}}, {"template": {"kind": "Pod"}},
             {"template": {"apiVersion": "v1", "kind": "Pod",
                           "metadata": {"name": "Not a name"}}})


def schema_immutable(s):
    """a rule that a field may not change"""
    path = s.forms.replace("/forms", "/seals")
    seal = {"apiVersion": GROUP + "/v1", "kind": "Seal",
            "metadata": {"name": "a"}, "spec": {"fixed": "x"}}
    s.make(path, seal)
    s.merge(path + "/a", {"spec": {"fixed": "y"}})
    s.merge(path + "/a", {"spec": {"fixed": None}}, show=("spec",))
    s.merge(path + "/a", {"spec": {"fixed": "z"}}, show=("spec",))


def schema_metadata(s):
    """metadata of wrong types"""
    for metadata in ({"name": 1}, {"name": "a", "labels": []},
                     {"name": "a", "generation": "x"},
                     {"name": "a", "ownerReferences": {}},
                     {"name": "a", "creationTimestamp": "yesterday"},
                     "text"):
        s.refuse("POST", s.forms, dict(form("a"), metadata=metadata))


def versions_of_thing(s):
    """an object reads in each served version, with a warning where that is
    deprecated"""
    s.make(s.things, thing("a", {"replicas": 1}))
    beta = s.things.replace("/v1/", "/v1beta1/")
    s.get(beta + "/a")
    s.get(beta, show=("kind", "apiVersion", "items.apiVersion"))
    s.post(beta, dict(thing("b"), apiVersion=BETA))
    s.post(beta, thing("c"))
    s.get(s.things + "/b")
    s.merge(beta + "/a", {"spec": {"replicas": 2}})
    s.fail("GET", s.things.replace("/v1/", "/v1alpha1/") + "/a")
    s.get(beta + "/a/scale")
