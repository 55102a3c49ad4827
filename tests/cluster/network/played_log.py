"""A kubelet with the log of a program that a test plays, as real ones serve it:
with timestamps, from a second on, the last lines, and what comes.
"""

import datetime
import select
import threading
import urllib.parse

from network.stand_in_kubelet import Kubelet

BLOCK = b"x" * 65536


def parse(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class PlayedLog(Kubelet):
    """Every container has the same log. `open` is how many read it; `flood`
    makes it endless, without a line's end; `sent` are the bytes of that."""

    def __init__(self, certificate, key):
        super().__init__(certificate, key)
        self.lines, self.changed = [], threading.Condition()
        self.ended = self.flood = False
        self.cuts = self.open = self.sent = 0

    def say(self, *texts):
        """Lines that the program has written by now."""
        now = datetime.datetime.now(datetime.timezone.utc)
        with self.changed:
            self.lines += [(now, text) for text in texts]
            self.changed.notify_all()

    def end(self):
        """The container has ended."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def cut(self):
        """All connections end in the middle of an answer."""
        with self.changed:
            self.cuts += 1
            self.changed.notify_all()

    def queries(self):
        """Of each request for a log."""
        return [dict(urllib.parse.parse_qsl(path.partition("?")[2]))
                for path in self.requests]

    def answer(self, request):
        query = dict(urllib.parse.parse_qsl(request.path.partition("?")[2]))
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        self.open += 1
        try:
            if self.play(request, query):
                request.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
        finally:
            self.open -= 1
        request.close_connection = True

    def play(self, request, query):
        """Whether the log has ended as it should."""
        with self.changed:
            begin, cuts = len(self.lines), self.cuts
            first = 0
            if "tailLines" in query:
                first = max(0, begin - int(query["tailLines"]))
            since = parse(query["sinceTime"]) if "sinceTime" in query else None
        while True:
            with self.changed:
                self.changed.wait_for(
                    lambda: len(self.lines) > first or self.ended
                    or self.flood or self.cuts > cuts, 0.2)
                new, first = self.lines[first:], len(self.lines)
                over, flood = self.ended, self.flood
                if self.cuts > cuts:
                    return False
            for time, text in new:
                if not since or time >= since:
                    stamp = time.isoformat().replace("+00:00", "Z")
                    self.write(request, f"{stamp} {text}\n".encode())
            if flood:
                self.write(request, BLOCK)
                self.sent += len(BLOCK)
            elif over or "follow" not in query:
                return True
            if select.select([request.connection], [], [], 0)[0] \
                    and not request.connection.recv(1):
                return False  # The reader has gone.

    @staticmethod
    def write(request, piece):
        request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        request.wfile.flush()
