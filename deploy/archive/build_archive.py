#!/usr/bin/python3
"""Makes troupe_VERSION_linux_ARCHITECTURE.tar.gz: a folder that runs on any
Linux, whatever C library that has.

    build_archive.py [--program FILE] [--launcher FILE] [--output DIR]
                     [--packages DIR] [--architecture NAME]

In the folder: bin/troupe, lib/ (the program, its libraries, the C library and
its loader), samples, completions, the manual page, the licenses of all, a list
of the parts. Run it on the Debian that the program was built on. Equal input
gives equal bytes: times are the commit's, entries are sorted. There are no
links, as krew unpacks none. Beside the archive: FILE.spdx.json, the list of the
parts, and FILE.sha256. Exit code 77: packages cannot be had.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "deploy", "image"))

import build_image  # noqa: E402
import debian_files  # noqa: E402
import oci  # noqa: E402
import root_files  # noqa: E402
import sbom  # noqa: E402
import sysroot  # noqa: E402
from root_files import File  # noqa: E402

SHELLS = {"bash": "share/bash-completion/completions/troupe",
          "zsh": "share/zsh/site-functions/_troupe",
          "fish": "share/fish/vendor_completions.d/troupe.fish"}
# Parts of these are compiled into the program, its helpers and the launcher.
STATIC = (*build_image.HEADERS, "libc6-dev", "libgcc-12-dev",
          "libstdc++-12-dev")
LICENSES = "usr/share/common-licenses/"
NAMED_LICENSE = re.compile(rb"/usr/share/common-licenses/([\w.+-]*\w)")


def libraries(program, packages):
    """lib/NAME of what the program loads; links become files."""
    wanted = {os.path.basename(path): path
              for path in debian_files.libraries(program)}
    files = {}
    for package in packages:
        root_files.take_libraries(files, package, set(wanted.values()))
    result = {}
    for name, path in wanted.items():
        if path not in files:
            raise debian_files.Missing(f"no package has {path}")
        result["lib/" + name] = File(files[followed(files, path)].data, 0o755)
    return result


def followed(files, path):
    """Where the links from `path` on end."""
    while files[path].link:
        path = root_files.linked_path(path, files[path].link)
    return path


def notices(packages):
    """share/doc/NAME/copyright of each package and of what is compiled in, and
    the licenses that these refer to."""
    files = {path: root_files.as_file(member, data) for package in packages
             for path, (member, data) in package.members.items()
             if path.startswith((LICENSES, "usr/share/doc/"))}
    texts = {package.name: copyright_of(files, package.name)
             for package in packages}
    for name in STATIC:
        with open(f"/usr/share/doc/{name}/copyright", "rb") as file:
            texts[name] = file.read()
    result = {f"share/doc/{name}/copyright": File(text)
              for name, text in texts.items()}
    todo = named_licenses(texts.values())
    while todo:
        path = followed(files, LICENSES + todo.pop())
        name = os.path.basename(path)
        result["share/common-licenses/" + name] = File(files[path].data)
    return result


def copyright_of(files, name):
    """Packages of one source share the folder of one of them."""
    folder = f"usr/share/doc/{name}"
    while folder in files:
        folder = root_files.linked_path(folder, files[folder].link)
    return files[followed(files, folder + "/copyright")].data


def named_licenses(texts):
    return {name.decode() for text in texts
            for name in NAMED_LICENSE.findall(text)}


def written_by(program):
    """What the program writes of itself: completions and the manual page."""
    result = {}
    for shell, path in SHELLS.items():
        result[path] = File(debian_files.output(
            *debian_files.command(program), "completion", shell))
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "troupe.1.gz")
        subprocess.run([sys.executable,
                        os.path.join(TOP, "cmake", "write_manual_page.py"),
                        page, *debian_files.command(program)], check=True)
        with open(page, "rb") as file:
            text = gzip.decompress(file.read())
    result["share/man/man1/troupe.1.gz"] = File(gzip.compress(text, mtime=0))
    return result


def samples():
    folder, result = os.path.join(TOP, "deploy", "samples"), {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            if not name.endswith((".yaml", ".md", ".py", ".txt", "Dockerfile")):
                continue
            path = os.path.relpath(os.path.join(place, name), folder)
            result["samples/" + path] = File(
                build_image.read("deploy", "samples", path))
    return result


def contents(program, launcher, packages):
    with open(launcher, "rb") as file:
        start = file.read()
    return {"bin/troupe": File(start, 0o755),
            "bin/kubectl-troupe": File(start, 0o755),
            "lib/troupe": File(build_image.stripped(program), 0o755),
            "LICENSE": File(build_image.read("LICENSE")),
            "README.md": File(build_image.read("deploy", "archive",
                                               "README.md")),
            **samples(), **libraries(program, packages), **notices(packages),
            **written_by(program)}


def list_of_parts(version, program, packages, epoch):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    return json.dumps(sbom.document(
        version, program, build_image.LICENSE, packages,
        build_image.installed(STATIC), build_image.distribution(), created),
        indent=1, sort_keys=True).encode() + b"\n"


def write(path, data):
    with open(path, "wb") as out:
        out.write(data)


def build(args):
    version, _, epoch, _ = build_image.facts()
    place = sysroot.choose(args.architecture)
    program = args.program or os.path.join(place, "troupe")
    launcher = args.launcher or os.path.join(place, "troupe_launcher")
    name = f"troupe_{version}_linux_{debian_files.architecture()}"
    owners = debian_files.packages_of(debian_files.libraries(program))
    packages = root_files.with_notices(debian_files.download(
        sorted(owners | {"base-files"}), args.packages), args.packages)
    files = contents(program, launcher, packages)
    parts = list_of_parts(version, files["lib/troupe"].data, packages, epoch)
    files["share/doc/parts.spdx.json"] = File(parts)
    data = gzip.compress(oci.packed(
        {f"{name}/{path}": file for path, file in files.items()}, {}, epoch),
        9, mtime=0)
    os.makedirs(args.output, exist_ok=True)
    path = os.path.join(args.output, name + ".tar.gz")
    write(path, data)
    write(path + ".sha256",
          f"{debian_files.sha256(data)}  {name}.tar.gz\n".encode())
    write(path + ".spdx.json", parts)
    unpacked = sum(len(file.data) for file in files.values())
    print(f"{path}: {len(data) / 2**20:.0f} MiB, "
          f"{unpacked / 2**20:.0f} MiB unpacked")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    place = os.path.join(TOP, "build")
    parser.add_argument("--architecture", metavar="NAME", default="",
                        help="Debian's name of another one; files are of "
                        "build-NAME then")
    parser.add_argument("--program", metavar="FILE")
    parser.add_argument("--launcher", metavar="FILE")
    parser.add_argument("--output", metavar="DIR",
                        default=os.path.join(place, "dist"))
    parser.add_argument("--packages", metavar="DIR", help="where .deb files "
                        "are kept", default=os.path.join(place, "debs"))
    try:
        build(parser.parse_args())
    except debian_files.Missing as lack:
        print(f"SKIPPED, NO ARCHIVE WAS MADE: {lack}", file=sys.stderr)
        return build_image.SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
