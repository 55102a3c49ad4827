"""The API server is killed and comes back."""

import time

from checks import equal
from jobs.kinds import KINDS, TF
from jobs.namespace import serial

# Seconds from the server's return to the pods of a new job: 3 are wanted, which
# `../bench/outages.py` measures; here others use the machine, too.
SLOWEST = 20


@serial
def outage(fixture):
    """a job created when the killed API server is back has its pods soon"""
    ns = fixture.namespace()
    for kind in KINDS:
        ns.make(kind, kind.short_name)
    before = {kind: ns.await_running(kind, kind.short_name) for kind in KINDS}
    fixture.cluster.kill_server()
    time.sleep(15)  # nothing is waited for: this long nobody answers
    fixture.cluster.start_server()
    start = time.monotonic()
    ns.make(TF, "after")
    ns.await_pods(TF, "after", TF.pods("after"))
    seconds = time.monotonic() - start
    print(f"     the pods came {seconds:.1f} s after the server")
    equal(seconds < SLOWEST, True, f"pods after {seconds:.1f} s")
    ns.await_running(TF, "after")
    for kind, uids in before.items():
        equal(ns.await_running(kind, kind.short_name), uids, kind.name)
        ns.succeed(kind, kind.short_name)


CASES = [outage]
