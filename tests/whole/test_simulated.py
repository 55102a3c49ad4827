#!/usr/bin/python3
"""`--node simulated`: manifests whose pods run nothing."""

import sys

from troupe import Folder, finished, tfjob

from checks import contains, equal, run  # of ../cluster

NEVER = "raise SystemExit('it ran')"


def simulated(folder, job, *flags):
    """(exit code, all output) of a run."""
    path = folder.write("job.yaml", job)
    return finished("run", "--node", "simulated", "--simulated-run-time",
                    "200ms", *flags, path)


def succeeds(folder):
    """pods run for a while and succeed, without a program"""
    code, text = simulated(folder, tfjob("good", NEVER, 2, ps=1))
    equal(code, 0, text)
    contains(text, "Simulated: pods run no program.")
    contains(text, "good-worker-1: Running")
    equal("it ran" in text, False)


def fails(folder):
    """a pod that a rule names fails, and so does the job"""
    code, text = simulated(folder, tfjob("bad", NEVER, 3),
                           "--simulated-failure", "bad-worker-1=3")
    equal(code, 1, text)
    contains(text, "bad-worker-1: Failed, exit code 3")


def is_restarted(folder):
    """one that fails once is restarted in place, and succeeds then"""
    code, text = simulated(folder, tfjob("again", NEVER, 2,
                                         restart="OnFailure"),
                           "--simulated-failure", "*-worker-0=1,once")
    equal(code, 0, text)
    contains(text, "again-worker-0: Succeeded, exit code 0, 1 restart")


def is_replaced(folder):
    """one that fails with a code for another try is replaced"""
    code, text = simulated(folder, tfjob("other", NEVER, 2,
                                         restart="ExitCode"),
                           "--simulated-failure", "*-worker-0=137@0s,once")
    equal(code, 0, text)
    contains(text, "Restarting")


def many(folder):
    """a job with a thousand workers comes to its end"""
    code, text = simulated(folder, tfjob("many", NEVER, 1000))
    equal(code, 0, text[-2000:])
    contains(text, "succeeded after")
    contains(text, "1000 replicas")


def many_jobs(folder):
    """more than a hundred jobs at once come to their ends"""
    jobs = "\n---\n".join(tfjob(f"job-{i}", NEVER) for i in range(120))
    code, text = simulated(folder, jobs, "--all")
    equal(code, 0, text[-2000:])
    equal(text.count("succeeded after"), 120)


def wrong_flags(folder):
    """rules without the simulated node, and rules that are none"""
    path = folder.write("job.yaml", tfjob("any", NEVER))
    for flags, part in (
            (["--simulated-failure", "a=1"], "need --node simulated"),
            (["--node", "simulated", "--simulated-failure", "a"],
             "write POD=CODE"),
            (["--node", "kwok"], "kwok")):
        code, text = finished("run", *flags, path)
        equal(code, 2, text)
        contains(text, part)


CASES = [succeeds, fails, is_restarted, is_replaced, many, many_jobs,
         wrong_flags]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
