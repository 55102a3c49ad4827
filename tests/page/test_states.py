#!/usr/bin/python3
"""The counts of jobs by state on the admin page.

    test_states.py PART   cases whose function has PART in its name
"""

import sys

from browser import Browser

from test_page import Browsable, SEES_TMP, STAYS, await_state
from test_up import Up  # of ../whole
from troupe import tfjob

from checks import equal, run  # of ../cluster


def counts(browser):
    """[["Running", "2"], ...] as the buttons show it."""
    return [text.split() for text in browser.texts("#states button")]


def counts_by_state(folder):
    """how many jobs are in each state; a click shows only these"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("alpha", STAYS))
        up.create(tfjob("beta", STAYS))
        up.create(tfjob("gamma", "pass"))
        browser.open(up.admin)
        for name, state in (("alpha", "Running"), ("beta", "Running"),
                            ("gamma", "Succeeded")):
            await_state(browser, name, state)
        equal(counts(browser), [["Running", "2"], ["Succeeded", "1"]], "counts")
        browser.click("#states button:nth-child(2)")
        equal(browser.texts("#job-table tbody a"), ["default/gamma"], "links")
        equal(browser.text("#count"), "1 of 3 jobs", "count")
        equal(browser.text("#states [aria-pressed=true]").split(),
              ["Succeeded", "1"], "pressed")
        up.ask("DELETE", "/apis/kubeflow.org/v1/namespaces/default/tfjobs/"
               "gamma")
        browser.await_text("No job matches the filter.")
        equal(counts(browser), [["Running", "2"], ["Succeeded", "0"]], "counts")
        browser.press("Escape")
        equal(counts(browser), [["Running", "2"]], "counts")
        equal(len(browser.texts("#job-table tbody a")), 2, "jobs")
        browser.press("/", "bet")
        equal(counts(browser), [["Running", "1"]], "counts")
        equal(browser.complaints(), [], "errors in the console")


MANY_JOBS = """
    const job = (i) => ({
        uid: String(i), kind: "TFJob", namespace: "team-" + i % 10,
        name: "job-" + i, created: "2026-01-31T12:00:00Z", summary: "",
        state: ["", "Running", "Failed", "JobPending"][i % 4],
        finished: i % 4 === 2, replicas: 1, running: 0, succeeded: 0,
        failed: 0});
    return import("/jobs.js").then((page) => page.takeJobs({
        at: "2026-01-31T12:00:00Z", jobs: [...Array(10000).keys()].map(job)}))
    """


def many_jobs_are_counted(folder):
    """of ten thousand, in all namespaces and in one"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        browser.open(up.admin)
        browser.await_text("There are no jobs yet")
        browser.run(MANY_JOBS)
        equal(counts(browser), [["New", "2500"], ["Running", "2500"],
                                ["Failed", "2500"], ["JobPending", "2500"]],
              "counts")
        equal(browser.text("#count"), "10000 jobs, the first 500 shown",
              "count")
        browser.press("/", "team-3/")
        equal(counts(browser), [["Running", "500"], ["JobPending", "500"]],
              "counts of a namespace")
        browser.click("#states button:nth-child(1)")
        equal(browser.text("#count"), "500 of 10000 jobs", "count")
        equal(browser.complaints(), [], "errors in the console")


CASES = (counts_by_state, many_jobs_are_counted)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
