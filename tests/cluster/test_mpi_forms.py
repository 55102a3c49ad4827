#!/usr/bin/python3
"""MPIJobs of v2beta1 in the forms in which users write them
(jobs/mpi_forms.yaml): each is taken, and what its templates say is in its pods.

    test_mpi_forms.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import os
import sys

import yaml

from checks import equal, main
from cluster import REPOSITORY
from jobs.mpi_ssh import JOBS, MPI_SSH
from operators.with_job_controller import WithJobController

FORMS = os.path.join(REPOSITORY, "tests", "cluster", "jobs", "mpi_forms.yaml")
DEFAULT_KEYS = "/root/.ssh"
HOSTS = {"OpenMPI": "{} slots={}", "Intel": "{}:{}", "MPICH": "{}:{}"}


def lost(wanted, got, path=""):
    """What of `wanted` is not in `got`: lists may have become longer."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [text for key, value in wanted.items() for text in
                lost(value, got.get(key), f"{path}.{key}")]
    if isinstance(wanted, list) and isinstance(got, list):
        return [text for i, value in enumerate(wanted) for text in lost(
            value, got[i] if i < len(got) else None, f"{path}[{i}]")]
    if wanted in (None, "", [], {}) and got is None:
        return []  # The API server leaves out what is empty.
    same = wanted == got or str(wanted) == str(got)
    return [] if same else [f"{path}: {wanted!r} has become {got!r}"]


class Form:
    """A manifest, applied in a namespace of its own."""

    def __init__(self, fixture, manifest):
        self.ns, self.manifest = fixture.namespace(), manifest
        self.job, self.spec = manifest["metadata"]["name"], manifest["spec"]
        self.types = self.spec[MPI_SSH.field]
        self.count = self.types["Worker"]["replicas"]
        fixture.kubectl("apply", "-n", self.ns.name, "-f", "-",
                        stdin=yaml.safe_dump(manifest))

    def await_pods(self, role, count):
        """By their names."""
        self.ns.await_live(self.job, role, count)
        return self.ns.pods(self.job, role)

    def check_pod(self, role, pod):
        template = self.types[role]["template"]
        wanted = {"metadata": template.get("metadata", {}),
                  "spec": dict(template["spec"])}
        spec, first = pod["spec"], pod["spec"]["containers"][0]
        wanted["spec"].pop("restartPolicy", None)
        if spec.get("hostNetwork"):
            wanted["spec"]["dnsPolicy"] = "ClusterFirstWithHostNet"
        equal(lost(wanted, pod), [], f"lost on the way to a {role}'s pod")
        equal(spec["restartPolicy"],
              "OnFailure" if role == "Launcher" else "Never")
        written = template["spec"]["containers"][0]
        if not written.get("command") and not written.get("args"):
            equal(first["command"], ["/usr/sbin/sshd", "-De"])
        else:
            for part in ("command", "args"):
                equal(first.get(part) or [], written.get(part) or [], part)
        equal([c["name"] for c in spec["containers"]],
              [c["name"] for c in template["spec"]["containers"]])
        self.check_mounts(role, spec)

    def check_mounts(self, role, spec):
        """The keys and the lists of hosts, in the first container alone."""
        keys = self.spec.get("sshAuthMountPath", DEFAULT_KEYS)
        wanted = {"ssh-auth": keys, **({"mpi-job-config": "/etc/mpi"}
                                       if role == "Launcher" else {})}
        for number, container in enumerate(
                spec["containers"] + spec.get("initContainers", [])):
            found = {m["name"]: m["mountPath"]
                     for m in container.get("volumeMounts", ())
                     if m["name"] in ("ssh-auth", "mpi-job-config")}
            equal(found, {} if number else wanted, container["name"])
        secret = {v["name"]: v for v in spec["volumes"]}["ssh-auth"]["secret"]
        equal(secret["secretName"], self.job + "-ssh")
        equal(secret["defaultMode"], 0o600 if keys == DEFAULT_KEYS else 0o644)

    def check_hosts(self):
        """The file of hosts, and the slots that launchers are told."""
        slots = self.spec.get("slotsPerWorker", 1)
        hosts = MPI_SSH.workers(self.job, self.count)
        if self.spec.get("runLauncherAsWorker"):
            hosts.insert(0, MPI_SSH.launcher(self.job))
        line = HOSTS[self.spec.get("mpiImplementation", "OpenMPI")]
        text = "".join(line.format(f"{host}.{self.job}.{self.ns.name}.svc",
                                   slots) + "\n" for host in hosts)
        config = self.ns.client.get(
            self.ns.core("configmaps", self.job + "-config"))
        equal(config["data"]["hostfile"], text)

    def check_launcher_job(self):
        """What the run policy says."""
        job = self.ns.client.get(self.ns.at(JOBS, "jobs",
                                            MPI_SSH.launcher(self.job)))
        policy = {name: value for name, value in
                  self.spec.get("runPolicy", {}).items() if name in (
                      "backoffLimit", "activeDeadlineSeconds")}
        equal(lost(policy, job["spec"]), [], "lost of the run policy")

    def end(self):
        """Its launcher succeeds; workers go or stay, as the policy says."""
        for pod in self.await_pods("launcher", 1):
            self.ns.set_phase(pod, "Succeeded")
        self.ns.await_condition(MPI_SSH, self.job, "Succeeded")
        policy = self.spec.get("runPolicy", {}).get("cleanPodPolicy", "None")
        self.await_pods("worker", self.count if policy == "None" else 0)


def case_of(manifest):
    def case(fixture):
        form = Form(fixture, manifest)
        for name, pod in form.await_pods("worker", form.count).items():
            form.check_pod("Worker", pod)
            form.ns.set_phase(name, "Running")
        for name, pod in form.await_pods("launcher", 1).items():
            form.check_pod("Launcher", pod)
            form.ns.set_phase(name, "Running")
        form.ns.await_condition(MPI_SSH, form.job, "Running")
        form.check_hosts()
        form.check_launcher_job()
        form.end()

    name = manifest["metadata"]["name"]
    case.__name__ = name.replace("-", "_")
    case.__doc__ = f"{name}: is taken, reaches its pods, and ends"
    return case


with open(FORMS) as file:
    CASES = [case_of(manifest) for manifest in yaml.safe_load_all(file)]

if __name__ == "__main__":
    sys.exit(main(CASES, WithJobController, __doc__, at_once=4))
