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


def path():
    """$PATH, in which pods find the Python of this environment: a notebook's has
    not always its folder."""
    own = os.path.dirname(os.path.abspath(sys.executable))
    known = os.environ.get("PATH", os.defpath)
    return known if own in known.split(os.pathsep) else (
        own + os.pathsep + known)


def main():
    called = os.path.basename(sys.argv[0])
    name = called if called == "kubectl-troupe" else "troupe"
    os.execve(program(), [name, *sys.argv[1:]],
              dict(os.environ, PATH=path()))
