"""Requests that nobody can answer."""

from session import GROUP, JSON, MERGE_PATCH, config_map, pod, thing


def paths_of_nothing(s):
    """resources, groups and versions that are not served"""
    for path in (s.core + "/nothings", s.core + "/nothings/a",
                 s.config_maps + "/a/b", s.config_maps + "/a/b/c",
                 "/api/v1/nothings", "/api/v1/namespaces/a/b/c/d/e"):
        s.get(path)
    for path in (f"/apis/{GROUP}/v1/namespaces/{s.name}/nothings",
                 f"/apis/{GROUP}/v9/namespaces/{s.name}/things",
                 f"/apis/nothing.example.com/v1/namespaces/{s.name}/things"):
        s.fail("GET", path)
    s.post(s.core + "/nothings", config_map("a"))
    s.delete(s.core + "/nothings/a")


def methods_that_are_not_allowed(s):
    """methods that a path does not have"""
    s.make(s.config_maps, config_map("a"))
    s.make(s.things, thing("a"))
    s.post(s.config_maps + "/a", config_map("a"))
    s.put(s.config_maps, config_map("a"))
    s.merge(s.config_maps, config_map("a"))
    for method, path in (("POST", s.things + "/a"), ("PUT", s.things),
                         ("PATCH", s.things)):
        s.fail(method, path, thing("a"),
               kind=MERGE_PATCH if method == "PATCH" else JSON)
    s.put("/api/v1/namespaces", {"metadata": {"name": s.name}})
    s.ask("OPTIONS", s.config_maps)
    s.ask("FROB", s.config_maps)


def bodies_that_cannot_be_read(s):
    """bodies that are no objects"""
    for path in (s.config_maps, s.things):
        for body in (b"{", b"", b"[]", b'"text"', b"5", b"\xff"):
            s.refuse("POST", path, body)


def kinds_that_are_missing(s):
    """a body without kind or apiVersion is taken for what the path says; not
    so of custom resources"""
    s.post(s.config_maps, {"metadata": {"name": "a"}})
    s.refuse("POST", s.things, {"metadata": {"name": "a"}})
    s.refuse("POST", s.things, {"kind": "Thing", "metadata": {"name": "a"}})


def tokens_that_are_wrong(s):
    """who shows no token, or another"""
    s.refuse("GET", s.config_maps,
             headers={"Authorization": "Bearer nonsense"})
    for header in (None, "Basic bm86Ym9keQ=="):
        s.fail("GET", s.config_maps, headers={"Authorization": header})


def objects_that_are_missing(s):
    """reads and writes of what is not there"""
    for path, body in ((s.config_maps + "/none", config_map("none")),
                       (s.things + "/none", thing("none"))):
        s.get(path)
        s.delete(path)
        s.merge(path, {})
    s.get("/api/v1/namespaces/nowhere")
    s.get("/apis/apps/v1/namespaces/nowhere/deployments/none")


def ports_of_containers(s):
    """names and numbers of ports that a container cannot have"""
    def ports(*items):
        return pod("a", containers=[{
            "name": "main", "image": "registry/x:1",
            "ports": [{"containerPort": 80, **item} for item in items]}])

    for items in (
            [{"name": "sixteen-letters-"}], [{"name": "Http"}],
            [{"name": "8080"}], [{"name": "a--b"}], [{"name": "-a"}],
            [{"name": "a_b"}], [{"name": "http"}, {"name": "http"}],
            [{"name": "UPPER"}, {"name": "UPPER"}], [{"containerPort": 0}],
            [{"containerPort": 65536}], [{"hostPort": 65536}],
            [{"hostPort": -1}], [{"protocol": "ICMP"}]):
        s.post(s.pods, ports(*items))
    s.post(s.pods, ports({"name": "fifteen-letters"},
                         {"name": "a1", "containerPort": 81},
                         {"containerPort": 82}), show=("metadata.name",))
