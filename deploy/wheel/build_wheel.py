#!/usr/bin/python3
"""Makes the wheel `troupe-operator` from the archive that build_archive.py made.

    build_wheel.py [--archive FILE] [--output DIR]

The wheel has the archive's folder as a package, and the command `troupe`, which
starts bin/troupe there. Nothing is compiled when it is installed. Equal input
gives equal bytes.
"""

import argparse
import base64
import glob
import hashlib
import os
import re
import sys
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PACKAGE = "troupe_operator"
NAME = re.compile(r"troupe_(?P<version>[^_]+)_linux_(?P<arch>[a-z0-9]+)"
                  r"\.tar\.gz")
# The archive has a C library of its own, so the machine's may be as old as pip
# itself asks for. test_wheel.py installs it beside the oldest that is tried.
PLATFORMS = {"amd64": "manylinux_2_17_x86_64",
             "arm64": "manylinux_2_17_aarch64"}
START = '''\
"""Troupe: runs training jobs on this machine, as a cluster would."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files",
                           "bin", "troupe")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''


def metadata(version):
    with open(os.path.join(TOP, "deploy", "archive", "README.md")) as file:
        text = file.read()
    return "\n".join([
        "Metadata-Version: 2.1", "Name: troupe-operator",
        f"Version: {version}",
        "Summary: Runs Kubeflow training jobs on this machine, and on clusters",
        "License: Apache-2.0", "Requires-Python: >=3.8",
        "Keywords: kubernetes,kubeflow,training,distributed",
        "Classifier: Operating System :: POSIX :: Linux",
        "Description-Content-Type: text/markdown", "", text])


class Wheel:
    def __init__(self, path, when):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED,
                                    compresslevel=9)
        self.when = time.gmtime(max(when, 315532800))[:6]  # From 1980 on.
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, self.when)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(
            f"{name},sha256={digest.decode().rstrip('=')},{len(data)}")

    def close(self, record):
        text = "\n".join([*self.record, f"{record},,", ""])
        self.add(record, text.encode())
        self.file.close()


def build(archive, output):
    match = NAME.fullmatch(os.path.basename(archive))
    if not match:
        sys.exit(f"{archive}: no archive of build_archive.py, by its name")
    version, platform = match["version"], PLATFORMS[match["arch"]]
    tag = f"py3-none-{platform}"
    path = os.path.join(output, f"{PACKAGE}-{version}-{tag}.whl")
    info = f"{PACKAGE}-{version}.dist-info"
    with tarfile.open(archive) as tar:
        members = [m for m in tar if m.isfile()]
        wheel = Wheel(path, members[0].mtime)
        wheel.add(f"{PACKAGE}/__init__.py", START.encode())
        wheel.add(f"{PACKAGE}/__main__.py",
                  b"from troupe_operator import main\n\nmain()\n")
        for member in members:
            name = member.name.split("/", 1)[1]
            wheel.add(f"{PACKAGE}/files/{name}",
                      tar.extractfile(member).read(), member.mode)
    wheel.add(f"{info}/METADATA", metadata(version).encode())
    wheel.add(f"{info}/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: troupe\nRoot-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode())
    wheel.add(f"{info}/entry_points.txt",
              b"[console_scripts]\ntroupe = troupe_operator:main\n")
    wheel.close(f"{info}/RECORD")
    print(f"{path}: {os.path.getsize(path) / 2**20:.0f} MiB")


def main():
    place = os.path.join(TOP, "build", "dist")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--archive", metavar="FILE", help="else those of "
                        "build/dist")
    parser.add_argument("--output", metavar="DIR", default=place)
    args = parser.parse_args()
    archives = [args.archive] if args.archive else sorted(
        glob.glob(os.path.join(place, "troupe_*.tar.gz")))
    if not archives:
        sys.exit(f"no archive in {place}: make dist")
    for archive in archives:
        build(archive, args.output)


if __name__ == "__main__":
    main()
