#!/usr/bin/python3
"""`troupe up`, and `troupe operator`, `explain` and `top` beside it."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import yaml

from troupe import (Folder, LIMIT, Program, TROUPE, finished, http, tfjob,
                    wait_until)

from checks import contains, equal, run  # of ../cluster
from control_plane.client import Client
from jobs.kinds import PYTORCH
from process import free_port  # of ../cluster

JOBS = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"
PODS = "/api/v1/namespaces/default/pods"
QUIET = ("--health-probe-bind-address", "127.0.0.1:0",
         "--metrics-bind-address", "127.0.0.1:0",
         "--admin-bind-address", "127.0.0.1:0",
         "--di-server-bind-address", "127.0.0.1:0")


class Up(Program):
    """`troupe up` with its addresses read."""

    def __init__(self, *args, **more):
        super().__init__("up", "--admin-bind-address", "127.0.0.1:0", *args,
                         **more)

    def __enter__(self):
        self.server = self.await_line(r"API server: (https\S+)")[1]
        self.kubeconfig = self.await_line(r"^export KUBECONFIG=(.*)")[1]
        self.api = Client(self.kubeconfig)
        admin = [m for line in self.lines
                 if (m := re.search(r"Admin: +(http\S+)", line))]
        self.admin = admin[0][1] if admin else None
        return self

    def ask(self, *args):
        """(status, decoded JSON or text)."""
        status, text = self.api.text(*args)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode()

    def get(self, path):
        return self.ask("GET", path)[1]

    def create(self, job):
        status, answer = self.ask("POST", JOBS, json.loads(job))
        equal(status, 201, f"creating: {answer}")

    def conditions(self, name):
        status = self.get(f"{JOBS}/{name}").get("status") or {}
        return [c["type"] for c in status.get("conditions") or []
                if c["status"] == "True"]

    def await_condition(self, name, wanted):
        wait_until(f"{name} to be {wanted}",
                   lambda: wanted in self.conditions(name))


def lifetime(_):
    """a job applied over HTTP runs; its log can be read; it explains itself"""
    with Up() as up:
        up.create(tfjob("alive", "print('here I am')"))
        up.await_condition("alive", "Succeeded")
        contains(up.get(f"{PODS}/alive-worker-0/log"), "here I am")
        code, text = finished("explain", "alive", "--admin", up.admin)
        equal(code, 0, "exit code of explain\n" + text)
        contains(text, "TFJob default/alive: has succeeded")
        contains(text, "Worker     1 wanted, 1 there, 1 succeeded")
        contains(text, "alive-worker-0           Succeeded with exit code 0")
        equal("{" in text, False, "JSON in explain\n" + text)
        code, text = finished("explain", "alive", "--admin", up.admin,
                              "-o", "json")
        equal(json.loads(text)["summary"], "has succeeded", "as JSON")
        code, text = finished("top", "--admin", up.admin)
        equal(code, 0, "exit code of top\n" + text)
        contains(text, "1 job, 0 not finished")
        contains(text, "default/alive  TFJob  0/1")
        contains(text, "podautoscalers")
        code, text = finished("explain", "team/nobody", "--admin", up.admin)
        equal(code, 1, "exit code for a job that is not there")
        contains(text, "no job team/nobody")
        code, text = finished("explain", "mpijob/alive", "--admin", up.admin)
        equal(code, 1, "exit code for a job of another kind")
        contains(text, "no job default/alive of kind MPIJob")


def warned(_):
    """a deprecated field is a warning, as from the operator's webhooks"""
    job = PYTORCH.manifest("old", elasticPolicy={"nProcPerNode": 2})
    with Up("--no-node") as up:
        link = up.api.connection()
        link.request("POST", JOBS.replace("tfjobs", "pytorchjobs"),
                     json.dumps(job),
                     {**up.api.headers, "Content-Type": "application/json"})
        answer = link.getresponse()
        equal(answer.status, 201, answer.read())
        equal(answer.getheader("Warning"),
              '299 - "spec.elasticPolicy.nProcPerNode is deprecated, use '
              'spec.nprocPerNode instead"')


def converted(_):
    """a DIJob reads in both versions; what would be lost is refused"""
    group = "diengine.opendilab.org"
    template = {"spec": {"containers": [{"name": "di-container",
                                         "image": "x"}]}}
    made = {"v1alpha1": {"coordinator": {"template": template}},
            "v2alpha1": {"tasks": [{"type": "learner", "template": template}]}}
    with Up("--no-node") as up:
        path = {v: f"/apis/{group}/{v}/namespaces/default/dijobs"
                for v in made}
        for version, spec in made.items():
            (other,) = set(made) - {version}
            status, job = up.ask("POST", path[version], {
                "apiVersion": f"{group}/{version}", "kind": "DIJob",
                "metadata": {"name": "in-" + version}, "spec": spec})
            equal(status, 201, job)
            view = up.get(f"{path[other]}/in-{version}")
            equal(view["metadata"]["labels"], {
                group + "/converted-from": version})
            equal("coordinator" in view["spec"], False)
            equal(view["spec"].get("tasks", []), [])
            status, view = up.ask(
                "PATCH", f"{path[other]}/in-{version}",
                {"metadata": {"labels": {"new": "label"}}},
                "application/merge-patch+json")
            equal(status, 200, view)
            again = up.get(f"{path[version]}/in-{version}")
            equal(again["metadata"]["labels"], {"new": "label"})
            equal(again["spec"], job["spec"])
            status, refusal = up.ask(
                "PATCH", f"{path[other]}/in-{version}",
                {"spec": made[other]}, "application/merge-patch+json")
            equal(status >= 400, True, refusal)
            contains(refusal["message"], "the job was made as " + group)
        equal(len(up.get(path["v2alpha1"])["items"]), 2)


def cleaned(_):
    """SIGTERM ends it with 0, within 10 s, and takes the kubeconfig away"""
    with Up() as up:
        equal(os.path.exists(up.kubeconfig), True, "the kubeconfig exists")
        up.signal(signal.SIGTERM)
        begin = time.monotonic()
        equal(up.end(), 0, "exit code")
        if time.monotonic() - begin > 10:
            raise AssertionError("it took longer than 10 s")
    equal(os.path.exists(up.kubeconfig), False, "the kubeconfig exists")


def port_in_use(_):
    """a port in use is named, for every address, and ends with 1"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        for flag in ("--listen", "--admin-bind-address",
                     "--metrics-bind-address", "--health-probe-bind-address"):
            code, text = finished("up", "--no-node", flag, address)
            equal((flag, code), (flag, 1), "exit code of\n" + text)
            contains(text, address.split(":")[1])


def bad_settings(folder):
    """invalid settings: the message names the fix, exit code 2"""
    typo = folder.write("typo.yaml", "gateways: 1\nkube-api-qbs: 5\n")
    for args, part in (
            (("--config", typo), "typo.yaml:2: unknown key kube-api-qbs; did "
                                 "you mean kube-api-qps?"),
            (("--config", "/nonexistent"), "/nonexistent: cannot be read"),
            (("--gateways", "0"), "gateways is 0; choose from 1 to 64"),
            (("--gateways", "x"), "must be an integer"),
            (("--enable-scheme", "FooJob"),
             "scheme FooJob is not supported yet"),
            (("--admin-bind-address", ":8082"),
             "name admin-token-file, admin-tls-cert-file, admin-tls-key-file"),
            (("--gpu-alloc-policy", "best"),
             "gpu-alloc-policy is \"best\"; choose one of simple"),
            (("--nonsense",), "--nonsense"),
            (("--kubeconfig", "/nonexistent"), "/nonexistent")):
        code, text = finished("operator", *args)
        equal((args, code), (args, 2), "exit code of\n" + text)
        contains(text, part)


def bad_kubeconfig(folder):
    """a kubeconfig that says nothing is named"""
    empty = folder.write("empty.kubeconfig", "apiVersion: v1\nkind: Config\n")
    code, text = finished("operator", "--kubeconfig", empty, *QUIET)
    equal(code, 2, "exit code")
    contains(text, "empty.kubeconfig")


def apart(_):
    """`operator` looks after the jobs of `up --no-operator`"""
    with Up("--no-operator", "--no-node") as up:
        health = free_port()
        quiet = list(QUIET)
        quiet[1] = f"127.0.0.1:{health}"
        with Program("operator", "--kubeconfig", up.kubeconfig,
                     *quiet) as operator:
            wait_until("the operator to be ready", lambda: ready(health))
            up.create(tfjob("apart", "pass", workers=2))
            wait_until("two pods",
                       lambda: len(up.get(PODS)["items"]) == 2)
            up.await_condition("apart", "Created")
            operator.signal(signal.SIGTERM)
            begin = time.monotonic()
            equal(operator.end(), 0, "exit code")
            if time.monotonic() - begin > 5:
                raise AssertionError("it took longer than 5 s")


def ready(port):
    try:
        return http("GET", f"http://127.0.0.1:{port}/readyz")[0] == 200
    except OSError:
        return False


def driven(folder):
    """`run --kubeconfig` drives a cluster that is somewhere else"""
    good = folder.write("good.yaml", tfjob("good", "print('over there')"))
    bad = folder.write("bad.yaml", tfjob("bad", "raise SystemExit(4)"))
    slow = folder.write("slow.yaml", tfjob(
        "slow", "import time; print('begun'); time.sleep(600)"))
    with Up() as up:
        code, text = finished("run", "--kubeconfig", up.kubeconfig, good)
        equal(code, 0, "exit code of\n" + text)
        contains(text, "[worker-0] over there")
        code, text = finished("run", "--kubeconfig", up.kubeconfig, good)
        equal(code, 2, "exit code for a job that is there already\n" + text)
        contains(text, "delete it first")
        code, text = finished("run", "--kubeconfig", up.kubeconfig, bad)
        equal(code, 1, "exit code of\n" + text)
        contains(text, "bad-worker-0: Failed, exit code 4")
        equal("bad" in str(up.get(JOBS)), True, "the job that failed stays")
        with Program("run", "--kubeconfig", up.kubeconfig, slow) as program:
            program.await_line("begun")
            program.signal(signal.SIGINT)
            equal(program.end(), 130, "exit code")
        equal(up.get(f"{JOBS}/slow").get("code"), 404, "the job stopped")


def remote(folder):
    """an https address: its authority, and the token that it asks for"""
    with Up() as up:
        with open(up.kubeconfig) as file:
            config = yaml.safe_load(file)
        token = folder.write("token", config["users"][0]["user"]["token"])
        authority = folder.write("ca.crt", base64.b64decode(
            config["clusters"][0]["cluster"]["certificate-authority-data"]
        ).decode())
        # (The API server has no such page; who comes so far was let in.)
        for flags, part in (
                ((), "certificate"),
                (("--admin-ca-file", authority), "bearer token"),
                (("--admin-ca-file", authority, "--admin-token-file", token),
                 "could not find the requested resource"),
                (("--admin-token-file", "/nonexistent"),
                 "--admin-token-file: /nonexistent")):
            code, text = finished("top", "--admin", up.server, *flags)
            equal(code, 1, "exit code\n" + text)
            contains(text, part)


def plugin(folder):
    """as kubectl's plugin it is called by two words, and does the same"""
    link = os.path.join(folder.path, "kubectl-troupe")
    os.symlink(TROUPE, link)
    with Up() as up:
        up.create(tfjob("plugged", "print('in')"))
        up.await_condition("plugged", "Succeeded")
        for name in (TROUPE, link):
            done = subprocess.run(
                [name, "explain", "tfjob/plugged", "-n", "default", "--admin",
                 up.admin], capture_output=True, text=True, timeout=LIMIT)
            equal(done.returncode, 0, done.stderr)
            contains(done.stdout, "TFJob default/plugged: has succeeded")
    done = subprocess.run([link, "explain", "--help"], capture_output=True,
                          text=True, timeout=LIMIT)
    contains(done.stdout, "kubectl troupe explain ")


def unreachable(folder):
    """a server that is not there: the message has its address"""
    port = free_port()
    nowhere = folder.write("nowhere.kubeconfig", json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "x", "cluster": {
            "server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "x", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "x",
                                               "user": "x"}}]}))
    job = folder.write("job.yaml", tfjob("job", "pass"))
    code, text = finished("run", "--kubeconfig", nowhere, job)
    equal(code, 2, "exit code of\n" + text)
    contains(text, str(port))
    code, text = finished("top", "--admin", f"http://127.0.0.1:{port}")
    equal(code, 1, "exit code of top")
    contains(text, "--admin URL")


def words(_):
    """help and version are no errors; nonsense is"""
    for args, want, part in (
            (("version",), 0, "troupe 0."),
            (("--help",), 0, "explain"),
            (("operator", "--help"), 0, "--kube-api-qps"),
            (("run", "--help"), 0, "Exit codes"),
            (("nonsense",), 2, "unknown command nonsense")):
        code, text = finished(*args, seconds=LIMIT)
        equal((args, code), (args, want), "exit code of\n" + text)
        contains(text, part)


CASES = [words, lifetime, warned, converted, cleaned, port_in_use,
         bad_settings, bad_kubeconfig, apart, driven, remote, plugin,
         unreachable]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
