#!/usr/bin/python3
"""The admin page with 5, 500 and 10,000 jobs: what it costs, and that it stays
usable. Prints figures; no time decides.

    test_many.py PART    cases whose function has PART in its name
"""

import sys
import time

from browser import Browser
from played import Played
from scene import many_rows
from test_page import Browsable

from troupe import wait_until  # of ../whole

from checks import equal, run  # of ../cluster

MIB = 1 << 20
MOST_HEAP = 24 * MIB  # Of a page with 10,000 jobs; it is a fifth of that.
SHOWN = 500           # Rows of a table at most.
# How long the page did nothing else, at the longest.
WATCH_TASKS = """
    window.longest = 0;
    new PerformanceObserver((list) => {
        for (const task of list.getEntries())
            window.longest = Math.max(window.longest, task.duration);
    }).observe({type: "longtask", buffered: true});
    """
# How often the table has been brought up to date.
COUNT_RENEWALS = """
    window.renewals = 0;
    new MutationObserver(() => window.renewals++).observe(
        document.getElementById("job-table").tBodies[0],
        {childList: true, subtree: true, characterData: true});
    """


def rows_of(browser):
    return browser.run(
        "return document.getElementById('job-table').tBodies[0].rows.length")


def heap_of(browser):
    browser.command("HeapProfiler.collectGarbage")
    return browser.run("return performance.memory.usedJSHeapSize")


def cost(folder):
    """the list, the filter and the heap with 5, 500 and 10,000 jobs"""
    for count in (5, 500, 10000):
        with Played([], many_rows(count)) as played, \
                Browser(folder.path) as browser:
            browser.command("Page.addScriptToEvaluateOnNewDocument",
                            source=WATCH_TASKS)
            begin = time.monotonic()
            browser.open(played.url)
            browser.await_text(f"{count} jobs", "#count")
            listed = time.monotonic()
            equal(rows_of(browser), min(count, SHOWN), "rows")
            browser.press("/", "bert")
            browser.await_text(f" of {count} jobs", "#count")
            filtered = time.monotonic()
            heap = heap_of(browser)
            print(f"     {count} jobs: the list after {listed - begin:.2f} s, "
                  f"filtered in {filtered - listed:.2f} s, heap "
                  f"{heap / MIB:.1f} MiB, longest task "
                  f"{browser.run('return window.longest'):.0f} ms")
            equal(heap < MOST_HEAP, True, f"{heap} bytes of heap, at most")
            equal(browser.complaints(), [], "errors in the console")


def changes_are_gathered(folder):
    """hundreds of changes are shown together, and rows that stay are kept"""
    rows = many_rows(10000)
    with Played([], rows) as played, Browser(folder.path) as browser:
        browser.open(played.url)
        browser.await_text("10000 jobs", "#count")
        browser.press("/", "bert", "ArrowDown")
        focused = browser.focused()
        browser.run(COUNT_RENEWALS)
        bert = [r for r in rows if "bert" in r["name"]]
        for percent in range(73, 101):
            for row in bert[:20]:
                played.change([{**row, "percent": percent}])
        wait_until("the last change", lambda: browser.text(
            "#job-table tbody tr:nth-child(20)").count("100%"))
        renewals = browser.run("return window.renewals")
        print(f"     {28 * 20} changes in {renewals} renewals")
        equal(renewals < 28 * 20 / 2, True, f"{renewals} renewals, at most")
        equal(browser.focused(), focused, "focus")
        equal(rows_of(browser), SHOWN, "rows")


def actors_of_many(folder):
    """the tree of an operator with 10,000 jobs is cut, and says so"""
    with Played([], many_rows(10000)) as played, \
            Browser(folder.path) as browser:
        browser.open(played.url + "/#/actors")
        browser.await_text("10009 actors, the first 500 shown", "#actors-body")
        equal(browser.run("return document.querySelectorAll('#actors-body "
                          "tbody tr').length"), SHOWN, "rows")


CASES = (cost, changes_are_gathered, actors_of_many)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
