#!/usr/bin/python3
"""`troupe run`: from a manifest to an exit code."""

import json
import os
import re
import signal
import sys

from run_samples import FOREVER, MANIFEST
from troupe import (Folder, Program, finished, interrupted, processes_with,
                    tfjob, wait_until)

from checks import contains, equal, run  # of ../cluster


def good(folder):
    """a job that succeeds ends with 0 and leaves nothing"""
    job = folder.write("good.yaml", tfjob("good", "print('hello')", 2))
    with Program("run", job) as program:
        logs = program.await_line(r"Logs: +(\S+)")[1]
        equal(program.end(), 0, "exit code")
        contains(program.text(), "[worker-0] hello")
        contains(program.text(), "[worker-1] hello")
        contains(program.text(), "No image is pulled")
    equal(os.path.exists(logs), False, "the run's directory exists")


def kept(folder):
    """--keep keeps the logs of a success"""
    job = folder.write("kept.yaml", tfjob("kept", "print('hello')"))
    where = os.path.join(folder.path, "run")
    code, _ = finished("run", "--keep", "--run-dir", where, job)
    equal(code, 0, "exit code")
    equal(os.path.isdir(where), True, "the run's directory exists")


def failing(folder):
    """a job that fails ends with 1, and prints who, why and the last lines of its log"""
    job = folder.write("failing.yaml", tfjob(
        "failing", "import sys; print('oh no'); sys.exit(3)"))
    code, text = finished("run", job)
    equal(code, 1, "exit code")
    last = text[text.index("TFJob default/failing failed"):]
    contains(last, "failing-worker-0: Failed, exit code 3")
    contains(last, "| oh no")
    contains(last, "Whole logs: ")


def lost_program(folder):
    """a program that does not exist is an error: exit code 1"""
    job = folder.write("lost.yaml", tfjob(
        "lost", "", command=["no-such-program-anywhere"]))
    code, text = finished("run", job)
    equal(code, 1, "exit code")
    contains(text, "no-such-program-anywhere")


def quiet(folder):
    """--logs none shows none, but the last lines of a failed pod"""
    job = folder.write("quiet.yaml", tfjob("quiet", "print('hello')"))
    code, text = finished("run", "--logs", "none", job)
    equal(code, 0, "exit code")
    equal("hello" in text, False, "a log is shown")


def one_type(folder):
    """--logs TYPE shows that type only, in any case of letters"""
    job = folder.write("typed.yaml", tfjob("typed", "print('hello')", ps=1))
    code, text = finished("run", "--logs", "worker", job)
    equal(code, 0, "exit code")
    contains(text, "[worker-0] hello")
    equal("[ps-0]" in text, False, "the other log is shown")


def states(folder):
    """a line that overwrites itself is shown in its last state, uncoloured"""
    job = folder.write("states.yaml", tfjob(
        "states", r"print(' 10%\r100%'); print('\033[31mred\033[0m')"))
    code, text = finished("run", "--timestamps", job)
    equal(code, 0, "exit code")
    lines = text.split("\n")
    for said in ("100%", "red"):
        equal([bool(re.fullmatch(r"\[worker-0\] \d{4}-\S+Z " + said, line))
               for line in lines].count(True), 1, text)


BAR = r"""
import time
for i in range(%d):
    print(f'\r{i}%%|###', end='', flush=True)
    time.sleep(0.05)
print('\rfull', flush=True)
"""


def moving(folder):
    """in a pipe a line that overwrites itself is shown once a second"""
    job = folder.write("moving.yaml", tfjob("moving", BAR % 60, workers=2))
    code, text = finished("run", job)
    equal(code, 0, "exit code of\n" + text)
    for worker in 0, 1:
        states = re.findall(rf"\[worker-{worker}\] (.*)", text)
        equal(states[-1], "full", text)
        # Three seconds, or more on a machine that is slow.
        equal(2 <= len(states) <= 20, True, text)
        equal(all(re.fullmatch(r"\d+%\|###", s) for s in states[:-1]), True,
              text)
    code, text = finished("run", "--output", "json", job)
    logs = [line for line in map(json.loads, text.strip().split("\n"))
            if line["type"] == "log"]
    equal([line["line"] for line in logs if not line.get("unfinished")],
          ["full", "full"], text)
    equal(any(line.get("unfinished") for line in logs), True, text)


def for_programs(folder):
    """--output json is an object in each line, the result last"""
    job = folder.write("json.yaml", tfjob(
        "json", "print('said'); raise SystemExit(4)"))
    code, text = finished("run", "--output", "json", job)
    equal(code, 1, text)
    lines = [json.loads(line) for line in text.strip().split("\n")]
    equal({"message", "job", "replica", "log", "result"}
          - {line["type"] for line in lines}, set())
    equal([line["line"] for line in lines if line["type"] == "log"], ["said"])
    equal([line["type"] for line in lines].index("result"), len(lines) - 1)
    equal((lines[-1]["verdict"], lines[-1]["exitCode"]), ("failed", 1))
    equal(lines[-1]["failures"][0]["exitCode"], 4)
    equal(lines[-1]["failures"][0]["lastLines"], ["said"])


def ended_with_the_job(folder):
    """a parameter server that the success ends is stopped, it did not fail"""
    job = folder.write("ps.yaml", tfjob(
        "ps", "import os, time\nprint('begun', flush=True)\n"
              "time.sleep(600 if '\"ps\"' in os.environ['TF_CONFIG']"
              ".split('task')[1] else 1)", ps=1))
    code, text = finished("run", job)
    equal(code, 0, text)
    equal("Failed" in text, False, text)


def cannot_start(folder):
    """what can never start here is told once, with its cause, and given up"""
    for right, wrong, cause in (
            ('            command: ["true"]\n', "", "has no command"),
            ('"true"', '"no-such-program"', "not found in $PATH")):
        job = folder.write("cannot.yaml", MANIFEST.replace(
            right, wrong).replace("Never", "OnFailure"))
        code, text = finished("run", job)
        equal(code, 1, text)
        contains(text, "Giving up: ")
        verdict = text[text.index("TFJob default/typo cannot run as it is"):]
        contains(verdict, cause)


def stopped(folder):
    """Ctrl-C deletes the job, ends every process, and ends with 130"""
    mark = f"mark-{os.getpid()}-stopped"
    job = folder.write("stopped.yaml", tfjob(
        "stopped", FOREVER.format(mark), workers=2))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.await_line(r"\[worker-1\] begun")
        equal(interrupted(program), 130, "exit code")
    wait_until("the processes to be gone", lambda: not processes_with(mark))


def stopped_twice(folder):
    """a second Ctrl-C ends at once what does not want to end"""
    mark = f"mark-{os.getpid()}-twice"
    stubborn = ("import signal\nsignal.signal(signal.SIGTERM, "
                "signal.SIG_IGN)\n" + FOREVER.format(mark))
    job = folder.write("twice.yaml", tfjob("twice", stubborn))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        program.signal(signal.SIGINT)
        program.await_line("Stopping")
        equal(interrupted(program), 130, "exit code")
    wait_until("the process to be gone", lambda: not processes_with(mark))


def killed(folder):
    """SIGKILL leaves no process behind; the next run removes its directory"""
    mark = f"mark-{os.getpid()}-killed"
    job = folder.write("killed.yaml", tfjob("killed", FOREVER.format(mark)))
    with Program("run", job) as program:
        program.await_line(r"\[worker-0\] begun")
        logs = program.await_line(r"Logs: +(\S+)")[1]
        program.child.kill()
        program.child.wait()
    wait_until("the process to be gone", lambda: not processes_with(mark))
    equal(os.path.exists(logs), True, "the run's directory exists")
    finished("run", folder.write("next.yaml", MANIFEST))
    equal(os.path.exists(logs), False, "it exists after another run")


def out_of_time(folder):
    """--timeout deletes the job and ends with 124"""
    mark = f"mark-{os.getpid()}-late"
    job = folder.write("late.yaml", tfjob("late", FOREVER.format(mark)))
    code, text = finished("run", "--timeout", "2s", job)
    equal(code, 124, "exit code")
    contains(text, "Not done within 2s")
    wait_until("the process to be gone", lambda: not processes_with(mark))


def drawn(folder):
    """--timeline draws what has happened; a path that cannot be written is told
    before anything runs"""
    job = folder.write("drawn.yaml", tfjob("drawn", "print('seen')"))
    page = os.path.join(folder.path, "drawn.html")
    code, text = finished("run", "--timeline", page, job)
    equal(code, 0, "exit code of\n" + text)
    contains(text, "Timeline: " + page)
    with open(page) as file:
        drawing = file.read()
    for part in ("<h1>TFJob drawn: Succeeded</h1>", ">worker-0</text>",
                 'class="Running"'):
        contains(drawing, part)
    code, text = finished("run", "--timeline", "/nowhere/at.html", job)
    equal(code, 2, "exit code")
    contains(text, "--timeline /nowhere/at.html: No such file or directory")
    equal("seen" in text, False, text)


CASES = [good, kept, failing, lost_program, quiet, one_type, states, moving,
         for_programs, drawn, cannot_start, ended_with_the_job, stopped,
         stopped_twice, killed, out_of_time]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
