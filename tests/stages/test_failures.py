#!/usr/bin/python3
"""What .ci/stages.py says at its very end of what has failed."""

import os
import re
import sys

from bare_machine import REPOSITORY, stages
from test_summary import PASSES, Stage

import failures  # of .ci
from checks import contains, equal, run  # of ../cluster

LOG = "2026-01-02T03:04:05.006Z info caches are synced logger=root\n" * 300
CTEST = ["ctest", "--test-dir", "build", "--output-on-failure",
         "--no-tests=error"]
OUTPUT = f"""\
Test project /somewhere/build
      Start  6: server_test
      Start  5: http_test
 1/4 Test  #5: http_test ........................   Passed    8.34 sec
      Start  9: actors_test
 2/4 Test  #9: actors_test ......................***Failed    7.07 sec
Running 480 test cases...
{LOG}\
/somewhere/a_test.cpp(12): \x1b[1;31;49merror: in "outage/it_ends": check 1 == 2 has failed [1 != 2]
Failure occurred in a following context:
    a row\x1b[0;39;49m
{LOG}\
/somewhere/b_test.cpp(7): error: in "outage/it_ends": check a has failed
/somewhere/c_test.cpp(9): fatal error: in "pods/it_runs": memory access violation
{LOG}\
*** 3 failures are detected in the test module "troupe"

      Start  7: lives_test
 3/4 Test  #6: server_test ......................***Timeout 120.01 sec
all goes on
 4/4 Test  #7: lives_test .......................***Failed    3.15 sec
/somewhere/d_test.cpp(3): error: in "lives": TFJob, seed 4
  a pod is lost
  replay: TROUPE_SEED=4 build/lives

50% tests passed, 3 tests failed out of 4
"""
OF_CTEST = """\
fast: actors_test
    /somewhere/a_test.cpp(12): error: in "outage/it_ends": check 1 == 2 has failed [1 != 2]
    /somewhere/b_test.cpp(7): error: in "outage/it_ends": check a has failed
    /somewhere/c_test.cpp(9): fatal error: in "pods/it_runs": memory access violation
  build/actors_test --run_test=outage/it_ends:pods/it_runs
fast: server_test
    server_test: Timeout 120.01 sec
    all goes on
  ctest --test-dir build --output-on-failure -R '^server_test$'
fast: lives_test
    /somewhere/d_test.cpp(3): error: in "lives": TFJob, seed 4
  TROUPE_SEED=4 build/lives
"""
FAILS = """
import sys
sys.path.insert(0, %r)
from checks import run
from contextlib import nullcontext

def good(_):
    "it works"

def bad(_):
    "it never works"
    raise AssertionError("wanted 1, got 2")

def bad_as_well(_):
    "nor does this"
    {}["key"]

sys.exit(run([good, bad, bad_as_well], nullcontext))
""" % os.path.join(REPOSITORY, "tests", "cluster")
OF_PYTHON = """
Failed, and what repeats only that:
some: bad.py
    FAIL it never works
    AssertionError: wanted 1, got 2
    FAIL nor does this
    KeyError: 'key'
  TROUPE_ONLY=bad bad.py
  TROUPE_ONLY=bad_as_well bad.py
3 passed, 2 failed
"""
ASKS = re.compile(r"^ *(import|from) +assets\b", re.M)


def of_ctest(_):
    """programs of CTest: the failed checks, not the log, and their command"""
    found = [("fast", f) for f in failures.of_command(CTEST, OUTPUT, "fast")]
    equal("\n".join(failures.in_short(found)) + "\n", OF_CTEST)
    equal("caches are synced" in "\n".join(failures.at_length(found)), False,
          "the log is said to be a failure")


def of_python(stage):
    """programs of Python: each failed case, and the command that plays it"""
    code, text = stage.run(False, good="print('2 passed, 0 failed')", bad=FAILS)
    equal(code, 1, text)
    contains(text, OF_PYTHON)


def played_again(stage):
    """the command plays that case and no other whose name begins so"""
    os.environ["TROUPE_ONLY"] = "bad"
    try:
        _, text = stage.run(False, bad=FAILS)
    finally:
        del os.environ["TROUPE_ONLY"]
    equal(text.endswith("\n0 passed, 1 failed\n"), True, text)


def of_many(_):
    """of many failures the last lines stay few, and name all of them"""
    many = [("cluster", failures.Failure(f"test_{n}.py", ["FAIL it"] * 50, ["x"]))
            for n in range(12)]
    lines = failures.in_short(many)
    equal(len(lines) <= 60, True, f"{len(lines)} lines")
    for n in range(12):
        equal(f"cluster: test_{n}.py" in lines, True, f"test_{n}.py is named")


def of_a_long_command(_):
    """a command of too many words is repeated by its stage"""
    command = ["clang-format", "-Werror", *(f"{n}.cpp" for n in range(90))]
    found = failures.of_command(command, "7.cpp:1:2: error: code should be "
                                "clang-formatted", "style")
    equal(found[0].repeat, ["make stages STAGES=style"])


def of_a_build(_):
    """a build that fails: the compiler's errors"""
    text = ("[1/9] Building CXX object a.o\nFAILED: a.o\n"
            "a.cpp:1:2: error: 'x' was not declared in this scope\n"
            "    1 |  x\nninja: build stopped: subcommand failed.\n")
    found = failures.of_command(["cmake", "--build", "build"], text, "fast")
    contains("\n".join(failures.in_short([("fast", found[0])])),
             "'x' was not declared in this scope\n  cmake --build build")


def without_failures(stage):
    """where nothing has failed, nothing is said of it"""
    _, text = stage.run(False, good=PASSES)
    equal("repeats" in text, False, text)


def for_newcomers(_):
    """`make test` has no program that asks for Go"""
    for name in stages.TEST:
        for command in stages.STAGES[name][2]():
            if command[0] != sys.executable:
                continue
            with open(os.path.join(REPOSITORY, command[1])) as file:
                equal(bool(ASKS.search(file.read())), False,
                      f"{command[1]}, of the stage {name}, asks for a control "
                      "plane or a kubectl; list it in .ci/stages.py")


def each_stage_once(_):
    """each stage is in `make test-all` once, but those on the list"""
    all_of_them = stages.GROUPS["test-all"]
    equal(sorted(all_of_them), sorted(set(all_of_them)))
    equal(set(stages.STAGES) - set(all_of_them),
          {"frameworks", "conformance", "newest", "oldest", "arm64", "archives",
           "reproducible", "originals", "kueue", "native-gangs"})


CASES = [of_ctest, of_python, played_again, of_many, of_a_long_command,
         of_a_build, without_failures, for_newcomers, each_stage_once]

if __name__ == "__main__":
    sys.exit(run(CASES, Stage, *sys.argv[1:2]))
