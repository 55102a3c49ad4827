#!/usr/bin/python3
"""What the shipped operator keeps in memory: of large objects, and of what has
gone."""

import json
import re
import sys
import time

from test_up import JOBS, Up
from troupe import Folder, Program, tfjob, wait_until

from checks import equal, run

JOB_BYTES = 1_100_000
LARGE_JOBS = 60
ENDED_JOBS = 1500
# Until as many events are remembered as ever are: 4096, some four of each job.
JOBS_BEFORE = 1100
MIB = 1 << 20


class Operator(Program):
    """An operator in a process of its own, at the API server of `troupe up`."""

    def __init__(self, up):
        super().__init__(
            "operator", "--kubeconfig", up.kubeconfig, "--ignore-lease",
            # As many as on a machine of eight cores, on each machine.
            "--controller-threads", "4",
            "--health-probe-bind-address", "0", "--metrics-bind-address", "0",
            "--di-server-bind-address", "0",
            "--admin-bind-address", "127.0.0.1:0")

    def memory(self, what):
        """Of /proc/PID/status, in bytes."""
        with open(f"/proc/{self.child.pid}/status") as file:
            return int(re.search(what + r":\s+(\d+)", file.read())[1]) * 1024

    def kept(self):
        """The memory, when it does not fall any more."""
        least = self.memory("VmRSS")
        since = time.monotonic()
        while time.monotonic() - since < 3:
            time.sleep(0.2)
            if (now := self.memory("VmRSS")) < least - MIB // 4:
                least, since = now, time.monotonic()
        return least


def large_job(number):
    """Whose template consists of many small things, which is the worst."""
    job = json.loads(tfjob(f"large-{number}", "pass", suspend=True))
    container = job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"][
        "containers"][0]
    container["env"] = [{"name": f"VARIABLE_{i}", "value": "v" * 20}
                        for i in range(JOB_BYTES // 56)]
    return job


def suspended(up, number):
    return "Suspended" in up.conditions(f"large-{number}")


def large_jobs(_):
    """of jobs of 1.1 MB little more than their templates is kept, and the peak
    at a start is little more than that"""
    with Up("--no-operator", "--no-node") as up:
        with Operator(up) as operator:
            operator.await_line("caches are synced")
            base = operator.kept()
        jobs = [large_job(i) for i in range(LARGE_JOBS)]
        specs = sum(len(json.dumps(job["spec"], separators=(",", ":")))
                    for job in jobs)
        for job in jobs:
            up.create(json.dumps(job))
        for start in ("first", "second"):
            with Operator(up) as operator:
                operator.await_line("caches are synced")
                wait_until("all jobs to be read", lambda: all(
                    suspended(up, i) for i in range(LARGE_JOBS)))
                kept, peak = operator.kept(), operator.memory("VmHWM")
            most = base + 1.3 * specs
            figures = (f"{start} start: {kept / MIB:.0f} MiB kept, peak "
                       f"{peak / MIB:.0f}, specs {specs / MIB:.0f}, base "
                       f"{base / MIB:.0f}")
            print(figures)
            equal(kept <= most, True, figures)
            equal(peak <= 1.3 * most, True, figures)


def ended_jobs(_):
    """nothing is kept of jobs that have gone, whatever their deadlines"""
    with Up("--no-operator", "--node", "simulated",
            "--simulated-run-time", "100ms") as up, Operator(up) as operator:
        operator.await_line("caches are synced")

        def make_and_end(number):
            names = [f"ended-{number}-{i}" for i in range(100)]
            for name in names:
                up.create(tfjob(name, "pass", activeDeadlineSeconds=864000))
            wait_until("the jobs to end", lambda: all(
                any(c["type"] == "Succeeded"
                    for c in job.get("status", {}).get("conditions") or [])
                for job in up.get(JOBS)["items"]))
            for name in names:
                up.ask("DELETE", f"{JOBS}/{name}")
            wait_until("the jobs to go",
                       lambda: not up.get(JOBS)["items"])

        rounds = JOBS_BEFORE // 100
        for number in range(rounds):
            make_and_end(number)
        before = operator.kept()
        for number in range(rounds, rounds + ENDED_JOBS // 100):
            make_and_end(number)
        more = operator.kept() - before
        figures = f"{more / ENDED_JOBS:.0f} bytes of each job that has gone"
        print(figures)
        # With their timers, and all events for ten minutes, it was above 3000.
        equal(more / ENDED_JOBS < 1500, True, figures)


CASES = [large_jobs, ended_jobs]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
