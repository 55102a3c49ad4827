"""Runs a manifest of `manifests` with `troupe run`, its programs in a virtual
environment with the framework."""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", name) for name in ("cluster", "whole")]

import needs  # noqa: E402
from checks import equal, run  # noqa: E402
from python_packages import make_environment  # noqa: E402
from troupe import Folder, Program  # noqa: E402

LIMIT = 300  # seconds; some frameworks take half a minute to be loaded
MANIFESTS = os.path.join(HERE, "manifests")


class Frameworks(Folder):
    """What a case gets: a folder to run in, with the programs of `programs`,
    and the environment of a user who has activated the virtual environment."""

    is_shared = True

    def __init__(self, environment, isolation):
        self.isolation = isolation
        self.variables = {
            "VIRTUAL_ENV": environment,
            "PATH": os.path.join(environment, "bin:") + os.environ["PATH"]}

    def __enter__(self):
        super().__enter__()
        shutil.copytree(os.path.join(HERE, "programs"), self.path,
                        dirs_exist_ok=True)
        os.chdir(self.path)
        return self

    def __exit__(self, *_):
        os.chdir(HERE)
        super().__exit__()

    def start(self, manifest):
        return Program("run", "--isolation", self.isolation,
                       os.path.join(MANIFESTS, manifest), env=self.variables)

    def output(self, manifest):
        """All that is printed of a job that succeeds."""
        with self.start(manifest) as job:
            code = job.end(LIMIT)
            equal(code, 0, "exit code of\n" + job.text())
            return job.text()


def with_shared_folder(frameworks, name, path):
    """Writes the manifest of that name with a new folder in the place of
    `path`, and returns its path."""
    with open(os.path.join(MANIFESTS, name)) as file:
        manifest = file.read()
    shared = os.path.join(frameworks.path, "shared")
    os.mkdir(shared)
    return frameworks.write(name, manifest.replace(path, shared))


def prints(manifest, *lines):
    """A case: the job succeeds and its replicas print these lines."""
    def case(frameworks):
        text = frameworks.output(manifest)
        found = sorted(line.partition("] ")[2] for line in text.splitlines()
                       if line.startswith("["))
        for line in lines:
            equal(line in found, True, f"{line!r} is in\n{text}")

    case.__name__ = manifest
    case.__doc__ = f"{manifest} succeeds on this machine"
    return case


def main(name, cases, isolations=lambda: ["auto"]):
    """Runs all cases with each isolation; the exit code is the worst."""
    def run_all():
        environment, code = make_environment(
            name, os.path.join(HERE, f"requirements-{name}.txt")), 0
        for isolation in isolations():
            print(f"Isolation: {isolation}")
            code = max(code, run(
                cases, lambda: Frameworks(environment, isolation),
                "".join(sys.argv[1:2])))
        return code

    sys.exit(needs.exit_code(run_all))
