#!/usr/bin/python3
"""The admin page in a browser: jobs that are restarted as a whole.

    test_restarts.py PART    cases whose function has PART in its name
"""

import os
import re
import sys

from browser import Browser
from test_page import SEES_TMP, Browsable, await_bars, await_state, row

from test_up import Up  # of ../whole
from troupe import http, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster

PAGE = "/#/jobs/default/TFJob/ddp"


def fails_once(flag, end):
    """Worker 1 of the first attempt fails when the file `flag` exists; the
    others, and the next attempt, end well when `end` exists."""
    return (f"import os, time\n"
            f"first = os.environ['TRAINING_RESTART_ATTEMPT'] == '0'\n"
            f"fails = first and os.environ['HOSTNAME'].endswith('-1')\n"
            f"while not os.path.exists({flag!r} if fails else {end!r}):\n"
            f"    time.sleep(0.05)\n"
            f"raise SystemExit(9 if fails else 0)")


def table_of(browser, name):
    return browser.run(
        f"return [...document.querySelectorAll('#job table[aria-label="
        f"{name}] tbody tr')].map((r) => [...r.cells].map("
        "(c) => c.innerText.trim()))")


def attempts_of_a_job(folder):
    """a restart is in the list, the timeline, a table and the explanation"""
    flag, end = (os.path.join(folder.path, name) for name in ("fail", "end"))
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        browser.open(up.admin + PAGE)
        up.create(tfjob("ddp", fails_once(flag, end), workers=2,
                        failurePolicy={"restartScope": "Job",
                                       "maxRestarts": 3}))
        browser.await_text("2 of 2 replicas run", "#summary")
        equal(table_of(browser, "Attempts"), [], "attempts before a failure")
        open(flag, "w").close()
        browser.await_text("2 of 2 replicas run (attempt 1 after Error)",
                           "#summary")
        wait_until("the recovery", lambda: "all ran again" in str(
            table_of(browser, "Attempts")))
        name, began, why, pod, _, recovery = table_of(browser, "Attempts")[0]
        equal([name, why, pod], ["attempt 1", "Error", "ddp-worker-1"],
              "attempt, cause and pod")
        contains(began, " ago")
        contains(recovery, "all ran again after ")
        await_bars(browser, {"ddp-worker-1 (attempt 0)": 1,
                             "ddp-worker-0 (attempt 0)": 1,
                             "(attempt 1): Running": 2,
                             "attempt 1: all ran again after": 1})
        contains(str(browser.run(
            "return [...document.querySelectorAll('.timeline text')]"
            ".map((t) => t.textContent)")), "attempt 1: Error")
        # It is told from the first second on.
        wait_until("the goodput", lambda: re.search(
            r"all replicas ran [0-9.]+% of ", browser.text("#job-facts")))
        browser.await_text("because of pod ddp-worker-1", "#explanation")
        contains(browser.text("#explanation"),
                 "Restarts that count: 1, at most 3.")
        browser.open(up.admin)
        await_state(browser, "ddp", "Running")
        contains(row(browser, "ddp")[6], "(attempt 1 after Error)")
        jobs = http("GET", up.admin + "/admin/v1/jobs")[1]["jobs"]
        equal([(j["attempt"], j["restartReason"]) for j in jobs],
              [(1, "Error")], "attempt and cause in the list as JSON")
        open(end, "w").close()
        await_state(browser, "ddp", "Succeeded")
        equal(browser.complaints(), [], "errors in the console")


if __name__ == "__main__":
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(run((attempts_of_a_job,), Browsable, only))
