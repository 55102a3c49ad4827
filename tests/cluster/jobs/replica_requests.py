"""A DIJob whose coordinator asks di-server for replicas."""

import json
import urllib.error
import urllib.request

from cluster import wait_for
from jobs.kinds import DI
from operators.operator_fixture import LIMIT

PARTS = ("coordinator", "collector", "learner")
ANSWER_LIMIT = 60  # seconds


class Unanswered(Exception):
    """Nobody knows what became of the request."""


class Refused(AssertionError):
    """What was done of the request until then is done."""


class ReplicaJob:
    """Its pods' states are written here; `url` is di-server's."""

    def __init__(self, ns, name, url):
        self.ns, self.name = ns, name
        self.url = url + "/v1alpha1/replicas"
        self.coordinator = name + "-coordinator"

    def start(self):
        template = {"template": {"spec": {"containers": [
            {"name": "di-container", "image": "registry.example/ding:1"}]}}}
        self.ns.client.post(self.ns.of(DI), {
            "apiVersion": "diengine.opendilab.org/v1alpha1", "kind": "DIJob",
            "metadata": {"name": self.name},
            "spec": {part: template for part in PARTS}})
        path = self.ns.core("pods", self.coordinator)
        wait_for(path, lambda: self.ns.find(path), LIMIT)
        # di-server takes requests from the job's pods, by their addresses.
        self.ns.client.merge(path + "/status", {"status": {
            "phase": "Running", "podIP": "127.0.0.1",
            "podIPs": [{"ip": "127.0.0.1"}]}})

    # -- requests --------------------------------------------------------------

    def ask(self, method, path="", **body):
        """The `data` of an answer 200."""
        body = {"namespace": self.ns.name, "coordinator": self.coordinator,
                **body}
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_LIMIT) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode()
            if refusal.code in (503, 504):  # The operator is about to end.
                raise Unanswered(text)
            raise Refused(f"{method} {path}: {refusal.code} {text}")
        except (OSError, ValueError) as failure:
            raise Unanswered(str(failure))

    def add(self, collectors=0, learners=0):
        data = self.ask("POST", collectors={"replicas": collectors},
                        learners={"replicas": learners})
        return names_of(data)

    def remove(self, collectors=0, learners=0):
        data = self.ask("DELETE", collectors={"replicas": collectors},
                        learners={"replicas": learners})
        return names_of(data)

    def report_failed(self, *pods):
        return names_of(self.ask("POST", "/failed", collectors=list(pods),
                                 learners=[]))

    def listed(self):
        query = f"?namespace={self.ns.name}&coordinator={self.coordinator}"
        return set(names_of(self.ask("GET", query)))

    # -- what there is -----------------------------------------------------------

    def existing(self, what="pods"):
        """Names, without the coordinator's."""
        return {name for name, item in
                self.ns.owned(DI, self.name, what).items()
                if "deletionTimestamp" not in item["metadata"]
                } - {self.coordinator}


def names_of(data):
    """The pods of an answer, by their addresses NAME.NAMESPACE:PORT."""
    return [url.split(":")[0].rsplit(".", 1)[0]
            for side in ("collectors", "learners") for url in data[side] or ()]
