#!/usr/bin/python3
"""The load generator is built, and can write jobs of every kind."""

import sys

from bench import build_loadgen, refused

from checks import equal, run  # of ../cluster
from jobs.kinds import KINDS


class Generator:
    """Its path, once it is built."""

    def __enter__(self):
        self.path = build_loadgen()
        return self

    def __exit__(self, *_):
        pass


def of_kind(kind):
    def case(generator):
        # As many pods as it has types are enough for any.
        equal(refused(generator.path, [f"1x{len(kind.types)}:{kind}"]), None,
              "what is wrong with its row in tests/bench/loadgen/kinds.go")

    case.__name__ = kind.name
    case.__doc__ = f"{kind} has a row"
    return case


if __name__ == "__main__":
    sys.exit(run([*map(of_kind, KINDS)], Generator, *sys.argv[1:2]))
