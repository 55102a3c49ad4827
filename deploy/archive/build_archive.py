#!/usr/bin/python3
"""Makes troupe_VERSION_linux_ARCHITECTURE.tar.gz: a folder that runs on any
Linux, whatever C library that has.

    build_archive.py [--program FILE] [--launcher FILE] [--output DIR]
                     [--packages DIR]

In the folder: bin/troupe, lib/ (the program, its libraries, the C library and
its loader), completions, the manual page, the licenses of all. Run it on the
Debian that the program was built on. Equal input gives equal bytes: times are
the commit's, entries are sorted. Beside the archive: FILE.spdx.json, a list of
the parts, and FILE.sha256. Exit code 77: packages cannot be had.
"""

import argparse
import gzip
import json
import os
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
from root_files import File  # noqa: E402

SHELLS = {"bash": "share/bash-completion/completions/troupe",
          "zsh": "share/zsh/site-functions/_troupe",
          "fish": "share/fish/vendor_completions.d/troupe.fish"}


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
        while files[path].link:
            path = root_files.linked_path(path, files[path].link)
        result["lib/" + name] = File(files[path].data, 0o755)
    return result


def notices(packages):
    """share/doc/PACKAGE/copyright, with the licenses that they refer to."""
    result = {}
    for package in packages:
        for path, (member, data) in package.members.items():
            if path.startswith("usr/share/common-licenses/") or (
                    path == f"usr/share/doc/{package.name}/copyright"):
                result[path.removeprefix("usr/")] = root_files.as_file(member,
                                                                       data)
    return result


def written_by(program):
    """What the program writes of itself: completions and the manual page."""
    result = {}
    for shell, path in SHELLS.items():
        result[path] = File(debian_files.output(program, "completion", shell))
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "troupe.1.gz")
        subprocess.run([sys.executable,
                        os.path.join(TOP, "cmake", "write_manual_page.py"),
                        program, page], check=True)
        with open(page, "rb") as file:
            text = gzip.decompress(file.read())
    result["share/man/man1/troupe.1.gz"] = File(gzip.compress(text, mtime=0))
    return result


def contents(program, launcher, packages):
    with open(launcher, "rb") as file:
        start = file.read()
    result = {"bin/troupe": File(start, 0o755),
              # No link: krew unpacks none.
              "bin/kubectl-troupe": File(start, 0o755),
              "lib/troupe": File(build_image.stripped(program), 0o755),
              "LICENSE": File(build_image.read("LICENSE")),
              "README.md": File(build_image.read("deploy", "archive",
                                                 "README.md"))}
    return {**result, **libraries(program, packages), **notices(packages),
            **written_by(program)}


def build(args):
    version, _, epoch, _ = build_image.facts()
    architecture = debian_files.output(
        "dpkg", "--print-architecture").decode().strip()
    name = f"troupe_{version}_linux_{architecture}"
    owners = debian_files.packages_of(debian_files.libraries(args.program))
    packages = root_files.with_notices(debian_files.download(
        sorted(owners | {"base-files"}), args.packages), args.packages)
    files = contents(args.program, args.launcher, packages)
    data = gzip.compress(oci.packed(
        {f"{name}/{path}": file for path, file in files.items()}, {}, epoch),
        9, mtime=0)
    os.makedirs(args.output, exist_ok=True)
    path = os.path.join(args.output, name + ".tar.gz")
    with open(path, "wb") as out:
        out.write(data)
    with open(path + ".sha256", "w") as out:
        out.write(f"{debian_files.sha256(data)}  {name}.tar.gz\n")
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    parts = sbom.document(version, files["lib/troupe"].data,
                          build_image.LICENSE, packages,
                          build_image.installed(build_image.HEADERS),
                          build_image.distribution(), created)
    with open(path + ".spdx.json", "w") as out:
        json.dump(parts, out, indent=1, sort_keys=True)
    unpacked = sum(len(file.data) for file in files.values())
    print(f"{path}: {len(data) / 2**20:.0f} MiB, "
          f"{unpacked / 2**20:.0f} MiB unpacked")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    place = os.path.join(TOP, "build")
    parser.add_argument("--program", default=os.path.join(place, "troupe"))
    parser.add_argument("--launcher",
                        default=os.path.join(place, "troupe_launcher"))
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
