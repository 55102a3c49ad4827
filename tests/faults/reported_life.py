"""Lives of jobs whose program reports how far it is.

The reports come with real tokens, over the operator's own port; a report that
was not taken is sent again, as programs do. In the second life the program
falls silent, so that the job is restarted, and then goes on.
"""

import http.client
import json
import os
import re
import ssl
import time

from fault_proxy import FaultProxy, answer_of
from life import JOB, Differs, Life
from process import free_port

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/"
AUTHORITY = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE"
                       r"-----(\\n)?", re.S)
AUDIENCE = re.compile(r'"audience": "[^"]*"')
BETWEEN_REPORTS = 1.1  # seconds; a pod may report once a second


class ReportProxy(FaultProxy):
    """Keeps the configuration of webhooks, of which a cluster has one and each
    operator here would make its own: the API server asks none of them."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.configurations = {}  # path -> body

    def uncounted(self, request):
        path = request.path.split("?")[0]
        if not path.startswith(CONFIGURATIONS):
            return super().uncounted(request)
        if request.method == "POST":
            path += "/" + json.loads(request.body)["metadata"]["name"]
        if request.method in ("POST", "PUT"):
            self.configurations[path] = request.body
        body = self.configurations.get(path)
        return answer_of(200, body) if body else answer_of(404, json.dumps({
            "kind": "Status", "apiVersion": "v1", "status": "Failure",
            "reason": "NotFound", "code": 404}).encode())


class ReportedLife(Life):
    Proxy = ReportProxy

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.port = free_port()
        self.operator.args += [
            "--webhook-server-port", str(self.port),
            "--webhook-url", f"https://127.0.0.1:{self.port}"]
        self.operator.env = {**os.environ, "MY_POD_NAMESPACE": self.name}
        self.token = None  # of the pod that reports
        self.percent = None  # what it tells at present
        self.told = 0  # when it did so last
        self.answer = None

    def begin(self):
        super().begin()
        self.client.post(self.core("serviceaccounts"),
                         {"metadata": {"name": "default"}})

    def state(self):
        """The authority is another one in each life, and so is what it signs
        for."""
        return AUDIENCE.sub('"audience": "*"',
                            AUTHORITY.sub("AUTHORITY", super().state()))

    # -- the program -----------------------------------------------------------

    def reporter(self):
        """The pod that reports, and its token, as a kubelet asks for it."""
        pod = self.client.get(self.core("pods", f"{JOB}-master-0"))
        uid = pod["metadata"]["uid"]
        if not self.token or self.token[0] != uid:
            (volume,) = [v for v in pod["spec"]["volumes"]
                         if v["name"] == "kubeflow-trainer-token"]
            token = volume["projected"]["sources"][0]["serviceAccountToken"]
            self.token = uid, self.client.post(
                self.core("serviceaccounts", "default") + "/token", {
                    "apiVersion": "authentication.k8s.io/v1",
                    "kind": "TokenRequest",
                    "spec": {"audiences": [token["audience"]],
                             "expirationSeconds": 3600,
                             "boundObjectRef": {
                                 "apiVersion": "v1", "kind": "Pod",
                                 "name": pod["metadata"]["name"],
                                 "uid": uid}}})["status"]["token"]
        return pod, self.token[1]

    def send_report(self, percent):
        pod, token = self.reporter()
        env = {e["name"]: e.get("value")
               for e in pod["spec"]["containers"][0]["env"]}
        url = env["KUBEFLOW_TRAINER_SERVER_URL"]
        authority = self.client.get(self.core("configmaps", f"{JOB}-progress"))
        trust = ssl.create_default_context(cadata=authority["data"]["ca.crt"])
        link = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5,
                                           context=trust)
        try:
            link.request("POST", "/" + url.split("/", 3)[3], json.dumps(
                {"trainerStatus": {"progressPercentage": percent}}),
                {"Authorization": f"Bearer {token}",
                 "Content-Type": "application/json"})
            self.answer = link.getresponse().status
        except (OSError, http.client.HTTPException) as failure:
            self.answer = failure  # The operator does not run, or just begins.
        finally:
            link.close()

    def tell(self, percent):
        """Until the status has it, and from then on: a process may end with what
        was taken."""
        self.percent = percent
        try:
            self.await_state(lambda: self.status(self.kind, JOB).get(
                "progress", {}).get("percent") == percent,
                f"a report of {percent} %")
        except Differs as late:
            raise Differs(f"{late}; the last answer: {self.answer}") from None

    def await_state(self, test, what):
        super().await_state(lambda: (self.go_on_telling(), test())[1], what)

    def go_on_telling(self):
        if self.percent and time.monotonic() > self.told + BETWEEN_REPORTS:
            self.told = time.monotonic()
            self.send_report(self.percent)

    def run_and_tell(self):
        self.run_pending()
        self.tell(60)

    def tell_first(self):
        self.tell(20)

    def succeed(self):
        self.percent = None
        super().succeed()

    def steps(self):
        names = self.kind.pods(JOB, self.kind.with_workers(2))
        pending, running = (dict.fromkeys(names, phase)
                            for phase in ("Pending", "Running"))
        one_lost = {**running, f"{JOB}-worker-0": "Pending"}
        ended = dict.fromkeys(self.kind.named(JOB, self.kind.leads),
                              "Succeeded")
        return [(self.create, pending, "Created"),
                (self.run_pending, running, "Running"),
                (self.tell_first, running, "Running"),
                (self.lose_worker, one_lost, None),
                (self.run_and_tell, running, "Running"),
                (self.succeed, ended, "Succeeded"),
                (self.expire, ended, None)]


class StalledLife(ReportedLife):
    """It reports, falls silent, is restarted, and reports again."""

    def tell_and_fall_silent(self):
        self.tell(20)
        self.percent = None

    def steps(self):
        names = self.kind.pods(JOB, self.kind.with_workers(2))
        pending, running = (dict.fromkeys(names, phase)
                            for phase in ("Pending", "Running"))
        ended = dict.fromkeys(self.kind.named(JOB, self.kind.leads),
                              "Succeeded")
        return [(self.create, pending, "Created"),
                (self.run_pending, running, "Running"),
                (self.tell_and_fall_silent, pending, "Stalled"),
                (self.run_and_tell, running, "Running"),
                (self.succeed, ended, "Succeeded"),
                (self.expire, ended, None)]
