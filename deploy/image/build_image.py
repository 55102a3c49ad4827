#!/usr/bin/python3
"""Makes the container image, an OCI archive: the program, the libraries that it
loads, certificates of authorities and time zones. No shell, no package manager.

    build_image.py [--architecture NAME] [--program FILE] [--output FILE]
                   [--packages DIR] [--root DIR]

Run it on the Debian that the program was built on. For another architecture,
Debian's NAME of it, files are of build-NAME (make build-arm64). Equal input gives an equal
digest: times are the commit's, entries are sorted. Beside the archive it writes
FILE.spdx.json, a list of the parts. Prints the digest. Exit code 77: packages
cannot be had.
"""

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import debian_files
import oci
import root_files
import sbom
import sysroot

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
LICENSE = "Apache-2.0"
# Header-only libraries, parts of which are in the program.
HEADERS = ("libboost1.74-dev", "libcli11-dev", "libprotozero-dev",
           "nlohmann-json3-dev")
SKIPPED = 77
LABEL = "org.opencontainers.image."


def read(*path):
    with open(os.path.join(TOP, *path), "rb") as file:
        return file.read()


def git(*arguments):
    """Its answer; "" where there is none, or no git."""
    if not shutil.which("git"):
        return ""
    done = subprocess.run(["git", "-C", TOP, *arguments], text=True,
                          capture_output=True)
    return done.stdout.strip()


def stripped(program):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "troupe")
        shutil.copy(program, copy)
        debian_files.output(debian_files.chosen.strip, "--strip-unneeded",
                            copy)
        with open(copy, "rb") as file:
            return file.read()


def facts():
    """Version, commit, its time, and where the source is, if git knows."""
    version = re.search(rb"project\(troupe VERSION (\S+)",
                        read("CMakeLists.txt"))[1].decode()
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git(
        "log", "-1", "--format=%ct") or "0"
    return (version, git("rev-parse", "HEAD"), int(epoch),
            git("remote", "get-url", "origin"))


def annotations(version, commit, source, created):
    said = {"title": "troupe", "version": version, "revision": commit,
            "source": source, "licenses": LICENSE, "created": created,
            "description": "Kubernetes operator for distributed training jobs"}
    return {LABEL + name: value for name, value in said.items() if value}


def installed(names):
    """(name, version, architecture) of packages that were compiled with."""
    lines = debian_files.output(
        *debian_files.chosen.query, "-W", "-f",
        "${Package} ${Version} ${Architecture}\n", *names)
    return [tuple(line.split()) for line in lines.decode().splitlines()]


def distribution():
    with open("/etc/os-release") as file:
        said = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    return "debian-" + said["VERSION_ID"].strip('"')


def build(program, output, folder, root):
    version, commit, epoch, source = facts()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    packages = root_files.with_notices(debian_files.download(
        root_files.packages_of(program), folder), folder)
    binary = stripped(program)
    layers = [
        oci.packed(root_files.base(program, packages), root_files.DIRECTORIES,
                   epoch),
        oci.packed(root_files.program_files(binary, read("LICENSE")), {},
                   epoch)]
    labels = annotations(version, commit, source, created)
    config = {
        "architecture": debian_files.architecture(),
        "os": "linux", "created": created,
        "config": {"User": f"{root_files.USER}:{root_files.USER}",
                   "Entrypoint": ["/manager"], "WorkingDir": "/",
                   "Env": ["PATH=/usr/bin"], "Labels": labels,
                   "ExposedPorts": {f"{port}/tcp": {} for port in
                                    (8080, 8081, 9443)}},
        "history": [{"created": created, "created_by": text} for text in
                    ("Debian's packages", "troupe")]}
    layout = oci.Layout()
    image = layout.image(layers, config, labels)
    image["annotations"] = {
        LABEL + "ref.name": version,
        "io.containerd.image.name": "docker.io/library/troupe:" + version}
    layout.write(output, image, epoch)
    parts = sbom.document(version, binary, LICENSE, packages,
                          installed(HEADERS), distribution(), created)
    with open(re.sub(r"\.tar$", "", output) + ".spdx.json", "w") as file:
        json.dump(parts, file, indent=1, sort_keys=True)
    for tar in layers if root else ():
        tarfile.open(fileobj=io.BytesIO(tar)).extractall(root)
    print(f"{output}: {image['digest']}, "
          f"{sum(map(len, layers)) / 2**20:.0f} MiB unpacked")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--architecture", metavar="NAME", default="")
    parser.add_argument("--program", metavar="FILE")
    parser.add_argument("--output", metavar="FILE")
    parser.add_argument("--packages", metavar="DIR", help="where .deb files "
                        "are kept", default=os.path.join(TOP, "build", "debs"))
    parser.add_argument("--root", metavar="DIR",
                        help="where to put the image's files, too")
    args = parser.parse_args()
    try:
        place = sysroot.choose(args.architecture)
        build(args.program or os.path.join(place, "troupe"),
              args.output or os.path.join(place, "troupe-oci.tar"),
              args.packages, args.root)
    except debian_files.Missing as lack:
        print(f"SKIPPED, NO IMAGE WAS MADE: {lack}", file=sys.stderr)
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
