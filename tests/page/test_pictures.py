#!/usr/bin/python3
"""The pictures of the documentation show what is there now.

    test_pictures.py           compares what pictures.json has of each with the
                               file, and with what the page shows today
    test_pictures.py --renew   makes them anew (`make pictures`); look at them
"""

import difflib
import hashlib
import json
import os
import re
import struct
import sys

from browser import Browser
from played import STOPPED_CLOCK, Played
from scene import all_jobs
from test_page import Browsable
from troupe import REPOSITORY  # of ../whole

from checks import equal, run  # of ../cluster

RECORD = os.path.join(REPOSITORY, "tests", "page", "pictures.json")
DOCS = os.path.join(REPOSITORY, "docs")
PAGES = [os.path.join(REPOSITORY, "README.md"),
         *(os.path.join(DOCS, n) for n in os.listdir(DOCS) if n.endswith(".md"))]
DONE = "Last decisions"
BERT, LORA = "nlp/PyTorchJob/bert-finetune", "nlp/PyTorchJob/llama-lora"
# Each: the view, what it shows when it is complete, size, and whether dark.
PICTURES = {
    "page-jobs.png": ("#/jobs", "14 jobs", (1100, 1200), False),
    "page-jobs-phone.png": ("#/jobs", "14 jobs", (390, 760), True),
    "page-job-dark.png": ("#/jobs/" + BERT, DONE, (1100, 900), True),
    "page-job-phone.png": ("#/jobs/" + BERT, DONE, (390, 760), False),
    "page-queue.png": ("#/jobs/" + LORA, DONE, (1100, 600), False),
}
TOP = re.compile(r"(```\n\$ troupe top\n)(.*?)```", re.S)
# What of the page is in the picture.
SEEN = """
    const seen = [], walker = document.createTreeWalker(document.body, 4);
    while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const box = range.getBoundingClientRect();
        const text = walker.currentNode.textContent.trim();
        if (text && box.width && box.top < innerHeight && box.left >= 0
            && !walker.currentNode.parentElement.closest(".hidden-text"))
            seen.push(text);
    }
    return seen;
    """


def size_of(png):
    return list(struct.unpack(">II", png[16:24]))


def texts_of(browser, played, view, complete):
    browser.command("Page.addScriptToEvaluateOnNewDocument",
                    source=STOPPED_CLOCK)
    browser.open(f"{played.url}/{view}")
    browser.await_text(complete, "main")
    browser.await_text("Live", "#connection")
    return [line for text in browser.run(SEEN) for line in text.splitlines()]


def each(folder, use):
    """Calls use(name, browser, texts) with each picture's view in a browser."""
    with Played(all_jobs()) as played:
        for name, (view, complete, size, dark) in PICTURES.items():
            with Browser(folder.path, dark=dark, size=size) as browser:
                use(name, browser, texts_of(browser, played, view, complete))


def read(name):
    with open(os.path.join(DOCS, name), "rb") as file:
        return file.read()


def pictures_show_what_is_there(folder):
    """their texts are those of the page today, their files those recorded"""
    with open(RECORD) as file:
        record = json.load(file)
    equal(sorted(record), sorted(PICTURES), "pictures that are recorded")

    def compare(name, _, texts):
        png, known = read(name), record[name]
        equal(size_of(png), list(PICTURES[name][2]), f"size of {name}")
        equal(hashlib.sha256(png).hexdigest(), known["sha256"],
              f"{name}, which nothing but `make pictures` may change: its hash")
        changes = [line for line in difflib.ndiff(known["texts"], texts)
                   if line[0] in "-+"]
        equal(changes, [], f"the page no longer shows what {name} does: `make "
              "pictures`, and look at them; changes")

    each(folder, compare)


def pictures_are_in_the_documentation(_):
    """each is shown somewhere, with words for those who do not see it"""
    shown = {}
    for path in PAGES:
        with open(path) as file:
            for words, name in re.findall(r"!\[([^]]+)\]\((?:docs/)?(page-[^)]+)\)",
                                          file.read()):
                shown[name] = words
    there = {n for n in os.listdir(DOCS) if re.match(r"page-.*\.png$", n)}
    equal(sorted(shown), sorted(PICTURES), "pictures that pages show")
    equal(sorted(there), sorted(PICTURES), "pictures in docs")
    for name, words in shown.items():
        equal(len(words.split()) > 4, True, f"words for {name}: {words}")


def top_is_in_the_documentation(_):
    """the screen of `troupe top` there is the one that it has"""
    with open(os.path.join(DOCS, "admin-page.md")) as file:
        text = file.read()
    found = TOP.search(text)
    equal(bool(found), True, "a block with `troupe top`")
    equal(found[2], top_in_80_columns(), "what `troupe top` prints")


def top_in_80_columns():
    from test_top import top_once  # of ../whole
    with Played(all_jobs()) as played:
        return top_once(played.url, 80)


def renew(folder):
    """the pictures, and what is recorded of them"""
    record = {}

    def make(name, browser, texts):
        path = os.path.join(DOCS, name)
        browser.screenshot(path)
        record[name] = {"sha256": hashlib.sha256(read(name)).hexdigest(),
                        "texts": texts}

    each(folder, make)
    path = os.path.join(DOCS, "admin-page.md")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(TOP.sub(lambda m: m[1] + top_in_80_columns() + "```", text))
    with open(RECORD, "w") as file:
        json.dump(record, file, indent=1, ensure_ascii=False)
        file.write("\n")


CASES = (pictures_show_what_is_there, pictures_are_in_the_documentation,
         top_is_in_the_documentation)

if __name__ == "__main__":
    if "--renew" in sys.argv:
        sys.exit(run((renew,), Browsable))
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
