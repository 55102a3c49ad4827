"""A namespace of its own for one case, with what users and kubelets do there."""

import functools
import itertools
import time

from cluster import wait_for
from control_plane.client import ApiError
from operators.operator_fixture import LIMIT, reported

NUMBERS = itertools.count(1)


def serial(case):
    """Marks a case that must not run beside others."""
    case.serial = True
    return case


def namespace_of(fixture):
    """A fixture may make namespaces of a class of its own."""
    return getattr(fixture, "namespace", lambda: Namespace(fixture))()


def in_namespace(case):
    """Makes a case of `case(ns)`."""
    @functools.wraps(case)
    def run(fixture):
        case(namespace_of(fixture))
    return run


def for_kinds(kinds, case):
    """`case(ns, kind)`: one case for each kind."""
    def of(kind):
        def run(fixture):
            case(namespace_of(fixture), kind)
        run.__name__ = f"{case.__name__}_{kind.short_name}"
        run.__doc__ = f"{kind}: {case.__doc__}"
        run.serial = getattr(case, "serial", False)
        return run
    return [of(kind) for kind in kinds]


def before_and_after(value, seconds=2):
    """`value()` now and some seconds later."""
    before = value()
    time.sleep(seconds)
    return before, value()


class Namespace:
    """A job is named by (kind, name)."""

    def __init__(self, fixture, prefix="ns"):
        self.fixture, self.client = fixture, fixture.client
        self.name = f"{prefix}-{next(NUMBERS)}"
        made = self.client.post("/api/v1/namespaces",
                                {"metadata": {"name": self.name}})
        self.version = made["metadata"]["resourceVersion"]

    # -- paths ---------------------------------------------------------------

    def core(self, what, name=""):
        return self.at("/api/v1", what, name)

    def at(self, group, what, name=""):
        path = f"{group}/namespaces/{self.name}/{what}"
        return f"{path}/{name}" if name else path

    def of(self, kind, job=""):
        return self.at(kind.group, kind.plural, job)

    # -- users ---------------------------------------------------------------

    def make(self, kind, job, *args, **more):
        return self.client.post(self.of(kind),
                                kind.manifest(job, *args, **more))

    def patch(self, kind, job, spec):
        self.client.merge(self.of(kind, job), {"spec": spec})

    def scale(self, kind, job, count):
        """As an autoscaler does: once more if somebody wrote in between."""
        path = self.of(kind, job) + "/scale"

        def written():
            scale = self.client.get(path)
            scale["spec"]["replicas"] = count
            try:
                self.client.call("PUT", path, scale)
            except ApiError as error:
                if error.status != 409:
                    raise
                return False
            return True

        wait_for("a scale without a conflict", written, LIMIT)

    # -- reading -------------------------------------------------------------

    def job(self, kind, job):
        return self.client.get(self.of(kind, job))

    def status(self, kind, job):
        return self.job(kind, job).get("status", {})

    def owned(self, kind, job, what):
        """name -> pod or service of the job, by its labels."""
        answer = self.client.get(
            f"{self.core(what)}?labelSelector={kind.selector(job)}")
        return {o["metadata"]["name"]: o for o in answer["items"]}

    def uids(self, kind, job, what="pods"):
        return {name: o["metadata"]["uid"]
                for name, o in self.owned(kind, job, what).items()}

    def find(self, path):
        """The object, or None."""
        try:
            return self.client.get(path)
        except ApiError as failure:
            if failure.status == 404:
                return None
            raise

    def condition(self, kind, job, name):
        """The condition, or {}."""
        for c in self.status(kind, job).get("conditions", ()):
            if c["type"] == name:
                return c
        return {}

    def events(self, job, reason):
        """Of the job of that name, of whatever kind."""
        items = self.client.get(self.core("events"))["items"]
        return [e for e in items if e["reason"] == reason
                and e["involvedObject"]["name"] == job]

    def warnings(self):
        """What went wrong here, in the words of its Warning events."""
        items = self.client.get(self.core("events"))["items"]
        return [f"{e['involvedObject']['kind']} {e['involvedObject']['name']}: "
                f"{e['reason']}: {e.get('message', '')}"
                for e in items if e["type"] == "Warning"]

    # -- waiting -------------------------------------------------------------

    def await_condition(self, kind, job, name, status="True"):
        try:
            wait_for("a condition", lambda: self.condition(
                kind, job, name).get("status") == status, LIMIT)
        except TimeoutError:
            raise AssertionError(
                f"wanted {kind} {job} {name}={status}, its status is "
                f"{self.status(kind, job)}; warnings: {self.warnings()}")

    def await_pods(self, kind, job, names, services=None):
        """Waits until exactly these pods, and their services, exist."""
        wanted = {"pods": sorted(names)}
        if kind.port:
            wanted["services"] = sorted(names if services is None
                                        else services)

        def found():
            return {w: sorted(self.owned(kind, job, w)) for w in wanted}

        try:
            wait_for("pods", lambda: found() == wanted, LIMIT)
        except TimeoutError:
            raise AssertionError(f"{kind}: wanted {wanted}, found {found()}; "
                                 f"warnings: {self.warnings()}")

    def await_event(self, job, reason, part=""):
        """The event, whose message has `part` in it."""
        def found():
            return [e for e in self.events(job, reason)
                    if part in e.get("message", "")]
        try:
            return wait_for(f"an event {reason} of {job}", found, LIMIT)[0]
        except TimeoutError as error:
            raise AssertionError(
                f"{error}; warnings: {self.warnings()}") from None

    def start(self, kind, job, *args, counts=None, **more):
        """A job whose pods all run."""
        self.make(kind, job, *args, counts=counts, **more)
        self.await_pods(kind, job, kind.pods(job, counts))
        self.run_all(kind, job)
        self.await_condition(kind, job, "Running")

    # -- kubelets ------------------------------------------------------------

    def set_phase(self, pod, phase, code=0):
        path = self.core("pods", pod)
        containers = self.client.get(path)["spec"]["containers"]
        self.client.merge(path + "/status",
                          {"status": reported(containers, phase, code)})

    def run_all(self, kind, job):
        for pod in self.owned(kind, job, "pods"):
            self.set_phase(pod, "Running")

    def succeed(self, kind, job, counts=None):
        """The pods succeed whose success is the job's."""
        for pod in kind.named(job, kind.leads):
            self.set_phase(pod, "Succeeded")
        self.await_condition(kind, job, "Succeeded")

    def replaced(self, kind, job, pod, code):
        """The pod fails, and another one takes its place."""
        before = self.uids(kind, job)[pod]
        self.set_phase(pod, "Failed", code)
        wait_for(f"another {pod}", lambda: self.uids(kind, job).get(
            pod, before) != before, LIMIT)

    # -- the garbage collector -----------------------------------------------

    def collect(self, kind, job):
        for what in ("pods", "services"):
            for name in self.owned(kind, job, what):
                self.client.delete(self.core(what, name),
                                   {"gracePeriodSeconds": 0})
