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
from network.event_stream import Stream
from process import free_port

STAYS = "import time; time.sleep(600)"


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


def log_of(port, pod, query="", job="rings"):
    return Stream(port, query,
                  f"/admin/v1/jobs/default/TFJob/{job}/pods/{pod}/log")


SPEAKS = """
import os, sys, time
print("line 1\\nline 2", flush=True)
sys.stdout.buffer.write(b"\\x1b[31mred\\xff\\n")
sys.stdout.flush()
while not os.path.exists({flag!r}): time.sleep(0.05)
print("later", flush=True)
time.sleep(600)
"""


def logs(folder):
    """the log of a pod of a job, as it grows; of no other pod"""
    flag = os.path.join(folder.path, "speak")
    for args in ((), ("--authorization", "RBAC")):
        with Up("--isolation", "preload", *args) as up:
            port = port_of(up)
            up.create(tfjob("rings", SPEAKS.format(flag=flag)))
            up.await_condition("rings", "Running")
            wait_until("its lines", lambda: b"red\xff\n" in up.api.text(
                "GET", "/api/v1/namespaces/default/pods/rings-worker-0/log")[1])
            with log_of(port, "rings-worker-0", "?lines=2") as log:
                equal(log.answer.status, 200, "status")
                equal(log.event(), ("pod", {
                    "container": "tensorflow", "containers": [
                        {"name": "tensorflow", "init": False, "restarts": 0,
                         "state": "running"}]}), "the pod")
                contains(log.await_text("red"), "\x1b[31mred\ufffd\n")
                equal("line 1" in log.text, False, "more than two lines")
                open(flag, "w").close()
                log.await_text("later\n")
            os.unlink(flag)
            up.ask("POST", "/api/v1/namespaces/default/pods", {
                "metadata": {"name": "stranger"}, "spec": {"containers": [{
                    "name": "c", "image": "i", "command": ["sleep", "60"]}]}})
            for pod, job, part in (
                    ("stranger", "rings", "has no pod stranger"),
                    ("rings-worker-0", "other", "not found")):
                with log_of(port, pod, job=job) as refused:
                    equal(refused.answer.status, 404, pod)
                    contains(refused.answer.read().decode(), part)
            with log_of(port, "rings-worker-0", "?container=x") as refused:
                equal(refused.answer.status, 404, "another container")
                contains(refused.answer.read().decode(), "it has tensorflow")


def too_many_logs(_):
    """logs are limited for one client; one that was closed makes room"""
    with Up("--isolation", "preload") as up:
        port = port_of(up)
        up.create(tfjob("rings", STAYS))
        up.await_condition("rings", "Running")
        open_ones = [log_of(port, "rings-worker-0") for _ in range(8)]
        equal([s.answer.status for s in open_ones], [200] * 8, "status")
        with log_of(port, "rings-worker-0") as more:
            equal(more.answer.status, 503, "status of one more")
            contains(more.answer.read().decode(), "too many logs")
        open_ones.pop().link.close()

        def has_room():
            with log_of(port, "rings-worker-0") as more:
                return more.answer.status == 200

        wait_until("room after one was closed", has_room)
        for s in open_ones:
            s.link.close()


FLOODS = """
import sys, time
for _ in range(20_000): sys.stdout.write("x" * 15_999 + "\\n")
sys.stdout.flush()
print("all", flush=True)
time.sleep(600)
"""


def peak_memory(pid):
    """In bytes."""
    with open(f"/proc/{pid}/status") as file:
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))


def a_client_that_does_not_read(_):
    """a log that nobody takes waits, and costs no memory"""
    with Up("--isolation", "preload") as up:
        port = port_of(up)
        up.create(tfjob("rings", FLOODS))
        up.await_condition("rings", "Running")
        before = peak_memory(up.child.pid)
        held = [log_of(port, "rings-worker-0", "?lines=5000")
                for _ in range(4)]
        wait_until("the clients to be cut off", lambda: all(
            is_cut_off(s, port) for s in held))
        grown = peak_memory(up.child.pid) - before
        equal(grown < 100 << 20, True, f"{grown >> 20} MiB more")


def is_cut_off(stream, port):
    """Whether the server has closed its end of the connection."""
    ours = stream.link.sock.getsockname()[1]
    with open("/proc/self/net/tcp") as file:
        rows = [line.split() for line in file][1:]
    # Addresses are hexadecimal; 01 is an established connection.
    return not any(row[1].endswith(f":{port:04X}") and row[3] == "01"
                   and row[2].endswith(f":{ours:04X}") for row in rows)


def loggers():
    """The names of the source files that write to the log, or have it written
    by a header that takes the name of its caller's file."""
    texts = {}
    for path in glob.glob(f"{REPOSITORY}/**/*.[ch]pp", recursive=True):
        name = os.path.relpath(path, REPOSITORY)
        if name.split("/")[0] in ("actors", "k8s", "frameworks"):
            with open(path) as file:
                texts[name] = file.read()
    lent = [name for name, text in texts.items() if "__builtin_FILE()" in text]
    found = set()
    for name, text in texts.items():
        if not name.endswith(".cpp") or name[:-4] + ".hpp" in lent:
            continue
        if (re.search(r"\blog::(debug|info|warn|error)\(", text)
                or any(f'#include "{header}"' in text for header in lent)):
            found.add(os.path.basename(name)[:-4].replace("_", "-"))
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


CASES = (streams, too_many_streams, logs, too_many_logs,
         a_client_that_does_not_read, log_levels, remote)

if __name__ == "__main__":
    sys.exit(run(CASES, Folder))
