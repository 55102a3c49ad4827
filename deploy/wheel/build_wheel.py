#!/usr/bin/python3
"""Makes the wheel `troupe-operator` of the archive that build_archive.py made.

    build_wheel.py [--archive FILE] [--output DIR]

The wheel has the archive's program as a package, and the commands `troupe` and
`kubectl-troupe`, which start it. Nothing is compiled when it is installed. Equal
input gives equal bytes: times are those of the archive.
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
NAME = re.compile(r"troupe_(?P<version>\d+(\.\d+)*)_linux_(?P<arch>[a-z0-9]+)"
                  r"\.tar\.gz")
# The archive has a C library of its own, so what the machine's is does not
# matter. It asks for Linux 3.10, as these do; the second name is for a pip of
# before 20.3.
PLATFORMS = {
    "amd64": ("manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "arm64": ("manylinux_2_17_aarch64", "manylinux2014_aarch64")}
# Where the archive's folders go: the license of each part to where pip says that
# licenses are, what shells and `man` look for beside the command, the rest into
# the package.
PLACES = (("share/doc/parts.spdx.json", "{info}/sboms/troupe.spdx.json"),
          ("share/doc/", "{info}/licenses/"),
          ("share/common-licenses/", "{info}/licenses/common-licenses/"),
          ("LICENSE", "{info}/licenses/LICENSE"),
          ("share/", "{data}/data/share/"),
          ("bin/troupe", "{package}/bin/troupe"),
          ("lib/", "{package}/lib/"))
# bin/kubectl-troupe is the same as bin/troupe; README.md tells of the archive.
LEFT_OUT = ("bin/kubectl-troupe", "README.md", "samples/")


def read(*path):
    with open(os.path.join(TOP, *path)) as file:
        return file.read()


def description():
    """The README up to its first commands, and what a user of pip does."""
    return read("README.md").partition("\n```")[0].rstrip() + "\n\n" + read(
        "deploy", "wheel", "DESCRIPTION.md")


def metadata(version, licenses):
    return "\n".join([
        "Metadata-Version: 2.4", "Name: troupe-operator",
        f"Version: {version}",
        "Summary: Runs Kubeflow training jobs on this machine, and on clusters",
        "License-Expression: Apache-2.0",
        *(f"License-File: {name}" for name in licenses),
        "Requires-Python: >=3.7", "Platform: linux",
        "Keywords: kubernetes,kubeflow,training,distributed,pytorch,tensorflow",
        "Classifier: Environment :: Console",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Artificial "
        "Intelligence",
        "Description-Content-Type: text/markdown", "", description()])


class Wheel:
    """A zip file with a RECORD of what is in it."""

    def __init__(self, path, when):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED,
                                    compresslevel=9)
        self.when = time.gmtime(max(when, 315532800))[:6]  # From 1980 on.
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, self.when)
        entry.create_system = 3  # Of Unix, as the mode says.
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.record.append(
            f"{name},sha256={digest.decode().rstrip('=')},{len(data)}")

    def close(self, name):
        text = "\n".join([*self.record, f"{name},,", ""])
        self.add(name, text.encode())
        self.file.close()


def place(name, places):
    """Where a file of the archive goes; None if it is left out."""
    if name.startswith(LEFT_OUT):
        return None
    for before, now in places:
        if name.startswith(before):
            return now + name[len(before):]
    sys.exit(f"{name} of the archive has no place in the wheel: see PLACES of "
             "build_wheel.py")


def build(archive, output):
    match = NAME.fullmatch(os.path.basename(archive))
    if not match or match["arch"] not in PLATFORMS:
        sys.exit(f"{archive}: no archive of build_archive.py, by its name")
    version, platforms = match["version"], PLATFORMS[match["arch"]]
    base = f"{PACKAGE}-{version}"
    info, data = f"{base}.dist-info", f"{base}.data"
    places = [(before, now.format(info=info, data=data, package=PACKAGE))
              for before, now in PLACES]
    os.makedirs(output, exist_ok=True)
    path = os.path.join(output, f"{base}-py3-none-{'.'.join(platforms)}.whl")
    licenses = []
    with tarfile.open(archive) as tar:
        members = [m for m in tar if m.isfile()]
        wheel = Wheel(path, members[0].mtime)
        wheel.add(f"{PACKAGE}/__init__.py",
                  read("deploy", "wheel", "start.py").encode())
        wheel.add(f"{PACKAGE}/__main__.py",
                  b"from troupe_operator import main\n\nmain()\n")
        for member in members:
            name = place(member.name.split("/", 1)[1], places)
            if not name:
                continue
            wheel.add(name, tar.extractfile(member).read(), member.mode)
            if name.startswith(f"{info}/licenses/"):
                licenses.append(name[len(f"{info}/licenses/"):])
    parts = f"{info}/sboms/troupe.spdx.json"
    if parts not in wheel.file.namelist() and os.path.exists(
            beside := archive + ".spdx.json"):
        wheel.add(parts, read(beside).encode())
    wheel.add(f"{info}/METADATA", metadata(version, licenses).encode())
    wheel.add(f"{info}/WHEEL", "".join([
        "Wheel-Version: 1.0\nGenerator: troupe\nRoot-Is-Purelib: false\n",
        *(f"Tag: py3-none-{platform}\n" for platform in platforms)]).encode())
    wheel.add(f"{info}/entry_points.txt",
              b"[console_scripts]\ntroupe = troupe_operator:main\n"
              b"kubectl-troupe = troupe_operator:main\n")
    wheel.close(f"{info}/RECORD")
    print(f"{path}: {os.path.getsize(path) / 2**20:.0f} MiB")
    return path


def main():
    dist = os.path.join(TOP, "build", "dist")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--archive", metavar="FILE", help="else those of "
                        "build/dist")
    parser.add_argument("--output", metavar="DIR", default=dist)
    args = parser.parse_args()
    archives = [args.archive] if args.archive else sorted(
        glob.glob(os.path.join(dist, "troupe_*.tar.gz")))
    if not archives:
        sys.exit(f"no archive in {dist}: make dist")
    for archive in archives:
        build(archive, args.output)


if __name__ == "__main__":
    main()
