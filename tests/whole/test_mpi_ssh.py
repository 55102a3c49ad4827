#!/usr/bin/python3
"""Ranks that are started by SSH between the pods of a laptop, with each
isolation, as root and as an ordinary user. The objects are those that an
operator makes of the samples (mpi_objects.py)."""

import os
import re
import shutil
import stat
import sys

import yaml

from isolations import usable_isolations
from mpi_objects import MpiObjects, make_keys, need_programs_of
from test_up import Up
from troupe import Folder, REPOSITORY, TROUPE, wait_until

import needs  # of ../cluster
from checks import contains, equal, run

API = "/api/v1/namespaces/default/"
SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
USER = 54321  # An ordinary user, whom this machine need not know.
# A user has to have a line, with a shell: sshd looks there.
AS_USER = """
mount --bind "$1" /etc/passwd || exit
shift
exec setpriv --reuid=%d --regid=%d --clear-groups --pdeathsig KILL "$@"
""" % (USER, USER)


class Laptop(Folder):
    """A folder with `up` in it, as this user or as another one."""

    def __init__(self, isolation, as_user):
        self.isolation, self.as_user = isolation, as_user

    def up(self):
        more = {}
        if self.as_user:
            os.chmod(self.path, 0o777)
            program = os.path.join(self.path, "troupe")
            if not os.path.exists(program):
                shutil.copy(TROUPE, program)
            with open("/etc/passwd") as known:
                users = self.write("passwd", known.read() + (
                    f"somebody:x:{USER}:{USER}::{self.path}:/bin/sh\n"))
            more = {"program": ["unshare", "--mount", "sh", "-c", AS_USER, "sh",
                                users, program],
                    "env": {"HOME": self.path}}
        return Up("--isolation", self.isolation, "--workdir", self.path, **more)

    def job(self, sample):
        with open(os.path.join(SAMPLES, sample)) as file:
            return MpiObjects(yaml.safe_load(file), make_keys(self.path))


def create(up, *objects):
    for o in objects:
        plural = {"Secret": "secrets", "Pod": "pods", "Service": "services",
                  "ConfigMap": "configmaps"}[o["kind"]]
        status, answer = up.ask("POST", API + plural, o)
        equal(status, 201, answer)


def phase(up, pod):
    return up.get(f"{API}pods/{pod['metadata']['name']}")["status"].get("phase")


def log_of(up, pod):
    status, text = up.ask("GET", f"{API}pods/{pod['metadata']['name']}/log")
    return text if status == 200 and isinstance(text, str) else ""


def ended(up, pod, workers=()):
    """The log of a pod that succeeds."""
    try:
        wait_until("its end", lambda: phase(up, pod) in ("Succeeded", "Failed"))
        equal(phase(up, pod), "Succeeded", "phase")
    except AssertionError as wrong:
        raise AssertionError(f"{wrong}" + "".join(
            f"\n{p['metadata']['name']}: {phase(up, p)}\n{log_of(up, p)}"
            for p in (pod, *workers))) from None
    return log_of(up, pod)


def start(up, job, workers):
    """All objects in the order in which an operator makes them."""
    create(up, job.service(), job.config_map(workers, 0), job.secret())
    pods = [job.worker(i) for i in range(workers)]
    create(up, *pods, launcher := job.launcher())
    for pod in pods:
        wait_until("workers to run", lambda: phase(up, pod) == "Running")
    replace(up, job.config_map(workers, workers))
    return launcher, pods


def replace(up, config_map):
    path = f"{API}configmaps/{config_map['metadata']['name']}"
    status, answer = up.ask("PUT", path, config_map)
    equal(status, 200, answer)


def runs(laptop, sample, workers, line):
    job = laptop.job(sample)
    with laptop.up() as up:
        launcher, pods = start(up, job, workers)
        contains(ended(up, launcher, pods), line)


def open_mpi(laptop):
    """Open MPI's mpirun starts ranks in the workers' pods"""
    need_programs_of("mpijob-v2beta1.yaml")
    runs(laptop, "mpijob-v2beta1.yaml", 2,
         "by 4 ranks on line-worker-0, line-worker-1")


def mpich(laptop):
    """so does MPICH's Hydra"""
    need_programs_of("mpijob-v2beta1-mpich.yaml")
    runs(laptop, "mpijob-v2beta1-mpich.yaml", 3,
         "3 ranks on pi-mpich-worker-0, pi-mpich-worker-1, pi-mpich-worker-2")


def elastic(laptop):
    """a launcher finds a worker that is added while it runs"""
    job = laptop.job("mpijob-v2beta1-elastic.yaml")
    launch = job.spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
    launch["containers"][0]["env"][0]["value"] = "3"
    with laptop.up() as up:
        launcher, pods = start(up, job, 2)
        wait_until("a round with two",
                   lambda: "with 2 workers" in log_of(up, launcher))
        create(up, third := job.worker(2))
        wait_until("the third worker",
                   lambda: phase(up, third) == "Running")
        replace(up, job.config_map(3, 3))
        text = ended(up, launcher, [*pods, third])
    contains(text, "with 3 workers")
    contains(text, "a = 5.000")


def other_user(laptop):
    """keys and sshd's settings may be in the home of the image's user"""
    job = laptop.job("mpijob-v2beta1-elastic.yaml")
    job.keys_path = "/home/mpiuser/.ssh"
    job.spec["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][
        0].update(command=["/usr/sbin/sshd"],
                  args=["-De", "-f", "/home/mpiuser/.sshd_config"])
    with laptop.up() as up:
        launcher, pods = start(up, job, 2)
        contains(ended(up, launcher, pods), "a = 5.000")


def keys(laptop):
    """keys are files for one user, follow their Secret, and stay secret"""
    job = laptop.job("mpijob-v2beta1-elastic.yaml")
    job.spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][
        0]["command"] = ["sh", "-c", """
for file in id_rsa authorized_keys; do
  stat -c '%n %a %u' /root/.ssh/$file
done
id -u
until [ "$(cat /root/.ssh/id_rsa)" = other ]; do sleep 0.1; done
"""]
    with laptop.up() as up:
        create(up, job.service(), job.config_map(0, 0), job.secret(),
               launcher := job.launcher())
        wait_until("the user's number",
                   lambda: re.search(r"^\d+$", log_of(up, launcher), re.M))
        look_for_readable_files(laptop.path)
        job.keys = ["other", job.keys[1]]
        status, answer = up.ask("PUT", f"{API}secrets/{job.name}-ssh",
                                job.secret())
        equal(status, 200, answer)
        text = ended(up, launcher)
        equal("PRIVATE KEY" in up.text(), False, "a key in the output")
    user = USER if laptop.as_user else os.geteuid()
    for name in ("id_rsa", "authorized_keys"):
        contains(text, f"/root/.ssh/{name} 600 {user}")


def look_for_readable_files(top):
    """Fails if somebody else could read a private key below `top`."""
    for path, folders, files in os.walk(top):
        folders[:] = [f for f in folders if os.stat(
            os.path.join(path, f)).st_mode & stat.S_IXOTH]
        for name in files:
            with open(os.path.join(path, name), "rb") as file:
                if os.fstat(file.fileno()).st_mode & 0o044:
                    equal(b"PRIVATE KEY" in file.read(1 << 16), False,
                          os.path.join(path, name))


CASES = [open_mpi, mpich, elastic, other_user, keys]


def main():
    needs.programs("/usr/sbin/sshd", "ssh", "ssh-keygen")
    users = [False]
    if os.geteuid() == 0:
        needs.programs("setpriv", "unshare")
        users.append(True)
    code = 0
    for isolation in usable_isolations():
        for as_user in users:
            print(f"Isolation: {isolation}, "
                  + ("an ordinary user" if as_user else "this user"))
            code = max(code, run(CASES, lambda: Laptop(isolation, as_user),
                                 *sys.argv[1:2]))
    return code


if __name__ == "__main__":
    sys.exit(needs.exit_code(main))
