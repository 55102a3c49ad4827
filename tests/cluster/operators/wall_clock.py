"""A wall clock that a test can set, for one process.

Only CLOCK_REALTIME: what counts on without jumps, as on a machine whose clock
is set, is left alone.
"""

import glob
import os

import needs

LIBRARY = "/usr/lib/*/faketime/libfaketimeMT.so.1"


class WallClock:
    """Raises needs.Missing where libfaketime is not there."""

    def __init__(self, path):
        """`path`: of a file of its own."""
        self.path, found = path, glob.glob(LIBRARY)
        if not found:
            raise needs.Missing("no libfaketime",
                                "install Debian's libfaketime")
        self.set(0)
        self.environment = dict(
            os.environ, LD_PRELOAD=found[0], FAKETIME_TIMESTAMP_FILE=path,
            FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
            NO_FAKE_STAT="1")

    def set(self, seconds):
        """So much later than the machine's clock; earlier, if negative."""
        with open(self.path + ".new", "w") as file:
            file.write(f"{seconds:+}\n")
        os.replace(self.path + ".new", self.path)
