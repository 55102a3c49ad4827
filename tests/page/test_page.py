#!/usr/bin/python3
"""The admin page in a browser, while jobs go through their lives.

    test_page.py --screenshots   also renews docs/page-*.png
"""

import os
import sys

from browser import Browser, missing

from test_up import Up  # of ../whole
from troupe import Folder, REPOSITORY, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster
from assets import SKIPPED

STAYS = "import time; time.sleep(600)"


def row(browser, name):
    """The texts of a job's row, or None."""
    for cells in browser.run(
            "return [...document.querySelectorAll('#job-table tbody tr')]"
            ".map((r) => [...r.cells].map((c) => c.innerText.trim()))"):
        if name in cells[0]:
            return cells


def await_state(browser, name, state):
    wait_until(f"the page to show {name} as {state}",
               lambda: (row(browser, name) or [""] * 3)[2] == state)


def list_of_jobs(folder):
    """jobs appear, change their state and disappear without a reload"""
    flag = os.path.join(folder.path, "go-on")
    wait = f"import os, time\nwhile not os.path.exists({flag!r}):" \
           " time.sleep(0.05)"
    with Up() as up, Browser(folder.path) as browser:
        browser.open(up.admin)
        browser.await_text("There are no jobs yet")
        up.create(tfjob("rings", wait, workers=2))
        await_state(browser, "rings", "Running")
        browser.await_text("2/2 running")
        cells = row(browser, "rings")
        contains(cells[0], "default/rings")
        equal(cells[1], "TFJob", "kind")
        open(flag, "w").close()
        await_state(browser, "rings", "Succeeded")
        contains(row(browser, "rings")[3], "2 succeeded")
        contains(row(browser, "rings")[5], "has succeeded")
        equal(up.ask("DELETE", "/apis/kubeflow.org/v1/namespaces/default/"
                     "tfjobs/rings")[0], 200, "status of the deletion")
        browser.await_text("There are no jobs yet")
        equal(browser.complaints(), [], "errors in the console")


def filter_and_keys(folder):
    """the filter narrows the list; everything can be done with the keyboard"""
    with Up() as up, Browser(folder.path) as browser:
        for name in ("alpha", "beta", "gamma"):
            up.create(tfjob(name, STAYS))
        browser.open(up.admin)
        for name in ("alpha", "beta", "gamma"):
            await_state(browser, name, "Running")
        browser.press("/", "bet")
        equal(browser.texts("#job-table tbody a"), ["default/beta"], "links")
        equal(browser.text("#count"), "1 of 3 jobs", "count")
        browser.press("ArrowDown")
        equal(browser.focused(), "default/beta", "focus")
        browser.press("ArrowUp")
        equal(browser.focused(), "filter", "focus")
        browser.press("Escape", "tfjob alp run")
        equal(browser.texts("#job-table tbody a"), ["default/alpha"], "links")
        browser.press("Escape", "nothing")
        browser.await_text("No job matches the filter.")
        browser.press("Escape")
        equal(len(browser.texts("#job-table tbody a")), 3, "jobs")
        equal(browser.complaints(), [], "errors in the console")


CASES = (list_of_jobs, filter_and_keys)

if __name__ == "__main__":
    if lack := missing():
        print(f"SKIPPED, NOTHING WAS TESTED: no {lack}", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.exit(run(CASES, Folder))
