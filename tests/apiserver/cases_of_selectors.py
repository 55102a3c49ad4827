"""Selectors of labels and fields."""

from session import config_map, pod, query, thing

NAMES = ("items.metadata.name",)


def label_selectors(s):
    """every operator of a label selector"""
    for name, labels in (("a", {"color": "red", "n": "1"}),
                         ("b", {"color": "blue", "n": "2"}),
                         ("c", {"color": ""}), ("d", {})):
        s.make(s.config_maps, config_map(name, labels=labels))
    for text in ("color=red", "color==red", "color!=red", "color", "!color",
                 "color in (red,blue)", "color in ( red , blue )",
                 "color notin (red)", "color in ()", "color=",
                 "color in (,red)", "n>1", "n<2", "color=red,n=1",
                 "color=red,n=2", "color,!n", " color = red ", "",
                 "color notin (red,blue),color"):
        s.get(query(s.config_maps, labelSelector=text), show=NAMES)


def label_selectors_that_are_wrong(s):
    """label selectors that cannot be read"""
    for text in ("color=red=blue", "color in red", "color in (red", "=red",
                 "a b", "color>x", "!", ",", "color,", "UPPER$=x",
                 "color=a b", "x/y/z=a", "color=" + "x" * 64):
        s.refuse("GET", query(s.config_maps, labelSelector=text))


def field_selectors(s):
    """field selectors of names and namespaces"""
    for name in "abc":
        s.make(s.config_maps, config_map(name))
    for text in ("metadata.name=a", "metadata.name==a", "metadata.name!=a",
                 "metadata.name=a,metadata.name=b",
                 "metadata.name=a,metadata.namespace=" + s.name,
                 "metadata.namespace=other", ""):
        s.get(query(s.config_maps, fieldSelector=text), show=NAMES)


def field_selectors_that_are_wrong(s):
    """field selectors that cannot be read, or of other fields"""
    for text in ("metadata.name", "data.x=1", "metadata.labels.a=b",
                 "metadata.name in (a)", "=a", "metadata.name=a\\b"):
        s.refuse("GET", query(s.config_maps, fieldSelector=text))
    for method in ("GET", "DELETE"):
        s.refuse(method, query(s.things, fieldSelector="spec.replicas=1"))


def field_selectors_of_pods(s):
    """the fields of pods that can be selected"""
    s.make(s.pods, pod("a", nodeName="n1", restartPolicy="Never"))
    s.make(s.pods, pod("b", schedulerName="other"))
    s.merge(s.pods + "/a/status", {"status": {
        "phase": "Running", "podIP": "10.1.2.3",
        "podIPs": [{"ip": "10.1.2.3"}]}}, show=("status.phase",))
    for text in ("spec.nodeName=n1", "spec.nodeName=", "spec.nodeName!=",
                 "status.phase=Running", "status.phase!=Running",
                 "spec.restartPolicy=Never", "spec.schedulerName=other",
                 "spec.serviceAccountName=", "status.podIP=10.1.2.3",
                 "spec.hostNetwork=false", "status.nominatedNodeName="):
        s.get(query(s.pods, fieldSelector=text), show=NAMES)
    s.refuse("GET", query(s.pods, fieldSelector="spec.priority=0"))


def field_selectors_of_others(s):
    """the fields of other kinds that can be selected"""
    s.make(s.core + "/secrets", {"metadata": {"name": "a"},
                                 "type": "example.com/x"})
    for text in ("type=example.com/x", "type!=example.com/x"):
        s.get(query(s.core + "/secrets", fieldSelector=text), show=NAMES)
    s.get(query("/api/v1/namespaces", fieldSelector="status.phase=Active,"
                "metadata.name=" + s.name), show=NAMES)
    s.get(query("/api/v1/nodes", fieldSelector="spec.unschedulable=true"),
          show=NAMES)
    for kind in ("services", "replicationcontrollers", "serviceaccounts"):
        s.refuse("GET", query(f"{s.core}/{kind}",
                              fieldSelector="status.replicas=0"))


def selectable_fields_of_things(s):
    """a definition names more fields that can be selected"""
    s.make(s.things, thing("a"))
    s.make(s.things, thing("b", {"mode": "Slow"}))
    s.get(query(s.things, fieldSelector="spec.mode=Slow"), show=NAMES)
    s.get(query(s.things, fieldSelector="spec.mode!=Slow"), show=NAMES)


def selectors_of_one(s):
    """a selector with the path of one object"""
    s.make(s.config_maps, config_map("a", labels={"x": "y"}))
    s.get(query(s.config_maps + "/a", labelSelector="x=z"),
          show=("metadata.name",))
