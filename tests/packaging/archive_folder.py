"""A new archive of the built program (deploy/archive), unpacked."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from cluster import REPOSITORY  # noqa: E402

BUILD = os.path.join(REPOSITORY, "deploy", "archive", "build_archive.py")
PACKAGES = os.path.join(REPOSITORY, "build", "debs")
NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.*)\]")
SYMBOL = re.compile(r"Name: GLIBC_([\d.]+)")


def build(troupe, output, *more, env=None):
    """The path of the archive."""
    launcher = os.path.join(os.path.dirname(troupe), "troupe_launcher")
    if not os.path.exists(launcher):
        raise needs.Missing("no troupe_launcher", "run make dist")
    # Two would download the same packages to the same place.
    with open(os.path.join(REPOSITORY, "build", "image.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [BUILD, "--program", troupe, "--launcher", launcher, "--output",
             output, "--packages", PACKAGES, *more], capture_output=True,
            text=True, env=env)
    if done.returncode == needs.SKIPPED:
        why = done.stderr.partition(": ")[2].strip()
        raise needs.Missing(f"no archive ({why})",
                            "run this on a Debian that apt-get serves")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.split(": ")[0]


class ArchiveFolder:
    """In `folder`, which goes at the end: the archive `file`, and what is in it
    in `top`. Others may read both."""

    def __init__(self, troupe):
        needs.programs("strip", "readelf")
        self.troupe = troupe
        self.folder = tempfile.mkdtemp(prefix="troupe-archive-")
        os.chmod(self.folder, 0o777)
        try:
            self.file = build(troupe, self.path("dist"))
            self.name = os.path.basename(self.file).removesuffix(".tar.gz")
            with tarfile.open(self.file) as tar:
                self.members = tar.getmembers()
                tar.extractall(self.folder)
            self.top = self.path(self.name)
            self.program = os.path.join(self.top, "bin", "troupe")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def empty(self, name):
        """The path of a new empty folder."""
        path = self.path(name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path


def needed_libraries(path):
    """What an ELF file has the loader load."""
    return NEEDED.findall(read_elf("-d", path))


def newest_symbol(path):
    """The newest version of glibc's symbols that an ELF file asks for, as
    (2, 34); (0,) if it asks for none."""
    text = read_elf("-V", path)
    asked = text[text.index("Version needs section"):] \
        if "Version needs section" in text else ""
    return max((tuple(map(int, version.split(".")))
                for version in SYMBOL.findall(asked)), default=(0,))


def read_elf(what, path):
    return subprocess.run(["readelf", "--wide", what, path], check=True,
                          capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C")).stdout
