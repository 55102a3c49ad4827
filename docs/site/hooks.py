"""What the generator of the site (MkDocs) calls for each build: it adds pages
that are written from the sources, and pages and files that are elsewhere in the
repository, and sets links to them right.
"""

import logging
import os
import posixpath
import re
import sys

from mkdocs.structure.files import File

SITE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(SITE))
sys.path.insert(0, SITE)

import generated  # noqa: E402

log = logging.getLogger("mkdocs.hooks.troupe")
# Pages of the site that are not in docs/: where they are in it.
ELSEWHERE = {
    "deploy/README.md": "deploy.md",
    "deploy/chart/README.md": "chart.md",
    "deploy/image/README.md": "image.md",
    "k8s/node/README.md": "node.md",
    "DESIGN.md": "design.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "reporting.md",
}
# Those of them whose heading is the name of their folder.
FOLDERS = {"deploy.md", "image.md", "node.md", "gallery/index.md"}
GALLERY = "deploy/samples"
LINK = re.compile(r"(?<!\\)(\]\()([^)\s]+)(\)| \")")
SPAN = re.compile(r"(?<![`\[])`([\w./-]+\.(?:md|yaml|py))`(?!`)")
HEADING = re.compile(r"^# .*$", re.M)
MARK = re.compile(r"^ *<!-- block: .* -->\n", re.M)


def gallery():
    """Path in the repository -> page, of the samples' own pages."""
    found = {}
    for folder, _, names in sorted(os.walk(os.path.join(REPOSITORY, GALLERY))):
        if "README.md" in names:
            part = os.path.relpath(folder, os.path.join(REPOSITORY, GALLERY))
            name = "index" if part == "." else \
                part.removeprefix("gallery/").replace(os.sep, "-")
            found[posixpath.join(GALLERY, "" if part == "." else part,
                                 "README.md")] = f"gallery/{name}.md"
    return found


def read(path):
    with open(os.path.join(REPOSITORY, path), encoding="utf-8") as file:
        return file.read()


def on_config(config):
    """The plugin `offline` asks for a script from the web, before all others;
    ours is in its place."""
    config.extra["polyfills"] = ["site/worker_in_frame.js"]
    config.nav = expanded(config.nav)
    return config


def expanded(nav):
    """`adr/*` and `gallery/*` become the pages that there are."""
    result = []
    for entry in nav:
        if isinstance(entry, dict):
            (title, what), = entry.items()
            result.append({title: expanded(what) if isinstance(what, list)
                           else what})
        elif entry == "adr/*":
            names = sorted(os.listdir(os.path.join(REPOSITORY, "docs", "adr")))
            result += ["adr/" + n for n in ["README.md"] + [
                n for n in names if n.endswith(".md") and n != "README.md"]]
        elif entry == "gallery/*":
            result.append({"Samples and gallery": "gallery/index.md"})
            result += sorted(set(gallery().values()) - {"gallery/index.md"})
        else:
            result.append(entry)
    return result


def on_files(files, config):
    of_repository = {**ELSEWHERE, **gallery()}
    for path, page in of_repository.items():
        files.append(File.generated(config, page, content=read(path)))
    for page, text in generated.pages(REPOSITORY).items():
        files.append(File.generated(config, page, content=text))
    pages.clear()
    pages.update(of_repository)
    for file in files.documentation_pages():
        if file.src_uri not in of_repository.values():
            pages["docs/" + file.src_uri] = file.src_uri
    wanted = set()
    for path, page in pages.items():
        if os.path.exists(os.path.join(REPOSITORY, path)):
            rewritten(read(path), path, page, wanted)
    for path in sorted(wanted):
        files.append(File.generated(config, copy_of(path), content=read(path)))
    return files


pages = {}  # Path in the repository -> page of the site.


def copy_of(path):
    """Where a file of the repository is, as text, in the site."""
    return f"files/{path}.txt"


def target_of(path, page, target, wanted):
    """The same link from a page of the site; None if it leads nowhere."""
    name, mark, fragment = target.partition("#")
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    full = os.path.join(REPOSITORY, found)
    if os.path.isdir(full):
        found, full = found + "/README.md", full + "/README.md"
    if found in pages:
        there = pages[found]
    elif found.startswith("docs/") and not found.endswith((".py", ".txt")):
        there = found.removeprefix("docs/")
    elif os.path.isfile(full):
        wanted.add(found)
        there, mark, fragment = copy_of(found), "", ""
    else:
        return None
    return posixpath.relpath(there, posixpath.dirname(page) or ".") \
        + mark + fragment


def rewritten(text, path, page, wanted):
    """The page's text with links as they are in the site."""
    def link(match):
        target = match[2]
        if re.match(r"[a-z]+:|#|<", target):
            return match[0]
        there = target_of(path, page, target, wanted)
        if there is None:
            log.warning("%s: link to %s, which is not there", path, target)
            return match[0]
        return match[1] + there + match[3]

    def span(match):
        for place in (path, "README.md", "docs/README.md"):
            found = posixpath.normpath(posixpath.join(
                posixpath.dirname(place), match[1]))
            if found in pages and found != path:
                there = posixpath.relpath(
                    pages[found], posixpath.dirname(page) or ".")
                return f"[{match[0]}]({there})"
        return match[0]

    lines, fence = [], None
    for line in text.splitlines(keepends=True):
        mark = re.match(r" *(```+|~~~+)", line)
        if mark and (fence is None or line.strip() == fence):
            fence = mark[1] if fence is None else None
        elif fence is None and not line.startswith("    "):
            line = LINK.sub(link, SPAN.sub(span, line))
        elif fence is None:
            line = LINK.sub(link, line)
        lines.append(line)
    return "".join(lines)


# What a question is rather about than what only mentions it.
WEIGHTS = {"questions.md": 5, "troubleshooting.md": 4, "recovery.md": 2,
           "run-policy.md": 2, "migration.md": 2, "to-trainer-v2.md": 2,
           "kinds/": 1.5, "comparison.md": 0.5, "fields/": 0.5,
           "differences.md": 0.4, "design.md": 0.4, "actors.md": 0.4,
           "adr/": 0.4, "changes.md": 0.2}


def on_page_markdown(markdown, page, config, files):
    for name, weight in WEIGHTS.items():
        if page.file.src_uri.startswith(name):
            page.meta["search"] = {"boost": weight}
    path = next((p for p, s in pages.items() if s == page.file.src_uri), None)
    if path and os.path.exists(os.path.join(REPOSITORY, path)):
        markdown = rewritten(markdown, path, page.file.src_uri, set())
    if page.file.src_uri in FOLDERS:  # The name in the menu says more.
        markdown = HEADING.sub(f"# {page.title}", markdown, count=1)
    return MARK.sub("", markdown)
