"""Requests for replicas of a DIJob of the innocent tenant, by pods that are not
the job's, or no longer. Each pod has an address of its own of this machine."""

import http.client
import json
import time

from tenants import LIMIT, SETTLED, attack, equal, shipped_objects, wait_for

from attacks_on_jobs import await_own_pods, copied
from checks import contains
from jobs.kinds import DI
from operators.operator_fixture import reported

JOB, COORDINATOR = "wanted", "wanted-coordinator"
PATH = "/v1alpha1/replicas"
TOKEN, CLIENT = "x-troupe-di-server-token", "x-troupe-di-server-client"
# Of pods.
OWNER, COLLECTOR, ON_HOST, STRANGER = (f"127.0.7.{i}" for i in range(1, 5))


class Wanted:
    """The innocent tenant's DIJob, and requests about it."""

    def __init__(self, fixture, name=JOB, **spec):
        self.fixture, self.ns, self.name = fixture, fixture.innocent, name
        self.coordinator = name + "-coordinator"
        template = {"template": {"spec": {**spec, "containers": [
            {"name": "di-container", "image": "registry.example/di:1"}]}}}
        self.ns.client.post(self.ns.of(DI), {
            "apiVersion": "diengine.opendilab.org/v1alpha1", "kind": "DIJob",
            "metadata": {"name": name}, "spec": {
                "cleanPodPolicy": "None", **{part: template for part in (
                    "coordinator", "collector", "learner")}}})
        wait_for("the coordinator", lambda: self.ns.find(
            self.ns.core("pods", self.coordinator)), LIMIT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.client.delete(self.ns.of(DI, self.name))
        self.ns.collect(DI, self.name)

    def set_status(self, pod, address, phase="Running", **more):
        path = self.ns.core("pods", pod)
        containers = self.ns.client.get(path)["spec"]["containers"]
        self.ns.client.merge(path + "/status", {"status": {
            **reported(containers, phase), "podIP": address,
            "podIPs": [{"ip": address}], **more}})

    def ask(self, address, collectors=1, **headers):
        """(status, message) of a request that comes from there."""
        link = http.client.HTTPConnection(
            "127.0.0.1", self.fixture.operator.di_server, timeout=LIMIT,
            source_address=(address, 0))
        body = {"namespace": self.ns.name, "coordinator": self.coordinator,
                "collectors": {"replicas": collectors}}
        try:
            link.request("POST", PATH, json.dumps(body), {
                "Content-Type": "application/json",
                **{name.replace("_", "-"): value
                   for name, value in headers.items()}})
            answer = link.getresponse()
            return answer.status, json.load(answer)["message"]
        finally:
            link.close()

    def await_served(self, address):
        """The operator knows that the address is the job's."""
        wait_for("di-server to know the pod",
                 lambda: self.ask(address, 0)[0] == 200, LIMIT)

    def pods(self):
        return self.ns.uids(DI, self.name)

    def refuse(self, address, **headers):
        """What is said to a request from there, which changes nothing."""
        before = self.pods()
        status, message = self.ask(address, **headers)
        equal(status, 403, f"the answer ({message})")
        equal(self.pods(), before, "pods")
        return message


@attack
def strangers(fixture, ns):
    """a pod of another namespace that names the job as its owner"""
    with Wanted(fixture) as job:
        job.set_status(job.coordinator, OWNER)
        job.await_served(OWNER)
        item = job.ns.client.get(job.ns.core("pods", job.coordinator))
        ns.client.post(ns.core("pods"), copied(item, ns.name))
        ns.set_status(job.coordinator, **reported(
            item["spec"]["containers"], "Running"), podIP=STRANGER,
            podIPs=[{"ip": STRANGER}])
        await_own_pods(ns)
        job.refuse(STRANGER)
        equal(job.ask(OWNER)[0], 200, "the owner's answer")


@attack
def ended_pods(fixture, _):
    """the address of a pod of the job that has ended, which others may get"""
    with Wanted(fixture) as job:
        job.set_status(job.coordinator, OWNER)
        job.await_served(OWNER)
        equal(job.ask(OWNER)[0], 200, "the owner's answer")
        collector, = set(job.pods()) - {job.coordinator}
        job.set_status(collector, COLLECTOR)
        job.await_served(COLLECTOR)
        job.set_status(collector, COLLECTOR, "Succeeded")
        time.sleep(SETTLED)
        job.refuse(COLLECTOR)


@attack
def host_network(fixture, _):
    """the address of a node, which every pod on its network has"""
    with Wanted(fixture, hostNetwork=True) as job:
        job.set_status(job.coordinator, ON_HOST, hostIP=ON_HOST)
        time.sleep(SETTLED)
        contains(job.refuse(ON_HOST), "--di-server-access")


@attack
def forged_headers(fixture, ns):
    """headers by which replicas vouch for a client, with what can be read"""
    with Wanted(fixture) as job:
        job.set_status(job.coordinator, OWNER)
        job.await_served(OWNER)
        leases = fixture.client.get(
            "/apis/coordination.k8s.io/v1/namespaces/"
            f"{shipped_objects.NAMESPACE}/leases")["items"]
        readable = {value for lease in leases for value in
                    lease["metadata"].get("annotations", {}).values()}
        for token in ["", "x", *readable]:
            for client in ("", OWNER, "127.0.0.1"):
                job.refuse(STRANGER, **{TOKEN: token, CLIENT: client})
            job.refuse(STRANGER, **{TOKEN: token})
        job.refuse(STRANGER, **{CLIENT: ""})
    equal(ns.attempt("/apis/coordination.k8s.io/v1/leases", None, "GET")[0],
          403, "leases")


@attack
def after_the_end(fixture, _):
    """a finished job is given no new replicas"""
    with Wanted(fixture) as job:
        job.set_status(job.coordinator, OWNER)
        job.await_served(OWNER)
        equal(job.ask(OWNER)[0], 200, "the owner's answer")
        collector, = set(job.pods()) - {job.coordinator}
        job.set_status(collector, COLLECTOR)
        job.await_served(COLLECTOR)
        job.set_status(job.coordinator, OWNER, "Succeeded")
        job.ns.await_condition(DI, job.name, "Succeeded")
        before = job.pods()
        status, message = job.ask(COLLECTOR)
        equal(400 <= status < 500, True, f"refused: {status} {message}")
        equal(job.pods(), before, "pods")


CASES = [strangers, ended_pods, host_network, forged_headers, after_the_end]
