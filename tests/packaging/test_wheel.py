#!/usr/bin/python3
"""The wheel for pip: what is in it, installed as users do, run, removed.

    test_wheel.py [--troupe FILE] [--only PART]

Needs Debian's packages (apt-get) and a Python registry: else it is skipped, or
what needs the latter is left out.
"""

import base64
import csv
import email
import hashlib
import io
import os
import re
import shutil
import sys
import tarfile
import zipfile

from wheel import DEPLOY, Environment, Wheel, files, make_wheel, output

import needs  # of ../cluster
from checks import contains, equal, main

SAMPLE = os.path.join(DEPLOY, "samples", "paddlejob.yaml")
TOUR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sdk_tour.py")
NOBODY = "65534"
# Starts a program where the kernel makes no namespaces, as in many notebooks.
LIMITED = ["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c",
           "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv "
           '--ambient-caps -all --inh-caps -all "$@"', "sh"]


class Unpacked:
    """The wheel as a zip file."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.names = self.zip.namelist()
        self.info, = {name.split("/")[0] for name in self.names
                      if ".dist-info/" in name}

    def text(self, name):
        return self.zip.read(f"{self.info}/{name}").decode()

    def mode(self, name):
        return self.zip.getinfo(name).external_attr >> 16


def bare(folder, program_folder, **more):
    """The environment variables of a user who has nothing."""
    return {"PATH": f"{program_folder}:/usr/bin:/bin", "HOME": folder,
            "TMPDIR": folder, "LANG": "C.UTF-8", **more}


def runs(wheel, *command):
    """The command runs a sample job."""
    folder = wheel.path("home")
    os.makedirs(folder, exist_ok=True)
    text = output(*command, "run", SAMPLE, cwd=folder,
                  env=bare(folder, wheel.path("empty")), timeout=120)
    contains(text, "succeeded")


# -- cases --------------------------------------------------------------------

def recorded(wheel):
    """RECORD has each file with its digest and size; programs may be run"""
    unpacked = Unpacked(wheel.file)
    record = {row[0]: row[1:] for row in
              csv.reader(io.StringIO(unpacked.text("RECORD")))}
    equal(len(unpacked.names), len(set(unpacked.names)), "names")
    equal(set(record), set(unpacked.names))
    equal(record.pop(f"{unpacked.info}/RECORD"), ["", ""])
    for name, (digest, size) in record.items():
        data = unpacked.zip.read(name)
        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        equal((digest, size), ("sha256=" + wanted.decode().rstrip("="),
                               str(len(data))), name)
    programs = {name for name in unpacked.names
                if name.startswith(("troupe_operator/bin/",
                                    "troupe_operator/lib/"))}
    equal({n: oct(unpacked.mode(n)) for n in unpacked.names},
          {n: oct(0o100755 if n in programs else 0o100644)
           for n in unpacked.names})


def described(wheel):
    """it says what it is, for which machines, and has the license of each part
    """
    unpacked = Unpacked(wheel.file)
    said = email.message_from_string(unpacked.text("METADATA"))
    version = re.search(r"troupe_(.*)_linux_", wheel.archive)[1]
    equal((said["Name"], said["Version"], said["License-Expression"],
           said["Description-Content-Type"]),
          ("troupe-operator", version, "Apache-2.0", "text/markdown"))
    text = said.get_payload()
    contains(text, "# Troupe\n")
    equal(re.findall(r"\]\((?!https:)[^)]*\)", text), [],
          "links that lead nowhere elsewhere")
    names = set(said.get_all("License-File"))
    equal({f"{unpacked.info}/licenses/{n}" for n in names} -
          set(unpacked.names), set())
    for name in ("LICENSE", "libc6/copyright", "common-licenses/LGPL-2.1"):
        equal(name in names, True, name)
    tags = re.findall(r"^Tag: (.*)$", unpacked.text("WHEEL"), re.M)
    *_, platforms = os.path.basename(wheel.file)[:-len(".whl")].split("-")
    equal([f"py3-none-{p}" for p in platforms.split(".")], tags)
    contains(unpacked.text("sboms/troupe.spdx.json"), '"libc6"')


def self_contained(wheel):
    """only a static program is started by the machine's loader; what the others
    load lies beside them"""
    needs.programs("readelf")
    folder = wheel.path("unpacked")
    Unpacked(wheel.file).zip.extractall(folder)
    beside = os.path.join(folder, "troupe_operator", "lib")
    for name in sorted(files(folder)):
        path = os.path.join(folder, name)
        with open(os.devnull if os.path.isdir(path) else path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        if os.path.dirname(path) != beside:
            text = output("readelf", "--program-headers", "--dynamic", path)
            equal(re.findall("INTERP|NEEDED", text), [], name)
            continue
        needed = re.findall(r"NEEDED.*\[(.*)\]",
                            output("readelf", "--dynamic", path))
        equal(set(needed) - set(os.listdir(beside)), set(), name)


def repeated(wheel):
    """made again, in another folder, it has the same bytes"""
    folder = wheel.path("elsewhere")
    os.mkdir(folder)
    for end in ("", ".spdx.json"):
        shutil.copy(wheel.archive + end, folder)
    again = make_wheel(os.path.join(
        folder, os.path.basename(wheel.archive)), wheel.path("again"))
    equal(os.path.basename(again), os.path.basename(wheel.file))
    with open(wheel.file, "rb") as one, open(again, "rb") as other:
        equal(one.read() == other.read(), True, "the wheels are equal")


def for_arm64(wheel):
    """that of the other architecture has its name; what no wheel can have is
    refused"""
    def made(name, *files):
        path = os.path.join(wheel.path("small"), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tarfile.open(path, "w:gz") as tar:
            for file in files:
                tar.addfile(tarfile.TarInfo("troupe/" + file))
        return make_wheel(path, wheel.path(name))
    found = made("troupe_1.2.3_linux_arm64.tar.gz", "bin/troupe", "LICENSE")
    equal(os.path.basename(found), "troupe_operator-1.2.3-py3-none-"
          "manylinux_2_17_aarch64.manylinux2014_aarch64.whl")
    for name, file, word in (
            ("troupe_1.2.3_linux_arm64.tar.gz", "etc/troupe", "no place"),
            ("troupe_1.2.3_linux_riscv64.tar.gz", "bin/troupe", "by its name"),
            ("troupe_1.2.3-x_linux_amd64.tar.gz", "bin/troupe", "by its name")):
        try:
            made(name, file)
        except RuntimeError as refusal:
            contains(str(refusal), word)
        else:
            raise AssertionError(name)


def elsewhere(wheel):
    """in a folder with spaces, through a link, and moved, it runs jobs"""
    made = wheel.installed("a folder of mine/it's here")
    contains(output(made.program("troupe"), "version"), "troupe ")
    runs(wheel, made.program("troupe"))
    runs(wheel, made.program("python"), "-m", "troupe_operator")
    link = wheel.path("linked")  # As pipx has them.
    os.symlink(made.program("troupe"), link)
    runs(wheel, link)
    contains(output(made.program("kubectl-troupe"), "--help"),
             "kubectl troupe ")
    moved = wheel.path("moved")
    os.rename(made.folder, moved)
    runs(wheel, os.path.join(moved, "bin", "python"), "-m", "troupe_operator")


def for_one_user(wheel):
    """pip install --user: it is the user's, with its manual page"""
    made = Environment(wheel.path("user"), "--system-site-packages")
    home = wheel.path("base")
    text = dict(os.environ, PYTHONUSERBASE=home)
    made.pip("install", "--user", "--no-index", "--quiet", wheel.file,
             env=text)
    contains(output(os.path.join(home, "bin", "troupe"), "version", env=text),
             "troupe ")
    for name in ("man/man1/troupe.1.gz", "bash-completion/completions/troupe"):
        equal(os.path.exists(os.path.join(home, "share", name)), True, name)


def removed(wheel):
    """uninstalled, nothing of it is left"""
    made = Environment(wheel.path("removed"))
    made.pip("list")  # Whose own compiled files stay.
    before = made.files()
    made.pip("install", "--no-index", "--quiet", wheel.file)
    output(made.program("python"), "-m", "troupe_operator", "version")
    equal(made.files() > before, True)
    made.pip("uninstall", "--yes", "--quiet", "troupe-operator")
    empty = {name for name in made.files() - before
             if os.path.isdir(os.path.join(made.folder, name))
             and not os.listdir(os.path.join(made.folder, name))}
    # pip leaves the folders of what was beside the package.
    left = made.files() - before
    equal({n for n in left if not n.startswith("share")} - empty, set())
    equal({n for n in left if os.path.isfile(os.path.join(made.folder, n))},
          set())


def tour(wheel, isolation, *prefix):
    """The SDK's tour, by a Python without a terminal."""
    made = wheel.beside_sdk()
    home = wheel.path("tour-" + isolation)
    os.mkdir(home)
    os.chmod(home, 0o777)
    text = output(*prefix, made.program("python"), TOUR, cwd=home, timeout=120,
                  env=bare(home, os.path.join(made.folder, "bin")),
                  start_new_session=True)
    contains(text, "isolation: " + isolation)
    contains(text, "the tour has ended")
    equal([n for n in os.listdir(home) if n.startswith("troupe-")], [],
          "what the tour has left")


def sdk_with_namespaces(wheel):
    """the SDK's tour, whose pods have namespaces"""
    needs.user_namespaces()
    tour(wheel, "namespaces")


def sdk_without_namespaces(wheel):
    """the SDK's tour, by an ordinary user where the kernel refuses them"""
    needs.user_namespaces()  # To refuse others.
    user = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY,
            "--clear-groups"] if os.geteuid() == 0 else []
    tour(wheel, "preload", *user, *LIMITED)


def told(wheel):
    """the description's program does what it says, in a notebook whose PATH does
    not have the environment"""
    said = email.message_from_string(Unpacked(wheel.file).text("METADATA"))
    program = next(code for code in re.findall(
        r"^```\n(.*?)^```", said.get_payload(), re.M | re.S)
        if "import" in code)
    made = wheel.beside_sdk()
    home = wheel.path("told")
    os.mkdir(home)
    path = os.path.join(home, "first.py")  # The SDK reads functions there.
    with open(path, "w") as file:
        file.write(program)
    text = output(made.program("python"), path, cwd=home, timeout=120,
                  env=bare(home, wheel.path("empty")))
    contains(text, "this is {'type': 'worker', 'index': 1}")


CASES = [recorded, described, self_contained, repeated, for_arm64, elsewhere,
         for_one_user, removed, sdk_with_namespaces, sdk_without_namespaces, told]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: Wheel(troupe), __doc__))
