"""dryRun=All: everything but the store."""

from session import config_map, pod, query, thing

DRY = "All"


def dry_creation(s):
    """a dry creation answers as one, and makes nothing"""
    s.post(query(s.config_maps, dryRun=DRY), config_map("a"))
    s.get(s.config_maps + "/a")
    s.post(query(s.things, dryRun=DRY), thing("a", {"replicas": 1}))
    s.get(s.things + "/a")


def dry_creation_that_fails(s):
    """a dry creation finds what is wrong"""
    s.make(s.config_maps, config_map("a"))
    s.post(query(s.config_maps, dryRun=DRY), config_map("a"))
    s.post(query(s.things, dryRun=DRY), thing("a", {"replicas": 11}))
    s.post(query(s.config_maps, dryRun=DRY), config_map("Not a name"))


def dry_generated_name(s):
    """a dry creation makes a name, too"""
    answer = s.post(query(s.config_maps, dryRun=DRY),
                    {"metadata": {"generateName": "g-"}},
                    show=("metadata.generateName",))
    s.show("named", answer["metadata.name"].startswith("g-"))
    s.get(s.config_maps, show=("items",))


def dry_update(s):
    """a dry update"""
    made = s.make(s.config_maps, config_map("a"))
    answer = s.put(query(s.config_maps + "/a", dryRun=DRY),
                   config_map("a", {"k": "1"}))
    s.show("same version",
           answer.version == made["metadata"]["resourceVersion"])
    s.get(s.config_maps + "/a")


def dry_patch(s):
    """dry patches, also of a status and of a scale"""
    s.make(s.things, thing("a", {"replicas": 1}))
    s.merge(query(s.things + "/a", dryRun=DRY), {"spec": {"replicas": 2}})
    s.merge(query(s.things + "/a/status", dryRun=DRY),
            {"status": {"phase": "Up"}})
    s.merge(query(s.things + "/a/scale", dryRun=DRY),
            {"spec": {"replicas": 3}})
    s.get(s.things + "/a")


def dry_deletion(s):
    """dry deletions, by query or body, of one, of some with finalizers, of
    all"""
    s.make(s.config_maps, config_map("a"))
    s.make(s.config_maps, config_map("b", finalizers=["example.com/wait"]))
    s.delete(query(s.config_maps + "/a", dryRun=DRY))
    s.delete(s.config_maps + "/a", {"dryRun": [DRY]})
    s.delete(s.config_maps + "/b", {"dryRun": [DRY]})
    s.delete(query(s.config_maps, dryRun=DRY),
             show=("kind", "items.metadata.name"))
    s.get(s.config_maps, show=("items.metadata.name",
                               "items.metadata.deletionTimestamp"))


def dry_deletion_of_pod(s):
    """a dry deletion of a pod with grace"""
    s.make(s.pods, pod("a", nodeName="n1"))
    show = ("metadata.deletionTimestamp",
            "metadata.deletionGracePeriodSeconds")
    s.delete(query(s.pods + "/a", dryRun=DRY), show=show)
    s.get(s.pods + "/a", show=show)


def dry_run_of_subresources(s):
    """a dry binding and a dry eviction of a pod"""
    s.make(s.pods, pod("a"))
    binding = {"apiVersion": "v1", "kind": "Binding",
               "metadata": {"name": "a"},
               "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}
    s.post(query(s.pods + "/a/binding", dryRun=DRY), binding)
    s.get(s.pods + "/a", show=("spec.nodeName", "status.conditions"))
    s.post(s.pods + "/a/binding", binding)
    s.post(query(s.pods + "/a/binding", dryRun=DRY), binding)
    s.post(query(s.pods + "/a/eviction", dryRun=DRY), {
        "apiVersion": "policy/v1", "kind": "Eviction",
        "metadata": {"name": "a"}})
    s.get(s.pods + "/a", show=("spec.nodeName", "metadata.deletionTimestamp"))


def dry_run_of_other_values(s):
    """values other than All are refused"""
    s.post(query(s.config_maps, dryRun="true"), config_map("a"))
    s.post(s.config_maps + "?dryRun=", config_map("b"))
    s.make(s.config_maps, config_map("c"))
    s.put(query(s.config_maps + "/c", dryRun="x"), config_map("c"))
    s.merge(query(s.config_maps + "/c", dryRun="x"), {})
    s.delete(query(s.config_maps + "/c", dryRun="x"))


def dry_run_is_no_event(s):
    """a watch sees nothing of it"""
    watch = s.watch(s.config_maps, show=("metadata.name",),
                    resourceVersion=s.version(s.config_maps))
    s.quiet("POST", query(s.config_maps, dryRun=DRY), config_map("a"))
    s.make(s.config_maps, config_map("b"))
    watch.take(1)
