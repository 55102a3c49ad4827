"""Jobs in every state, as the admin API reports them: what pictures and checks
of the page are made from. test_scene.py compares its fields with those of a real
operator's reports."""

import datetime

NOW = datetime.datetime(2026, 3, 2, 14, 30, tzinfo=datetime.timezone.utc)
MINUTE, HOUR = 60, 3600
QUEUE_WORDS = ("couldn't assign flavors to pod set worker: insufficient unused "
               "quota for nvidia.com/gpu in flavor a100, 3 more needed")


def ago(seconds):
    """As the API writes times."""
    then = NOW - datetime.timedelta(seconds=seconds)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, name, what, age, why="", message=""):
    return {"type": what, "status": "True", "reason": why or kind + what,
            "message": message or f"{kind} {name} is {what.lower()}.",
            "lastTransitionTime": ago(age), "lastUpdateTime": ago(age)}


def waits(row, what, who, mover, **parts):
    """`parts`: how, details, then."""
    text = what + "".join(
        mark + parts[part] for part, mark in
        (("how", ", "), ("details", ": "), ("then", "; ")) if part in parts)
    return {"row": row, "text": text, "what": what, "who": who,
            "whoseMove": mover, **parts}


PROCESSES = waits("processes", "its processes to end",
                  "the processes in its pods", "program")


class Job:
    """The report of one, and what goes with it; `pods` are (type, phase);
    `shown`: the summary in lists, if that differs."""

    def __init__(self, kind, name, state, summary, pods=(), age=HOUR,
                 namespace="vision", started=60, wait=PROCESSES, log=(), **more):
        self.log, self.shown = log, more.pop("shown", summary)
        self.state, self.version = state, more.pop("version", "v1")
        finished = state in ("Succeeded", "Failed")
        numbers, rows, replicas, counts = {}, [], {}, {}
        for role, phase in pods:
            index = numbers[role] = numbers.get(role, -1) + 1
            rows.append(self.pod(f"{name}-{role}-{index}", role, index, phase))
            title = {"ps": "PS"}.get(role, role.capitalize())
            replicas[title] = replicas.get(title, 0) + 1
            here = counts.setdefault(
                title, {"active": 0, "succeeded": 0, "failed": 0})
            if key := {"Running": "active", "Succeeded": "succeeded",
                       "Failed": "failed"}.get(phase):
                here[key] += 1
        self.replicas = more.pop("replicas", sum(replicas.values()))
        conditions = [condition(kind, name, "Created", age)]
        if state not in ("Created", "Suspended") and started is not None:
            conditions.append(condition(kind, name, "Running", age - started))
        if state not in ("Created", "Running"):
            conditions.append(condition(
                kind, name, state, more.pop("since", min(age / 2, 4 * MINUTE)),
                more.pop("why", ""), more.pop("message", "")))
        self.report = {
            "kind": kind, "apiVersion": f"kubeflow.org/{self.version}",
            "namespace": namespace, "name": name, "uid": f"uid-{name}",
            "at": ago(0), "created": ago(age), "summary": summary,
            "passes": 12, "replicaCounts": counts,
            "replicas": more.pop("types", replicas),
            "status": {"conditions": conditions}, "pods": rows, "services": [],
            "expectations": [], "timers": [], "lastDecisions": [
                {"at": ago(min(age, 70)), "what": "write status"}],
            "timeline": {"since": ago(age), "podsLeftOut": 0, "pods": [
                self.course(row, age, started, finished) for row in rows],
                "conditions": [{"type": c["type"],
                                "at": c["lastTransitionTime"]}
                               for c in conditions]}}
        if started is not None and conditions[1:]:
            self.report["status"]["startTime"] = ago(age - started)
        if finished:
            self.report["status"]["completionTime"] = ago(4 * MINUTE)
        if wait and not finished:
            self.report["waitingFor"] = wait
        timeline = more.pop("timeline", {})
        self.report["timeline"].update(timeline)
        self.report.update(more)

    @staticmethod
    def pod(name, role, index, phase):
        codes = {"Succeeded": 0, "Failed": 1}
        row = {"name": name, "uid": "uid-" + name, "type": role, "index": index,
               "phase": phase, "restarts": 0, "terminating": False}
        if phase in codes:
            row["exitCode"] = codes[phase]
        return row

    @staticmethod
    def course(row, age, started, finished):
        course = {"name": row["name"], "phase": row["phase"],
                  "created": ago(age)}
        if row["phase"] != "Pending":
            course["running"] = ago(age - (started or 0) - row["index"] % 3)
        if "exitCode" in row:
            course.update(exitCode=row["exitCode"], finished=ago(4 * MINUTE))
        return course

    def path(self):
        return "/".join(self.report[k] for k in ("namespace", "kind", "name"))

    def row(self):
        """Of the list."""
        report, counts = self.report, self.report["replicaCounts"].values()
        row = {k: report[k] for k in ("kind", "namespace", "name", "uid",
                                      "created")}
        row.update(state=self.state, summary=self.shown, replicas=self.replicas,
                   finished=self.state in ("Succeeded", "Failed"),
                   running=sum(c["active"] for c in counts),
                   succeeded=sum(c["succeeded"] for c in counts),
                   failed=sum(c["failed"] for c in counts))
        if "progress" in report and "percent" in report["progress"]:
            row["percent"] = report["progress"]["percent"]
        if "restart" in report:
            row.update(attempt=report["restart"]["attempt"],
                       restartReason=report["restart"]["reason"])
        return row


def losses(first, last, count, age):
    """The points of a metric that falls."""
    end = NOW.timestamp()
    return [[int(end - age + i * age / (count - 1)),
             round(last + (first - last) * 0.93 ** i
                   + 0.04 * first * ((i * 7) % 5 - 2) / (i + 2), 4)]
            for i in range(count)]


def bert():
    """Restarted twice as a whole, and far."""
    report = Job(
        "PyTorchJob", "bert-finetune", "Running",
        "8 of 8 replicas run (attempt 2 after OOMKilled)",
        [("master", "Running"), *[("worker", "Running")] * 7], age=3 * HOUR,
        namespace="nlp", log=("step 7140 loss 0.2190", "step 7150 loss 0.2183"),
        restart={"attempt": 2, "at": ago(50 * MINUTE), "reason": "OOMKilled",
                 "pod": "bert-finetune-worker-3", "node": "gpu-07",
                 "recovered": ago(48 * MINUTE), "scope": "Job", "counted": 2,
                 "seconds": 118},
        failurePolicy={"scope": "Job", "counted": 2, "maxRestarts": 5},
        goodput={"allRunningSeconds": 10300, "lostSeconds": 280,
                 "since": ago(3 * HOUR - 60)},
        progress={
            "percent": 72, "estimatedRemainingSeconds": 41 * MINUTE,
            "time": ago(6), "source": "bert-finetune-master-0", "metrics": [
                {"name": "loss", "value": "0.2183",
                 "points": losses(2.9, 0.2183, 60, 170 * MINUTE)},
                {"name": "step", "value": "7150"}]})
    pods = report.report["timeline"]["pods"]
    first = [{**p, "attempt": 0, "phase": "Failed", "exitCode": 143,
              "finished": ago(2 * HOUR + 20), "deleted": ago(2 * HOUR)}
             for p in pods]
    first[4].update(exitCode=137)
    second = [{**p, "attempt": 1, "phase": "Failed", "exitCode": 143,
               "created": ago(2 * HOUR - 10), "running": ago(2 * HOUR - 90),
               "finished": ago(50 * MINUTE), "deleted": ago(49 * MINUTE)}
              for p in pods]
    third = [{**p, "attempt": 2, "created": ago(49 * MINUTE),
              "running": ago(48 * MINUTE)} for p in pods]
    report.report["timeline"].update(
        pods=first + second + third,
        attempts=[
            {"attempt": 1, "at": ago(2 * HOUR + 20), "reason": "NodeLost",
             "pod": "bert-finetune-worker-5", "node": "gpu-11",
             "recovered": ago(2 * HOUR - 90)},
            {"attempt": 2, "at": ago(50 * MINUTE), "reason": "OOMKilled",
             "pod": "bert-finetune-worker-3", "node": "gpu-07",
             "recovered": ago(48 * MINUTE)}])
    report.report["timeline"]["conditions"] += [
        {"type": "Restarting", "at": ago(50 * MINUTE)},
        {"type": "Running", "at": ago(48 * MINUTE)}]
    return report


def queued():
    """Held by its queue, with a place in it."""
    return Job(
        "PyTorchJob", "llama-lora", "Suspended",
        f"waits for queue nlp-batch of Kueue: {QUEUE_WORDS}",
        shown=f"number 3 in queue nlp-batch of Kueue: {QUEUE_WORDS}",
        namespace="nlp", age=25 * MINUTE, since=25 * MINUTE - 1, started=None, replicas=4,
        types={"Master": 1, "Worker": 3}, why="PyTorchJobSuspended",
        wait=waits("queue", "queue nlp-batch of Kueue", "Kueue", "controller",
                   how="number 3 in it, number 12 in its ClusterQueue",
                   details=QUEUE_WORDS),
        queueing={"state": "held", "queue": "nlp-batch", "podsHeldBack": 4,
                  "workload": "pytorchjob-llama-lora-3f9c1", "why": QUEUE_WORDS,
                  "place": 3, "placeInClusterQueue": 12,
                  "since": ago(25 * MINUTE)})


def evicted():
    """Its pods hold quota that another job waits for."""
    words = "Preempted to accommodate a workload with higher priority"
    job = Job(
        "TFJob", "dlrm-ads", "Suspended",
        f"Kueue has evicted it (Preempted): {words}",
        [("worker", "Running"), ("worker", "Running")], age=5 * HOUR, since=40,
        shown="2 pods still hold quota; Kueue has evicted it (Preempted): "
        + words,
        wait=waits("queue", "its pods to end, which hold quota of ClusterQueue "
                   "gpus", "the kubelets of its pods", "cluster",
                   how="because Kueue has evicted the job (Preempted)",
                   details=words, then="2 pods are left"),
        queueing={"state": "leaving", "queue": "vision", "clusterQueue": "gpus",
                  "workload": "tfjob-dlrm-ads-77ab0", "why": words,
                  "podsHeldBack": 2, "podsThatHoldQuota": 2, "since": ago(40)})
    for pod in job.report["pods"]:
        pod["terminating"] = True
    return job


def gang(name, what, **more):
    """Of which the scheduler of Kubernetes says nothing."""
    return Job(
        "PyTorchJob", name, "Created",
        f"0 of 4 replicas run; {name}-worker-0 is not scheduled yet",
        [("worker", "Pending")] * 3, age=6 * MINUTE, namespace="nlp",
        started=None, replicas=4, types={"Worker": 4}, shown=f"waits for {what}",
        **{"wait": waits("native-gang", what, "the operator", "operator"),
           **more})


def short_gang():
    what = ("the rest of its gang: PodGroup pytorchjob-gpt-pretrain-1c2d asks for "
            "4 pods, and 3 count")
    return gang(
        "gpt-pretrain", what, wait=waits(
            "native-gang", what, "the operator", "operator",
            details="missing: gpt-pretrain-worker-3"),
        podGroup={"name": "pytorchjob-gpt-pretrain-1c2d", "minCount": 4,
                  "phase": "Pending", "awaited": False, "trouble": ""})


def crash_loop():
    job = Job("XGBoostJob", "churn", "Running",
              "2 of 2 replicas run; churn-worker-0: crash loop, 4 restarts",
              [("master", "Running"), ("worker", "Running")], age=40 * MINUTE)
    job.report["pods"][1].update(restarts=4, crashLoop={
        "restarts": 4, "container": "xgboost", "lastExitCode": 139,
        "lastReason": "Error", "nextTryAt": ago(-35)})
    return job


def all_jobs():
    workers = [("worker", "Running")] * 4
    return [
        bert(), queued(), evicted(), short_gang(),
        gang("clip-distill", "PodGroup pytorchjob-clip-distill-1c2d, which its "
             "pods name and which is missing"),
        crash_loop(),
        Job("TFJob", "resnet-sweep-17", "Stalled", "4 of 4 replicas run",
            workers, age=2 * HOUR, why="NoProgress",
            message="TFJob resnet-sweep-17 is stalled: no progress for 12m",
            wait=waits("progress", "a report of its program", "the processes in "
                       "its pods; a person if they hang", "program",
                       details="no progress for 12m (last: 45%, step 4050/9000)"),
            progress={"percent": 45, "time": ago(12 * MINUTE),
                      "source": "resnet-sweep-17-worker-0", "metrics": []}),
        Job("MPIJob", "wind-tunnel", "Running", "5 of 5 replicas run",
            [("launcher", "Running"), *workers], version="v2beta1",
            namespace="physics", age=50 * MINUTE,
            log=("residual 3.1e-04", "residual 2.8e-04")),
        Job("MPIJob", "lattice-qcd", "Running", "3 of 3 replicas run",
            [("launcher", "Running"), *workers[:2]], namespace="physics",
            age=9 * HOUR),
        Job("TFJob", "mnist", "Restarting",
            "restarting (attempt 1): 1 of 3 pods still runs", [
                ("ps", "Running"), *[("worker", "Pending")] * 2],
            age=20 * MINUTE, since=20, restart={
                "attempt": 1, "at": ago(20), "reason": "Error", "scope": "Job",
                "pod": "mnist-worker-1", "node": "gpu-02", "counted": 1,
                "seconds": 20, "stage": "stopping",
                "progress": "1 of 3 pods still runs"},
            failurePolicy={"scope": "Job", "counted": 1, "maxRestarts": 3},
            wait=waits("restart", "its pods to stop, of which 1 still runs",
                       "the kubelets of its pods", "cluster"),
            timeline={"attempts": [{"attempt": 1, "at": ago(20),
                                    "reason": "Error", "node": "gpu-02",
                                    "pod": "mnist-worker-1"}]}),
        Job("JAXJob", "protein-fold", "Running", "4 of 4 replicas run", workers,
            age=30 * MINUTE, progress={"percent": 8, "time": ago(11), "metrics": [],
                                      "source": "protein-fold-worker-0"}),
        Job("PaddleJob", "ocr", "Succeeded", "has succeeded",
            [("worker", "Succeeded")] * 2),
        Job("TFJob", "ablation-17", "Failed",
            "failed: TFJob vision/ablation-17 has failed because 1 Worker "
            "replica(s) failed.", [("worker", "Failed"),
                                   ("worker", "Succeeded")], why="TFJobFailed"),
        Job("TFJob", "a-rather-long-name-of-a-training-job-made-by-a-script",
            "Created", "0 of 1 replicas run; a-rather-long-name-of-a-training-job"
            "-made-by-a-script-worker-0 is not scheduled yet",
            [("worker", "Pending")], age=4 * HOUR, started=None,
            namespace="a-namespace-with-a-rather-long-name",
            wait=waits("scheduling", "its pod to be scheduled", "the scheduler",
                       "cluster")),
    ]


def many_rows(count):
    """So many rows of the list, in all states, made from those of the jobs."""
    rows = [job.row() for job in all_jobs()]
    out = []
    for i in range(count):
        row = rows[i % len(rows)]
        name = row["name"] if i < len(rows) else f"{row['name'][:40]}-{i}"
        out.append({**row, "name": name, "uid": str(i),
                    "created": ago(60 + 17 * i)})
    return out


def actors(jobs):
    """The tree of a small operator."""
    return {
        "actor": "root", "at": ago(0), "ageSeconds": 90000, "mailbox": 0,
        "ready": True, "leading": True, "restarts": 0, "lastMessage": "tick",
        "children": [
            {"actor": "gateway", "ageSeconds": 90000, "mailbox": 0, "window": 64,
             "underWay": 3, "waiting": 0, "paused": False,
             "lastMessage": "call_finished"},
            {"actor": "event-recorder", "ageSeconds": 90000, "mailbox": 0,
             "waiting": 0, "dropped": 0, "lastMessage": "api_response"},
            *({"actor": "watcher", "resource": r, "apiVersion": v,
               "namespace": "", "state": s, "failuresInARow": n, "mailbox": 0,
               "ageSeconds": 90000, "lastFailure": why,
               "lastMessage": "watch_event"} for r, v, s, n, why in WATCHES),
            {"actor": "directory", "ageSeconds": 90000, "mailbox": 0,
             "jobs": len(jobs), "lastMessage": "object_seen", "children": [
                 supervisor(row) for row in jobs]}]}


WATCHES = (("tfjobs", "kubeflow.org/v1", "watching", 0, ""),
           ("pytorchjobs", "kubeflow.org/v1", "watching", 0, ""),
           ("pods", "v1", "watching", 0, ""),
           ("services", "v1", "watching", 0, ""),
           ("workloads", "kueue.x-k8s.io/v1beta2", "resting", 3,
            "connection refused"))


def supervisor(row):
    keys = ("kind", "namespace", "name", "uid", "created", "summary", "replicas",
            "running", "finished", "percent")
    return {"actor": "job-supervisor", "mailbox": 0, "ageSeconds": 60,
            "lastMessage": "reconcile", "attempt": row.get("attempt", 0),
            **{k: row[k] for k in keys if k in row}}


LEVELS = {"level": "info", "components": {c: "info" for c in (
    "api", "directory", "gateway", "job", "queueing", "root", "watcher")}}
