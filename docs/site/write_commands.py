#!/usr/bin/python3
"""Writes docs/commands.md from what the built program's --help says.

    write_commands.py           writes it
    write_commands.py --check   fails if it would differ

The operator's own flags are in docs/settings.md.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
TROUPE = os.environ.get("TROUPE", os.path.join(REPOSITORY, "build", "troupe"))
PAGE = os.path.join(REPOSITORY, "docs", "commands.md")
SETTINGS = ("operator",)  # Whose flags are settings, with a page of their own.
OPTION = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
# A name that fills its column has one space behind it.
LONG_OPTION = re.compile(
    r"^  (-\S+ [A-Z_=]+(?::\S+)?(?: \.\.\.)?) ([^ .:].*)$")
EXCLUDES = re.compile(r"^(.*?) ?(Excludes: [-\w ]+?)(?:  +(.*))?$")
MORE = re.compile(r"^ {20,}(\S.*)$")
BEGIN = """# Commands and their flags

`kubectl troupe COMMAND` does the same once the plugin is installed. `. <(troupe
completion bash)` completes flags and their values, contexts, namespaces and
jobs; `zsh` and `fish` likewise. Durations are written as `90s`, `5m` or
`1h30m`.

This page is written from `--help` by `docs/site/write_commands.py`.
"""


def help_of(*command):
    return subprocess.run([TROUPE, *command, "--help"], check=True, text=True,
                          env={**os.environ, "COLUMNS": "80"},
                          capture_output=True).stdout


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def parts(text):
    """The sentence at the top, how it is called, and [(heading, rows)]."""
    before, _, rest = text.partition("Usage: ")
    usage, _, rest = rest.partition("\n")
    sections, after = [], []
    for line in rest.splitlines():
        if not line.strip():
            continue
        if line.endswith(":") and not line.startswith(" "):
            sections.append((line[:-1], []))
        elif (more := MORE.match(line)) and sections and sections[-1][1]:
            name, said = sections[-1][1][-1]
            sections[-1][1][-1] = (name, (said + " " + more[1]).strip())
        elif sections and (found := LONG_OPTION.match(line)
                           or OPTION.match(line)):
            sections[-1][1].append(option(found))
        else:
            after.append(line.strip())
    return " ".join(before.split()), usage, sections, " ".join(after)


def option(found):
    """(name, what is said of it) of a line."""
    name, said = found[1], found[2] or ""
    for text in (name, said):
        if "Excludes: " in text:
            whole = EXCLUDES.match(f"{name} {said}" if text is said else
                                   f"{name}  {said}")
            name, rest = whole[1], whole[3] or ""
            others = whole[2].partition(": ")[2].split()
            said = f"Not beside {', '.join(others)}. {rest}".strip()
            break
    return name, said


def section(name):
    sentence, usage, sections, after = parts(help_of(name))
    text = f"\n## troupe {name}\n\n{sentence}.\n\n<!-- block: output -->\n" \
           f"```\n{usage}\n```\n"
    if name in SETTINGS:
        return text + "\nIts flags: [settings](settings.md).\n"
    rows = [(n, said) for _, rows in sections for n, said in rows
            if not n.startswith("-h,")]
    if rows:
        text += "\n| | |\n|---|---|\n"
        for n, said in rows:
            text += f"| `{n}` | {cell(said)} |\n".replace("  |", " |")
    return text + (f"\n{after}\n" if after else "")


def page():
    text = BEGIN
    for name, _ in re.findall(r"^  ([\w-]+) {2,}(\S.*)$",
                              help_of().partition("Subcommands:")[2], re.M):
        text += section(name)
    return text


def main():
    text = page()
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    if sys.argv[1:] == ["--check"]:
        if old != text:
            print("docs/commands.md is not what --help says: run "
                  "docs/site/write_commands.py")
            return 1
        return 0
    if old != text:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
