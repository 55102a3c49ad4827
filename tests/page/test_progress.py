#!/usr/bin/python3
"""The admin page in a browser: jobs whose programs say how far they are, or do
not any more.

    test_progress.py PART    cases whose function has PART in its name
"""

import os
import sys

from browser import Browser
from test_page import SEES_TMP, Browsable, await_state, row
from test_states import counts

from test_up import Up  # of ../whole
from troupe import tfjob

from checks import contains, equal, run  # of ../cluster

PAGE = "/#/jobs/default/TFJob/curve"

REPORTS = """
import json, os, ssl, time, urllib.request
place = {name: os.environ["KUBEFLOW_TRAINER_SERVER_" + name]
         for name in ("URL", "CA_CERT", "TOKEN")}
def report(percent, loss):
    status = {"progressPercentage": percent, "estimatedRemainingSeconds": 240,
              "metrics": [{"name": "loss", "value": str(loss)},
                          {"name": "<b>stage</b>", "value": "warm-up"}]}
    urllib.request.urlopen(urllib.request.Request(
        place["URL"], json.dumps({"trainerStatus": status}).encode(),
        {"Authorization": "Bearer " + open(place["TOKEN"]).read(),
         "Content-Type": "application/json"}),
        context=ssl.create_default_context(cafile=place["CA_CERT"]))
for percent, loss in ((10, 3), (20, 2), (45, 0.5)):
    report(percent, loss)
while not os.path.exists(%r):
    time.sleep(0.05)
"""
GOES_ON = """
while not os.path.exists(%r):
    report(50, 0.4)
    time.sleep(1.2)
"""


def texts(browser, selector):
    return browser.run(
        f"return [...document.querySelectorAll({selector!r})]"
        ".map((e) => e.textContent.trim())")


def a_job_that_reports(folder):
    """a bar in the list, and on its page a line for each metric"""
    end = os.path.join(folder.path, "end")
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        browser.open(up.admin + PAGE)
        up.create(tfjob("curve", REPORTS % end, progress={"report": True}))
        browser.await_text("45%, 4m left, told by curve-worker-0",
                           "#job .progress")
        equal(texts(browser, "#job .metric figcaption"),
              ["loss 0.5", "<b>stage</b> warm-up"], "metrics")
        equal(texts(browser, "#job .metric svg title"),
              ["loss: from 0.5 to 3, now 0.5"], "charts")
        browser.open(up.admin + "/#/jobs")
        browser.await_text("45%", "#job-table tbody")
        contains(row(browser, "curve"), "45%")
        open(end, "w").close()
        await_state(browser, "curve", "Succeeded")
        equal(browser.complaints(), [], "errors in the console")


def a_job_that_is_stalled(folder):
    """its state, and why: what it told last; until it goes on"""
    flag, end = (os.path.join(folder.path, name) for name in ("go", "end"))
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        browser.open(up.admin)
        up.create(tfjob("curve", REPORTS % flag + GOES_ON % end, progress={
            "report": True, "stalledAfter": "3s", "startWithin": "10m"}))
        await_state(browser, "curve", "Stalled")
        equal(counts(browser), [["Stalled", "1"]], "counts")
        browser.open(up.admin + PAGE)
        browser.await_text("job curve is stalled: no progress for ", "#job")
        browser.await_text("a report of its program: no progress for ",
                           "#explanation")
        contains(browser.text("#explanation"), "(last: 45%")
        open(flag, "w").close()
        browser.await_text("job curve makes progress again: 50%", "#job")
        browser.open(up.admin)
        await_state(browser, "curve", "Running")
        open(end, "w").close()
        await_state(browser, "curve", "Succeeded")
        equal(browser.complaints(), [], "errors in the console")


def a_job_whose_log_is_not_read(folder):
    """the page says why its log rules are not applied"""
    with Up("--log-streams", "0", *SEES_TMP) as up, \
            Browser(folder.path) as browser:
        browser.open(up.admin + PAGE)
        up.create(tfjob("curve", "import time; time.sleep(60)", progress={
            "logRules": [{"pattern": "loss=(?P<loss>.*)"}]}))
        browser.await_text("The log rules are not applied: the operator reads no "
                           "logs (log-streams is 0)", "#job .log-problem")
        equal(browser.complaints(), [], "errors in the console")


if __name__ == "__main__":
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(run((a_job_that_reports, a_job_that_is_stalled,
                  a_job_whose_log_is_not_read), Browsable, only))
