"""What the fields of policies are for, and those of a status that are about
them, as words.py has it for all fields."""

POLICY_TYPES = "Replica types, as the job has them."

FAILURE_POLICY = {
    "lostNodePeriod": "How long a pod may be without its node before the node "
                      "is looked at and the pod replaced, such as 60s. Absent: "
                      "what the operator was told, else for ever. A process on "
                      "a node that is only cut off may still run beside its "
                      "replacement.",
    "maxRestarts": "How many restarts of a replica type or the job there may "
                   "be; the next failure fails the job. Absent: as many as "
                   "backoffLimit allows.",
    "restartScope": "What is started again when a pod has failed: Pod (as "
                    "without a policy), ReplicaType or Job. Absent: Pod.",
    "restartWindow": "Only restarts of the last time of this length, such as "
                     "6h, count against maxRestarts. Absent: all.",
    "rules": ("The first that matches a failed pod decides. Absent, or if none "
              "does: restartPolicy and restartScope.", {
        "action": "FailJob; Ignore (the pod is replaced, and nothing is "
                  "counted); RestartPod, RestartReplicaType or RestartJob.",
        "name": "Told in events.",
        "onExitCodes": ("Matches the exit code of a container that failed.", {
            "containerName": "Absent: any container.",
            "operator": "In or NotIn.",
            "values": "Exit codes."}),
        "onMessagePattern": "Regular expression (RE2), searched in the "
                            "termination message and in the pod's message.",
        "onPodConditions": ("Matches one of these conditions of the pod.", {
            "status": "True, False or Unknown. Absent: True.",
            "type": "Type of the condition, such as DisruptionTarget."}),
        "onReasons": "Matches one of these reasons of a container's end, of "
                     "the pod or of a condition, such as OOMKilled.",
        "targetReplicaTypes": POLICY_TYPES + " Absent: all.",
    }),
}

SUCCESS_POLICY = {
    "operator": "All replicas of these types have to succeed, or Any of them. "
                "Absent: All.",
    "targetReplicaTypes": POLICY_TYPES + " Absent: the kind's own rule.",
}

RECOVERY = {
    "countedRestarts": "Restarts that count against maxRestarts.",
    "lastRestart": ("Why and when the latest attempt began.", {
        "attempt": "Its number.",
        "earlyEnds": "Attempts before it, in a row, that ended soon after "
                     "their start; they delay it.",
        "node": "Node of the pod that caused it.",
        "pod": "Name of the pod that caused it.",
        "reason": "Of the end of that pod; Stalled if the job reported nothing.",
        "recoveryTime": "When all replicas ran again.",
        "time": "When it was decided.",
        "type": "The replica type, if only this was started again.",
    }),
    "restartAttempt": "How many times a replica type or the job was started "
                      "again.",
    "restartTimes": "When those were that are in the policy's restartWindow.",
}

REPLICA_RECOVERY = {
    "completedIndexes": "Replicas that have succeeded and are not started "
                        "again, such as 0-3,7.",
    "restartAttempt": "Attempt of these pods, if not the job's.",
}

PROGRESS_POLICY = {
    "logReplica": ("The replica whose log is read. Absent: the one with the "
                   "label job-role: master, else the first.", {
        "index": "Absent: 0.",
        "type": "Replica type, as the job has it."}),
    "logRules": ("What lines of the log tell. For programs that do not report "
                 "by themselves.", {
        "name": "For people.",
        "pattern": "Regular expression (RE2), searched in each line. Its named "
                   "groups are metrics; percent, or step and total, give the "
                   "percentage."}),
    "onStalled": "What follows when the job is stalled: Report (condition "
                 "Stalled and an event), RestartJob or FailJob. Restarts count "
                 "against the failure policy's maxRestarts; without a failure "
                 "policy there are at most 3. Absent: Report.",
    "report": "True: pods are told where their program may report how far it "
              "is, in the protocol of Kubeflow Trainer.",
    "stalledAfter": "The job is stalled if it reports nothing for so long, "
                    "such as 10m, while all its replicas run. Absent: never.",
    "startWithin": "The same until its first report, such as 30m. Absent: as "
                   "stalledAfter.",
}

PROGRESS = {
    "progress": ("How far the job is, as its program has told last.", {
        "estimatedRemainingSeconds": "Until the end of the training.",
        "metrics": ("Numbers of the program.", {
            "name": "Such as loss.",
            "value": "As the program wrote it."}),
        "percent": "0 to 100.",
        "source": "Name of the pod that told it.",
        "time": "When it was told.",
    }),
}
