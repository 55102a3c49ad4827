#!/usr/bin/python3
"""A real kubectl with the kubeconfig that `troupe up` writes."""

import json
import os
import subprocess
import sys

import yaml

from test_up import Up
from troupe import Folder, tfjob, wait_until

import assets  # of ../cluster
from checks import contains, equal, run  # of ../cluster


class WithKubectl(Folder):
    def __enter__(self):
        self.program = assets.kubectl()
        return super().__enter__()


def by_kubectl(folder):
    """kubectl works with the kubeconfig, and not without its token"""
    job = folder.write("apply.yaml", tfjob("apply", "print('by kubectl')"))

    def ask(config, *args):
        done = subprocess.run(
            [folder.program, *args], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            env={**os.environ, "KUBECONFIG": config, "HOME": folder.path})
        return done.returncode, done.stdout

    with Up() as up:
        code, text = ask(up.kubeconfig, "apply", "-f", job)
        equal(code, 0, "exit code of\n" + text)
        up.await_condition("apply", "Succeeded")
        for args, part in ((("get", "tfjobs"), "apply"),
                           (("logs", "apply-worker-0"), "by kubectl"),
                           (("get", "pods", "-w", "--request-timeout=2s"),
                            "apply-worker-0"),
                           (("delete", "tfjob", "apply"), "deleted")):
            code, text = ask(up.kubeconfig, *args)
            equal(args[-1].endswith("=2s") or code == 0, True,
                  f"exit code of {args}:\n{text}")
            contains(text, part)
        with open(up.kubeconfig) as file:
            config = yaml.safe_load(file)
        config["users"][0]["user"] = {"token": "wrong"}
        code, text = ask(folder.write("wrong.kubeconfig", json.dumps(config)),
                         "get", "pods")
        equal(code != 0, True, "exit code with a wrong token")
        contains(text, "logged in")


def jobs_by_kubectl(folder):
    """kubectl makes a Job of Kubernetes itself, waits for it, and shows it"""
    def ask(up, *args):
        done = subprocess.run(
            [folder.program, *args], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90,
            env={**os.environ, "KUBECONFIG": up.kubeconfig,
                 "HOME": folder.path})
        equal(done.returncode, 0, f"exit code of {args}:\n{done.stdout}")
        return done.stdout

    with Up() as up:
        ask(up, "create", "job", "hello", "--image=any", "--",
            "python3", "-c", "print('from a Job')")
        ask(up, "wait", "--for=condition=complete", "job/hello",
            "--timeout=60s")
        contains(ask(up, "logs", "job/hello"), "from a Job")
        head, row = ask(up, "get", "jobs").splitlines()
        equal(head.split(),
              ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"], "columns")
        equal(row.split()[:3], ["hello", "Complete", "1/1"], "row")
        contains(ask(up, "describe", "job", "hello"), "Completed")
        ask(up, "delete", "job", "hello")
        wait_until("its pods to go", lambda: "No resources found" in ask(
            up, "get", "pods"))


CASES = [by_kubectl, jobs_by_kubectl]

if __name__ == "__main__":
    sys.exit(run(CASES, WithKubectl, *sys.argv[1:2]))
