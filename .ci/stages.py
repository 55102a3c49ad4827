#!/usr/bin/python3
"""Runs stages of the tests, most of them one after the other, and sums them up.

    stages.py test       what `make test` runs
    stages.py test-all   those, and then the others
    stages.py fast cluster
    stages.py --list

A failed stage does not stop the next one; a failed build fails the stages that
need it. Output goes to the terminal and to build/stages/STAGE.log; what a failed
program said of its failures is shown again at the end, shortened in the very
last lines, with the command that repeats only what failed (failures.py).
Programs of the stages in SIDE_BY_SIDE mostly wait: several run at a time, and
the output of one is shown when it has ended. So is that of stages that only
compute, which run beside all others (BESIDE). The last line is `N passed, N
failed`; a stage that prints no count is one test.

Exit code 77 of a program means that something it needs is not there. The last
lines say what was skipped and why. Where $CI is set that is a failure, but for
the programs on a list (skips.py), which is printed.
"""

import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time

import failures
import skips
from programs import (TOP, Builds, counts, end_what_runs_beside, execute,
                      execute_all)

LOGS = os.path.join(TOP, "build", "stages")
JOBS = os.environ.get("JOBS") or str(os.cpu_count() or 2)
FAST = "^(core|actors)$"
SIDE_BY_SIDE = {"whole": 4, "page": 2, "kubectl": 2, "cluster": 3, "sdk": 2,
                "components": 4, "packaging": 2, "docs": 3, "hostile": 3,
                "kueue": 2, "explore": 2, "lives": 2}
# Two have limits of time under a load of their own, one needs a certain port.
ALONE = ("cluster/test_outage.py", "hostile/test_reports.py",
         "whole/test_explain.py")
# What only computes: run beside the other stages, which mostly wait, at the lowest
# priority, and these stages' builds with it, long before it is their turn.
BESIDE = ("tidy", "lives", "explore")
BUILT_BESIDE = ("sanitizer", "fuzz")
# Debian's packages of programs that a stage needs.
COMPILERS = {"fuzz": {"clang++-14": "clang-14"},
             "style": {"clang-format": "clang-format"}}
# So many lives of jobs, or scenarios, of one program: six of them take a third of
# two cores. They share one API server, so that more cores are no use for ever.
MOSTLY_WAITING = min(7 * (os.cpu_count() or 2), 28)
FEW_LIVES = 300
MANY_LIVES = 10_000
# Of tests/whole, those that need a kubectl, which is built with Go.
KUBECTL = ("test_apply.py", "test_authorization.py", "test_create.py",
           "test_exec.py", "test_kubectl.py", "test_port_forward.py")
# Of tests/components and tests/queueing, what builds a newer Kubernetes with Go
# first.
NATIVE_GANGS = ("test_native_gangs.py", "test_native_gangs_off.py",
                "test_native_gangs_speed.py")
# Of tests/stages, the one that starts all programs.
BARE = ("test_missing_tools.py",)
# `make test`: what needs no Go and no gigabytes.
TEST = ["style", "fast", "whole", "page", "simulation", "embedded"]
# Of tests/packaging, what takes many minutes: roots of other systems, builds.
LONG = {"archives": ["test_archive_on_debians.py", "test_archive_whole.py"],
        "reproducible": ["test_reproducible.py"],
        "originals": ["test_changing_over.py", "test_changing_over_mpi.py"]}
# And then, of `make test-all`: Debian's packages for tests, real control planes,
# other builds, and what runs for long.
REST = ["bare", "tidy", "lives", "explore", "kubectl", "cluster", "sdk",
        "training", "components", "hostile", "packaging", "docs", "sanitizer",
        "fuzz", "faults"]
GROUPS = {"test": TEST, "test-all": TEST + REST}


def build(preset, *targets):
    more = ["--target", *targets] if targets else []
    if preset == "release" and os.environ.get("CI"):
        preset = "ci"  # Warnings are errors there.
    return [["cmake", "--preset", preset],
            ["cmake", "--build", "--preset", preset, "-j", JOBS, *more]]


def ctest(folder, labels):
    return [["ctest", "--test-dir", folder, "-L", labels, "-j", JOBS,
             "--output-on-failure", "--no-tests=error"]]


def python(*paths):
    return [[sys.executable, p] for p in paths
            if os.path.exists(os.path.join(TOP, p))]


def every(folder, but=()):
    """Each tests/FOLDER/test_*.py is a program of its own."""
    path = os.path.join(TOP, "tests", folder)
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    return python(*(os.path.join("tests", folder, n) for n in names
                    if n.startswith("test_") and n.endswith(".py")
                    and n not in but))


def long_packaging(stage):
    return python(*("tests/packaging/" + name for name in LONG[stage]))


def simulation(first, lives, command):
    """So many lives of each kind, from the seed `first` on."""
    return ["env", f"TROUPE_SEED={first}", f"TROUPE_RUNS={lives}", *command]


def many_lives():
    """Two programs of half of them each: one uses one core."""
    half = (MANY_LIVES - FEW_LIVES) // 2
    return [simulation(FEW_LIVES + 1 + i * half, half, ["build/simulation_test"])
            for i in range(2)]


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.hpp"],
        cwd=TOP, check=True, capture_output=True, text=True).stdout.split()
    return [f for f in listed if os.path.exists(os.path.join(TOP, f))]


STAGES = {
    # Each: what it is, and its commands; those of `build` come first and are
    # no tests of their own.
    "fast": ("core and actors", lambda: build("release", "fast_tests"),
             lambda: ctest("build", FAST)),
    "simulation": (f"{FEW_LIVES} random jobs of every kind",
                   lambda: build("release"),
                   lambda: [simulation(1, FEW_LIVES, c)
                            for c in ctest("build", "^simulation$")]),
    "lives": (f"{MANY_LIVES} of every kind", lambda: build("release"),
              many_lives),
    "explore": ("small worlds of a job, in every order in which things can "
                "happen", lambda: build("release", "explore", "exploration_test"),
                lambda: ctest("build", "^exploration$")
                + [["build/explore", "--ci", f"{i}/2"] for i in (1, 2)]),
    "whole": ("the shipped binary, and real processes and sockets",
              lambda: build("release"),
              lambda: ctest("build", "^whole$") + every("whole", but=KUBECTL)
              + python("tests/training/test_gallery_files.py")
              + every("stages", but=BARE) + every("faults")),
    "embedded": ("a tenant who attacks the laptop's server",
                 lambda: build("release"),
                 lambda: python("tests/hostile/test_embedded.py")),
    "kubectl": ("the shipped binary as a real kubectl's server",
                lambda: build("release"),
                lambda: python(*(f"tests/whole/{n}" for n in KUBECTL))),
    "bare": ("all programs of the stages where what they need is missing",
             list, lambda: python(*(f"tests/stages/{n}" for n in BARE))),
    "page": ("the admin page in a browser", lambda: build("release"),
             lambda: every("page")),
    "sanitizer": ("core and actors with address and undefined sanitizer",
                  lambda: build("asan", "fast_tests"), lambda: ctest("build-asan", FAST)),
    "style": ("formatting and layering", list,
              lambda: [["clang-format", "--dry-run", "-Werror", *sources()],
                       *python("tests/layering.py"),
                       ["deploy/list_kinds.py", "--check"],
                       ["deploy/list_values.py", "--check"]]),
    "fuzz": ("what comes from outside, made up by libFuzzer",
             lambda: build("fuzz"), lambda: python("tests/fuzz/run.py")),
    "tidy": ("clang-tidy over the product's sources",
             lambda: build("release")[:1],
             lambda: python(".ci/clang_tidy.py")),
    "cluster": ("a real API server", lambda: build("release"),
                lambda: every("apiserver") + every("cluster")
                + every("bench")),
    "sdk": ("the Kubeflow Python SDK", lambda: build("release"),
            lambda: every("sdk")),
    "training": ("JAX, XGBoost and MPI on the laptop, with the gallery's samples",
                 lambda: build("release"),
                 lambda: python("tests/training/test_small_frameworks.py",
                                "tests/training/test_mpich.py",
                                "tests/training/test_intel_mpi.py")),
    "frameworks": ("PyTorch, TensorFlow, Paddle and DI-engine on the laptop, with "
                   "the gallery's samples",
                   lambda: build("release"),
                   lambda: python("tests/training/test_large_frameworks.py",
                                  "tests/training/test_di_engine.py")),
    "components": ("real controllers, a real scheduler, kwok's nodes",
                   lambda: build("release"),
                   lambda: every("components", but=NATIVE_GANGS)),
    "kueue": ("jobs of all kinds in queues of Kueue's", lambda: build("release"),
              lambda: every("queueing", but=NATIVE_GANGS)),
    "native-gangs": ("gangs of Kubernetes itself, of 1.37.2",
                     lambda: build("release"),
                     lambda: python(*(f"tests/components/{n}"
                                      for n in NATIVE_GANGS),
                                    "tests/queueing/test_native_gangs.py")),
    "hostile": ("a tenant who attacks the operator", lambda: build("release"),
                lambda: every("hostile", but=("test_embedded.py",))),
    "packaging": ("what users install: image, package, archive, wheel, chart",
                  lambda: build("release"),
                  lambda: every("packaging", but=sum(LONG.values(), []))),
    "docs": ("the documentation as a site, its commands and manifests",
             lambda: build("release"), lambda: every("documents")),
    "archives": ("the archive on Debian 11, 12 and 13; the tests of the shipped "
                 "binary with its program", lambda: build("release"),
                 lambda: long_packaging("archives")),
    "reproducible": ("two builds give the same bytes", list,
                     lambda: long_packaging("reproducible")),
    "originals": ("the operators of Kubeflow themselves, before Troupe, after it, "
                  "and beside their records", lambda: build("release"),
                  lambda: long_packaging("originals")
                  + conformance("--original")),
    "faults": ("lives of jobs, in each of which one call goes wrong, or two do",
               lambda: build("release"), lambda: faults()),
    "oldest": ("what a cluster has to have, on the oldest kube-apiserver",
               lambda: build("release"), lambda: oldest()),
    "newest": ("the fields and answers of the newest kube-apiserver",
               lambda: build("release"),
               lambda: [["env", "TROUPE_KUBERNETES=1.37.2", *c]
                        for c in every("apiserver")
                        + python(*(f"tests/cluster/test_{name}.py" for name in (
                            "builtin_schemas", "crds", "install", "kinds")))]),
    "arm64": ("the program for arm64, built here and run in qemu", list,
              lambda: every("arm64")),
    "conformance": ("what the originals were recorded doing",
                    lambda: build("release"),
                    lambda: conformance("--jobs", str(MOSTLY_WAITING))),
}


# Of tests/cluster, what shows that a cluster has what Troupe needs of it.
OLDEST = ("crds", "install", "tfjob", "kinds", "webhooks", "conversion",
          "leader_election", "auxiliary_objects", "migration")


def oldest():
    return [["env", "TROUPE_KUBERNETES=1.26.15", *c] for c in python(
        *(f"tests/cluster/test_{name}.py" for name in OLDEST))]


def faults():
    """Some five minutes, the same plans each time; `make faults` plays all of
    one fault, and as many pairs as it is told."""
    return [c + ["--each-once", "--pairs", "60", "--seed", "1",
                 "--jobs", str(MOSTLY_WAITING)]
            for c in python("tests/faults/run.py")]


def conformance(*more):
    shared = os.path.join(os.path.dirname(TOP), "shared")
    if not os.path.isdir(os.path.join(shared, "conformance")):
        return []
    return [c + ["--shared", shared, *more]
            for c in python("tests/conformance/run.py")]


def without_compilers(name):
    """(stage, why it is skipped) for each program that it needs and lacks."""
    return [(name, f"no {program}: install Debian's {package}")
            for program, package in COMPILERS.get(name, {}).items()
            if not shutil.which(program)]


def noted(command, text, name, failed):
    failed.extend((name, f) for f in failures.of_command(command, text, name))


def prepare(name, builds, failed, log, beside):
    """Builds what a stage needs; whether that is there."""
    for command in STAGES[name][1]():
        code, text = builds.run(command, log, beside)
        if code != 0:
            if text is not None:  # Else whoever ran it has noted that.
                noted(command, text, name, failed)
            return False
    return True


def run(name, builds, failed, beside=False):
    """(passed, failed, what was skipped) of a stage; adds to `failed` what it
    says of failures, with its name."""
    skipped = without_compilers(name)
    if skipped:
        return 0, 0, skipped
    passed_here = failed_here = 0
    with open(os.path.join(LOGS, name + ".log"), "a") as log:
        if not prepare(name, builds, failed, log, beside):
            return 0, 1, []
        for command, code, text in execute_all(
                STAGES[name][2](), log, SIDE_BY_SIDE.get(name, 1), ALONE, beside):
            skipped += skips.of_program(command, code, text)
            if code == skips.SKIPPED:
                continue
            more = counts(code, text)
            passed_here += more[0]
            failed_here += more[1]
            if more[1]:
                noted(command, text, name, failed)
    return passed_here, failed_here, skipped


class Beside(threading.Thread):
    """Runs those of the stages that only compute, and the builds of others."""

    def __init__(self, stages, builds, failed):
        super().__init__(daemon=True)
        self.names = [name for name in BESIDE if name in stages]
        self.built = [name for name in BUILT_BESIDE
                      if name in stages and not without_compilers(name)]
        if len(stages) == len(self.names) + len(self.built):
            self.names = self.built = ()  # There is nothing that waits.
        self.builds, self.failed = builds, failed
        self.rows = {}  # name -> its row

    def run(self):
        for name in self.built:
            with open(os.path.join(LOGS, name + ".log"), "a") as log:
                prepare(name, self.builds, self.failed, log, True)
        for name in self.names:
            self.rows[name] = row(name, self.builds, self.failed, True)


def row(name, builds, failed, beside=False):
    """Of the table at the end."""
    start = time.monotonic()
    return (name, *run(name, builds, failed, beside), time.monotonic() - start)


def run_all(stages, failed):
    """The rows of these stages, in their order."""
    os.makedirs(LOGS, exist_ok=True)
    for name in stages:
        open(os.path.join(LOGS, name + ".log"), "w").close()
    builds, rows = Builds(), {}
    beside = Beside(stages, builds, failed)
    beside.start()
    try:
        for number, name in enumerate(stages, 1):
            more = " beside the others" if name in beside.names else ""
            print(f"\n== {name}: {STAGES[name][0]}{more} (stage {number} of "
                  f"{len(stages)})", flush=True)
            if not more:
                rows[name] = row(name, builds, failed)
        beside.join()
    except BaseException:
        end_what_runs_beside()
        raise
    rows.update(beside.rows)
    return [rows[name] for name in stages]


def main(names):
    stages = [stage for name in names for stage in GROUPS.get(name, [name])]
    if names == ["--list"] or any(s not in STAGES for s in stages):
        for name, (what, *_) in STAGES.items():
            group = "" if name in TEST else \
                " (test-all)" if name in REST else " (neither)"
            print(f"{name:12} {what}{group}")
        return 0 if names == ["--list"] else 2
    failed = []
    rows = run_all(list(dict.fromkeys(stages)), failed)
    more = [] if names != ["test"] else \
        textwrap.wrap("`make test-all` runs what takes Go, gigabytes or long, "
                      "too: " + ", ".join(REST) + " (.ci/stages.py --list).", 80)
    return summed_up(rows, failed, more)


def summed_up(rows, failed, more=()):
    """Prints what the stages have come to, and `more`; the exit code."""
    left = [skip for row in rows for skip in row[3]]
    forbidden = skips.forbidden(left) if os.environ.get("CI") else []
    if failed:
        print("\n== failures", *failures.at_length(failed), sep="\n")
    print("\nstage        passed failed skipped  seconds")
    for name, passed, bad, skipped, seconds in rows:
        print(f"{name:12} {passed:6} {bad:6} {len(skipped):7} {seconds:8.0f}")
    if os.environ.get("CI"):
        print("\nMay be skipped though $CI is set:", *skips.allowed(), sep="\n")
    if forbidden:
        print("\nSkipped, though $CI is set:", *forbidden, sep="\n")
    if left:
        print("\nSkipped:", *skips.summary(left), sep="\n")
    if failed:
        print("\nFailed, and what repeats only that:",
              *failures.in_short(failed), sep="\n")
    if more:
        print("", *more, sep="\n")
    passed = sum(row[1] for row in rows)
    bad = sum(row[2] for row in rows) + len(forbidden)
    print(f"{passed} passed, {bad} failed", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
