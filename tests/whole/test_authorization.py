#!/usr/bin/python3
"""TLS, tokens and roles of `troupe up`, by a real kubectl."""

import base64
import json
import os
import socket
import ssl
import stat
import subprocess
import sys
import urllib.error
import urllib.request

import yaml

from test_up import PODS, Up
from troupe import (Folder, LIMIT, Program, REPOSITORY, finished, tfjob,
                    wait_until)

import assets  # of ../cluster
from checks import contains, equal, run
from process import free_port

ACCOUNT = "system:serviceaccount:default:"
LEASE = "1ca428e5.training-operator.kubeflow.org"
MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
# What a pod does to ask the API server with the token that it has.
ASK = f"""
import json, os, ssl, sys, urllib.error, urllib.request
there = {MOUNT!r}
token = open(there + '/token').read()
tls = ssl.create_default_context(cafile=there + '/ca.crt')
url = 'https://' + os.environ['KUBERNETES_SERVICE_HOST'] + ':' + os.environ[
    'KUBERNETES_SERVICE_PORT']
for path in sys.argv[1:]:
    request = urllib.request.Request(
        url + path, headers={{'Authorization': 'Bearer ' + token}})
    try:
        with urllib.request.urlopen(request, context=tls) as answer:
            print(answer.status, len(json.load(answer)['items']))
    except urllib.error.HTTPError as e:
        print(e.code, json.load(e)['message'])
print('in', open(there + '/namespace').read())
"""


class Access(Folder):
    """kubectl, for whichever `troupe up`."""

    def __init__(self):
        self.program = assets.kubectl()

    def ended(self, up, *args, token=None, text=None):
        """(exit code, output, errors); with another token than the run's."""
        config = up.kubeconfig
        if token is not None:
            with open(config) as file:
                other = yaml.safe_load(file)
            other["users"][0]["user"] = {"token": token}
            config = self.write("other.kubeconfig", json.dumps(other))
        done = subprocess.run(
            [self.program, "--kubeconfig", config, *args], text=True,
            input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=LIMIT * 3, env={**os.environ, "HOME": self.path})
        return done.returncode, done.stdout, done.stderr

    def output(self, up, *args, **more):
        code, out, errors = self.ended(up, *args, **more)
        equal(code, 0, f"exit code of kubectl {args}:\n{out}{errors}")
        return out

    def refusal(self, up, *args, **more):
        code, out, errors = self.ended(up, *args, **more)
        equal(code != 0, True, f"kubectl {args} is refused:\n{out}{errors}")
        return errors

    def token(self, up, account, *args):
        return self.output(up, "create", "token", account, *args).strip()


def config_of(up):
    with open(up.kubeconfig) as file:
        return yaml.safe_load(file)


def authority_of(up):
    cluster = config_of(up)["clusters"][0]["cluster"]
    return base64.b64decode(cluster["certificate-authority-data"]).decode()


def asked(url, authority, token):
    """The status of an answer, by a client that trusts this authority only."""
    tls = ssl.create_default_context(cadata=authority)
    request = urllib.request.Request(
        url, headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request, context=tls, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code


def own_address():
    """An address of this machine other than loopback; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.255", 9))  # Sends nothing.
            return s.getsockname()[0]
        except OSError:
            return None


def from_elsewhere(a):
    """on all addresses it is HTTPS, by every name that the machine has"""
    address = own_address()
    with Up("--listen", "0.0.0.0:0") as up:
        token = config_of(up)["users"][0]["user"]["token"]
        authority = authority_of(up)
        port = up.server.rsplit(":", 1)[1]
        hosts = ["127.0.0.1", "localhost"] + [address] * (address is not None)
        for host in hosts:
            equal(asked(f"https://{host}:{port}/version", authority, token), 200,
                  f"status at {host}")
            equal(asked(f"https://{host}:{port}/version", authority, "wrong"),
                  401, f"status at {host} with a wrong token")
            equal(a.output(up, "--server", f"https://{host}:{port}", "get",
                           "namespaces", "-o", "name").split()[0],
                  "namespace/default")
        with Up() as other:
            try:
                asked(f"{up.server}/version", authority_of(other), token)
                raise AssertionError("another run's authority is accepted")
            except urllib.error.URLError as e:
                contains(str(e), "CERTIFICATE_VERIFY_FAILED")
        contains(a.refusal(up, "get", "pods", token="wrong"), "logged in")
        contains(up.text(), "# Elsewhere:  https://")
        up.create(tfjob("there", "pass"))
        up.await_condition("there", "Succeeded")


def bad_addresses(_):
    """an address that cannot be listened on is named, with what to do"""
    for listen, part in (("192.0.2.77:0", "does not have this address"),
                         ("no-such-host.invalid:0", "no name that is known"),
                         ("127.0.0.1", "there is no port"),
                         ("127.0.0.1:66666", "from 0 to 65535")):
        with Program("up", "--listen", listen) as program:
            equal(program.end(), 1, f"exit code with {listen}")
            contains(program.text(), "cannot listen on")
            contains(program.text(), part)


def kept(a):
    """with --data an old kubeconfig and old tokens are valid after a restart"""
    data = os.path.join(a.path, "data")
    flags = ("--data", data, "--node", "simulated", "--no-operator", "--listen",
             f"127.0.0.1:{free_port()}")
    old = os.path.join(a.path, "old.kubeconfig")
    with Up(*flags) as up:
        account = a.token(up, "default")
        with open(up.kubeconfig) as file, open(old, "w") as copy:
            copy.write(file.read())
    for name in os.listdir(data):
        if not name.startswith("objects.db"):
            equal(stat.S_IMODE(os.stat(os.path.join(data, name)).st_mode),
                  0o600, f"mode of {name}")
    with Up(*flags) as up:
        up.kubeconfig = old
        contains(a.output(up, "get", "namespaces"), "default")
        contains(a.output(up, "auth", "whoami", token=account),
                 ACCOUNT + "default")


def tokens(a):
    """an account's token says who asks, and ends with it"""
    with Up("--node", "simulated", "--no-operator") as up:
        for namespace in ("default", "kube-system"):
            contains(a.output(up, "get", "serviceaccounts", "-n", namespace),
                     "default")
        a.output(up, "create", "namespace", "team")
        contains(a.output(up, "get", "serviceaccounts", "-n", "team"),
                 "default")
        a.output(up, "create", "serviceaccount", "ann")
        token = a.token(up, "ann", "--duration", "20m")
        text = a.output(up, "auth", "whoami", token=token)
        contains(text, ACCOUNT + "ann")
        contains(text, "[system:serviceaccounts system:serviceaccounts:default"
                       " system:authenticated]")
        review = {"apiVersion": "authentication.k8s.io/v1",
                  "kind": "TokenReview", "spec": {"token": token}}
        code, answer = up.ask("POST",
                              "/apis/authentication.k8s.io/v1/tokenreviews",
                              review)
        equal(code, 201, answer)
        equal(answer["status"]["user"]["username"], ACCOUNT + "ann")
        contains(a.refusal(up, "create", "token", "ann", "--duration", "1s"),
                 "less than 10 minutes")
        contains(a.refusal(up, "create", "token", "nobody"), "not found")
        foreign = a.token(up, "ann", "--audience", "vault")
        contains(a.refusal(up, "get", "pods", token=foreign), "logged in")
        a.output(up, "delete", "serviceaccount", "ann")
        contains(a.refusal(up, "get", "pods", token=token), "logged in")


def ask_pod(name, *paths, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", **spec, "containers": [
                {"name": "main", "image": "none", "command": [
                    sys.executable, "-c", ASK, *paths]}]}}


def pods_of_accounts(a):
    """a pod asks with the token of its account, which has only its rights"""
    secrets = "/api/v1/namespaces/default/secrets"
    with Up("--authorization", "RBAC") as up:
        a.output(up, "create", "serviceaccount", "reader")
        a.output(up, "create", "role", "read", "--verb=list",
                 "--resource=pods")
        a.output(up, "create", "rolebinding", "read", "--role=read",
                 "--serviceaccount=default:reader")
        for pod in (ask_pod("reader", PODS, secrets,
                            serviceAccountName="reader"),
                    ask_pod("plain", PODS),
                    ask_pod("quiet", PODS,
                            automountServiceAccountToken=False)):
            code, answer = up.ask("POST", PODS, pod)
            equal(code, 201, answer)

        def said(name):
            wait_until(f"{name} to end", lambda: up.get(
                f"{PODS}/{name}")["status"]["phase"] in ("Succeeded", "Failed"))
            return str(up.get(f"{PODS}/{name}/log"))

        log = said("reader").splitlines()
        equal(log[0].split()[0], "200", log[0])
        equal(log[1], f'403 secrets is forbidden: User "{ACCOUNT}reader" '
              'cannot list resource "secrets" in API group "" in the '
              'namespace "default"')
        equal(log[2], "in default")
        contains(said("plain"), f'403 pods is forbidden: User '
                 f'"{ACCOUNT}default" cannot list')
        contains(said("quiet"), "No such file or directory")


def roles(a):
    """under RBAC bindings decide, and the operator works with its role"""
    with Up("--authorization", "RBAC", "--node", "simulated",
            "--simulated-run-time", "1s") as up:
        contains(up.text(), "kubeflow/training-operator")
        up.create(tfjob("done", "pass", 2))
        up.await_condition("done", "Succeeded")
        for verb, name, answer in (
                ("get", LEASE, "yes"), ("update", LEASE, "yes"),
                ("delete", LEASE, "no"), ("list", None, "no"),
                ("get", "other", "no"), ("update", "other", "no"),
                ("create", None, "yes")):
            said = a.ended(
                up, "auth", "can-i", verb, "leases.coordination.k8s.io"
                + (f"/{name}" if name else ""), "-n", "kubeflow", "--as",
                "system:serviceaccount:kubeflow:training-operator")
            equal(said[1], answer + "\n", f"{verb} {name}")
        a.output(up, "create", "serviceaccount", "ann")
        ann = a.token(up, "ann")
        equal(a.refusal(up, "get", "pods", token=ann).strip(),
              'Error from server (Forbidden): pods is forbidden: User '
              f'"{ACCOUNT}ann" cannot list resource "pods" in API group "" in '
              'the namespace "default"')
        equal(a.ended(up, "auth", "can-i", "create", "tfjobs",
                      token=ann)[:2], (1, "no\n"), "can-i")
        a.output(up, "create", "rolebinding", "ann", "--clusterrole=edit",
                 "--serviceaccount=default:ann")
        equal(a.output(up, "auth", "can-i", "create", "tfjobs", token=ann),
              "yes\n", "can-i")
        contains(a.output(up, "auth", "can-i", "--list", token=ann),
                 "tfjobs.kubeflow.org")
        job = a.write("ann.yaml", tfjob("ann", "pass"))
        a.output(up, "create", "-f", job, token=ann)
        up.await_condition("ann", "Succeeded")
        contains(a.output(up, "get", "pods", token=ann), "ann-worker-0")
        contains(a.refusal(up, "get", "pods", "-n", "kubeflow", token=ann),
                 "forbidden")
        # As others, and what nobody may grant.
        contains(a.refusal(up, "get", "nodes", "--as", "joe"),
                 'User "joe" cannot list resource "nodes"')
        contains(a.refusal(up, "get", "pods", "--as", "joe", token=ann),
                 'cannot impersonate resource "users"')
        a.output(up, "create", "rolebinding", "bob", "--clusterrole=admin",
                 "--user=bob")
        contains(a.refusal(up, "create", "role", "r", "--verb=get",
                           "--resource=leases.coordination.k8s.io,nodes",
                           "--as", "bob"),
                 "is attempting to grant RBAC permissions not currently held")
        contains(a.output(up, "auth", "whoami", "--as", "joe", "--as-group",
                          "dev"), "[dev system:authenticated]")


def every_kind(a):
    """the shipped role is enough for the samples of all kinds"""
    samples = os.path.join(REPOSITORY, "deploy", "samples")
    made = []
    with Up("--authorization", "RBAC", "--node", "simulated",
            "--simulated-run-time", "1s") as up:
        for name in sorted(os.listdir(samples)):
            if name.endswith(".yaml"):
                made += a.output(up, "create", "-o", "name", "-f",
                                 os.path.join(samples, name)).split()
        jobs = [name for name in made if "job." in name]
        equal(len(jobs) >= 10, True, made)

        def refusals():
            return [e["message"] for e in up.get("/api/v1/events")["items"]
                    if "forbidden" in e["message"]]

        def has_succeeded(job):
            status = json.loads(a.output(up, "get", job, "-o", "json")).get(
                "status", {})
            return status.get("phase") == "Succeeded" or any(
                c["type"] == "Succeeded" and c["status"] == "True"
                for c in status.get("conditions") or [])

        for job in jobs:
            try:
                wait_until(f"{job} to succeed",
                           lambda job=job: has_succeeded(job))
            except AssertionError as error:
                raise AssertionError(
                    f"{error}; refused: {refusals()}; the shipped roles are "
                    f"deploy/rbac/role.yaml") from None
        equal(refusals(), [], "what was refused")


def by_run(a):
    """`run` has roles, too; those of a cluster are not its own"""
    job = a.write("run.yaml", tfjob("run", "print('ran')"))
    code, text = finished("run", "--authorization", "RBAC", job)
    equal(code, 0, text)
    contains(text, "RBAC: the operator is the service account")
    code, text = finished("run", "--authorization", "RBAC", "--kubeconfig",
                          a.write("c", ""), job)
    equal(code, 2, text)
    contains(text, "--authorization is for this machine")
    code, text = finished("up", "--authorization", "ABAC")
    equal(code, 2, text)
    contains(text, "--authorization")


def missing_right(a):
    """a right that is taken from the operator's role shows"""
    with Up("--authorization", "RBAC", "--no-node") as up:
        path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/" \
            "training-operator"
        role = up.get(path)
        for rule in role["rules"]:
            if "pods" in rule["resources"]:
                rule["verbs"].remove("create")
        equal(up.ask("PUT", path, role)[0], 200)
        up.create(tfjob("stuck", "pass"))
        refusal = 'User "system:serviceaccount:kubeflow:training-operator" ' \
            'cannot create resource "pods"'
        wait_until("the refusal", lambda: any(
            refusal in event["message"] for event in up.get(
                "/api/v1/namespaces/default/events")["items"]))


CASES = [from_elsewhere, bad_addresses, kept, tokens, pods_of_accounts, roles,
         every_kind, by_run, missing_right]

if __name__ == "__main__":
    sys.exit(run(CASES, Access, *sys.argv[1:2]))
