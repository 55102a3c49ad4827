#!/usr/bin/python3
"""The pods of a job on the admin page: crash loops.

    test_pods.py PART   cases whose function has PART in its name
"""

import sys

from browser import Browser

from test_page import Browsable, SEES_TMP
from test_up import Up  # of ../whole
from troupe import tfjob, wait_until

from checks import contains, equal, run  # of ../cluster


WATCH_PHASES = """
    window.phases = new Set();
    const look = () => {
        const row = document.querySelector("table[aria-label=Pods] tbody tr");
        if (row) window.phases.add(row.cells[1].innerText);
    };
    new MutationObserver(look).observe(
        document.getElementById("job-tables"), {childList: true});
    look();
    """


def pod_cells(browser):
    return browser.texts("#job table[aria-label=Pods] tbody tr:first-child td")


def a_crash_loop_is_one_state(folder):
    """a container that ends again and again is not Running now and then"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("rings", "raise SystemExit(7)", restart="OnFailure"))
        browser.open(up.admin + "/#/jobs/default/TFJob/rings")
        browser.await_text("Crash loop", "#job-tables")
        browser.run(WATCH_PHASES)
        browser.await_text("next try in", "#job-tables")
        wait_until("the second restart",
                   lambda: int(pod_cells(browser)[3]) >= 2)
        browser.await_text("next try in", "#job-tables")
        equal(browser.run("return [...window.phases]"), ["Crash loop"],
              "phases")
        cells = pod_cells(browser)
        equal(cells[2], "7", "exit code")
        contains(cells[4], " restarts of tensorflow, last exit code 7, ")
        contains(browser.text("#summary"), "rings-worker-0: crash loop, ")
        browser.await_text("rings-worker-0 to run for longer: CrashLoop: crash "
                           "loop, ", "#explanation")
        equal(browser.complaints(), [], "errors in the console")


CASES = (a_crash_loop_is_one_state,)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
