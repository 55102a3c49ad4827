"""A cluster with the operator and the Job controller, for MPIJobs of v2beta1."""

from cluster import wait_for
from control_plane.job_controller import JobController
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.namespace import Namespace
from operators import shipped_objects
from operators.operator_fixture import LIMIT, OperatorFixture
from process import free_port


class WithJobController(OperatorFixture):
    """`jobs` is the Job controller; namespaces are of LauncherNamespace."""

    def __init__(self, troupe, more):
        port = free_port()
        super().__init__(troupe, [
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port), *more],
            self.prepare_cluster, account=shipped_objects.KUBECONFIG)
        self.jobs = JobController(self.cluster)

    def prepare_cluster(self, cluster):
        shipped_objects.install_account(cluster)
        shipped_objects.install_webhooks(cluster)
        self.jobs.start()
        self.jobs.await_work()

    def namespace(self):
        return LauncherNamespace(self)

    def __exit__(self, *failure):
        self.jobs.stop()
        super().__exit__(*failure)

    def report(self):
        return (super().report() + "\n-- the Job controller's last lines:\n"
                + self.jobs.child.tail())


class LauncherNamespace(Namespace):
    """What kubelets do with the pods of such a job, and what is there of it."""

    def set_phase(self, pod, phase, code=0):
        """A launcher may wait until workers are ready."""
        super().set_phase(pod, phase, code)
        ready = "True" if phase == "Running" else "False"
        self.client.merge(self.core("pods", pod) + "/status", {"status": {
            "conditions": [{"type": "Ready", "status": ready}]}})

    def pods(self, job, role):
        """name -> pod, on its way out or not."""
        items = self.client.get(self.core("pods") + "?labelSelector="
                                + MPI_SSH.selector(job, role))["items"]
        return {pod["metadata"]["name"]: pod for pod in items}

    def live(self, job, role):
        """Names of those that have not ended and are not on their way out."""
        return sorted(
            name for name, pod in self.pods(job, role).items()
            if pod["status"]["phase"] not in ("Succeeded", "Failed")
            and "deletionTimestamp" not in pod["metadata"])

    def await_live(self, job, role, count):
        """Their names, when there are so many."""
        def found():
            names = self.live(job, role)
            return [names] if len(names) == count else None

        try:
            return wait_for(f"{count} pods: {role}", found, LIMIT)[0]
        except TimeoutError as error:
            raise AssertionError(
                f"{error}; there are {sorted(self.pods(job, role))}; "
                f"warnings: {self.warnings()}") from None

    def launcher_job(self, job):
        """Its Job, or None."""
        return self.find(self.at(JOBS, "jobs", MPI_SSH.launcher(job)))

    def start(self, job, workers=2, policy=None, **spec):
        """A job whose pods all run; returns the launcher's name."""
        self.make(MPI_SSH, job, policy, workers=workers, **spec)
        for pod in self.await_live(job, "worker", workers):
            self.set_phase(pod, "Running")
        (launcher,) = self.await_live(job, "launcher", 1)
        self.set_phase(launcher, "Running")
        self.await_condition(MPI_SSH, job, "Running")
        return launcher
