#!/usr/bin/python3
"""`troupe up --data`: what is kept, whatever ends the program."""

import json
import os
import random
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


def damaged(folder):
    """whatever a disk does to the objects, it starts, and says what is lost"""
    data = directory(folder, "damaged")
    flags = ("--data", data, "--node", "simulated",
             "--simulated-run-time", "1s")
    file = os.path.join(data, "objects.db")
    with Up(*flags) as up:
        for number in range(20):
            equal(up.ask("POST", JOBS, json.loads(
                tfjob(f"job-{number}", "", 2)))[0], 201)
        wait_until("all jobs to succeed", lambda: all(
            is_succeeded(job) for job in up.ask("GET", JOBS)[1]["items"]))
    with open(file, "rb") as whole:
        kept = whole.read()
    for seed in range(6):
        for old in os.listdir(data):
            if old.startswith("objects.db"):
                os.remove(os.path.join(data, old))
        bad, chosen = bytearray(kept), random.Random(seed)
        for _ in range(8):
            bad[chosen.randrange(100, len(bad))] ^= chosen.randrange(1, 256)
        with open(file, "wb") as broken:
            broken.write(bad)
        with Up(*flags) as up:
            status, jobs = up.ask("GET", JOBS)
            equal(status, 200, jobs)
            pods = up.ask("GET", PODS)[1]["items"]
            if len(jobs["items"]) < 20 or len(pods) < 40:
                wait_until("it to say so", lambda: any(
                    "damaged" in line for line in up.lines))
            up.create(tfjob("fresh", "", 1))
            up.await_condition("fresh", "Succeeded")


CASES = [killed_in_the_middle, lost_programs, in_use, damaged]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
