#!/usr/bin/python3
"""Writes the notes of a release from CHANGELOG.md.

    write_notes.py [--output FILE]

Of the version that CMakeLists.txt has, if git's tag vVERSION is at this commit;
then nothing may be left below "Unreleased". Where that tag is nowhere yet and
nothing is left there, they are the same, and say that the tag is missing. Of any
other commit they are those of "Unreleased", and say so.
"""

import argparse
import re
import subprocess
import sys

import set_version

TOP = set_version.TOP
HERE, ELSEWHERE, NOWHERE = "here", "elsewhere", "nowhere"
HEADING = re.compile(r"^## (.*)\n", re.M)
# What begins a line of its own in Markdown.
BEGINS = re.compile(r"\s*([*+-] |\d+\. |#|\||>|```|$)")


class Wrong(Exception):
    """CHANGELOG.md is not as a release has it."""


def sections(text):
    """Heading -> text."""
    parts = HEADING.split(text)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))


def unwrapped(text):
    """Each paragraph in one line: where releases are shown, a line's end is
    one."""
    result, code = [], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if code or fence or BEGINS.match(line) or not (
                result and result[-1].strip()) or BEGINS.match(
                result[-1]) and result[-1].lstrip()[0] in "#|`":
            result.append(line)
        else:
            result[-1] += " " + line.strip()
        code ^= fence
    return "\n".join(result)


def notes(changelog, version, tag):
    """`tag`: where the version's tag is, see where_tag_is."""
    found = sections(changelog)
    rest = found.get("Unreleased", "")
    if tag == NOWHERE and not rest and found.get(version):
        return (f"# Troupe {version}, not tagged yet\n\n"
                f"{unwrapped(found[version])}\n")
    if tag != HERE:
        return (f"# Troupe after {version}, not released\n\n"
                + unwrapped(rest or "No changes.") + "\n")
    if rest:
        raise Wrong('CHANGELOG.md has text below "Unreleased": '
                    f"deploy/release/set_version.py {version} before the tag")
    if not found.get(version):
        raise Wrong(f"CHANGELOG.md has nothing below \"## {version}\"")
    return f"# Troupe {version}\n\n{unwrapped(found[version])}\n"


def where_tag_is(version):
    """Of the version: at this commit, at another one, or nowhere."""
    def tags(*which):
        return subprocess.run(["git", "tag", *which], cwd=TOP, text=True,
                              capture_output=True).stdout.split()

    name = "v" + version
    if name in tags("--points-at", "HEAD"):
        return HERE
    return ELSEWHERE if name in tags() else NOWHERE


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", metavar="FILE")
    args = parser.parse_args()
    version = set_version.version()
    try:
        text = notes(set_version.read(TOP, "CHANGELOG.md"), version,
                     where_tag_is(version))
    except Wrong as reason:
        sys.exit(str(reason))
    if args.output:
        set_version.write(TOP, args.output, text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
