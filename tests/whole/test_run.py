#!/usr/bin/python3
"""`troupe run`: from a manifest to an exit code."""

import json
import os
import re
import signal
import subprocess
import sys

from troupe import (LIMIT, TROUPE, Folder, Program, finished, interrupted,
                    processes_with, tfjob, wait_until)

from checks import contains, equal, run  # of ../cluster

FOREVER = "import time\nprint('begun')\nwhile True: time.sleep(1)  # {}"


def good(folder):
    """a job that succeeds ends with 0 and leaves nothing"""
    job = folder.write("good.yaml", tfjob("good", "print('hello')", 2))
    with Program("run", job) as program:
        logs = program.await_line(r"Logs: +(\S+)")[1]
        equal(program.end(), 0, "exit code")
        contains(program.text(), "[worker-0] hello")
        contains(program.text(), "[worker-1] hello")
        contains(program.text(), "No image is pulled")
    equal(os.path.exists(logs), False, "the run's directory exists")


def kept(folder):
    """--keep keeps the logs of a success"""
    job = folder.write("kept.yaml", tfjob("kept", "print('hello')"))
    where = os.path.join(folder.path, "run")
    code, _ = finished("run", "--keep", "--run-dir", where, job)
    equal(code, 0, "exit code")
    equal(os.path.isdir(where), True, "the run's directory exists")


def failing(folder):
    """a job that fails ends with 1, and prints who, why and the last lines of its log"""
    job = folder.write("failing.yaml", tfjob(
        "failing", "import sys; print('oh no'); sys.exit(3)"))
    code, text = finished("run", job)
    equal(code, 1, "exit code")
    last = text[text.index("TFJob default/failing failed"):]
    contains(last, "failing-worker-0: Failed, exit code 3")
    contains(last, "| oh no")
    contains(last, "Whole logs: ")


def lost_program(folder):
    """a program that does not exist is an error: exit code 1"""
    job = folder.write("lost.yaml", tfjob(
        "lost", "", command=["no-such-program-anywhere"]))
    code, text = finished("run", job)
    equal(code, 1, "exit code")
    contains(text, "no-such-program-anywhere")


def quiet(folder):
    """--logs none shows none, but the last lines of a failed pod"""
    job = folder.write("quiet.yaml", tfjob("quiet", "print('hello')"))
    code, text = finished("run", "--logs", "none", job)
    equal(code, 0, "exit code")
    equal("hello" in text, False, "a log is shown")


def one_type(folder):
    """--logs TYPE shows that type only, in any case of letters"""
    job = folder.write("typed.yaml", tfjob("typed", "print('hello')", ps=1))
    code, text = finished("run", "--logs", "worker", job)
    equal(code, 0, "exit code")
    contains(text, "[worker-0] hello")
    equal("[ps-0]" in text, False, "the other log is shown")


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


MANIFEST = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: typo
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
          - name: tensorflow
            image: none
            command: ["true"]
"""


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


def states(folder):
    """a line that overwrites itself is shown in its last state, uncoloured"""
    job = folder.write("states.yaml", tfjob(
        "states", r"print(' 10%\r100%'); print('\033[31mred\033[0m')"))
    code, text = finished("run", "--timestamps", job)
    equal(code, 0, "exit code")
    lines = text.split("\n")
    for said in ("100%", "red"):
        equal([bool(re.fullmatch(r"\[worker-0\] \d{4}-\S+Z " + said, line))
               for line in lines].count(True), 1, text)


BAR = r"""
import time
for i in range(%d):
    print(f'\r{i}%%|###', end='', flush=True)
    time.sleep(0.05)
print('\rfull', flush=True)
"""


def moving(folder):
    """in a pipe a line that overwrites itself is shown once a second"""
    job = folder.write("moving.yaml", tfjob("moving", BAR % 60, workers=2))
    code, text = finished("run", job)
    equal(code, 0, "exit code of\n" + text)
    for worker in 0, 1:
        states = re.findall(rf"\[worker-{worker}\] (.*)", text)
        equal(states[-1], "full", text)
        # Three seconds, or more on a machine that is slow.
        equal(2 <= len(states) <= 20, True, text)
        equal(all(re.fullmatch(r"\d+%\|###", s) for s in states[:-1]), True,
              text)
    code, text = finished("run", "--output", "json", job)
    logs = [line for line in map(json.loads, text.strip().split("\n"))
            if line["type"] == "log"]
    equal([line["line"] for line in logs if not line.get("unfinished")],
          ["full", "full"], text)
    equal(any(line.get("unfinished") for line in logs), True, text)


def for_programs(folder):
    """--output json is an object in each line, the result last"""
    job = folder.write("json.yaml", tfjob(
        "json", "print('said'); raise SystemExit(4)"))
    code, text = finished("run", "--output", "json", job)
    equal(code, 1, text)
    lines = [json.loads(line) for line in text.strip().split("\n")]
    equal({"message", "job", "replica", "log", "result"}
          - {line["type"] for line in lines}, set())
    equal([line["line"] for line in lines if line["type"] == "log"], ["said"])
    equal([line["type"] for line in lines].index("result"), len(lines) - 1)
    equal((lines[-1]["verdict"], lines[-1]["exitCode"]), ("failed", 1))
    equal(lines[-1]["failures"][0]["exitCode"], 4)
    equal(lines[-1]["failures"][0]["lastLines"], ["said"])


def ended_with_the_job(folder):
    """a parameter server that the success ends is stopped, it did not fail"""
    job = folder.write("ps.yaml", tfjob(
        "ps", "import os, time\nprint('begun', flush=True)\n"
              "time.sleep(600 if '\"ps\"' in os.environ['TF_CONFIG']"
              ".split('task')[1] else 1)", ps=1))
    code, text = finished("run", job)
    equal(code, 0, text)
    equal("Failed" in text, False, text)


def cannot_start(folder):
    """what can never start here is told once, with its cause, and given up"""
    for right, wrong, cause in (
            ('            command: ["true"]\n', "", "has no command"),
            ('"true"', '"no-such-program"', "not found in $PATH")):
        job = folder.write("cannot.yaml", MANIFEST.replace(
            right, wrong).replace("Never", "OnFailure"))
        code, text = finished("run", job)
        equal(code, 1, text)
        contains(text, "Giving up: ")
        verdict = text[text.index("TFJob default/typo cannot run as it is"):]
        contains(verdict, cause)


def stopped(folder):
    """Ctrl-C deletes the job, ends every process, and ends with 130"""
    mark = f"mark-{os.getpid()}-stopped"
    job = folder.write("stopped.yaml", tfjob(
        "stopped", FOREVER.format(mark), workers=2))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.await_line(r"\[worker-1\] begun")
        equal(interrupted(program), 130, "exit code")
    wait_until("the processes to be gone", lambda: not processes_with(mark))


def stopped_twice(folder):
    """a second Ctrl-C ends at once what does not want to end"""
    mark = f"mark-{os.getpid()}-twice"
    stubborn = ("import signal\nsignal.signal(signal.SIGTERM, "
                "signal.SIG_IGN)\n" + FOREVER.format(mark))
    job = folder.write("twice.yaml", tfjob("twice", stubborn))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.signal(signal.SIGINT)
        program.await_line("Stopping")
        equal(interrupted(program), 130, "exit code")
    wait_until("the process to be gone", lambda: not processes_with(mark))


def killed(folder):
    """SIGKILL leaves no process behind; the next run removes its directory"""
    mark = f"mark-{os.getpid()}-killed"
    job = folder.write("killed.yaml", tfjob("killed", FOREVER.format(mark)))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        logs = program.await_line(r"Logs: +(\S+)")[1]
        program.child.kill()
        program.child.wait()
    wait_until("the process to be gone", lambda: not processes_with(mark))
    equal(os.path.exists(logs), True, "the run's directory exists")
    finished("run", folder.write("next.yaml", MANIFEST))
    equal(os.path.exists(logs), False, "it exists after another run")


def out_of_time(folder):
    """--timeout deletes the job and ends with 124"""
    mark = f"mark-{os.getpid()}-late"
    job = folder.write("late.yaml", tfjob("late", FOREVER.format(mark)))
    code, text = finished("run", "--timeout", "2s", job)
    equal(code, 124, "exit code")
    contains(text, "Not done within 2s")
    wait_until("the process to be gone", lambda: not processes_with(mark))


def drawn(folder):
    """--timeline draws what has happened; a path that cannot be written is told
    before anything runs"""
    job = folder.write("drawn.yaml", tfjob("drawn", "print('seen')"))
    page = os.path.join(folder.path, "drawn.html")
    code, text = finished("run", "--timeline", page, job)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "Timeline: " + page)
    with open(page) as file:
        drawing = file.read()
    for part in ("<h1>TFJob drawn: Succeeded</h1>", ">worker-0</text>",
                 'class="Running"'):
        contains(drawing, part)
    code, text = finished("run", "--timeline", "/nowhere/at.html", job)
    equal(code, 2, "exit code")
    contains(text, "--timeline /nowhere/at.html: No such file or directory")
    equal("seen" in text, False, text)


CASES = [good, kept, failing, lost_program, quiet, one_type, supported,
         deprecated, elsewhere, refused, piped, left_out, suspended, generated_name,
         misspelt, directory, several, several_stopped, kustomized, states,
         moving, for_programs, drawn, cannot_start, ended_with_the_job, stopped,
         stopped_twice, killed, out_of_time]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
