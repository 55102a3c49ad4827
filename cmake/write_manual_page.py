#!/usr/bin/python3
"""Writes the program's manual page from what its --help says.

    write_manual_page.py OUTPUT.1.gz PROGRAM
    write_manual_page.py OUTPUT.1.gz EMULATOR ... PROGRAM
"""

import gzip
import re
import subprocess
import sys

OPTION = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
COMMAND = re.compile(r"^  ([\w-]+)\s{2,}\S", re.M)


def help_of(program, *command):
    return subprocess.run([*program, *command, "--help"], check=True,
                          capture_output=True, text=True).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def usage(text):
    """Of a help text: the sentence, and how the command is called."""
    lines = text.splitlines()
    called = next(n for n, line in enumerate(lines)
                  if line.startswith("Usage: "))
    sentence = " ".join(lines[:called])
    return sentence, lines[called].removeprefix("Usage: "), lines[called + 1:]


def options(lines):
    """Headings, names with their explanations, and the text after them."""
    for line in filter(None, lines):
        if named := OPTION.match(line):
            name, about = named.groups()
            yield f".TP\n.B {escaped(name)}\n" + escaped(about or "")
        elif line.startswith(" "):
            yield escaped(line.strip())
        elif line.endswith(":"):
            yield f".PP\n.I {escaped(line[:-1])}"
        else:
            yield ".PP\n" + escaped(line)


def page(program):
    text = help_of(program)
    sentence, called, _ = usage(text)
    version = subprocess.run([*program, "version"], check=True, text=True,
                             capture_output=True).stdout.splitlines()[0]
    parts = [f'.TH TROUPE 1 "" "{escaped(version)}"', ".SH NAME",
             f"troupe \\- {escaped(sentence)}", ".SH SYNOPSIS",
             escaped(called), ".SH COMMANDS"]
    for command in COMMAND.findall(text.partition("Subcommands:")[2]):
        sentence, called, rest = usage(help_of(program, command))
        parts += [f".SS {escaped(called)}", escaped(sentence),
                  *options(rest)]
    return "\n".join(part for part in parts if part) + "\n"


def main(output, *program):
    with open(output, "wb") as file:
        file.write(gzip.compress(page(program).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
