"""Files of Debian's packages: which a program needs, and their contents.

They are this machine's packages, unless somebody has called `use` (sysroot.py).
"""

import functools
import hashlib
import io
import os
import re
import subprocess
import tarfile

MERGED = re.compile(r"^(bin|sbin|lib|lib64)/")  # These are links into usr/.
ENGLISH = dict(os.environ, LC_ALL="C")


class Missing(Exception):
    """The machine lacks what this needs: not Debian, or no packages."""


def output(*command):
    try:
        done = subprocess.run(command, check=True, capture_output=True,
                              env=ENGLISH)
    except FileNotFoundError:
        raise Missing(f"there is no {command[0]}: an image is made on Debian")
    except subprocess.CalledProcessError as failure:
        raise Missing(f"{' '.join(command[:4])}: "
                      + failure.stderr.decode(errors="replace").strip())
    return done.stdout


class Machine:
    """This machine, whose packages a program was linked with."""

    root = ""
    query = ("dpkg-query",)
    strip = "strip"

    @functools.cached_property
    def architecture(self):
        return output("dpkg", "--print-architecture").decode().strip()

    def libraries(self, program):
        """Paths in usr/ of the libraries that the loader takes, and of the
        loader."""
        found = re.findall(r"(/\S+) \(0x", output("ldd", program).decode())
        return sorted(MERGED.sub(r"usr/\1/", path.lstrip("/"))
                      for path in found)

    def packages_of(self, paths):
        """Names of the installed packages that have these libraries."""
        def real(path):
            return os.path.realpath(f"{self.root}/{path}")
        wanted = set(map(real, paths))
        lines = output(*self.query, "-S", *(
            "*/" + os.path.basename(path) for path in wanted)).decode()
        owners = {real(path): owner.split(":")[0] for owner, path in
                  (line.split(": ", 1) for line in lines.splitlines())}
        if lack := wanted - set(owners):
            raise Missing(f"{', '.join(sorted(lack))}: of no package")
        return {owners[path] for path in wanted}

    def download(self, names, folder):
        """Packages of the newest version that apt knows, kept in `folder`; apt
        has verified the checksums that decide what has to be fetched."""
        os.makedirs(folder, exist_ok=True)
        lines = output("apt-get", "download", "--print-uris", *names).decode()
        result = []
        for _, file, _, checksum in re.findall(
                r"^'([^']*)' (\S+) (\d+) (\S+)$", lines, re.M):
            path = os.path.join(folder, file)
            wanted = checksum.removeprefix("SHA256:")
            if not has_checksum(path, wanted):
                name = file.split("_")[0]
                subprocess.run(["apt-get", "download", "-qq", name],
                               cwd=folder, env=ENGLISH,
                               stderr=subprocess.DEVNULL)
            if not has_checksum(path, wanted):
                raise Missing(f"cannot download {file}: try apt-get update")
            result.append(Package(path))
        return all_found(names, result, "apt knows no", "try apt-get update")

    def command(self, program):
        """The words that run a program of this architecture."""
        return [program]


chosen = Machine()


def use(machine):
    """From now on, all functions here are of its packages."""
    global chosen
    chosen = machine


def architecture():
    return chosen.architecture


def libraries(program):
    return chosen.libraries(program)


def packages_of(paths):
    return chosen.packages_of(paths)


def download(names, folder):
    return chosen.download(names, folder)


def command(program):
    return chosen.command(program)


def all_found(names, packages, lack_text, remedy):
    """The packages, by name, if all of these are among them."""
    if lack := set(names) - {package.name for package in packages}:
        raise Missing(f"{lack_text} {', '.join(sorted(lack))}: {remedy}")
    return sorted(packages, key=lambda package: package.name)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Package:
    """One .deb file."""

    def __init__(self, path):
        self.path = path
        fields = ("Package", "Version", "Architecture", "Source")
        text = output("dpkg-deb", "-f", path, *fields).decode()
        said = dict(line.split(": ", 1) for line in text.splitlines())
        self.name, self.version = said["Package"], said["Version"]
        self.architecture = said["Architecture"]
        self.source = said.get("Source", self.name).split()[0]
        with open(path, "rb") as file:
            self.sha256 = sha256(file.read())

    @functools.cached_property
    def control(self):
        return output("dpkg-deb", "-f", self.path)

    @functools.cached_property
    def members(self):
        """path in the root -> (tarfile.TarInfo, bytes)."""
        data = output("dpkg-deb", "--fsys-tarfile", self.path)
        result = {}
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.isdir():
                    continue
                path = MERGED.sub(r"usr/\1/", member.name[2:])
                if member.islnk():
                    target = archive.getmember(member.linkname)
                    content = archive.extractfile(target).read()
                    member.type, member.size = tarfile.REGTYPE, target.size
                else:
                    content = (archive.extractfile(member).read()
                               if member.isfile() else b"")
                result[path] = (member, content)
        return result


def has_checksum(path, wanted):
    if not os.path.exists(path):
        return False
    with open(path, "rb") as file:
        return sha256(file.read()) == wanted
