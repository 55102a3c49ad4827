#!/usr/bin/python3
"""Which manifests `troupe run` takes, and from where."""

import json
import os
import re
import subprocess
import sys

from run_samples import FOREVER, MANIFEST
from troupe import (LIMIT, TROUPE, Folder, Program, finished, interrupted,
                    processes_with, tfjob)

from checks import contains, equal, run  # of ../cluster


def supported(folder):
    """what the job needs is created first, with its types"""
    files = folder.write("needs.yaml", """
apiVersion: v1
kind: ConfigMap
metadata: {name: words}
data:
  word: "42"
  text: |
    two
    lines
---
""" + tfjob("needs", "print('ran')").replace(
        '"image": "none"', '"image": "none", "env": [{"name": "WORD", '
        '"valueFrom": {"configMapKeyRef": {"name": "words", "key": "word"}}}]'
    ).replace("print('ran')", "import os; print(os.environ['WORD'])"))
    code, text = finished("run", files)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "[worker-0] 42")


def deprecated(folder):
    """what the operator's webhook warns of is shown"""
    job = folder.write("old.yaml", tfjob("old", "pass").replace(
        "TFJob", "PyTorchJob").replace("tfReplicaSpecs", "pytorchReplicaSpecs")
        .replace('"tensorflow"', '"pytorch"').replace(
            '"successPolicy": "AllWorkers", ', "").replace(
            '"spec": {', '"spec": {"elasticPolicy": {"nProcPerNode": 1}, ', 1))
    code, text = finished("run", job)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "Warning: spec.elasticPolicy.nProcPerNode is deprecated")


def elsewhere(folder):
    """--namespace is made and used"""
    job = folder.write("ns.yaml", tfjob("ns", "pass"))
    code, text = finished("run", "--namespace", "team", job)
    equal(code, 0, "exit code")
    contains(text, "TFJob team/ns succeeded")


def refused(folder):
    """what cannot be run ends with 2, and says what to do"""
    one = folder.write("one.yaml", tfjob("one", "pass"))
    two = folder.write("two.yaml", tfjob("two", "pass"))
    none = folder.write("none.yaml", "apiVersion: v1\nkind: ConfigMap\n"
                                     "metadata: {name: c}\n")
    strange = folder.write("strange.yaml", "apiVersion: kubeflow.org/v1\n"
                                           "kind: FooJob\n"
                                           "metadata: {name: f}\n")
    unknown = folder.write("unknown.yaml", "apiVersion: foo.org/v1\n"
                                           "kind: Bar\nmetadata: {name: b}\n")
    old = folder.write("old.yaml", tfjob("old", "pass").replace(
        "kubeflow.org/v1", "kubeflow.org/v1beta2").replace(
            '"spec": {', '"spec": {"cleanPodPolicy": "All", ', 1))
    twisted = folder.write("twisted.yaml", tfjob("twisted", "pass").replace(
        "TFJob", "TFjob"))
    core = folder.write("core.yaml", "apiVersion: v1\nkind: ConfigMapp\n"
                                     "metadata: {name: c}\n")
    broken = folder.write("broken.yaml", "a: 1\nb: [\n")
    invalid = folder.write("invalid.yaml", tfjob("Not_A_Name", "pass"))
    escapes = folder.write("escapes.yaml", 'apiVersion: foo.org/v1\n'
                           'kind: "Ba\\e[2Jr\\a"\nmetadata: {name: b}\n')
    for args, part in (
            ((one, two), "there are 2 jobs"),
            ((none,), "there is no job"),
            ((strange,), "FooJob is not supported yet"),
            ((unknown,), "Troupe does not run Bar b"),
            ((old, unknown), "move spec.cleanPodPolicy into spec.runPolicy"),
            ((twisted, one), "did you mean TFJob?"),
            ((core, one), "did you mean ConfigMap?"),
            ((broken,), "broken.yaml:"),
            ((invalid,), "Not_A_Name"),
            (("/nonexistent.yaml",), "/nonexistent.yaml: cannot be read"),
            (("/dev/zero",), "/dev/zero: is too long: manifests may have"),
            ((escapes,), r"does not run Ba\u001b[2Jr\u0007 b"),
            (("--logs", "chief\x1b[2J", one), r"--logs chief\u001b[2J"),
            (("--out\x1b[2J", one), r"--out\u001b[2J"),
            (("--logs", "chief", one), "--logs chief"),
            (("--timeout", "5", one), "must be a duration"),
            (("--kubeconfig", "/nonexistent", one), "/nonexistent"),
            ((), "name a manifest")):
        code, text = finished("run", *args)
        equal((args, code), (args, 2), "exit code of\n" + text)
        contains(text, part)
        equal([c for c in text if ord(c) < 32 and c != "\n"], [],
              f"control characters of {args}")


def piped(folder):
    """a manifest may come from standard input, or a pipe with a name"""
    job = tfjob("piped", "pass")
    done = subprocess.run([TROUPE, "run", "-"], input=job, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=LIMIT)
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    pipe = os.path.join(folder.path, "pipe")
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", folder.write("job.yaml", job), pipe]):
        code, text = finished("run", pipe)
    equal(code, 0, "exit code of\n" + text)


def left_out(folder):
    """objects that others would run are left out with a warning, the job runs"""
    job = folder.write("beside.yaml", "\n---\n".join((
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\n"
        "metadata: {name: queue}\nspec: {clusterQueue: all}",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}",
        "apiVersion: own.org/v1\nkind: Thing\nmetadata: {name: thing}",
        json.dumps({"apiVersion": "apiextensions.k8s.io/v1",
                    "kind": "CustomResourceDefinition",
                    "metadata": {"name": "things.own.org"},
                    "spec": {"group": "own.org", "scope": "Namespaced",
                             "names": {"kind": "Thing", "plural": "things"},
                             "versions": [{
                                 "name": "v1", "served": True, "storage": True,
                                 "schema": {"openAPIV3Schema": {
                                     "type": "object"}}}]}}),
        tfjob("beside", "print('ran')"))))
    code, text = finished("run", job)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "[worker-0] ran")
    warnings = [line for line in text.split("\n") if "left out" in line]
    equal(len(warnings), 2, text)
    contains(warnings[0], f"Warning: {job}:6: Deployment web is left out: ")
    contains(warnings[1], f"Warning: {job}:1: LocalQueue queue is left out: ")
    contains(warnings[1], "the kind LocalQueue of kueue.x-k8s.io/v1beta1")


def suspended(folder):
    """of a job that nothing here resumes the first lines say so"""
    job = folder.write("suspended.yaml", tfjob("suspended", "pass",
                                               suspend=True))
    with Program("run", job) as program:
        program.await_line("Warning: TFJob suspended is suspended, and nothing "
                           "here resumes it")
        program.await_line("TFJob suspended: Suspended")
        equal(interrupted(program), 130, "exit code")


def generated_name(folder):
    """a job and what it needs may have a generateName"""
    job = folder.write("generated.yaml", "apiVersion: v1\nkind: ConfigMap\n"
                       "metadata: {generateName: words-}\n---\n"
                       + tfjob("sample-", "print('ran')").replace(
                           '"name": "sample-"', '"generateName": "sample-"'))
    code, text = finished("run", job)
    equal(code, 0, "exit code of\n" + text)
    suffix = "[bcdfghjklmnpqrstvwxz2456789]{5}"
    for line in (f"TFJob (sample-{suffix}) is named by generateName sample-",
                 f"ConfigMap words-{suffix} is named by generateName words-",
                 f"TFJob default/sample-{suffix} succeeded"):
        equal(bool(re.search(line, text)), True, line + " in\n" + text)


def misspelt(folder):
    """a wrong field or value is refused with its line, and the right name"""
    for right, wrong, line, part in (
            ("replicas: 1", "replica: 1", 8,
             "unknown field spec.tfReplicaSpecs.Worker.replica; did you mean "
             "spec.tfReplicaSpecs.Worker.replicas?"),
            ("command", "comand", 15,
             "did you mean spec.tfReplicaSpecs.Worker.template.spec."
             "containers[0].command?"),
            ("replicas: 1", "replicas: 1\n      runPolicy: {}", 9,
             "unknown field spec.tfReplicaSpecs.Worker.runPolicy"),
            ("tfReplicaSpecs:", "cleanPodPolicy: All\n  tfReplicaSpecs:", 6,
             "did you mean spec.runPolicy.cleanPodPolicy?"),
            ("Never", "Sometimes", 9, "Sometimes"),
            ("replicas: 1", "replicas: two", 8, "must be of type integer")):
        job = folder.write("typo.yaml", MANIFEST.replace(right, wrong, 1))
        code, text = finished("run", job)
        equal((wrong, code), (wrong, 2), "exit code of\n" + text)
        contains(text, f"{job}:{line}: ")
        contains(text, part)


def directory(folder):
    """a directory stands for the manifests in it"""
    where = os.path.join(folder.path, "manifests")
    os.mkdir(where)
    folder.write("manifests/README.md", "not a manifest")
    folder.write("manifests/config.yml", "apiVersion: v1\nkind: ConfigMap\n"
                                         "metadata: {name: c}\n")
    folder.write("manifests/job.yaml", MANIFEST)
    code, text = finished("run", where)
    equal(code, 0, "exit code")
    contains(text, "TFJob default/typo succeeded")
    folder.write("manifests/kustomization.yaml", "resources: [job.yaml]\n")
    code, text = finished("run", where)
    equal(code, 2, "exit code of\n" + text)
    contains(text, f"write -k {where} to run what it makes")


def several(folder):
    """--all runs several jobs at once; without it they are refused"""
    jobs = folder.write("jobs.yaml", "\n---\n".join(
        tfjob(name, f"print('I am'); raise SystemExit({code})")
        for name, code in (("first", 0), ("second", 3))))
    code, text = finished("run", jobs)
    equal(code, 2, "exit code")
    contains(text, "there are 2 jobs in what was given")
    contains(text, "--all")
    code, text = finished("run", "--all", jobs)
    equal(code, 1, "exit code of\n" + text)
    contains(text, "[first/worker-0] I am")
    contains(text, "[second/worker-0] I am")
    contains(text, "TFJob default/first succeeded")
    contains(text, "TFJob default/second failed")


def several_stopped(folder):
    """Ctrl-C ends all jobs that run"""
    mark = os.path.join(folder.path, "several")
    jobs = folder.write("jobs.yaml", "\n---\n".join(
        tfjob(name, FOREVER.format(mark)) for name in ("first", "second")))
    with Program("run", "--all", jobs) as program:
        for name in "first", "second":
            program.await_line(rf"\[{name}/worker-0\] begun")
        equal(interrupted(program), 130, "exit code")
    equal(processes_with(mark), [], "processes")


def kustomized(folder):
    """-k takes what kubectl makes of a directory, and its errors"""
    programs = os.path.join(folder.path, "programs")
    os.mkdir(programs)
    folder.write("job.yaml", MANIFEST)
    kubectl = folder.write("programs/kubectl", "#!/bin/sh\n"
                           '[ "$1 $2" = "kustomize good" ] || exit 1\n'
                           f"exec cat {folder.path}/job.yaml\n")
    os.chmod(kubectl, 0o755)
    found = {"PATH": programs + ":" + os.environ["PATH"]}
    also = folder.write("map.yaml", "apiVersion: v1\nkind: ConfigMap\n"
                                    "metadata: {name: also}\n")
    code, text = finished("run", "-k", "good", also, env=found)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "TFJob default/typo succeeded")
    code, text = finished("run", "-k", "bad", env=found)
    equal(code, 2, "exit code")
    contains(text, "-k bad: kubectl failed with code 1")
    ignoring = ("import os, signal, sys\n"
                "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                "os.execv(sys.argv[1], sys.argv[1:])")
    done = subprocess.run([sys.executable, "-c", ignoring, TROUPE, "run", "-k",
                           "bad"], env={**os.environ, **found}, timeout=LIMIT,
                          check=False, capture_output=True, text=True)
    contains(done.stderr, "-k bad: kubectl failed with code 1")
    code, text = finished("run", "-k", "good", env={"PATH": "/nonexistent"})
    equal(code, 2, "exit code")
    contains(text, "neither kubectl nor kustomize")


CASES = [supported, deprecated, elsewhere, refused, piped, left_out, suspended,
         generated_name, misspelt, directory, several, several_stopped,
         kustomized]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
