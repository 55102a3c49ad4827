"""What the fields of a job are for, as `kubectl explain` shows it.

A field's name leads to its description, or to (description, words for the
fields below it); None instead of such words: nothing below is described.
"""

from policy_words import (
    FAILURE_POLICY, PROGRESS, PROGRESS_POLICY, RECOVERY, REPLICA_RECOVERY,
    SUCCESS_POLICY)

KIND_NAMES = {
    "TFJob": "A distributed TensorFlow training.",
    "PyTorchJob": "A distributed PyTorch training, of fixed size or elastic.",
    "XGBoostJob": "A distributed XGBoost training.",
    "MPIJob": "A training that a launcher starts on its workers with mpirun.",
    "PaddleJob": "A distributed PaddlePaddle training, collective or with "
                 "parameter servers.",
    "JAXJob": "A distributed JAX computation; worker 0 is the coordinator.",
    "MXJob": "A distributed Apache MXNet training or tuning.",
    "DIJob": "A DI-engine training: a coordinator, and collectors and learners "
             "that come and go on request.",
    "AggregatorConfig": "The template of all aggregators of DIJobs.",
}

# What autoscaling and label selectors publish.
PUBLISHED = {
    "apiVersion": "API version of the object.",
    "averageUtilization": "Percentage of what the pods request, on average "
                          "over the pods.",
    "averageValue": "Amount per pod, on average.",
    "container": "Name of the container that is measured.",
    "containerResource": "CPU or memory of one container of each pod.",
    "describedObject": "The object that is measured.",
    "external": "A metric of something outside the cluster.",
    "key": "The label's key.",
    "kind": "Kind of the object.",
    "matchExpressions": "Requirements; all of them have to be met.",
    "matchLabels": "Labels that have to be there with just these values.",
    "metric": "Which metric.",
    "name": "Name of the object, the resource or the metric.",
    "object": "A metric of one object of the cluster.",
    "operator": "In, NotIn, Exists or DoesNotExist.",
    "pods": "A metric of each pod.",
    "resource": "CPU or memory of each pod.",
    "selector": "Labels that choose among metrics of one name.",
    "target": "The value to be kept.",
    "type": "Which of the fields beside it is meant.",
    "value": "Amount in all.",
    "values": "Values for In and NotIn; empty for the other operators.",
}

SCHEDULING = {
    "minAvailable": "How many pods have to find room before any starts. "
                    "Absent: all of them.",
    "minResources": "What has to be free before any pod starts. Absent: the "
                    "sum of what that many pods request.",
    "priorityClass": "Priority class of the pod group (Volcano).",
    "queue": "Queue that the pod group waits in (Volcano). Cannot be changed.",
    "scheduleTimeoutSeconds": "How long the scheduler tries to place all pods "
                              "before it lets go of those placed "
                              "(scheduler-plugins).",
}

RUN_POLICY = {
    "activeDeadlineSeconds": "Seconds after its start at which a job that has "
                             "not finished fails. The clock stands still "
                             "while the job is suspended and starts anew "
                             "when it is resumed.",
    "backoffLimit": "How many restarts of containers and pods the job may "
                    "have; the next failure fails it. Absent: no limit.",
    "cleanPodPolicy": "Which pods are deleted when the job has finished: All, "
                      "Running (those that still run) or None. Absent: None.",
    "failurePolicy": ("What a failed pod means for the others and the job. An "
                      "annotation can say it instead.", FAILURE_POLICY),
    "managedBy": "Who looks after the job: "
                 "kubeflow.org/training-operator (the same as absent), or "
                 "kueue.x-k8s.io/multikueue, and then this operator leaves it "
                 "alone.",
    "progress": ("How it is known how far the job is. An annotation can say "
                 "it instead.", PROGRESS_POLICY),
    "schedulingPolicy": ("How a gang scheduler is to place the pods. Without "
                         "one it has no effect.", SCHEDULING),
    "successPolicy": ("Whose success is the job's. An annotation can say it "
                      "instead.", SUCCESS_POLICY),
    "suspend": "True: the job has no pods until this is false again.",
    "ttlSecondsAfterFinished": "Seconds after its end at which the job is "
                               "deleted. Absent: it stays.",
}

REPLICAS = {
    "replicas": "How many pods of this type. Absent: 1 (workers of an MPIJob: "
                "0).",
    "restartPolicy": "What follows the failure of a pod: Never, OnFailure, "
                     "Always, or ExitCode (codes of 128 and above are tried "
                     "again, those below fail the job). Absent: Never "
                     "(PyTorchJob and PaddleJob: OnFailure).",
    "template": ("The pod; its restartPolicy is replaced by the one beside "
                 "this field.", None),
}

CONDITION = {
    "lastTransitionTime": "When status changed last.",
    "lastUpdateTime": "When anything of the condition changed last.",
    "message": "The reason in words.",
    "reason": "The reason in one word.",
    "status": "True or False.",
    "type": "Created, Running, Restarting, Suspended, Succeeded or Failed.",
}

STATUS = {
    **PROGRESS,
    **RECOVERY,
    "completionTime": "When the job finished.",
    "conditions": ("What the job has gone through; the last one is the "
                   "newest.", CONDITION),
    "lastReconcileTime": "When the job began to wait for its gang scheduler.",
    "replicaStatuses": ("Counts of pods by replica type.", {
        **REPLICA_RECOVERY,
        "active": "Pods that run.",
        "failed": "Pods that failed and were not replaced.",
        "labelSelector": ("Not used any more.", PUBLISHED),
        "selector": "Label selector of these pods, for the scale subresource.",
        "succeeded": "Pods that succeeded.",
    }),
    "restarts": ("Pods that were replaced or have vanished, which count "
                 "against backoffLimit; kept only where there is one.", {
        "count": "How often it counts.",
        "pod": "Name of the pod.",
        "uid": "UID of the last pod of that name that was counted.",
    }),
    "startTime": "When the operator first took up the job, or resumed it.",
}

ELASTIC = {
    "maxReplicas": "Workers at most. Absent: minReplicas, or else the "
                   "replicas of the workers.",
    "maxRestarts": "How often torchrun starts the workers of a node again.",
    "metrics": ("Metrics by which an autoscaler changes the number of "
                "workers. Absent: there is no autoscaler.", PUBLISHED),
    "minReplicas": "Workers at least; with fewer the training waits. Absent: "
                   "maxReplicas, or else the replicas of the workers.",
    "nProcPerNode": "Processes per pod. The job's own nprocPerNode is the "
                    "place for it today.",
    "rdzvBackend": "Rendezvous backend of torchrun. Absent: c10d.",
    "rdzvConf": ("Further settings of the rendezvous.", {
        "key": "Name of the setting.",
        "value": "Its value.",
    }),
    "rdzvHost": "Host of the rendezvous. Absent: worker 0.",
    "rdzvId": "Name of the rendezvous. Absent: the one torchrun has.",
    "rdzvPort": "Port of the rendezvous. Absent: the workers' port.",
    "standalone": "True: a rendezvous of its own in each pod, for a job of "
                  "one pod.",
}


def replica_types(text):
    return (text, REPLICAS)


SPEC = {
    "runPolicy": ("What ends the job, what is left of it, and when its pods "
                  "may start.", RUN_POLICY),
}

FIELDS = {
    "apiVersion": "Version of this schema: kubeflow.org/v1.",
    "kind": "Kind of the object.",
    "metadata": "Name, namespace, labels and annotations of the job.",
    "status": ("How far the job has come; written by the operator.", STATUS),
}


def of_kind(**fields):
    return {"spec": ("What is to run.", {**SPEC, **fields})}


# MPIJob has two versions, with the same fields.
CREATED_AS = ("The version of kubeflow.org in which the job was created, and by "
              "whose rules it runs; nobody has to write it, and it cannot be "
              "changed.")
OF_V2BETA1 = "For jobs that were created as v2beta1; kept, and not used."
OF_V1 = "For jobs that were created as v1; kept, and not used."


KIND_FIELDS = {
    "TFJob": of_kind(
        enableDynamicWorker="True: workers may come and go; each is told the "
                            "addresses of the parameter servers and its own "
                            "only.",
        successPolicy="Whose success is the job's: empty (worker 0, or the "
                      "chief where there is one) or AllWorkers.",
        tfReplicaSpecs=replica_types(
            "Pods by replica type: Chief or Master, PS, Worker, Evaluator.")),
    "PyTorchJob": of_kind(
        elasticPolicy=("Makes the training elastic: torchrun looks after the "
                       "workers, whose number may change.", ELASTIC),
        nprocPerNode="Processes per pod: auto, cpu, gpu or a number.",
        pytorchReplicaSpecs=replica_types(
            "Pods by replica type: Master, Worker.")),
    "XGBoostJob": of_kind(
        xgbReplicaSpecs=replica_types(
            "Pods by replica type: Master (one), Worker.")),
    "MPIJob": of_kind(
        cleanPodPolicy="The former place of runPolicy.cleanPodPolicy, which "
                       "goes first.",
        createdAs=CREATED_AS,
        launcherCreationPolicy=OF_V2BETA1,
        mainContainer="Name of the container that runs mpirun. Absent: the "
                      "first one.",
        mpiImplementation=OF_V2BETA1,
        mpiReplicaSpecs=replica_types(
            "Pods by replica type: Launcher (one), Worker."),
        runLauncherAsWorker=OF_V2BETA1,
        slotsPerWorker="Processes per worker in the host file. Absent: 1.",
        sshAuthMountPath=OF_V2BETA1),
    "PaddleJob": of_kind(
        elasticPolicy=("Bounds for whoever scales the job; no autoscaler is "
                       "made for a PaddleJob.", {
                           "maxReplicas": "Workers at most.",
                           "maxRestarts": "Kept as it is; nothing reads it.",
                           "metrics": ("Kept as they are; nothing reads them.",
                                       PUBLISHED),
                           "minReplicas": "Workers at least."}),
        paddleReplicaSpecs=replica_types(
            "Pods by replica type: Master, Worker.")),
    "JAXJob": of_kind(
        jaxReplicaSpecs=replica_types("Pods by replica type: Worker.")),
    "MXJob": of_kind(
        jobMode="MXTrain or MXTune, for people and tools; the operator goes by "
                "the replica types.",
        mxReplicaSpecs=replica_types(
            "Pods by replica type: Scheduler, Server, Worker; for tuning "
            "TunerTracker, TunerServer, Tuner.")),
}

# Of diengine.opendilab.org.
DI_TEMPLATE = {
    "template": ("The pod. Its main container is called di-container, the "
                 "port where it serves di-port.", None),
}

DI_FIELDS = {
    "apiVersion": "Version of this schema: diengine.opendilab.org/v1alpha1.",
    "kind": "Kind of the object.",
    "metadata": "Name, namespace, labels and annotations of the object.",
    "spec": ("What is to run.", {
        "aggregator": ("Merges the results of a learner's processes.",
                       DI_TEMPLATE),
        "cleanPodPolicy": "Which pods are deleted when the job has finished: "
                          "All, Running (those that still run) or None. "
                          "Absent: Running.",
        "collector": ("The pods that produce data; created on request.",
                      DI_TEMPLATE),
        "coordinator": ("The pod that starts with the job, and whose end is "
                        "the job's.", DI_TEMPLATE),
        "group": "Not used.",
        "learner": ("The pods that train; created on request.", DI_TEMPLATE),
        "priorityClassName": "Priority class of the coordinator.",
        "volumes": ("Volumes of every pod but aggregators; containers mount "
                    "them.", None),
    }),
    "status": ("How far the job has come; written by the operator.", {
        "conditions": ("What the job has gone through; the last one is the "
                       "newest.", {
                           **CONDITION,
                           "type": "Created, Running, Succeeded or Failed."}),
        "phase": "Created, Running, Succeeded or Failed.",
        "replicaStatus": ("Counts of pods: Collector, Learner, Aggregator, "
                          "Coordinator.", {
                              "active": "Pods that run.",
                              "failed": "Pods that failed.",
                              "succeeded": "Pods that succeeded."}),
    }),
}

DI_TASKS = ("A DI-engine training: tasks, such as learners and collectors, all "
            "of which run as long as the job.")

DI_TASK_FIELDS = {
    "apiVersion": "Version of this schema: diengine.opendilab.org/v2alpha1.",
    "kind": "Kind of the object.",
    "metadata": "Name, namespace, labels and annotations of the object.",
    "spec": ("What is to run.", {
        "backoffLimit": "How many times pods that failed are replaced before "
                        "the job fails.",
        "cleanPodPolicy": "Which pods are deleted when the job has finished: "
                          "All, Running (those that still run) or None.",
        "preemptible": "Whether pods may be taken away and run again; then no "
                       "restart is counted.",
        "priority": "Not used.",
        "tasks": ("The parts of the job: learner, collector and evaluator once "
                  "at most, any number of others.", {
                      "name": "Name of the task; absent: its type. A task of "
                              "type none needs one.",
                      "replicas": "How many pods it has.",
                      "template": ("The pod. Its main container is called "
                                   "di-container, the port where it serves "
                                   "di-port.", None),
                      "type": "What the task does; none: anything else."}),
        "volumes": ("Volumes of every pod; containers mount them.", None),
    }),
    "status": ("How far the job has come; written by the operator.", {
        "allocation": "Nodes of a preemptible job's pods, by rank. Not used.",
        "completionTimestamp": "When the job finished.",
        "conditions": ("What the job has gone through; the one that holds is "
                       "True.", {
                           **CONDITION,
                           "type": "Pending, Starting, Running, Restarting, "
                                   "Rescheduling, Succeeded or Failed."}),
        "phase": "Pending, Starting, Running, Restarting, Rescheduling, "
                 "Succeeded or Failed.",
        "profilings": "Not used.",
        "readyReplicas": "Pods all of whose containers are ready.",
        "replicas": "Pods that all tasks ask for.",
        "reschedules": "How many times pods were created or deleted because "
                       "the job has others than it asks for.",
        "restarts": "How many times pods that failed were replaced.",
        "taskStatus": "Counts of pods, by name of the task and phase of the "
                      "pod.",
    }),
}

# MPIJob of v2beta1: what its fields are for where they are not those of v1.
MPI_V2BETA1 = ("A training that a launcher starts on its workers with mpirun, "
               "by SSH.")

MPI_V2BETA1_FIELDS = {
    **FIELDS,
    "apiVersion": "Version of this schema: kubeflow.org/v2beta1.",
    "spec": ("What is to run.", {
        "cleanPodPolicy": OF_V1,
        "createdAs": CREATED_AS,
        "launcherCreationPolicy": "When the launcher is started: AtStartup, or "
                                  "WaitForWorkersReady (when all workers are "
                                  "ready).",
        "mainContainer": OF_V1,
        "mpiImplementation": "Whose host file and environment the launcher "
                             "gets: OpenMPI, Intel or MPICH.",
        "mpiReplicaSpecs": ("Pods by replica type: Launcher (one), Worker.", {
            "replicas": "How many pods of this type: 1 launcher; workers have "
                        "to be counted.",
            "restartPolicy": "What follows the failure of a pod: Never or "
                             "OnFailure. Absent: OnFailure for the launcher, "
                             "Never for workers.",
            "template": REPLICAS["template"],
        }),
        "runLauncherAsWorker": "True: the launcher is the first host; its "
                               "command starts sshd, if ranks need it there.",
        "runPolicy": ("What ends the job, what is left of it, and when its "
                      "pods may start.", {
            **RUN_POLICY,
            "activeDeadlineSeconds": "Seconds that the launcher may take, "
                                     "retries included; then the job fails.",
            "backoffLimit": "How many times the launcher is tried again. "
                            "Absent: 6.",
            "cleanPodPolicy": "Which workers are deleted when the job has "
                              "finished: All, Running (those that still run) "
                              "or None. Absent: None.",
            "managedBy": "Who looks after the job: kubeflow.org/mpi-operator "
                         "(the same as absent), or "
                         "kueue.x-k8s.io/multikueue, and then this operator "
                         "leaves it alone. Cannot be changed.",
            "schedulingPolicy": (RUN_POLICY["schedulingPolicy"][0], {
                **SCHEDULING,
                "queue": "Queue that the pod group waits in (Volcano)."}),
        }),
        "slotsPerWorker": "Processes per worker in the host file.",
        "sshAuthMountPath": "Folder of the SSH keys in launcher and workers.",
    }),
    "status": ("How far the job has come; written by the operator.", {
        **STATUS,
        "conditions": ("What the job has gone through; the last one is the "
                       "newest.", {
            **CONDITION,
            "status": "True, False or Unknown.",
            "type": "Created, Running, Suspended, Succeeded or Failed."}),
        "restarts": ("Not used for jobs that were created as v2beta1.",
                     STATUS["restarts"][1]),
        "startTime": "When the operator first took up the job, or resumed it.",
    }),
}
