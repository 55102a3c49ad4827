"""Virtual environments with packages of the Python registry: made by pip on
first use, and kept in `${XDG_CACHE_HOME:-~/.cache}/troupe/NAME-pythonX.Y`."""

import fcntl
import os
import shutil
import subprocess
import sys

import assets


def environment_folder(name):
    version = "%d.%d" % sys.version_info[:2]
    return assets.cache_folder(f"{name}-python{version}")


def make_environment(name, requirements, alone=None):
    """The folder of an environment with the packages of the file
    `requirements`, and those of the file `alone` without their own. Raises
    assets.Missing where there is neither a copy nor a registry. A second caller
    waits for the first.
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
        run("Debian's package python3-venv may be missing",
            sys.executable, "-m", "venv", folder)
        install(folder, "--requirement", requirements)
        if alone:
            install(folder, "--requirement", alone, "--no-deps")
        with open(complete, "w") as file:
            file.write(wanted)
    return folder


def install(folder, *what):
    run("the Python package registry may be out of reach",
        os.path.join(folder, "bin", "pip"), "install", "--quiet",
        "--disable-pip-version-check", *what)


def read(path):
    with open(path) as file:
        return file.read()


def run(guess, *command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        raise assets.Missing(f"{' '.join(command)}: exit {done.returncode} "
                             f"({guess})\n{done.stdout}{done.stderr}")
