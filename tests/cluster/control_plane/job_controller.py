"""The Job controller of kube-controller-manager, and nothing else of it, beside
an API server: what makes and ends the pods of an MPIJob's launcher."""

import assets
from cluster import wait_for
from control_plane.client import ApiError
from process import Child

JOBS = "/apis/batch/v1/namespaces/default/jobs"
START_LIMIT = 60  # seconds; a start takes about three
# No garbage collector and no limits of time after the end: nothing goes
# because its owner went.
FLAGS = ("--controllers=job", "--leader-elect=false", "--secure-port=0",
         "--bind-address=127.0.0.1", "--kube-api-qps=1000",
         "--kube-api-burst=1000", "--concurrent-job-syncs=20")


class JobController:
    """Of one Cluster that runs no controllers.

    Raises needs.Missing where it cannot be had.
    """

    def __init__(self, cluster, flags=FLAGS, kubeconfig=None):
        """`kubeconfig`: where it finds the API server, if not where everybody
        does."""
        self.cluster = cluster
        self.child = Child([assets.controller_manager(), "--kubeconfig",
                            kubeconfig or cluster.kubeconfig, *flags],
                           cluster.path("job-controller.log"))

    def __enter__(self):
        try:
            self.start()
            self.await_work()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Also for a restart; does not wait."""
        self.child.start()

    def stop(self):
        self.child.stop()

    def kill(self):
        """SIGKILL, as a node's crash ends it."""
        self.child.kill()

    def await_work(self):
        """Waits until it says something of a Job that makes no pods."""
        client, name = self.cluster.client, f"trial-{self.child.pid}"
        client.post(JOBS, {"metadata": {"name": name}, "spec": {
            "suspend": True, "template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "none", "image": "none"}]}}}})

        def answered():
            if not self.child.running():
                raise RuntimeError("the Job controller ended:\n"
                                   + self.child.tail())
            try:
                return client.get(f"{JOBS}/{name}")["status"].get("conditions")
            except (OSError, ApiError):
                return None

        wait_for("the Job controller to work", answered, START_LIMIT)
        client.delete(f"{JOBS}/{name}")
