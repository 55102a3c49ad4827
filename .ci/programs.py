"""Runs the programs of stages, shows and keeps what they say.

A program that is run *beside* others has the lowest priority, so that it takes
only what they leave, and shows its output when it has ended.
"""

import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import skips

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
CTEST = re.compile(r"(\d+) tests? failed out of (\d+)")
# Where Linux groups processes by session, `nice` counts inside a group only.
LOWEST = ["nice", "-n", "19", "sh", "-c",
          'echo 19 2>/dev/null >/proc/self/autogroup; exec "$@"', "sh"]
PRINTING = threading.Lock()
STARTING = threading.Lock()
SESSIONS = set()  # process IDs of what runs beside; None: nothing begins any more


def execute(command, log, at_once=True, beside=False):
    """Runs it, shows its output at once or when it has ended; returns its exit
    code and its text."""
    shown = " ".join(command[:6]) + (" ..." if len(command) > 6 else "")
    if not shutil.which(command[0]):
        print(text := f"there is no {command[0]}: see .ci/packages")
        return 127, text
    start = time.monotonic()
    with STARTING:
        if beside and None in SESSIONS:
            return 130, ""
        child = subprocess.Popen([*LOWEST, *command] if beside else command,
                                 cwd=TOP, text=True, errors="replace",
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT,
                                 start_new_session=beside)
        if beside:
            SESSIONS.add(child.pid)
    text = []

    def show(line):
        log.write(line)
        sys.stdout.write(line)
        sys.stdout.flush()

    if at_once:
        print(f"$ {shown}", flush=True)
        log.write(f"$ {' '.join(command)}\n")
    for line in child.stdout:
        text.append(line)
        if at_once:
            show(line)
    code = child.wait()
    SESSIONS.discard(child.pid)
    if code not in (0, skips.SKIPPED):
        text.append(f"{shown} {ending(code)}\n")
        if at_once:
            show(text[-1])
    if not at_once:
        with PRINTING:
            where = ", beside other stages" if beside else ""
            print(f"$ {shown} ({time.monotonic() - start:.0f} s{where})",
                  flush=True)
            log.write(f"$ {' '.join(command)}\n")
            show("".join(text))
    return code, "".join(text)


def ending(code):
    if code < 0:
        return f"was ended by signal {-code}, {signal.strsignal(-code)}"
    return f"ended with exit code {code}"


def execute_all(commands, log, at_a_time, alone=(), beside=False):
    """(command, exit code, text) of each; those whose names end with one of
    `alone` come last, and one by one."""
    def is_alone(command):
        return at_a_time == 1 or command[-1].endswith(tuple(alone))

    together = [c for c in commands if not is_alone(c)]
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        yield from pool.map(lambda c: (c, *execute(c, log, False, beside)),
                            together)
    for command in filter(is_alone, commands):
        yield command, *execute(command, log, not beside, beside)


def end_what_runs_beside():
    """After Ctrl-C, which does not reach it. Nothing else begins there."""
    with STARTING:
        sessions = list(SESSIONS)
        SESSIONS.add(None)
    for session in sessions:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(session, signal.SIGTERM)


def counts(code, text):
    """(passed, failed) of one program."""
    if found := COUNT.findall(text):
        passed, failed = map(int, found[-1])
    elif found := CTEST.search(text):
        failed = int(found[1])
        passed = int(found[2]) - failed
    else:
        passed, failed = (1, 0) if code == 0 else (0, 1)
    # A program that ends badly has failed, whatever it counted.
    return passed, failed if code == 0 else max(failed, 1)


class Builds:
    """Commands that build, each run once, and one at a time of each preset."""

    def __init__(self):
        self.codes, self.locks = {}, {}
        self.lock = threading.Lock()

    def run(self, command, log, beside=False):
        """(exit code, its text, or None if it has been run before)"""
        key, preset = tuple(command), command[command.index("--preset") + 1]
        with self.lock:
            lock = self.locks.setdefault(preset, threading.Lock())
        with lock:
            if key in self.codes:
                return self.codes[key], None
            self.codes[key], text = execute(command, log, not beside, beside)
            return self.codes[key], text
