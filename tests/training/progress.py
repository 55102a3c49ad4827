"""Jobs whose frameworks say how far they are: by reports, or in their logs."""

import restarts
from checks import equal  # of ../cluster


def is_told(manifest, *metrics):
    """A case: the job's status ends at 100 % with these metrics, and shares in
    between were told while it ran."""
    def case(frameworks):
        job = restarts.Played(frameworks, manifest)
        last = job.status["progress"]
        equal(last["percent"], 100, f"percent of {last}")
        names = [metric["name"] for metric in last["metrics"]]
        equal([name for name in metrics if name not in names], [],
              f"metrics that are missing in {last}")
        shares = [line["percent"] for line in job.of_type("progress")]
        equal(shares, sorted(shares), "shares that were told")
        equal(shares[-1:], [100], "the last share in\n" + job.text)
        equal(any("True" in line["line"] for line in job.of_type("log")), True,
              "it has learnt\n" + job.text)

    case.__name__ = manifest
    case.__doc__ = f"{manifest} shows how far it is, up to its end"
    return case


def heals(manifest, hung, *others):
    """A case: `hung` is stopped after step 17, so that all wait for it; the job
    is found silent, and its next attempt goes on from step 15."""
    def case(frameworks):
        job = restarts.Played(frameworks, manifest)
        begun = sorted((int(m[1]), int(m[2]), int(m[3])) for m in job.lines(
            r"attempt (\d) rank (\d) of \d begins at (\d+)"))
        ranks = range(1 + len(others))
        equal(begun, [(0, r, 0) for r in ranks] + [(1, r, 15) for r in ranks],
              f"(attempt, rank, first step) in\n{job.text}")
        restarts.went_on(job)
        equal(job.status["restartAttempt"], 1, "attempt")
        equal(job.status["lastRestart"]["reason"], "Stalled", "its cause")
        equal(job.attempts_of_pods(), dict.fromkeys([hung, *others], "1"))

    case.__name__ = manifest
    case.__doc__ = f"{manifest} starts again when one of it hangs"
    return case
