#!/usr/bin/python3
"""`troupe up --data`: what is kept, whatever ends the program."""

import json
import os
import signal
import sys

from test_up import Up
from troupe import (Folder, finished, processes_with, tfjob,
                    wait_until)

from checks import contains, equal, run  # of ../cluster

JOBS = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"
PODS = "/api/v1/namespaces/default/pods"
FOREVER = "import time\nwhile True: time.sleep(1)  # {}"


def directory(folder, name):
    return os.path.join(folder.path, name)


def version_of(up):
    return int(up.ask("GET", PODS)[1]["metadata"]["resourceVersion"])


def is_succeeded(job):
    return any(c["type"] == "Succeeded" and c["status"] == "True"
               for c in job.get("status", {}).get("conditions", []))


def killed_in_the_middle(folder):
    """killed while jobs are created: what was answered is there, and goes on"""
    flags = ("--data", directory(folder, "middle"), "--node", "simulated",
             "--simulated-run-time", "1s")
    created = {}
    with Up(*flags) as up:
        for number in range(200):
            job = json.loads(tfjob(f"job-{number}", "", 2))
            code, answer = up.ask("POST", JOBS, job)
            equal(code, 201, answer)
            created[answer["metadata"]["name"]] = answer["metadata"]["uid"]
        version = version_of(up)
        up.child.send_signal(signal.SIGKILL)
        up.child.wait()
    with Up(*flags) as up:
        equal(version_of(up) >= version, True, "versions go on")
        there = {job["metadata"]["name"]: job["metadata"]["uid"]
                 for job in up.ask("GET", JOBS)[1]["items"]}
        equal(there, created)
        wait_until("all jobs to succeed", lambda: all(
            is_succeeded(job) for job in up.ask("GET", JOBS)[1]["items"]))
        pods = up.ask("GET", PODS)[1]["items"]
        equal(sorted(p["metadata"]["name"] for p in pods),
              sorted(f"{job}-worker-{i}" for job in created for i in (0, 1)))


def lost_programs(folder):
    """a pod whose program ended with the node is replaced"""
    mark = f"mark-{os.getpid()}-lost"
    data = directory(folder, "lost")

    def pod(up):
        items = up.ask("GET", PODS)[1]["items"]
        running = [p for p in items if p["status"].get("phase") == "Running"]
        return running[0]["metadata"]["uid"] if running else None

    with Up("--data", data) as up:
        up.ask("POST", JOBS, json.loads(tfjob("lost", FOREVER.format(mark))))
        first = wait_until("the pod to run", lambda: pod(up))
        up.child.send_signal(signal.SIGKILL)
        up.child.wait()
    wait_until("the program to be gone", lambda: not processes_with(mark))
    with Up("--data", data) as up:
        second = wait_until("another pod to run",
                            lambda: (uid := pod(up)) != first and uid)
        equal(first == second, False)
        job = up.ask("GET", JOBS + "/lost")[1]
        equal([c["type"] for c in job["status"]["conditions"]
               if c["status"] == "True" and c["type"] == "Failed"], [])


def in_use(folder):
    """a directory is for one at a time, and for a program that knows it"""
    data = directory(folder, "used")
    with Up("--data", data):
        code, text = finished("up", "--data", data)
        equal(code, 1, text)
        contains(text, "objects.db: another process has it open")
    with open(directory(folder, "file"), "w"):
        code, text = finished("up", "--data", directory(folder, "file"))
        equal(code, 1, text)
        contains(text, directory(folder, "file"))


CASES = [killed_in_the_middle, lost_programs, in_use]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
