#!/usr/bin/python3
"""What keeps the pods of a laptop apart: namespaces, a library, or nothing."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading

from isolations import why_no_namespaces
from test_up import PODS, Up
from troupe import (Folder, Program, REPOSITORY, TROUPE, finished,
                    processes_with, tfjob, wait_until)

import needs  # of ../cluster
from checks import contains, equal, run

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
NAMESPACES = ("--isolation", "namespaces")

# Of those the first that the host does not use.
PODS_NETWORKS = r"(10\.244|10\.200|172\.30|192\.168|100\.96)\."

# Two workers meet at the same port, each by the other's service.
MEET = """
import json, os, socket, time
task = json.loads(os.environ['TF_CONFIG'])
index = task['task']['index']
other = task['cluster']['worker'][1 - index].rsplit(':', 1)[0]
server = socket.create_server(('', 8000))

def connect():
    while True:
        try:
            return socket.create_connection((other, 8000), 5)
        except OSError:
            time.sleep(0.05)

def meet():
    mine = connect()
    theirs, address = server.accept()
    mine.sendall(mine.getsockname()[0].encode())
    mine.shutdown(socket.SHUT_WR)
    said = b''
    while piece := theirs.recv(100):
        said += piece
    return said.decode(), address[0]
"""


def changed(job, change):
    """The manifest with `change` applied to its pods' template."""
    job = json.loads(job)
    for replica in job["spec"]["tfReplicaSpecs"].values():
        change(replica["template"]["spec"])
    return json.dumps(job)


def run_well(folder, name, program, workers=1, change=lambda _: None, more="",
             options=NAMESPACES):
    text = changed(tfjob(name, program, workers), change)
    job = folder.write(f"{name}.yaml", (more + "\n---\n" if more else "") + text)
    code, out = finished("run", *options, job)
    equal(code, 0, "exit code of\n" + out)
    return out


def addresses(folder):
    """two pods listen on the same port; each sees the other's own address"""
    out = run_well(folder, "meet", MEET + """
said, seen = meet()
print('peer said', said, 'and is seen as', seen)
import fcntl, struct
for number, name in socket.if_nameindex():
    request = struct.pack('256s', name.encode())
    answer = fcntl.ioctl(server.fileno(), 0x8915, request)  # SIOCGIFADDR
    print('interface', name, socket.inet_ntoa(answer[20:24]))
print('own', socket.gethostbyname(socket.gethostname()))
""", workers=2)
    contains(out, "Isolation: namespaces")
    for index in (0, 1):
        mine = [line.split("] ", 1)[1] for line in out.split("\n")
                if line.startswith(f"[worker-{index}] ")]
        said, seen = re.search(r"peer said (\S+) and is seen as (\S+)",
                               "\n".join(mine)).groups()
        equal(said, seen, "the peer's address")
        own = re.search(r"^own (\S+)$", "\n".join(mine), re.M)[1]
        equal(bool(re.match(PODS_NETWORKS, own)), True, own)
        equal(own != said, True, "two pods have one address")
        equal(f"interface eth0 {own}" in mine, True, "\n".join(mine))
        equal("interface lo 127.0.0.1" in mine, True, "\n".join(mine))


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


def kept_files(out):
    """Names of those that a run has kept, by what it said."""
    kept = re.search("Files that pods wrote in their working directories: "
                     r"(\S+)", out)
    return [name for _, _, names in os.walk(kept[1]) for name in names] \
        if kept else []


def mount_below(folder):
    """with a mount below the working directory, the first lines say: shared"""
    if os.geteuid() != 0:
        raise needs.Missing("only root mounts", "run this as root")
    here = os.path.join(folder.path, "with-mount")
    os.makedirs(os.path.join(here, "mount"))
    job = folder.write("shared.yaml", tfjob(
        "shared", "open('written', 'x').write('x')"))
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c",
         'mount -t tmpfs none mount && exec "$@"', "sh",
         TROUPE, "run", *NAMESPACES, job], cwd=here, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    equal("no overlay" in done.stdout,
          os.path.exists(os.path.join(here, "written")), done.stdout)


def working_directories(folder):
    """the working directory is seen wherever it is, /tmp itself too"""
    for here in "/tmp", "/dev/shm", "/dev/shm/below":
        here = here.replace("below", os.path.basename(folder.path))
        name = f"troupe-test-{os.getpid()}"
        os.makedirs(here, exist_ok=True)
        with open(os.path.join(here, name), "w") as file:
            file.write("seen")
        before = os.getcwd()
        os.chdir(here)
        try:
            out = run_well(folder, "where", f"print(open({name!r}).read())")
        finally:
            os.chdir(before)
            os.unlink(os.path.join(here, name))
        contains(out, "[worker-0] seen")
        equal(f"but {here}: it is the working" in out,
              "troupe-whole" not in here, out)
    os.rmdir(here)


def volumes(folder):
    """volumes are mounts, also where the host has no such directory"""
    data = os.path.join(folder.path, "data")
    os.mkdir(data)
    folder.write("data/given", "from the host")
    entries = sorted(os.listdir("/etc"))

    def change(spec):
        spec["volumes"] = [
            {"name": "words", "configMap": {"name": "words"}},
            {"name": "empty", "emptyDir": {}},
            {"name": "data", "hostPath": {"path": data}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "words", "mountPath": "/etc/not-on-the-host/words"},
            {"name": "words", "mountPath": "/etc/one", "subPath": "word"},
            {"name": "empty", "mountPath": "/not-on-the-host"},
            {"name": "data", "mountPath": "/opt/not-on-the-host/data"},
            {"name": "words", "mountPath": "/opt/not-on-the-host/data/words"},
            {"name": "data", "mountPath": "/mnt/fixed", "readOnly": True}]
    run_well(folder, "volumes", """
import errno, os
def read(path):
    with open(path) as file:
        return file.read()
def refuses(path):
    try:
        open(path, 'w')
    except OSError as why:
        return why.errno == errno.EROFS
assert read('/etc/not-on-the-host/words/word') == '42'
assert read('/etc/one') == '42'
assert read('/opt/not-on-the-host/data/words/word') == '42'
assert refuses('/etc/not-on-the-host/words/word')
assert 'not-on-the-host' in os.listdir('/etc') and 'passwd' in os.listdir('/etc')
assert read('/mnt/fixed/given') == 'from the host' and refuses('/mnt/fixed/x')
open('/not-on-the-host/x', 'w').close()
open('/opt/not-on-the-host/data/written', 'w').close()
""", change=change, more="apiVersion: v1\nkind: ConfigMap\n"
                         "metadata: {name: words}\ndata: {word: '42'}\n")
    equal(os.path.exists(os.path.join(data, "written")), True,
          "what was written into a hostPath is on the host")
    equal(sorted(os.listdir("/etc")), entries, "the host's /etc")


def large_directory(folder):
    """a mount point in a huge directory is refused, and it is said why"""
    many = os.path.join(folder.path, "many")
    os.mkdir(many)
    for i in range(5001):
        os.symlink("x", os.path.join(many, str(i)))

    def change(spec):
        spec["volumes"] = [{"name": "many", "hostPath": {"path": many}},
                           {"name": "empty", "emptyDir": {}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "many", "mountPath": "/many", "readOnly": True},
            {"name": "empty", "mountPath": "/many/more"}]
    job = folder.write("large.yaml", changed(tfjob("large", "pass"), change))
    code, out = finished("run", *NAMESPACES, job)
    equal(code, 1, "exit code of\n" + out)
    contains(out, "in a directory of thousands of entries, the mount point "
                  "/many/more")


def sub_paths(folder):
    """a subPath is made if need be, and never leads out of its volume"""
    outside = os.path.join(folder.path, "outside")
    os.mkdir(outside)

    def change(spec):
        spec["volumes"] = [{"name": "empty", "emptyDir": {}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "empty", "mountPath": "/part", "subPath": "new/part"},
            {"name": "empty", "mountPath": "/all"}]
    run_well(folder, "parts", """
import os
open('/part/x', 'w').close()
assert os.path.exists('/all/new/part/x')
""", change=change)

    def lead_out(spec):
        change(spec)
        spec["initContainers"] = [{
            "name": "first", "image": "none",
            "volumeMounts": [{"name": "empty", "mountPath": "/all"}],
            "command": ["sh", "-c", "mv /all/new /all/old && ln -s '"
                        + folder.path + "' /all/new"]}]
        spec["containers"][0]["volumeMounts"][0]["subPath"] = "new/outside"
    job = folder.write("out.yaml", changed(
        tfjob("out", "open('/part/x', 'w').close()"), lead_out))
    code, out = finished("run", *NAMESPACES, job)
    equal(os.listdir(outside), [], "the directory outside")
    equal(code, 1, "exit code of\n" + out)
    contains(out, "opening the subPath for /part: No such file")

    data = os.path.join(folder.path, "data")
    os.makedirs(os.path.join(data, "v2", "deep"))
    os.symlink("v2", os.path.join(data, "latest"))
    os.symlink(data, os.path.join(folder.path, "link"))

    def by_links(spec):
        spec["volumes"] = [{"name": "host", "hostPath": {
            "path": os.path.join(folder.path, "link")}}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "host", "mountPath": "/part", "subPath": "latest/deep"},
            {"name": "host", "mountPath": "/all"}]
    run_well(folder, "links", """
open('/part/x', 'w').close()
assert open('/all/v2/deep/x').read() == ''
""", change=by_links)


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


def names(folder):
    """services resolve by all their names, and addresses lead back"""
    run_well(folder, "names", """
import socket
own = socket.gethostbyname(socket.gethostname())
service = 'names-worker-0'
for end in '', '.default', '.default.svc', '.default.svc.cluster.local':
    assert socket.gethostbyname(service + end) == own, end
try:
    socket.getaddrinfo('nobody.default.svc.cluster.local', 80)
    raise SystemExit('somebody is nobody')
except socket.gaierror as why:
    assert why.errno == socket.EAI_NONAME, why
assert socket.gethostbyaddr(own)[0].startswith('names-worker-0')
assert socket.gethostbyname('localhost') == '127.0.0.1'
# The same by TCP.
question = b''.join(bytes([len(w)]) + w.encode() for w in
                    (service + '.default.svc.cluster.local').split('.'))
query = (b'ab' + bytes([1, 0, 0, 1]) + bytes(6) + question
         + bytes([0, 0, 1, 0, 1]))
server = open('/etc/resolv.conf').readline().split()[1]
with socket.create_connection((server, 53)) as link:
    for _ in range(2):
        link.sendall(len(query).to_bytes(2, 'big') + query)
        size = int.from_bytes(link.recv(2, socket.MSG_WAITALL), 'big')
        answer = link.recv(size, socket.MSG_WAITALL)
        assert answer[:2] == query[:2], answer
        assert answer[-4:] == socket.inet_aton(own), answer
""")


def api_server(folder):
    """pods reach the API server by its service, and have to show the token"""
    run_well(folder, "api", """
import ssl, urllib.error, urllib.request
trusting = ssl.create_default_context()
trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
try:
    urllib.request.urlopen('https://kubernetes.default.svc/api/v1/pods',
                           context=trusting, timeout=20)
    raise SystemExit('the API server is open')
except urllib.error.HTTPError as answer:
    assert answer.code == 401, answer.code
""")


def di_server(folder):
    """pods reach di-server by the names and ports that clusters have"""
    run_well(folder, "di-server", """
import json, urllib.request
for server in ('di-server.di-system:8080',
               'di-server.di-system.svc.cluster.local:8081'):
    with urllib.request.urlopen(
            f'http://{server}/v1alpha1/replicas', timeout=20) as answer:
        assert json.load(answer)['data'] == []
""")


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


def last_words(folder):
    """what a pod writes first at the end of the run is kept, too"""
    here = os.getcwd()
    os.chdir(folder.path)
    program = """
import json, os, signal, socket, sys, time
cluster = json.loads(os.environ['TF_CONFIG'])
if cluster['task']['type'] == 'ps':
    def save(*_):
        open('checkpoint', 'w').write('saved')
        sys.exit(0)
    signal.signal(signal.SIGTERM, save)
    server = socket.create_server(('', 8000))
    while True:
        time.sleep(1)
while True:
    try:
        socket.create_connection(
            (cluster['cluster']['ps'][0].rsplit(':', 1)[0], 8000), 5)
        break
    except OSError:
        time.sleep(.05)
"""
    try:
        code, out = finished("run", *NAMESPACES, folder.write(
            "last.yaml", tfjob("last", program, ps=1, cleanPodPolicy="None")))
    finally:
        os.chdir(here)
    equal(code, 0, "exit code of\n" + out)
    if "no overlay" in out:
        raise needs.Missing("no overlay", needs.LET_OVERLAY)
    equal(kept_files(out), ["checkpoint"], "files that were kept")


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


def host_address():
    """One that is not the loopback; "" if there is none."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 9))  # Sends nothing.
        return probe.getsockname()[0]
    except OSError:
        return ""


def way_out(folder):
    """pods reach other networks, or the first lines say why not"""
    address = host_address()
    server = socket.create_server((address or "127.0.0.1", 0))

    def greet():
        while True:
            try:
                server.accept()[0].sendall(b"hello")
            except OSError:
                return
    threading.Thread(target=greet, daemon=True).start()
    out = run_well(folder, "out", f"""
import socket
try:
    s = socket.create_connection({server.getsockname()!r}, 10)
    print('outside said', s.recv(9))
except OSError as why:
    print('no outside', why)
""")
    server.close()
    if taken := re.search("pods are in .* which this machine uses.*", out):
        needs.left_out("the way out", taken[0])
    elif "no way out" in out or not address:
        contains(out, "no outside")
        needs.left_out("the way out", (re.search("no way out.*", out) or [
            "this machine has no network"])[0])
    else:
        contains(out, "outside said b'hello'")


def taken_network(folder):
    """pods get another network where the host uses the usual one"""
    needs.programs("ip", "unshare")
    if os.geteuid() != 0:
        raise needs.Missing("only root gives addresses", "run this as root")
    job = folder.write("taken.yaml", tfjob("taken", """
import socket
print('own', socket.gethostbyname(socket.gethostname()))
"""))
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", "ip link set lo up && "
         'ip address add 10.244.7.7/24 dev lo && exec "$@"', "sh",
         TROUPE, "run", *NAMESPACES, job], text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    contains(done.stdout, "own 10.200.1.")


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


WITH_NAMESPACES = [addresses, apart, mount_below, working_directories,
                   volumes, large_directory, sub_paths, static_program, names,
                   api_server, di_server, finished_pod, exec_in_another_pod,
                   samples, terminated, last_words, killed,
                   way_out, taken_network, ordinary_user, refused]
WITHOUT = [preload, none, unknown, contradictions]


def cases():
    """Without namespaces, where this machine refuses them."""
    if why := why_no_namespaces():
        needs.left_out(f"{len(WITH_NAMESPACES)} cases", why)
        return WITHOUT
    return WITH_NAMESPACES + WITHOUT


if __name__ == "__main__":
    sys.exit(run(cases(), Folder, *sys.argv[1:2]))
