"""Programs of another architecture, and the folder with the packages that they
were linked with (cmake/build_sysroot.py)."""

import glob
import os
import re
import shutil

import debian_files

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
# Debian's name of the architecture -> its name in compilers and libraries, and
# the program that runs its programs.
NAMES = {"amd64": ("x86_64-linux-gnu", "qemu-x86_64-static"),
         "arm64": ("aarch64-linux-gnu", "qemu-aarch64-static")}


class Sysroot(debian_files.Machine):
    architecture = ""

    def __init__(self, architecture, folder):
        if architecture not in NAMES:
            raise debian_files.Missing(
                f"{architecture}: none of {', '.join(NAMES)}")
        self.architecture, self.root = architecture, folder
        self.triplet, self.emulator = NAMES[architecture]
        self.strip = self.triplet + "-strip"
        self.query = ("dpkg-query",
                      f"--admindir={os.path.join(folder, 'var/lib/dpkg')}")
        if not os.path.isdir(folder):
            raise debian_files.Missing(
                f"no {folder}: make build-{architecture}")

    def libraries(self, program):
        """By what the files say: the loader is of another machine."""
        interpreter = re.search(
            r"program interpreter: /(\S+)\]", debian_files.output(
                "readelf", "-l", "-W", program).decode())[1]
        found, todo = {debian_files.MERGED.sub(r"usr/\1/", interpreter)}, [
            program]
        while todo:
            said = debian_files.output("readelf", "-d", "-W", todo.pop())
            for name in re.findall(r"\(NEEDED\).*\[(\S+)\]", said.decode()):
                path = self.place_of(name)
                if path not in found:
                    found.add(path)
                    todo.append(os.path.join(self.root, path))
        return sorted(found)

    def place_of(self, library):
        for folder in (f"usr/lib/{self.triplet}", "usr/lib"):
            path = os.path.join(folder, library)
            if os.path.exists(os.path.join(self.root, path)):
                return path
        raise debian_files.Missing(f"no {library} in {self.root}")

    def download(self, names, folder):
        """Those that the folder was made of; nothing is fetched."""
        files = glob.glob(os.path.join(self.root, "var/cache/apt/archives",
                                       "*.deb"))
        packages = [debian_files.Package(path) for path in files
                    if os.path.basename(path).split("_")[0] in names]
        return debian_files.all_found(names, packages, f"{self.root} lacks",
                                      "remove it, and make it anew")

    def command(self, program):
        if not (emulator := shutil.which(self.emulator)):
            raise debian_files.Missing(
                f"no {self.emulator}: install Debian's qemu-user-static")
        return [emulator, "-L", self.root, program]


def choose(architecture):
    """The folder where the build for this architecture is; "" is this
    machine's. From now on its packages are what debian_files is about."""
    if architecture in ("", debian_files.architecture()):
        return os.path.join(TOP, "build")
    folder = os.path.join(TOP, "build-" + architecture)
    debian_files.use(Sysroot(architecture, os.path.join(folder, "sysroot")))
    return folder
