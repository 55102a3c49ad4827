#!/usr/bin/python3
"""Jobs with a policy on failures on a laptop: `troupe run` and `troupe up`.

    test_recovery.py PART    cases whose function has PART in its name
"""

import json
import os
import sys

from isolations import usable_isolations
from test_up import JOBS, Up
from troupe import Folder, Program, finished, http, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster
from jobs.kinds import KINDS
from jobs.mpi_ssh import MPI_SSH

WHOLE = {"restartScope": "Job", "maxRestarts": 3}
# Worker 0 of the first attempt fails, and nobody else ends in that.
FAILS_ONCE = """
import os, time
if os.environ["TRAINING_RESTART_ATTEMPT"] == "0":
    if os.environ["HOSTNAME"].endswith("worker-0"):
        raise SystemExit(9)
    time.sleep(600)
"""
FOREVER = "import time; time.sleep(600)"
# The launcher of an MPIJob waits for workers that run.
WAITS_FOR_ITS_RANKS = """
elif "worker" in os.environ["HOSTNAME"]:
    time.sleep(600)
"""


def by_number(programs):
    """Worker N does what programs[N] says."""
    return ("import os\nexec(" + repr(programs)
            + "[int(os.environ['HOSTNAME'].rsplit('-', 1)[1])])")


def path_of(kind, job=""):
    path = f"{kind.group}/namespaces/default/{kind.plural}"
    return f"{path}/{job}" if job else path


def status_of(up, name):
    return up.get(f"{JOBS}/{name}").get("status") or {}


def pods_of(up, name):
    """name -> pod."""
    return {p["metadata"]["name"]: p for p in up.get(
        "/api/v1/namespaces/default/pods?labelSelector=training.kubeflow.org/"
        f"job-name%3D{name}")["items"]}


def report_of(up, name):
    return http("GET", f"{up.admin}/admin/v1/jobs/default/TFJob/{name}")[1]


# -- cases --------------------------------------------------------------------

def told(folder):
    """run tells a restart once, what comes next, and when all run again"""
    job = folder.write("ddp.yaml", tfjob(
        "ddp", FAILS_ONCE + "time.sleep(2)", 2, failurePolicy=WHOLE))
    with Program("run", job) as program:
        program.await_line(r"Restarting \(job ddp is restarting \(attempt 1\) "
                           r"because pod ddp-worker-0 on node \S+ failed with "
                           r"exit code 9 \(Error\)\)")
        program.await_line("all pods stop, then start again as attempt 1 "
                           r"\(1 of at most 3 restarts\)")
        program.await_line("attempt 1 runs, .* after the failure")
        equal(program.end(), 0, program.text())
        equal(program.text().count("is restarting (attempt 1)"), 1,
              program.text())


def told_alone(folder):
    """run tells that a pod alone is made again, and when it runs"""
    flag = os.path.join(folder.path, "failed")
    job = json.loads(tfjob("one", f"""
import os, time
if os.environ["HOSTNAME"].endswith("worker-1") and not os.path.exists({flag!r}):
    open({flag!r}, "w").close()
    raise SystemExit(9)
time.sleep(2)
""", 2, failurePolicy={"rules": [
        {"action": "RestartPod",
         "onExitCodes": {"operator": "In", "values": [9]}}]}))
    job["spec"]["runPolicy"]["backoffLimit"] = 3
    with Program("run", "--isolation", "none", folder.write(
            "one.yaml", json.dumps(job))) as program:
        program.await_line("the pods that failed are made again, the others "
                           r"go on \(1 of at most 3 restarts\)")
        program.await_line("TFJob one: one-worker-1 runs again, .* after its "
                           "failure")
        equal(program.end(), 0, program.text())
        contains(program.text(), "one failed pod made again")


def used_up(folder):
    """run ends with 1 when restarts are used up, and says so"""
    job = folder.write("bad.yaml", tfjob("bad", "raise SystemExit(9)", failurePolicy={
        "restartScope": "Job", "maxRestarts": 0}))
    code, text = finished("run", job)
    equal(code, 1, "exit code")
    contains(text, "has failed because it was restarted 0 times")


def every_kind(_):
    """up: each kind is restarted as a whole, and counted once"""
    kinds = [*KINDS, MPI_SSH]
    with Up() as up:
        for kind in kinds:
            name = "of-" + kind.short_name
            job = kind.manifest(name, {"failurePolicy": WHOLE})
            for replica in job["spec"][kind.field].values():
                (container,) = replica["template"]["spec"]["containers"]
                container["command"] = [
                    sys.executable, "-c", FAILS_ONCE + (
                        WAITS_FOR_ITS_RANKS if kind.name == "MPIJob" else "")]
            code, answer = up.ask("POST", path_of(kind), job)
            equal(code, 201, answer)
        for kind in kinds:
            path = path_of(kind, "of-" + kind.short_name)
            try:
                wait_until("the end", lambda: "Succeeded" in str(
                    up.get(path).get("status")))
            except AssertionError as late:
                raise AssertionError(
                    f"{late} of {path}: {up.get(path)}") from None
            status = up.get(path)["status"]
            equal((status["restartAttempt"], status["countedRestarts"],
                   status["lastRestart"]["reason"]), (1, 1, "Error"), kind)


def one_type(folder):
    """up: workers alone are restarted; a rule by an exit code ends it all"""
    flags = [os.path.join(folder.path, name) for name in ("one", "two")]
    program = f"""
import os, time
attempt = int(os.environ["TRAINING_RESTART_ATTEMPT"])
flag = {flags!r}[min(attempt, 1)]
while not (os.environ["HOSTNAME"].endswith("worker-0") and os.path.exists(flag)):
    time.sleep(0.05)
raise SystemExit(42 if attempt else 1)
"""
    job = json.loads(tfjob("types", program, workers=2, ps=1, failurePolicy={
        "restartScope": "ReplicaType", "rules": [
            {"name": "hopeless", "action": "FailJob",
             "onExitCodes": {"operator": "In", "values": [42]}}]}))
    with Up("--isolation", "none") as up:
        up.create(json.dumps(job))
        up.await_condition("types", "Running")
        before = {n: p["metadata"]["uid"] for n, p in
                  pods_of(up, "types").items()}
        open(flags[0], "w").close()
        wait_until("the second attempt", lambda: sorted(
            pods_of(up, "types")) == sorted(before) and all(
            p["status"].get("phase") == "Running" and (
                p["metadata"]["uid"] == before[n]) == (n == "types-ps-0")
            for n, p in pods_of(up, "types").items()))
        open(flags[1], "w").close()
        up.await_condition("types", "Failed")
        contains(str(status_of(up, "types")["conditions"]), "hopeless")


def by_message(_):
    """up: what a program says of its end ends the job, from its file and from
    its log, whatever keeps pods apart"""
    rule = {"restartScope": "Job", "maxRestarts": 3, "rules": [
        {"name": "bad-data", "action": "FailJob",
         "onMessagePattern": "corrupt (shard|record)"}]}
    in_file = ("open('/dev/termination-log', 'w').write('corrupt shard 7')\n"
               "raise SystemExit(1)")
    in_log = "raise ValueError('corrupt record')"
    for isolation in usable_isolations() + ["none"]:
        with Up("--isolation", isolation) as up:
            for name, program, policy in (
                    ("file", in_file, "File"),
                    ("log", in_log, "FallbackToLogsOnError")):
                if (name, isolation) == ("file", "none"):
                    continue
                job = json.loads(tfjob(name, program, failurePolicy=rule))
                for replica in job["spec"]["tfReplicaSpecs"].values():
                    replica["template"]["spec"]["containers"][0][
                        "terminationMessagePolicy"] = policy
                up.create(json.dumps(job))
                up.await_condition(name, "Failed")
                contains(str(status_of(up, name)["conditions"]), "bad-data")
                equal(status_of(up, name).get("restartAttempt", 0), 0)
            # Nobody's message is on the machine.
            equal(os.path.isfile("/dev/termination-log"), False)


def done(folder):
    """up: a worker that has succeeded and is deleted is not made again"""
    end = os.path.join(folder.path, "end")
    waits = (f"import os, time\nwhile not os.path.exists({end!r}): "
             "time.sleep(0.05)")
    with Up("--isolation", "none") as up:
        up.create(tfjob("done", by_number([waits, ""]), 2))

        def completed():
            return status_of(up, "done").get("replicaStatuses", {}).get(
                "Worker", {}).get("completedIndexes")

        wait_until("a success", lambda: completed() == "1")
        up.ask("DELETE", "/api/v1/namespaces/default/pods/done-worker-1")
        wait_until("its end", lambda: sorted(
            pods_of(up, "done")) == ["done-worker-0"])
        open(end, "w").close()
        up.await_condition("done", "Succeeded")
        equal(sorted(pods_of(up, "done")), ["done-worker-0"])
        equal(status_of(up, "done")["replicaStatuses"]["Worker"][
            "succeeded"], 2)


def asleep(_):
    """up: a pod deleted by hand restarts all, uncounted; suspended and resumed,
    the job has the attempt that it had"""
    with Up() as up:
        up.create(tfjob("asleep", FOREVER, 2, failurePolicy=WHOLE))
        up.await_condition("asleep", "Running")
        up.ask("DELETE", "/api/v1/namespaces/default/pods/asleep-worker-1")

        def attempts():
            pods = pods_of(up, "asleep").values()
            return [p["metadata"]["labels"][
                "training.kubeflow.org/restart-attempt"] for p in pods
                if p["status"].get("phase") == "Running"
                and "deletionTimestamp" not in p["metadata"]]

        wait_until("attempt 1", lambda: attempts() == ["1", "1"])
        equal(status_of(up, "asleep").get("countedRestarts"), None)
        for suspend in (True, False):
            up.api.merge(f"{JOBS}/asleep", {"spec": {"runPolicy": {
                "suspend": suspend}}})
            wait_until("what that asks for", lambda: len(attempts()) == (
                0 if suspend else 2))
        equal(attempts(), ["1", "1"])


def wrong(_):
    """up: a policy is told to be wrong where it is written; run refuses it"""
    with Up() as up:
        up.create(tfjob("good", FOREVER, failurePolicy=WHOLE))
        code, answer = up.ask("POST", JOBS, json.loads(tfjob(
            "bad", FOREVER, failurePolicy={"maxRestarts": -1})))
        equal(code >= 400, True, answer)
        contains(str(answer), "spec.runPolicy.failurePolicy.maxRestarts")
        up.await_condition("good", "Running")
        equal(report_of(up, "good").get("policyErrors"), None)


CASES = [told, told_alone, used_up, every_kind, one_type, by_message, done, asleep,
         wrong]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
