#!/usr/bin/python3
"""The tests of tests/whole, played with the program of an archive.

    test_archive_whole.py [--troupe FILE] [--only PART]
"""

import os
import re
import subprocess
import sys

from archive_folder import ArchiveFolder

import needs  # of ../cluster
from checks import equal, main
from cluster import REPOSITORY

WHOLE = os.path.join(REPOSITORY, "tests", "whole")


def played(name):
    def case(archive):
        done = subprocess.run(
            [sys.executable, os.path.join(WHOLE, name)], text=True,
            env=dict(os.environ, TROUPE=archive.program, TROUPE_ONLY=""),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if done.returncode == needs.SKIPPED:
            raise needs.Missing(*done.stdout.strip().splitlines()[-1].split(
                ": ", 2)[1:])
        equal(done.returncode, 0, f"exit code of\n{done.stdout}")
        print("".join(re.findall(r"^LEFT OUT.*\n", done.stdout, re.M)),
              end="")

    case.__name__ = name
    case.__doc__ = f"tests/whole/{name}"
    return case


CASES = [played(name) for name in sorted(os.listdir(WHOLE))
         if name.startswith("test_")]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: ArchiveFolder(troupe), __doc__))
