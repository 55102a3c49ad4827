"""The frame of a test: named cases, one line each, and the closing line."""

import sys
import traceback

import assets
from cluster import Cluster
from process import end_in_order


def equal(got, wanted, what="value"):
    if got != wanted:
        raise AssertionError(f"{what}: wanted {wanted!r}, got {got!r}")


def contains(text, part):
    if part not in text:
        raise AssertionError(f"wanted {part!r} in:\n{text}")


def run(cases, make=lambda: Cluster(crds=True), only=""):
    """Calls each function of `cases` with one shared context of `make`.

    A function's first line of documentation is the case's name; `only` picks
    by a part of the function's own. Prints `N passed, N failed`; returns the
    exit code: 0, 1, or 77 where no cluster can be had.
    """
    end_in_order()
    passed = failed = 0
    try:
        context = make()
    except assets.Missing as lack:
        print(f"SKIPPED, NOTHING WAS TESTED: {lack}", file=sys.stderr)
        return assets.SKIPPED
    with context:
        for case in cases:
            if only not in case.__name__:
                continue
            name = (case.__doc__ or case.__name__).splitlines()[0]
            try:
                case(context)
            except Exception:
                failed += 1
                print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
                report = getattr(context, "report", None)
                if report:
                    print(report(), flush=True)
            else:
                passed += 1
                print(f"ok   {name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
