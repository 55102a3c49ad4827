#!/usr/bin/python3
"""Attacks on the API server of `troupe up --authorization RBAC`, by an account
that may edit in one namespace; and a file of objects with flipped bytes.

    test_embedded.py [PART]
"""

import json
import os
import random
import re
import shutil
import sqlite3
import sys

sys.setrecursionlimit(20_000)  # for what is too deep

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("whole", "cluster")]

from test_up import Up  # noqa: E402
from troupe import Folder, wait_until  # noqa: E402

from checks import contains, equal, run  # noqa: E402

JSON_PATCH = "application/json-patch+json"
MOST_MEMORY = 200  # MiB
STEP = 80  # in depth, which a body may have
CORE = "/api/v1/namespaces/default"
GROUP = "/apis/diengine.opendilab.org/v1alpha1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# What is not looked into: of a kind that webhooks see, and of another.
PARTS = {"dijobs": "coordinator", "aggregatorconfigs": "aggregator"}
NAMES = {"dijobs": "DIJob", "aggregatorconfigs": "AggregatorConfig"}
RULES = [{"apiGroups": ["*"], "resources": [*PARTS, "configmaps"],
          "verbs": ["get", "list", "create", "update", "patch", "delete"]},
         {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"],
          "resourceNames": ["readable"]},
         {"apiGroups": [""], "resources": ["secrets"], "verbs": ["watch"],
          "resourceNames": ["watchable"]}]


class Tenant:
    """`troupe up` on `data`, and what an ordinary account asks of it."""

    def __init__(self, data):
        self.up = Up("--authorization", "RBAC", "--no-node", "--data", data)

    def __enter__(self):
        self.up.__enter__()
        self.admin = dict(self.up.api.headers)
        self.be_tenant()
        return self

    def __exit__(self, *_):
        self.up.__exit__()

    def be_tenant(self):
        place = {"name": "tenant", "namespace": "default"}
        roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
        for path, item in (
                (CORE + "/serviceaccounts", {}),
                (roles + "/roles", {"rules": RULES}),
                (roles + "/rolebindings", {
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                "kind": "Role", "name": "tenant"},
                    "subjects": [{"kind": "ServiceAccount", **place}]})):
            status, answer = self.up.ask("POST", path, {
                "metadata": place, **item})
            equal(status in (201, 409), True, str(answer))
        answer = self.up.api.post(
            CORE + "/serviceaccounts/tenant/token", {
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}})
        self.token = {"Authorization": "Bearer " + answer["status"]["token"]}

    def ask(self, *request):
        """(status, answer)"""
        self.up.api.headers = {**self.admin, **self.token}
        try:
            return self.up.ask(*request)
        finally:
            self.up.api.headers = self.admin

    def patch(self, plural, name, *operations):
        return self.ask("PATCH", at(plural, name), list(operations), JSON_PATCH)

    def create(self, plural, name):
        container = {"name": "di-container", "image": "none", "x": {}}
        status, answer = self.ask("POST", at(plural), {
            "apiVersion": GROUP.removeprefix("/apis/"), "kind": NAMES[plural],
            "metadata": {"name": name}, "spec": {PARTS[plural]: {"template": {
                "spec": {"containers": [container]}}}}})
        equal(status, 201, str(answer))

    def check(self):
        """Others are served, and memory is as it should be."""
        for plural in PARTS:
            self.create(plural, "another")
            equal(self.ask("DELETE", at(plural, "another"))[0], 200)
            equal(self.up.ask("GET", f"{GROUP}/{plural}")[0], 200,
                  "the list of all")
        with open(f"/proc/{self.up.child.pid}/status") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024
        equal(peak < MOST_MEMORY, True, f"{peak:.0f} MiB at the peak")


def at(plural, name=""):
    return f"{GROUP}/namespaces/default/{plural}" + (f"/{name}" if name else "")


def place(plural):
    """Where a JSON patch finds the object x."""
    return f"/spec/{PARTS[plural]}/template/spec/containers/0/x"


def nested(depth):
    value = "deep"
    for _ in range(depth):
        value = {"d": value}
    return value


def grown_depth(plural):
    def case(folder):
        data = os.path.join(folder.path, "grown-" + plural)
        with Tenant(data) as tenant:
            tenant.create(plural, "grown")
            path, answers = place(plural), []
            for _ in range(30):
                status, _ = tenant.patch(plural, "grown", {
                    "op": "add", "path": path + "/d", "value": nested(STEP)})
                answers.append(status)
                path += "/d" * STEP
            equal(answers[-1] >= 400, True, f"the last is refused: {answers}")
            tenant.check()
        with Tenant(data) as tenant:
            equal(tenant.ask("GET", at(plural, "grown"))[0], 200,
                  "after a restart")
            tenant.check()

    case.__name__ = "grown_depth_" + plural
    case.__doc__ = f"{plural} that patches make deeper and deeper are readable"
    return case


def copied_depth(plural):
    def case(folder):
        data = os.path.join(folder.path, "copied-" + plural)
        with Tenant(data) as tenant:
            tenant.create(plural, "copied")
            operations = [{"op": "add", "path": place(plural),
                           "value": nested(STEP)}]
            end = "/d" * (STEP - 1)
            for _ in range(6):  # Each makes it twice as deep.
                operations.append({"op": "copy", "from": place(plural),
                                   "path": place(plural) + end + "/d"})
                end += "/d" + end
            status, answer = tenant.patch(plural, "copied", *operations)
            equal(400 <= status < 500, True, f"{status} {str(answer)[:200]}")
            tenant.check()
        with Tenant(data) as tenant:
            equal(tenant.ask("GET", at(plural, "copied"))[0], 200,
                  "after a restart")

    case.__name__ = "copied_depth_" + plural
    case.__doc__ = f"{plural} that the copies of one patch make deep"
    return case


def copies(plural):
    def case(folder):
        with Tenant(os.path.join(folder.path, "large-" + plural)) as tenant:
            tenant.create(plural, "large")
            operations = [{"op": "add", "path": place(plural),
                           "value": {"text": "x" * 1000}}]
            operations += [{"op": "copy", "from": place(plural),
                            "path": f"{place(plural)}/c{number}"}
                           for number in range(17)]
            status, answer = tenant.patch(plural, "large", *operations)
            equal(400 <= status < 500, True, f"{status} {str(answer)[:200]}")
            tenant.check()

    case.__name__ = "copies_" + plural
    case.__doc__ = f"seventeen copies, which make 133 MB of 3 KB: {plural}"
    return case


def flip(path, numbers):
    """Eight bytes that mean something in JSON, of stored objects."""
    with sqlite3.connect(path) as database:
        texts = [text.encode() for text, in database.execute(
            "SELECT value FROM objects WHERE bucket LIKE "
            "'%customresourcedefinitions%' OR value LIKE '%kubeflow.org%'")]
    database.close()
    with open(path, "rb") as file:
        data = bytearray(file.read())
    left = 8
    while left:
        text = numbers.choice(texts)
        begin = numbers.randrange(max(len(text) - 30, 1))
        at = data.find(text[begin:begin + 30])
        spots = [i for i in range(at, at + 30) if data[i] in b'{}":,[]']
        if at < 0 or not spots:
            continue
        data[numbers.choice(spots)] ^= 0x11
        left -= 1
    with open(path, "wb") as file:
        file.write(data)


def flipped_bytes(folder):
    """six times eight flipped bytes: it starts, names what it sets aside, and
    has its own definitions"""
    data = os.path.join(folder.path, "whole")
    with Tenant(data) as tenant:
        equal(tenant.ask("POST", CORE + "/configmaps", {
            "metadata": {"name": "kept"}, "data": {"a": "b"}})[0], 201)
    numbers = random.Random(1)
    for attempt in range(6):
        damaged = os.path.join(folder.path, f"damaged-{attempt}")
        shutil.copytree(data, damaged)
        flip(os.path.join(damaged, "objects.db"), numbers)
        with Up("--authorization", "RBAC", "--no-node", "--data",
                damaged) as up:
            equal(up.ask("GET", CORE + "/configmaps/kept")[1].get("data"),
                  {"a": "b"}, "an object that is whole")
            for plural in ("tfjobs.kubeflow.org",
                           "dijobs.diengine.opendilab.org"):
                equal(up.ask("GET", f"{DEFINITIONS}/{plural}")[0], 200, plural)
            contains(up.text(), "objects.db")


def named_watches(folder):
    """a named GET with watch=true is authorized as what it is answered as"""
    with Tenant(os.path.join(folder.path, "named")) as tenant:
        for name in ("readable", "watchable"):
            equal(tenant.up.ask("POST", CORE + "/secrets", {
                "metadata": {"name": name},
                "data": {"a": "Yg=="}})[0], 201)
        for query in ("watch=true", "watch=1", "watch"):
            status, answer = tenant.ask(
                "GET", f"{CORE}/secrets/watchable?{query}&timeoutSeconds=1")
            if status == 200:  # Then it is a watch.
                equal(isinstance(answer, dict) and "data" in answer, False,
                      f"{query}: who may watch has read {answer}")
            status, answer = tenant.ask(
                "GET", f"{CORE}/secrets/readable?{query}&timeoutSeconds=1")
            if status == 200:  # Then it is no watch.
                equal(isinstance(answer, dict) and answer.get("kind"),
                      "Secret", f"{query}: who may read has watched {answer}")
        wait_until("it to be served", lambda: tenant.ask(
            "GET", CORE + "/secrets/readable")[0] == 200)
        equal(tenant.ask("GET", CORE + "/secrets/watchable")[0], 403, "a get")


CASES = [*(attack(plural) for attack in (grown_depth, copied_depth, copies)
           for plural in PARTS), flipped_bytes, named_watches]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
