#!/usr/bin/python3
"""What is released: one version everywhere, notes of the changes, and a folder
that has each part or names it.

    test_release.py [--troupe FILE] [--only PART]
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from checks import contains, equal, main
from cluster import REPOSITORY

DEPLOY = os.path.join(REPOSITORY, "deploy")
sys.path[:0] = [os.path.join(DEPLOY, name) for name in (
    "release", "image", "wheel")]

import build_image  # noqa: E402
import build_wheel  # noqa: E402
import make_release  # noqa: E402
import set_version  # noqa: E402
import write_notes  # noqa: E402

LOG = """\
# Changelog

## Unreleased

## 1.2.0

Jobs are
better.

* A bullet that
  goes on.
* Another one:

  ```
  make  all
  now
  ```

| a | b |
|---|---|
| c | d |

## 1.1.0

* Before.
"""
NOTES = """\
# Troupe 1.2.0

Jobs are better.

* A bullet that goes on.
* Another one:

  ```
  make  all
  now
  ```

| a | b |
|---|---|
| c | d |
"""


class Folder:
    def __init__(self, troupe):
        self.troupe = troupe

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="troupe-release-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def at(self, *names):
        return os.path.join(self.path, *names)

    def write(self, text, *names):
        os.makedirs(os.path.dirname(self.at(*names)), exist_ok=True)
        with open(self.at(*names), "w") as file:
            file.write(text)
        return self.at(*names)


def refusal(action, *arguments):
    try:
        action(*arguments)
    except (write_notes.Wrong, SystemExit) as reason:
        return str(reason)
    raise AssertionError("was not refused")


# -- cases --------------------------------------------------------------------

def one_version(folder):
    """the program, the archive, the wheel, the chart, the image, the Debian
    package and the plugin's manifest name one version"""
    version = set_version.version()
    said = subprocess.run([folder.troupe, "version"], capture_output=True,
                          text=True, check=True).stdout
    equal(said.split()[:2], ["troupe", version], "troupe version")
    equal(build_image.facts()[0], version, "archive and image")
    with open(os.path.join(DEPLOY, "chart", "Chart.yaml")) as file:
        chart = yaml.safe_load(file)
    equal((chart["version"], chart["appVersion"]), (version, version), "chart")
    with open(os.path.join(DEPLOY, "manager", "kustomization.yaml")) as file:
        image, = yaml.safe_load(file)["images"]
    equal(image["newTag"], version, "tag of the image")
    configured = os.path.join(REPOSITORY, "build", "CPackConfig.cmake")
    with open(configured) as file:
        found = re.search(r'CPACK_PACKAGE_VERSION "(.*)"', file.read())[1]
    equal(found, version, "Debian package")
    name = f"troupe_{version}_linux_amd64.tar.gz"
    folder.write("archive", "dist", name)
    equal(build_wheel.NAME.fullmatch(name)["version"], version, "wheel")
    manifest = yaml.safe_load(subprocess.run(
        [os.path.join(DEPLOY, "krew", "write_manifest.py"), "--archives",
         folder.at("dist"), "--url", "https://a.example"], check=True,
        capture_output=True, text=True).stdout)
    equal(manifest["spec"]["version"], "v" + version, "plugin")
    equal(set_version.wrong(), [])


def changed_version(folder):
    """set_version.py writes a new one everywhere, and says what names another
    one"""
    top = folder.at("tree")
    for path in {"CMakeLists.txt", "CHANGELOG.md", *set_version.places()}:
        folder.write(set_version.read(REPOSITORY, path), "tree", path)
    before = set_version.version(top)
    set_version.change("98.7.6", top)
    equal(set_version.version(top), "98.7.6")
    equal(set_version.wrong(top), [])
    for path in ("deploy/chart/Chart.yaml", "deploy/manager/kustomization.yaml",
                 "docs/migration.md", "deploy/image/README.md"):
        text = set_version.read(top, path)
        contains(text, "98.7.6")
        equal(before in text, False, path)
    log = write_notes.sections(set_version.read(top, "CHANGELOG.md"))
    equal(list(log)[:2], ["Unreleased", "98.7.6"])
    equal(log["Unreleased"], "")
    equal(log["98.7.6"], write_notes.sections(set_version.read(
        REPOSITORY, "CHANGELOG.md")).get("Unreleased", ""))
    set_version.change("98.7.6", top)  # Twice is as once.
    equal(list(write_notes.sections(set_version.read(
        top, "CHANGELOG.md")))[:2], ["Unreleased", "98.7.6"])
    folder.write("version: 98.7.5\n", "tree", "deploy/chart/Chart.yaml")
    said, = set_version.wrong(top)
    contains(said, "deploy/chart/Chart.yaml:1: version: 98.7.5")


def notes(folder):
    """notes are the version's section, a paragraph a line; a release with
    changes of no version, or without any, is refused"""
    here, elsewhere, nowhere = (write_notes.HERE, write_notes.ELSEWHERE,
                                write_notes.NOWHERE)
    equal(write_notes.notes(LOG, "1.2.0", here), NOTES)
    equal(write_notes.notes(LOG, "1.2.0", nowhere),
          NOTES.replace("1.2.0", "1.2.0, not tagged yet", 1))
    contains(write_notes.notes(LOG, "1.2.0", elsewhere), "No changes.")
    contains(refusal(write_notes.notes, LOG, "1.3.0", here),
             'nothing below "## 1.3.0"')
    rest = LOG.replace("Unreleased\n", "Unreleased\n\n* New.\n")
    contains(refusal(write_notes.notes, rest, "1.2.0", here), "set_version.py")
    for tag in (nowhere, elsewhere):
        text = write_notes.notes(rest, "1.2.0", tag)
        equal(text, "# Troupe after 1.2.0, not released\n\n* New.\n")
    # The one that there is.
    log = set_version.read(REPOSITORY, "CHANGELOG.md")
    for heading, section in write_notes.sections(log).items():
        equal(write_notes.unwrapped(section).split(), section.split(), heading)
        items = re.split(r"^(?=\* )", section + "\n", flags=re.M)
        equal([item for item in set(items) if items.count(item) > 1], [],
              f"said twice of {heading}")


def each_part(folder):
    """every part of a release has a command; what is lacking is named with it
    """
    table = make_release.parts("1.2.0", "amd64", folder.at("release"))
    equal(len({part.name for part in table}), len(table))
    for part in table:
        if part.command[0] == "make":
            with open(os.path.join(REPOSITORY, "Makefile")) as file:
                contains(file.read(), f"\n{part.command[1]}:")
        else:
            equal(os.access(os.path.join(REPOSITORY, part.command[0]),
                            os.X_OK), True, part.command[0])
    lacks = {part.name: part.lack for part in table}
    contains(lacks["kubectl plugin"], "make release URL=")
    table = make_release.parts("1.2.0", "amd64", folder.at("release"),
                               "https://a.example")
    equal(next(p.lack for p in table if p.name == "kubectl plugin"), "")


def collected(folder):
    """the folder has what was made, with checksums that hold; what was not made
    is in the notes"""
    source = folder.write("text", "made", "a_1.tar.gz")
    for name in ("b-1.whl", "b-2.whl"):
        folder.write("text", "made", name)
    old = folder.write("of before", "release", "old")

    def part(name, command, pattern, lack=""):
        return make_release.Part(name, (command,), {
            folder.at("made", pattern): ""}, "use `FILE`", lack)
    release = make_release.Release(folder.at("release"))
    equal(os.path.exists(old), False, "what was there before")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for each in (part("archive", "true", "a_*"),
                     part("image", "true", "i", "it is not built: make it"),
                     part("package", "false", "p"),
                     part("none", "true", "n"),
                     part("wheel", "true", "b-*.whl")):
            release.add(each)
    release.finish("# Notes\n")
    equal(set(os.listdir(release.output)),
          {"a_1.tar.gz", make_release.NOTES, make_release.SUMS})
    with open(source) as one, open(folder.at("release", "a_1.tar.gz")) as other:
        equal(one.read(), other.read())
    equal(release.left_out, {"image": "it is not built: make it"})
    equal(release.failed["package"], "false: exit code 1")
    for name, count in (("none", 0), ("wheel", 2)):
        contains(release.failed[name], f"has written {count} files")
    with open(folder.at("release", make_release.NOTES)) as file:
        text = file.read()
    contains(text, "| `a_1.tar.gz` | archive: use `a_1.tar.gz` |")
    for name in ("* image: it is not built: make it", "* package: ",
                 "* none: ", "* wheel: "):
        contains(text, name)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet",
                    make_release.SUMS], cwd=release.output, check=True)


CASES = [one_version, changed_version, notes, each_part, collected]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: Folder(troupe), __doc__))
