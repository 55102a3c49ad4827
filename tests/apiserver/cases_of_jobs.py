"""Jobs: defaults, refusals, what may change, their status and their table."""

from session import TABLE, query

SHOWN = ("metadata.generation", "metadata.labels", "spec", "status")
START = "2026-01-01T00:00:00Z"


def _job(name, template=None, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name},
            "spec": {**spec, "template": template or _template()}}


def _template(metadata=None, **spec):
    return {"metadata": metadata or {},
            "spec": {"restartPolicy": "Never", "containers": [
                {"name": "main", "image": "registry/x:1"}], **spec}}


def _jobs(s):
    return f"/apis/batch/v1/namespaces/{s.name}/jobs"


def _rule(action="FailJob", **what):
    return {"rules": [{"action": action, **what}]}


def job_defaults(s):
    """what a Job does not say"""
    condition = {"onPodConditions": [{"type": "DisruptionTarget"}]}
    for number, job in enumerate((
            _job("a"), _job("a", parallelism=3), _job("a", completions=2),
            _job("a", suspend=True, podReplacementPolicy="Failed"),
            _job("a", completionMode="Indexed", completions=2),
            _job("a", podFailurePolicy=_rule(**condition)),
            _job("a", _template({"labels": {"mine": "1"}})),
            dict(_job("a"), status={"active": 3}))):
        job["metadata"]["name"] = f"a{number}"
        s.post(_jobs(s), job, show=SHOWN)


def job_refusals(s):
    """what a Job may not say"""
    exits = {"operator": "In", "values": [1]}
    conditions = [{"type": "DisruptionTarget", "status": "True"}]
    for job in (
            _job("a", _template(restartPolicy="Always")),
            _job("a", _template(restartPolicy="Sometimes")),
            _job("a", {"spec": {"containers": [
                {"name": "main", "image": "x"}]}}),
            _job("a", parallelism=-1), _job("a", completions=-1),
            _job("a", activeDeadlineSeconds=-1), _job("a", backoffLimit=-1),
            _job("a", ttlSecondsAfterFinished=-1),
            _job("a", completionMode="Sorted"),
            _job("a", completionMode="Indexed", parallelism=1),
            _job("a", podReplacementPolicy="Never"),
            _job("a", podFailurePolicy=_rule(onPodConditions=conditions),
                 podReplacementPolicy="TerminatingOrFailed"),
            _job("a", _template(restartPolicy="OnFailure"),
                 podFailurePolicy=_rule(onPodConditions=conditions)),
            _job("a", podFailurePolicy=_rule("Stop",
                                             onPodConditions=conditions)),
            _job("a", podFailurePolicy=_rule("FailIndex",
                                             onPodConditions=conditions)),
            _job("a", podFailurePolicy=_rule()),
            _job("a", podFailurePolicy=_rule(onPodConditions=conditions,
                                             onExitCodes=exits)),
            _job("a", podFailurePolicy=_rule(
                onExitCodes={"operator": "Near", "values": [1]})),
            _job("a", podFailurePolicy=_rule(
                onExitCodes={"operator": "In", "values": [0]})),
            _job("a", podFailurePolicy=_rule(
                onExitCodes={"operator": "In", "values": [2, 1]})),
            _job("a", podFailurePolicy=_rule(
                onExitCodes={"operator": "In", "values": [1, 1]})),
            _job("a", podFailurePolicy=_rule(
                onExitCodes={"containerName": "b", **exits})),
            _job("a", podFailurePolicy=_rule(onPodConditions=[
                {"type": "DisruptionTarget", "status": "Maybe"}])),
            _job("a", podFailurePolicy={"rules": [
                {"action": "Count", "onExitCodes": exits}] * 21}),
            _job("a", selector={"matchLabels": {"a": "b"}}),
            _job("a", manualSelector=True),
            _job("a", manualSelector=True,
                 selector={"matchLabels": {"a": "b"}}),
            _job("a", _template({"labels": {"job-name": "b"}}))):
        s.post(_jobs(s), job)


def job_updates(s):
    """what may change in a Job later"""
    s.make(_jobs(s), _job("a", parallelism=2, completions=4))
    path = _jobs(s) + "/a"
    for spec in ({"parallelism": 0}, {"suspend": True},
                 {"activeDeadlineSeconds": 9}, {"backoffLimit": 1},
                 {"ttlSecondsAfterFinished": 3}, {"completions": 5},
                 {"completionMode": "Indexed"},
                 {"podReplacementPolicy": "Failed"}):
        s.merge(path, {"spec": spec},
                show=("metadata.generation", "spec.suspend",
                      "spec.parallelism", "spec.completions", "message"))
    s.merge(path, {"spec": {"suspend": False}}, show=("spec.suspend",))
    for template in ({"spec": {"nodeSelector": {"a": "b"}}},
                     {"metadata": {"annotations": {"a": "b"}}}):
        s.refuse("PATCH", path, {"spec": {"template": template}},
                 kind="application/merge-patch+json")


def job_indexed_completions(s):
    """an Indexed Job grows with its parallelism"""
    s.make(_jobs(s), _job("a", completionMode="Indexed", parallelism=2,
                          completions=2))
    path = _jobs(s) + "/a"
    s.merge(path, {"spec": {"completions": 3, "parallelism": 3}},
            show=("spec.completions", "spec.parallelism"))
    s.merge(path, {"spec": {"completions": 4}}, show=("message",))


def job_scheduling(s):
    """where pods run may change before the Job has started"""
    s.make(_jobs(s), _job("a", suspend=True))
    path = _jobs(s) + "/a"
    show = ("spec.template.spec.nodeSelector",
            "spec.template.spec.tolerations",
            "spec.template.spec.affinity",
            "spec.template.metadata.annotations", "metadata.generation")
    nodes = {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "a", "operator": "Exists"}]}]}}
    for template in (
            {"spec": {"nodeSelector": {"zone": "b"}}},
            {"spec": {"tolerations": [{"operator": "Exists"}]}},
            {"spec": {"affinity": {"nodeAffinity": nodes}}},
            {"metadata": {"annotations": {"a": "b"}}}):
        s.merge(path, {"spec": {"template": template}}, show=show)
    s.refuse("PATCH", path, {"spec": {"template": {"spec": {
        "hostname": "other"}}}}, kind="application/merge-patch+json")


def job_status(s):
    """a status goes forward; its time may be cleared while suspended"""
    s.make(_jobs(s), _job("a"))
    path = _jobs(s) + "/a"
    show = ("status", "message")
    s.merge(path + "/status", {"status": {"startTime": START, "failed": 2}},
            show=show)
    s.merge(path + "/status", {"status": {"startTime": None}}, show=show)
    s.merge(path + "/status", {"status": {"failed": 1}}, show=show)
    s.merge(path + "/status", {"status": {"active": -1}}, show=show)
    s.merge(path, {"status": {"failed": 9}}, show=show)
    s.merge(path, {"spec": {"suspend": True}}, show=("spec.suspend",))
    s.merge(path + "/status", {"status": {"startTime": None}}, show=show)


def job_deletions(s):
    """a deletion leaves the pods, and warns, unless it says what to do"""
    for number, options in enumerate((
            None, {"propagationPolicy": "Background"},
            {"propagationPolicy": "Orphan"})):
        name = f"a{number}"
        s.make(_jobs(s), _job(name))
        s.delete(f"{_jobs(s)}/{name}", options)


def job_table(s):
    """kubectl's columns"""
    s.make(_jobs(s), _job("a", completions=3))
    s.make(_jobs(s), _job("b", parallelism=2))
    s.get(_jobs(s), accept=TABLE,
          show=lambda body: [
              [(c["name"], c["priority"]) for c in body["columnDefinitions"]],
              [row["cells"][:4] + row["cells"][5:7] for row in body["rows"]]])


def job_selection(s):
    """Jobs by the number of their successes"""
    s.make(_jobs(s), _job("a"))
    for number in 0, 1:
        s.get(query(_jobs(s), fieldSelector=f"status.successful={number}"),
              show=("items.metadata.name",))
