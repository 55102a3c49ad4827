#!/usr/bin/python3
"""Two builds of the same commit give the same archive: in folders of another
name and depth, on another date, and one of them without any cache.

    test_reproducible.py

Fifteen minutes on two cores. What is not committed is not built.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import archive_folder

import needs  # of ../cluster
from checks import equal, run
from cluster import REPOSITORY

CLOCK = "/usr/lib/{}/faketime/libfaketimeMT.so.1"
LATER = {"FAKETIME": "+400d", "TZ": "Asia/Tokyo", "LC_ALL": "C",
         "CCACHE_DISABLE": "1", "NO_FAKE_STAT": "1"}


def later_clock():
    """The environment of programs for which it is another day."""
    path = CLOCK.format(os.uname().machine + "-linux-gnu")
    if not os.path.exists(path):
        raise needs.Missing("no libfaketime", "install Debian's libfaketime")
    return {"LD_PRELOAD": path, **LATER}


class Builds:
    """In `folder`: one/ and another/and/deeper/, clones of this repository."""

    def __init__(self):
        needs.programs("git", "cmake", "ninja", "strip", "readelf", "apt-get")
        self.later = later_clock()
        self.folder = tempfile.mkdtemp(prefix="troupe-builds-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def archive(self, name, env):
        """The path of the archive of a new clone."""
        here = os.path.join(self.folder, name)
        everywhere = dict(os.environ)
        self.ask("git", "clone", "-q", "--shared", REPOSITORY, here,
                 env=everywhere)
        self.ask("cmake", "--preset", "release", "-DTROUPE_TESTS=OFF",
                 cwd=here, env=everywhere)
        self.ask("cmake", "--build", "--preset", "release", "-j",
                 os.environ.get("JOBS", "2"), "--target", "troupe",
                 "troupe_launcher", cwd=here, env={**everywhere, **env})
        self.ask(os.path.join(here, "deploy", "archive", "build_archive.py"),
                 "--packages", archive_folder.PACKAGES, cwd=here,
                 env=everywhere)
        dist = os.path.join(here, "build", "dist")
        return next(os.path.join(dist, name) for name in os.listdir(dist)
                    if name.endswith(".tar.gz"))

    @staticmethod
    def ask(*command, **more):
        done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **more)
        equal(done.returncode, 0, f"{command[:4]}:\n{done.stdout[-4000:]}")


def members(path):
    with tarfile.open(path) as tar:
        return {m.name: (m.mode, m.mtime, m.isfile() and
                         tar.extractfile(m).read()) for m in tar}


def same_bytes(builds):
    """both archives have the same bytes"""
    one = builds.archive("one", {})
    other = builds.archive("another/and/deeper", builds.later)
    first, second = members(one), members(other)
    equal([name for name in {**first, **second}
           if first.get(name) != second.get(name)], [], "files that differ")
    with open(one, "rb") as file, open(other, "rb") as again:
        equal(file.read() == again.read(), True, "the archives are equal")


CASES = [same_bytes]

if __name__ == "__main__":
    sys.exit(run(CASES, Builds))
