#!/usr/bin/python3
"""di-server inside `troupe operator`: who may ask, and which replica answers."""

import copy
import signal
import sys
import threading
import urllib.error

from test_up import Up
from troupe import Folder, Program, http, wait_until

from checks import contains, equal, run  # of ../cluster
from process import free_port  # of ../cluster

JOBS = "/apis/diengine.opendilab.org/v1alpha1/namespaces/default/dijobs"
PODS = "/api/v1/namespaces/default/pods"
TEMPLATE = {"template": {"spec": {"containers": [
    {"name": "di-container", "image": "example/di:1"}]}}}


class Operator(Program):
    """`troupe operator` that answers requests at `self.url`."""

    def __init__(self, up, *args):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/v1alpha1/replicas"
        super().__init__(
            "operator", "--kubeconfig", up.kubeconfig,
            "--enable-scheme", "DIJob",
            "--health-probe-bind-address", "0", "--metrics-bind-address", "0",
            "--admin-bind-address", "0",
            "--di-server-bind-address", f"127.0.0.1:{port}", *args)

    def add(self, collectors):
        try:
            return http("POST", self.url, {
                "namespace": "default", "coordinator": "job-coordinator",
                "collectors": {"replicas": collectors}})
        except urllib.error.URLError as why:  # It has just been started.
            return 0, str(why)

    def collectors(self):
        status, answer = http("GET", self.url + "?namespace=default"
                              "&coordinator=job-coordinator")
        equal(status, 200, str(answer))
        return answer["data"]["collectors"]


def create_job(up, name="job", **pod):
    template = copy.deepcopy(TEMPLATE)
    template["template"]["spec"].update(pod)
    status, answer = up.ask("POST", JOBS, {
        "apiVersion": "diengine.opendilab.org/v1alpha1", "kind": "DIJob",
        "metadata": {"name": name},
        "spec": {"cleanPodPolicy": "None",
                 **{part: template
                    for part in ("coordinator", "collector", "learner")}}})
    equal(status, 201, f"creating: {answer}")


def await_pod(up, name):
    wait_until(f"the pod {name}",
               lambda: up.ask("GET", f"{PODS}/{name}")[0] == 200)


def set_address(up, pod, address, phase="Running"):
    status, answer = up.ask(
        "PATCH", f"{PODS}/{pod}/status",
        {"status": {"phase": phase, "podIP": address}},
        "application/merge-patch+json")
    equal(status, 200, f"setting podIP: {answer}")


def access(_):
    """only pods of the job may ask, unless everybody may"""
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        create_job(up)
        await_pod(up, "job-coordinator")
        wait_until("it to listen", lambda: operator.add(0)[0])
        status, answer = operator.add(1)
        equal(status, 403)
        contains(answer["message"], "none of them has the address 127.0.0.1")
        equal(answer["data"]["collectors"], None)
        equal(http("GET", operator.url + "?namespace=default")[1]["data"], [])
        # The kubelet may be late with the address.
        answers = []
        asking = threading.Thread(
            target=lambda: answers.append(operator.add(2)))
        asking.start()
        set_address(up, "job-coordinator", "127.0.0.1")
        asking.join()
        equal(answers[0][0], 200, str(answers))
        equal(sorted(operator.collectors()),
              sorted(answers[0][1]["data"]["collectors"]))
    with Up("--no-operator", "--no-node") as up, Operator(
            up, "--di-server-access", "anybody") as operator:
        create_job(up)
        await_pod(up, "job-coordinator")
        wait_until("it to listen", lambda: operator.add(0)[0])
        equal(operator.add(1)[0], 200)
        listed = http("GET", operator.url)[1]["data"]
        equal([(e["coordinator"], len(e["collectors"])) for e in listed],
              [("job-coordinator", 1)])


def addresses(_):
    """the addresses of ended pods and of those on the node's network are not
    the job's, and a job that has ended gets no more replicas"""
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        create_job(up, hostNetwork=True)
        await_pod(up, "job-coordinator")
        set_address(up, "job-coordinator", "127.0.0.1")
        wait_until("it to listen", lambda: operator.add(0)[0])
        status, answer = operator.add(1)
        equal(status, 403)
        contains(answer["message"], "--di-server-access")
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        create_job(up)
        await_pod(up, "job-coordinator")
        set_address(up, "job-coordinator", "127.0.0.1")
        wait_until("a response", lambda: operator.add(1)[0] == 200)
        (collector,) = operator.collectors()
        set_address(up, "job-coordinator", "127.0.0.1", "Succeeded")
        wait_until("the address to be nobody's",
                   lambda: operator.add(0)[0] == 403)
        # Of a collector that runs on.
        set_address(up, collector.split(".")[0], "127.0.0.1")
        status, answer = operator.add(1)
        equal(status, 409, str(answer))
        contains(answer["message"], "has ended")
        equal(len(operator.collectors()), 1)


def standby(_):
    """a standby forwards requests to the replica that leads"""
    elects = ("--leader-elect", "--leader-election-namespace", "default",
              "--leader-election-lease-duration", "3s",
              "--leader-election-renew-deadline", "2s",
              "--leader-election-retry-period", "500ms",
              "--di-server-advertise-host", "127.0.0.1")
    with Up("--no-operator", "--no-node") as up, Operator(
            up, *elects) as first, Operator(up, *elects) as second:
        create_job(up)
        await_pod(up, "job-coordinator")
        set_address(up, "job-coordinator", "127.0.0.1")
        for operator in (first, second):
            wait_until("a response", lambda: operator.add(1)[0] == 200)
        equal(len(first.collectors()), 2)
        equal(first.collectors(), second.collectors())
        lease = up.get("/apis/coordination.k8s.io/v1/namespaces/default/leases"
                       "/1ca428e5.training-operator.kubeflow.org")
        annotations = lease["metadata"]["annotations"]
        leads = annotations["training.kubeflow.org/di-server-address"]
        equal("training.kubeflow.org/di-server-token" in annotations, False)
        # Nobody vouches for a client by a header of his own.
        for said in ("", f"{annotations['training.kubeflow.org/di-server-term']}"
                     f" me 1 127.0.0.1 {'0' * 64} {'0' * 64}"):
            for operator in (first, second):
                status, answer = http(
                    "POST", operator.url,
                    {"namespace": "default", "coordinator": "job-coordinator"},
                    headers={"X-Troupe-Di-Server-Forwarded": said})
                equal(status, 403, str(answer))
        leader, other = ((first, second) if leads in first.url
                         else (second, first))
        leader.__exit__()
        wait_until("the other to lead", lambda: other.add(1)[0] == 200)
        equal(len(other.collectors()), 3)


def apart(_):
    """`troupe di-server` beside an operator, with the original's flags"""
    with Up("--no-node", "--di-server-bind-address", "0") as up:
        port = free_port()
        server = Operator.__new__(Operator)
        server.url = f"http://127.0.0.1:{port}/v1alpha1/replicas"
        Program.__init__(
            server, "di-server", "--kubeconfig", up.kubeconfig,
            f"-server-bind-address=127.0.0.1:{port}",
            "--lease-lock-namespace=default", "--leader-elect",
            "--agconfig-name=aggregators", "--di-server-access=anybody")
        with server:
            create_job(up)
            await_pod(up, "job-coordinator")
            wait_until("a response", lambda: server.add(2)[0] == 200)
            equal(len(server.collectors()), 2)
            # The operator makes the services.
            services = "/api/v1/namespaces/default/services"
            wait_until("services", lambda: sum(
                s["metadata"]["name"].startswith("job-")
                for s in up.get(services)["items"]) == 3)
            status, answer = http("POST", server.url, {
                "namespace": "default", "coordinator": "job-coordinator",
                "learners": {"replicas": 1, "gpus": 2}})
            equal((status, answer["message"]),
                  (404, "AGConfig: di-system/aggregators not exists in cache"))
            lease = up.get("/apis/coordination.k8s.io/v1/namespaces/default"
                           "/leases/di-server")
            equal(lease["spec"]["leaseDurationSeconds"], 60)


def crowd(_):
    """requests of many clients at once are all carried out"""
    with Up("--no-operator", "--no-node") as up, Operator(
            up, "--di-server-access", "anybody") as operator:
        create_job(up)
        await_pod(up, "job-coordinator")
        wait_until("it to listen", lambda: operator.add(0)[0])
        answers = []
        clients = [threading.Thread(
            target=lambda: answers.append(operator.add(1)[0]))
            for _ in range(50)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        equal(answers, [200] * 50)
        equal(len(operator.collectors()), 50)


def ending(_):
    """requests that the operator cannot carry out before its end are answered"""
    with Up("--no-operator", "--no-node") as up, Operator(
            up, "--di-server-access", "anybody") as operator:
        create_job(up)
        await_pod(up, "job-coordinator")
        wait_until("it to listen", lambda: operator.add(0)[0])
        answers = []
        clients = [threading.Thread(
            target=lambda: answers.append(operator.add(1000)))
            for _ in range(20)]
        for client in clients:
            client.start()
        wait_until("replicas", lambda: len(up.get(PODS)["items"]) > 100)
        operator.signal(signal.SIGTERM)
        for client in clients:
            client.join()
        for status, answer in answers:
            contains((200, 500, 503), status)
            equal(answer["success"], status == 200, str(answer)[:200])
        contains([status for status, _ in answers], 503)
        operator.end()


if __name__ == "__main__":
    sys.exit(run((access, addresses, standby, apart, crowd, ending), Folder, *sys.argv[1:2]))
