"""Two tenants of one cluster and the operator: an innocent one, whose jobs run,
and a hostile one, whose account may create jobs, pods and services in a
namespace of its own. Whatever that one does, the other does not notice."""

import os
import sys
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from checks import equal  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402
from control_plane import accounts  # noqa: E402
from control_plane.client import ApiError, Client  # noqa: E402
from jobs.kinds import DI, KINDS, TF  # noqa: E402
from jobs.namespace import Namespace  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT, OperatorFixture  # noqa: E402
from process import free_port  # noqa: E402

PODS_WITHIN = 5  # seconds more than what an undisturbed job waits for its pods
MOST_MEMORY = 200  # MiB of the operator
SETTLED = 3  # seconds after which a status would have been written
ACCOUNT = "tenant"
# What a user may do who trains in a namespace.
RULES = [
    {"apiGroups": ["kubeflow.org", "diengine.opendilab.org"],
     "resources": ["*"], "verbs": ["*"]},
    {"apiGroups": [""], "resources": ["pods", "services", "configmaps"],
     "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]}]


class HostileNamespace(Namespace):
    """What is asked for here is asked for by the hostile tenant."""

    def __init__(self, fixture):
        super().__init__(fixture, "hostile")
        self.fixture.cluster.kubectl(
            "apply", "-f", "-", stdin=yaml.safe_dump_all(self.account()))
        self.admin, self.client = self.client, Client(
            accounts.write_kubeconfig(fixture.cluster, self.name, ACCOUNT))
        wait_for("the tenant's rights", lambda: accounts.may(
            self.admin, self.name, ACCOUNT, "create", "kubeflow.org",
            "tfjobs"), LIMIT)

    def account(self):
        place = {"name": ACCOUNT, "namespace": self.name}
        group = "rbac.authorization.k8s.io"
        return [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place},
            {"apiVersion": group + "/v1", "kind": "Role", "metadata": place,
             "rules": RULES},
            {"apiVersion": group + "/v1", "kind": "RoleBinding",
             "metadata": place, "roleRef": {
                 "apiGroup": group, "kind": "Role", "name": ACCOUNT},
             "subjects": [{"kind": "ServiceAccount", **place}]}]

    def attempt(self, path, body, method="POST"):
        """(status, answer) of a request that may be refused."""
        try:
            return 201, self.client.call(method, path, body)
        except ApiError as refusal:
            return refusal.status, str(refusal)

    def set_status(self, pod, **status):
        """As a kubelet, not as the tenant."""
        self.admin.merge(self.core("pods", pod) + "/status",
                         {"status": status})


def withdraw_jobs(client, ns):
    """Deletes all jobs, and as the garbage collector what they had."""
    for kind in [*KINDS, DI]:
        client.delete(ns.of(kind))
    for what in ("pods", "services", "configmaps"):
        for item in client.get(ns.core(what))["items"]:
            client.text("DELETE", ns.core(what, item["metadata"]["name"]),
                        {"gracePeriodSeconds": 0})


class Tenants(OperatorFixture):
    """The operator has the account, the roles and, with `webhooks`, the
    webhooks of deploy/."""

    def __init__(self, troupe, more, webhooks):
        self.with_webhooks, port = webhooks, free_port()
        super().__init__(troupe, [
            "--leader-elect", "--leader-election-namespace",
            shipped_objects.NAMESPACE,
            *(["--webhook-url", f"https://127.0.0.1:{port}",
               "--webhook-server-port", str(port)] if webhooks else []),
            *more], self.install, Cluster(crds=True),
            shipped_objects.KUBECONFIG)
        if webhooks:
            self.operator.webhooks = port

    def install(self, cluster):
        shipped_objects.install_account(cluster)
        if self.with_webhooks:
            shipped_objects.install_webhooks(cluster)

    def __enter__(self):
        super().__enter__()
        try:
            self.number, self.harmed = 0, False
            self.settle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def settle(self):
        """The innocent tenant's jobs run."""
        self.innocent = ns = Namespace(self, "innocent")
        for kind in KINDS:
            wait_for("the operator to admit jobs", lambda: self.admitted(
                lambda: ns.make(kind, job_of(kind))), LIMIT)
        for kind in KINDS:
            ns.await_pods(kind, job_of(kind), kind.pods(job_of(kind)))
            ns.run_all(kind, job_of(kind))
            ns.await_condition(kind, job_of(kind), "Running")
        self.before = wait_for("the statuses to settle", self.settled, LIMIT)
        self.usual = self.new_job()

    def recover(self):
        """After an attack that has succeeded: another process, other jobs."""
        self.operator.kill()
        withdraw_jobs(self.client, self.innocent)
        self.operator.start()
        self.settle()
        self.harmed = False

    @staticmethod
    def admitted(post):
        """Webhooks refuse until the operator has written whom to trust."""
        try:
            return post()
        except ApiError as refusal:
            if refusal.status < 500:
                raise
            return None

    # -- what the innocent tenant has ------------------------------------------

    def seen(self):
        """Of each job its status, and its pods with UID and phase."""
        return {str(kind): (self.innocent.status(kind, job_of(kind)), {
            name: (pod["metadata"]["uid"], pod["status"]["phase"],
                   "deletionTimestamp" in pod["metadata"])
            for name, pod in self.innocent.owned(
                kind, job_of(kind), "pods").items()})
            for kind in KINDS}

    def settled(self):
        before = self.seen()
        time.sleep(SETTLED)
        return before == self.seen() and before

    def new_job(self):
        """Seconds until a new job of the innocent tenant has its pods."""
        self.number += 1
        job = f"new-{self.number}"
        start = time.monotonic()
        wait_for("admission", lambda: self.admitted(
            lambda: self.innocent.make(TF, job)), LIMIT)
        self.innocent.await_pods(TF, job, TF.pods(job))
        seconds = time.monotonic() - start
        self.innocent.await_event(job, "SuccessfulCreatePod")
        self.client.delete(self.innocent.of(TF, job))
        self.innocent.collect(TF, job)
        return seconds

    # -- what attacks are judged by --------------------------------------------

    def begin(self):
        """A namespace for an attack; from now on memory is measured."""
        if self.harmed:
            self.recover()
        self.pid = self.operator.child.pid
        with open(f"/proc/{self.pid}/clear_refs", "w") as file:
            file.write("5")  # VmHWM begins anew.
        return HostileNamespace(self)

    def check_unharmed(self):
        """While the attack goes on, or after it."""
        took = self.new_job()
        time.sleep(SETTLED)
        for kind, (status, pods) in self.seen().items():
            equal((status, pods), self.before[kind], f"the innocent {kind}")
        equal(self.operator.child.running(), True, "the operator runs")
        now, peak = self.operator.memory()
        print(f"     pods of a new job after {took:.1f} s ({self.usual:.1f} "
              f"undisturbed), at the peak {peak:.0f} MiB", flush=True)
        equal(peak < MOST_MEMORY, True,
              f"{peak:.0f} MiB at the peak, {now:.0f} now, fewer than "
              f"{MOST_MEMORY}")
        equal(took < PODS_WITHIN + self.usual, True,
              f"{took:.1f} s until a new job had its pods, which is soon")


def job_of(kind):
    return "innocent-" + kind.short_name


def attack(case):
    """Makes a case of `case(fixture, ns)`, which is judged at its end."""
    def run(fixture):
        ns = fixture.begin()
        fixture.harmed = True  # until the end
        try:
            case(fixture, ns)
            fixture.check_unharmed()
            fixture.harmed = False
        finally:
            withdraw_jobs(fixture.client, ns)
    run.__name__, run.__doc__ = case.__name__, case.__doc__
    return run
