"""The fenced blocks of the documentation, each with its class.

A class stands in a comment above the block, `<!-- block: CLASS WORDS -->`:

    run [PROGRAM]    commands that a test runs here; PROGRAM has to be there
    laptop           commands for a `troupe up` with the job default/rings
    cluster TEST     commands for a cluster; TEST plays the like of them there
    packaging TEST   the same of what users install
    shown TEST       commands with what they print, which TEST looks at
    part KIND [PATH] a piece of a job of that kind, at that path of it
    promql           a question to Prometheus, whose metrics docs/metrics.md has
    output           what a program prints, or a drawing
    file             a file of another program

On pages of the gallery commands without a comment are `gallery`: they name
files of the folder, which tests/training runs. Without a comment a block of
YAML is `manifest` (objects that the API server has to accept), one of Python or JSON
is checked for its syntax.
"""

import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
CLASSES = {"run", "laptop", "cluster", "packaging", "shown", "gallery", "part",
           "output", "file", "manifest", "python", "json", "promql"}
COMMANDS = {"run", "laptop", "cluster", "packaging", "shown", "gallery"}
GALLERY = "deploy/samples/gallery/"
OF_LANGUAGE = {"yaml": "manifest", "python": "python", "json": "json"}
MARK = re.compile(r"^ *<!-- block: (.*?) -->$")
FENCE = re.compile(r"^( *)(```+)([\w-]*)")
INCLUDE = re.compile(r'^ *--8<-- "([^"]+)"$', re.M)
# Beside docs/: the pages of the site that are elsewhere.
ELSEWHERE = ("deploy/README.md", "deploy/chart/README.md",
             "deploy/image/README.md", "k8s/node/README.md", "DESIGN.md",
             "CHANGELOG.md", "SECURITY.md", "deploy/samples/**/README.md")


class Block:
    def __init__(self, path, line, language, mark, text):
        self.path, self.line, self.language = path, line, language
        default = OF_LANGUAGE.get(language, "")
        if path.startswith(GALLERY) and not default:
            default = "gallery" if re.search(r"^\$ ", text, re.M) else "output"
        words = (mark or default).split()
        self.kind, self.words = (words[0], words[1:]) if words else ("", [])
        self.text = INCLUDE.sub(lambda m: read(m[1]).rstrip("\n"), text)

    def __str__(self):
        return f"{self.path}:{self.line}"

    def commands(self):
        """Its commands: lines, those that go on joined; after the first with
        `$ ` only such lines are commands."""
        lines, prompted, found, end = self.text.splitlines(), False, [], None
        prompted = any(line.startswith("$ ") for line in lines)
        open_line = False
        for line in lines:
            if end is not None:  # In a here-document.
                found[-1] += "\n" + line
                end = None if line.strip() == end else end
                continue
            if open_line:
                found[-1] += "\n" + line
            elif prompted and not line.startswith("$ "):
                continue
            elif line.strip():
                found.append(line.removeprefix("$ "))
            open_line = line.endswith("\\") and bool(line.strip())
            if here := re.search(r"<<-?'?(\w+)'?", line):
                end = here[1]
        return found

    def output(self):
        """What is shown of the commands' output."""
        lines, open_line, found = self.text.splitlines(), False, []
        if not any(line.startswith("$ ") for line in lines):
            return []
        for line in lines:
            if not line.startswith("$ ") and not open_line and line.strip():
                found.append(line)
            open_line = line.startswith("$ ") and line.endswith("\\") \
                or open_line and line.endswith("\\")
        return found


def read(path):
    with open(os.path.join(REPOSITORY, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """Paths, in the repository, of all pages that the site is made of."""
    found = glob.glob("docs/**/*.md", root_dir=REPOSITORY, recursive=True)
    for pattern in ELSEWHERE:
        found += glob.glob(pattern, root_dir=REPOSITORY, recursive=True)
    return sorted(set(found) - {"docs/site/README.md"})


def blocks_of(path, text):
    lines, found, number = text.splitlines(), [], 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        if not fence:
            number += 1
            continue
        begin = number
        number += 1
        body = []
        while number < len(lines) and lines[number].strip() != fence[2]:
            body.append(lines[number].removeprefix(fence[1]))
            number += 1
        mark = MARK.match(lines[begin - 1]) if begin else None
        found.append(Block(path, begin + 1, fence[3], mark and mark[1],
                           "\n".join(body)))
        number += 1
    return found


def blocks():
    return [b for path in pages() for b in blocks_of(path, read(path))]


def prose(path):
    """The page's text without its blocks."""
    text, fence = [], None
    for line in read(path).splitlines():
        mark = FENCE.match(line)
        if mark and (fence is None or line.strip() == fence):
            fence = mark[2] if fence is None else None
        elif fence is None:
            text.append(line)
    return "\n".join(text)
