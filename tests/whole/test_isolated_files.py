#!/usr/bin/python3
"""Which files a pod in namespaces sees, and what is kept of its own."""

import os
import subprocess
import sys

from isolated_runs import NAMESPACES, cases, changed, kept_files, run_well
from troupe import Folder, TROUPE, finished, tfjob

import needs  # of ../cluster
from checks import contains, equal, run


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


def terminals(folder):
    """programs make terminals in a /dev that has a file for messages"""
    run_well(folder, "terminals", """
import os, pty
ours, theirs = pty.openpty()
os.write(theirs, b'said')
assert os.read(ours, 10) == b'said'
assert os.path.exists(os.ttyname(theirs))
with open('/dev/termination-log', 'w') as file:
    file.write('done')
with open('/dev/null', 'w') as file:
    file.write('nothing')
assert os.path.ismount('/dev/shm')
""")
    equal(os.path.exists("/dev/termination-log"), False)


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


CASES = [mount_below, working_directories, terminals, volumes,
         large_directory, sub_paths, last_words]

if __name__ == "__main__":
    sys.exit(run(cases(CASES), Folder, *sys.argv[1:2]))
