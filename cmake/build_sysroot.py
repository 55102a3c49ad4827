#!/usr/bin/python3
"""Makes a folder with the libraries of another architecture, from Debian's
packages, to compile for that architecture.

    build_sysroot.py ARCHITECTURE FOLDER [--mirror LINE] [--renew]

In it are what building needs (.ci/packages), what a container image has beside
the program, and a shell and Python for tests, with all that these depend on.
Nothing of that architecture
is run: packages are unpacked, not installed. The folder keeps the packages
(var/cache/apt/archives) and says which file is of which package, as dpkg does
(var/lib/dpkg), so that images and archives are made of the files that were
linked. It is made anew only if the list of packages has changed, or with
--renew. LINE is as in apt's sources.list. Exit code 77: packages cannot be had.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Nothing is compiled with these: deploy/image takes files from the first ones,
# pods of tests/arm64 run the others.
DATA = ("base-files", "ca-certificates", "tzdata",
        "coreutils", "dash", "libc-bin", "python3")
ARCHIVES = "var/cache/apt/archives"
DPKG = "var/lib/dpkg"
MADE = "made-of"  # A file that names the packages that were asked for.
SKIPPED = 77


class Missing(Exception):
    pass


def wanted_packages():
    """Of .ci/packages, the libraries that building needs."""
    with open(os.path.join(TOP, ".ci", "packages")) as file:
        lines = [line.split() for line in file if line[:1] not in "#\n"]
    return sorted({*DATA, *(words[0] for words in lines
                            if len(words) == 1 and words[0].endswith("-dev"))})


def codename():
    with open("/etc/os-release") as file:
        said = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    if said.get("ID") != "debian":
        raise Missing("this machine is no Debian, whose packages are linked")
    return said["VERSION_CODENAME"]


def unpack(architecture, packages, mirrors, folder):
    if not shutil.which("mmdebstrap"):
        raise Missing("no mmdebstrap: install Debian's mmdebstrap")
    os.makedirs(folder)
    command = ["mmdebstrap", "--quiet", "--variant=extract",
               f"--architectures={architecture}",
               "--skip=essential/unlink,cleanup/apt/cache",
               # bin, lib and sbin lead to usr/, as on an installed Debian.
               "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
               "--include=" + ",".join(packages), codename(), "-", *mirrors]
    # As a tar file, because those who are not root get no folder.
    with tempfile.TemporaryFile("w+") as said:
        made = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said)
        subprocess.run(["tar", "-x", "--no-same-owner", "--exclude=./dev/*",
                        "-C", folder], stdin=made.stdout)
        made.stdout.close()
        if made.wait() != 0:
            said.seek(0)
            raise Missing(f"mmdebstrap cannot get packages of {architecture}:"
                          f"\n{said.read()}")


def make_links_relative(folder):
    """The linker follows links as this machine does, and not in the folder."""
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            if os.path.islink(path) and os.readlink(path)[0] == "/":
                target = os.path.relpath(folder + os.readlink(path), where)
                os.remove(path)
                os.symlink(target, path)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def list_packages(folder):
    """Writes what dpkg-query reads: which packages there are, and their
    files."""
    info = os.path.join(folder, DPKG, "info")
    archives = os.path.join(folder, ARCHIVES)
    shutil.rmtree(os.path.join(folder, DPKG))
    os.makedirs(info)
    with open(os.path.join(info, "format"), "w") as file:
        file.write("1\n")  # Names have architectures where they need them.
    status = []
    for name in sorted(os.listdir(archives)):
        if not name.endswith(".deb"):
            continue
        path = os.path.join(archives, name)
        fields = output("dpkg-deb", "-f", path)
        said = dict(line.split(": ", 1) for line in fields.splitlines()
                    if ": " in line and line[0] != " ")
        status.append("Status: install ok installed\n" + fields)
        listed = said["Package"]
        if said.get("Multi-Arch") == "same":
            listed += ":" + said["Architecture"]
        files = subprocess.run(
            ["tar", "-t"], input=subprocess.run(
                ["dpkg-deb", "--fsys-tarfile", path], check=True,
                capture_output=True).stdout,
            check=True, capture_output=True).stdout.decode()
        with open(os.path.join(info, listed + ".list"), "w") as file:
            for line in files.splitlines():
                file.write((line.rstrip("/")[1:] or "/.") + "\n")
    with open(os.path.join(folder, DPKG, "status"), "w") as file:
        file.write("\n".join(status))


def build(architecture, folder, mirrors, renew):
    packages = wanted_packages()
    wanted = "\n".join([architecture, *mirrors, *packages, ""])
    made = os.path.join(folder, MADE)
    if not renew and os.path.exists(made):
        with open(made) as file:
            if file.read() == wanted:
                return
    print(f"Unpacking Debian's packages of {architecture} into {folder}",
          flush=True)
    fresh = folder + ".part"
    shutil.rmtree(fresh, ignore_errors=True)
    unpack(architecture, packages, mirrors, fresh)
    make_links_relative(fresh)
    list_packages(fresh)
    with open(os.path.join(fresh, MADE), "w") as file:
        file.write(wanted)
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(fresh, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("architecture")
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--mirror", action="append", default=[],
                        metavar="LINE", help="e.g. \"deb http://MIRROR/debian "
                        "bookworm main\"; may be repeated")
    parser.add_argument("--renew", action="store_true")
    args = parser.parse_args()
    try:
        build(args.architecture, args.folder, args.mirror, args.renew)
    except Missing as lack:
        print(f"SKIPPED, NO SYSROOT WAS MADE: {lack}", file=sys.stderr)
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
