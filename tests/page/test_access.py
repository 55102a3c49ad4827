#!/usr/bin/python3
"""The admin page for those who cannot see it, have no mouse, or only a phone:
every view with jobs in every state, and with 5, 500 and 10,000 of them.

    test_access.py PART    cases whose function has PART in its name
"""

import sys

from axe import Examiner
from browser import Browser
from played import Played, TOKEN
from scene import all_jobs, many_rows
from test_page import Browsable

from troupe import wait_until  # of ../whole

from checks import equal, run  # of ../cluster

PHONE = (360, 740)
LOG = "#/jobs/nlp/PyTorchJob/bert-finetune/pods/bert-finetune-master-0"
# Where each view is, and what it shows when it is complete.
VIEWS = [("#/jobs", "14 jobs"),
         *((f"#/jobs/{job.path()}", "Last decisions") for job in all_jobs()),
         ("#/jobs/nlp/PyTorchJob/nobody", "There is no such job."),
         (LOG, "step 7150"), ("#/actors", "job-supervisor"),
         ("#/watchers", "connection refused"), ("#/log", "All components")]
# How much of the page is to the right of what a person sees, and where.
BEYOND = """
    const width = document.documentElement.clientWidth;
    const cut = [...document.querySelectorAll("main *")].filter((e) =>
        !e.closest("svg, .hidden-text") && e.checkVisibility()
        && (e.getBoundingClientRect().right > width + 1
            || (e.scrollWidth > e.clientWidth + 1 && e.clientWidth
                && getComputedStyle(e).overflowX !== "visible")));
    return cut.slice(0, 3).map((e) => `${e.tagName} ${e.className}: `
        + e.textContent.slice(0, 60));
    """
# The place of the focus among all that can have it, and whether it is seen.
STOPS = """
    return [...document.querySelectorAll(
        "a[href], button, input, select, [tabindex='0']")]
        .filter((e) => e.checkVisibility() && !e.disabled)
    """
FOCUS = """
    const stops = (() => {%s})();
    const e = document.activeElement, style = getComputedStyle(e);
    return [stops.indexOf(e), stops.length, style.outlineStyle !== "none"
            && parseFloat(style.outlineWidth) >= 2,
            e.tagName + " " + e.textContent.slice(0, 40)]
    """ % STOPS


def show(browser, played, view, text):
    browser.open(f"{played.url}/{view}")
    browser.await_text(text, "main")
    browser.await_text("Live", "#connection")


def examine(examiner, browser, what):
    equal(examiner.violations(browser), [], f"what axe finds in {what}")


def screen_readers(folder):
    """axe finds nothing, in light and on a phone in dark"""
    examiner = Examiner()
    with Played(all_jobs()) as played:
        for dark, size in ((False, (1200, 800)), (True, PHONE)):
            with Browser(folder.path, dark=dark, size=size) as browser:
                for view, text in VIEWS:
                    show(browser, played, view, text)
                    examine(examiner, browser, view)
                equal(browser.complaints(), [], "errors in the console")


def lists_of_all_sizes(folder):
    """nor in lists of 5, 500 and 10,000 jobs, of none, and of a standby"""
    examiner = Examiner()
    for count, dark, size in ((5, False, PHONE), (500, True, (1200, 800)),
                              (10000, False, PHONE)):
        with Played([], many_rows(count)) as played, \
                Browser(folder.path, dark=dark, size=size) as browser:
            show(browser, played, "#/jobs", f"{count} jobs")
            examine(examiner, browser, f"{count} jobs")
            equal(browser.run(BEYOND), [], f"cut with {count} jobs")
            browser.press("/", "no such thing")
            browser.await_text("No job matches the filter.")
            examine(examiner, browser, "a filter that nothing matches")
    with Browser(folder.path) as browser:
        for text, how in (("There are no jobs yet", {}),
                          ("This replica is a standby", {"stands_by": True})):
            with Played([], **how) as played:
                show(browser, played, "#/jobs", text)
                examine(examiner, browser, text)


def the_token(folder):
    """nor where the token is asked for, and after a wrong one"""
    examiner = Examiner()
    with Played(all_jobs(), asks=True) as played:
        for dark in (False, True):
            with Browser(folder.path, dark=dark, size=PHONE) as browser:
                browser.open(played.url)
                wait_until("the form", lambda: browser.focused() == "token")
                examine(examiner, browser, "the form")
                browser.press("wrong", "Enter")
                browser.await_text("token is needed", "#sign-in-answer")
                examine(examiner, browser, "the refusal")
                equal(browser.run(BEYOND), [], "cut")
                browser.run("document.getElementById('token').value = ''")
                browser.press(TOKEN, "Enter")
                browser.await_text("14 jobs", "#count")


def by_keyboard(folder):
    """Tab reaches all that can be used, in order, and it is seen where it is"""
    with Played(all_jobs()) as played, Browser(folder.path) as browser:
        for view, text in VIEWS[:3] + VIEWS[-4:]:
            show(browser, played, view, text)
            browser.call("POST", "/refresh", {})  # From the begin.
            browser.await_text(text, "main")
            count = browser.run(STOPS + ".length")
            for i in range(count):
                browser.press("Tab")
                index, _, is_seen, what = browser.run(FOCUS)
                equal((index, is_seen), (i, True),
                      f"the focus, and whether it is seen, of {what} in {view}")


def on_a_phone(folder):
    """nothing is cut, and nothing has to be scrolled sideways, at 360 pixels"""
    with Played(all_jobs()) as played, \
            Browser(folder.path, size=PHONE) as browser:
        for view, text in VIEWS:
            show(browser, played, view, text)
            equal(browser.run("return document.documentElement.scrollWidth"),
                  360, f"width of {view}")
            equal(browser.run(BEYOND), [], f"cut in {view}")


CASES = (screen_readers, lists_of_all_sizes, the_token, by_keyboard, on_a_phone)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
