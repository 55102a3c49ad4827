"""The Python of these tests: one with the packages of requirements.txt, and
those of requirements-alone.txt without their own."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", name) for name in ("cluster", "whole")]

import needs  # noqa: E402
from python_packages import environment_folder, make_environment  # noqa: E402


def enter():
    """Starts the program again with that Python, unless it runs it already.
    Ends it with 77 where there is neither a copy nor a registry.
    """
    if os.path.realpath(sys.prefix) == os.path.realpath(
            environment_folder("sdk")):
        return
    if code := needs.exit_code(start):
        sys.exit(code)


def start():
    folder = make_environment(
        "sdk", os.path.join(HERE, "requirements.txt"),
        os.path.join(HERE, "requirements-alone.txt"))
    os.environ["PATH"] = os.path.join(folder, "bin:") + os.environ["PATH"]
    python = os.path.join(folder, "bin", "python")
    os.execv(python, [python, *sys.argv])
