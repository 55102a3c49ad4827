"""What an operator makes of an MPIJob of v2beta1, written by hand: a headless
Service, host file and script, keys for SSH, pods of workers, a launcher."""

import base64
import copy
import os
import subprocess

import needs  # of ../cluster

PROGRAMS = {  # Of samples, beside those of SSH.
    "mpijob-v2beta1.yaml": ("mpirun.openmpi",),
    "mpijob-v2beta1-mpich.yaml": ("mpiexec.hydra",),
    "mpijob-v2beta1-elastic.yaml": (),
}
IMPLEMENTATIONS = {
    "OpenMPI": (" slots={}", lambda slots: {
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
        "OMPI_MCA_orte_set_default_slots": str(slots)}),
    "MPICH": (":{}", lambda _: {
        "HYDRA_HOST_FILE": "/etc/mpi/hostfile",
        "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10"}),
}
OPERATOR = "training.kubeflow.org/operator-name"
JOB = "training.kubeflow.org/job-name"
ROLE = "training.kubeflow.org/job-role"


def need_programs_of(sample):
    """Raises needs.Missing for what a sample needs of this machine."""
    needs.programs("/usr/sbin/sshd", "ssh", *PROGRAMS[sample])
    if sample == "mpijob-v2beta1.yaml" and subprocess.run(
            ["/usr/bin/python3", "-c", "import mpi4py"],
            stderr=subprocess.DEVNULL).returncode:
        raise needs.Missing("no mpi4py", "install Debian's python3-mpi4py")


def make_keys(folder):
    """(private, public) as texts."""
    path = os.path.join(folder, "key")
    subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-b", "521", "-m", "PEM",
                    "-N", "", "-C", "", "-f", path], check=True)
    texts = []
    for name in (path, path + ".pub"):
        with open(name) as file:
            texts.append(file.read())
        os.unlink(name)
    return texts


class MpiObjects:
    """The objects of one job in the namespace `default`."""

    def __init__(self, job, keys):
        self.job, self.keys = job, keys
        self.spec, self.name = job["spec"], job["metadata"]["name"]
        self.slots = self.spec.get("slotsPerWorker", 1)
        self.keys_path = self.spec.get("sshAuthMountPath", "/root/.ssh")
        self.host_end, self.environment = IMPLEMENTATIONS[
            self.spec.get("mpiImplementation", "OpenMPI")]

    def _object(self, kind, name, more):
        return {"apiVersion": "v1", "kind": kind, "metadata": {
            "name": name, "namespace": "default", "labels": {"app": self.name}},
            **more}

    def service(self):
        return self._object("Service", self.name, {"spec": {
            "clusterIP": "None", "publishNotReadyAddresses": False,
            "selector": {JOB: self.name, OPERATOR: "mpi-operator"}}})

    def secret(self):
        return self._object("Secret", self.name + "-ssh", {
            "type": "kubernetes.io/ssh-auth",
            "data": {key: base64.b64encode(text.encode()).decode()
                     for key, text in zip(("ssh-privatekey", "ssh-publickey"),
                                          self.keys)}})

    def hosts(self, count):
        return [f"{self.name}-worker-{i}.{self.name}.default.svc"
                for i in range(count)]

    def config_map(self, workers, running):
        end = self.host_end.format(self.slots)
        return self._object("ConfigMap", self.name + "-config", {"data": {
            "hostfile": "".join(h + end + "\n" for h in self.hosts(workers)),
            "discover_hosts.sh": "#!/bin/sh\n" + "".join(
                f"echo {h}\n" for h in self.hosts(running))}})

    def _pod(self, replica, role, name, hostname):
        template = copy.deepcopy(self.spec["mpiReplicaSpecs"][replica]
                                 ["template"])
        pod = self._object("Pod", name, {"spec": template["spec"]})
        pod["metadata"]["labels"] = {
            OPERATOR: "mpi-operator", JOB: self.name, ROLE: role}
        pod["spec"].update(hostname=hostname, subdomain=self.name,
                           restartPolicy={"launcher": "OnFailure",
                                          "worker": "Never"}[role])
        mode = {"defaultMode": 0o600} if self.keys_path == "/root/.ssh" else {}
        pod["spec"].setdefault("volumes", []).append({
            "name": "ssh-auth", "secret": {
                **mode, "secretName": self.name + "-ssh", "items": [
                    {"key": "ssh-privatekey", "path": "id_rsa"},
                    {"key": "ssh-publickey", "path": "id_rsa.pub"},
                    {"key": "ssh-publickey", "path": "authorized_keys"}]}})
        container = pod["spec"]["containers"][0]
        container.setdefault("volumeMounts", []).append(
            {"name": "ssh-auth", "mountPath": self.keys_path})
        container.setdefault("env", []).append(
            {"name": "K_MPI_JOB_ROLE", "value": role})
        return pod, container

    def worker(self, index):
        name = f"{self.name}-worker-{index}"
        pod, container = self._pod("Worker", "worker", name, name)
        if not container.get("command") and not container.get("args"):
            container["command"] = ["/usr/sbin/sshd", "-De"]
        pod["spec"]["dnsConfig"] = {
            "searches": [self.name + ".default.svc.cluster.local"]}
        return pod

    def launcher(self):
        pod, container = self._pod("Launcher", "launcher",
                                   self.name + "-launcher-x7x9q",
                                   self.name + "-launcher")
        container["env"] += [
            {"name": name, "value": value}
            for name, value in self.environment(self.slots).items()]
        container["env"] += [
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": ""},
            {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": ""}]
        pod["spec"]["volumes"].append({
            "name": "mpi-job-config", "configMap": {
                "name": self.name + "-config", "items": [
                    {"key": "hostfile", "path": "hostfile", "mode": 0o444},
                    {"key": "discover_hosts.sh", "path": "discover_hosts.sh",
                     "mode": 0o555}]}})
        container["volumeMounts"].append(
            {"name": "mpi-job-config", "mountPath": "/etc/mpi"})
        return pod
