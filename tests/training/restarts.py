"""Jobs that lose a process: run by `troupe run` on `troupe up`, where their
objects are still there after their end."""

import collections
import json
import os
import re
import tempfile

import job_runs
from checks import equal  # of ../cluster
from test_up import Up  # of ../whole
from troupe import Program

CLAIM = "checkpoints"  # of all of these manifests
ATTEMPT = "training.kubeflow.org/restart-attempt"


class Played:
    """A job that has succeeded."""

    def __init__(self, frameworks, manifest):
        shared = tempfile.mkdtemp(dir=frameworks.path)
        with Up("--isolation", frameworks.isolation, "--volume",
                f"{CLAIM}={shared}", env=frameworks.variables) as up:
            self._run(up, os.path.join(job_runs.MANIFESTS, manifest))
            name, kind = self.result["name"], self.result["kind"].lower()
            self.status = up.get("/apis/kubeflow.org/v1/namespaces/default/"
                                 f"{kind}s/{name}")["status"]
            self.pods = up.get("/api/v1/namespaces/default/pods")["items"]

    def _run(self, up, manifest):
        with Program("run", "--kubeconfig", up.kubeconfig, "--output", "json",
                     manifest) as run:
            code = run.end(job_runs.LIMIT)
            self.text = run.text()
            equal(code, 0, "exit code of\n" + self.text)
        self.told = [json.loads(line) for line in self.text.splitlines()]
        self.result = self.of_type("result")[0]

    def of_type(self, name):
        return [line for line in self.told if line["type"] == name]

    def lines(self, pattern):
        """The matches of all lines that programs have printed."""
        return [found for line in self.of_type("log")
                if (found := re.match(pattern, line["line"]))]

    def attempts_of_pods(self):
        """name -> attempt of those that are left."""
        return {pod["metadata"]["name"]: pod["metadata"]["labels"].get(ATTEMPT)
                for pod in self.pods}

    def starts(self):
        """pod -> how often it was seen to begin to run."""
        return collections.Counter(
            line["pod"] for line in self.of_type("replica")
            if line["phase"] == "Running")


def of_all(manifest, lost, *others):
    """A case: `lost` is killed after step 17; it and the others start again as
    attempt 1 and go on at 15, the last step that was kept."""
    def case(frameworks):
        job = Played(frameworks, manifest)
        begun = sorted((int(m[1]), int(m[2]), int(m[3])) for m in job.lines(
            r"attempt (\d) rank (\d) of \d begins at (\d+)"))
        ranks = range(1 + len(others))
        equal(begun, [(0, r, 0) for r in ranks] + [(1, r, 15) for r in ranks],
              f"(attempt, rank, first step) in\n{job.text}")
        went_on(job)
        was_restarted_once(job, lost)
        equal(job.attempts_of_pods(), dict.fromkeys([lost, *others], "1"))

    case.__name__ = manifest
    case.__doc__ = f"{manifest} goes on from its checkpoint when one is killed"
    return case


def went_on(job):
    """A step that is repeated has the same loss, so all of the state was kept;
    and training has gone on to its end."""
    losses = {0: {}, 1: {}}
    for m in job.lines(r"attempt (\d) step (\d+) loss (\S+)"):
        losses[int(m[1])][int(m[2])] = float(m[3])
    equal(sorted(losses[1]), list(range(15, 30)), "steps of attempt 1")
    repeated = sorted(set(losses[0]) & set(losses[1]))
    equal(15 in repeated, True, "step 15 is repeated\n" + job.text)
    for step in repeated:
        equal(round(losses[1][step], 4), round(losses[0][step], 4),
              f"loss of step {step}")
    equal(losses[1][29] < losses[0][0] / 10, True, f"it falls: {losses}")


def was_restarted_once(job, lost):
    """In the status, and by what was told on the way."""
    equal(job.status["restartAttempt"], 1, "attempt")
    last = job.status["lastRestart"]
    equal((last["attempt"], last["pod"], last["reason"], last["node"]),
          (1, lost, "Error", "laptop"), "cause of the restart")
    equal([a["attempt"] for a in job.of_type("attempt")], [1], "told attempts")
    equal([a["attempt"] for a in job.of_type("recovered")], [1], "recovered")
    [why] = {line["message"] for line in job.of_type("job")
             if line["state"] == "Restarting"}
    equal(f"pod {lost} on node laptop failed with exit code 137" in why, True,
          why)
    equal(job.result["restarts"], 1, "restarts of the result")
