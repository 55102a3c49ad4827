#!/usr/bin/python3
"""What other people's pods ask of a laptop: claims, sidecars, and the like."""

import json
import os
import sys

from isolations import why_no_namespaces
from troupe import Folder, finished, tfjob

import needs  # of ../cluster
from checks import contains, equal, run

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: fast
  resources: {requests: {storage: 1Gi}}
---
"""


def changed(job, change):
    """The manifest with `change` applied to its pods' spec."""
    job = json.loads(job)
    for replica in job["spec"]["tfReplicaSpecs"].values():
        change(replica["template"]["spec"])
    return json.dumps(job)


def volume(kind, value, path, **mount):
    """A change that mounts one volume."""
    def change(spec):
        spec["volumes"] = [{"name": "v", kind: value}]
        spec["containers"][0]["volumeMounts"] = [
            {"name": "v", "mountPath": path, **mount}]
    return change


def claim(folder):
    """a claim is a directory of the run, which is told, shared and kept"""
    where = os.path.join(folder.path, "run")
    job = folder.write("claim.yaml", CLAIM + changed(
        tfjob("claim", "import os\n"
                       "open('/data/' + os.environ['HOSTNAME'], 'w')\n"
                       "print(sorted(os.listdir('/data'))[:1])", 2),
        volume("persistentVolumeClaim", {"claimName": "data"}, "/data")))
    code, text = finished("run", "--run-dir", where, job)
    equal(code, 0, text)
    data = os.path.join(where, "claims", "default", "data")
    equal(text.count("the volume of claim data is the directory " + data), 1,
          "lines that say where it is, of\n" + text)
    contains(text, "Volumes of claims: " + os.path.dirname(
        os.path.dirname(data)))
    equal(sorted(os.listdir(data)), ["claim-worker-0", "claim-worker-1"])


def own_directory(folder):
    """--volume points a claim at a directory of the user's"""
    own = os.path.join(folder.path, "own")
    os.mkdir(own)
    folder.write("own/given", "from the user")
    job = folder.write("own.yaml", changed(
        tfjob("own", "print(open('/data/given').read())"),
        volume("persistentVolumeClaim", {"claimName": "data"}, "/data")))
    code, text = finished("run", "--volume", f"data={own}", job)
    equal(code, 0, text)
    contains(text, "from the user")
    for wrong, why in ((f"data={own}/none", "is no directory; make it first"),
                       ("data", "write CLAIM=DIRECTORY")):
        code, text = finished("run", "--volume", wrong, job)
        equal(code, 2, text)
        contains(text, why)


def work_directory(folder):
    """--workdir is where pods work, and what they write there stays there"""
    work = os.path.join(folder.path, "out")
    os.mkdir(work)
    folder.write("out/given", "from the user")
    job = folder.write("work.yaml", tfjob(
        "work", "import os\nprint(os.getcwd(), open('given').read())\n"
                "open(os.environ['HOSTNAME'], 'w').write('kept')", 2))
    isolations = ["preload", "none"]
    if why := why_no_namespaces():
        needs.left_out("working directories in namespaces", why)
    else:
        isolations.append("namespaces")
    for isolation in isolations:
        code, text = finished("run", "--isolation", isolation, "--workdir",
                              work, job)
        equal(code, 0, text)
        contains(text, f"Pods work in {work}, ")
        contains(text, f"] {work} from the user")
        equal("Files that pods wrote" in text, False, text)
        equal(sorted(os.listdir(work)),
              ["given", "work-worker-0", "work-worker-1"])
        for name in "work-worker-0", "work-worker-1":
            os.unlink(os.path.join(work, name))
    for wrong, why in (
            (("--workdir", work + "/none"), "is no directory; make it first"),
            (("--workdir", work, "--node", "simulated"), "leave one out"),
            (("--workdir", work, "--kubeconfig", job), "leave out --kubeconf")):
        code, text = finished("run", *wrong, job)
        equal(code, 2, text)
        contains(text, why)


def resources(folder):
    """resourceFieldRef counts in its divisor, in variables and in files"""
    def change(spec):
        spec["volumes"] = [{"name": "v", "downwardAPI": {"items": [
            {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
            {"path": "memory", "resourceFieldRef": {
                "containerName": "tensorflow", "resource": "limits.memory",
                "divisor": "1Mi"}}]}}]
        spec["containers"][0].update(
            volumeMounts=[{"name": "v", "mountPath": "/etc/pod"}],
            resources={"limits": {"cpu": "1500m", "memory": "512Mi"}},
            env=[{"name": name, "valueFrom": {"resourceFieldRef": ref}}
                 for name, ref in (
                     ("BYTES", {"resource": "limits.memory"}),
                     ("GIB", {"resource": "limits.memory", "divisor": "1Gi"}),
                     ("CPUS", {"resource": "limits.cpu"}),
                     ("MILLI", {"resource": "limits.cpu", "divisor": "1m"}))])
    job = folder.write("resources.yaml", changed(tfjob("resources", """
import os
print(*(os.environ[n] for n in ('BYTES', 'GIB', 'CPUS', 'MILLI')))
print('in files:', open('/etc/pod/memory').read(),
      'replica-type="worker"' in open('/etc/pod/labels').read())
"""), change))
    code, text = finished("run", job)
    equal(code, 0, text)
    contains(text, "] 536870912 1 2 1500")
    contains(text, "] in files: 512 True")


def sidecar(folder):
    """a native sidecar runs beside the training, and ends with it"""
    def change(spec):
        spec["initContainers"] = [
            {"name": "collector", "image": "none", "restartPolicy": "Always",
             "command": ["bash", "-c", "trap 'exit 0' TERM; echo up; "
                         "while :; do sleep 0.1; done"]},
            {"name": "prepare", "image": "none", "command": ["true"]}]
    job = folder.write("sidecar.yaml", changed(
        tfjob("sidecar", "print('trained')"), change))
    code, text = finished("run", "--timeout", "60s", job)
    equal(code, 0, text)
    contains(text, "trained")


def no_scheduler(folder):
    """a scheduler that is not there ends the run at once"""
    job = folder.write("gang.yaml", changed(
        tfjob("gang", ""), lambda spec: spec.update(schedulerName="volcano")))
    code, text = finished("run", job)
    equal(code, 1, text)
    contains(text, "Giving up: ")
    contains(text, 'no scheduler named "volcano" is running; remove '
                   "schedulerName")


def another_user(folder):
    """runAsUser of another user is a warning"""
    job = folder.write("user.yaml", changed(
        tfjob("user", "print('ran')"), lambda spec: spec.update(
            securityContext={"runAsUser": os.getuid() + 1})))
    code, text = finished("run", job)
    equal(code, 0, text)
    contains(text, "securityContext.runAsUser (containers run as user "
                   f"{os.getuid()})")


def host_root(folder):
    """the whole host may be a volume; a relative path says what is wrong"""
    folder.write("there", "on the host")
    seen = "/everything" + os.path.join(folder.path, "there")
    job = folder.write("root.yaml", changed(
        tfjob("root", f"print(open({seen!r}).read())"),
        volume("hostPath", {"path": "/"}, "/everything")))
    code, text = finished("run", job)
    equal(code, 0, text)
    contains(text, "] on the host")
    job = folder.write("near.yaml", changed(
        tfjob("near", ""), volume("hostPath", {"path": "data"}, "/data")))
    code, text = finished("run", job)
    equal(code, 1, text)
    contains(text, 'hostPath.path "data" is no absolute path; begin it with a '
                   "slash")


def memory(folder):
    """an emptyDir of medium Memory is memory where there are namespaces"""
    if why := why_no_namespaces():
        needs.left_out("volumes in memory", why)
        return
    job = folder.write("memory.yaml", changed(tfjob("memory", """
import os
print([line.split()[2] for line in open('/proc/mounts')
       if line.split()[1] == '/fast'])
there = os.statvfs('/fast')
print(there.f_blocks * there.f_frsize)
"""), volume("emptyDir", {"medium": "Memory", "sizeLimit": "8Mi"}, "/fast")))
    code, text = finished("run", "--isolation", "namespaces", job)
    equal(code, 0, text)
    contains(text, "] ['tmpfs']")
    contains(text, f"] {8 * 1024 * 1024}")


def nobody_wrote(folder):
    """what the operator adds is not warned of"""
    job = json.loads(tfjob("plain", "print('ran')", 2))
    job["kind"] = "PyTorchJob"
    replicas = job["spec"].pop("tfReplicaSpecs")
    del job["spec"]["successPolicy"]
    replicas["Worker"]["template"]["spec"]["containers"][0][
        "name"] = "pytorch"
    job["spec"]["pytorchReplicaSpecs"] = {
        "Master": dict(replicas["Worker"], replicas=1), **replicas}
    code, text = finished("run", folder.write("plain.yaml", json.dumps(job)))
    equal(code, 0, text)
    equal("IgnoredHere" in text, False, text)


def refused_operator(folder):
    """what the operator may not do is printed"""
    role = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: training-operator}
rules:
- {apiGroups: [kubeflow.org], resources: ["*"], verbs: ["*"]}
---
"""
    job = folder.write("refused.yaml", role + tfjob("refused", "print('ran')"))
    code, text = finished("run", "--authorization", "RBAC", "--timeout", "15s",
                          job)
    equal(code, 124, text)
    contains(text, "The operator may not do this: ")
    contains(text, 'User "system:serviceaccount:kubeflow:training-operator" '
                   'cannot')


CASES = [claim, own_directory, work_directory, resources, sidecar, no_scheduler,
         another_user, host_root, memory, nobody_wrote, refused_operator]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
