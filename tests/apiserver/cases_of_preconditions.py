"""Preconditions: versions, uids, and what must agree with the path."""

from session import config_map, thing

STALE = "1"
OTHER_UID = "00000000-0000-0000-0000-000000000001"


def update_with_stale_version(s):
    """an update of a version that is no longer there is a conflict"""
    made = s.make(s.config_maps, config_map("a"))
    made["data"] = {"k": "1"}
    s.put(s.config_maps + "/a", made)
    s.put(s.config_maps + "/a", made)


def update_without_version(s):
    """an update without a version is unconditional, of custom resources
    refused"""
    s.make(s.config_maps, config_map("a"))
    s.put(s.config_maps + "/a", config_map("a", {"k": "1"}))
    s.make(s.things, thing("a"))
    s.put(s.things + "/a", thing("a", {"replicas": 1}))


def update_with_other_uid(s):
    """an update of an object with another uid is a conflict"""
    s.make(s.config_maps, config_map("a"))
    s.refuse("PUT", s.config_maps + "/a", config_map("a", uid=OTHER_UID))
    s.merge(s.config_maps + "/a", {"metadata": {"uid": OTHER_UID}})


def update_of_nothing(s):
    """an update of what is not there: 404, but a lease is made"""
    s.put(s.config_maps + "/a", config_map("a"))
    s.put(s.things + "/a", thing("a"))
    leases = s.core.replace("/api/v1", "/apis/coordination.k8s.io/v1") \
        + "/leases"
    s.put(leases + "/a", {"apiVersion": "coordination.k8s.io/v1",
                          "kind": "Lease", "metadata": {"name": "a"},
                          "spec": {"holderIdentity": "me"}})


def update_under_other_path(s):
    """name, namespace, kind and version must be those of the path"""
    path = s.config_maps + "/a"
    s.make(s.config_maps, config_map("a"))
    s.put(path, config_map("b"))
    s.put(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}})
    s.put(path, config_map("a", namespace="other"))
    s.refuse("PUT", path, dict(config_map("a"), kind="Secret"))
    s.refuse("PUT", path, dict(config_map("a"), apiVersion="v2"))


def create_under_other_path(s):
    """the same of a creation"""
    s.post(s.config_maps, config_map("a", namespace="other"))
    s.refuse("POST", s.config_maps, dict(config_map("a"), kind="Secret"))
    s.refuse("POST", s.config_maps, dict(config_map("a"),
                                         apiVersion="apps/v1"))
    s.fail("POST", s.things, dict(thing("a"), kind="Thong"))
    s.refuse("POST", s.things, dict(
        thing("a"), apiVersion="conformance.example.com/v2"))
    s.refuse("POST", s.things, {"metadata": {"name": "a"}})


def create_with_version(s):
    """a creation has no version"""
    s.fail("POST", s.config_maps, config_map("a", resourceVersion="5"))
    s.fail("POST", s.things, thing("a", resourceVersion="5"))


def create_with_fields_of_the_server(s):
    """uid, times and the like of a creation are the server's"""
    s.post(s.config_maps, config_map(
        "a", uid=OTHER_UID, creationTimestamp="2000-01-01T00:00:00Z",
        deletionTimestamp="2000-01-01T00:00:00Z",
        deletionGracePeriodSeconds=5, generation=7, selfLink="/x"))
    s.post(s.things, thing(
        "a", uid=OTHER_UID, creationTimestamp="2000-01-01T00:00:00Z",
        deletionTimestamp="2000-01-01T00:00:00Z",
        deletionGracePeriodSeconds=5, generation=7, selfLink="/x"))


def update_fields_of_the_server(s):
    """an update cannot change them"""
    s.make(s.things, thing("a", generateName="x"))
    made = s.quiet("GET", s.things + "/a").body
    made["metadata"].update(
        creationTimestamp="2000-01-01T00:00:00Z", generation=9,
        deletionTimestamp="2000-01-01T00:00:00Z", generateName="y",
        deletionGracePeriodSeconds=4)
    s.put(s.things + "/a", made)
    s.merge(s.config_maps + "/none", {"metadata": {"generation": 3}})


def patch_with_stale_version(s):
    """a patch may name a version"""
    s.make(s.config_maps, config_map("a"))
    s.merge(s.config_maps + "/a", {"metadata": {"resourceVersion": STALE}})
    now = s.quiet("GET", s.config_maps + "/a").version
    s.merge(s.config_maps + "/a", {
        "metadata": {"resourceVersion": now}, "data": {"k": "1"}})
    s.operations(s.config_maps + "/a", [
        {"op": "replace", "path": "/metadata/resourceVersion",
         "value": STALE}])


def delete_with_preconditions(s):
    """a deletion with another uid or version is a conflict"""
    made = s.make(s.config_maps, config_map("a"))
    path = s.config_maps + "/a"
    s.delete(path, {"preconditions": {"uid": OTHER_UID}})
    s.delete(path, {"preconditions": {"resourceVersion": STALE}})
    s.delete(path, {"preconditions": {
        "uid": made["metadata"]["uid"],
        "resourceVersion": made["metadata"]["resourceVersion"]}})


def status_with_stale_version(s):
    """so is an update of a status"""
    made = s.make(s.things, thing("a"))
    made["status"] = {"phase": "Up"}
    s.put(s.things + "/a/status", made)
    made["status"] = {"phase": "Down"}
    s.put(s.things + "/a/status", made)


def version_is_no_number(s):
    """a version that is no number"""
    made = s.make(s.config_maps, config_map("a"))
    made["metadata"]["resourceVersion"] = "abc"
    s.fail("PUT", s.config_maps + "/a", made)


def generation_counts_the_spec(s):
    """the generation counts changes of the spec, not of metadata or status"""
    s.make(s.things, thing("a"))
    show = ("metadata.generation",)
    s.merge(s.things + "/a", {"spec": {"replicas": 1}}, show=show)
    s.merge(s.things + "/a", {"spec": {"replicas": 1}}, show=show)
    s.merge(s.things + "/a", {"metadata": {"labels": {"a": "b"}}}, show=show)
    s.merge(s.things + "/a/status", {"status": {"phase": "Up"}}, show=show)
    s.merge(s.things + "/a", {"status": {"phase": "Down"}},
            show=show + ("status",))
    s.delete(s.things + "/a")
