"""axe-core, which finds what a screen reader cannot make sense of: fetched once
with npm, known by its hash, and kept in `${XDG_CACHE_HOME:-~/.cache}/troupe`.
Nothing of it is part of the project."""

import base64
import fcntl
import hashlib
import io
import os
import subprocess
import tarfile
import tempfile

import browser  # noqa: F401, for the folders of the tests

import needs  # of ../cluster
from go_builds import cache_folder

VERSION = "4.14.1"
# As the registry has it of the package.
INTEGRITY = ("sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r7"
             "6ASyFNNtuFooJpZe37OgudVGtQ==")
PROGRAM = "package/axe.min.js"

RUN = """
    return axe.run(document, {resultTypes: ["violations"]}).then((found) =>
        found.violations.map((v) => [v.id, v.help, v.nodes.slice(0, 3).map(
            (n) => n.target.join(" ") + ": " + n.failureSummary)]))
    """


def integrity_of(package):
    digest = hashlib.sha512(package).digest()
    return "sha512-" + base64.b64encode(digest).decode()


def program_in(package):
    """The text of axe, out of the package that the hash names."""
    if integrity_of(package) != INTEGRITY:
        raise AssertionError(f"axe-core {VERSION} is not what it was: "
                             + integrity_of(package))
    with tarfile.open(fileobj=io.BytesIO(package)) as files:
        return files.extractfile(PROGRAM).read().decode()


def fetch():
    """The bytes of the package. Raises Missing where npm reaches no registry."""
    npm, = needs.programs("npm")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [npm, "pack", "--silent", "--pack-destination", folder,
             f"axe-core@{VERSION}"], cwd=folder, text=True,
            stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            says = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise needs.Missing(f"no axe-core {VERSION}", "let npm reach a "
                                f"registry; it says: {says}")
        with open(os.path.join(folder, done.stdout.split()[-1]), "rb") as file:
            return file.read()


def axe():
    """The text of axe. A second caller waits for the first."""
    path = cache_folder(f"axe-core-{VERSION}.tgz")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            package = fetch()
            program_in(package)
            with open(path + ".new", "wb") as file:
                file.write(package)
            os.rename(path + ".new", path)
        with open(path, "rb") as file:
            return program_in(file.read())


class Examiner:
    """Finds violations in what a browser shows."""

    def __init__(self):
        self.program = axe()

    def violations(self, browser):
        """Lines, of all rules that axe has, best practices too."""
        if not browser.run("return 'axe' in window"):
            browser.run(self.program + "\nwindow.axe = axe;")
        return [f"{rule}: {what}: " + " | ".join(where)
                for rule, what, where in browser.run(RUN)]
