#!/usr/bin/python3
"""The operator that is played says nothing that a real one would not say.

    test_scene.py PART    cases whose function has PART in its name
"""

import glob
import sys
import urllib.request

from played import Played
from scene import actors, all_jobs, many_rows
from test_page import STAYS, Browsable

from test_up import Up  # of ../whole
from troupe import REPOSITORY, finished, http, tfjob, wait_until

from checks import contains, equal, run  # of ../cluster

# Below these are names of things, not of fields.
NAMED = ("replicas", "replicaCounts")


def fields(value, below=()):
    """The paths of all fields; those of a list's members count as the list's."""
    if isinstance(value, list):
        return set().union(*(fields(v, below) for v in value)) \
            if value else set()
    if not isinstance(value, dict):
        return set()
    if below and below[-1] in NAMED:
        return set().union(*(fields(v, below + ("*",)) for v in value.values()))
    return set().union(*({below + (k,)} | fields(v, below + (k,))
                         for k, v in value.items())) if value else set()


def known_to_the_program(_):
    """each field of a played report is one that the program writes"""
    sources = ""
    for folder in ("actors", "frameworks"):
        for path in glob.glob(f"{REPOSITORY}/{folder}/**/*.cpp",
                              recursive=True):
            with open(path) as file:
                sources += file.read()
    jobs = all_jobs()
    played = fields([j.report for j in jobs] + [j.row() for j in jobs]
                    + [actors(many_rows(20))])
    equal(sorted({path[-1] for path in played
                  if path[-1] != "*" and f'"{path[-1]}"' not in sources}), [],
          "fields that no source has")


def as_a_real_operator_says_it(_):
    """a job that runs has the same fields, and the page the same policy"""
    scene = next(j for j in all_jobs() if j.report["name"] == "lattice-qcd")
    with Up("--isolation", "preload") as up, Played(all_jobs()) as played:
        up.create(tfjob("rings", STAYS, workers=2))
        up.await_condition("rings", "Running")
        report = wait_until("the decisions", lambda: next(filter(
            lambda r: r.get("waitingFor") and r["lastDecisions"],
            [http("GET", f"{up.admin}/admin/v1/jobs/default/TFJob/rings")[1]]),
            None))
        equal(sorted(fields(scene.report) - fields(report)), [],
              "fields of the report that only the played one has")
        row, = http("GET", up.admin + "/admin/v1/jobs")[1]["jobs"]
        equal(sorted(fields(scene.row()) - fields(row)), [],
              "fields of the list that only the played one has")
        tree = http("GET", up.admin + "/admin/v1/actors")[1]
        equal(sorted(fields(actors([scene.row()])) - fields(tree)
                     - {("children", "apiVersion")}), [],
              "fields of the tree that only the played one has")
        policies = []
        for where in (up.admin, played.url):
            with urllib.request.urlopen(where + "/page.js") as answer:
                policies.append((answer.headers["Content-Security-Policy"],
                                 answer.read()))
        equal(policies[0], policies[1], "policy and text")


def explained(_):
    """the program explains each job that is played, and lists them"""
    with Played(all_jobs()) as played:
        for job in all_jobs():
            text = played.explanation(job.path())
            contains(text, f"{job.report['kind']} {job.report['namespace']}/"
                     f"{job.report['name']}: ")
        code, text = finished("top", "--admin", played.url)
        equal(code, 0, text)
        contains(text, "14 jobs, 12 not finished")
        contains(text, "number 3 in queue")


CASES = (known_to_the_program, as_a_real_operator_says_it, explained)

if __name__ == "__main__":
    sys.exit(run(CASES, Browsable, sys.argv[1] if len(sys.argv) > 1 else ""))
