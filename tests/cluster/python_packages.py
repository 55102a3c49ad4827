"""Virtual environments with packages of the Python registry: made by pip on
first use, and kept in `${XDG_CACHE_HOME:-~/.cache}/troupe/NAME-pythonX.Y`."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys

import assets
from needs import Missing


def environment_folder(name):
    version = "%d.%d" % sys.version_info[:2]
    return assets.cache_folder(f"{name}-python{version}")


def make_environment(name, requirements, alone=None):
    """The folder of an environment with the packages of the file
    `requirements`, and those of the file `alone` without their own. Raises
    Missing where there is neither a copy nor a registry. A second caller waits
    for the first.
    """
    folder = environment_folder(name)
    wanted = read(requirements) + (read(alone) if alone else "")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = os.path.join(folder, "complete")  # Written when it is.
        if os.path.exists(complete) and read(complete) == wanted:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        make(folder)
        install(folder, "--requirement", requirements)
        if alone:
            install(folder, "--requirement", alone, "--no-deps")
        with open(complete, "w") as file:
            file.write(wanted)
    return folder


def make(folder, *options):
    if not importlib.util.find_spec("ensurepip"):
        raise Missing("Python's ensurepip is not there",
                      "install Debian's python3-venv")
    subprocess.run([sys.executable, "-m", "venv", *options, folder], check=True,
                   stdin=subprocess.DEVNULL)


def install(folder, *what):
    done = subprocess.run(
        [os.path.join(folder, "bin", "pip"), "install", "--quiet",
         "--disable-pip-version-check", *what], text=True,
        stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        last = (done.stderr.splitlines() or ["nothing"])[-1]
        raise Missing(f"no packages of {os.path.relpath(what[1])}", "let pip "
                      f"reach a Python registry (--index-url); it says: {last}")


def read(path):
    with open(path) as file:
        return file.read()
