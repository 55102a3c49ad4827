"""The frame of a test: named cases, one line each, and the closing line."""

import argparse
import concurrent.futures
import contextlib
import faulthandler
import os
import shlex
import sys
import traceback

import needs
from cluster import Cluster
from operators.shipped import REPOSITORY, TROUPE
from process import end_in_order

PROGRAM = os.path.abspath(sys.argv[0])  # Before a case goes to its own folder.


def equal(got, wanted, what="value"):
    if got != wanted:
        raise AssertionError(f"{what}: wanted {wanted!r}, got {got!r}")


def contains(text, part):
    if part not in text:
        raise AssertionError(f"wanted {part!r} in:\n{text}")


def attempt(case, context):
    """Whether the case passed, None if something that it needs is missing; and
    what to print of it."""
    name = (case.__doc__ or case.__name__).splitlines()[0]
    try:
        with of_case(context) as own:
            case(own)
        return True, f"ok   {name}"
    except needs.Missing as lack:
        return None, f"LEFT OUT: {name}: {lack}"
    except Exception:
        text = f"FAIL {name}\n{traceback.format_exc()}" \
            f"repeat it: {command_of(case)}"
        report = getattr(context, "report", None)
        return False, text + (f"\n{report()}" if report else "")


def of_case(context):
    """What a context has for one case alone, or else the context."""
    make = getattr(context, "for_case", None)
    return make() if make else contextlib.nullcontext(context)


def command_of(case):
    """The one that plays this case and no other."""
    program = PROGRAM.removeprefix(REPOSITORY + os.sep)
    return f"TROUPE_ONLY={shlex.quote(case.__name__)} {program}"


def attempts(cases, context, at_once):
    """Those marked `serial` are the last, one after the other, on this thread:
    only it may start processes."""
    if at_once > 1:
        together = [c for c in cases if not getattr(c, "serial", False)]
        cases = [c for c in cases if getattr(c, "serial", False)]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            yield from pool.map(lambda c: attempt(c, context), together)
    for case in cases:
        yield attempt(case, context)


def run(cases, make=lambda: Cluster(crds=True), only="", at_once=1):
    """Calls each function of `cases` with one shared context of `make`, or with
    what that has for each.

    A function's first line of documentation is the case's name; `only`, else
    $TROUPE_ONLY, picks by the function's own, or by a part of it where none is
    named so. `at_once`: how many, where the cases are independent. Prints
    `N passed, N failed`; returns the exit code: 0, 1, or 77 where the context
    lacks something.
    """
    faulthandler.enable()
    end_in_order()
    only = only or os.environ.get("TROUPE_ONLY", "")
    chosen = [case for case in cases if only == case.__name__] \
        or [case for case in cases if only in case.__name__]
    return needs.exit_code(lambda: play(chosen, make, at_once))


def play(cases, make, at_once):
    passed = failed = 0
    context = make()
    with context:
        for good, text in attempts(cases, context, at_once):
            passed, failed = passed + (good is True), failed + (good is False)
            print(text, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main(cases, make, about, at_once=1):
    """The command line of a test with the shipped binary.

    `make(troupe, more)`: the binary's path and further arguments.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--troupe", default=TROUPE, metavar="FILE")
    parser.add_argument("--only", default="", metavar="PART",
                        help="of a case's function name")
    parser.add_argument("more", nargs="*", help="arguments of the operator")
    args = parser.parse_args()
    return run(cases, lambda: make(args.troupe, args.more), args.only, at_once)
