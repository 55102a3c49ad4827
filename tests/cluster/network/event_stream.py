"""Server-sent events of the admin endpoint, read one by one."""

import http.client
import json
import time

LIMIT = 90  # seconds for an event to come


class Stream:
    def __init__(self, port, query="", path="/admin/v1/stream"):
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.link.request("GET", path + query)
        self.answer = self.link.getresponse()
        self.text = ""  # Of a log, so far.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()

    def event(self):
        """(name, data) of the next one."""
        name = None
        while True:
            line = self.answer.readline().decode()
            if not line:
                raise AssertionError("the stream has ended")
            line = line.rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                return name, json.loads(line[6:])

    def await_event(self, condition):
        """The data of the first event that meets it."""
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            name, data = self.event()
            if data and condition(data):
                return data
        raise AssertionError("waited in vain for an event")

    def await_text(self, part):
        """The text of a log, as soon as that is in it."""
        until = time.monotonic() + LIMIT
        while part not in self.text:
            if time.monotonic() > until:
                raise AssertionError(f"waited in vain for {part!r} in "
                                     f"{self.text!r}")
            name, data = self.event()
            if name == "text":
                self.text += data
            elif name != "pod":
                raise AssertionError(f"no {part!r}, but {name}: {data}")
        return self.text
