#!/usr/bin/python3
"""The admin page in a browser, while jobs go through their lives.

    test_page.py PART    cases whose function has PART in its name
"""

import glob
import os
import re
import sys

from browser import Browser

from test_admin import remote_arguments  # of ../whole
from test_up import Up
from troupe import Folder, Program, REPOSITORY, http, tfjob, wait_until

import needs  # of ../cluster
from checks import contains, equal, run
from process import free_port

STAYS = "import time; time.sleep(600)"


# Pods wait for files in /tmp of the host.
SEES_TMP = ("--isolation", "preload")


def held_program(folder, name):
    """(flag, program): the program ends well when the file `flag` exists."""
    flag = os.path.join(folder.path, name)
    return flag, (f"import os, time\nwhile not os.path.exists({flag!r}):"
                  " time.sleep(0.05)")


def standby(folder):
    """a replica that does not lead names the one that does"""
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
             "metadata": {"name": "another", "namespace": "default"},
             "spec": {"holderIdentity": "the-leader",
                      "leaseDurationSeconds": 3600, "leaseTransitions": 1}}
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    port = free_port()
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        equal(up.ask("POST", leases, lease)[0], 201, "creating the Lease")
        with Program("operator", "--kubeconfig", up.kubeconfig,
                     "--leader-elect", "--leader-election-id", "another",
                     "--leader-election-namespace", "default",
                     "--health-probe-bind-address", "0",
                     "--metrics-bind-address", "0",
                     "--di-server-bind-address", "0",
                     "--admin-bind-address", f"127.0.0.1:{port}"):
            address = f"http://127.0.0.1:{port}"
            wait_until("the admin endpoint",
                       lambda: answers(address + "/admin/v1/actors"))
            browser.open(address)
            browser.await_text("This replica is a standby and has no jobs: "
                               "the leader, the-leader, has them.")


def answers(url):
    try:
        return http("GET", url)[0] == 200
    except OSError:
        return False


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
    flag, wait = held_program(folder, "list-of-jobs")
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
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
        contains(row(browser, "rings")[6], "has succeeded")
        equal(up.ask("DELETE", "/apis/kubeflow.org/v1/namespaces/default/"
                     "tfjobs/rings")[0], 200, "status of the deletion")
        browser.await_text("There are no jobs yet")
        equal(browser.complaints(), [], "errors in the console")


def filter_and_keys(folder):
    """the filter narrows the list; everything can be done with the keyboard"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
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


def await_bars(browser, wanted):
    """`wanted`: how many bars of the timeline say each text."""
    def said():
        return browser.run("return [...document.querySelectorAll("
                           "'.timeline title')].map((t) => t.textContent)")

    def fits():
        texts = said()
        return all(sum(part in text for text in texts) == times
                   for part, times in wanted.items())
    try:
        wait_until(f"bars with {wanted}", fits)
    except AssertionError as error:
        raise AssertionError(f"{error}; there are {said()}") from None


def life_of_a_job(folder):
    """a job's page from before it is there until it has succeeded"""
    flag, wait = held_program(folder, "life-of-a-job")
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        browser.open(up.admin + "/#/jobs/default/TFJob/rings")
        browser.await_text("There is no such job.", "#summary")
        up.create(tfjob("rings", wait, workers=2))
        browser.await_text("2 of 2 replicas run", "#summary")
        equal(browser.text("#job-heading"), "TFJob default/rings", "heading")
        await_bars(browser, {"rings-worker-0: Running": 1,
                             "rings-worker-1: Running": 1})
        marks = browser.run("return [...document.querySelectorAll("
                            "'.timeline text')].map((t) => t.textContent)")
        for mark in ("Created", "Running", "rings-worker-0"):
            equal(mark in marks, True, f"{mark} in the timeline: {marks}")
        contains(browser.text("#explanation"), "rings-worker-1")
        up.ask("DELETE", "/api/v1/namespaces/default/pods/rings-worker-1")
        await_bars(browser, {"rings-worker-0: Running": 1, "deleted": 1,
                             "rings-worker-1": 2})
        open(flag, "w").close()
        browser.await_text("has succeeded", "#summary")
        browser.await_text("TFJob default/rings: has succeeded", "#explanation")
        await_bars(browser, {"rings-worker-0: Succeeded with exit code 0": 1,
                             "rings-worker-1: Succeeded": 1, "deleted": 1})
        for heading in ("Timeline", "Replicas", "Pods", "Conditions",
                        "Expectations", "Explanation"):
            equal(heading in browser.texts("#job h2"), True, heading)
        equal(browser.texts("#job table[aria-label=Pods] th[scope=col]"),
              ["Pod", "Phase", "Exit code", "Restarts", "Trouble"], "columns")
        equal(browser.complaints(), [], "errors in the console")


def views_of_the_operator(folder):
    """the actors, the watches and the log levels"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("rings", STAYS))
        up.await_condition("rings", "Running")
        browser.open(up.admin + "/#/actors")
        browser.await_text("TFJob default/rings", "#actors-body")
        for actor in ("root", "gateway", "directory", "job-supervisor"):
            contains(browser.text("#actors-body"), actor)
        contains(browser.text("#actors-body"), "Last message")
        contains(browser.text("#actors-body"), "api_response")
        browser.click("nav a[href='#/watchers']")
        browser.await_text("podautoscalers", "#watchers-body")
        equal(browser.text("nav a[aria-current]"), "Watches", "current view")
        browser.click("nav a[href='#/log']")
        browser.await_text("watcher", "#log-body")
        browser.run("const s = document.querySelector("
                    "'select[aria-label=watcher]'); s.focus();"
                    "s.value = 'debug'; s.dispatchEvent(new Event('change'))")
        browser.await_text("watcher: debug", "#log-answer")
        levels = http("GET", up.admin + "/admin/v1/log-level")[1]
        equal(levels["components"]["watcher"], "debug", "level")
        equal(browser.complaints(), [], "errors in the console")


def by_keyboard(folder):
    """from the list to a job and back without a mouse"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        up.create(tfjob("rings", STAYS))
        browser.open(up.admin)
        await_state(browser, "rings", "Running")
        browser.press("Tab")
        equal(browser.focused(), "Skip to the content", "focus")
        browser.press("Tab")
        equal(browser.focused(), "Jobs", "focus")
        browser.press("/")
        equal(browser.focused(), "filter", "focus")
        browser.press("Tab")
        equal(browser.focused(), "default/rings", "focus")
        browser.press("Enter")
        browser.await_text("1 of 1 replica", "#summary")
        equal(browser.run("return document.activeElement.id"), "main", "focus")
        browser.call("POST", "/back", {})
        wait_until("the list", lambda: row(browser, "rings"))
        equal(browser.text("nav a[aria-current]"), "Jobs", "current view")


def esc_leaves_a_job(folder):
    """Esc leads from a job's page to the list; not while somebody types"""
    with Up(*SEES_TMP) as up, Browser(folder.path) as browser:
        for name in ("alpha", "beta"):
            up.create(tfjob(name, STAYS))
        browser.open(up.admin)
        for name in ("alpha", "beta"):
            await_state(browser, name, "Running")
        browser.press("/", "beta", "Tab")
        equal(browser.focused(), "default/beta", "focus")
        browser.press("Enter")
        browser.await_text("1 of 1 replica", "#summary")
        browser.run("""
            const field = document.createElement("input");
            field.id = "field";
            document.getElementById("job").append(field);
            field.focus()""")
        browser.press("text", "Escape")
        equal(browser.run("return location.hash"), "#/jobs/default/TFJob/beta",
              "place after Esc in a field with text")
        browser.run("document.getElementById('field').value = ''")
        browser.press("Escape")
        wait_until("the list", lambda: browser.texts("#job-table tbody a"))
        equal(browser.texts("#job-table tbody a"), ["default/beta"],
              "the filter, as it was")
        equal(browser.focused(), "default/beta", "focus")
        browser.press("Escape")
        equal(len(browser.texts("#job-table tbody a")), 2, "jobs")
        browser.open(up.admin + "/#/jobs/default/TFJob/alpha")
        browser.await_text("1 of 1 replica", "#summary")
        browser.click(".back a")
        wait_until("the list", lambda: row(browser, "alpha"))
        browser.open(up.admin + "/#/actors")
        browser.await_text("job-supervisor", "#actors-body")
        browser.press("Escape")
        equal(browser.run("return location.hash"), "#/actors", "place")
        equal(browser.complaints(), [], "errors in the console")


def brightness(browser, what):
    """Of a colour of the page, from 0 to 255."""
    colour = browser.run("return getComputedStyle(document.querySelector("
                         "'html'))[arguments[0]]", what)
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def dark_and_narrow(folder):
    """dark where the system is dark; a phone needs no scrolling sideways"""
    with Up(*SEES_TMP) as up:
        up.create(tfjob("a-rather-long-name-of-a-training-job", STAYS,
                        workers=2, ps=1))
        with Browser(folder.path) as browser:
            browser.open(up.admin)
            equal(brightness(browser, "backgroundColor") > 230, True, "light")
            equal(brightness(browser, "color") < 80, True, "dark text")
        with Browser(folder.path, dark=True, size=(360, 740)) as browser:
            for view in ("#/jobs", "#/actors", "#/watchers", "#/log",
                         "#/jobs/default/TFJob/"
                         "a-rather-long-name-of-a-training-job",
                         "#/jobs/default/TFJob/"
                         "a-rather-long-name-of-a-training-job/pods/"
                         "a-rather-long-name-of-a-training-job-worker-0"):
                browser.open(up.admin + "/" + view)
                browser.await_text("Live", "#connection")
                equal(brightness(browser, "backgroundColor") < 40, True, "dark")
                equal(brightness(browser, "color") > 180, True, "light text")
                width = browser.run("return document.documentElement"
                                    ".scrollWidth")
                equal(width <= 360, True, f"{width} pixels are wide: {view}")
            browser.open(up.admin + "/#/jobs")
            browser.await_text("TFJob:", "#job-table")
            equal(browser.texts("th.wide"), [], "columns for wide screens")


def a_lost_connection(folder):
    """the page says that it shows the past, and goes on by itself"""
    port = free_port()
    with Browser(folder.path) as browser:
        address = ("--admin-bind-address", f"127.0.0.1:{port}")
        with Up(*SEES_TMP, *address) as up:
            browser.open(up.admin)
            browser.await_text("Live", "#connection")
        browser.await_text("Not connected", "#connection")
        with Up(*SEES_TMP, *address) as up:
            up.create(tfjob("later", STAYS))
            await_state(browser, "later", "Running")
            equal(browser.text("#connection"), "Live", "connection")


def a_token_is_asked_for(folder):
    """from another machine: the page asks for the token, once"""
    token = "0123456789abcdef0123456789abcdef"
    with Up(*remote_arguments(folder, free_port(), token)) as up, \
            Browser(folder.path) as browser:
        up.create(tfjob("rings", STAYS))
        browser.open(up.admin.replace("http:", "https:"))
        wait_until("the form", lambda: browser.focused() == "token")
        browser.press("wrong", "Enter")
        browser.await_text("token", "#sign-in-answer")
        browser.run("document.getElementById('token').value = ''")
        browser.press(token, "Enter")
        await_state(browser, "rings", "Running")
        browser.call("POST", "/refresh", {})
        await_state(browser, "rings", "Running")
        equal(token in browser.run("return document.documentElement.outerHTML"),
              False, "the token is in the document")


def only_text(_):
    """nothing that the server says becomes markup"""
    for path in glob.glob(f"{REPOSITORY}/actors/admin/page/*"):
        with open(path) as file:
            text = file.read()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML",
                     "document.write", "eval(", "style="):
            equal(word in text, False, f"{word} in {path}")
        for url in re.findall(r"https?://[^\s\"']+", text):
            equal(url, "http://www.w3.org/2000/svg", f"outside of {path}")


CASES = (list_of_jobs, filter_and_keys, life_of_a_job, views_of_the_operator,
         esc_leaves_a_job, standby, by_keyboard, dark_and_narrow,
         a_lost_connection, a_token_is_asked_for, only_text)


class Browsable(Folder):
    def __init__(self):
        needs.programs("chromium", "chromedriver")
        needs.localhost()  # for chromedriver


if __name__ == "__main__":
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(run(CASES, Browsable, only))
