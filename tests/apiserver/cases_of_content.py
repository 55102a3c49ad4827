"""Forms of answers: tables, metadata, what a client accepts."""

from session import (PARTIAL, PARTIAL_LIST, TABLE, config_map, pod, query,
                     thing)

APPLY = "application/apply-patch+yaml"


def _table(body):
    """All of it but texts for people, and ages."""
    columns = [{k: v for k, v in c.items() if k != "description"}
               for c in body["columnDefinitions"]]
    kept = [i for i, c in enumerate(columns)
            if c["name"] not in ("Age", "Created At", "Last Seen",
                                 "First Seen")]
    return {"kind": body["kind"], "apiVersion": body["apiVersion"],
            "metadata": body["metadata"], "columns": columns,
            "cells": [[r["cells"][i] for i in kept] for r in body["rows"]],
            "objects": [r.get("object", {}).get("kind")
                        for r in body["rows"]],
            "conditions": [r.get("conditions") for r in body["rows"]]}


def tables_of_pods(s):
    """pods as a table: waiting, running, failed, ending"""
    s.make(s.pods, pod("a"))
    s.make(s.pods, pod("b", nodeName="n1"))
    s.merge(s.pods + "/b/status", {"status": {
        "phase": "Running", "podIP": "10.1.2.3",
        "podIPs": [{"ip": "10.1.2.3"}], "conditions": [
            {"type": "Ready", "status": "True"}],
        "containerStatuses": [{
            "name": "main", "ready": True, "restartCount": 2, "image": "x",
            "imageID": "", "state": {"running": {}}}]}},
        show=("status.phase",))
    s.make(s.pods, pod("c", nodeName="n1"))
    s.merge(s.pods + "/c/status", {"status": {
        "phase": "Failed", "containerStatuses": [{
            "name": "main", "ready": False, "restartCount": 0, "image": "x",
            "imageID": "", "state": {"terminated": {
                "exitCode": 1, "reason": "Error"}}}]}},
        show=("status.phase",))
    s.make(s.pods, pod("d", nodeName="n1"))
    s.quiet("DELETE", s.pods + "/d")
    held = pod("e", nodeName="n1")
    held["metadata"]["finalizers"] = ["example.com/wait"]
    s.make(s.pods, held)
    s.merge(s.pods + "/e/status", {"status": {"phase": "Succeeded"}},
            show=("status.phase",))
    s.quiet("DELETE", s.pods + "/e")
    s.get(s.pods, accept=TABLE, show=_table)


def tables_of_pods_that_wait(s):
    """reasons of waiting containers and of init containers in a table"""
    def status(name, state, ready=False):
        return {"name": name, "ready": ready, "restartCount": 1, "image": "x",
                "imageID": "", "state": state}
    ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    waits = {"waiting": {"reason": "CrashLoopBackOff"}}
    init = [{"name": "i", "image": "x"}, {"name": "j", "image": "x"}]
    states = {
        "waits": ({}, [status("main", waits)], []),
        "completed": ({}, [status("main", ended)], []),
        "signalled": ({}, [status("main", {"terminated": {
            "exitCode": 0, "signal": 9}})], []),
        "code": ({}, [status("main", {"terminated": {"exitCode": 3}})], []),
        "initializes": ({}, [], [status("i", ended), status("j", {
            "running": {}})]),
        "init-fails": ({}, [], [status("i", {"terminated": {
            "exitCode": 1, "reason": "Error"}}), status("j", waits)]),
        "init-waits": ({}, [], [status("i", waits)]),
        "evicted": ({"phase": "Failed", "reason": "Evicted"}, [], [])}
    for name, (more, containers, inits) in states.items():
        s.make(s.pods, pod(name, nodeName="n1", initContainers=init))
        s.merge(f"{s.pods}/{name}/status", {"status": {
            "phase": "Running", **more, "containerStatuses": containers,
            "initContainerStatuses": inits}}, show=())
    s.get(s.pods, accept=TABLE, show=lambda body: [
        r["cells"][:4] if " ago" not in str(r["cells"][3])
        else r["cells"][:3] for r in body["rows"]])


def tables_of_config_maps(s):
    """config maps and secrets as tables"""
    s.make(s.config_maps, config_map("a", {"x": "1", "y": "2"}))
    s.get(s.config_maps, accept=TABLE, show=_table)
    s.get(s.config_maps + "/a", accept=TABLE, show=_table)
    s.make(s.core + "/secrets", {"metadata": {"name": "a"},
                                 "data": {"x": "YQ=="}})
    s.get(s.core + "/secrets", accept=TABLE, show=_table)


def tables_of_services(s):
    """services as a table"""
    s.make(s.core + "/services", {"metadata": {"name": "a"}, "spec": {
        "clusterIP": "None", "selector": {"x": "y", "a": "b"},
        "ports": [{"name": "p", "port": 80}, {"name": "q", "port": 81}]}})
    s.make(s.core + "/services", {"metadata": {"name": "b"}, "spec": {
        "type": "ExternalName", "externalName": "example.com"}})
    s.get(s.core + "/services", accept=TABLE, show=_table)


def tables_of_namespaces(s):
    """namespaces as a table"""
    s.get("/api/v1/namespaces/" + s.name, accept=TABLE, show=_table)
    s.get(query("/api/v1/namespaces", fieldSelector="metadata.name=" + s.name),
          accept=TABLE, show=_table)


def tables_of_other_kinds(s):
    """service accounts and leases as tables"""
    s.make(s.core + "/serviceaccounts", {"metadata": {"name": "a"}})
    s.get(s.core + "/serviceaccounts", accept=TABLE, show=_table)
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{s.name}/leases"
    s.make(leases, {"metadata": {"name": "a"},
                    "spec": {"holderIdentity": "me"}})
    s.get(leases, accept=TABLE, show=_table)


def tables_of_events(s):
    """events as a table"""
    s.make(s.core + "/events", {
        "metadata": {"name": "a"}, "type": "Warning", "reason": "Why",
        "message": "what\n", "count": 1,
        "source": {"component": "test"},
        "firstTimestamp": "2000-01-01T00:00:00Z",
        "lastTimestamp": "2000-01-01T00:00:00Z",
        "involvedObject": {"kind": "Pod", "name": "p",
                           "namespace": s.name}})
    s.get(s.core + "/events", accept=TABLE, show=_table)


def tables_include_objects(s):
    """what a table's rows have as their object"""
    s.make(s.things, thing("a"))
    for include in ("None", "Metadata", "Object", "", "Other"):
        s.get(query(s.things, includeObject=include), accept=TABLE,
              show=lambda body: [r.get("object") for r in body["rows"]])


def tables_in_chunks(s):
    """a chunk of a table"""
    for name in "abc":
        s.make(s.things, thing(name))
    s.get(query(s.things, limit=2), accept=TABLE, show=lambda body: [
        body["metadata"], [r["cells"][0] for r in body["rows"]]])


def tables_of_nothing(s):
    """an empty table, and a table of what is not there"""
    s.get(s.things, accept=TABLE, show=lambda body: [
        body["rows"], len(body["columnDefinitions"])])
    s.get(s.things + "/none", accept=TABLE)


def metadata_only(s):
    """metadata of one object and of a list"""
    s.make(s.config_maps, config_map("a", {"x": "y"}, labels={"l": "1"}))
    s.get(s.config_maps + "/a", accept=PARTIAL)
    s.get(s.config_maps, accept=PARTIAL_LIST)
    s.get(query(s.config_maps, limit=1), accept=PARTIAL_LIST)
    s.get(s.config_maps + "/none", accept=PARTIAL)


def metadata_as_informers_ask(s):
    """the metadata informer of client-go also takes JSON"""
    s.make(s.things, thing("a"))
    s.get(s.things, accept=PARTIAL_LIST.replace(",application/json", ""))
    s.get(s.things, accept="application/json;as=PartialObjectMetadataList;"
          "g=meta.k8s.io;v=v1,application/json")


def metadata_of_wrong_forms(s):
    """a list as the metadata of one object, and other forms that are not
    there"""
    s.make(s.config_maps, config_map("a"))
    s.refuse("GET", s.config_maps, accept=PARTIAL.split(",")[0])
    s.refuse("GET", s.config_maps + "/a", accept=PARTIAL_LIST.split(",")[0])
    for form in ("Nonsense;v=v1", "Table;v=v9"):
        accept = f"application/json;as={form};g=meta.k8s.io"
        s.refuse("GET", s.config_maps, accept=accept)
        s.get(s.config_maps, accept=accept + ",application/json",
              show=("kind",))


def metadata_of_writes(s):
    """writes are answered with metadata, too"""
    s.post(s.things, thing("a"), accept=PARTIAL)
    s.merge(s.things + "/a", {"spec": {"replicas": 1}}, accept=PARTIAL)
    s.delete(s.things + "/a", accept=PARTIAL)


def accepted_types(s):
    """types of answers that are not there, or come in order"""
    s.make(s.config_maps, config_map("a"))
    path = s.config_maps + "/a"
    show = ("metadata.name",)
    for accept in ("text/html", "image/*"):
        s.refuse("GET", path, accept=accept)
    for accept in ("*/*",
                   "text/html,application/json;q=0.5", None,
                   "application/json;charset=utf-8",
                   "application/json; q=0.9, */*; q=0.1"):
        s.get(path, accept=accept, show=show)


def content_types(s):
    """types of bodies that are not read"""
    for kind in ("text/plain", "application/x-www-form-urlencoded",
                 "application/xml"):
        s.refuse("POST", s.config_maps, config_map("a"), kind=kind)
    s.post(s.config_maps, config_map("a"),
           kind="application/json; charset=utf-8")


def events_of_both_groups(s):
    """events are written in one group and read in the other"""
    new = f"/apis/events.k8s.io/v1/namespaces/{s.name}/events"
    old = s.core + "/events"
    about = {"apiVersion": "v1", "kind": "Pod", "name": "p",
             "namespace": s.name}
    s.post(old, {"metadata": {"name": "a"}, "type": "Normal", "reason": "R",
                 "message": "m", "count": 2,
                 "source": {"component": "c", "host": "h"},
                 "firstTimestamp": "2000-01-01T00:00:00Z",
                 "lastTimestamp": "2000-01-01T00:00:01Z",
                 "involvedObject": about})
    s.get(new + "/a")
    s.post(new, {"metadata": {"name": "b"}, "type": "Normal", "reason": "R",
                 "note": "m", "action": "A", "reportingController": "a.b/c",
                 "reportingInstance": "i",
                 "eventTime": "2000-01-01T00:00:00.000000Z",
                 "regarding": about})
    s.get(old + "/b")
    s.get(query(old, fieldSelector="involvedObject.name=p,type=Normal"),
          show=("items.metadata.name",))
    s.get(query(new, fieldSelector="regarding.name=p"),
          show=("items.metadata.name",))


def leases_of_elections(s):
    """a lease as leader election writes it"""
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{s.name}/leases"
    made = s.post(leases, {
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "a"}, "spec": {
            "holderIdentity": "one", "leaseDurationSeconds": 15,
            "acquireTime": "2000-01-01T00:00:00.000000Z",
            "renewTime": "2000-01-01T00:00:00.000000Z",
            "leaseTransitions": 0}}).body
    made["spec"].update(holderIdentity="two", leaseTransitions=1)
    s.put(leases + "/a", made)
    s.put(leases + "/a", made)


def plain_data_of_secrets(s):
    """stringData is merged into data by every write, and never shown"""
    path = s.core + "/secrets"

    def secret(**more):
        return {"apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": "a"}, **more}

    s.post(path, secret(data={"a": "ZGVm", "b": "ZGVm"},
                        stringData={"a": "abc"}))
    s.get(path + "/a")
    s.put(path + "/a", secret(stringData={"c": "def", "e": ""}))
    s.merge(path + "/a", {"stringData": {"a": "abc"}})
    s.strategic(path + "/a", {"stringData": {"c": "abc"}})
    s.operations(path + "/a", [
        {"op": "add", "path": "/stringData", "value": {"j": "def"}}])
    s.ask("PATCH", query(path + "/a", fieldManager="me"),
          secret(stringData={"k": "abc"}), kind=APPLY)
    s.put(path + "/a", secret(stringData={}))
    s.refuse("PUT", path + "/a", secret(stringData={"a": 1}))


def openapi_for_kubectl(s):
    """OpenAPI v2 in protobuf, as kubectl asks for it"""
    answer = s.quiet("GET", "/openapi/v2", accept=(
        "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"))
    s.show("status and type", [answer.status,
                               answer.headers.get("Content-Type")])
