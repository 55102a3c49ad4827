"""One case's view of one server: plain HTTP, and everything is written down."""

import http.client
import json
import time
import urllib.parse

from transcript import Normalizer, Transcript

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = ("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,"
           "application/json")
PARTIAL_LIST = PARTIAL.replace("Metadata;", "MetadataList;")
GROUP = "conformance.example.com"
SHOWN_HEADERS = ("Warning", "Retry-After", "Allow")
INITIAL_EVENTS_END = b"k8s.io/initial-events-end"
LIMIT = 30  # seconds, for anything that should come about; most takes none


def query(path, **parameters):
    if not parameters:
        return path
    return path + "?" + urllib.parse.urlencode(parameters)


def config_map(name, data=None, **metadata):
    result = {"apiVersion": "v1", "kind": "ConfigMap",
              "metadata": {"name": name, **metadata}}
    if data is not None:
        result["data"] = data
    return result


def pod(name, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": "main", "image": "registry/x:1"}],
                     **spec}}


def thing(name, spec=None, **metadata):
    """Of the custom resource that every server has (servers.py)."""
    return {"apiVersion": GROUP + "/v1", "kind": "Thing",
            "metadata": {"name": name, **metadata},
            "spec": {} if spec is None else spec}


def form(name, spec=None, **metadata):
    """Of the custom resource with a schema of many sorts."""
    return dict(thing(name, spec, **metadata), kind="Form")


def owner(of, **more):
    return {"apiVersion": of["apiVersion"], "kind": of["kind"],
            "name": of["metadata"]["name"], "uid": of["metadata"]["uid"],
            **more}


def pick(value, path):
    """The value at "metadata.name"; None if it is not there."""
    for key in path.split("."):
        if isinstance(value, list):
            value = [pick(v, key) for v in value]
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def decoded(text):
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text.decode(errors="replace")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, path):
        return pick(self.body, path)

    @property
    def version(self):
        return self["metadata.resourceVersion"]


class Watch:
    """A running watch; what it sends is written down when it is read."""

    def __init__(self, session, link, response, show):
        self.session, self.link = session, link
        self.response, self.show = response, show

    def read(self, bookmarks=False):
        """The next event, unwritten; None at the end.

        A server that was asked for bookmarks sends them when it likes: unless
        all are wanted, only the one that ends the initial events is an event.
        """
        while line := self.response.readline():
            event = json.loads(line)
            if (bookmarks or event["type"] != "BOOKMARK"
                    or INITIAL_EVENTS_END in line):
                return event
        return None

    def next(self, show=None):
        event = self.read()
        if event is None:
            self.session.note("the watch ended")
        else:
            self.session.add(f"event {event['type']}", event["object"],
                             show or self.show)
        return event

    def take(self, count):
        return [self.next() for _ in range(count)]

    def take_sorted(self, count):
        """Events whose order says nothing."""
        events = [self.read() for _ in range(count)]
        for event in sorted(events, key=lambda e: (
                e["object"]["metadata"]["name"], e["type"])):
            self.session.add(f"event {event['type']}", event["object"],
                             self.show)
        return events

    def end(self):
        """Reads to the end."""
        while (event := self.read()) is not None:
            self.session.add(f"event {event['type']}", event["object"],
                             self.show)
        self.session.note("the watch ended")

    def close(self):
        self.link.close()


class Session:
    """Has a namespace of its own, and names for cluster-wide objects."""

    def __init__(self, server, case):
        self.server = server
        self.name = case.replace("_", "-")[:40].strip("-")
        self.link = None
        self.watches = []
        self.transcript = Transcript(Normalizer({self.name: "CASE"}))
        self.core = f"/api/v1/namespaces/{self.name}"
        self.config_maps = self.core + "/configmaps"
        self.pods = self.core + "/pods"
        self.things = f"/apis/{GROUP}/v1/namespaces/{self.name}/things"
        self.forms = f"/apis/{GROUP}/v1/namespaces/{self.name}/forms"

    def __enter__(self):
        answer = self.quiet("POST", "/api/v1/namespaces",
                            {"metadata": {"name": self.name}})
        if answer.status != 201:
            raise RuntimeError(f"no namespace: {answer.body}")
        return self

    def __exit__(self, *_):
        for watch in self.watches:
            watch.close()
        if self.link:
            self.link.close()

    # -- writing down --------------------------------------------------------

    def note(self, text):
        self.transcript.add(text)

    def show(self, what, value):
        self.transcript.add(what, value)

    def add(self, head, body, show):
        if callable(show):
            body = show(body)
        elif show is not None:
            body = {path: pick(body, path) for path in show}
        self.transcript.add(head, body)

    # -- requests --------------------------------------------------------------

    def send(self, link, method, path, body, headers):
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        link.request(method, path, body, headers)
        return link.getresponse()

    def headers(self, body, kind, accept, more):
        headers = {"Authorization": "Bearer " + self.server.token}
        if accept:
            headers["Accept"] = accept
        if body is not None and kind:
            headers["Content-Type"] = kind
        headers.update(more or {})
        return {k: v for k, v in headers.items() if v is not None}

    def quiet(self, method, path, body=None, kind=JSON, accept=JSON,
              headers=None):
        """Sends a request and writes nothing down."""
        for attempt in (0, 1):
            try:
                if self.link is None:
                    self.link = self.server.connection()
                response = self.send(self.link, method, path, body,
                                     self.headers(body, kind, accept, headers))
                text = response.read()
                break
            except (http.client.HTTPException, OSError):
                self.link.close()
                self.link = None
                if attempt:
                    raise
        return Answer(response.status, response.headers, decoded(text))

    def ask(self, method, path, body=None, show=None, **more):
        """Sends a request and writes the answer down: all of it, or of a
        success what `show` says, which is a function or paths."""
        answer = self.quiet(method, path, body, **more)
        shown = urllib.parse.unquote(path)
        head = f"{method} {shown}: {answer.status}"
        media = (answer.headers.get("Content-Type") or "").split(";")[0]
        if media != JSON:
            head += f" {media}"
        for name in SHOWN_HEADERS:
            for value in answer.headers.get_all(name) or ():
                for one in value.split(", 299 - "):
                    head += f"\n    {name}: {one.removeprefix('299 - ')}"
        self.add(head, answer.body, show if answer.status < 300 else None)
        return answer

    def refuse(self, method, path, body=None, **more):
        """Of an error only its code and reason, where its text is that of a
        parser."""
        answer = self.quiet(method, path, body, **more)
        self.show(f"{method} {urllib.parse.unquote(path)}: {answer.status}",
                  answer["reason"])
        return answer

    def fail(self, method, path, body=None, **more):
        """Of an error only that it is one, where kube-apiserver answers 500 to
        a client's fault, or no Status."""
        answer = self.quiet(method, path, body, **more)
        self.note(f"{method} {urllib.parse.unquote(path)}: "
                  + ("refused" if answer.status >= 400 else "done"))
        return answer

    def get(self, path, show=None, **more):
        return self.ask("GET", path, None, show, **more)

    def post(self, path, body, show=None, **more):
        return self.ask("POST", path, body, show, **more)

    def put(self, path, body, show=None, **more):
        return self.ask("PUT", path, body, show, **more)

    def delete(self, path, body=None, show=None, **more):
        return self.ask("DELETE", path, body, show, **more)

    def merge(self, path, body, show=None, **more):
        return self.ask("PATCH", path, body, show, kind=MERGE_PATCH, **more)

    def strategic(self, path, body, show=None, **more):
        return self.ask("PATCH", path, body, show, kind=STRATEGIC_PATCH, **more)

    def operations(self, path, body, show=None, **more):
        return self.ask("PATCH", path, body, show, kind=JSON_PATCH, **more)

    def make(self, path, body):
        """Creates what a case needs; writes nothing down."""
        answer = self.quiet("POST", path, body)
        if answer.status != 201:
            raise RuntimeError(f"POST {path}: {answer.body}")
        return answer.body

    def version(self, path):
        """The version of a list of now."""
        return self.quiet("GET", query(path, limit=1)).version

    def watch(self, path, show=None, accept=JSON, quiet=False, **parameters):
        link = self.server.connection()
        response = self.send(link, "GET", query(path, watch=1, **parameters),
                             None, self.headers(None, None, accept, None))
        result = Watch(self, link, response, show)
        self.watches.append(result)
        if response.status != 200 and not quiet:
            self.add(f"watch {path}: {response.status}",
                     decoded(response.read()), None)
        return result

    def until(self, what, test):
        """Waits until `test()` is true; returns what it returned."""
        end = time.monotonic() + LIMIT
        while not (result := test()):
            if time.monotonic() > end:
                raise TimeoutError(f"waited {LIMIT} s for {what}")
            time.sleep(0.02)
        return result

    def until_gone(self, path):
        self.until(path + " to be gone",
                   lambda: self.quiet("GET", path).status == 404)
        self.note(f"{path} is gone")
