#!/usr/bin/python3
"""The documentation as a site: it is built without a warning, needs nothing
from elsewhere, and can be read and searched from the file system.

    test_site.py [PART OF A CASE'S NAME]
"""

import html.parser
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, "..", part)
                for part in ("whole", "cluster", "page")]
sys.path.insert(0, os.path.join(REPOSITORY, "docs", "site"))

import build_site  # noqa: E402
import needs  # noqa: E402  of ../cluster
from browser import Browser  # noqa: E402  of ../page
from checks import equal, run  # noqa: E402
from troupe import Folder, wait_until  # noqa: E402  of ../whole

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src",
          "video": "src", "audio": "src", "embed": "src", "object": "data",
          "use": "href", "image": "href"}
# Questions as they are asked, and what has to be among the first answers.
QUESTIONS = {
    "CRD annotations too long": "questions.html#definition-is-invalid",
    "install without kubeflow": "questions.html#how-do-i-install",
    "failed calling webhook": "questions.html#failed-calling-webhook",
    "job has no state": "questions.html#pytorchjob-has-no-state",
    "alpine:3.10 ImagePullBackOff": "questions.html#imagepullbackoff",
    "hangs at init_process_group": "questions.html#training-hangs-at-init",
    "migrate from pytorch-operator": "questions.html#how-do-i-migrate-from",
    "node preempted job failed": "questions.html#job-fails-when-a-node",
    "restart all pods when one fails": "questions.html#how-do-i-restart-all",
    "node down pod unknown": "questions.html#node-is-down",
    "restart scope": "recovery.html", "queue name": "queueing.html",
    "trainjob": "to-trainer-v2.html", "helm chart": "chart.html",
    "TF_CONFIG": "kinds/tfjob.html"}
FIRST = 15  # Of the answers: sections of a page stand together.


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.loaded, self.links, self.navigation = [], [], []
        self.depth = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        if tag in LOADED and of.get(LOADED[tag]):
            self.loaded.append(of[LOADED[tag]])
        # Of `link`s the relations that are only read are no resources.
        if tag == "link" and of.get("rel") not in ("prev", "next", "canonical"):
            self.loaded.append(of.get("href", ""))
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
            if "md-nav__link" in (of.get("class") or ""):
                self.navigation.append(of["href"])


class Site(Folder):
    """Built once, with all its pages read."""

    def __enter__(self):
        super().__enter__()
        self.top = os.path.join(self.path, "site")
        # In a folder that stays: pip's own would go with this one.
        del os.environ["TMPDIR"]
        start = time.monotonic()
        equal(build_site.build(self.top), 0, "exit code of the build")
        self.seconds = time.monotonic() - start
        os.environ["TMPDIR"] = self.path
        self.pages, self.files = {}, []
        for folder, _, names in os.walk(self.top):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.top)
                self.files.append(path)
                if name.endswith(".html") and name != "404.html":
                    self.pages[path] = Page(self.text(path))
        return self

    def text(self, path):
        with open(os.path.join(self.top, path), encoding="utf-8") as file:
            return file.read()

    def url(self, path):
        return f"file://{self.top}/{path}"


def is_elsewhere(address):
    return address.startswith(("http:", "https:", "//", "ftp:"))


# -- cases --------------------------------------------------------------------

def self_contained(site):
    """no page loads anything from elsewhere, and what it loads is there"""
    found = []
    for path, page in site.pages.items():
        for address in page.loaded:
            name = os.path.normpath(os.path.join(
                os.path.dirname(path), address.partition("?")[0].partition(
                    "#")[0]))
            if is_elsewhere(address):
                found.append(f"{path} loads {address}")
            elif not address.startswith("data:") and name not in site.files:
                found.append(f"{path} loads {address}, which is not there")
    for path in site.files:
        if path.endswith(".css"):
            text = site.text(path)
            found += [f"{path} has {word}" for word in (
                "url(http", "url(//", 'url("http', "@import") if word in text]
    equal(found, [], "resources from elsewhere")
    equal(len(site.pages) > 60, True, f"only {len(site.pages)} pages")


def reached(site):
    """each page is reached from the navigation of the first one"""
    named = {os.path.normpath(href.partition("#")[0])
             for href in site.pages["index.html"].navigation
             if not is_elsewhere(href)} | {"index.html"}
    equal(set(site.pages) - named, set(), "pages that nobody finds")


def searchable(site):
    """the index of the search is a script, so that it works from files, and has
    each page"""
    index = site.text("search/search_index.js")
    equal(index.startswith("var __index = {"), True, index[:40])
    missing = [p for p in site.pages if f'"{p}"' not in index]
    equal(missing, [], "pages that are not in the index")


def links_lead_somewhere(site):
    """what links lead to beside pages is there: files of the repository"""
    missing = []
    for path, page in site.pages.items():
        for href in page.links:
            name = href.partition("#")[0]
            if name and not is_elsewhere(href) and not name.startswith(
                    ("mailto:", "/")):
                there = os.path.normpath(os.path.join(os.path.dirname(path),
                                                      name))
                if there not in site.files:
                    missing.append(f"{path}: {href}")
    equal(missing, [], "links to nothing")


def read_on(site):
    """in a browser, from files: questions find their pages, nothing is asked of
    the web, and no page is wider than a phone"""
    needs.programs("chromium", "chromedriver")
    with Browser(site.path, size=(1200, 900)) as browser:
        for question, wanted in QUESTIONS.items():
            browser.open(site.url("index.html"))
            found = ask(browser, question)
            equal(any(wanted.partition("#")[0] in href
                      and wanted.partition("#")[2] in href.partition("#")[2]
                      for href in found[:FIRST]), True,
                  f"{question!r} finds {found}")
        loaded = browser.run("return performance.getEntriesByType('resource')"
                             ".map((e) => e.name)")
        equal([a for a in loaded if not a.startswith(("file:", "data:"))], [],
              "what was loaded")
        errors = [e["message"] for e in browser.call(
            "POST", "/se/log", {"type": "browser"}) if e["level"] == "SEVERE"]
        equal(errors, [], "errors")
    for dark in (False, True):
        with Browser(site.path, dark=dark, size=(390, 800)) as browser:
            narrow(browser, site, dark)


def ask(browser, question):
    """Addresses of what the search of a fresh page finds, the best first."""
    browser.run("document.querySelector('#__search').click();"
                "const e = document.querySelector('.md-search__input');"
                "e.focus(); e.value = arguments[0];"
                "e.dispatchEvent(new Event('input', {bubbles: true}));"
                "e.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));",
                question)
    return wait_until(f"answers to {question!r}", lambda: browser.run(
        "return [...document.querySelectorAll('.md-search-result__link')]"
        ".map((e) => e.href)"))


def narrow(browser, site, dark):
    for path in ("index.html", "troubleshooting.html", "settings.html",
                 "comparison.html", "kinds/tfjob.html", "rights.html"):
        browser.open(site.url(path))
        width = browser.run("return document.documentElement.scrollWidth")
        equal(width <= 390, True, f"{path} is {width} wide")
        scheme = browser.run("return document.body.getAttribute("
                             "'data-md-color-scheme')")
        equal(scheme, "slate" if dark else "default", path)


CASES = [self_contained, reached, searchable, links_lead_somewhere, read_on]

if __name__ == "__main__":
    sys.exit(run(CASES, Site, "".join(sys.argv[1:2])))
