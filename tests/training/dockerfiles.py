"""Reads a Dockerfile as a builder does, and says what such a one would refuse;
and what this project wants of those in its gallery. Nothing is built."""

import json
import os
import re

INSTRUCTIONS = {"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE",
                "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER", "ONBUILD", "RUN",
                "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
ONCE = ("CMD", "ENTRYPOINT")
IMAGE = re.compile(r"(?P<name>[a-z0-9._/-]+)(?::(?P<tag>[\w][\w.-]*))?"
                   r"(?:@sha256:[0-9a-f]{64})?")
PAIR = re.compile(r"""(\w+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)\s*""")
FLAG = re.compile(r"--[a-z]+(?:=\S+)?\s+")


class Wrong(Exception):
    """The message names the line."""


def joined_lines(text):
    """(number of the first line, whole instruction); a backslash at the end
    goes on with the next line, comments and empty lines between are left
    out."""
    begin, parts = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        begin = begin if parts else number
        goes_on = line.rstrip().endswith("\\")
        parts.append(line.rstrip().removesuffix("\\") if goes_on else line)
        if not goes_on:
            yield begin, " ".join(part.strip() for part in parts)
            parts = []
    if parts:
        raise Wrong(f"line {begin}: the last line ends with a backslash")


def words_of(number, rest):
    """A list in JSON, else words; not both in one."""
    if not rest.startswith("["):
        return rest.split()
    try:
        words = json.loads(rest)
    except ValueError as why:
        raise Wrong(f"line {number}: {rest} is no JSON: {why}") from None
    if not all(isinstance(word, str) for word in words):
        raise Wrong(f"line {number}: {rest} is no list of texts")
    return words


def instructions(text):
    """[(number of its line, NAME, what follows)]; raises Wrong."""
    result = []
    for number, line in joined_lines(text):
        name, _, rest = line.partition(" ")
        name, rest = name.upper(), rest.strip()
        while flag := FLAG.match(rest):
            rest = rest[flag.end():]
        if name not in INSTRUCTIONS:
            raise Wrong(f"line {number}: there is no instruction {name}")
        if not rest:
            raise Wrong(f"line {number}: {name} lacks what it is for")
        if "<<" in rest:
            raise Wrong(f"line {number}: texts within are not read here")
        result.append((number, name, rest))
    names = [name for _, name, _ in result]
    if next((name for name in names if name != "ARG"), "") != "FROM":
        raise Wrong("line 1: it does not begin with FROM")
    for name in ONCE:
        if names.count(name) > 1:
            raise Wrong(f"{name} is there more than once, only the last counts")
    return result


def check_from(number, rest, _):
    words = rest.split()
    if len(words) not in (1, 3) or words[1:2] not in ([], ["AS"]):
        raise Wrong(f"line {number}: FROM IMAGE, or FROM IMAGE AS NAME")
    image = IMAGE.fullmatch(words[0])
    if not image or image["tag"] in (None, "latest"):
        raise Wrong(f"line {number}: {words[0]} has no tag that stays the same")
    if "." in words[0].partition("/")[0] and "/" in words[0]:
        raise Wrong(f"line {number}: {words[0]} names a registry")


def check_copy(number, rest, folder):
    words = words_of(number, rest)
    if len(words) < 2:
        raise Wrong(f"line {number}: COPY WHAT WHERETO")
    *sources, target = words
    if len(sources) > 1 and not target.endswith("/"):
        raise Wrong(f"line {number}: {target} for several has to end with /")
    for source in sources:
        inside = os.path.normpath(source)
        if os.path.isabs(source) or inside.startswith(".."):
            raise Wrong(f"line {number}: {source} is outside of its folder")
        if not os.path.exists(os.path.join(folder, source)):
            raise Wrong(f"line {number}: there is no {source} to copy")


def check_pairs(number, rest, _):
    if PAIR.sub("", rest):
        raise Wrong(f"line {number}: NAME=VALUE is wanted, not {rest}")


def check_workdir(number, rest, _):
    if not rest.startswith("/"):
        raise Wrong(f"line {number}: {rest} is no absolute path")


def check_ports(number, rest, _):
    for word in rest.split():
        if not re.fullmatch(r"\d+(/tcp|/udp)?", word):
            raise Wrong(f"line {number}: {word} is no port")


def check_words(number, rest, _):
    words_of(number, rest)


CHECKS = {"FROM": check_from, "COPY": check_copy, "ADD": check_copy,
          "ENV": check_pairs, "LABEL": check_pairs, "WORKDIR": check_workdir,
          "EXPOSE": check_ports, "RUN": check_words, "CMD": check_words,
          "ENTRYPOINT": check_words, "SHELL": check_words}


def checked(text, folder):
    """Its instructions; raises Wrong for what a builder would refuse, or would
    not find in `folder`, and for a base that is not pinned."""
    result = instructions(text)
    for number, name, rest in result:
        CHECKS.get(name, lambda *_: None)(number, rest, folder)
    return result


def copied(text):
    """What is copied into the image."""
    return [word for number, name, rest in instructions(text)
            if name == "COPY" for word in words_of(number, rest)[:-1]]
