#!/usr/bin/python3
"""Rules that read from its log how far a job is, on a laptop.

    test_log_rules.py PART    cases whose function has PART in its name
"""

import json
import sys

from test_up import JOBS, Up
from troupe import Folder, Program, finished, http, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster

STEPS = {"logRules": [{
    "name": "step",
    "pattern": r"step (?P<step>\d+)/(?P<total>\d+).*loss[ =](?P<loss>[\d.]+)"}]}
# Says something when it may, and ends when it may.
LINES = """
import os, time
print("step 45/100, loss 0.25", flush=True)
while not os.path.exists({0!r}):
    time.sleep(0.05)
"""
# As tqdm writes it, without a line feed.
BAR = """
import os, sys, time
for n in range(41):
    sys.stdout.write(f"\\rEpoch 0: {{n}}%|#| [loss=0.{{n}}]")
    sys.stdout.flush()
while not os.path.exists({0!r}):
    time.sleep(0.05)
"""
EPOCH = {"logRules": [{
    "pattern": r"Epoch (?P<epoch>\d+):\s+(?P<percent>\d+)%.*"
               r"loss=(?P<loss>[\d.]+)"}]}


def progress_of(up, name):
    return (up.get(f"{JOBS}/{name}").get("status") or {}).get("progress") or {}


def report_of(up, name):
    return http("GET", f"{up.admin}/admin/v1/jobs/default/TFJob/{name}")[1]


# -- cases --------------------------------------------------------------------

def lines_in_run(folder):
    """run: a line for what the log tells; the same as JSON"""
    for flags in ([], ["--output", "json"]):
        end = f"end{len(flags)}"
        job = folder.write("lines.yaml", tfjob(
            "lines", LINES.format(f"/here/{end}"), claim="here",
            progress=STEPS))
        with Program("run", *flags, "--volume", f"here={folder.path}",
                     job) as program:
            if flags:
                line = program.await_line(r'.*"type": ?"progress".*').group()
                told = json.loads(line)
                equal((told["percent"], told["metrics"]["loss"], told["pod"]),
                      (45, "0.25", "lines-worker-0"), line)
            else:
                program.await_line("TFJob lines: 45%, step 45, total 100, "
                                   "loss 0.25")
            folder.write(end, "")
            equal(program.end(), 0, program.text())


def a_bar_with_carriage_returns(folder):
    """up: each part of a bar is a line; explain names the log"""
    with Up("--volume", f"here={folder.path}") as up:
        job = tfjob("bar", BAR.format("/here/end"), claim="here",
                    progress=EPOCH)
        up.create(job)
        # The last part has no end yet.
        wait_until("the bar in the status",
                   lambda: progress_of(up, "bar").get("percent") == 39)
        equal(progress_of(up, "bar")["metrics"],
              [{"name": "epoch", "value": "0"},
               {"name": "loss", "value": "0.39"}])
        equal(progress_of(up, "bar")["source"], "bar-worker-0")
        contains(finished("explain", "tfjob/bar", "--admin",
                          up.admin)[1],
                 "Its log rules read the log of bar-worker-0")
        folder.write("end", "")
        wait_until("the last part",
                   lambda: progress_of(up, "bar").get("percent") == 40)


def a_program_that_is_gone_at_once(_):
    """up: the last lines of a job that has ended are read"""
    with Up() as up:
        up.create(tfjob("brief", "print('step 9/10, loss 1.5')",
                       progress=STEPS))
        wait_until("the progress",
                   lambda: progress_of(up, "brief").get("percent") == 90)
        wait_until("the end", lambda: "Succeeded" in str(
            up.get(f"{JOBS}/brief").get("status")))


def with_authorization(_):
    """up --authorization RBAC: the operator has the right of the overlay"""
    with Up("--authorization", "RBAC") as up:
        up.create(tfjob("ruled", "print('step 9/10, loss 1.5')",
                        progress=STEPS))
        wait_until("the progress",
                   lambda: progress_of(up, "ruled").get("percent") == 90)


def what_is_wrong_is_refused(folder):
    """run and up say which rule is wrong, and why"""
    wrong = {"logRules": [{"pattern": "loss=([0-9.]+)"}]}
    job = folder.write("wrong.yaml", tfjob("wrong", "", progress=wrong))
    code, text = finished("run", job)
    equal(code, 2, text)
    contains(text, "spec.runPolicy.progress.logRules[0].pattern: Invalid "
                   'value: "loss=([0-9.]+)": its groups have no names')


def more_jobs_than_streams(folder):
    """up --log-streams 1: the second waits, is told, and comes next"""
    with Up("--log-streams", "1", "--volume", f"here={folder.path}") as up:
        for name in ("one", "two"):
            up.create(tfjob(name, LINES.format(f"/here/{name}"), claim="here",
                            progress=STEPS))
            wait_until(f"{name} to be followed",
                       lambda n=name: report_of(up, n).get("log", {}).get(
                           "pod"))
        wait_until("the first", lambda: progress_of(up, "one"))
        contains(report_of(up, "two")["log"]["problem"],
                 "as many logs are read as log-streams allows (1)")
        wait_until("the event", lambda: "TFJobLogNotRead" in str(
            up.get("/api/v1/namespaces/default/events")))
        equal(progress_of(up, "two"), {})
        folder.write("one", "")
        wait_until("the second", lambda: progress_of(up, "two"))
        equal("problem" in report_of(up, "two")["log"], False)


CASES = [lines_in_run, a_bar_with_carriage_returns,
         a_program_that_is_gone_at_once, with_authorization,
         what_is_wrong_is_refused, more_jobs_than_streams]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
