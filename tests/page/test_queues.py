#!/usr/bin/python3
"""Jobs in queues of Kueue's, and gangs, on the admin page.

    test_queues.py PART    cases whose function has PART in its name
"""

import sys

from browser import Browser
from played import Played
from scene import QUEUE_WORDS, all_jobs
from test_page import Browsable, row

from checks import contains, equal, run  # of ../cluster

JOBS = "/#/jobs/"


def terms(browser):
    """The facts of a job's sections, by their words."""
    return dict(browser.run(
        "return [...document.querySelectorAll('#job .terms dt')].map((t) =>"
        "[t.innerText, t.nextSibling.innerText])"))


def open_job(browser, played, path):
    browser.open(played.url + JOBS + path)
    browser.await_text("Last decisions", "#explanation")
    return terms(browser)


def a_job_that_is_held(folder):
    """its place, what is held back, and what Kueue says, once"""
    with Played(all_jobs()) as played, Browser(folder.path) as browser:
        browser.open(played.url)
        browser.await_text("14 jobs", "#count")
        cells = row(browser, "llama-lora")
        equal(cells[2], "Suspended", "state")
        contains(cells[6], "number 3 in queue nlp-batch of Kueue: couldn't")
        equal(open_job(browser, played, "nlp/PyTorchJob/llama-lora"), {
            "Queue": "nlp-batch",
            "State": "held: no pod is made before its quota is there, for 25m",
            "Place": "number 3 in it, number 12 in its ClusterQueue",
            "Held back": "4 pods",
            "Workload": "pytorchjob-llama-lora-3f9c1"}, "facts")
        waits = browser.text("#waiting")
        contains(waits, f"Waiting for: queue nlp-batch of Kueue, number 3 in it, "
                 f"number 12 in its ClusterQueue: {QUEUE_WORDS} (whose move: "
                 "Kueue)")
        shown = browser.text("#job").split("Explanation")[0]
        equal(shown.count(QUEUE_WORDS), 1, "how often Kueue's words are there")
        contains(" ".join(browser.text("#explanation").split()), QUEUE_WORDS)
        equal(browser.complaints(), [], "errors in the console")


def quota_that_pods_hold(folder):
    """a job that was evicted: how many pods have not ended"""
    with Played(all_jobs()) as played, Browser(folder.path) as browser:
        facts = open_job(browser, played, "vision/TFJob/dlrm-ads")
        equal((facts["Queue"], facts["Hold quota"], facts["Held back"]),
              ("vision, with quota of ClusterQueue gpus",
               "2 pods that have not ended", "2 pods"), "facts")
        contains(facts["State"], "leaves: its quota is free when")
        equal("Kueue says" in facts, False, "it is said in the line above")
        contains(browser.text("#waiting"), "Preempted to accommodate")


def gangs_of_which_nobody_speaks(folder):
    """too few pods, and a group that is missing, in the words of explain"""
    with Played(all_jobs()) as played, Browser(folder.path) as browser:
        for name, what, facts in (
                ("gpt-pretrain", "the rest of its gang: PodGroup ", {
                    "PodGroup": "pytorchjob-gpt-pretrain-1c2d",
                    "State": "Pending", "Placed together": "4 pods"}),
                ("clip-distill", "which its pods name and which is missing", {})):
            path = f"nlp/PyTorchJob/{name}"
            equal(open_job(browser, played, path), facts, "facts")
            line = " ".join(browser.text("#waiting").split())
            contains(line, what)
            contains(played.explanation(path), line)


def other_states(folder):
    """a job that grows, one that Kueue's own integration queues, none"""
    jobs = all_jobs()
    by_name = {j.report["name"]: j for j in jobs}
    by_name["protein-fold"].report["queueing"] = {
        "state": "admitted", "queue": "vision", "clusterQueue": "gpus",
        "workload": "jaxjob-protein-fold", "why": "2 more needed",
        "podsHeldBack": 2}
    words = ("Queue vision of Kueue is not waited for by this operator: Kueue's "
             "own integration looks after tfjobs.")
    by_name["mnist"].report["notQueued"] = words
    with Played(jobs) as played, Browser(folder.path) as browser:
        equal(open_job(browser, played, "vision/JAXJob/protein-fold"), {
            "Queue": "vision, with quota of ClusterQueue gpus",
            "State": "admitted", "Held back": "2 pods",
            "Kueue says": "2 more needed", "Workload": "jaxjob-protein-fold"},
            "facts")
        open_job(browser, played, "vision/TFJob/mnist")
        contains(browser.text("#waiting"), words)
        equal(open_job(browser, played, "nlp/PyTorchJob/bert-finetune"), {},
              "facts of a job in no queue")
        browser.open(played.url + JOBS + "nlp/PyTorchJob/nobody")
        browser.await_text("There is no such job.", "#summary")
        equal(browser.text("#waiting") + browser.text("#job-state"), "",
              "what the job before waited for")


CASES = (a_job_that_is_held, quota_that_pods_hold, gangs_of_which_nobody_speaks,
         other_states)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
