"""Lists: chunks, versions and their order."""

from session import config_map, query, thing


def _chunk(answer):
    return {"names": [i["metadata"]["name"] for i in answer["items"] or ()],
            "more": bool(answer["metadata"].get("continue")),
            "left": answer["metadata"].get("remainingItemCount")}


def _fill(s, names="abcde", **metadata):
    for name in names:
        s.make(s.config_maps, config_map(name, **metadata))


def list_whole(s):
    """a list of objects in the order of their names, and an empty one"""
    s.get(s.config_maps)
    _fill(s, "ba")
    s.get(s.config_maps)


def list_of_things(s):
    """a list of custom resources"""
    s.get(s.things)
    s.make(s.things, thing("a"))
    s.get(s.things)


def list_chunks(s):
    """chunks of a limit, all of one version"""
    _fill(s)
    answer = s.get(query(s.config_maps, limit=2), show=_chunk)
    versions = {answer.version}
    while token := answer["metadata.continue"]:
        answer = s.get(query(s.config_maps, limit=2, **{"continue": token}),
                       show=_chunk)
        versions.add(answer.version)
    s.show("versions", len(versions))


def list_exact_chunk(s):
    """a limit of as many as there are leaves nothing"""
    _fill(s, "ab")
    s.get(query(s.config_maps, limit=2), show=_chunk)
    s.get(query(s.config_maps, limit=0), show=_chunk)


def list_chunks_are_consistent(s):
    """what happens between two chunks does not show"""
    _fill(s)
    answer = s.get(query(s.config_maps, limit=2), show=_chunk)
    s.quiet("DELETE", s.config_maps + "/d")
    _fill(s, ["cc"])
    s.quiet("PUT", s.config_maps + "/e", config_map("e", {"new": "1"}))
    s.show("next", [
        [i["metadata"]["name"], i.get("data")] for i in s.quiet(
            "GET", query(s.config_maps, **{
                "continue": answer["metadata.continue"]}))["items"]])


def list_chunks_with_selector(s):
    """chunks of a selection do not say how many are left"""
    _fill(s, "abc", labels={"color": "red"})
    _fill(s, "de")
    answer = s.get(query(s.config_maps, limit=2, labelSelector="color=red"),
                   show=_chunk)
    answer = s.quiet("GET", query(
        s.config_maps, limit=2, labelSelector="color=red",
        **{"continue": answer["metadata.continue"]}))
    s.show("next", _chunk(answer.body))


def list_chunks_of_all_namespaces(s):
    """chunks over namespaces go on where they ended"""
    other = s.name + "-other"
    s.make("/api/v1/namespaces", {"metadata": {"name": other}})
    _fill(s, "ab", labels={"case": s.name})
    s.make(f"/api/v1/namespaces/{other}/configmaps",
           config_map("a", labels={"case": s.name}))
    parameters = {"labelSelector": "case=" + s.name, "limit": 1}
    token, seen = "", []
    for _ in range(3):
        answer = s.quiet("GET", query("/api/v1/configmaps", **parameters,
                                      **({"continue": token} if token else {})))
        seen += [[i["metadata"]["namespace"], i["metadata"]["name"]]
                 for i in answer["items"]]
        token = answer["metadata.continue"]
    s.show("seen", seen)


def list_invalid_continue(s):
    """a continue token that nobody made"""
    s.refuse("GET", query(s.config_maps, limit=1,
                          **{"continue": "nonsense"}))


def list_expired_continue(s):
    """a continue token that is too old comes with one that goes on with what
    is there now"""
    path = "/apis/old.example.com/v1/namespaces/default/olds"
    answer = s.get(query(path, **{"continue": s.server.old_token}), show=_chunk)
    s.get(query(path, **{"continue": answer["metadata.continue"]}),
          show=_chunk)


def list_expired_version(s):
    """an exact version that is too old"""
    s.get(query("/apis/old.example.com/v1/namespaces/default/olds",
                resourceVersionMatch="Exact",
                resourceVersion=s.server.old_version))


def list_continue_with_version(s):
    """a continue token excludes a version"""
    _fill(s, "ab")
    token = s.quiet("GET", query(s.config_maps, limit=1))["metadata.continue"]
    s.get(query(s.config_maps, limit=1, resourceVersion=7,
                **{"continue": token}))
    s.get(query(s.config_maps, limit=1, resourceVersion=7,
                resourceVersionMatch="NotOlderThan", **{"continue": token}))
    s.get(query(s.config_maps, limit=1, resourceVersion=0,
                **{"continue": token}), show=_chunk)


def list_version_match(s):
    """which resourceVersionMatch goes with which version"""
    _fill(s, "ab")
    version = s.version(s.config_maps)
    _fill(s, "c")
    for given, match in ((version, "Exact"), (version, "NotOlderThan"),
                         ("0", "NotOlderThan"), ("0", "Exact"),
                         ("", "Exact"), ("", "NotOlderThan"),
                         (version, "Newest")):
        s.get(query(s.config_maps, resourceVersion=given,
                    resourceVersionMatch=match), show=_chunk)


def list_exact_version_later(s):
    """a list at an exact version shows what was then"""
    s.make(s.config_maps, config_map("a", {"k": "old"}))
    version = s.version(s.config_maps)
    s.quiet("PUT", s.config_maps + "/a", config_map("a", {"k": "new"}))
    answer = s.quiet("GET", query(s.config_maps, resourceVersion=version,
                                  resourceVersionMatch="Exact"))
    s.show("then", [i["data"] for i in answer["items"]])
    s.show("its version is what was asked for", answer.version == version)


def list_not_older(s):
    """a list that is not older than a write has that write"""
    made = s.make(s.config_maps, config_map("a"))
    s.get(query(s.config_maps, resourceVersionMatch="NotOlderThan",
                resourceVersion=made["metadata"]["resourceVersion"]),
          show=_chunk)


def list_future_version(s):
    """a version that is not there yet: 504, and what to do"""
    for path in (s.config_maps, s.config_maps + "/a"):
        s.get(query(path, resourceVersion=999999999))


def list_invalid_numbers(s):
    """numbers that are none"""
    for name in ("limit", "resourceVersion", "timeoutSeconds"):
        s.refuse("GET", query(s.config_maps, **{name: "abc"}))
    s.get(query(s.config_maps, limit=-1), show=_chunk)


def list_all_namespaces(s):
    """a list of all namespaces is ordered by namespace and name"""
    other = s.name + "-other"
    s.make("/api/v1/namespaces", {"metadata": {"name": other}})
    for name in "ba":
        s.make(f"/api/v1/namespaces/{other}/configmaps",
               config_map(name, labels={"case": s.name}))
        s.make(s.config_maps, config_map(name, labels={"case": s.name}))
    s.get(query("/api/v1/configmaps", labelSelector="case=" + s.name),
          show=lambda body: [[i["metadata"]["namespace"],
                              i["metadata"]["name"]] for i in body["items"]])


def list_missing_namespace(s):
    """a namespace that is not there has nothing in it"""
    s.get("/api/v1/namespaces/nowhere/configmaps")


def list_get_with_version(s):
    """one object with version 0, and with one that is no
    number"""
    s.make(s.config_maps, config_map("a"))
    s.until("the cache to have it", lambda: s.quiet(
        "GET", s.config_maps + "/a?resourceVersion=0").status == 200)
    s.get(s.config_maps + "/a?resourceVersion=0")
    wrong = s.quiet("GET", s.config_maps + "/a?resourceVersion=abc")
    s.show("refused", wrong.status >= 400)


def list_head(s):
    """HEAD is not served"""
    s.make(s.config_maps, config_map("a"))
    for path in (s.config_maps, s.config_maps + "/a"):
        s.ask("HEAD", path)
