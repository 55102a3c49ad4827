"""Makes the wheel, and environments of Python to install it into."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
import python_packages  # noqa: E402
from cluster import REPOSITORY  # noqa: E402

DEPLOY = os.path.join(REPOSITORY, "deploy")
SDK = "kubeflow-training==1.9.4"


def output(*command, **more):
    """What it prints; raises with all of it where it fails."""
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit "
                           f"{done.returncode}\n{done.stdout}")
    return done.stdout


def make_archive(troupe, folder):
    """The path of a new archive of the program."""
    launcher = os.path.join(REPOSITORY, "build", "troupe_launcher")
    if not os.path.exists(launcher):
        raise needs.Missing("no build/troupe_launcher", "cmake --build "
                            "--preset release --target troupe_launcher")
    # Two would download the same packages to the same place.
    with open(os.path.join(REPOSITORY, "build", "image.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [os.path.join(DEPLOY, "archive", "build_archive.py"), "--program",
             troupe, "--output", folder], capture_output=True, text=True)
    if done.returncode == needs.SKIPPED:
        raise needs.Missing("no archive (%s)" % done.stderr.partition(": ")[2],
                            "run this on a Debian that apt-get serves")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return next(os.path.join(folder, name) for name in os.listdir(folder)
                if name.endswith(".tar.gz"))


def make_wheel(archive, folder):
    output(os.path.join(DEPLOY, "wheel", "build_wheel.py"), "--archive",
           archive, "--output", folder)
    return next(os.path.join(folder, name) for name in os.listdir(folder)
                if name.endswith(".whl"))


class Environment:
    """A new virtual environment."""

    def __init__(self, folder, *options):
        self.folder = folder
        python_packages.make(folder, *options)

    def program(self, name):
        return os.path.join(self.folder, "bin", name)

    def pip(self, *arguments, **more):
        return output(self.program("python"), "-m", "pip",
                      "--disable-pip-version-check", *arguments, **more)

    def files(self):
        return files(self.folder)


def files(folder):
    return {os.path.relpath(os.path.join(where, name), folder)
            for where, folders, names in os.walk(folder)
            for name in names + folders}


class Wheel:
    """A new wheel: `file`, of the archive `archive`; all in `folder`, which
    goes at the end and may be read by everybody."""

    def __init__(self, troupe):
        needs.programs("strip")
        # Pods have a /tmp of their own.
        self.folder = tempfile.mkdtemp(prefix="troupe-wheel-", dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        try:
            self.archive = make_archive(troupe, self.path("dist"))
            self.file = make_wheel(self.archive, self.path("wheel"))
        except BaseException:
            self.__exit__()
            raise
        self.with_sdk = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def installed(self, name, *options):
        """An environment with nothing but the wheel."""
        made = Environment(self.path(name), *options)
        made.pip("install", "--no-index", "--quiet", self.file)
        return made

    def beside_sdk(self):
        """One with the SDK, too, as a user makes it: both by one command."""
        if not self.with_sdk:
            made = Environment(self.path("sdk"))
            try:
                made.pip("install", "--quiet", self.file, SDK)
            except RuntimeError as failure:
                raise needs.Missing(
                    f"no {SDK}", "let pip reach a Python registry "
                    f"(--index-url); it says: {str(failure).splitlines()[-1]}")
            self.with_sdk = made
        return self.with_sdk
