"""A kubelet that has nothing but the logs of containers.

The API server connects to it for `pods/log`. What it says is what a test gives
it; a log that is followed goes on until its reader leaves.
"""

import threading

from network.stand_in_kubelet import Kubelet


class LogKeeper(Kubelet):
    """`left` are the readers who have gone."""

    def __init__(self, certificate, key):
        super().__init__(certificate, key)
        self.left = 0
        self.pieces, self.changed = [], threading.Condition()

    def say(self, piece):
        """Bytes that every log has next."""
        with self.changed:
            self.pieces.append(piece)
            self.changed.notify_all()

    def answer(self, request):
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        said = 0
        try:
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: len(self.pieces) > said, 0.2)
                    new, said = self.pieces[said:], len(self.pieces)
                # Without news, what shows whether the reader is there.
                for piece in new or [b"\r"]:
                    request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    request.wfile.flush()
        except OSError:
            self.left += 1
        request.close_connection = True
