#!/usr/bin/python3
"""Builds the documentation as a site in build/site: `make docs`.

    build_site.py [--output FOLDER]

The generator and what it needs are of the versions in requirements.txt, in a
virtual environment of its own, which pip makes on first use. A link that leads
nowhere, and a page that no other leads to, is an error.
"""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(REPOSITORY, "tests", "cluster"))

import needs  # noqa: E402
from python_packages import make_environment  # noqa: E402

OUTPUT = os.path.join(REPOSITORY, "build", "site")


def build(output=OUTPUT):
    """Its exit code."""
    environment = make_environment("docs", os.path.join(HERE,
                                                        "requirements.txt"))
    shutil.rmtree(output, ignore_errors=True)
    return subprocess.run(
        [os.path.join(environment, "bin", "mkdocs"), "--quiet", "build",
         "--strict", "--site-dir", output], cwd=REPOSITORY,
        # The second: a notice about another generator, which is no warning.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
             "NO_MKDOCS_2_WARNING": "1"}).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", default=OUTPUT)
    output = os.path.abspath(parser.parse_args().output)
    code = build(output)
    if code == 0:
        print(f"Open file://{output}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "BUILT"))
