#!/usr/bin/python3
"""What is in the container image, and that it is made the same twice.

    test_image.py [--troupe FILE] [--only PART]

Needs Debian's packages (apt-get): else it is skipped.
"""

import json
import os
import re
import subprocess
import sys

from archive import Index
from image import REPOSITORY, Image, build

import needs  # of ../cluster
from checks import contains, equal, main

BUILD_INDEX = os.path.join(REPOSITORY, "deploy", "image", "build_index.py")
LIMIT = 38 << 20  # bytes, unpacked


def minimal(image):
    """no shell, nothing that may be written or has more rights, small"""
    members = [m for layer in image.archive.layers()
               for m in layer.getmembers()]
    equal([m.name for m in members if m.isfile() and m.mode & 0o111
           and not re.search(r"\.so[.\d]*$", m.name)], ["usr/bin/troupe"])
    equal([m.name for m in members if m.mode & 0o6000 or (
        not m.issym() and m.mode & 0o022 and m.name != "tmp")], [])
    equal({(m.uid, m.gid) for m in members}, {(0, 0)})
    size = sum(m.size for m in members)
    equal(size < LIMIT, True, f"{size} bytes")
    names = {m.name for m in members}
    for name in ("etc/ssl/certs/ca-certificates.crt", "etc/passwd",
                 "usr/share/zoneinfo/Europe/Berlin"):
        equal(name in names, True, name)


def authorities(image):
    """its certificates of authorities are those that Debian trusts"""
    needs.programs("openssl")
    path = os.path.join(image.root, "etc/ssl/certs/ca-certificates.crt")
    done = subprocess.run(
        ["openssl", "storeutl", "-noout", "-certs", path],
        capture_output=True, text=True, check=True)
    count = int(re.search(r"Total found: (\d+)", done.stdout)[1])
    equal(count > 100, True, f"{count} certificates")


def described(image):
    """labels say what it is; the list of parts names each package's version"""
    needs.programs("git")
    labels = image.archive.config["config"]["Labels"]
    found = {name.rpartition(".")[2]: value for name, value in labels.items()}
    commit = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    equal((found["licenses"], found.get("revision", "")),
          ("Apache-2.0", commit))
    equal(labels, image.archive.manifest["annotations"])
    with open(image.path("image.spdx.json")) as file:
        document = json.load(file)
    equal(document["spdxVersion"], "SPDX-2.3")
    listed = {part["name"]: part["versionInfo"]
              for part in document["packages"]}
    status = "var/lib/dpkg/status.d/"
    for layer in image.archive.layers():
        for member in layer.getmembers():
            if member.name.startswith(status) and member.isfile():
                text = layer.extractfile(member).read().decode()
                version = re.search(r"^Version: (.*)$", text, re.M)[1]
                equal(listed.get(member.name[len(status):]), version,
                      member.name)
    equal(listed["troupe"], found["version"])


def repeated(image):
    """made twice, it has the same digest; --root gives the same files"""
    root = image.path("again")
    again = build(image.troupe, root + ".tar", "--root", root)
    found = {os.path.relpath(os.path.join(where, name), root)
             for where, folders, files in os.walk(root)
             for name in folders + files}
    equal(found, {member.name for layer in again.layers()
                  for member in layer.getmembers()})
    equal(again.digest, image.archive.digest)
    with open(image.file, "rb") as one, open(
            root + ".tar", "rb") as other:
        equal(one.read() == other.read(), True, "the archives are equal")


def indexed(image):
    """in an index it is named with its platform, and the same twice; two of one
    platform are refused"""
    one, two = image.path("one.tar"), image.path("two.tar")
    for path in (one, two):
        join(path, image.file)
    index = Index(one)
    equal(index.platforms,
          ["linux/" + image.archive.config["architecture"]])
    equal(index.digests, [image.archive.digest])
    found, = index.index["manifests"]
    equal(found["mediaType"], "application/vnd.oci.image.index.v1+json")
    equal(found["annotations"],
          image.archive.index["manifests"][0]["annotations"])
    equal(index.digest, Index(two).digest)
    done = join(two, image.file, image.file, check=False)
    equal(done.returncode, 1)
    contains(done.stderr, "one of each architecture")


def join(*paths, check=True):
    return subprocess.run([BUILD_INDEX, *paths], check=check, text=True,
                          capture_output=True)


CASES = [minimal, authorities, described, repeated, indexed]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: Image(troupe), __doc__))
