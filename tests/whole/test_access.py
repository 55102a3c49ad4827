#!/usr/bin/python3
"""Who may ask `troupe up` and `troupe run`, and who may read what they leave.

The page of somebody else, in the user's own browser, sends what a browser
lets it send without asking: `Content-Type: text/plain`, its own `Origin`, and
after DNS rebinding its own `Host`.
"""

import http.client
import json
import os
import signal
import ssl
import stat
import sys
import urllib.parse

import yaml

from test_up import JOBS, PODS, Up
from troupe import (Folder, Program, finished, processes_with, tfjob,
                    wait_until)

from checks import contains, equal, run  # of ../cluster
from process import free_port  # of ../cluster

EVIL = "evil.example"
STREAMS = (f"{PODS}?watch=1", f"{PODS}/page-pod/log?follow=true",
           f"{PODS}/page-pod/exec?command=id")
READS = ("/", "/api", "/apis", "/api/v1", "/version", "/healthz", "/readyz",
         "/livez", "/metrics", "/openapi/v2", "/openapi/v3", PODS, JOBS,
         "/api/v1/secrets", "/no/such/path")
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket",
           "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
           "Sec-WebSocket-Protocol": "v4.channel.k8s.io"}


def token_of(kubeconfig):
    with open(kubeconfig) as file:
        return yaml.safe_load(file)["users"][0]["user"]["token"]


def raw(port, method, path, headers, body=None, tls=False):
    """(status, decoded JSON or text) of exactly this request."""
    if tls:
        anybody = ssl._create_unverified_context()
        link = http.client.HTTPSConnection("127.0.0.1", port, timeout=20,
                                           context=anybody)
    else:
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        link.putrequest(method, path, skip_host=True,
                        skip_accept_encoding=True)
        headers = {"Host": f"127.0.0.1:{port}", **headers}
        if body is not None:
            headers["Content-Length"] = str(len(body))
        for name, value in headers.items():
            if value is not None:
                link.putheader(name, value)
        link.endheaders(body)
        answer = link.getresponse()
        text = answer.read().decode()
    finally:
        link.close()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def port_of(url):
    return urllib.parse.urlparse(url).port


def pod(name, mark):
    return json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"restartPolicy": "Never", "containers": [
            {"name": "c", "image": "none", "command": [
                sys.executable, "-c", f"open({mark!r}, 'w').close()"]}]}
    }).encode()


def refused(answer, status, what):
    equal(answer[0], status, f"status for {what}: {answer[1]}")
    body = answer[1]
    equal((body["kind"], body["status"], body["code"]),
          ("Status", "Failure", status), f"answer for {what}")
    equal(bool(body["message"] and body["reason"]), True, "it says why")


def page(folder):
    """a page of another site starts nothing, whatever it sends"""
    mark = os.path.join(folder.path, "page-mark")
    with Up("--isolation", "preload") as up:  # Pods write to the host's /tmp.
        port, secret = port_of(up.server), token_of(up.kubeconfig)
        right = {"Authorization": f"Bearer {secret}",
                 "Content-Type": "application/json"}
        wrongs = (
            (415, {"Content-Type": "text/plain"}),
            (415, {"Content-Type": None}),
            (415, {"Content-Type": "application/x-www-form-urlencoded"}),
            (403, {"Origin": f"http://{EVIL}"}),
            (403, {"Origin": "null"}),
            (403, {"Origin": "http://localhost:3000"}),
            (421, {"Host": EVIL}),
            (421, {"Host": f"{EVIL}:{port}"}),
            (421, {"Host": "127.0.0.1:1"}),
            (421, {"Host": EVIL, "Origin": f"http://{EVIL}"}),
            (401, {"Authorization": None}),
            (401, {"Authorization": "Bearer " + "0" * len(secret)}),
            (401, {"Authorization": f"Basic {secret}"}),
            # All of it, as the page would.
            (421, {"Content-Type": "text/plain", "Host": EVIL,
                   "Origin": f"http://{EVIL}", "Authorization": None}))
        for tls in (False, True):
            for number, (status, wrong) in enumerate(wrongs):
                name = f"page-{number}-{tls}".lower()
                refused(raw(port, "POST", PODS, {**right, **wrong},
                            pod(name, mark), tls), status, wrong)
        equal(up.get(PODS)["items"], [], "pods")
        preflight = raw(port, "OPTIONS", PODS, {
            "Origin": f"http://{EVIL}", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization"})
        refused(preflight, 403, "a preflight")
        equal(os.path.exists(mark), False, "a refused command ran")
        # What each of them lacked makes it run.
        for tls in (False, True):
            made = raw(port, "POST", PODS, right,
                       pod(f"right-{tls}".lower(), mark), tls)
            equal(made[0], 201, f"status for the right request: {made[1]}")
            wait_until("the command to run", lambda: os.path.exists(mark))
            os.remove(mark)


def strangers(_):
    """nobody reads, watches or upgrades without the token"""
    with Up() as up:
        port, secret = port_of(up.server), token_of(up.kubeconfig)
        for path in READS + STREAMS:
            for more in ({}, UPGRADE):
                refused(raw(port, "GET", path, more), 401, path)
                refused(raw(port, "GET", path, {
                    **more, "Origin": f"http://{EVIL}",
                    "Authorization": f"Bearer {secret}"}), 403, path)
                refused(raw(port, "GET", path, {
                    **more, "Host": f"{EVIL}:{port}",
                    "Authorization": f"Bearer {secret}"}), 421, path)
        for method in ("PUT", "PATCH", "DELETE", "POST", "OPTIONS", "TRACE"):
            refused(raw(port, method, f"{PODS}/x", {}), 401, method)
        equal(raw(port, "GET", "/healthz",
                  {"Authorization": f"Bearer {secret}"}), (200, "ok"),
              "with the token")
        equal(raw(port, "GET", "/healthz",
                  {"Host": f"localhost:{port}",
                   "Authorization": f"Bearer {secret}"}, tls=True),
              (200, "ok"), "with the token, under TLS, as localhost")


def looking_inside(_):
    """admin, probes and metrics answer curl, not pages, and show no variables"""
    health, metrics = free_port(), free_port()
    job = json.loads(tfjob("hush", "import time; time.sleep(600)"))
    container = (job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
                 ["containers"][0])
    container["env"] = [{"name": "PASSWORD", "value": "open-sesame-4711"}]
    with Up("--health-probe-bind-address", f":{health}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}") as up:
        up.create(json.dumps(job))
        up.await_condition("hush", "Running")
        admin = port_of(up.admin)
        where = "/admin/v1/jobs/default/TFJob/hush"
        for port, path in ((admin, "/"), (admin, "/page.js"),
                           (admin, "/admin/v1"), (admin, "/admin/v1/jobs"),
                           (admin, "/admin/v1/actors"),
                           (admin, "/admin/v1/watchers"),
                           (admin, "/admin/v1/settings"),
                           (admin, "/admin/v1/log-level"),
                           (admin, where), (admin, where + "/explanation"),
                           (health, "/healthz"), (health, "/readyz"),
                           (metrics, "/metrics")):
            for host in (f"127.0.0.1:{port}", f"localhost:{port}",
                         "localhost:1234", "127.0.0.1"):
                status, text = raw(port, "GET", path, {"Host": host})
                equal(status, 200, f"status of {path} asked as {host}")
                equal("open-sesame" in str(text), False,
                      f"{path} shows a value")
            for method in ("GET", "POST", "OPTIONS"):
                refused(raw(port, method, path, {"Host": f"{EVIL}:{port}"}),
                        421, path)
                refused(raw(port, method, path,
                            {"Origin": f"http://{EVIL}"}), 403, path)
        contains(str(raw(admin, "GET", where, {})[1]), "hush-worker-0")
        for command in (("explain", "hush"), ("top",)):
            code, text = finished(*command, "--admin", up.admin)
            equal(code, 0, "exit code of\n" + text)
            equal("open-sesame" in text, False, f"{command} shows a value")


def readable_by_others(folder):
    """Without what is inside the folders of pods' own files, which have the
    modes that pods see."""
    found = []
    for root, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            path = os.path.join(root, name)
            if not os.path.islink(path) and os.stat(path).st_mode & 0o077:
                found.append(path)
        if root == folder:
            folders[:] = set(folders) - {"scratch", "work"}
    return found


def files(folder):
    """the kubeconfig and the run's folder are the user's own"""
    old = os.umask(0)  # The modes are meant so, and not what is left of more.
    try:
        check_files(folder)
    finally:
        os.umask(old)


def check_files(folder):
    named = os.path.join(folder.path, "new", "run")
    out = folder.write("out.kubeconfig", "something else\n")
    os.chmod(out, 0o666)
    for args in ((), ("--run-dir", named), ("--kubeconfig-out", out)):
        with Up(*args) as up:
            up.create(tfjob("files", "print('hello')"))
            up.await_condition("files", "Succeeded")
            mode = os.stat(up.kubeconfig).st_mode
            equal(stat.S_IMODE(mode), 0o600, "mode of the kubeconfig")
            logs = up.await_line(r"Logs: +(\S+)")[1]
            equal(stat.S_IMODE(os.stat(logs).st_mode), 0o700,
                  "mode of the run's folder")
            equal(readable_by_others(logs), [], "what others may read")
            equal(token_of(up.kubeconfig) in up.text(), False,
                  "the token is printed")
    with Up() as up:
        one = token_of(up.kubeconfig)
    with Up() as up:
        equal(one == token_of(up.kubeconfig), False, "the token is used again")
    open_to_all = os.path.join(folder.path, "open")
    os.mkdir(open_to_all, 0o777)
    os.chmod(open_to_all, 0o777)
    link = os.path.join(folder.path, "link")
    os.symlink(out, link)
    for args, part in ((("--run-dir", open_to_all), "written by anybody"),
                       (("--kubeconfig-out", link), "no plain file"),
                       (("--kubeconfig-out", "/dev/null"), "no plain file")):
        code, text = finished("up", "--no-node", "--admin-bind-address", "0",
                              *args)
        equal(code != 0, True, "exit code of\n" + text)
        contains(text, part)


def kept_secret(folder):
    """no pod, command line or log gets the token; `run` has a kubeconfig, too"""
    job = folder.write("look.yaml", tfjob(
        "look", "import os, time; print(dict(os.environ)); print('ENV ends');"
        " time.sleep(600)"))
    where = os.path.join(folder.path, "secret-run")
    with Program("run", "--run-dir", where, job) as program:
        path = program.await_line(r"KUBECONFIG=(\S+)")[1]
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "mode")
        secret = token_of(path)
        program.await_line("ENV ends")
        equal(processes_with(secret), [], "command lines with the token")
        holders = [os.path.join(root, name)
                   for root, _, names in os.walk(where) for name in names
                   if os.path.isfile(os.path.join(root, name))
                   and secret.encode() in open(os.path.join(root, name),
                                               "rb").read()]
        equal(holders, [path], "files with the token")
        equal(secret in program.text(), False, "the token is in a log")
        program.signal(signal.SIGINT)
        equal(program.end(), 130, "exit code")
    equal(os.path.exists(path), False, "the kubeconfig is there afterwards")


def everywhere(_):
    """bound to all addresses, it can be used; rebinding leads nowhere"""
    for listen, hosts in (("127.0.0.1:0", ("127.0.0.1", "localhost")),
                          ("localhost:0", ("127.0.0.1", "localhost")),
                          (":0", ("127.0.0.1", "localhost", "10.1.2.3")),
                          ("0.0.0.0:0", ("127.0.0.1", "0.0.0.0"))):
        with Up("--no-node", "--listen", listen) as up:
            equal(up.ask("GET", PODS)[0], 200, f"status at {listen}")
            port = port_of(up.server)
            show = {"Authorization": f"Bearer {token_of(up.kubeconfig)}"}
            for host in hosts:
                equal(raw(port, "GET", PODS,
                          {**show, "Host": f"{host}:{port}"})[0], 200,
                      f"status at {listen} asked as {host}")
            refused(raw(port, "GET", PODS, {**show, "Host": f"{EVIL}:{port}"}),
                    421, listen)
            up.create(tfjob("there", "pass"))
            up.await_condition("there", "Created")


CASES = [page, strangers, looking_inside, files, kept_secret, everywhere]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
