#!/usr/bin/python3
"""Pods report how far their jobs are: with real tokens, which the API server
makes and reviews, over the port of the webhooks.

    test_progress.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import concurrent.futures
import contextlib
import json
import socket
import ssl
import sys
import threading
import time

from checks import contains, equal, main
from cluster import wait_for
from jobs.kinds import GROUP, KINDS, PYTORCH
from operators.operator_fixture import LIMIT
from operators.shipped import Operator
from process import free_port
from test_webhooks import WebhookFixture

REPORT = {"progress": {"report": True}}
CORE = "/api/v1/namespaces/default"
FILES = "/var/run/secrets/kubeflow/trainer/"
NAMES = {name: "KUBEFLOW_TRAINER_SERVER_" + name
         for name in ("URL", "CA_CERT", "TOKEN")}


def body(percent=45, **more):
    return {"trainerStatus": {"progressPercentage": percent, **more}}


class ProgressFixture(WebhookFixture):
    """Tells pods an address that this machine reaches, too."""

    def arguments(self, port):
        return ["--webhook-server-port", str(port), "--webhook-url",
                f"https://127.0.0.1:{self.port}", "--leader-elect",
                "--di-server-advertise-host", "127.0.0.1"]

    @contextlib.contextmanager
    def standby(self):
        """Another replica, and its port; it does not lead."""
        port = free_port()
        with Operator(self.cluster.kubeconfig, self.cluster.path("standby.log"),
                      self.troupe, self.arguments(port)) as second:
            yield second, port

    def __enter__(self):
        super().__enter__()
        self.add_account("default")
        return self

    def add_account(self, ns):
        """That of pods which name none; nobody makes it in this cluster."""
        self.client.post(f"/api/v1/namespaces/{ns}/serviceaccounts",
                         {"metadata": {"name": "default"}})

    def stranger(self, name, ns="default"):
        """A pod of no job."""
        return self.client.post(f"/api/v1/namespaces/{ns}/pods", {
            "metadata": {"name": name}, "spec": {
                "serviceAccountName": "default", "containers": [
                    {"name": "main", "image": "registry.example/x:1"}]}})

    def job(self, kind, name, policy=REPORT):
        self.client.post(f"{GROUP}/namespaces/default/{kind.plural}",
                         kind.manifest(name, policy))
        return f"{GROUP}/namespaces/default/{kind.plural}/{name}"

    def pod_of(self, name):
        """The first pod of a job, which runs."""
        selector = f"labelSelector=training.kubeflow.org/job-name%3D{name}"
        pods = wait_for("a pod", lambda: self.client.get(
            f"{CORE}/pods?{selector}")["items"], LIMIT)
        pod = sorted(pods, key=lambda p: p["metadata"]["name"])[0]
        self.set_phase(pod["metadata"]["name"], "Running")
        return pod

    def told(self, pod):
        """What the main container is told: URL, and the authority's text."""
        env = {e["name"]: e.get("value") for c in pod["spec"]["containers"]
               for e in c.get("env", ())}
        equal(env[NAMES["CA_CERT"]], FILES + "ca.crt")
        equal(env[NAMES["TOKEN"]], FILES + "token")
        (volume,) = [v for v in pod["spec"]["volumes"]
                     if v["name"] == "kubeflow-trainer-token"]
        token, authority = volume["projected"]["sources"]
        token = token["serviceAccountToken"]
        equal((token["expirationSeconds"], token["path"]), (3600, "token"))
        name = authority["configMap"]["name"]
        text = self.client.get(f"{CORE}/configmaps/{name}")["data"]["ca.crt"]
        return env[NAMES["URL"]], text, token["audience"]

    def token(self, pod, audience, ns="default", seconds=3600):
        """As a kubelet asks for it."""
        spec = {"audiences": [audience], "expirationSeconds": seconds}
        if pod:
            spec["boundObjectRef"] = {
                "apiVersion": "v1", "kind": "Pod",
                "name": pod["metadata"]["name"],
                "uid": pod["metadata"]["uid"]}
        account = pod["spec"]["serviceAccountName"] if pod else "default"
        return self.client.post(
            f"/api/v1/namespaces/{ns}/serviceaccounts/{account}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": spec})["status"]["token"]

    def post(self, url, authority, token, content, kind="application/json",
             port=None, source="127.0.0.1"):
        """(code, body), which is text of a server that reads no further."""
        data = content if isinstance(content, bytes) else \
            json.dumps(content).encode()
        context = ssl.create_default_context(cadata=authority)
        path = url.split("/", 3)[3]
        port = port or self.port
        with socket.create_connection(("127.0.0.1", port), 20,
                                      (source, 0)) as raw, \
                context.wrap_socket(raw, server_hostname="127.0.0.1") as link:
            head = (f"POST /{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    f"Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n"
                    f"Authorization: Bearer {token}\r\n"
                    "Connection: close\r\n\r\n")
            link.sendall(head.encode() + data)
            answer = b""
            while piece := link.recv(65536):
                answer += piece
        head, _, text = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(text or b"null")


def a_report_reaches_the_status(f):
    """of each kind, by its own token, and it is paced"""
    for kind in KINDS:
        name = f"curve-{kind.plural}"
        path = f.job(kind, name)
        pod = f.pod_of(name)
        url, authority, audience = f.told(pod)
        equal(url, f"https://127.0.0.1:{f.port}/progress/namespaces/default/"
                   f"{kind.plural}/{name}")
        token = f.token(pod, audience)
        code, taken = f.post(url, authority, token, body(
            metrics=[{"name": "loss", "value": "0.2"}]))
        equal(code, 200)
        equal(taken["trainerStatus"]["progressPercentage"], 45)
        equal(f.post(url, authority, token, body(),
                     "application/json; charset=utf-8")[0], 200)
        progress = wait_for("the report in the status", lambda: f.client.get(
            path).get("status", {}).get("progress"), LIMIT)
        equal((progress["percent"], progress["metrics"], progress["source"]),
              (45, [{"name": "loss", "value": "0.2"}],
               pod["metadata"]["name"]))
        contains(f.kubectl("get", kind.plural, name, "-o", "wide").stdout,
                 "45")


def what_is_no_report_of_the_job_is_refused(f):
    """tokens of other jobs, pods, namespaces, audiences, times, and bodies"""
    f.job(PYTORCH, "mine")
    f.job(PYTORCH, "other")
    pod, other = f.pod_of("mine"), f.pod_of("other")
    url, authority, audience = f.told(pod)
    other_url, _, other_audience = f.told(other)
    good = f.token(pod, audience)
    stranger = f.stranger("stranger")
    f.client.post("/api/v1/namespaces", {"metadata": {"name": "elsewhere"}})
    f.add_account("elsewhere")
    far = f.stranger("far", "elsewhere")
    no_job = url.replace("/mine", "/absent")
    refused = {
        "none": (url, ""),
        "nonsense": (url, "a.b.c"),
        "another job's": (url, f.token(other, other_audience)),
        "a pod of another job": (url, f.token(other, audience)),
        "a pod of no job": (url, f.token(stranger, audience)),
        "a pod elsewhere": (url, f.token(far, audience, "elsewhere")),
        "no pod's": (url, f.token(None, audience)),
        "for the API server": (url, f.token(pod, "https://kubernetes.default")),
        "for another URL": (other_url, good),
        "for a job that is not there": (no_job, good),
    }
    answers = {}
    for what, (where, token) in refused.items():
        code, answer = f.post(where, authority, token, body())
        equal((what, code), (what, 403))
        answers[what] = answer["message"]
    equal(len(set(answers.values())), 1)
    for what, content, code in (
            ("text", b"hello", 422), ("nothing", b"", 422),
            ("a list", b"[]", 422), ("too far", body(101), 422),
            ("deep", b"[" * 60000, 422)):
        time.sleep(1)
        equal((what, f.post(url, authority, good, content)[0]), (what, code))
    equal(f.post(url, authority, good, b" " * 70000)[0], 413)
    # What `curl -d` sends, and nothing.
    for kind in ("application/x-www-form-urlencoded", ""):
        code, answer = f.post(url, authority, good, body(), kind)
        equal((kind, code), (kind, 415))
        contains(answer["message"], "application/json")
    time.sleep(3)
    codes = [f.post(url, authority, good, body(n))[0] for n in range(8)]
    equal(sorted(set(codes)), [200, 429])
    f.set_phase(pod["metadata"]["name"], "Succeeded")
    wait_for("reports of the ended pod to be refused", lambda: f.post(
        url, authority, good, body())[0] == 403, LIMIT)


def a_token_that_is_not_genuine_is_refused(f):
    """changed, cut, or of a pod that has gone"""
    f.job(PYTORCH, "late")
    pod = f.pod_of("late")
    url, authority, audience = f.told(pod)
    token = f.token(pod, audience)
    head, claims, _ = token.split(".")
    equal(f.post(url, authority, token, body())[0], 200)
    for wrong in (f"{head}.{claims}.", token[:-6] + "AAAAAA", head,
                  token + "x"):
        equal(f.post(url, authority, wrong, body())[0], 403)
    f.client.delete(f"{CORE}/pods/{pod['metadata']['name']}",
                    {"gracePeriodSeconds": 0})
    wait_for("the token of a pod that has gone to be refused", lambda: f.post(
        url, authority, token, body())[0] == 403, LIMIT)


def a_standby_hands_reports_to_the_leader(f):
    """and when that one ends, the other takes them"""
    path = f.job(PYTORCH, "led")
    pod = f.pod_of("led")
    url, authority, audience = f.told(pod)
    token = f.token(pod, audience)

    def percent():
        return f.client.get(path).get("status", {}).get(
            "progress", {}).get("percent")

    with f.standby() as (second, port):
        leads = {int(value) for _, value in
                 second.metric("leader_election_master_status")}
        equal(leads, {0})

        def taken_by_standby(percentage):
            return f.post(url, f.bundle(), token, body(percentage),
                          port=port)[0]

        wait_for("the standby to know the leader",
                 lambda: taken_by_standby(50) == 200, LIMIT)
        wait_for("the report in the status", lambda: percent() == 50, LIMIT)
        equal(f.post(url, f.bundle(), "a.b.c", body(51), port=port)[0], 403)
        f.operator.child.stop()
        try:
            began = time.monotonic()
            wait_for("the other to take reports", lambda: (
                time.sleep(1), taken_by_standby(60))[1] == 200, LIMIT)
            # A program reports every five seconds: at most one is not taken.
            print(f"   reports were taken again after "
                  f"{time.monotonic() - began:.1f} s")
            wait_for("the report in the status", lambda: percent() == 60, LIMIT)
        finally:
            f.operator.child.start()
    wait_for("the operator", f.operator.ready, LIMIT)


def reviews_come_through_whatever_pods_send(f):
    """2000 connections of pods, some of which never say a word"""
    f.job(PYTORCH, "busy")
    pod = f.pod_of("busy")
    url, authority, audience = f.told(pod)
    token = f.token(pod, audience)
    port = f.balancer.ports[0]  # Not that of the balancer: it is slow.
    # Pods have other addresses than API servers.
    equal(f.post(url, authority, token, body(), port=port,
                 source="127.0.0.9")[0], 200)
    context = ssl.create_default_context(cadata=authority)
    head = (f"POST /{url.split('/', 3)[3]} HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: 999\r\nAuthorization: Bearer {token}\r\n\r\n")
    crowd, stopping = [], threading.Event()
    wrong = PYTORCH.manifest("wrong")
    for replicas in wrong["spec"][PYTORCH.field].values():
        replicas["template"]["spec"]["containers"][0]["name"] = "other"

    def send(number):
        """One of many pods, with an address of its own."""
        try:
            raw = socket.create_connection(
                ("127.0.0.1", port), 10,
                (f"127.1.{number // 200}.{number % 200 + 1}", 0))
            crowd.append(raw)
            if number % 2:
                link = context.wrap_socket(raw, server_hostname="127.0.0.1")
                crowd.append(link)
                link.sendall(head.encode())
        except OSError:
            pass  # The server needed the room.

    def send_all():
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for number in range(2000):
                if not stopping.is_set():
                    pool.submit(send, number)

    thread = threading.Thread(target=send_all)
    took = []
    try:
        thread.start()
        while thread.is_alive() or len(took) < 20:
            began = time.monotonic()
            code, why = f.refused(
                "POST", f"{GROUP}/namespaces/default/pytorchjobs",
                wrong)
            contains(why, "denied the request")
            equal(code, 403)
            took.append(time.monotonic() - began)
    finally:
        stopping.set()
        thread.join()
        for one in crowd:
            one.close()
    print(f"   {len(took)} reviews, the slowest in {max(took):.2f} s")
    if max(took) > 5:  # An API server waits for ten.
        raise AssertionError(f"a review took {max(took):.1f} s")


def a_job_that_has_gone_is_not_found(f):
    """404, to its own token only"""
    path = f.job(PYTORCH, "gone")
    pod = f.pod_of("gone")
    url, authority, audience = f.told(pod)
    token = f.token(pod, audience)
    equal(f.post(url, authority, token, body())[0], 200)
    f.client.delete(path)  # Nobody collects its pods here.
    wait_for("404", lambda: f.post(url, authority, token, body())[0] == 404,
             LIMIT)


def a_silent_job_is_restarted(f):
    """as a whole, and counted; it is told, and over with the next report"""
    path = f.job(PYTORCH, "hangs", {"progress": {
        "report": True, "stalledAfter": "3s", "startWithin": "10m",
        "onStalled": "RestartJob"}})

    def status():
        return f.client.get(path).get("status") or {}

    def stalled():
        return {c["status"]: c["message"] for c in status().get(
            "conditions", ()) if c["type"] == "Stalled"}

    def pods(attempt):
        """Those of an attempt, which run then."""
        selector = ("labelSelector=training.kubeflow.org/job-name%3Dhangs,"
                    f"training.kubeflow.org/restart-attempt%3D{attempt}")
        found = wait_for(f"the pods of attempt {attempt}", lambda: [
            all_ for all_ in [f.client.get(f"{CORE}/pods?{selector}")["items"]]
            if len(all_) == len(PYTORCH.pods("hangs"))], LIMIT)[0]
        for pod in found:
            f.set_phase(pod["metadata"]["name"], "Running")
        return found

    def report(pod, percent):
        url, authority, audience = f.told(pod)
        equal(f.post(url, authority, f.token(pod, audience),
                     body(percent))[0], 200)

    first = pods(0)
    equal({p["spec"]["restartPolicy"] for p in first}, {"Never"})
    report(first[0], 45)
    wait_for("a restart", lambda: status().get("restartAttempt") == 1, LIMIT)
    last = status()["lastRestart"]
    equal((last["reason"], last.get("pod"), status()["countedRestarts"]),
          ("Stalled", None, 1))
    contains(stalled()["True"], "no progress for 3s (last: 45%)")
    second = pods(1)
    equal({p["metadata"]["uid"] for p in first}
          & {p["metadata"]["uid"] for p in second}, set())
    report(second[0], 46)
    wait_for("the end of the stall", lambda: "False" in stalled(), LIMIT)
    equal([c["type"] for c in status()["conditions"]][-1], "Running")
    wait_for("the next one", lambda: status()["restartAttempt"] == 2, LIMIT)
    contains(f.kubectl("get", "events").stdout, "PyTorchJobStalled")


# Reviews first: later, reports come from the API server's address, too.
CASES = [reviews_come_through_whatever_pods_send, a_report_reaches_the_status,
         what_is_no_report_of_the_job_is_refused,
         a_token_that_is_not_genuine_is_refused,
         a_job_that_has_gone_is_not_found, a_silent_job_is_restarted,
         a_standby_hands_reports_to_the_leader]

if __name__ == "__main__":
    sys.exit(main(CASES, ProgressFixture, __doc__))
