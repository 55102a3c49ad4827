"""The API server is killed and comes back."""

import time

from checks import equal
from kinds import KINDS, TF
from room import alone

# Seconds from the server's return to the pods of a new job: 3 are wanted, which
# `../bench/outages.py` measures; here others use the machine, too.
SLOWEST = 20


@alone
def outage(stage):
    """a job created when the killed API server is back has its pods soon"""
    room = stage.room()
    for kind in KINDS:
        room.make(kind, kind.word)
    before = {kind: room.await_running(kind, kind.word) for kind in KINDS}
    stage.cluster.kill_server()
    time.sleep(15)  # nothing is waited for: this long nobody answers
    stage.cluster.start_server()
    start = time.monotonic()
    room.make(TF, "after")
    room.await_pods(TF, "after", TF.pods("after"))
    seconds = time.monotonic() - start
    print(f"     the pods came {seconds:.1f} s after the server")
    equal(seconds < SLOWEST, True, f"pods after {seconds:.1f} s")
    room.await_running(TF, "after")
    for kind, uids in before.items():
        equal(room.await_running(kind, kind.word), uids, kind.name)
        room.succeed(kind, kind.word)


CASES = [outage]
