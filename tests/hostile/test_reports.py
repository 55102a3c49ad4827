#!/usr/bin/python3
"""Many jobs whose programs report how far they are as often as they may:
a new job has its pods as soon as ever, statuses are written now and then, and
memory is bounded. Strangers whose tokens cost the API server nothing.

    test_reports.py [--troupe FILE] [--only PART]
"""

import base64
import concurrent.futures
import json
import os
import sys
import threading
import time

from tenants import LIMIT, PODS_WITHIN, equal, wait_for

from checks import main
from jobs.kinds import GROUP, PYTORCH
from test_progress import CORE, REPORT, ProgressFixture, body

JOBS = int(os.environ.get("TROUPE_REPORTING_JOBS", "100"))
PATH = f"{GROUP}/namespaces/default/pytorchjobs"
LENGTH = 30  # seconds
CLIENTS = 8
BETWEEN_WRITES = 10  # seconds, of one job
MEMORY = 64  # MiB more than without reports


class Crowd(ProgressFixture):
    def create(self, name, **more):
        return self.client.post(PATH, PYTORCH.manifest(
            name, counts={"Master": 1}, **more))

    def pods(self):
        """Of the jobs of the crowd."""
        return [pod for pod in self.client.get(f"{CORE}/pods")["items"]
                if pod["metadata"]["name"].startswith("curve-")]

    def seconds_until_pods(self, name):
        began = time.monotonic()
        self.create(name)
        wait_for("the pod of a new job", lambda: self.owned("pods", name),
                 LIMIT)
        return time.monotonic() - began

    def status_writes(self):
        return sum(count for what, count in self.operator.requests().items()
                   if what.endswith(" pytorchjobs/status"))


class Programs:
    """Each reports once a second, if the machine is fast enough."""

    def __init__(self, fixture, told):
        self.fixture, self.told = fixture, told
        self.codes, self.lock = {}, threading.Lock()
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(n,))
                        for n in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def run(self, own):
        percent = 0
        while not self.stopping.is_set():
            began = time.monotonic()
            percent = (percent + 1) % 100
            for url, authority, token in self.told[own::CLIENTS]:
                if self.stopping.is_set():
                    return
                try:
                    code = self.fixture.post(
                        url, authority, token, body(percent),
                        port=self.fixture.balancer.ports[0])[0]
                except OSError as failure:
                    code = type(failure).__name__
                with self.lock:
                    self.codes[code] = self.codes.get(code, 0) + 1
            self.stopping.wait(1 - (time.monotonic() - began))


def many_programs_report(f):
    """the pods of many jobs report, and those of a new one come in time"""
    for number in range(JOBS):
        f.create(f"curve-{number}", policy=REPORT)
    pods = wait_for("all pods", lambda: (
        lambda all: all if len(all) == JOBS else None)(f.pods()), 5 * LIMIT)
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        url, authority, _ = f.told(pods[0])
        del url
        told = list(pool.map(lambda pod: (
            f.told(pod)[0], authority, f.token(pod, f.told(pod)[2])), pods))
    f.create("first")
    wait_for("its pod", lambda: f.owned("pods", "first"), LIMIT)
    quiet = max(f.seconds_until_pods(f"quiet-{n}") for n in range(3))
    base, writes = f.operator.memory()[0], f.status_writes()
    began = time.monotonic()
    slowest, number = 0, 0
    with Programs(f, told) as programs:
        while time.monotonic() - began < LENGTH:
            slowest = max(slowest, f.seconds_until_pods(f"new-{number}"))
            number += 1
            time.sleep(0.5)
    took = time.monotonic() - began
    writes = f.status_writes() - writes
    now, peak = f.operator.memory()
    text = (f"{programs.codes} in {took:.0f} s, {writes} status writes, pods "
            f"of a new job in {slowest:.2f} s (quiet: {quiet:.2f}), memory "
            f"{base:.0f} to {now:.0f} MiB, peak {peak:.0f}")
    print("     " + text, flush=True)
    equal(programs.codes.get(200, 0) > JOBS, True, f"reports are taken: {text}")
    equal(slowest <= quiet + PODS_WITHIN, True, f"pods come in time: {text}")
    # And what the new jobs write.
    equal(writes <= JOBS * (took / BETWEEN_WRITES + 2) + 10 * number, True,
          f"writes are paced: {text}")
    equal(now <= base + MEMORY, True, f"memory is bounded: {text}")


def strangers_cost_no_review(f):
    """tokens that can be no pod's are refused where they come in"""
    f.job(PYTORCH, "calm")
    pod = f.pod_of("calm")
    url, authority, audience = f.told(pod)
    absent = url.replace("/calm", "/absent")
    head, claims, signature = f.token(pod, audience).split(".")
    claims = json.loads(base64.urlsafe_b64decode(claims + "=="))

    def reviews():
        return sum(count for what, count in f.operator.requests().items()
                   if what.endswith(" tokenreviews"))

    def forged(**pod_claim):
        claims["kubernetes.io"]["pod"].update(pod_claim)
        text = base64.urlsafe_b64encode(json.dumps(claims).encode())
        return f"{head}.{text.decode().rstrip('=')}.{signature}"

    before, answers = reviews(), set()
    for number in range(100):
        for where, token in ((url, forged(uid=f"u{number}")),
                             (url, f"t{number}"),
                             (absent, forged(uid=f"u{number}")),
                             (absent, forged(uid=pod["metadata"]["uid"]))):
            code, answer = f.post(where, authority, token, body(),
                                  port=f.balancer.ports[0])
            answers.add((code, answer["message"]))
    equal(len(answers), 1)
    equal({code for code, _ in answers}, {403})
    equal(reviews(), before)
    # In the name of a pod that runs, too, no more than its share.
    for number in range(50):
        token = forged(uid=pod["metadata"]["uid"], jti=str(number))
        equal(f.post(url, authority, token, body(),
                     port=f.balancer.ports[0])[0], 403)
    equal(before < reviews() < before + 50, True)


if __name__ == "__main__":
    sys.exit(main([strangers_cost_no_review, many_programs_report], Crowd, __doc__))
