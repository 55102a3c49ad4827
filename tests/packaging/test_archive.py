#!/usr/bin/python3
"""The archive that runs on any Linux: what is in it, and that it runs where
there is no C library at all.

    test_archive.py [--troupe FILE] [--only PART]

Needs Debian's packages (apt-get): else it is skipped. On Debian 11, 12 and 13:
test_archive_on_debians.py.
"""

import hashlib
import json
import os
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import linux_root
from archive_folder import (PACKAGES, ArchiveFolder, build, needed_libraries,
                            newest_symbol)

import needs  # of ../cluster
from checks import contains, equal, main

SIZE = 45 << 20  # bytes at most, unpacked
# Of glibc's symbols, the newest that may be asked for: by the C library that
# is in the archive, and by the library that programs of the machine load.
BUNDLED, PRELOADED = (2, 36), {"x86_64": (2, 14), "aarch64": (2, 17)}
HELPERS = ("troupe-reaper", "troupe-namespaces", "tools/kubectl")
# A library that ends whoever loads it.
FATAL = "void __attribute__((constructor)) f(void) { __builtin_trap(); }"


def job(name, *command):
    """A TFJob of one worker; JSON is YAML."""
    container = {"name": "tensorflow", "image": "none",
                 "command": list(command)}
    return json.dumps({
        "apiVersion": "kubeflow.org/v1", "kind": "TFJob",
        "metadata": {"name": name}, "spec": {"tfReplicaSpecs": {"Worker": {
            "replicas": 1, "restartPolicy": "Never",
            "template": {"spec": {"containers": [container]}}}}}})


def output(*command, **more):
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, **more)
    equal(done.returncode, 0, f"exit code of {command}:\n{done.stdout}")
    return done.stdout


def elf_files(top):
    for where, _, names in os.walk(top):
        for path in (os.path.join(where, name) for name in names):
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


# -- cases --------------------------------------------------------------------

def files(archive):
    """files only, of root, that nobody else may write; small; checksums fit"""
    equal([m.name for m in archive.members if not (m.isfile() or m.isdir())],
          [], "links, which krew unpacks not")
    equal({(m.uid, m.gid) for m in archive.members}, {(0, 0)})
    equal([m.name for m in archive.members if m.mode & 0o7022], [])
    size = sum(m.size for m in archive.members)
    equal(size < SIZE, True, f"{size} bytes")
    with open(archive.file, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(archive.file + ".sha256") as file:
        equal(file.read(), f"{digest}  {archive.name}.tar.gz\n")
    for name in ("README.md", "LICENSE", "share/man/man1/troupe.1.gz",
                 "share/bash-completion/completions/troupe",
                 "share/zsh/site-functions/_troupe",
                 "share/fish/vendor_completions.d/troupe.fish"):
        equal(os.path.getsize(os.path.join(archive.top, name)) > 0, True, name)


def parts(archive):
    """the list of parts names each with its version; each has its license"""
    inside = os.path.join(archive.top, "share", "doc", "parts.spdx.json")
    with open(inside) as one, open(archive.file + ".spdx.json") as other:
        document = json.load(one)
        equal(document, json.load(other))
    equal(document["spdxVersion"], "SPDX-2.3")
    names = {part["name"] for part in document["packages"]}
    for name in ("libc6", "libssl3", "libstdc++6", "libboost1.74-dev",
                 "libcli11-dev", "libc6-dev"):
        equal(name in names, True, name)
    for part in document["packages"]:
        equal(bool(part["versionInfo"]), True, part["name"])
        path = "LICENSE" if part["name"] == "troupe" else \
            f"share/doc/{part['name']}/copyright"
        with open(os.path.join(archive.top, path)) as file:
            text = file.read()
        for license_text in ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2.1"):
            if "/usr/share/common-licenses/" + license_text in text:
                equal(os.path.isfile(os.path.join(
                    archive.top, "share/common-licenses", license_text)), True,
                    f"{license_text}, to which {path} refers")


def symbols(archive):
    """no file needs a newer C library than is there, or another library"""
    there = set(os.listdir(os.path.join(archive.top, "lib")))
    found = sorted(elf_files(archive.top))
    equal(len(found) > 20, True, f"{len(found)} ELF files")
    for path in found:
        name = os.path.relpath(path, archive.top)
        lack = set(needed_libraries(path)) - there
        equal(lack, set(), f"libraries that {name} needs")
        equal(newest_symbol(path) <= BUNDLED, True,
              f"{name} needs {newest_symbol(path)}")
        if name.startswith("bin/"):
            equal(needed_libraries(path), [], f"{name} is static")


def helpers(archive):
    """the preloaded library is for old programs, the helpers are static"""
    here = archive.empty("helpers")
    copy = ('run=$(dirname "${LD_PRELOAD%%:*}"); '
            'cp "$run"/libtroupe_preload.so '
            + " ".join(f'"$run"/{name}' for name in HELPERS) + " .")
    path = archive.write("helpers.yaml", job("copy", "/bin/sh", "-c", copy))
    output(archive.program, "run", "--isolation", "preload", path, cwd=here)
    preload = os.path.join(here, "libtroupe_preload.so")
    bound = PRELOADED[os.uname().machine]
    equal(newest_symbol(preload) <= bound, True,
          f"{newest_symbol(preload)}, at most {bound}")
    equal(newest_symbol(preload) > (2,), True, "it needs some")
    equal(needed_libraries(preload), ["libdl.so.2", "libc.so.6"])
    for name in HELPERS:
        equal(needed_libraries(os.path.join(here, os.path.basename(name))),
              [], f"{name} is static")


def libraries(archive):
    """it takes its own libraries, and its pods take none of these"""
    bad = archive.empty("bad")
    for name in ("libssl.so.3", "libc.so.6", "libstdc++.so.6"):
        with open(os.path.join(bad, name), "w") as file:
            file.write("none")
    equal(output(archive.program, "version",
                 env={"LD_LIBRARY_PATH": bad}).startswith("troupe "), True)
    code = ("import os; print([n for n in os.environ if n.startswith('LD_')], "
            f"{archive.name!r} in open('/proc/self/maps').read())")
    path = archive.write("maps.yaml", job("maps", sys.executable, "-c", code))
    for isolation, wanted in (("none", "[] False"),
                              ("preload", "['LD_PRELOAD'] False")):
        contains(output(archive.program, "run", "--isolation", isolation, path,
                        cwd=archive.folder), f"[worker-0] {wanted}")


def names(archive):
    """processes are called troupe, whatever link they are started by"""
    ask = ('p=$PPID; while [ "$p" -gt 1 ]; do echo "is $(cat /proc/$p/comm)"; '
           "read -r _ _ _ p _ </proc/$p/stat; done")
    path = archive.write("comm.yaml", job("comm", "/bin/sh", "-c", ask))
    contains(output(archive.program, "run", "--isolation", "none", path,
                    cwd=archive.folder), "[worker-0] is troupe\n")
    link = archive.path("kubectl-troupe")
    os.symlink(archive.program, link)
    for name in (link, os.path.join(archive.top, "bin", "kubectl-troupe")):
        contains(output(name, "--help"), "kubectl troupe ")


def places(archive):
    """the folder may be moved; a name that the loader cannot take is refused"""
    for name, works in (("a b", True), ("a:b", False), ("$ORIGIN", True)):
        folder = archive.path(name)
        os.rename(archive.top, folder)
        try:
            done = subprocess.run(
                [os.path.join(folder, "bin", "troupe"), "version"], text=True,
                capture_output=True)
        finally:
            os.rename(folder, archive.top)
        equal(done.returncode, 0 if works else 126, f"{name}: {done.stderr}")
        if not works:
            contains(done.stderr, "move it")


def repeated(archive):
    """made twice, it has the same bytes"""
    old = os.umask(0o077)
    try:
        again = build(archive.troupe, archive.path("again"),
                      env=dict(os.environ, TZ="Asia/Tokyo", LANG="C"))
    finally:
        os.umask(old)
    with open(archive.file, "rb") as one, open(again, "rb") as other:
        equal(one.read() == other.read(), True, "the archives are equal")


def without_c_library(archive):
    """it runs scripts where there is nothing but a static shell"""
    root = bare_root(archive)
    program = in_root(archive)
    code, said = root.run(program, "--version")
    equal((code, said.startswith("troupe ")), (0, True), said)
    archive.write("sh.yaml", job("sh", "/bin/sh", "-c", "echo from a script"))
    for isolation, told in (
            ("namespaces", "Isolation: namespaces"),
            ("preload", "/bin/sh is linked statically: its scripts see this "
                        "machine")):
        code, said = root.run(program, "run", "--isolation", isolation,
                              "/shared/sh.yaml")
        equal(code, 0, said)
        contains(said, told)
        contains(said, "[worker-0] from a script")


def other_c_library(archive):
    """where the shell is of musl, the preloaded library stays out of it"""
    root = bare_root(archive, "musl", linux_root.musl)
    archive.write("musl.yaml", job("sh", "/bin/sh", "-c", "echo from musl"))
    run = (in_root(archive), "run", "/shared/musl.yaml", "--isolation")
    code, said = root.run(*run, "preload")
    equal(code != 0, True, said)
    contains(said, "preload does not work here: /bin/sh has the C library "
                   "musl, and the library is for glibc; choose --isolation "
                   "none")
    code, said = root.run(*run, "namespaces")
    equal(code, 0, said)
    contains(said, "[worker-0] from musl")


def foreign_modules(archive):
    """no module of the machine finds hosts; authorities are Red Hat's, too"""
    needs.programs("openssl", "cc")
    added = archive.empty("added")
    multiarch = os.uname().machine + "-linux-gnu"
    for folder in ("etc/pki/tls/certs", "lib", "lib64", "usr/lib64",
                   f"lib/{multiarch}", f"usr/lib/{multiarch}"):
        os.makedirs(os.path.join(added, folder))
        if "lib" in folder:
            subprocess.run(["cc", "-shared", "-nostdlib", "-o", os.path.join(
                added, folder, "libnss_sss.so.2"), "-xc", "-"], check=True,
                input=FATAL, text=True)
    archive.write("added/etc/nsswitch.conf", "hosts: sss files\n")
    archive.write("added/etc/hosts", "127.0.0.1 manifests.example\n")
    root = bare_root(archive, "bare", added=added)
    with served(archive, job("web", "/bin/sh", "-c", "echo from the web")) \
            as (port, certificate):
        ask = (in_root(archive), "run", f"https://manifests.example:{port}/x")
        code, said = root.run(*ask)
        equal(code != 0, True, said)
        contains(said, "cannot be read")
        with open(certificate) as file:
            archive.write("added/etc/pki/tls/certs/ca-bundle.crt", file.read())
        code, said = root.run(*ask)
        equal(code, 0, said)
        contains(said, "[worker-0] from the web")


def bare_root(archive, name="bare", more=None, added=None):
    """A root with a static busybox, to which `more` adds something, below the
    files of `added`."""
    folder = archive.path(name)
    if not os.path.isdir(folder):
        linux_root.busybox(folder, PACKAGES)
        if more:
            more(folder, PACKAGES)
    root = linux_root.Root(folder, archive.folder, archive.empty("mounts"),
                           [added] if added else [])
    root.check()
    return root


def in_root(archive):
    return f"{linux_root.SHARED}/{archive.name}/bin/troupe"


class served:
    """(port, file of its certificate) of an HTTPS server with one text."""

    def __init__(self, archive, text):
        self.certificate, key = archive.path("web.crt"), archive.path("web.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-days", "2", "-subj", "/CN=manifests.example", "-addext",
             "subjectAltName=DNS:manifests.example", "-keyout", key, "-out",
             self.certificate], check=True, capture_output=True)

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.server.handle_error = lambda *_: None  # Who does not trust it.
        self.server.socket = context.wrap_socket(self.server.socket,
                                                 server_side=True)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1], self.certificate

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


CASES = [files, parts, symbols, helpers, libraries, names, places, repeated,
         without_c_library, other_c_library, foreign_modules]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: ArchiveFolder(troupe), __doc__))
