#!/usr/bin/python3
"""The pods of a job on the admin page: crash loops, and their logs.

    test_pods.py PART   cases whose function has PART in its name
"""

import os
import re
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


# Of a log: the bytes, and what a terminal shows. "[...]" is in a colour.
TERMINAL = (
    ("lines", "one\ntwo\n", ["one", "two"]),
    ("the end of a line in two characters", "one\r\ntwo\r\n", ["one", "two"]),
    ("an empty line", "one\n\ntwo", ["one", "", "two"]),
    ("a progress bar", "1 %\r50 %\r99 %\r", ["99 %"]),
    ("one that is overwritten by less", "long line\rx\ny", ["x", "y"]),
    ("a colour", "a \x1b[31mb\x1b[0m c", ["a [b:ansi-1] c"]),
    ("bright and bold", "\x1b[1;92mb\x1b[m", ["[b:ansi-2 ansi-bold]"]),
    ("a colour that goes on", "\x1b[31mb\nc\x1b[39m", ["[b:ansi-1]",
                                                        "[c:ansi-1]"]),
    ("of 256, of all", "\x1b[38;5;196ma\x1b[48;2;1;2;3mb\x1b[0m", ["ab"]),
    ("a background", "\x1b[41ma\x1b[0m", ["a"]),
    ("moves and other sequences", "\x1b[2K\x1b[1Aa\x1b(Bb\x1b=c", ["abc"]),
    ("a title", "\x1b]0;title\x07a\x1b]0;title\x1b\\b", ["ab"]),
    ("a sequence that is none", "\x1b\u00e9a", ["\u00e9a"]),
    ("one without an end", "\x1b[" + "1" * 300, ["[" + "1" * 300]),
    ("backspaces", "abc\b\bx\b\b\b\b\by", ["y"]),
    ("tabs and others", "a\tb\x00\x7fc", ["a\tbc"]),
    ("markup", "<b>&amp;</b>", ["<b>&amp;</b>"]),
    ("characters beyond the first plane", "\U0001f600\n", ["\U0001f600"]),
)

SHOWN = """
    const [text, size] = arguments;
    return import("/log_text.js").then(({LogText}) => {
        const log = new LogText();
        const shown = [];
        for (let i = 0; i < text.length; i += size) {
            const {continues, lines} = log.feed(text.slice(i, i + size));
            if (continues) shown.pop();
            shown.push(...lines.map((line) => [...line]));
        }
        const joined = (line) => line.map(([words, style]) =>
            style ? `[${words}:${style}]` : words).join("");
        return shown.map(joined);
    });
    """


def text_of_a_log(folder):
    """lines, progress bars and colours, however the text is cut"""
    with Up("--no-node") as up, Browser(folder.path) as browser:
        browser.open(up.admin)
        for what, text, wanted in TERMINAL:
            for size in (1000, 3):
                shown = browser.run(SHOWN, text, size)
                equal([re.sub(r"(:ansi[^]]*)\]\[(.*?)\1\]", r"\2\1]", line)
                       for line in shown], wanted, f"{what}, cut by {size}")


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


CASES = (a_crash_loop_is_one_state, text_of_a_log, log_of_a_pod, log_of_each_run)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
