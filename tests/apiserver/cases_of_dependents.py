"""What becomes of the dependents of an object that is deleted."""

from cases_of_definitions import DEFINITIONS
from cases_of_deletion import SHOW, WAIT
from session import GROUP, config_map, owner, pod, thing


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
