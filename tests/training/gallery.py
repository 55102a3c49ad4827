"""The samples of deploy/samples/gallery, run with their frameworks as their
pages say: in a copy of their folder, with the volume of their claim in
another."""

import os
import re
import shutil

import job_runs
import needs  # of ../cluster
from checks import equal
from troupe import Program, REPOSITORY  # of ../whole

GALLERY = os.path.join(REPOSITORY, "deploy", "samples", "gallery")
LOSS = re.compile(r"^\[\S+\] (?:epoch|step|round) +(\d+) (?:loss|error) "
                  r"(\d+\.\d+)", re.M)
BEGIN = re.compile(
    r"\] (?:rank|process|worker) (\d+) of (\d+) (?:begins|is|on)")
# "7s", "2m8s" or "2m".
TIME = re.compile(r"succeeded after (?:(?:(\d+)m)?(\d+)s|(\d+)m(?![s\d]))")
MARGIN = 2  # The last loss is less than half of the first.


def run(frameworks, name, volume):
    """What is printed of the sample, which succeeds."""
    folder = os.path.join(frameworks.path, name)
    shutil.copytree(os.path.join(GALLERY, name), folder, dirs_exist_ok=True)
    os.chdir(folder)
    try:
        with Program("run", "--isolation", frameworks.isolation, "--volume",
                     f"{name}={volume}", "job.yaml",
                     env=frameworks.variables) as job:
            code = job.end(job_runs.LIMIT)
            equal(code, 0, f"exit code of {name}\n{job.text()}")
            return job.text()
    finally:
        os.chdir(frameworks.path)


def losses(text):
    return [float(found[2]) for found in LOSS.finditer(text)]


def falls(name, text):
    """The loss does; and one line says how far and in which time."""
    found = losses(text)
    if len(found) < 2 or not found[-1] < found[0] / MARGIN:
        raise AssertionError(f"no falling loss: {found}\n{text}")
    minutes, seconds, whole_minutes = (
        int(part or 0) for part in TIME.search(text).groups())
    print(f"     {name}: {(minutes + whole_minutes) * 60 + seconds} s, loss "
          f"{found[0]} to {found[-1]}", flush=True)


def all_are_there(members, text):
    """Each of so many has said that it begins, as one of so many."""
    said = sorted({(int(m[1]), int(m[2])) for m in BEGIN.finditer(text)})
    equal(said, [(i, members) for i in range(members)],
          "who has begun, of how many, in\n" + text)


def tells_how_far(text):
    """As the operator asks: shares that rise, up to all."""
    shares = [int(found) for found in
              re.findall(r"^\w+ \S+: (\d+)%", text, re.M)]
    equal(shares, sorted(shares), "shares")
    equal(shares[0] < 100 and shares[-1] == 100, True,
          f"shares {shares} end at 100 in\n{text}")


def trains(name, *checks, members=0, keeps=True, programs=()):
    """A case: the sample's loss falls; and, if it `keeps` its state, a second
    job with the same volume finds all done."""
    def case(frameworks):
        needs.programs(*programs)
        volume = os.path.join(frameworks.path, "volume-of-" + name)
        os.makedirs(volume, exist_ok=True)
        text = run(frameworks, name, volume)
        falls(name, text)
        if members:
            all_are_there(members, text)
        for check in checks:
            check(text)
        if keeps:
            equal(losses(run(frameworks, name, volume)), [],
                  "losses where nothing is left to do")
        shutil.rmtree(volume)

    case.__name__ = "gallery_" + name
    case.__doc__ = f"gallery/{name}: its loss falls" \
        + (", and it goes on from what it kept" if keeps else "")
    return case
