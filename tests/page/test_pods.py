#!/usr/bin/python3
"""The pods of a job on the admin page: crash loops, and their logs.

    test_pods.py PART   cases whose function has PART in its name
"""

import os
import sys

from browser import Browser

from test_page import Browsable, SEES_TMP, row
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


SPEAKS = """
import os, sys, time
def said(text):
    sys.stdout.buffer.write(text)
    sys.stdout.flush()
said(b"first line\\n<img src=x onerror=alert(1)>\\n")
said(b"\\x1b[1;31mred\\x1b[0m plain\\n\\x1b]0;title\\x07bytes \\xff\\x00.\\n")
for percent in (1, 50, 99):
    said(b"\\rtraining %d %%" % percent)
def wait(name):
    while not os.path.exists({folder!r} + "/" + name): time.sleep(0.05)
wait("more")
said(b"\\rtraining done\\nlater\\n")
wait("end")
"""


def log_lines(browser):
    return browser.run("return [...document.querySelectorAll("
                       "'#log-lines > div')].map((line) => line.textContent)")


def await_lines(browser, wanted):
    try:
        wait_until(f"the lines {wanted}", lambda: log_lines(browser) == wanted)
    except AssertionError as error:
        raise AssertionError(f"{error}; there are {log_lines(browser)}"
                             ) from None


def log_of_a_pod(folder):
    """a pod's last lines and what comes, as a terminal shows it, as text"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("rings", SPEAKS.format(folder=folder.path)))
        up.await_condition("rings", "Running")
        browser.open(up.admin + "/#/jobs/default/TFJob/rings")
        browser.await_text("1 of 1 replica", "#summary")
        browser.click("table[aria-label=Pods] a")
        browser.await_text("Live", "#log-state")
        equal(browser.text("#pod-log-heading"), "Log of rings-worker-0",
              "heading")
        before = ["first line", "<img src=x onerror=alert(1)>", "red plain",
                  "bytes \ufffd."]
        await_lines(browser, [*before, "training 99 %"])
        equal(browser.run("return document.querySelectorAll('#log-lines img')"
                          ".length"), 0, "elements that the log has made")
        equal(browser.run("return [...document.querySelectorAll("
                          "'#log-lines span')].map((s) => [s.textContent, "
                          "s.className])"), [["red", "ansi-1 ansi-bold"]],
              "colours")
        open(os.path.join(folder.path, "more"), "w").close()
        await_lines(browser, [*before, "training done", "later"])
        equal(browser.run("return [...document.querySelectorAll("
                          "'#log-container option')].map((o) => o.text)"),
              ["tensorflow"], "containers")
        open(os.path.join(folder.path, "end"), "w").close()
        browser.await_text("The log has ended.", "#log-state")
        equal(len(log_lines(browser)), 6, "lines at the end")
        browser.press("Escape")
        browser.await_text("has succeeded", "#summary")
        browser.press("Escape")
        wait_until("the list", lambda: row(browser, "rings"))
        browser.open(up.admin + "/#/jobs/default/TFJob/rings/pods/other")
        browser.await_text("The job has no such pod now.", "#log-state")
        equal(browser.complaints(), [], "errors in the console")


def log_of_each_run(folder):
    """a container that is started again: its next run, and the one before"""
    flag = os.path.join(folder.path, "runs")
    program = (f"import os, time\nn = os.path.exists({flag!r})\n"
               f"open({flag!r}, 'w').close()\n"
               "print('second' if n else 'first', flush=True)\n"
               "time.sleep(600 if n else 3)\nraise SystemExit(1)")
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("rings", program, restart="OnFailure"))
        up.await_condition("rings", "Running")
        browser.open(up.admin
                     + "/#/jobs/default/TFJob/rings/pods/rings-worker-0")
        wait_until("both runs", lambda: log_lines(browser)[-1:] == ["second"])
        wait_until("the earlier run", lambda: not browser.run(
            "return document.getElementById('log-previous').disabled"))
        browser.click("#log-previous")
        await_lines(browser, ["first"])
        browser.await_text("The log has ended.", "#log-state")
        browser.click("#log-previous")
        await_lines(browser, ["second"])
        browser.await_text("Live", "#log-state")
        equal(browser.complaints(), [], "errors in the console")


CASES = (a_crash_loop_is_one_state, log_of_a_pod, log_of_each_run)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
