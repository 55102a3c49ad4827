#!/usr/bin/python3
"""`troupe top` on a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from test_up import Up
from troupe import Folder, LIMIT, TROUPE, tfjob

from checks import contains, equal, run  # of ../cluster
from process import die_with_parent, free_port  # of ../cluster

ESCAPE = re.compile(r"\033\[[?0-9;]*[a-zA-Z]")
COLOUR = re.compile(r"\033\[3[0-9]m")
ENTER, LEAVE = "\033[?1049h", "\033[?25h\033[?1049l"
RIGHT, DOWN = "\033[C", "\033[B"
INTERRUPT, STOP = "\x03", "\x1a"


class Terminal:
    """`troupe ARGS` on a terminal of its own."""

    def __init__(self, *args, rows=40, columns=100, env=None):
        self.ours, self.theirs = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.theirs)
        self.output = ""
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        self.child = subprocess.Popen(
            [TROUPE, *args], stdin=self.theirs, stdout=self.theirs,
            stderr=self.theirs, start_new_session=True,
            preexec_fn=self._take_terminal,
            env={**environment, "TERM": "xterm", **(env or {})})

    @staticmethod
    def _take_terminal():
        die_with_parent()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.ours, text.encode())

    def read(self, seconds):
        if select.select([self.ours], [], [], seconds)[0]:
            self.output += os.read(self.ours, 65536).decode(errors="replace")

    def frame(self):
        """The lines of the last whole frame."""
        end = self.output.rfind("\033[J")
        begin = self.output.rfind("\033[H", 0, max(end, 0))
        if end < 0 or begin < 0:
            return []
        return [ESCAPE.sub("", line)
                for line in re.split("\r+\n", self.output[begin:end])]

    def await_frame(self, what, condition):
        until = time.monotonic() + LIMIT
        while not condition(self.frame()):
            if time.monotonic() > until:
                raise AssertionError(f"no frame with {what}:\n"
                                     + "\n".join(self.frame()))
            self.read(0.2)
        return self.frame()

    def await_text(self, text):
        return self.await_frame(text, lambda lines: text in "\n".join(lines))

    def end(self):
        """The exit code; all output has been read."""
        until = time.monotonic() + LIMIT
        while self.child.poll() is None:
            if time.monotonic() > until:
                raise AssertionError("it does not end")
            self.read(0.1)
        while select.select([self.ours], [], [], 0)[0]:
            self.read(0)
        return self.child.returncode

    def check_restored(self):
        equal(self.output.count(ENTER), self.output.count(LEAVE),
              "screens entered and left")
        equal(self.output.rstrip().endswith(LEAVE), True, "left at last")
        equal(termios.tcgetattr(self.theirs), self.before, "the terminal")


def top(up, **more):
    return Terminal("top", "--admin", up.admin, **more)


def top_once(url, columns):
    """What `troupe top --once` prints on a terminal so wide."""
    with Terminal("top", "--once", "--admin", url, columns=columns) as terminal:
        equal(terminal.end(), 0, terminal.output)
        return terminal.output.replace("\r\n", "\n")


def live(_):
    """jobs appear by themselves; keys sort, pause, help and quit"""
    with Up("--no-node") as up, top(up) as terminal:
        terminal.await_text("0 jobs, 0 not finished")
        up.create(tfjob("first", "pass"))
        lines = terminal.await_text("default/first")
        contains("\n".join(lines), "JOB v")
        terminal.type(RIGHT)
        terminal.await_text("KIND v")
        terminal.type("ar")
        terminal.await_text("AGE ^")
        terminal.type("?")
        terminal.await_text("reverse the order")
        terminal.type("?")
        terminal.await_text("default/first")
        terminal.type("p")
        terminal.await_text("Paused.")
        up.create(tfjob("second", "pass"))
        up.await_condition("second", "Created")
        equal("default/second" in "\n".join(terminal.frame()), False,
              "a new job while it is paused")
        terminal.type("p")
        terminal.await_text("default/second")
        terminal.type("q")
        equal(terminal.end(), 0, "exit code")
        terminal.check_restored()


def interrupted(_):
    """Ctrl-C and SIGTERM end it, and give the terminal back"""
    with Up("--no-node") as up:
        for how, code in ((lambda t: t.type(INTERRUPT), 130),
                          (lambda t: t.child.send_signal(signal.SIGTERM),
                           143)):
            with top(up) as terminal:
                terminal.await_text("Operator: ")
                how(terminal)
                equal(terminal.end(), code, "exit code")
                terminal.check_restored()


def stopped(_):
    """Ctrl-Z gives the terminal back until the shell continues it"""
    with Up("--no-node") as up, top(up) as terminal:
        terminal.await_text("Operator: ")
        terminal.type(STOP)
        until = time.monotonic() + LIMIT
        while not os.WIFSTOPPED(os.waitpid(
                terminal.child.pid, os.WUNTRACED | os.WNOHANG)[1]):
            if time.monotonic() > until:
                raise AssertionError("it does not stop")
            terminal.read(0.1)
        while select.select([terminal.ours], [], [], 0)[0]:
            terminal.read(0)
        terminal.check_restored()
        terminal.output = ""
        terminal.child.send_signal(signal.SIGCONT)
        terminal.await_text("Operator: ")
        terminal.type("q")
        equal(terminal.end(), 0, "exit code")
        terminal.check_restored()


def resized(_):
    """it fits a terminal that becomes smaller, and can be scrolled"""
    with Up("--no-node") as up, top(up) as terminal:
        terminal.await_text("podautoscalers")
        terminal.resize(6, 30)
        lines = terminal.await_frame("6 lines", lambda l: len(l) == 6)
        equal([line for line in lines if len(line) > 30], [], "long lines")
        contains(lines[-1], "more lines")
        first = lines[0]
        terminal.type(DOWN)
        terminal.await_frame("the second line first",
                             lambda l: l and l[0] != first)
        terminal.resize(40, 100)
        terminal.await_text("podautoscalers")


def colours(_):
    """colours, unless NO_COLOR is set"""
    with Up("--no-node") as up:
        up.create(tfjob("waiting", "pass"))
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            with top(up, env=env) as terminal:
                terminal.await_text("default/waiting")
                equal(COLOUR.search(terminal.output) is not None, coloured,
                      f"colours with {env}")


def operator_gone(_):
    """while nobody answers it says so, keeps the tables, and can be quit"""
    with Up("--no-node") as up, top(up) as terminal:
        up.create(tfjob("kept", "pass"))
        terminal.await_text("default/kept")
        up.signal(signal.SIGTERM)
        up.end()
        lines = terminal.await_text("No answer: ")
        contains("\n".join(lines), "default/kept")
        terminal.type("q")
        equal(terminal.end(), 0, "exit code")
        terminal.check_restored()


def unreachable(_):
    """without an operator the terminal is left as it is"""
    with Terminal("top", "--admin",
                  f"http://127.0.0.1:{free_port()}") as terminal:
        equal(terminal.end(), 1, "exit code")
        contains(terminal.output, "--admin URL")
        equal(ENTER in terminal.output, False, "another screen")


def once(_):
    """--once, JSON and a dumb terminal print once"""
    with Up("--no-node") as up:
        for args, env in ((("--once",), {}), (("-o", "json"), {}),
                          ((), {"TERM": "dumb"})):
            with Terminal("top", "--admin", up.admin, *args,
                          env=env) as terminal:
                equal(terminal.end(), 0, f"exit code with {args} {env}")
                equal(ENTER in terminal.output, False, "another screen")
                contains(terminal.output, "ready")


CASES = [live, interrupted, stopped, resized, colours, operator_gone,
         unreachable, once]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
