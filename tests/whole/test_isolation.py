#!/usr/bin/python3
"""What keeps the pods of a laptop apart: namespaces, a library, or nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys

from isolated_runs import (MEET, NAMESPACES, PODS_NETWORKS, cases, changed,
                           kept_files, run_well)
from test_up import PODS, Up
from troupe import (Folder, Program, REPOSITORY, TROUPE, finished,
                    processes_with, tfjob, wait_until)

import needs  # of ../cluster
from checks import contains, equal, run

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")


def apart(folder):
    """processes, /tmp, /dev/shm, host name and working directory are a pod's own"""
    places = ["/tmp", "/dev/shm"]
    here = os.getcwd()
    os.chdir(folder.path)
    try:
        if "no overlay" in run_well(folder, "overlay", "pass"):
            needs.left_out("working directories", needs.Missing(
                "no overlay", needs.LET_OVERLAY))
        else:
            places.append(".")
        out = run_well(folder, "apart", MEET + f"""
places = {places}
name = socket.gethostname()
for place in places:
    with open(place + '/mine', 'x') as file:
        file.write(name)
meet()
for place in places:
    with open(place + '/mine') as file:
        assert file.read() == name, place
assert name.startswith('apart-worker-'), name
pids = [p for p in os.listdir('/proc') if p.isdigit()]
assert len(pids) == 2, pids
print('apart', name)
""", workers=2)
    finally:
        os.chdir(here)
    for index in (0, 1):
        contains(out, f"[worker-{index}] apart apart-worker-{index}")
    equal(os.path.exists(os.path.join(folder.path, "mine")), False,
          "a pod has written into the host's directory")
    if "." in places:
        equal(sorted(kept_files(out)), ["mine", "mine"], "files that were kept")


STATIC = r"""
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char name[256], word[16] = "", text[64];
  struct addrinfo *found, hints = {.ai_family = AF_INET};
  FILE *file = fopen("/etc/not-on-the-host/word", "r");
  gethostname(name, sizeof name);
  if (!file || !fgets(word, sizeof word, file))
    return 3;
  if (getaddrinfo("static-worker-0.default.svc", "80", &hints, &found) != 0)
    return 4;
  inet_ntop(AF_INET, &((struct sockaddr_in *)found->ai_addr)->sin_addr, text,
            sizeof text);
  printf("%s %s %s\n", name, word, text);
  return 0;
}
"""


def static_program(folder):
    """a static program sees the pod's host name, volumes and services"""
    program = os.path.join(folder.path, "static")
    built = subprocess.run(
        ["gcc", "-static", "-x", "c", "-w", "-o", program,
         folder.write("static.c", STATIC)], capture_output=True, text=True)
    equal(built.returncode, 0, built.stderr)

    def change(spec):
        spec["volumes"] = [
            {"name": "words", "configMap": {"name": "words"}},
            {"name": "programs", "hostPath": {"path": folder.path}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "words", "mountPath": "/etc/not-on-the-host"},
            {"name": "programs", "mountPath": "/programs"}]
        spec["containers"][0]["command"] = ["/programs/static"]
    out = run_well(folder, "static", "", change=change,
                   more="apiVersion: v1\nkind: ConfigMap\n"
                        "metadata: {name: words}\ndata: {word: '42'}\n")
    if not re.search(rf"static-worker-0 42 {PODS_NETWORKS}\d+\.\d+$", out, re.M):
        raise AssertionError(out)


def refused(folder):
    """where the kernel refuses namespaces, the library takes their place"""
    job = folder.write("refused.yaml", tfjob("refused", "pass"))
    # The limit is that of a user namespace around the program.
    limited = ["unshare", "--user", "--map-root-user", "sh", "-c",
               "echo 0 > /proc/sys/user/max_user_namespaces && exec "
               '"$@"', "sh", TROUPE, "run"]

    def run_limited(*args):
        return subprocess.run([*limited, *args, job], text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    done = run_limited()
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    contains(done.stdout, "Isolation: preload")
    contains(done.stdout, "no namespaces: making a user namespace")
    done = run_limited(*NAMESPACES)
    equal(done.returncode, 2, "exit code of\n" + done.stdout)
    contains(done.stdout, "namespaces do not work here")


def finished_pod(folder):
    """a pod that has finished keeps no namespaces while its object stays"""
    with Up("--run-dir", os.path.join(folder.path, "up"), *NAMESPACES) as up:
        def networks():
            return sum(name.startswith("net:")
                       for name in descriptors(up.child.pid))

        def pod(name, command, phase):
            up.ask("POST", PODS, {"metadata": {"name": name}, "spec": {
                "restartPolicy": "Never", "containers": [
                    {"name": "c", "image": "none", "command": command}]}})
            wait_until(f"{name} to be {phase}", lambda: up.get(
                f"{PODS}/{name}").get("status", {}).get("phase") == phase)
        equal(networks(), 0, "networks without pods")
        pod("runs", ["sleep", "1000"], "Running")
        equal(networks() > 0, True, "networks of a pod")
        of_one = networks()
        pod("ends", ["true"], "Succeeded")
        pod("fails", ["false"], "Failed")
        wait_until("their networks to go", lambda: networks() == of_one)


def descriptors(pid):
    """What the process has open."""
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:
            pass
    return found


def exec_in_another_pod(folder):
    """an MPIJob's launcher runs its ranks inside the workers"""
    for kind in "namespaces", "preload":
        code, out = finished("run", "--isolation", kind,
                             os.path.join(SAMPLES, "mpijob.yaml"))
        equal(code, 0, f"exit code with {kind} of\n" + out)
        contains(out, f"Isolation: {kind}")
        contains(out, "rank 0 ran on pi-worker-0")


def samples(_):
    """other samples run with namespaces and without"""
    for kind in "namespaces", "preload":
        for name in "tfjob-ps.yaml", "pytorchjob-ddp.yaml":
            code, out = finished("run", "--isolation", kind,
                                 os.path.join(SAMPLES, name), seconds=180)
            equal(code, 0, f"exit code with {kind} of\n" + out)


def terminated(folder):
    """a program hears SIGTERM and may end in its own way"""
    job = folder.write("term.yaml", tfjob("term", """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit('heard it'))
print('begun')
while True: time.sleep(1)
"""))
    with Program("run", *NAMESPACES, job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.signal(signal.SIGINT)
        program.await_line(r"\[worker-0\] heard it")
        equal(program.end(), 130, "exit code")


def programs_from(directory):
    """PIDs of processes whose program lies there."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe").startswith(directory + "/"):
                found.append(pid)
        except OSError:
            pass
    return found


def killed(folder):
    """SIGKILL leaves no process and no mount behind"""
    mark = f"mark-{os.getpid()}-isolated"
    job = folder.write("killed.yaml", tfjob(
        "killed", f"import os, time\nos.fork()\nprint('begun')\n"
                  f"while True: time.sleep(1)  # {mark}", 2))
    with Program("run", *NAMESPACES, job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.await_line(r"\[worker-1\] begun")
        directory = program.await_line(r"Logs: +(\S+)")[1]
        equal(len(programs_from(directory)) >= 5, True, "holder and reapers")
        program.child.kill()
        program.child.wait()
    wait_until("the programs to be gone", lambda: not processes_with(mark))
    wait_until("the helpers to be gone", lambda: not programs_from(directory))
    with open("/proc/mounts") as mounts:
        equal(directory in mounts.read(), False, "a mount is left")


def ordinary_user(folder):
    """it needs no root"""
    if os.geteuid() != 0:
        return  # Then all cases have shown it.
    os.chmod(folder.path, 0o777)
    program = os.path.join(folder.path, "troupe")
    archive = os.path.dirname(os.path.dirname(TROUPE))
    if os.path.exists(os.path.join(archive, "lib", "troupe")):
        shutil.copytree(archive, os.path.join(folder.path, "archive"))
        program = os.path.join(folder.path, "archive", "bin", "troupe")
    else:
        shutil.copy(TROUPE, program)
    job = folder.write("mpijob.yaml", open(
        os.path.join(SAMPLES, "mpijob.yaml")).read())
    os.chmod(job, 0o644)
    before = os.listdir(folder.path)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
         program, "run", *NAMESPACES, job], cwd=folder.path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        env={**os.environ, "HOME": folder.path, "PATH": "/usr/bin:/bin"})
    if refusal := re.search("namespaces do not work here.*", done.stdout):
        raise needs.Missing("not for ordinary users", refusal[0])
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    contains(done.stdout, "rank 0 ran on pi-worker-0")
    equal([n for n in os.listdir(folder.path)
           if n.startswith("troupe-") and n not in before], [],
          "what the run has left")


def preload(folder):
    """--isolation preload is the library, as where there are no namespaces"""
    out = run_well(folder, "library", """
import os, socket
assert 'TROUPE_POD_IP' in os.environ
assert socket.gethostname() == 'library-worker-0'
""", options=("--isolation", "preload"))
    contains(out, "Isolation: preload")


def none(folder):
    """--isolation none leaves programs alone, and refuses volumes"""
    out = run_well(folder, "bare", """
import os, socket
assert 'LD_PRELOAD' not in os.environ or 'troupe' not in os.environ['LD_PRELOAD']
assert socket.gethostname() != 'bare-worker-0'
""", options=("--isolation", "none"))
    contains(out, "Isolation: none")

    def change(spec):
        spec["volumes"] = [{"name": "empty", "emptyDir": {}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "empty", "mountPath": "/empty"}]
    job = folder.write("none.yaml", changed(tfjob("none", "pass"), change))
    code, out = finished("run", "--isolation", "none", job)
    equal(code, 1, "exit code of\n" + out)
    contains(out, "cannot be mounted with --isolation none")


def unknown(folder):
    """another word is refused, with those that there are"""
    job = folder.write("unknown.yaml", tfjob("unknown", "pass"))
    code, out = finished("run", "--isolation", "jails", job)
    equal(code, 2, "exit code of\n" + out)
    contains(out, "namespaces")


def contradictions(folder):
    """--isolation is refused where nothing is to be kept apart"""
    job = folder.write("apart.yaml", tfjob("apart", "pass"))
    for words in (["run", "--node", "simulated", job],
                  ["run", "--kubeconfig", "none", job],
                  ["up", "--node", "simulated"], ["up", "--no-node"]):
        code, out = finished(*words, "--isolation", "preload")
        equal(code, 2, f"exit code of {words}\n" + out)
        contains(out, "--isolation")


WITH_NAMESPACES = [apart, static_program, finished_pod, exec_in_another_pod,
                   samples, terminated, killed, ordinary_user, refused]
WITHOUT = [preload, none, unknown, contradictions]

if __name__ == "__main__":
    sys.exit(run(cases(WITH_NAMESPACES, WITHOUT), Folder, *sys.argv[1:2]))
