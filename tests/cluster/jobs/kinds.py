"""The job kinds: one row each, and manifests of them.

Taken from the documentation of the kinds, not from the operator's tables: the
tests compare the two.
"""

import copy

IMAGE = "registry.example/train:1"
GROUP = "/apis/kubeflow.org/v1"
LABEL = "training.kubeflow.org/"


class Kind:
    """`types` are the replicas of a usual job: (type, count).

    `leads` are the pods whose success is the job's, as `TYPE-INDEX`; `roles`
    those with the label job-role: master. `environment` of a job's name, a type
    and an index gives what a usual job's pod finds in its environment, besides
    long values; a value of None: it is there, whatever it says. `upstream`:
    whether the training operator and its SDK have the kind.

    `restarts`: the policy of types that name none, where it is not Never;
    `port`: the name and number that containers get; `scales`: workers have the
    scale subresource; `removed`: what events about deleted pods call them;
    `more`: fields that a usual job has beside its replicas.
    """

    # Conditions that are True when a job has succeeded.
    true_at_end = {"Created", "Succeeded"}

    def __init__(self, name, field, container, types, leads, roles, *,
                 environment, restarts=None, port=None, scales=False,
                 removed="Job", more=None, upstream=True):
        self.name, self.field, self.container = name, field, container
        self.group = GROUP
        self.types, self.leads, self.roles = types, leads, roles
        self.restarts, self.port, self.scales = restarts, port, scales
        self.more = more or {}
        self.environment, self.upstream = environment, upstream
        self.short_name = name[:-len("Job")].lower()
        self.plural = name.lower() + "s"
        self.controller = name.lower() + "-controller"
        self.removed = "SuccessfulDelete" + removed

    def __repr__(self):
        return self.name

    def replicas(self, count, **more):
        return {"replicas": count, **more, "template": {"spec": {
            "containers": [{"name": self.container, "image": IMAGE}]}}}

    def manifest(self, job, policy=None, counts=None, restart=None, **spec):
        """`counts` replaces the usual job's; `spec` goes beside runPolicy."""
        more = {"restartPolicy": restart} if restart else {}
        replicas = {name: self.replicas(count, **more) for name, count in
                    (counts or dict(self.types)).items()}
        return copy.deepcopy({
            "apiVersion": "kubeflow.org/v1", "kind": self.name,
            "metadata": {"name": job},
            "spec": {"runPolicy": policy or {}, self.field: replicas,
                     **self.more, **spec}})

    def pod(self, job, replica, index):
        """The name of a pod; an MPIJob's launcher has no number."""
        if replica == "Launcher":
            return f"{job}-launcher"
        return f"{job}-{replica.lower()}-{index}"

    def pods(self, job, counts=None):
        return [self.pod(job, name, i)
                for name, count in (counts or dict(self.types)).items()
                for i in range(count)]

    def named(self, job, places):
        """`TYPE-INDEX` as names of pods."""
        return [self.pod(job, *place.rsplit("-", 1)) for place in places]

    def with_workers(self, count):
        return dict(self.types, Worker=count)

    def leading_pods(self, manifest):
        """Names of the pods whose success is the job's."""
        types = manifest["spec"][self.field]
        return set(self.named(manifest["metadata"]["name"], [
            lead for lead in self.leads if lead.split("-")[0] in types]))

    def selector(self, job):
        return (f"{LABEL}job-name%3D{job},"
                f"{LABEL}operator-name%3D{self.controller}")


def of_tensorflow(job, replica, index):
    return {"TF_CONFIG": None}


def rank(replica, index):
    """Of a master and its workers."""
    return index if replica == "Master" else index + 1


def of_pytorch(job, replica, index):
    first, own = f"{job}-master-0", str(rank(replica, index))
    return {"PYTHONUNBUFFERED": "1", "MASTER_PORT": "23456",
            "MASTER_ADDR": first, "PET_MASTER_ADDR": first,
            "WORLD_SIZE": "3", "RANK": own, "PET_NODE_RANK": own,
            "PET_NPROC_PER_NODE": "auto", "PET_NNODES": "3"}


def of_xgboost(job, replica, index):
    return {"MASTER_PORT": "9999", "MASTER_ADDR": f"{job}-master-0",
            "WORLD_SIZE": "3", "RANK": str(rank(replica, index)),
            "PYTHONUNBUFFERED": "1", "WORKER_PORT": "9999",
            "WORKER_ADDRS": f"{job}-worker-0,{job}-worker-1"}


def of_paddle(job, replica, index):
    is_master = replica == "Master"
    address = "$(POD_IP_DUMMY)" if is_master else f"{job}-master-0"
    return {"PYTHONUNBUFFERED": "1", "PADDLE_JOB_ID": job,
            "PADDLE_NNODES": "3", "PADDLE_MASTER": f"{address}:36543",
            f"PADDLE_{'SERVER' if is_master else 'TRAINER'}_NUM": "1"}


def of_mpi(job, replica, index):
    return {} if replica == "Worker" else {
        "OMPI_MCA_plm_rsh_agent": "/etc/mpi/kubexec.sh",
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "NVIDIA_VISIBLE_DEVICES": "", "I_MPI_HYDRA_BOOTSTRAP": "rsh"}


def of_jax(job, replica, index):
    return {"PYTHONUNBUFFERED": "1", "COORDINATOR_PORT": "6666",
            "COORDINATOR_ADDRESS": f"{job}-worker-0",
            "NUM_PROCESSES": "2", "PROCESS_ID": str(index)}


def of_mxnet(job, replica, index):
    more = {"DMLC_WORKER_ID": str(index)} if replica == "Worker" else {}
    return {"MX_CONFIG": None, "DMLC_PS_ROOT_PORT": "9091",
            "DMLC_PS_ROOT_URI": f"{job}-scheduler-0", "DMLC_NUM_SERVER": "1",
            "DMLC_NUM_WORKER": "2", "DMLC_ROLE": replica.lower(),
            "DMLC_USE_KUBERNETES": "1", **more}


MASTER = (("Master", 1), ("Worker", 2))

KINDS = [
    Kind("TFJob", "tfReplicaSpecs", "tensorflow",
         (("Chief", 1), ("PS", 1), ("Worker", 2)), ["Chief-0"], ["Chief-0"],
         environment=of_tensorflow, port=("tfjob-port", 2222)),
    Kind("PyTorchJob", "pytorchReplicaSpecs", "pytorch", MASTER, ["Master-0"],
         ["Master-0"], environment=of_pytorch, restarts="OnFailure",
         port=("pytorchjob-port", 23456), scales=True, removed="Pod"),
    Kind("XGBoostJob", "xgbReplicaSpecs", "xgboost", MASTER, ["Master-0"],
         ["Master-0"], environment=of_xgboost,
         port=("xgboostjob-port", 9999)),
    Kind("PaddleJob", "paddleReplicaSpecs", "paddle", MASTER, ["Master-0"],
         ["Master-0"], environment=of_paddle, restarts="OnFailure",
         port=("master", 36543), scales=True, removed="Pod"),
    Kind("MPIJob", "mpiReplicaSpecs", "mpi", (("Launcher", 1), ("Worker", 2)),
         ["Launcher-0"], ["Launcher-0"], environment=of_mpi),
    Kind("JAXJob", "jaxReplicaSpecs", "jax", (("Worker", 2),),
         ["Worker-0", "Worker-1"], ["Worker-0"], environment=of_jax,
         port=("jaxjob-port", 6666), scales=True, removed="Pod"),
    Kind("MXJob", "mxReplicaSpecs", "mxnet",
         (("Scheduler", 1), ("Server", 1), ("Worker", 2)), ["Scheduler-0"],
         ["Server-0"], environment=of_mxnet, port=("mxjob-port", 9091),
         removed="Pod", more={"jobMode": "MXTrain"}, upstream=False),
]

# Others may follow.
TF, PYTORCH, XGBOOST, PADDLE, MPI, JAX, MX = KINDS[:7]
UPSTREAM_KINDS = [kind for kind in KINDS if kind.upstream]


class CoordinatorKind:
    """DIJob: of its pods one is created for its spec, the others on request.
    So most cases, which are about replica types, are not for it."""

    name, plural, short_name = "DIJob", "dijobs", "di"
    group = "/apis/diengine.opendilab.org/v1alpha1"
    true_at_end = {"Created", "Succeeded"}

    def __repr__(self):
        return self.name

    def leading_pods(self, manifest):
        return {manifest["metadata"]["name"] + "-coordinator"}

    def selector(self, job):
        return f"dijob-name%3D{job},controller-name%3Ddi-operator"


class TasksKind:
    """DIJob of v2alpha1: its pods are those of its tasks."""

    name, plural, short_name = "DIJob", "dijobs", "di-tasks"
    group = "/apis/diengine.opendilab.org/v2alpha1"
    true_at_end = {"Succeeded"}

    def __repr__(self):
        return self.name + " of tasks"

    def leading_pods(self, manifest):
        return {f"{manifest['metadata']['name']}-{task['type']}-{i}"
                for task in manifest["spec"]["tasks"]
                for i in range(task["replicas"])}

    def selector(self, job):
        return f"diengine/job%3D{job},diengine/operator%3Ddi-operator"


DI = CoordinatorKind()
DI_TASKS = TasksKind()
