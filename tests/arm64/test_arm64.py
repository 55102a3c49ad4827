#!/usr/bin/python3
"""The program for arm64, built on this machine and run in qemu.

    test_arm64.py [--only PART]

Builds it first, with the tests of core and actors (make build-arm64).
"""

import glob
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

from emulation import (BUILD, QEMU, REPOSITORY, SYSROOT, TROUPE, in_namespace,
                       in_qemu, in_root, run, why_no_children)

import needs  # of ../cluster
from checks import contains, equal
from checks import run as run_cases
from archive import Archive, Index  # of ../packaging

JOBS = os.environ.get("JOBS") or str(os.cpu_count() or 2)
DEPLOY = os.path.join(REPOSITORY, "deploy")
SAMPLES = os.path.join(DEPLOY, "samples")
HERE = os.path.join(REPOSITORY, "build", "troupe")  # This machine's.
# The C library of CentOS 7, the first one for arm64.
OLDEST_GLIBC = (2, 17)

PROC = "qemu makes up /proc/self/stat, without numbers"
SPAWN = "in qemu, vfork is fork: nobody hears why a program does not start"
OPENAT2 = "qemu has no openat2 and a root directory of its own"
# Program -> case -> why.
NOT_IN_QEMU = {
    "k8s_test": {
        "a_child_that_fails_is_told_apart_from_one_not_there": SPAWN,
        "child_process_test/a_program_that_does_not_start_is_not_always_missing":
            SPAWN},
    "node_test": {
        "volumes_test/directories_of_sub_paths_are_made_in_the_volume_only":
            OPENAT2,
        "open_in_root_test/what_has_moved_behind_a_link_is_not_opened": OPENAT2,
        "container_mounts_test/links_are_followed_once_when_they_are_looked_at":
            OPENAT2,
        "process_table_test/this_process_is_found": PROC},
    "actors_test": {"metrics_test/the_process_tells_of_itself": PROC}}


class Build:
    """Everything that is tested, built."""

    def __enter__(self):
        needs.programs("aarch64-linux-gnu-g++", "cmake", "ctest", "mmdebstrap",
                       "ninja", QEMU, "readelf")
        self.step([os.path.join(REPOSITORY, "cmake", "build_sysroot.py"),
                   "arm64", SYSROOT])
        self.step(["cmake", "--preset", "arm64"])
        self.step(["cmake", "--build", "--preset", "arm64", "-j", JOBS,
                   "--target", "troupe", "fast_tests"])
        self.lack = why_no_children()
        return self

    def __exit__(self, *_):
        pass

    def step(self, command):
        done = subprocess.run(command, cwd=REPOSITORY)
        if done.returncode == needs.SKIPPED:
            raise needs.Missing("no packages of arm64",
                                "let mmdebstrap reach a mirror of Debian")
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} has failed")

    def need_children(self):
        if self.lack:
            raise self.lack


def elf(what, path):
    return subprocess.run(["readelf", what, "-W", path], check=True,
                          text=True, capture_output=True).stdout


def helpers():
    return [os.path.join(BUILD, "k8s", "node", name) for name in
            ("libtroupe_preload.so", "troupe_reaper", "troupe_kubectl",
             "troupe_namespaces")]


def machine(_):
    """the program and all that is inside it are of arm64, and need no folder"""
    for path in (TROUPE, *helpers()):
        contains(elf("-h", path), "AArch64")
        equal("PATH)" in elf("-d", path), False, f"a search path in {path}")
    library, *programs = helpers()
    for path in programs:
        equal("NEEDED" in elf("-d", path), False, f"libraries of {path}")
    versions = {tuple(map(int, version.split("."))) for version in
                re.findall(r"GLIBC_([\d.]+)", elf("-V", library))}
    equal(max(versions) <= OLDEST_GLIBC, True, f"{library}: {versions}")


def same_tests(build):
    """the tests of core and actors pass"""
    if build.lack:
        needs.left_out("tests that start programs", build.lack)
    for name, cases in NOT_IN_QEMU.items():
        for case, why in cases.items():
            needs.left_out(f"{name} {case}", why)
    asked = run(["ctest", "--test-dir", BUILD, "-L", "^(core|actors)$",
                 "--show-only=json-v1"])
    names = {test["name"] for test in json.loads(asked.stdout)["tests"]} \
        - {"layering"}  # A program of Python.
    equal(NOT_IN_QEMU.keys() <= names, True, f"programs in {names}")
    with ThreadPoolExecutor(int(JOBS)) as pool:
        wrong = list(filter(None, pool.map(
            lambda name: passes(name, build.lack), names)))
    equal(wrong, [], "failures")


def passes(name, alone):
    """What a program of tests says that has failed; `alone`: where it can start
    no others."""
    command = in_qemu(os.path.join(BUILD, name), "--color_output=no",
                      *("--run_test=!" + case
                        for case in NOT_IN_QEMU.get(name, ())))
    done = run(command if alone else in_namespace(*command),
               env={**os.environ, "QEMU_LD_PREFIX": SYSROOT})
    return done.returncode and f"{name}: {done.stdout[-20000:]}"


def simulated(_):
    """every sample comes to its end on the simulated node"""
    for name in sorted(os.listdir(SAMPLES)):
        if name.endswith(".yaml"):
            done = run(in_qemu(TROUPE, "run", "--node", "simulated",
                               "--simulated-run-time", "200ms",
                               os.path.join(SAMPLES, name)))
            equal(done.returncode, 0, f"{name}: {done.stdout}\nexit code")
            contains(done.stdout, "succeeded after")


def trained(build):
    """samples train, their pods kept apart by the preloaded library"""
    build.need_children()
    needs.left_out("pods in namespaces", "qemu's process has a second thread, and "
                   "the kernel makes user namespaces for those with one")
    for name in ("tfjob-ps.yaml", "mpijob.yaml"):
        done = run(in_root("/mnt/build-arm64/troupe", "run", "--isolation",
                           "preload", "/mnt/deploy/samples/" + name))
        equal(done.returncode, 0, f"{name}: {done.stdout}\nexit code")
        contains(done.stdout, "succeeded after")


def image(build):
    """the image for arm64 is of arm64; an index has it beside this machine's"""
    with tempfile.TemporaryDirectory(prefix="troupe-arm64-") as folder:
        path = os.path.join(folder, "arm64.tar")
        make_image("--architecture", "arm64", "--output", path)
        archive = Archive(path)
        equal(archive.config["architecture"], "arm64")
        root = os.path.join(folder, "root")
        archive.unpack(root)
        if not build.lack:
            done = run(in_namespace("chroot", root, "/manager", "version"))
            equal(done.returncode, 0, f"{done.stdout}\nexit code")
        here = os.path.join(folder, "here.tar")
        if not os.path.exists(HERE):
            raise needs.Missing(f"no {HERE}", "let `make build` make it")
        make_image("--output", here)
        index = os.path.join(folder, "index.tar")
        execute(os.path.join(DEPLOY, "image", "build_index.py"), index, path,
                here)
        check_index(index, [path, here])


def check_index(path, archives):
    joined = Index(path)
    equal(joined.platforms, ["linux/amd64", "linux/arm64"])
    equal(set(joined.digests), {Archive(one).digest for one in archives})


def make_image(*arguments):
    execute(os.path.join(DEPLOY, "image", "build_image.py"), *arguments)


def execute(*command):
    done = run(command)
    equal(done.returncode, 0, f"{command[0]}: {done.stdout}\nexit code")


def archive(build):
    """the archive for arm64 runs from where it is unpacked"""
    build.step(["cmake", "--build", "--preset", "arm64", "--target",
                "troupe_launcher"])
    with tempfile.TemporaryDirectory(prefix="troupe-arm64-") as folder:
        execute(os.path.join(DEPLOY, "archive", "build_archive.py"),
                "--architecture", "arm64", "--output", folder)
        path, = glob.glob(os.path.join(folder, "*_linux_arm64.tar.gz"))
        with tarfile.open(path) as tar:
            tar.extractall(folder)
        root = path.removesuffix(".tar.gz")
        for name in ["bin/troupe"] + [
                "lib/" + name for name in os.listdir(root + "/lib")]:
            contains(elf("-h", os.path.join(root, name)), "AArch64")
        build.need_children()
        done = run(in_namespace(os.path.join(root, "bin/troupe"), "run",
                                "--node", "simulated", "--simulated-run-time",
                                "200ms", os.path.join(SAMPLES,
                                                      "tfjob-ps.yaml")))
        equal(done.returncode, 0, f"{done.stdout}\nexit code")


CASES = [machine, simulated, trained, image, archive, same_tests]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, Build, *sys.argv[1:2]))
