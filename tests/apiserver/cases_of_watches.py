"""Watches: what they begin with, send and end with."""

from session import PARTIAL, TABLE, config_map, pick, pod, query, thing

BRIEF = ("kind", "metadata.name", "data", "metadata.labels")
MARK = ("kind", "apiVersion", "metadata.annotations")
INITIAL = {"sendInitialEvents": "true",
           "resourceVersionMatch": "NotOlderThan",
           "allowWatchBookmarks": "true"}


def watch_from_a_list(s):
    """a watch from a list's version sends every later change, in order"""
    s.make(s.config_maps, config_map("before"))
    watch = s.watch(s.config_maps, resourceVersion=s.version(s.config_maps))
    s.make(s.config_maps, config_map("a", {"k": "1"}))
    s.quiet("PUT", s.config_maps + "/a", config_map("a", {"k": "2"}))
    s.make(s.config_maps, config_map("b"))
    s.quiet("DELETE", s.config_maps + "/a")
    watch.take(4)


def watch_versions_rise(s):
    """each event has a larger version than the one before, also deletions"""
    watch = s.watch(s.config_maps, resourceVersion=s.version(s.config_maps))
    for name in "ab":
        s.make(s.config_maps, config_map(name))
        s.quiet("DELETE", f"{s.config_maps}/{name}")
    versions = [int(e["object"]["metadata"]["resourceVersion"])
                for e in watch.take(4)]
    s.show("rising", versions == sorted(set(versions)))


def watch_without_version(s):
    """a watch without a version begins with what is there"""
    for name in "ba":
        s.make(s.config_maps, config_map(name))
    watch = s.watch(s.config_maps, show=BRIEF)
    watch.take_sorted(2)
    s.make(s.config_maps, config_map("c"))
    watch.take(1)


def watch_from_zero(s):
    """a watch from version 0 begins with what is there"""
    s.make(s.config_maps, config_map("a"))
    s.until("the cache to have it", lambda: s.quiet(
        "GET", s.config_maps + "?resourceVersion=0")["items"])
    watch = s.watch(s.config_maps, show=BRIEF, resourceVersion=0)
    watch.take(1)


def watch_of_a_name(s):
    """a path of one object is answered with it, a watch or not"""
    s.make(s.config_maps, config_map("a", {"x": "1"}))
    for watch in ("true", "1", "false"):
        s.get(query(s.config_maps + "/a", watch=watch))
    s.get(query(s.config_maps + "/none", watch="true"))


def watch_one_by_field(s):
    """a field selector of the name restricts a watch to one object"""
    watch = s.watch(s.config_maps, show=BRIEF,
                    resourceVersion=s.version(s.config_maps),
                    fieldSelector="metadata.name=b")
    for name in "abc":
        s.make(s.config_maps, config_map(name))
    s.quiet("DELETE", s.config_maps + "/b")
    watch.take(2)


def watch_selection(s):
    """entering a label selection is an addition, leaving it a deletion"""
    watch = s.watch(s.config_maps, resourceVersion=s.version(s.config_maps),
                    labelSelector="color=red")
    path = s.config_maps + "/a"
    s.make(s.config_maps, config_map("a", labels={"color": "blue"}))
    s.quiet("PUT", path, config_map("a", {"n": "1"}, labels={"color": "red"}))
    s.quiet("PUT", path, config_map("a", {"n": "2"}, labels={"color": "red"}))
    s.quiet("PUT", path, config_map("a", {"n": "3"}, labels={"color": "blue"}))
    s.quiet("PUT", path, config_map("a", {"n": "4"}, labels={"color": "red"}))
    s.quiet("DELETE", path)
    watch.take(5)


def watch_field_selection(s):
    """a pod that fails leaves the selection of those that run"""
    watch = s.watch(s.pods, show=("metadata.name", "status.phase"),
                    resourceVersion=s.version(s.pods),
                    fieldSelector="status.phase!=Failed")
    s.make(s.pods, pod("p"))
    s.merge(s.pods + "/p/status", {"status": {"phase": "Failed"}},
            show=("status.phase",))
    s.make(s.pods, pod("q"))
    watch.take(3)


def watch_all_namespaces(s):
    """a watch of all namespaces, restricted by a label"""
    watch = s.watch("/api/v1/configmaps", show=BRIEF,
                    resourceVersion=s.version(s.config_maps),
                    labelSelector="case=" + s.name)
    s.make(s.config_maps, config_map("a"))
    s.make(s.config_maps, config_map("b", labels={"case": s.name}))
    watch.take(1)


def watch_other_namespace(s):
    """a namespace whose name begins alike is not watched"""
    other = s.name + "-other"
    s.make("/api/v1/namespaces", {"metadata": {"name": other}})
    watch = s.watch(s.config_maps, show=BRIEF,
                    resourceVersion=s.version(s.config_maps))
    s.make(f"/api/v1/namespaces/{other}/configmaps", config_map("a"))
    s.make(s.config_maps, config_map("b"))
    watch.take(1)


def watch_initial_events(s):
    """sendInitialEvents: what is there, then a bookmark that says so"""
    for name in "ba":
        s.make(s.config_maps, config_map(name))
    watch = s.watch(s.config_maps, show=BRIEF, **INITIAL)
    watch.take_sorted(2)
    watch.next(show=MARK)
    s.make(s.config_maps, config_map("c"))
    watch.take(1)


def watch_no_initial_events(s):
    """sendInitialEvents=false: only what comes after"""
    s.make(s.config_maps, config_map("a"))
    watch = s.watch(s.config_maps, show=BRIEF,
                    **dict(INITIAL, sendInitialEvents="false"))
    s.make(s.config_maps, config_map("b"))
    watch.take(1)


def watch_initial_events_of_things(s):
    """sendInitialEvents of a custom resource that has no objects"""
    watch = s.watch(s.things, show=BRIEF, **INITIAL)
    watch.next(show=MARK)


def watch_initial_events_selected(s):
    """sendInitialEvents with a selector"""
    for name, color in (("a", "red"), ("b", "blue")):
        s.make(s.config_maps, config_map(name, labels={"color": color}))
    watch = s.watch(s.config_maps, show=BRIEF, labelSelector="color=blue",
                    **INITIAL)
    watch.take(1)
    watch.next(show=MARK)


def watch_initial_events_rules(s):
    """sendInitialEvents needs and excludes other parameters"""
    match = "resourceVersionMatch"
    for parameters in (
            {"sendInitialEvents": "true"},
            {"sendInitialEvents": "true", match: "Exact"},
            {match: "NotOlderThan"}):
        s.watch(s.config_maps, **parameters).close()
    s.get(query(s.config_maps, sendInitialEvents="true"))


def watch_too_old(s):
    """a version that is no longer known: an event ERROR, 410"""
    watch = s.watch("/apis/old.example.com/v1/namespaces/default/olds",
                    resourceVersion=1)
    watch.take(1)
    watch.end()


def watch_invalid_version(s):
    """a version that is no number is refused"""
    for version in ("abc", "-1"):
        watch = s.watch(s.config_maps, quiet=True, resourceVersion=version)
        s.show("refused", watch.response.status >= 400)


def watch_invalid_selector(s):
    """selectors that cannot be read are refused before the watch begins"""
    for selector in ({"fieldSelector": "data.x=1"},
                     {"labelSelector": "a in ("}):
        watch = s.watch(s.config_maps, quiet=True, **selector)
        s.show("status", watch.response.status)


def watch_timeout(s):
    """timeoutSeconds ends a watch in order"""
    s.make(s.config_maps, config_map("a"))
    watch = s.watch(s.config_maps, show=BRIEF, timeoutSeconds=1)
    watch.end()


def watch_bookmark_before_timeout(s):
    """with bookmarks, one comes shortly before the timeout"""
    s.make(s.config_maps, config_map("a"))
    watch = s.watch(s.config_maps, allowWatchBookmarks="true",
                    timeoutSeconds=4, resourceVersion=s.version(s.config_maps))
    s.make(s.config_maps, config_map("b"))
    events = []
    while (event := watch.read(bookmarks=True)) is not None:
        events.append(event)
    s.show("kinds of events", sorted({e["type"] for e in events}))
    s.show("the last", events[-1]["type"])
    s.show("the bookmark", {
        key: value for key, value in events[-1]["object"].items()})


def watch_of_finalizers(s):
    """an object with a finalizer is modified, and deleted when that goes"""
    s.make(s.config_maps, config_map("a", finalizers=["example.com/wait"]))
    watch = s.watch(s.config_maps, resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps + "/a")
    s.merge(s.config_maps + "/a", {"metadata": {"finalizers": None}})
    watch.take(2)


def watch_of_collection(s):
    """deleting a collection is a deletion of each"""
    for name in "ab":
        s.make(s.config_maps, config_map(name))
    watch = s.watch(s.config_maps, show=BRIEF,
                    resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps, show=("kind", "status"))
    watch.take_sorted(2)


def watch_nothing_changed(s):
    """an update that changes nothing is no event and makes no version"""
    made = s.make(s.config_maps, config_map("a", {"k": "1"}))
    watch = s.watch(s.config_maps, show=BRIEF,
                    resourceVersion=s.version(s.config_maps))
    same = s.put(s.config_maps + "/a", config_map("a", {"k": "1"}))
    s.show("same version",
           same.version == made["metadata"]["resourceVersion"])
    s.merge(s.config_maps + "/a", {}, show=BRIEF)
    s.make(s.config_maps, config_map("b"))
    watch.take(1)


def watch_of_status(s):
    """a written status is an event; of a custom resource it keeps the
    generation"""
    s.make(s.things, thing("a"))
    watch = s.watch(s.things, resourceVersion=s.version(s.things))
    s.merge(s.things + "/a/status", {"status": {"phase": "Up"}},
            show=("status", "metadata.generation"))
    s.merge(s.things + "/a", {"spec": {"replicas": 2}},
            show=("status", "metadata.generation"))
    watch.take(2)


def watch_of_other_version(s):
    """a custom resource is watched in the version that is asked for"""
    s.make(s.things, thing("a"))
    watch = s.watch(s.things.replace("/v1/", "/v1beta1/"),
                    show=("apiVersion", "kind", "metadata.name", "spec"))
    watch.take(1)


def watch_as_table(s):
    """a watch as tables: only the first has the columns"""
    watch = s.watch(s.things, accept=TABLE,
                    resourceVersion=s.version(s.things))
    for name in "ab":
        s.make(s.things, thing(name, {"replicas": 1}))
    s.quiet("DELETE", s.things + "/a")

    def rows(event):
        table = event["object"]
        return {"event": event["type"], "kind": table["kind"],
                "columns": [c["name"] for c in
                            table.get("columnDefinitions") or ()],
                "cells": [r["cells"][:4] for r in table["rows"]],
                "object": [r["object"]["kind"] for r in table["rows"]]}

    for _ in range(3):
        s.show("event", rows(watch.read()))


def watch_as_metadata(s):
    """a watch of metadata only"""
    watch = s.watch(s.things, accept=PARTIAL,
                    resourceVersion=s.version(s.things))
    s.make(s.things, thing("a", labels={"x": "y"}))
    s.quiet("DELETE", s.things + "/a")
    watch.take(2)


def watch_metadata_bookmark(s):
    """the bookmark after initial events, as metadata and as a table"""
    s.make(s.config_maps, config_map("a"))
    for accept in (PARTIAL, TABLE):
        watch = s.watch(s.config_maps, accept=accept, **INITIAL)
        watch.next(show=("kind", "apiVersion"))
        event = watch.read()
        s.show("event " + event["type"], {
            "kind": event["object"]["kind"],
            "annotations": pick(event["object"], "metadata.annotations"),
            "rows": [pick(r, "object.metadata.annotations")
                     for r in event["object"].get("rows", ())]})


def watch_history(s):
    """what happened between a list and the watch is sent"""
    version = s.version(s.config_maps)
    s.make(s.config_maps, config_map("a"))
    s.quiet("DELETE", s.config_maps + "/a")
    s.make(s.config_maps, config_map("b"))
    s.watch(s.config_maps, show=BRIEF, resourceVersion=version).take(3)


def watch_of_missing_resource(s):
    """a watch of a resource that is not served"""
    s.watch(s.core + "/nothings")


def watch_of_missing_namespace(s):
    """a namespace that is not there can be watched"""
    s.watch("/api/v1/namespaces/nowhere/configmaps",
            resourceVersion=s.version(s.config_maps), timeoutSeconds=1).end()
