#!/usr/bin/python3
"""The program for arm64, built on this machine and run in qemu.

    test_arm64.py [--only PART]

Builds it first, with the tests of core and actors (make build-arm64).
"""

import glob
import os
import re
import subprocess
import sys
import tarfile
import tempfile

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
    command = ["ctest", "--test-dir", BUILD, "-L", "^(core|actors)$", "-j",
               JOBS, "--output-on-failure", "--no-tests=error"]
    if build.lack:
        needs.left_out("tests that start programs", build.lack)
    else:
        command = in_namespace(*command)
    done = run(command, env={**os.environ, "QEMU_LD_PREFIX": SYSROOT})
    equal(done.returncode, 0, done.stdout[-20000:] + "\nexit code")
    print(re.search(r"^\d+% tests passed.*$", done.stdout, re.M)[0])


def simulated(_):
    """every sample comes to its end on the simulated node"""
    for name in sorted(os.listdir(SAMPLES)):
        if name.endswith(".yaml"):
            done = run(in_qemu(TROUPE, "run", "--node", "simulated",
                               "--simulated-run-time", "200ms",
                               os.path.join(SAMPLES, name)))
            equal(done.returncode, 0, f"{name}: {done.stdout}\nexit code")
            contains(done.stdout, "succeeded after")


def isolated(kind):
    def case(build):
        build.need_children()
        for name in ("tfjob-ps.yaml", "mpijob.yaml"):
            done = run(in_root("/mnt/build-arm64/troupe", "run", "--isolation",
                               kind, "/mnt/deploy/samples/" + name))
            equal(done.returncode, 0, f"{name}: {done.stdout}\nexit code")
            contains(done.stdout, "succeeded after")

    case.__name__ = kind
    case.__doc__ = f"samples train, their pods kept apart by {kind}"
    return case


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


CASES = [machine, simulated, isolated("preload"), isolated("namespaces"), image,
         archive, same_tests]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, Build, *sys.argv[1:2]))
