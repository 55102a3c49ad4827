"""Schemas of the policies of a job, and of what a status has of them.

The operator checks the same again, and more: what is in an annotation, what the
job has, what a pattern is (frameworks/core/spec/failure_policy_reading,
progress_policy_reading).
"""

from small_schemas import flag, instant, items, record, text, whole

# As Go writes durations; the operator asks for whole seconds.
DURATION = r"^([0-9]+(\.[0-9]*)?(h|m|s|ms))+$"


def some(schema, most):
    """A list of 1 to `most` items."""
    return {**items(schema), "minItems": 1, "maxItems": most}


def short_text(most, **more):
    return text(minLength=1, maxLength=most, **more)


def replica_types():
    return some(short_text(63), 64)


def failure_policy():
    exit_codes = record({
        "containerName": short_text(63),
        "operator": text(enum=["In", "NotIn"]),
        "values": some(whole(), 255)}, required=("operator", "values"))
    condition = record({
        "status": text(enum=["True", "False", "Unknown"]),
        "type": short_text(316)}, required=("type",))
    rule = record({
        "action": text(enum=["FailJob", "Ignore", "RestartPod",
                             "RestartReplicaType", "RestartJob"]),
        "name": short_text(63),
        "onExitCodes": exit_codes,
        "onMessagePattern": short_text(1024),
        "onPodConditions": some(condition, 20),
        "onReasons": some(short_text(128), 20),
        "targetReplicaTypes": replica_types()}, required=("action",))
    return record({
        "lostNodePeriod": short_text(32, pattern=DURATION),
        "maxRestarts": whole(minimum=0, maximum=1000),
        "restartScope": text(enum=["Pod", "ReplicaType", "Job"]),
        "restartWindow": short_text(32, pattern=DURATION),
        "rules": some(rule, 20)})


def success_policy():
    return record({
        "operator": text(enum=["All", "Any"]),
        "targetReplicaTypes": replica_types()})


def recovery_status():
    last = record({
        "attempt": whole(), "earlyEnds": whole(), "node": text(),
        "pod": text(), "reason": text(), "recoveryTime": instant(),
        "time": instant(), "type": text()})
    return {"countedRestarts": whole(), "lastRestart": last,
            "restartAttempt": whole(), "restartTimes": items(instant())}


def replica_recovery_status():
    return {"completedIndexes": text(), "restartAttempt": whole()}


def progress_policy():
    rule = record({"name": short_text(63), "pattern": short_text(1024)},
                  required=("pattern",))
    replica = record({"index": whole(minimum=0, maximum=99999),
                      "type": short_text(63)}, required=("type",))
    return record({
        "logReplica": replica,
        "logRules": some(rule, 8),
        "onStalled": text(enum=["Report", "RestartJob", "FailJob"]),
        "report": flag(),
        "stalledAfter": short_text(32, pattern=DURATION),
        "startWithin": short_text(32, pattern=DURATION)})


def progress_status():
    metric = record({"name": text(), "value": text()})
    return {"progress": record({
        "estimatedRemainingSeconds": whole(64),
        "metrics": items(metric), "percent": whole(), "source": text(),
        "time": instant()})}
