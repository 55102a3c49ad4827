#!/usr/bin/python3
"""Runs clang-tidy, as `.clang-tidy` says, over the product's sources.

    clang_tidy.py [BUILD]

BUILD is the folder of a configured preset with unity builds, which makes it
five times as fast; `build` if it is not given.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "cluster"))

import needs  # noqa: E402

FOLDERS = ("actors", "config", "frameworks", "k8s")
# GCC's warnings are for GCC (clang knows others, and -Werror would make its own
# errors of them), and its precompiled headers are no use to clang.
OF_GCC = re.compile(r"-W\S+|-include \S+/cmake_pch\.hxx")


def commands(build):
    """The compile commands of the product's C++ sources."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    roots = tuple(os.path.join(top, folder) + os.sep
                  for top in (build, TOP) for folder in FOLDERS)
    for entry in entries:
        name = os.path.basename(entry["file"])
        if (entry["file"].startswith(roots) and "cmake_pch" not in name
                and name.endswith((".cpp", ".cxx"))):
            yield {**entry, "command": OF_GCC.sub("", entry["command"])}


def check(entry):
    """(whether the file passed, the findings in it as clang-tidy prints them)"""
    done = subprocess.run(
        ["clang-tidy", "--quiet", f"--config-file={TOP}/.clang-tidy",
         "--warnings-as-errors=*", entry["file"], "--",
         "-std=c++17",  # GCC's default, which CMake leaves out
         *shlex.split(entry["command"])[1:]],
        cwd=entry["directory"], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    if done.returncode == 0:
        return True, ""
    return False, done.stdout + done.stderr


def main(build):
    needs.programs("clang-tidy")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = True
        for good, text in pool.map(check, commands(build)):
            passed = passed and good
            print(text, end="", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    folder = os.path.abspath(*sys.argv[1:] or [os.path.join(TOP, "build")])
    sys.exit(needs.exit_code(lambda: main(folder), "CHECKED"))
