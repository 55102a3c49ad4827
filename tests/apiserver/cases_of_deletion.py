"""Deletions: finalizers, grace, collections."""

from session import config_map, pod, query, thing

SHOW = ("kind", "metadata.name", "metadata.finalizers",
        "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds")
WAIT = ["example.com/wait"]


def delete_answers(s):
    """what a deletion answers: a Status, or the object"""
    s.make(s.config_maps, config_map("a"))
    s.delete(s.config_maps + "/a")
    s.delete(s.config_maps + "/a")
    s.make(s.things, thing("a"))
    s.delete(s.things + "/a")
    s.make(s.pods, pod("a"))
    s.delete(s.pods + "/a", show=SHOW)
    for what, more in (("secrets", {}), ("serviceaccounts", {}),
                       ("services", {"spec": {"clusterIP": "None"}}),
                       ("resourcequotas", {"spec": {}}),
                       ("limitranges", {"spec": {"limits": []}})):
        path = f"{s.core}/{what}"
        s.make(path, {"metadata": {"name": "a"}, **more})
        s.delete(path + "/a", show=("kind", "details"))


def delete_with_finalizers(s):
    """an object with finalizers is deleted once they are gone"""
    path = s.config_maps + "/a"
    s.make(s.config_maps, config_map("a", finalizers=WAIT + ["example.com/2"]))
    s.delete(path)
    s.delete(path)
    s.merge(path, {"metadata": {"finalizers": WAIT}})
    s.merge(path, {"data": {"still": "writable"}})
    s.merge(path, {"metadata": {"finalizers": []}})
    s.get(path)


def delete_of_thing_with_finalizers(s):
    """the same of a custom resource, whose generation it changes"""
    path = s.things + "/a"
    s.make(s.things, thing("a", finalizers=WAIT))
    s.delete(path)
    s.merge(path, {"spec": {"replicas": 1}})
    made = s.quiet("GET", path).body
    del made["metadata"]["finalizers"]
    s.put(path, made)
    s.get(path)


def finalizers_while_deleted(s):
    """no finalizer comes to an object that is being deleted"""
    path = s.config_maps + "/a"
    s.make(s.config_maps, config_map("a", finalizers=WAIT))
    s.delete(path, show=SHOW)
    s.merge(path, {"metadata": {"finalizers": WAIT + ["example.com/new"]}})
    s.merge(path, {"metadata": {"deletionTimestamp": None}}, show=SHOW)


def finalizer_names(s):
    """names of finalizers"""
    s.post(s.config_maps, config_map("a", finalizers=["plain"]))
    s.post(s.config_maps, config_map("b", finalizers=["Not A Name"]))
    s.post(s.things, thing("a", finalizers=["plain"]))
    s.post(s.config_maps, config_map("c", finalizers=["kubernetes"]))
    s.post(s.config_maps, config_map(
        "d", finalizers=["orphan", "foregroundDeletion"]))


def delete_missing(s):
    """a deletion of what is not there"""
    s.delete(s.config_maps + "/none")
    s.delete(s.things + "/none")
    s.delete("/api/v1/namespaces/nowhere/configmaps/none")


def delete_options(s):
    """options come in the body or in the query"""
    for name in "abcd":
        s.make(s.things, thing(name, finalizers=WAIT))
    options = {"kind": "DeleteOptions", "propagationPolicy": "Background"}
    s.delete(s.things + "/a", dict(options, apiVersion="v1"), show=SHOW)
    s.delete(s.things + "/b", dict(options, apiVersion="meta.k8s.io/v1"),
             show=SHOW)
    s.fail("DELETE", s.things + "/c", dict(options, kind="Other"))
    s.delete(query(s.things + "/d", propagationPolicy="Foreground"),
             show=SHOW)
    s.refuse("DELETE", query(s.things + "/d", gracePeriodSeconds="abc"))


def delete_invalid_options(s):
    """options that are refused"""
    s.make(s.config_maps, config_map("a"))
    path = s.config_maps + "/a"
    s.delete(path, {"propagationPolicy": "Sometimes"})
    s.delete(path, {"propagationPolicy": "Orphan", "orphanDependents": True})
    s.delete(path, {"dryRun": ["Some"]})
    s.delete(query(path, propagationPolicy="Sometimes"))
    s.fail("DELETE", path, b"{")
    s.fail("DELETE", path, [1])
    s.get(path, show=SHOW)


def grace_of_things(s):
    """only pods have a grace period"""
    s.make(s.config_maps, config_map("a"))
    s.delete(s.config_maps + "/a", {"gracePeriodSeconds": 30})
    s.make(s.things, thing("b", finalizers=WAIT))
    s.delete(s.things + "/b", {"gracePeriodSeconds": 30}, show=SHOW)


def grace_that_is_no_integer(s):
    """options that are null are none; a grace is an integer"""
    path = s.config_maps + "/a"
    s.make(s.config_maps, config_map("a"))
    for grace in (1.5, 1e300, "1", 2**64):
        s.fail("DELETE", path, {"gracePeriodSeconds": grace})
    s.delete(path, {"gracePeriodSeconds": None})
    s.make(s.config_maps, config_map("a"))
    s.delete(path, "null")


def grace_of_pods(s):
    """a pod on a node gets time to end; zero takes it away at once"""
    for name in "abc":
        s.make(s.pods, pod(name, nodeName="n1"))
    s.delete(s.pods + "/a", show=SHOW)
    s.get(s.pods + "/a", show=SHOW)
    s.delete(s.pods + "/a", {"gracePeriodSeconds": 5}, show=SHOW)
    s.delete(s.pods + "/a", {"gracePeriodSeconds": 60}, show=SHOW)
    s.delete(s.pods + "/a", {"gracePeriodSeconds": 0}, show=SHOW)
    s.get(s.pods + "/a")
    watch = s.watch(s.pods, show=SHOW, resourceVersion=s.version(s.pods))
    s.delete(query(s.pods + "/b", gracePeriodSeconds=0), show=SHOW)
    watch.take(2)
    s.get(s.pods + "/b")
    s.delete(s.pods + "/c", {"gracePeriodSeconds": -1}, show=SHOW)


def grace_asked_for_by_pods(s):
    """a pod's own grace period; none if it runs nowhere or has ended"""
    s.make(s.pods, pod("a", nodeName="n1", terminationGracePeriodSeconds=7))
    s.delete(s.pods + "/a", show=SHOW)
    s.make(s.pods, pod("b", terminationGracePeriodSeconds=7))
    s.delete(s.pods + "/b", show=SHOW)
    s.get(s.pods + "/b")
    s.make(s.pods, pod("c", nodeName="n1"))
    s.merge(s.pods + "/c/status", {"status": {"phase": "Succeeded"}},
            show=("status.phase",))
    s.delete(s.pods + "/c", show=SHOW)
    s.get(s.pods + "/c")
    s.make(s.pods, pod("d", nodeName="n1", terminationGracePeriodSeconds=0))
    s.delete(s.pods + "/d", show=SHOW)


def grace_and_finalizers(s):
    """a pod with a finalizer and no grace stays until that is gone"""
    body = pod("a", nodeName="n1")
    body["metadata"]["finalizers"] = WAIT
    s.make(s.pods, body)
    watch = s.watch(s.pods, show=SHOW, resourceVersion=s.version(s.pods))
    s.delete(s.pods + "/a", show=SHOW)
    s.merge(s.pods + "/a", {"metadata": {"finalizers": None}}, show=SHOW)
    s.delete(s.pods + "/a", {"gracePeriodSeconds": 0}, show=SHOW)
    watch.take(3)


def collection(s):
    """a collection is deleted, or the part of it that is selected"""
    for name, color in (("a", "red"), ("b", "red"), ("c", "blue"),
                        ("d", "blue")):
        s.make(s.config_maps, config_map(name, labels={"color": color}))
    s.delete(query(s.config_maps, labelSelector="color=red"))
    s.delete(query(s.config_maps, fieldSelector="metadata.name=c"),
             show=("kind",))
    s.get(s.config_maps, show=("items.metadata.name",))
    s.delete(s.config_maps, show=("kind", "items.metadata.name"))
    s.delete(s.config_maps, show=("kind", "items"))
    s.get(s.config_maps, show=("items",))


def collection_of_things(s):
    """a collection of custom resources, some with finalizers"""
    s.make(s.things, thing("a"))
    s.make(s.things, thing("b", finalizers=WAIT))
    s.delete(s.things, show=("kind", "items.metadata.name",
                             "items.metadata.deletionTimestamp"))
    s.get(s.things, show=("items.metadata.name",
                          "items.metadata.deletionTimestamp"))


def collection_of_pods(s):
    """pods of a collection get their grace"""
    s.make(s.pods, pod("a", nodeName="n1"))
    s.make(s.pods, pod("b"))
    s.delete(s.pods, show=("kind", "items.metadata.name"))
    s.get(s.pods, show=("items.metadata.name",
                        "items.metadata.deletionGracePeriodSeconds"))
    s.delete(s.pods, {"gracePeriodSeconds": 0}, show=("kind",))
    s.get(s.pods, show=("items",))


def collection_of_all_namespaces(s):
    """collections of all namespaces, of services and of namespaces cannot be
    deleted"""
    s.delete("/api/v1/configmaps")
    s.delete("/api/v1/namespaces")


def deletion_of_subresources(s):
    """subresources are not deleted"""
    s.make(s.things, thing("a"))
    s.delete(s.things + "/a/status")
    s.delete(s.things + "/a/scale")
    s.delete(s.things + "/a/nothing")
