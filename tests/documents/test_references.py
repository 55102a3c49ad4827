#!/usr/bin/python3
"""What the documentation says of names is what the sources have: labels,
reasons of events, the words of `explain`, flags, kinds.

    test_references.py [PART OF A CASE'S NAME]
"""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("whole", "cluster")]

from blocks import REPOSITORY, pages, prose, read  # noqa: E402
from checks import equal, run  # noqa: E402  of ../cluster
from troupe import Folder, finished  # noqa: E402  of ../whole

LABEL = re.compile(
    r'"((?:training\.kubeflow\.org|kueue\.x-k8s\.io|provreq\.kueue\.x-k8s\.io|'
    r'volcano\.sh|scheduling\.k8s\.io|scheduling\.x-k8s\.io|diengine|'
    r'diengine\.opendilab\.org)/[a-z-]+)"')
# Read of Kueue's own pods, or the gate of pods; no labels.
NO_LABELS = {"kueue.x-k8s.io/admission", "kueue.x-k8s.io/multikueue"}
# How a reason of an event on a job comes about in the sources.
EVENTS = (
    (re.compile(r'add_event\([^,()]+, "(\w+)"'), "KIND{}"),
    (re.compile(r'kind_prefixed_reason\([^"]*?"(\w+)"'), "KIND{}"),
    (re.compile(r'\{(?:true|false),\s*"([A-Z][\w ]*)",'), "{}"),
    (re.compile(r'\b\w*(?:created|failed)_reason = "(\w+)"'), "{}"),
    (re.compile(r'\bconst char\* (?:init_gave_up|container_keeps_pod|exited) ='
                r'\s*"(\w+)"'), "{}"),
)
# Conditions of Workloads, which are written alike.
OF_WORKLOADS = {"WaitForStart"}


def sources(*folders):
    text = {}
    for folder in folders:
        for end in ("cpp", "hpp"):
            for path in glob.glob(f"{REPOSITORY}/{folder}/**/*.{end}",
                                  recursive=True):
                with open(path, encoding="utf-8") as file:
                    text[path] = file.read()
    return text


def joined(text):
    """With adjacent literals as one."""
    return re.sub(r'"\s*\n\s*"', "", text)


def spans(path):
    return {" ".join(s.split()) for s in re.findall(r"`([^`]+)`", prose(path))}


# -- cases --------------------------------------------------------------------

def labels(_):
    """labels.md has each label and annotation of the sources, and no other"""
    known = {name for text in sources("frameworks", "actors").values()
             for name in LABEL.findall(text)} - NO_LABELS
    told = {s for s in spans("docs/labels.md")
            if re.match(r"[a-z.0-9-]+/[a-z-]+$", s)}
    told -= {"tests/documents"}
    equal(known - told, set(), "not in docs/labels.md")
    equal(told - known, set(), "in docs/labels.md, and nowhere else")


def events(_):
    """events.md has each reason of an event on a job, and no other"""
    told = spans("docs/events.md")
    every = sources("frameworks", "actors")
    missing = []
    for path, text in every.items():
        if "/actors/" in path and "/cli/" in path:
            continue
        for pattern, form in EVENTS:
            for name in pattern.findall(joined(text)):
                reason = form.format(name)
                if name not in OF_WORKLOADS and reason not in told and not (
                        form != "{}" and name in told) and not any(
                        s.startswith(name) for s in told):
                    missing.append(f"{os.path.relpath(path, REPOSITORY)}: "
                                   f"{reason}")
    equal(missing, [], "not in docs/events.md")
    literals = "".join(every.values())
    unknown = [s for s in told if re.fullmatch(r"(KIND)?[A-Z][a-z]+[A-Z]\w+", s)
               and not known_reason(s.removeprefix("KIND"), literals)]
    equal(unknown, [], "in docs/events.md, and nowhere else")


def known_reason(name, literals):
    """Whether the sources have it, or its parts beside each other."""
    if name in ("CrashLoopBackOff", "ErrImagePull", "FailedToStart"):
        return True  # Of others, which are handed on.
    for cut in range(len(name), 0, -1):
        rest = name[cut:]
        if f'"{name[:cut]}"' in literals and (
                not rest or rest in ("Pod", "Service", "PodGroup", "Job")
                or f'"{rest}"' in literals):
            return True
    return False


def words_of_explain(_):
    """what troubleshooting.md quotes of `explain` is in the sources"""
    every = joined("\n".join(sources("frameworks", "actors").values()))
    missing = []
    for line in read("docs/troubleshooting.md").splitlines():
        cells = line.split(" | ")
        quoted = re.findall(r"`([^`]+)`", cells[0]) if line.startswith("| ") \
            else []
        for span in quoted:
            for part in re.split(SEPARATORS, span):
                if len(part.strip()) > 12 and " " in part.strip() \
                        and part.strip(" ,;") not in every:
                    missing.append(f"{part.strip()!r} of {span!r}")
    equal([m for m in missing if not any(w in m for w in OF_OTHERS)], [],
          "not in the sources")


# Where sentences are put together.
SEPARATORS = r"…|: |; |'| because |, which waits for | (?=init-pytorch)|\d+"
# What kubectl, the API server and Kubernetes' programs say.
OF_OTHERS = ("no matches for kind", "failed calling webhook", "x509",
             "Too long", "denied the request", "signed by unknown",
             "certificate signed", "metadata.annotations", "in version",
             "must appear in spec", "Apply failed")


def commands(_):
    """commands.md is what --help says"""
    done = subprocess.run(
        [sys.executable, os.path.join(REPOSITORY, "docs", "site",
                                      "write_commands.py"), "--check"],
        text=True, capture_output=True)
    equal((done.stdout + done.stderr, done.returncode), ("", 0))


def flags(_):
    """each flag in the text that is one alone is a flag of a command"""
    known = set()
    for command in re.findall(r"^  ([\w-]+)  ", finished("--help")[1].partition(
            "Subcommands:")[2], re.M):
        known |= set(re.findall(r"(?<![\w-])--[a-z][\w-]*",
                                finished(command, "--help")[1]))
    unknown = []
    for page in pages():
        if page.startswith(("CHANGELOG", "docs/adr/", "docs/differences",
                            "docs/from-", "docs/migration")):
            continue  # Of their time, or of other programs.
        for span in spans(page):
            flag = re.match(r"--[a-z][a-z-]+", span)
            if flag and flag[0] not in known | OF_OTHER_PROGRAMS:
                unknown.append(f"{page}: {flag[0]}")
    equal(unknown, [], "flags of no command")


OF_OTHER_PROGRAMS = {
    "--server-side", "--force-conflicts", "--take-ownership", "--cascade",
    "--strict", "--check", "--runtime-config", "--nnodes", "--set"}


def kinds(_):
    """each kind that the operator knows has a page and a page of fields"""
    text = finished("operator", "--enable-scheme", "NoSuchJob")[1]
    names = re.search(r"known: ([\w, ]+)", text)[1].split(", ")
    for name in names:
        page = f"docs/kinds/{name.lower()}.md"
        equal(os.path.exists(os.path.join(REPOSITORY, page)), True, page)
        equal(f"- fields/{name.lower()}.md" in read("mkdocs.yml"), True,
              f"mkdocs.yml has fields/{name.lower()}.md")


CASES = [labels, events, words_of_explain, commands, flags, kinds]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, "".join(sys.argv[1:2])))
