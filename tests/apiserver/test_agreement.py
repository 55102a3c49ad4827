#!/usr/bin/python3
"""The API server of `troupe up` does what kube-apiserver does.

Every case is played on both, and what they answered is compared.

    test_agreement.py                  all cases
    test_agreement.py --only PART      those whose name has PART in it
    test_agreement.py --show PART      with what kube-apiserver answered
    test_agreement.py --repeat 3       each several times
"""

import argparse
import concurrent.futures
import sys
import time
import traceback

import servers  # sets the path
import needs
from process import end_in_order

import cases_of_apply
import cases_of_content
import cases_of_definitions
import cases_of_deletion
import cases_of_dependents
import cases_of_discovery
import cases_of_dry_run
import cases_of_errors
import cases_of_jobs
import cases_of_lists
import cases_of_names
import cases_of_namespaces
import cases_of_patches
import cases_of_preconditions
import cases_of_schemas
import cases_of_selectors
import cases_of_subresources
import cases_of_watches
from known_differences import KNOWN, unexplained
from session import Session
from transcript import differences

FILES = (cases_of_apply, cases_of_watches, cases_of_lists, cases_of_preconditions,
         cases_of_deletion, cases_of_dependents, cases_of_dry_run,
         cases_of_subresources, cases_of_names, cases_of_patches,
         cases_of_schemas, cases_of_definitions, cases_of_selectors,
         cases_of_content, cases_of_discovery, cases_of_errors,
         cases_of_namespaces, cases_of_jobs)
AT_ONCE = 8  # cases mostly wait


def all_cases():
    """name -> function: whatever takes a session and is public."""
    found = {}
    for file in FILES:
        for name, value in vars(file).items():
            if getattr(value, "__module__", None) == file.__name__ \
                    and callable(value) and not name.startswith("_"):
                if name in found:
                    raise ValueError(f"two cases are called {name}")
                found[name] = value
    return found


def play(server, case, name):
    """The lines of its transcript."""
    with Session(server, name) as session:
        try:
            case(session)
        except Exception as failure:
            # Where it fails on both servers, the case is wrong.
            session.note(f"FAILED: {type(failure).__name__}: {failure}")
            session.failure = traceback.format_exc()
            return session.transcript.lines, session.failure
    return session.transcript.lines, None


def compare(real, embedded, case, name, run, show):
    """(whether it passed, what to print of it)"""
    unique = name if run == 0 else f"{name[:36]}_{run}"
    title = f"{name}: {(case.__doc__ or '').splitlines()[0]}"
    try:
        wanted, failed = play(real, case, unique)
        got, failed_here = play(embedded, case, unique)
    except Exception:
        return False, f"FAIL {title}\n{traceback.format_exc()}"
    text = "\n" + "\n".join(wanted) if show else ""
    diff = differences(wanted, got)
    left, unmet = unexplained(name, diff)
    if unmet:
        text += "\nno longer different: " + ", ".join(unmet)
    if left:
        text += "\n" + "\n".join(diff)
    for what in (failed, failed_here):
        if what:
            text += "\n" + what
    good = not (left or unmet or failed or failed_here)
    return good, ("ok   " if good else "FAIL ") + title + text


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="PART")
    parser.add_argument("--show", default="", metavar="PART")
    parser.add_argument("--repeat", type=int, default=1, metavar="COUNT")
    args = parser.parse_args()
    args.only = args.only or args.show
    return args


def main():
    args = arguments()
    end_in_order()
    cases = {name: case for name, case in all_cases().items()
             if args.only in name}
    strangers = {name for name, *_ in KNOWN} - set(all_cases())
    if strangers:
        raise ValueError(f"known differences of no case: {strangers}")
    passed = failed = 0
    with servers.Kubernetes() as real, servers.Embedded() as embedded:
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [(name, case, run) for run in range(args.repeat)
                    for name, case in cases.items()]
            results = pool.map(
                lambda job: compare(real, embedded, job[1], job[0], job[2],
                                    args.show), jobs)
            for (name, *_), (good, text) in zip(jobs, results):
                passed, failed = passed + good, failed + (not good)
                print(text, flush=True)
                if not good:
                    print("repeat it: tests/apiserver/test_agreement.py --only "
                          + name, flush=True)
        print(f"compared in {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main))
