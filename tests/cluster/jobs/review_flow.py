"""Reviews of jobs without a pause: by an API server, and of each replica."""

import collections
import http.client
import json
import ssl
import threading
import time

from jobs.kinds import GROUP, TF

PATH = "/validate-kubeflow-org-v1-tfjob"
DRY_RUN = f"{GROUP}/namespaces/default/{TF.plural}?dryRun=All"
USERS = 4
PAUSE = 0.02  # seconds between two calls of a thread
BUNDLE_AGE = 0.5  # seconds; an API server learns a new bundle sooner


def review(uid):
    """What an API server asks about a job that is fine."""
    return json.dumps({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {"uid": uid, "operation": "CREATE", "name": "asked",
                    "namespace": "default",
                    "kind": {"group": "kubeflow.org", "version": "v1",
                             "kind": TF.name},
                    "object": TF.manifest("asked")}})


class ReviewFlow:
    """From `with` to its end. `bundle()` reads what the configuration says;
    `ports` are those of the replicas."""

    def __init__(self, client, bundle, ports):
        self.client, self.bundle = client, bundle
        self.failures = []
        self.posted = 0  # through the API server
        self.reviews = collections.Counter()  # by port
        self.certificates = {port: set() for port in ports}
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(self.post,))
                        for _ in range(USERS)]
        self.threads += [threading.Thread(target=self.run,
                                          args=(self.replica(port),))
                         for port in ports]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def run(self, call):
        while not self.ended.wait(PAUSE):
            try:
                call()
            except Exception as failure:
                self.failures.append(f"{type(failure).__name__}: {failure}")

    def post(self):
        """As a user: the API server asks one of the replicas."""
        self.client.post(DRY_RUN, TF.manifest("asked"))
        self.posted += 1

    def replica(self, port):
        """Asks this one as an API server does that has no connection yet."""
        read_at, trusted = 0, ""

        def ask():
            nonlocal read_at, trusted
            if time.monotonic() - read_at > BUNDLE_AGE:
                read_at, trusted = time.monotonic(), self.bundle()
            self.ask(port, ssl.create_default_context(cadata=trusted))
        return ask

    def ask(self, port, trust):
        link = http.client.HTTPSConnection("127.0.0.1", port, timeout=20,
                                           context=trust)
        try:
            link.connect()
            self.certificates[port].add(
                link.sock.getpeercert(binary_form=True))
            uid = str(self.reviews[port])
            link.request("POST", PATH, review(uid),
                         {"Content-Type": "application/json"})
            answer = json.loads(link.getresponse().read())["response"]
            if (answer["uid"], answer["allowed"]) != (uid, True):
                raise AssertionError(f"review {uid} was answered {answer}")
            self.reviews[port] += 1
        finally:
            link.close()
