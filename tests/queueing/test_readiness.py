#!/usr/bin/python3
"""Beside a Kueue that waits 8 s for pods that are ready.

    test_readiness.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import functools
import sys

from queueing import Queueing

import readiness
from checks import main

if __name__ == "__main__":
    sys.exit(main(readiness.CASES, functools.partial(
        Queueing, settings=readiness.SETTINGS), __doc__, at_once=6))
