"""MPIJob of v2beta1: ranks are started over SSH, the launcher is a Job whose pod
the Job controller makes."""

import copy

from jobs.kinds import IMAGE, LABEL

JOBS = "/apis/batch/v1"


class LauncherJobKind:
    """Its launcher's pod has a name that nobody knows before, and its success
    is told by a Job. So most cases, which are about replicas of pods, are not
    for it."""

    name, plural, short_name = "MPIJob", "mpijobs", "mpi-ssh"
    group = "/apis/kubeflow.org/v2beta1"
    field, container, port = "mpiReplicaSpecs", "mpi", None
    scheme = "MPIJob.v2beta1"  # As --enable-scheme names this version alone.
    true_at_end = {"Created", "Succeeded"}

    def __repr__(self):
        return self.name + " of v2beta1"

    def replicas(self, count, command):
        return {"replicas": count, "template": {"spec": {"containers": [
            {"name": self.container, "image": IMAGE, **command}]}}}

    def manifest(self, job, policy=None, workers=2, **spec):
        """`spec` goes beside runPolicy."""
        types = {"Launcher": self.replicas(
            1, {"command": ["mpirun", "-n", "2", "/train"]})}
        if workers:
            types["Worker"] = self.replicas(workers, {})
        return copy.deepcopy({
            "apiVersion": "kubeflow.org/v2beta1", "kind": self.name,
            "metadata": {"name": job}, "spec": {
                "runPolicy": policy or {}, self.field: types, **spec}})

    def workers(self, job, count=2):
        return [f"{job}-worker-{i}" for i in range(count)]

    def launcher(self, job):
        """The name of its Job."""
        return job + "-launcher"

    def selector(self, job, role=None):
        """Of its pods: of the workers, or of the `launcher`, or all."""
        return (f"{LABEL}job-name%3D{job},{LABEL}operator-name%3Dmpi-operator"
                + (f",{LABEL}job-role%3D{role}" if role else ""))


MPI_SSH = LauncherJobKind()
