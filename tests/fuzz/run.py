#!/usr/bin/python3
"""Runs the fuzzers of build-fuzz, as many at a time as there are cores.

    run.py                  each for 50,000 inputs from tests/fuzz/corpus, with
                            the same seed each time
    run.py --minutes 30     each for half an hour, with another seed each time;
                            goes on from what earlier runs kept in
                            build-fuzz/corpus
    run.py watch http       only these; without names, $TROUPE_ONLY is a part of
                            those to run

An input that ends a fuzzer is in build-fuzz/findings; `build-fuzz/fuzz_NAME
FILE` repeats it. Logs are in build-fuzz/logs. The last line is `N passed, N
failed`.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build-fuzz")
SEEDS = os.path.join(HERE, "corpus")
FINDINGS = os.path.join(BUILD, "findings")
LOGS = os.path.join(BUILD, "logs")
LONGEST_INPUT = 4096  # bytes; longer ones are slow and find the same
INPUTS = 50_000  # of each fuzzer, unless told for how long
LATE = 10  # seconds for one input
LINES = 40  # of the log of a fuzzer that failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--jobs", type=int,
                        default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    only = os.environ.get("TROUPE_ONLY", "")
    args.names = args.names or [name for name in sorted(os.listdir(SEEDS))
                                if only in name]
    return args


def seeds(name):
    folder = os.path.join(SEEDS, name)
    # In this order: that of a folder is not the same everywhere.
    return ",".join(os.path.join(folder, f) for f in sorted(os.listdir(folder)))


def fuzz(name, args, corpus):
    """(whether it found nothing, its log)"""
    log = os.path.join(LOGS, name + ".log")
    # The profile of values has addresses in it, which differ from run to run.
    length = ([f"-max_total_time={round(60 * args.minutes)}",
               "-use_value_profile=1"] if args.minutes
              else [f"-runs={INPUTS}", "-seed=1"])
    command = [os.path.join(BUILD, "fuzz_" + name), corpus,
               f"-seed_inputs={seeds(name)}", *length,
               f"-max_len={LONGEST_INPUT}", f"-timeout={LATE}",
               f"-artifact_prefix={FINDINGS}/{name}-",
               "-print_final_stats=1"]
    with open(log, "w") as file:
        code = subprocess.run(command, cwd=BUILD, stdout=file,
                              stderr=subprocess.STDOUT).returncode
    with open(log, errors="replace") as file:
        text = file.read()
    # One that has run nothing has found nothing.
    return code == 0 and inputs(text) > 0, text


def run(name, args):
    if args.minutes:
        corpus = os.path.join(BUILD, "corpus", name)
        os.makedirs(corpus, exist_ok=True)
        return fuzz(name, args, corpus)
    with tempfile.TemporaryDirectory() as corpus:
        return fuzz(name, args, corpus)


def inputs(log):
    found = re.findall(r"number_of_executed_units: (\d+)", log)
    return int(found[-1]) if found else 0


def summary(log):
    edges = re.findall(r"\bcov: (\d+)", log)
    return f"{inputs(log)} inputs, {edges[-1] if edges else '?'} edges"


def main():
    args = parse()
    for folder in (FINDINGS, LOGS):
        os.makedirs(folder, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {name: pool.submit(run, name, args) for name in args.names}
        for name, future in runs.items():
            passed, log = future.result()
            failed += not passed
            print(f"{'ok  ' if passed else 'FAIL'} {name}: {summary(log)}",
                  flush=True)
            if not passed:
                print("\n".join(log.splitlines()[-LINES:]), flush=True)
                print(f"repeat it: tests/fuzz/run.py {name}", flush=True)
    print(f"{len(args.names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
