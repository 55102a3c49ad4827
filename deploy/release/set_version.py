#!/usr/bin/python3
"""The version, which CMakeLists.txt has, in all other places that name it.

    set_version.py --check     says which place names another one
    set_version.py 0.2.0       writes it everywhere, and makes what CHANGELOG.md
                               has below "Unreleased" the new version's
"""

import argparse
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
NUMBER = r"\d+\.\d+\.\d+"
SOURCE = re.compile(rf"project\(troupe VERSION ({NUMBER})")
# Where else, and what is written before it there.
PLACES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md",
          "deploy/*", "cmake/*")
MENTION = re.compile(
    rf"(?P<before>\btroupe(?:_operator)?(?:-chart)?[:_-]v?|newTag: |"
    rf"oci://\S+/troupe --version |^version: |^appVersion: )"
    rf"(?P<number>{NUMBER})(?![\d.]*\d)", re.M)
UNRELEASED = "## Unreleased\n"


def read(top, path):
    with open(os.path.join(top, path)) as file:
        return file.read()


def write(top, path, text):
    with open(os.path.join(top, path), "w") as file:
        file.write(text)


def version(top=TOP):
    return SOURCE.search(read(top, "CMakeLists.txt"))[1]


def places(top=TOP):
    """Paths of the text files that may name it."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *PLACES], cwd=TOP,
                            check=True, capture_output=True, text=True).stdout
    # Links lead to files that are listed themselves.
    return [path for path in listed.split("\0") if path.endswith(
        (".md", ".yaml", ".tpl", ".txt", ".cmake", "Dockerfile"))
        and not os.path.islink(os.path.join(top, path))
        and os.path.isfile(os.path.join(top, path))]


def wrong(top=TOP):
    """Lines: each place that names another version than CMakeLists.txt."""
    wanted, found = version(top), []
    for path in places(top):
        text = read(top, path)
        for match in MENTION.finditer(text):
            if match["number"] != wanted:
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: {match[0].strip()}, but this is "
                             f"{wanted}: set_version.py {wanted}")
    return found


def change(number, top=TOP):
    text = read(top, "CMakeLists.txt")
    write(top, "CMakeLists.txt", SOURCE.sub(
        f"project(troupe VERSION {number}", text, count=1))
    for path in places(top):
        text = read(top, path)
        changed = MENTION.sub(rf"\g<before>{number}", text)
        if changed != text:
            write(top, path, changed)
    log = read(top, "CHANGELOG.md")
    if f"## {number}\n" not in log:
        write(top, "CHANGELOG.md", log.replace(
            UNRELEASED, f"{UNRELEASED}\n## {number}\n", 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("number", nargs="?", metavar="VERSION")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check == bool(args.number):
        parser.error("one of VERSION and --check")
    if args.number:
        if not re.fullmatch(NUMBER, args.number):
            parser.error(f"{args.number}: three numbers are wanted, 0.2.0")
        change(args.number)
    lines = wrong()
    print("\n".join(lines) or f"all places name {version()}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
