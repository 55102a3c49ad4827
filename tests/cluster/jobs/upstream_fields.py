"""Definitions of jobs with the fields of the training operator's: they do not
have what Troupe added."""

OF_RUN_POLICY = ("failurePolicy", "successPolicy")
OF_STATUS = ("countedRestarts", "lastRestart", "restartAttempt",
             "restartTimes", "restarts")
OF_REPLICA_STATUS = ("completedIndexes", "restartAttempt")


def remove_own_fields(definition):
    """From all versions of a definition of kubeflow.org."""
    for version in definition["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]["properties"]
        status = schema["status"]["properties"]
        replicas = status["replicaStatuses"]["additionalProperties"]
        policy = schema["spec"]["properties"]["runPolicy"]
        for names, fields in ((OF_STATUS, status),
                              (OF_REPLICA_STATUS, replicas["properties"]),
                              (OF_RUN_POLICY, policy["properties"])):
            for name in names:
                del fields[name]
