"""Files of Debian's packages: which a program needs, and their contents."""

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


def libraries(program):
    """Paths in usr/ of the libraries that the loader takes, and of the
    loader."""
    found = re.findall(r"(/\S+) \(0x", output("ldd", program).decode())
    return sorted(MERGED.sub(r"usr/\1/", path.lstrip("/")) for path in found)


def packages_of(paths):
    """Names of the installed packages that have these libraries."""
    real = {os.path.realpath("/" + path) for path in paths}
    lines = output("dpkg-query", "-S", *(
        "*/" + os.path.basename(path) for path in real)).decode().splitlines()
    owners = {os.path.realpath(path): owner.split(":")[0] for owner, path in
              (line.split(": ", 1) for line in lines)}
    if lack := real - set(owners):
        raise Missing(f"{', '.join(sorted(lack))}: of no package")
    return {owners[path] for path in real}


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


def download(names, folder):
    """Packages of the newest version that apt knows, kept in `folder`; apt has
    verified the checksums that decide what has to be fetched."""
    os.makedirs(folder, exist_ok=True)
    lines = output("apt-get", "download", "--print-uris", *names).decode()
    result = []
    for _, file, _, checksum in re.findall(
            r"^'([^']*)' (\S+) (\d+) (\S+)$", lines, re.M):
        path = os.path.join(folder, file)
        wanted = checksum.removeprefix("SHA256:")
        if not has_checksum(path, wanted):
            name = file.split("_")[0]
            subprocess.run(["apt-get", "download", "-qq", name], cwd=folder,
                           env=ENGLISH, stderr=subprocess.DEVNULL)
        if not has_checksum(path, wanted):
            raise Missing(f"cannot download {file}: try apt-get update")
        result.append(Package(path))
    found = {package.name for package in result}
    if lack := set(names) - found:
        raise Missing(f"apt knows no {', '.join(sorted(lack))}: "
                      "try apt-get update")
    return sorted(result, key=lambda package: package.name)


def has_checksum(path, wanted):
    if not os.path.exists(path):
        return False
    with open(path, "rb") as file:
        return sha256(file.read()) == wanted
