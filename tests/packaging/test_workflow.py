#!/usr/bin/python3
"""The workflow for a hosted CI: it is well formed, calls commands that there
are, runs every stage, and has no right that it does not need.

    test_workflow.py [--only PART]

Needs Go, or a built actionlint: else that part is left out.
"""

import os
import re
import shlex
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets
from checks import equal, main
from cluster import REPOSITORY

sys.path.insert(0, os.path.join(REPOSITORY, ".ci"))

import stages  # noqa: E402

PATH = os.path.join(REPOSITORY, ".github", "workflows", "ci.yaml")
# That take gigabytes, or records that are not part of the project.
NOWHERE = {"frameworks", "conformance"}


class Workflow:
    def __enter__(self):
        with open(PATH) as file:
            self.jobs = yaml.safe_load(file)
        with open(os.path.join(REPOSITORY, "Makefile")) as file:
            self.makefile = file.read()
        return self

    def __exit__(self, *_):
        pass

    def commands(self):
        """Those of the matrix, as words."""
        return [shlex.split(row["command"]) for row in self.jobs["jobs"][
            "check"]["strategy"]["matrix"]["include"]]

    def stages(self, words):
        """The names of the stages that `make ...` runs."""
        target = words[1]
        if target != "stages":
            recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", self.makefile,
                               re.M)[1]
            words = shlex.split(re.search(
                r"STAGES=.*|\.ci/stages\.py (.*)", recipe)[0])
        named = [word.partition("=")[2] or word for word in words
                 if word.startswith("STAGES=")] or words[1:]
        return [stage for group in named for name in group.split()
                for stage in stages.GROUPS.get(name, [name])]


# -- cases --------------------------------------------------------------------

def well_formed(_):
    """actionlint has no complaints"""
    done = subprocess.run([assets.actionlint(), "-color=false", PATH],
                          cwd=REPOSITORY, capture_output=True, text=True)
    equal((done.stdout + done.stderr, done.returncode), ("", 0))


def same_commands(workflow):
    """its commands are targets of the Makefile; every stage is run"""
    run = set()
    for words in workflow.commands():
        equal(words[0], "make", words)
        equal(f"\n{words[1]}:" in workflow.makefile, True, words)
        names = set(workflow.stages(words))
        equal(names - set(stages.STAGES), set(), f"stages of {words}")
        equal(run & names, set(), f"run before {words}")
        run |= names
    equal(set(stages.STAGES) - run - NOWHERE, {"reproducible"} & set(
        stages.STAGES), "stages that are not run")


def few_rights(workflow):
    """it may read; a release, which a tag makes after all checks, may write"""
    equal(workflow.jobs["permissions"], {"contents": "read"})
    rights = {name: (job.get("permissions"), job.get("if"), job.get("needs"))
              for name, job in workflow.jobs["jobs"].items()}
    equal(rights, {"check": (None, None, None), "release": (
        {"contents": "write"}, "startsWith(github.ref, 'refs/tags/v')",
        "check")})


def no_actions(workflow):
    """it runs nothing of others that it does not pin"""
    used = [step["uses"] for job in workflow.jobs["jobs"].values()
            for step in job["steps"] if "uses" in step]
    equal([name for name in used if not re.search("@[0-9a-f]{40}$", name)], [])


def no_text_of_others(workflow):
    """what others write (titles, names of branches) is no part of a command"""
    for name, job in workflow.jobs["jobs"].items():
        for step in job["steps"]:
            found = set(re.findall(r"\$\{\{(.*?)\}\}", step.get("run", "")))
            equal(found - {" matrix.command "}, set(), name)


CASES = [well_formed, same_commands, few_rights, no_actions, no_text_of_others]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda *_: Workflow(), __doc__))
