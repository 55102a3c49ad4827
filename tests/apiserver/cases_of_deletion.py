"""Deletions: finalizers, grace, dependents, collections."""

from cases_of_definitions import DEFINITIONS
from session import GROUP, config_map, owner, pod, query, thing

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


def background(s):
    """dependents follow their owner"""
    made = s.make(s.config_maps, config_map("owner"))
    for name in "ab":
        s.make(s.config_maps, config_map(name, ownerReferences=[owner(made)]))
    watch = s.watch(s.config_maps, show=SHOW,
                    resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps + "/owner", {"propagationPolicy": "Background"})
    watch.take(1)
    watch.take_sorted(2)


def background_over_kinds(s):
    """and theirs follow them, also over custom resources"""
    made = s.make(s.things, thing("owner"))
    middle = s.make(s.pods, {**pod("middle"), "metadata": {
        "name": "middle", "ownerReferences": [owner(made, controller=True)]}})
    s.make(s.config_maps, config_map("leaf", ownerReferences=[
        owner(dict(middle, apiVersion="v1", kind="Pod"))]))
    s.delete(s.things + "/owner")
    s.until_gone(s.pods + "/middle")
    s.until_gone(s.config_maps + "/leaf")


def foreground(s):
    """an owner deleted in the foreground goes after its dependents"""
    made = s.make(s.config_maps, config_map("owner"))
    s.make(s.config_maps, config_map("a", ownerReferences=[
        owner(made, blockOwnerDeletion=True)]))
    watch = s.watch(s.config_maps, show=SHOW,
                    resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps + "/owner", {"propagationPolicy": "Foreground"})
    watch.take(3)


def foreground_without_dependents(s):
    """also without dependents it first gets the finalizer"""
    s.make(s.things, thing("owner"))
    watch = s.watch(s.things, show=SHOW, resourceVersion=s.version(s.things))
    s.delete(s.things + "/owner", {"propagationPolicy": "Foreground"})
    watch.take(2)


def foreground_waits(s):
    """it waits for a dependent with a finalizer"""
    made = s.make(s.config_maps, config_map("owner"))
    s.make(s.config_maps, config_map("a", finalizers=WAIT, ownerReferences=[
        owner(made, blockOwnerDeletion=True)]))
    s.delete(s.config_maps + "/owner", {"propagationPolicy": "Foreground"},
             show=SHOW)
    s.until("a to be deleted", lambda: s.quiet("GET", s.config_maps + "/a")
            ["metadata.deletionTimestamp"])
    s.get(s.config_maps + "/a", show=SHOW)
    s.get(s.config_maps + "/owner", show=SHOW)
    s.merge(s.config_maps + "/a", {"metadata": {"finalizers": None}},
            show=SHOW)
    s.until_gone(s.config_maps + "/owner")


def foreground_not_blocking(s):
    """it does not wait for a dependent that does not block"""
    made = s.make(s.config_maps, config_map("owner"))
    s.make(s.config_maps, config_map("a", finalizers=WAIT, ownerReferences=[
        owner(made, blockOwnerDeletion=False)]))
    s.delete(s.config_maps + "/owner", {"propagationPolicy": "Foreground"},
             show=SHOW)
    s.until_gone(s.config_maps + "/owner")
    s.until("a to be deleted", lambda: s.quiet("GET", s.config_maps + "/a")
            ["metadata.deletionTimestamp"])


def _ring(s, names):
    """Each is owned by the next, the last by the first, and holds it up."""
    made = [s.make(s.config_maps, config_map(name)) for name in names]
    for name, of in zip(names, made[1:] + made[:1]):
        s.merge(f"{s.config_maps}/{name}", {"metadata": {"ownerReferences": [
            owner(of, blockOwnerDeletion=True)]}}, show=SHOW)


def foreground_in_a_ring(s):
    """owners in a ring do not wait for each other for ever"""
    for names in ("ab", "cde", "fghi"):
        _ring(s, names)
        s.delete(f"{s.config_maps}/{names[0]}",
                 {"propagationPolicy": "Foreground"}, show=SHOW)
        for name in names:
            s.until_gone(f"{s.config_maps}/{name}")


def foreground_above_a_ring(s):
    """nor does the owner of one that was in a ring"""
    top = s.make(s.config_maps, config_map("top"))
    _ring(s, "ab")
    s.merge(s.config_maps + "/b", {"metadata": {"ownerReferences": [
        owner(top, blockOwnerDeletion=True)]}}, show=SHOW)
    s.delete(s.config_maps + "/top", {"propagationPolicy": "Foreground"},
             show=SHOW)
    for name in ("top", "a", "b"):
        s.until_gone(f"{s.config_maps}/{name}")


def orphan(s):
    """orphans stay, and no longer name their owner"""
    made = s.make(s.config_maps, config_map("owner"))
    s.make(s.config_maps, config_map("a", ownerReferences=[owner(made)]))
    watch = s.watch(s.config_maps, show=SHOW + ("metadata.ownerReferences",),
                    resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps + "/owner", {"propagationPolicy": "Orphan"})
    watch.take(3)


def orphan_by_old_option(s):
    """orphanDependents is the old name of that"""
    made = s.make(s.config_maps, config_map("owner"))
    s.make(s.config_maps, config_map("a", ownerReferences=[owner(made)]))
    s.delete(s.config_maps + "/owner", {"orphanDependents": True}, show=SHOW)
    s.until_gone(s.config_maps + "/owner")
    s.get(s.config_maps + "/a")


def orphan_by_finalizer(s):
    """an object that has the finalizer orphan orphans its dependents"""
    made = s.make(s.config_maps, config_map("owner", finalizers=["orphan"]))
    s.make(s.config_maps, config_map("a", ownerReferences=[owner(made)]))
    s.delete(s.config_maps + "/owner", show=SHOW)
    s.until_gone(s.config_maps + "/owner")
    s.get(s.config_maps + "/a")


def policy_replaces_finalizer(s):
    """the policy of a deletion replaces the finalizer of another"""
    s.make(s.things, thing("a", finalizers=["orphan"] + WAIT))
    s.delete(s.things + "/a", {"propagationPolicy": "Background"}, show=SHOW)
    s.make(s.things, thing("b", finalizers=["orphan"] + WAIT))
    s.delete(s.things + "/b", {"propagationPolicy": "Foreground"}, show=SHOW)


def absent_owner(s):
    """what names an owner that never was is collected"""
    s.make(s.config_maps, config_map("a", ownerReferences=[{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
        "uid": "00000000-0000-0000-0000-000000000002"}]))
    s.until_gone(s.config_maps + "/a")


def owner_of_unknown_kind(s):
    """what names an owner of a kind that no server has is left as it is"""
    nobody = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
              "uid": "00000000-0000-0000-0000-000000000004"}
    absent = dict(nobody, apiVersion="example.com/v1", kind="Absent")
    there = s.make(s.things, thing("owner"))
    s.make(s.config_maps, config_map("a", ownerReferences=[absent]))
    s.make(s.config_maps, config_map("b", ownerReferences=[
        absent, dict(nobody, uid=nobody["uid"][:-1] + "5")]))
    s.make(s.config_maps, config_map("c", ownerReferences=[
        dict(owner(there), apiVersion=GROUP + "/v7")]))
    s.make(s.config_maps, config_map("last", ownerReferences=[nobody]))
    s.until_gone(s.config_maps + "/last")
    s.delete(s.things + "/owner")
    for name in "abc":
        s.get(s.config_maps + "/" + name,
              show=("metadata.ownerReferences", "status"))


def owner_that_goes_with_its_definition(s):
    """dependents follow an owner whose kind is deleted with it"""
    definition = f"{DEFINITIONS}/passings.{GROUP}"
    if s.quiet("GET", definition).status == 404:
        return  # Played before.
    path = s.things.replace("/things", "/passings")
    made = s.make(path, dict(thing("owner"), kind="Passing"))
    s.make(s.config_maps, config_map("a", ownerReferences=[owner(made)]))
    s.quiet("DELETE", definition)
    s.until_gone(s.config_maps + "/a")


def one_of_two_owners(s):
    """what still has an owner stays, without the one that has gone"""
    first = s.make(s.config_maps, config_map("first"))
    second = s.make(s.config_maps, config_map("second"))
    s.make(s.config_maps, config_map("a", ownerReferences=[
        owner(first), owner(second)]))
    watch = s.watch(s.config_maps, fieldSelector="metadata.name=a",
                    resourceVersion=s.version(s.config_maps))
    s.delete(s.config_maps + "/first", show=("status",))
    watch.take(1)


def owner_references(s):
    """owner references that are refused"""
    uid = "00000000-0000-0000-0000-000000000003"
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": uid}
    for wrong in ({}, dict(whole, uid=""), dict(whole, apiVersion=""),
                  dict(whole, apiVersion="a/b/c"),
                  dict(whole, apiVersion="v1", kind="Event")):
        s.post(s.config_maps, config_map("a", ownerReferences=[wrong]))
    s.refuse("POST", s.config_maps, config_map("a", ownerReferences=[
        dict(whole, controller=True),
        dict(whole, controller=True, name="p")]))


def deletion_of_subresources(s):
    """subresources are not deleted"""
    s.make(s.things, thing("a"))
    s.delete(s.things + "/a/status")
    s.delete(s.things + "/a/scale")
    s.delete(s.things + "/a/nothing")
