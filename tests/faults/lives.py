"""The jobs whose lives are played: one row each."""

from kinds import KINDS, MPI

RBAC = "/apis/rbac.authorization.k8s.io/v1"


class Row:
    """`auxiliary`: (group, resource) of what the job has beside pods."""

    def __init__(self, kind, auxiliary=()):
        self.kind, self.auxiliary = kind, auxiliary

    def manifest(self, job):
        return self.kind.manifest(job, {"cleanPodPolicy": "Running",
                                        "backoffLimit": 5}, restart="ExitCode")

    def read(self):
        """(group, resource) of all that is the job's."""
        core = [("/api/v1", "pods")]
        if self.kind.port:
            core.append(("/api/v1", "services"))
        return core + list(self.auxiliary)


OF_MPI = (("/api/v1", "configmaps"), ("/api/v1", "serviceaccounts"),
          (RBAC, "roles"), (RBAC, "rolebindings"))

LIVES = {kind.name: Row(kind, OF_MPI if kind is MPI else ())
         for kind in KINDS}
