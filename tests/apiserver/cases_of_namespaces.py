"""Namespaces: made, and their end."""

from session import config_map, pod, thing

NAMESPACES = "/api/v1/namespaces"


def namespace_of_its_own(s):
    """what a new namespace has"""
    s.post(NAMESPACES, {"metadata": {"name": s.name + "-other"}})
    s.get(f"{NAMESPACES}/{s.name}-other/status")


def namespace_ends(s):
    """a namespace goes with what is in it"""
    s.make(s.config_maps, config_map("a"))
    s.make(s.things, thing("a"))
    s.make(s.pods, pod("a"))
    s.delete(f"{NAMESPACES}/{s.name}", show=lambda body: {
        **body, "status": body["status"]["phase"]})
    s.until_gone(f"{NAMESPACES}/{s.name}")
    for path in (s.config_maps, s.things, s.pods):
        s.get(path + "/a")


def namespace_waits(s):
    """it waits for what has finalizers, and takes nothing new meanwhile"""
    s.make(s.config_maps, config_map("a", finalizers=["example.com/wait"]))
    s.delete(f"{NAMESPACES}/{s.name}", show=("metadata.name",
                                             "status.phase"))
    s.until("a to be deleted", lambda: s.quiet("GET", s.config_maps + "/a")
            ["metadata.deletionTimestamp"])
    s.post(s.config_maps, config_map("b"))
    s.post(s.things, thing("b"))
    s.merge(s.config_maps + "/a", {"data": {"still": "writable"}},
            show=("data",))
    s.get(f"{NAMESPACES}/{s.name}", show=("status.phase", "spec"))
    s.delete(f"{NAMESPACES}/{s.name}", show=("status.phase",))
    s.merge(s.config_maps + "/a", {"metadata": {"finalizers": None}},
            show=("metadata.name",))
    s.until_gone(f"{NAMESPACES}/{s.name}")


def namespace_again(s):
    """a namespace of the same name is another one"""
    path = f"{NAMESPACES}/{s.name}"
    uid = s.quiet("GET", path)["metadata.uid"]
    s.make(s.config_maps, config_map("a"))
    s.quiet("DELETE", path)
    s.until_gone(path)
    s.make(NAMESPACES, {"metadata": {"name": s.name}})
    s.show("another", s.quiet("GET", path)["metadata.uid"] != uid)
    s.get(s.config_maps, show=("items",))


def namespaces_that_stay(s):
    """namespaces that cannot be deleted"""
    for name in ("default", "kube-system"):
        s.delete(f"{NAMESPACES}/{name}")


def namespace_labels(s):
    """a namespace keeps the label of its name"""
    path = f"{NAMESPACES}/{s.name}"
    s.merge(path, {"metadata": {"labels": {"a": "b"}}})
    s.merge(path, {"metadata": {"labels": None}}, show=("metadata.labels",))


def namespace_end_is_watched(s):
    """a watch sees it terminate and go"""
    watch = s.watch(NAMESPACES, show=("metadata.name", "status.phase"),
                    fieldSelector="metadata.name=" + s.name,
                    resourceVersion=s.version(NAMESPACES))
    s.make(s.config_maps, config_map("a"))
    s.quiet("DELETE", f"{NAMESPACES}/{s.name}")
    seen = []
    while not seen or seen[-1][0] != "DELETED":
        event = watch.read()
        one = [event["type"], event["object"]["status"]["phase"]]
        if one not in seen:
            seen.append(one)
    s.show("events", seen)
