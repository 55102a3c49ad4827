#!/usr/bin/python3
"""Jobs that report and then hang, on a laptop: `troupe run` and `troupe up`.

    test_stalls.py PART    cases whose function has PART in its name
"""

import json
import os
import sys

from test_up import Up
from troupe import Folder, Program, finished, tfjob

from checks import contains, equal, run  # of ../cluster

# A program reports until one report is taken, however long that takes.
REPORTS = """
import json, os, ssl, time, urllib.error, urllib.request
place = {name: os.environ["KUBEFLOW_TRAINER_SERVER_" + name]
         for name in ("URL", "CA_CERT", "TOKEN")}

def report(percent):
    status = {"progressPercentage": percent, "metrics": [
        {"name": "step", "value": str(percent * 90)},
        {"name": "total", "value": "9000"}]}
    while True:
        try:
            head = {"Authorization": "Bearer " + open(place["TOKEN"]).read(),
                    "Content-Type": "application/json"}
            urllib.request.urlopen(urllib.request.Request(
                place["URL"], json.dumps({"trainerStatus": status}).encode(),
                head), timeout=30, context=ssl.create_default_context(
                    cafile=place["CA_CERT"]))
            return
        except OSError as why:
            print("not reported:", why)
            time.sleep(0.5)
"""
HANGS_ONCE = REPORTS + """
if os.environ["TRAINING_RESTART_ATTEMPT"] == "0":
    report(45)
    time.sleep(600)
"""
SILENCE = r"no progress for \d+s \(last: 45%, step 4050/9000\)"


def policy(on_stalled):
    return {"report": True, "stalledAfter": "2s", "startWithin": "10m",
            "onStalled": on_stalled}


# -- cases --------------------------------------------------------------------

def told(folder):
    """run says that a job is stalled, and when it goes on"""
    job = tfjob("slow", REPORTS + """
report(45)
while not os.path.exists("/here/end"):
    time.sleep(0.05)
report(46)
""", claim="here", progress=policy("Report"))
    place = os.path.join(folder.path, "here")
    os.mkdir(place)
    with Program("run", "--volume", f"here={place}",
                 folder.write("slow.yaml", job)) as program:
        program.await_line(r"Stalled \(job slow is stalled: " + SILENCE + r"\)")
        open(os.path.join(place, "end"), "w").close()
        equal(program.end(), 0, program.text())
        contains(program.text(), "Succeeded")


def restarted(folder):
    """run restarts it as a whole, tells why, and comes to its end"""
    job = folder.write("hangs.yaml", tfjob("hangs", HANGS_ONCE, 2,
                                           progress=policy("RestartJob")))
    with Program("run", job) as program:
        program.await_line(
            r"Restarting \(job hangs is restarting \(attempt 1\) because it is "
            "stalled: " + SILENCE + r"\)")
        program.await_line("all pods stop, then start again as attempt 1 "
                           r"\(1 of at most 3 restarts\)")
        equal(program.end(), 0, program.text())


def failed(folder):
    """or it fails, and run ends with 1"""
    job = folder.write("ends.yaml", tfjob(
        "ends", REPORTS + "report(45)\ntime.sleep(600)",
        progress=policy("FailJob")))
    code, text = finished("run", job)
    equal(code, 1, text)
    contains(text, "has failed because it is stalled: no progress for ")


def explained(_):
    """up: explain says since when and what was told last; an annotation does,
    too"""
    job = json.loads(tfjob("noted", REPORTS + "report(45)\ntime.sleep(600)"))
    job["metadata"]["annotations"] = {
        "training.kubeflow.org/progress": json.dumps(policy("Report"))}
    with Up() as up:
        up.create(json.dumps(job))
        up.await_condition("noted", "Stalled")
        code, text = finished("explain", "noted", "--admin", up.admin)
        equal(code, 0, text)
        contains(text, "a report of its program: no progress for ")
        contains(text, "(last: 45%, step 4050/9000)")


def wrong(folder):
    """a time without reports is refused, with the field and what to do"""
    job = folder.write("bad.yaml", tfjob("bad", "", progress={
        "stalledAfter": "10m"}))
    code, text = finished("run", job)
    equal(code != 0, True, text)
    contains(text, "spec.runPolicy.progress.stalledAfter: Forbidden: nothing "
                   "tells how far the job is; set report to true")


def mistyped(folder):
    """a report that does not say that it is JSON is refused, as in a cluster"""
    job = folder.write("typed.yaml", tfjob("typed", REPORTS.replace(
        "application/json", "application/x-www-form-urlencoded").replace(
        "except OSError as why:", "except urllib.error.HTTPError as why:\n"
        "            assert why.code == 415, why.code\n"
        "            print(why.read().decode())\n"
        "            raise SystemExit(3)\n"
        "        except OSError as why:") + "report(45)",
        progress={"report": True}))
    code, text = finished("run", job)
    equal(code, 1, text)
    contains(text, "accepted media types include: application/json")


CASES = [told, restarted, failed, explained, wrong, mistyped]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
