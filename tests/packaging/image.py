"""Makes the container image, and has a new one unpacked."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from archive import Archive  # noqa: E402
from cluster import REPOSITORY  # noqa: E402

BUILD = os.path.join(REPOSITORY, "deploy", "image", "build_image.py")


def build(troupe, output, *more):
    """The finished archive."""
    # Two would download the same packages to the same place.
    with open(os.path.join(REPOSITORY, "build", "image.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [BUILD, "--program", troupe, "--output", output, *more],
            capture_output=True, text=True)
    if done.returncode == needs.SKIPPED:
        why = done.stderr.partition(": ")[2].strip()
        raise needs.Missing(f"no image ({why})",
                            "run this on a Debian that apt-get serves")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Archive(output)


class Image:
    """A new image: `file`, `archive`, and its files in the folder `root`; all
    in `folder`, which goes at the end."""

    def __init__(self, troupe, folder=None):
        self.troupe = troupe
        self.folder = folder or tempfile.mkdtemp(prefix="troupe-image-")
        self.file, self.root = self.path("image.tar"), self.path("root")
        try:
            self.archive = build(troupe, self.file)
            self.archive.unpack(self.root)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)
