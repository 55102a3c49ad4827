"""What lies in the root of the image: path -> File."""

import dataclasses
import os
import re

import debian_files

USER = 65532
BUNDLE = "etc/ssl/certs/ca-certificates.crt"
# Beside the libraries: authorities of TLS servers, time zones, what Debian
# this is, and the texts of licenses.
DATA = ("base-files", "ca-certificates", "tzdata")
KEPT = {"base-files": r"usr/lib/os-release|usr/share/common-licenses/.*",
        "tzdata": r"usr/share/zoneinfo/(?!right/|posix/).*"}
DIRECTORIES = {"dev": 0o755, "etc": 0o755, "proc": 0o755, "sys": 0o755,
               "tmp": 0o1777, "home": 0o755}


@dataclasses.dataclass(frozen=True)
class File:
    data: bytes = b""
    mode: int = 0o644
    link: str = ""  # Of a symbolic link.


def packages_of(program):
    """Names of the packages whose files the image has."""
    owners = debian_files.packages_of(debian_files.libraries(program))
    return sorted(owners | set(DATA))


def with_notices(packages, folder):
    """Adds those that have the copyright of others: gcc's libraries share
    one."""
    links = (member.linkname for package in packages
             for path, (member, _) in package.members.items()
             if path == f"usr/share/doc/{package.name}" and member.issym())
    lack = set(links) - {package.name for package in packages}
    more = debian_files.download(sorted(lack), folder) if lack else []
    return sorted(packages + more, key=lambda package: package.name)


def as_file(member, data):
    if member.issym():
        return File(mode=0o777, link=member.linkname)
    return File(data, 0o755 if member.mode & 0o100 else 0o644)


def base(program, packages):
    """All but the program itself."""
    result = {}
    wanted = set(debian_files.libraries(program))
    for package in packages:
        chosen = re.compile(KEPT.get(package.name, "$^"))
        notice = f"usr/share/doc/{package.name}"
        for path, (member, data) in package.members.items():
            if chosen.fullmatch(path) or path in (notice,
                                                  notice + "/copyright"):
                result[path] = as_file(member, data)
        take_libraries(result, package, wanted)
        result[f"var/lib/dpkg/status.d/{package.name}"] = File(
            package.control)
    if lack := wanted - set(result):
        raise debian_files.Missing(
            f"no package has {', '.join(sorted(lack))}; is the program linked "
            "with libraries of this Debian?")
    result[BUNDLE] = File(authorities(packages))
    if any(path.startswith("usr/lib64/") for path in wanted):
        result["lib64"] = File(mode=0o777, link="usr/lib64")
    return {**result, **settings()}


def take_libraries(result, package, wanted):
    """A library's name is mostly a link to the file with its version."""
    todo = [path for path in package.members if path in wanted]
    while todo:
        path = todo.pop()
        if path in result:
            continue
        result[path] = as_file(*package.members[path])
        if link := result[path].link:
            todo.append(linked_path(path, link))


def linked_path(path, link):
    """Where a link at `path` in the root leads."""
    if link[0] == "/":
        return debian_files.MERGED.sub(r"usr/\1/", link[1:])
    return os.path.normpath(os.path.join(os.path.dirname(path), link))


def authorities(packages):
    """As update-ca-certificates joins them."""
    package = next(p for p in packages if p.name == "ca-certificates")
    return b"".join(data for path, (_, data) in sorted(package.members.items())
                    if path.startswith("usr/share/ca-certificates/")
                    and path.endswith(".crt"))


def settings():
    """What other programs of a Debian would have written at installation."""
    def text(line):
        return File(line.encode())
    return {
        "etc/passwd": text(
            "root:x:0:0:root:/:/sbin/nologin\n"
            f"nonroot:x:{USER}:{USER}:nonroot:/home:/sbin/nologin\n"),
        "etc/group": text(f"root:x:0:\nnonroot:x:{USER}:\n"),
        "etc/nsswitch.conf": text("passwd: files\nhosts: files dns\n"),
        "etc/os-release": File(mode=0o777, link="../usr/lib/os-release"),
        # Where OpenSSL looks without being told.
        "usr/lib/ssl/cert.pem": File(mode=0o777, link="/" + BUNDLE),
        "lib": File(mode=0o777, link="usr/lib")}


def program_files(stripped, license_text):
    return {"usr/bin/troupe": File(stripped, 0o755),
            "manager": File(mode=0o777, link="usr/bin/troupe"),
            "usr/share/doc/troupe/copyright": File(license_text)}
