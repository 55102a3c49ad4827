"""An operator that is played: the files of the page as they are in the sources,
and an admin API that answers with the jobs of scene.py. For states that a laptop
cannot be brought to, for thousands of jobs, and for pictures that are the same
each time."""

import http.server
import json
import os
import threading
import urllib.parse

import browser  # noqa: F401, for the folders of the tests
from scene import LEVELS, WATCHES, actors, ago

from troupe import REPOSITORY, finished  # of ../whole

PAGE = os.path.join(REPOSITORY, "actors", "admin", "page")
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
         "html": "text/html"}
# The same as the program's (admin_responses.cpp), which test_scene.py compares.
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
          "'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
# The clock of a page that is open: stopped at the time of the scene.
STOPPED_CLOCK = f"Date.now = () => Date.parse({ago(0)!r});"
TOKEN = "0123456789abcdef0123456789abcdef"


class Played:
    """`jobs` are those of scene.py; `rows` of the list, if not theirs;
    `stands_by`: it does not lead; `asks`: for the token."""

    def __init__(self, jobs, rows=None, stands_by=False, asks=False):
        self.jobs = {job.path(): job for job in jobs}
        self.rows = [j.row() for j in jobs] if rows is None else rows
        self.asks, self.changes = asks, []
        self.tree = actors(self.rows)
        self.news = threading.Condition()
        self.closing = False
        if stands_by:
            self.tree["leading"] = False
        handler = type("Handler", (Handler,), {"played": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True,
                         kwargs={"poll_interval": 0.05}).start()
        return self

    def __exit__(self, *_):
        with self.news:
            self.closing = True
            self.news.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def change(self, rows):
        """Tells the open lists of rows that are different now."""
        with self.news:
            self.changes.append({"at": ago(0), "revision": 1, "jobs": rows,
                                 "removed": []})
            self.news.notify_all()

    def answer(self, path):
        """JSON or text; None: there is no such thing."""
        if path == "/admin/v1/jobs":
            return {"at": ago(0), "revision": 1, "jobs": self.rows}
        if path == "/admin/v1/actors":
            return self.tree
        if path == "/admin/v1/watchers":
            return {"at": ago(0), "watchers": [
                {"resource": r, "namespace": "", "state": s,
                 "failuresInARow": n, "lastFailure": why}
                for r, _, s, n, why in WATCHES]}
        if path == "/admin/v1/log-level":
            return LEVELS
        job, _, rest = path.removeprefix("/admin/v1/jobs/").partition(
            "/explanation")
        if job in self.jobs and rest == "" and path.endswith("/explanation"):
            return self.explanation(job)
        return self.jobs[job].report if job in self.jobs else None

    def explanation(self, path):
        """What the program makes of the report."""
        namespace, kind, name = path.split("/")
        code, text = finished("explain", f"{kind.lower()}/{name}", "-n",
                              namespace, "--admin", self.url)
        return text if code == 0 else f"explain ended with {code}: {text}"

    def stream(self, query):
        """The events of a stream, until the end; each (name, data)."""
        if "job" in query:
            job = self.jobs.get(query["job"][0])
            yield ("job", job.report) if job else ("gone", None)
        told = len(self.changes)
        while True:
            with self.news:
                self.news.wait_for(lambda: self.closing
                                   or len(self.changes) > told)
                if self.closing:
                    return
                new, told = self.changes[told:], len(self.changes)
            for change in new if "job" not in query else ():
                yield "jobs", change

    def log(self, path):
        job, pod = path.removeprefix("/admin/v1/jobs/").removesuffix(
            "/log").split("/pods/")
        row = next((p for p in self.jobs[job].report["pods"]
                    if p["name"] == pod), None)
        yield "pod", {"container": "pytorch", "containers": [
            {"name": "pytorch", "init": False, "restarts": row["restarts"],
             "state": "running"}]}
        yield "text", "".join(line + "\n" for line in self.jobs[job].log)
        with self.news:
            self.news.wait_for(lambda: self.closing)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        try:
            if not path.startswith("/admin/"):
                return self.send_file(path)
            if self.played.asks and self.headers["Authorization"] \
                    != f"Bearer {TOKEN}":
                return self.send(401, "application/json", json.dumps(
                    {"error": "a bearer token is needed"}))
            if path == "/admin/v1/stream":
                return self.send_events(
                    self.played.stream(urllib.parse.parse_qs(url.query)))
            if path.endswith("/log"):
                return self.send_events(self.played.log(path))
            found = self.played.answer(path)
            if found is None:
                return self.send(404, "application/json",
                                 json.dumps({"error": "not found"}))
            is_text = isinstance(found, str)
            self.send(200, "text/plain" if is_text else "application/json",
                      found if is_text else json.dumps(found))
        except (BrokenPipeError, ConnectionResetError):
            pass  # The page has gone to another view.

    def send_file(self, path):
        name = os.path.basename(path) or "index.html"
        if name not in os.listdir(PAGE):
            return self.send(404, "text/plain", "not found")
        with open(os.path.join(PAGE, name)) as file:
            self.send(200, TYPES[name.rpartition(".")[2]], file.read())

    def send_head(self, code, kind):
        self.send_response(code)
        self.send_header("Content-Type", kind + "; charset=utf-8"
                         if kind.startswith("text/") else kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()

    def send(self, code, kind, text):
        self.send_head(code, kind)
        self.wfile.write(text.encode())

    def send_events(self, events):
        self.send_head(200, "text/event-stream")
        for name, data in events:
            self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n"
                             .encode())
            self.wfile.flush()
