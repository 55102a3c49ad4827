#!/usr/bin/python3
"""What .ci/stages.py makes of programs that skip something."""

import contextlib
import io
import os
import sys
import tempfile

from bare_machine import stages

import skips  # of .ci
from checks import contains, equal, run  # of ../cluster

PASSES = "print('ok   it works'); print('3 passed, 0 failed')"
SKIPS = "import sys; print('SKIPPED, NOTHING WAS TESTED: no tool: install it'" \
    ", file=sys.stderr); sys.exit(77)"
LEAVES_OUT = "print('LEFT OUT: a part: no root: run this as root');" \
    "print('1 passed, 0 failed')"
FAILS = "print('FAIL it'); print('0 passed, 2 failed'); raise SystemExit(1)"
SAID_AT_THE_END = """
Skipped:
* no tool: install it
    one.py, two.py
* a part: no root: run this as root
    part.py
"""


class Stage:
    """Runs programs, made of their texts, as one stage."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, ci, **texts):
        """(exit code, what is printed)"""
        commands = []
        for name, text in texts.items():
            commands.append([sys.executable, os.path.join(
                self.folder.name, name + ".py")])
            with open(commands[-1][1], "w") as file:
                file.write(text)
        return self.run_stages(ci, {"some": commands})

    def run_stages(self, ci, commands, beside=()):
        """The same of several stages, of which some only compute."""
        kept = stages.STAGES, stages.LOGS, stages.BESIDE
        before = os.environ.pop("CI", None)
        try:
            stages.STAGES = {name: ("programs", list, lambda found=found: found)
                             for name, found in commands.items()}
            stages.LOGS, stages.BESIDE = self.folder.name, beside
            if ci:
                os.environ["CI"] = "true"
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                code = stages.main(list(commands))
        finally:
            stages.STAGES, stages.LOGS, stages.BESIDE = kept
            os.environ.pop("CI", None)
            if before:
                os.environ["CI"] = before
        return code, printed.getvalue().replace(self.folder.name + "/", "")


def of_a_person(stage):
    """a person is told at the end what was skipped, and why; nothing failed"""
    code, text = stage.run(False, good=PASSES, one=SKIPS, two=SKIPS,
                           part=LEAVES_OUT)
    equal(code, 0, text)
    contains(text, SAID_AT_THE_END + "4 passed, 0 failed\n")
    equal("$CI" in text, False, text)


def of_ci(stage):
    """with CI, what is not on the list has failed, and the list is printed"""
    code, text = stage.run(True, good=PASSES, one=SKIPS, two=SKIPS,
                           part=LEAVES_OUT)
    equal(code, 1, text)
    contains(text, "\n".join(["May be skipped though $CI is set:",
                              *skips.allowed()]))
    contains(text, "two.py has to run here: no tool: install it\n")
    contains(text, SAID_AT_THE_END + "4 passed, 3 failed\n")


def on_the_list(stage):
    """with CI, what is on the list may be skipped"""
    program = os.path.join(stage.folder.name, "one.py")
    skips.ALLOWED[program] = "it is only a test"
    try:
        code, text = stage.run(True, good=PASSES, one=SKIPS)
    finally:
        del skips.ALLOWED[program]
    equal(code, 0, text)
    contains(text, "* one.py: it is only a test\n")
    contains(text, "3 passed, 0 failed\n")


def without_skips(stage):
    """where all has run, failures are counted as ever"""
    code, text = stage.run(False, good=PASSES, bad=FAILS)
    equal(code, 1, text)
    equal("Skipped" in text, False, text)
    equal(text.endswith("\n3 passed, 2 failed\n"), True, text)


def a_program_that_is_not_there(stage):
    """a build without its tools has failed, in one line"""
    with contextlib.redirect_stdout(io.StringIO()):
        code, text = stages.execute(["no-such-program", "-j"], io.StringIO())
    equal((code, text), (127, "there is no no-such-program: see .ci/packages"))


def what_only_computes(stage):
    """a stage that only computes runs beside the others, at the lowest priority,
    and is counted in its place"""
    made = os.path.join(stage.folder.name, "made")
    waits = f"import os, time\nfor _ in range(6000):\n" \
        f"    if os.path.exists({made!r}):\n" \
        "        print('2 passed, 0 failed'); raise SystemExit\n" \
        "    time.sleep(0.01)\nprint('0 passed, 2 failed')"
    computes = f"import os\nopen({made!r}, 'w')\n" \
        "print('1 passed, 3 failed')\nprint('at', os.nice(0))"
    code, text = stage.run_stages(
        False, {"waits": [[sys.executable, "-c", waits]],
                "computes": [[sys.executable, "-c", computes]]}, ("computes",))
    equal(code, 1, text)
    contains(text, "at 19\n")
    rows = [line.split()[:3] for line in text.split("\n")
            if line.startswith(("computes ", "waits "))]
    equal(rows, [["waits", "2", "0"], ["computes", "1", "3"]], text)
    equal(text.endswith("\n3 passed, 3 failed\n"), True, text)


def only_what_computes(stage):
    """where nothing waits, what computes is run as ever"""
    computes = "import os; print('at', os.nice(0)); print('1 passed, 0 failed')"
    code, text = stage.run_stages(
        False, {"computes": [[sys.executable, "-c", computes]]}, ("computes",))
    equal(code, 0, text)
    contains(text, f"at {os.nice(0)}\n")


CASES = [of_a_person, of_ci, on_the_list, without_skips,
         a_program_that_is_not_there, what_only_computes, only_what_computes]

if __name__ == "__main__":
    sys.exit(run(CASES, Stage, *sys.argv[1:2]))
