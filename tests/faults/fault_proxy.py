"""A proxy before an API server in which a call or a watch, or two, go wrong.

It counts the reads, the writes and the watch events that pass, notes what each
write came to on the server, and lets the faults of its plan happen to the calls
that the plan names.
"""

import collections
import contextlib
import json
import os
import re
import signal
import socket
import threading
import time
import urllib.parse

from http_messages import (Answer, chunk, read_answer, read_chunks, read_head,
                           read_request)
from network.proxy import Proxy
from plans import ALL, GET, LIST, WATCH, Call, Due
from protobuf import MAGIC, fields
from watch_frames import Frames

WRITES = ("POST", "PUT", "PATCH", "DELETE")
LEASES, REVIEWS = "leases", "tokenreviews"
OUTAGE = 1.5  # seconds without a server
DELAY = 1  # seconds that what is slow takes
REFUSALS = {"refused-500": (500, "InternalError"),
            "refused-429": (429, "TooManyRequests"),
            "refused-409": (409, "Conflict"),
            "refused-403": (403, "Forbidden"),
            "refused-404": (404, "NotFound")}

# `status`: the server's answer, or None where nothing reached it; `uid`: of
# what was to be deleted.
Write = collections.namedtuple("Write", "call uid status fault")


class Upstream:
    """Connections to the server; those that are idle are used again."""

    def __init__(self, client):
        self.tls = client.tls
        self.server = (client.url.hostname, client.url.port)
        self.idle = collections.deque()

    def connect(self):
        raw = socket.create_connection(self.server)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = self.tls.wrap_socket(raw, server_hostname=self.server[0])
        return link, link.makefile("rb")

    def ask(self, data):
        """The answer to a request."""
        while True:
            try:
                pair, used = self.idle.pop(), True
            except IndexError:
                pair, used = self.connect(), False
            link, reader = pair
            try:
                link.sendall(data)
                answer = read_answer(reader)
            except OSError:
                link.close()
                if not used:
                    raise
                continue  # The server had closed it meanwhile.
            self.idle.append(pair)
            return answer


class FaultProxy(Proxy):
    def __init__(self, upstream, plan=None, with_leases=False):
        """`with_leases`: whether calls of leader election are counted."""
        super().__init__()
        self.upstream, self.due = upstream, Due(plan)
        self.with_leases = with_leases
        self.changed = threading.Condition()
        self.seen = collections.Counter()  # calls
        self.writes = []
        self.unnoted = 0  # writes that the server may have done already
        self.events = {}  # the reason of each event by its name
        self.watched = set()  # resources, by the current process
        self.links = set()
        self.killed = False
        self.pid = None
        self.away_until = 0
        self.listen()

    def close(self):
        super().close()
        self.end_links()

    # -- what the life asks ------------------------------------------------

    def has_met_all(self):
        """Whether each fault of its plan has happened."""
        return not self.due.left

    def started(self, pid):
        """A process of the operator has been started."""
        with self.changed:
            self.pid, self.killed = pid, False
            self.changed.notify_all()

    def await_watches(self, resources, seconds):
        """Waits until the current process watches all of these."""
        with self.changed:
            return self.changed.wait_for(
                lambda: not self.killed and resources <= self.watched, seconds)

    def await_write(self, seen, seconds):
        """Waits for a write after the first `seen`, at most that long."""
        with self.changed:
            self.changed.wait_for(
                lambda: self.killed or len(self.writes) > seen, seconds)

    def effects(self):
        """(verb, resource, name) -> how many were created or deleted."""
        with self.changed:
            self.changed.wait_for(lambda: not self.unnoted)
            done = [w for w in self.writes
                    if w.call.resource not in ("events", REVIEWS)
                    and w.call.verb in ("POST", "DELETE")
                    and w.status and w.status < 300]
        # An object that is deleted twice has been deleted.
        return collections.Counter(
            call for call, _ in {(w.call, w.uid or number)
                                 for number, w in enumerate(done)})

    # -- counting ----------------------------------------------------------

    def count(self, call):
        """The fault that this call meets, or None."""
        with self.changed:
            self.seen[call] += 1
            return self.due.meets(call, self.seen[call])

    def note(self, call, request, status, fault):
        """Records a write of what belongs to jobs."""
        if request.method not in WRITES or call.resource == LEASES:
            return
        uid = ""
        if request.method == "DELETE" and request.body:
            uid = json.loads(request.body)["preconditions"]["uid"]
        with self.changed:
            self.writes.append(Write(call, uid, status, fault))
            self.changed.notify_all()

    def is_counted(self, request):
        """Whether it is about what belongs to jobs, or to the election."""
        return is_review(request) or "/namespaces/" in request.path and \
            (self.with_leases or f"/{LEASES}" not in request.path)

    def call_of(self, request):
        if is_review(request):
            return Call("POST", REVIEWS, ALL)
        url = urllib.parse.urlsplit(request.path)
        path = url.path.split("/")
        resource, *more = path[path.index("namespaces") + 2:]
        name = more[0] if more else ""
        if request.method == GET and not more:
            of_one = re.search(r"metadata\.name(?:=|%3D)([^&,]+)", url.query)
            return Call(LIST, resource, of_one[1] if of_one else ALL)
        if request.method == "POST" and not more:
            name, reason = name_and_reason(request.body)
            if resource == "events":
                self.events[name] = reason.replace(" ", "-")
        if resource == "events":
            name = self.events.get(name, name)
        return Call(request.method, "/".join([resource, *more[1:]]),
                    self.name_in_plans(name))

    def name_in_plans(self, name):
        """What plans and effects call an object of this name."""
        return name

    # -- connections -------------------------------------------------------

    def admit(self, link):
        if time.monotonic() < self.away_until:
            link.close()
            return False
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.changed:
            self.links.add(link)
        return True

    def end(self, link):
        with self.changed:
            self.links.discard(link)
        super().end(link)

    def end_links(self):
        with self.changed:
            links = list(self.links)
        for link in links:
            self.end(link)

    def serve(self, link):
        """One connection: requests one after the other."""
        try:
            reader = link.makefile("rb")
            while True:
                request = read_request(reader)
                query = urllib.parse.urlsplit(request.path).query
                if "watch=" in query:
                    self.serve_watch(request, link)
                    break
                if self.is_counted(request):
                    if not self.exchange(request, link):
                        break
                else:
                    answer = self.uncounted(request)
                    link.sendall(answer.head + answer.body)
        except (OSError, ValueError, IndexError):
            pass  # Somebody has closed a connection.
        self.end(link)

    def uncounted(self, request):
        """The answer to a call that is not the job's."""
        return self.upstream.ask(request.data)

    # -- calls -------------------------------------------------------------

    def exchange(self, request, link):
        """Whether the connection goes on."""
        call = self.call_of(request)
        fault = self.count(call)
        if fault in REFUSALS:
            self.note(call, request, None, fault)
            answer = refusal(*REFUSALS[fault])
            link.sendall(answer.head + answer.body)
            return True
        self.before(fault)
        if fault in ("dropped-before", "killed-before", "outage"):
            self.note(call, request, None, fault)
            return False
        with self.noting():
            answer = self.upstream.ask(request.data)
            if fault == "killed-after":
                self.kill()
            self.note(call, request, answer.status, fault)
        return self.send(answer, fault, link)

    @contextlib.contextmanager
    def noting(self):
        """While a write may be done on the server, but is not noted yet."""
        with self.changed:
            self.unnoted += 1
        try:
            yield
        finally:
            with self.changed:
                self.unnoted -= 1
                self.changed.notify_all()

    def before(self, fault):
        """What happens before a call is sent to the server."""
        if fault == "slow":
            self.delay()
        elif fault in ("killed-before", "killed-late"):
            self.kill()
        elif fault == "outage":
            self.away_until = time.monotonic() + OUTAGE
            self.end_links()
        if fault == "killed-late":
            self.await_watches({"pods", "services"}, 30)

    def delay(self):
        """What a process has sent is not held back when another fault has killed
        it: it would come at any time in the life of the next one, as a pod of an
        attempt that is over, which has to be deleted once more."""
        with self.changed:
            sender = self.pid
            self.changed.wait_for(
                lambda: self.killed or self.pid != sender, DELAY)

    @staticmethod
    def send(answer, fault, link):
        """Whether the connection goes on."""
        if fault == "slow":
            time.sleep(DELAY)
        elif fault == "unanswered":
            await_end(link)
        if fault in ("dropped-after", "killed-after", "killed-late",
                     "unanswered"):
            return False
        body = b"{" * len(answer.body) if fault == "garbled" else answer.body
        if fault == "cut-inside":
            link.sendall(answer.head + body[:len(body) // 2])
            return False
        link.sendall(answer.head + body)
        return True

    def kill(self):
        with self.changed:
            if self.killed:  # By the other fault, a moment ago.
                return
            self.killed = True
            self.watched = set()
            os.kill(self.pid, signal.SIGKILL)
            self.changed.notify_all()

    # -- watches -----------------------------------------------------------

    def serve_watch(self, request, link):
        resource = self.call_of(request).resource
        server, reader = self.upstream.connect()
        with self.changed:
            self.links.add(server)
        try:
            server.sendall(request.data)
            first, lines, headers = read_head(reader)
            link.sendall(first.encode() + b"".join(lines) + b"\r\n")
            if first.split()[1] != "200":
                return
            with self.changed:
                self.watched.add(resource)
                self.changed.notify_all()
            self.pass_events(Frames(headers.get("content-type", "")), resource,
                             reader, link)
        finally:
            self.end(server)

    def pass_events(self, frames, resource, reader, link):
        passed = collections.defaultdict(bytes)  # of each object that is there
        for data in read_chunks(reader):
            for frame in frames.feed(data):
                fault, name = None, frames.name(frame)
                if name:
                    fault = self.count(
                        Call(WATCH, resource, self.name_in_plans(name)))
                kind, _, name = name.partition(":")
                if kind == "DELETED":
                    passed[name] = b""
                if not self.pass_event(frames, frame, fault, passed[name],
                                       link):
                    return
                if kind in ("ADDED", "MODIFIED"):
                    passed[name] += frame
        link.sendall(b"0\r\n\r\n")

    @staticmethod
    def pass_event(frames, frame, fault, before, link):
        """Whether the watch goes on. `before`: the events of this object."""
        if fault == "frozen":
            await_end(link)
        sent = {"cut-before": b"", "frozen": b"",
                "cut-inside": frame[:len(frame) // 2],
                "repeated": frame + before + frame,
                "garbled": frames.garbled(frame),
                "expired": frames.expired()}.get(fault, frame)
        if sent:
            link.sendall(chunk(sent))
        return fault not in ("cut-before", "cut-inside", "frozen", "expired")


def is_review(request):
    """Of the token of a report; it is in no namespace."""
    return request.path.split("?")[0].endswith(f"/{REVIEWS}")


def name_and_reason(body):
    """Of an object to be created; an Event has a reason."""
    if not body.startswith(MAGIC):
        made = json.loads(body)
        return made.get("metadata", {}).get("name", ""), made.get("reason", "")
    # Unknown: raw 2: an object: metadata 1: name 1; of an Event: reason 3.
    made = fields(fields(body[len(MAGIC):])[2])
    name = fields(made.get(1, b"")).get(1, b"")
    return name.decode(), made.get(3, b"").decode()


def await_end(link):
    """Waits until the other side has closed the connection."""
    while link.recv(4096):
        pass


def refusal(code, reason):
    """The answer of a server that does not do what it is asked."""
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {},
              "status": "Failure", "reason": reason, "code": code,
              "message": f"the fault {reason}"}
    return answer_of(code, json.dumps(status).encode(), reason,
                     b"Retry-After: 1\r\n" if code == 429 else b"")


def answer_of(code, body, reason="OK", more=b""):
    head = (b"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n%s"
            b"Content-Length: %d\r\n\r\n"
            % (code, reason.encode(), more, len(body)))
    return Answer(code, head, body)
