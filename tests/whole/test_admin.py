#!/usr/bin/python3
"""The admin endpoint: streams, log levels, and from other machines."""

import glob
import http.client
import json
import os
import re
import ssl
import subprocess
import sys
import time

from test_access import raw
from test_up import Up
from troupe import (Folder, LIMIT, REPOSITORY, finished, http as ask,
                    interrupted, tfjob, wait_until)

import needs  # of ../cluster
from checks import contains, equal, run  # of ../cluster
from process import free_port

STAYS = "import time; time.sleep(600)"


class Stream:
    """Server-sent events, read one by one."""

    def __init__(self, port, query=""):
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.link.request("GET", "/admin/v1/stream" + query)
        self.answer = self.link.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()

    def event(self):
        """(name, data) of the next one."""
        name = None
        while True:
            line = self.answer.readline().decode()
            if not line:
                raise AssertionError("the stream has ended")
            line = line.rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                return name, json.loads(line[6:])

    def await_event(self, condition):
        """The data of the first event that meets it."""
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            name, data = self.event()
            if data and condition(data):
                return data
        raise AssertionError("waited in vain for an event")


def port_of(up):
    return int(up.admin.rpartition(":")[2])


def streams(_):
    """a stream tells what changes in the list, another one of one job"""
    with Up() as up:
        port = port_of(up)
        revision = ask("GET", up.admin + "/admin/v1/jobs")[1]["revision"]
        with Stream(port, f"?since={revision}") as everything, \
                Stream(port, "?job=default/TFJob/rings") as one:
            equal(one.event(), ("gone", None), "before the job is there")
            job = json.loads(tfjob("rings", STAYS))
            container = (job["spec"]["tfReplicaSpecs"]["Worker"]["template"]
                         ["spec"]["containers"][0])
            container["env"] = [{"name": "PASSWORD", "value": "sesame-4711"}]
            up.create(json.dumps(job))
            report = one.await_event(lambda j: "1 of 1" in j["summary"])
            equal("sesame" in json.dumps(report), False, "shows a value")
            pods = report["timeline"]["pods"]
            equal([p["name"] for p in pods], ["rings-worker-0"], "timeline")
            equal(pods[0]["created"] <= pods[0]["running"], True, "order")
            seen = everything.await_event(
                lambda c: c["jobs"] and c["jobs"][0]["running"])["jobs"][0]
            equal((seen["name"], seen["running"]), ("rings", 1), "the row")
            up.ask("DELETE", "/apis/kubeflow.org/v1/namespaces/default/tfjobs/"
                   "rings")
            changes = everything.await_event(lambda c: c["removed"])
            equal(changes["removed"], [seen["uid"]], "removed")


def too_many_streams(_):
    """streams are limited; one that was closed makes room for another"""
    with Up("--no-node") as up:
        port = port_of(up)
        open_ones = [Stream(port) for _ in range(32)]
        equal([s.answer.status for s in open_ones], [200] * 32, "status")
        with Stream(port) as more:
            equal(more.answer.status, 503, "status of one more")
            contains(more.answer.read().decode(), "too many streams")
        open_ones.pop().link.close()

        def has_room():
            with Stream(port) as more:
                return more.answer.status == 200

        wait_until("room after one was closed", has_room)
        for s in open_ones:
            s.link.close()
        for query, part in (("?job=rings", "NAMESPACE/KIND/NAME"),
                            ("?since=x", "since")):
            with Stream(port, query) as bad:
                equal(bad.answer.status, 400, query)
                contains(bad.answer.read().decode(), part)


def loggers():
    """The names of the source files that write to the log."""
    found = set()
    for path in glob.glob(f"{REPOSITORY}/**/*.cpp", recursive=True):
        part = os.path.relpath(path, REPOSITORY).split("/")[0]
        if part not in ("actors", "k8s", "frameworks"):
            continue
        with open(path) as file:
            if re.search(r"\blog::(debug|info|warn|error)\(", file.read()):
                name = os.path.basename(path)[:-4].replace("_", "-")
                found.add(name)
    return found


def log_levels(_):
    """one component's log level is changed while it runs; pages cannot"""
    with Up("--no-node") as up:
        port, path = port_of(up), "/admin/v1/log-level"
        levels = ask("GET", up.admin + path)[1]
        equal(set(levels["components"]), loggers(), "components")
        equal(set(levels["components"].values()), {"info"}, "levels")
        change = json.dumps({"component": "watcher", "level": "debug"})
        kind = {"Content-Type": "application/json"}
        for headers, wanted in (
                ({}, 415), ({"Content-Type": "text/plain"}, 415),
                ({**kind, "Origin": "http://evil.example"}, 403),
                ({**kind, "Sec-Fetch-Site": "cross-site"}, 403),
                ({**kind, "Host": "evil.example"}, 421)):
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            link.request("PUT", path, change, headers)
            equal(link.getresponse().status, wanted, f"status with {headers}")
            link.close()
        status, answer = ask("PUT", up.admin + path, {"component": "wacher",
                                                      "level": "debug"})
        equal(status, 400, "status")
        contains(answer["error"], "choose one of")
        equal(ask("GET", up.admin + path)[1], levels, "unchanged")
        changed = ask("PUT", up.admin + path, json.loads(change))[1]
        equal(changed["components"]["watcher"], "debug", "level")
        equal(changed["components"]["root"], "info", "level")
        ask("PUT", up.admin + path, {"level": "info"})
        equal(ask("GET", up.admin + path)[1], levels, "as before")
        equal(interrupted(up), 0, "exit code")
        contains(up.text(), "info stopping logger=operator-process")
    with Up("--no-node") as up:
        ask("PUT", up.admin + path, {"component": "operator-process",
                                     "level": "error"})
        equal(interrupted(up), 0, "exit code")
        equal("info stopping" in up.text(), False, "the line is written")


def make_certificate(folder):
    """(certificate, key): files for 127.0.0.1."""
    needs.programs("openssl")
    names = [os.path.join(folder.path, n) for n in ("cert.pem", "key.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
         "2", "-subj", "/CN=troupe", "-addext", "subjectAltName=IP:127.0.0.1",
         "-out", names[0], "-keyout", names[1]],
        check=True, capture_output=True)
    return names


def remote_arguments(folder, port, token):
    certificate, key = make_certificate(folder)
    return ("--admin-bind-address", f"0.0.0.0:{port}", "--admin-token-file",
            folder.write("token", token + "\n"), "--admin-tls-cert-file",
            certificate, "--admin-tls-key-file", key)


def remote(folder):
    """from other machines: TLS and a token, or not at all"""
    port, token = free_port(), "0123456789abcdef0123456789abcdef"
    args = remote_arguments(folder, port, token)
    for left_out, name in ((2, "admin-token-file"), (4, "admin-tls-cert-file")):
        code, text = finished("up", "--no-node", *args[:left_out],
                              *args[left_out + 2:])
        equal(code, 2, "exit code of\n" + text)
        contains(text, name)
    code, text = finished("up", "--no-node", *args, "--admin-token-file",
                          folder.write("short", "secret"))
    equal(code, 1, "exit code of\n" + text)
    contains(text, "openssl rand")
    authority = ssl.create_default_context(cafile=args[5])
    with Up("--no-node", *args) as up:
        def status(path, **headers):
            link = http.client.HTTPSConnection("127.0.0.1", port, timeout=30,
                                               context=authority)
            link.request("GET", path, headers=headers)
            answer = link.getresponse()
            return answer.status, answer.read().decode()

        equal(raw(port, "GET", "/admin/v1/jobs", {})[0], 400, "plain HTTP")
        code, text = status("/admin/v1/jobs")
        equal(code, 401, "without a token")
        contains(text, "admin-token-file")
        for wrong in (token[:-1], token + "0", "x" * len(token)):
            equal(status("/admin/v1/jobs", Authorization="Bearer " + wrong)[0],
                  401, "with a wrong token")
        equal(status("/admin/v1/jobs", Authorization="Bearer " + token)[0],
              200, "with the token")
        equal(status("/")[0], 200, "the page without a token")
        equal(token in up.text(), False, "the token is printed")


CASES = (streams, too_many_streams, log_levels, remote)

if __name__ == "__main__":
    sys.exit(run(CASES, Folder))
