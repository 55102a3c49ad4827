"""Troupe: runs Kubeflow training jobs on this machine, as a cluster would.

The commands `troupe` and `kubectl-troupe`; `python -m troupe_operator` is the
former.
"""

import os
import sys


def program():
    """The path of the program, for subprocess."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin",
                        "troupe")


def main():
    called = os.path.basename(sys.argv[0])
    name = called if called == "kubectl-troupe" else "troupe"
    os.execv(program(), [name, *sys.argv[1:]])
