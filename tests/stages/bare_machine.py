"""The programs of the stages, and a machine on which they find nothing: no
tool, no package, no control plane."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(REPOSITORY, ".ci"),
                os.path.join(HERE, "..", "cluster")]

import stages  # noqa: E402

LIMIT = 300  # seconds, for what takes one or two
OWN = os.path.relpath(HERE, REPOSITORY)


def programs():
    """Paths of what the stages have Python run, but for these tests."""
    found = {command[1]: True for _, _, tests in stages.STAGES.values()
             for command in tests() if command[0] == sys.executable}
    # Whose records may lie elsewhere.
    found["tests/conformance/run.py"] = True
    return [path for path in found if os.path.dirname(path) != OWN]


class BareMachine:
    """The environment that programs get."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="troupe-bare-")
        empty = self.path("empty")
        os.mkdir(empty)
        self.environment = {
            "PATH": empty, "HOME": empty, "TMPDIR": self.folder.name,
            "XDG_CACHE_HOME": self.path("cache"), "KUBEBUILDER_ASSETS": empty,
            # There is no registry of Python packages.
            "PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8",
            # What needs nothing is begun, and plays no case.
            "TROUPE_ONLY": "no case has this name"}
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, program):
        """(exit code, lines)"""
        done = subprocess.run(
            [sys.executable, program], cwd=REPOSITORY, text=True,
            env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
        return done.returncode, done.stdout.splitlines()
