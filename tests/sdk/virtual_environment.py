"""A virtual environment with the packages of requirements.txt, and those of
requirements-alone.txt without their own; made by pip on first use and kept in
`${XDG_CACHE_HOME:-~/.cache}/troupe/sdk-pythonX.Y`."""

import fcntl
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", name) for name in ("cluster", "whole")]

import assets  # noqa: E402

REQUIREMENTS = os.path.join(HERE, "requirements.txt")
ALONE = os.path.join(HERE, "requirements-alone.txt")
FOLDER = assets.cache_folder("sdk-python%d.%d" % sys.version_info[:2])


def enter():
    """Starts the program again with the environment's Python, unless that runs
    it already. Ends it with 77 where there is neither a copy nor a registry.
    """
    if os.path.realpath(sys.prefix) == os.path.realpath(FOLDER):
        return
    try:
        make()
    except assets.Missing as lack:
        print(f"SKIPPED, NOTHING WAS TESTED: {lack}", file=sys.stderr)
        sys.exit(assets.SKIPPED)
    os.environ["PATH"] = os.path.join(FOLDER, "bin:") + os.environ["PATH"]
    python = os.path.join(FOLDER, "bin", "python")
    os.execv(python, [python, *sys.argv])


def make():
    """A second caller waits for the first."""
    wanted = read(REQUIREMENTS) + read(ALONE)
    os.makedirs(os.path.dirname(FOLDER), exist_ok=True)
    with open(FOLDER + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = os.path.join(FOLDER, "complete")  # Written when it is.
        if read(complete) == wanted:
            return
        shutil.rmtree(FOLDER, ignore_errors=True)
        run("Debian's package python3-venv may be missing",
            sys.executable, "-m", "venv", FOLDER)
        for more in (["--requirement", REQUIREMENTS],
                     ["--requirement", ALONE, "--no-deps"]):
            run("the Python package registry may be out of reach",
                os.path.join(FOLDER, "bin", "pip"), "install", "--quiet",
                "--disable-pip-version-check", *more)
        with open(complete, "w") as file:
            file.write(wanted)


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None


def run(guess, *command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        raise assets.Missing(f"{' '.join(command)}: exit {done.returncode} "
                             f"({guess})\n{done.stdout}{done.stderr}")
