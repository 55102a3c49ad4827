#!/usr/bin/python3
"""The Debian package: made, installed into an empty root, run, removed.

    test_debian.py [--only PART]
"""

import glob
import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import needs  # noqa: E402
from checks import contains, equal, run  # noqa: E402
from cluster import REPOSITORY  # noqa: E402

TOOLS = ("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps", "apt-get",
         "file", "readelf")


def output(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8"), **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n"
                           f"{done.stdout}{done.stderr}")
    return done.stdout


class Package:
    """A new package, installed in a root of its own."""

    def __init__(self):
        needs.programs(*TOOLS)
        self.folder = tempfile.mkdtemp(prefix="troupe-package-")
        self.root = os.path.join(self.folder, "root")

    def __enter__(self):
        try:
            output("cpack", "-G", "DEB", "-B", self.folder, "--config",
                   os.path.join(REPOSITORY, "build", "CPackConfig.cmake"))
            self.file, = glob.glob(os.path.join(self.folder, "*.deb"))
            self.before = self.make_root()
            # Its libraries are this machine's, see `dependencies`.
            self.dpkg("--force-depends", "--install", self.file)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def make_root(self):
        for name in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(self.root, "var/lib/dpkg", name))
        for name in ("status", "available"):
            open(os.path.join(self.root, "var/lib/dpkg", name), "w").close()
        return self.files()

    def dpkg(self, *arguments):
        return output("dpkg", "--root=" + self.root, "--force-not-root",
                      "--log=/dev/null", *arguments)

    def files(self):
        """All files in the root but the database of dpkg."""
        return {os.path.relpath(os.path.join(where, name), self.root)
                for where, folders, names in os.walk(self.root)
                for name in names + folders
                if "var/lib/dpkg" not in where + "/"}

    def field(self, name):
        return output("dpkg-deb", "-f", self.file, name).strip()

    def path(self, name):
        return os.path.join(self.root, "usr", name)


# -- cases --------------------------------------------------------------------

def runs(package):
    """the installed program runs a sample job"""
    program = package.path("bin/troupe")
    contains(output(program, "version"), "troupe " + package.field("Version"))
    sample = package.path("share/troupe/deploy/samples/paddlejob.yaml")
    output(program, "run", sample, cwd=package.folder)
    contains(output(package.path("bin/kubectl-troupe"), "--help"),
             "kubectl troupe ")


def dependencies(package):
    """apt finds every package that it needs"""
    needs = package.field("Depends")
    for library in ("libc6", "libcpprest2.10", "libre2-9", "libssl3",
                    "libstdc++6"):
        contains(needs, library)
    contains(output("apt-get", "install", "--simulate",
                    "--no-install-recommends", package.file), "Inst troupe ")


def in_order(package):
    """files are the root's, nobody else may write them, in usr/ only"""
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package.file],
                          check=True, capture_output=True).stdout
    members = tarfile.open(fileobj=io.BytesIO(data)).getmembers()
    equal([m.name for m in members if m.name not in (".", "./usr")
           and not m.name.startswith("./usr/")], [])
    equal({(m.uid, m.gid) for m in members}, {(0, 0)})
    equal([m.name for m in members if m.mode & 0o7022 and not m.issym()], [])
    equal({m.name: m.linkname for m in members if m.issym()},
          {"./usr/bin/kubectl-troupe": "troupe"})
    equal([m.name for m in members if m.isfile() and m.mode & 0o111],
          ["./usr/bin/troupe"])
    contains(output("readelf", "-S", package.path("bin/troupe")), ".dynsym")
    equal(".symtab" in output("readelf", "-S", package.path("bin/troupe")),
          False, "symbols are stripped")
    for name in ("Maintainer", "Description", "Section", "Installed-Size"):
        equal(package.field(name) != "", True, name)
    names = {m.name for m in members}
    for name in ("copyright", "README.md", "CHANGELOG.md"):
        equal("./usr/share/doc/troupe/" + name in names, True, name)


def completes(package):
    """bash completes its commands; zsh and fish have scripts, too"""
    script = package.path("share/bash-completion/completions/troupe")
    ask = (f". {script}; COMP_WORDS=(troupe expl); COMP_CWORD=1; _troupe; "
           'echo "${COMPREPLY[@]}"')
    equal(output("bash", "-c", ask), "explain\n")
    for name in ("zsh/vendor-completions/_troupe",
                 "fish/vendor_completions.d/troupe.fish"):
        contains(open(package.path("share/" + name)).read(), "explain")


def installs_objects(package):
    """the objects for a cluster, and the samples, are there as in the source"""
    def listed(folder):
        return {os.path.relpath(os.path.join(where, name), folder): open(
            os.path.join(where, name)).read()
            for where, _, names in os.walk(folder) for name in names
            if not (name.endswith(".py") and "/gallery/" not in where)
            and not {"image", "archive", "krew", "wheel", "release", "chart",
                     "__pycache__"}
            & set(os.path.relpath(where, folder).split(os.sep))}
    equal(listed(package.path("share/troupe/deploy")),
          listed(os.path.join(REPOSITORY, "deploy")))


def manual(package):
    """the manual page tells of every command and flag"""
    program = package.path("bin/troupe")
    with gzip.open(package.path("share/man/man1/troupe.1.gz"), "rt") as file:
        page = file.read()
    text = page.replace("\\-", "-")
    for command in ("run", "up", "operator", "di-server", "explain", "top",
                    "version"):
        contains(text, f".SS troupe {command} ")
        for flag in re.findall(r"^  (?:-\w,)?(--[\w-]+)", output(
                program, command, "--help"), re.M):
            contains(text, flag)
    needs.programs("groff")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"],
                          input=page, capture_output=True, text=True)
    equal(done.stderr, "", "warnings")


def removed(package):
    """removed, nothing of it is left"""
    package.dpkg("--purge", "troupe")
    equal(package.files() - package.before, set())


CASES = [runs, dependencies, in_order, completes, installs_objects, manual,
         removed]

if __name__ == "__main__":
    sys.exit(run(CASES, Package, sys.argv[2] if sys.argv[1:2] == ["--only"]
                 else ""))
