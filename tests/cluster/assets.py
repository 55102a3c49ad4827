#!/usr/bin/python3
"""Finds or builds the binaries of a real control plane; prints their folder.

The folder holds `kube-apiserver` and `kubectl`:

* `$KUBEBUILDER_ASSETS`, where that names a folder that has them;
* else `${XDG_CACHE_HOME:-~/.cache}/troupe/kube-VERSION`, filled on first use:
  they are built with Go through their own module (some five minutes on two
  cores, two gigabytes of Go's caches).

etcd comes from the same folder if it is there, else from the PATH (Debian:
etcd-server).

Exit codes: 0, 77 (no Go, or no etcd: the tests that need this are skipped),
1 (the build failed).
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

VERSION = "1.34.1"
MODULE = "k8s.io/kubernetes"
BUILT = ("kube-apiserver", "kubectl")
SKIPPED = 77


class Missing(Exception):
    """The machine has neither the binaries nor what builds them."""


def executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def complete(folder):
    return all(executable(os.path.join(folder, name)) for name in BUILT)


def etcd(folder):
    """The etcd to use with the binaries of `folder`."""
    beside = os.path.join(folder, "etcd")
    found = beside if executable(beside) else shutil.which("etcd")
    if found is None:
        raise Missing("no etcd: install Debian's package etcd-server")
    return found


def cache_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "troupe", "kube-" + VERSION)


def go_mod(module_file):
    """A go.mod that requires the server and repeats its `replace` lines.

    Inside the server's own repository the staging modules are replaced by
    folders; from outside they are modules of their own, v1.x.y as v0.x.y.
    """
    with open(module_file) as file:
        text = file.read()
    staging = re.findall(r"^\s*(?:replace\s+)?(\S+) => \./staging/", text,
                         re.M)
    go = re.search(r"^go (\S+)", text, re.M).group(1)
    minor = "v0." + VERSION.split(".", 1)[1]
    lines = ["module troupe.invalid/kube", "", "go " + go, "",
             f"require {MODULE} v{VERSION}", "", "replace ("]
    lines += [f"\t{name} => {name} {minor}" for name in staging]
    return "\n".join(lines + [")", ""])


def build(folder):
    """Builds into `folder`; a second caller waits for the first."""
    go = shutil.which("go")
    if go is None:
        raise Missing("no $KUBEBUILDER_ASSETS, and no Go to build them with")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if complete(folder):
            return
        print(f"building kube-apiserver and kubectl {VERSION} into {folder}",
              file=sys.stderr)
        # The Go settings of a caller's project are not this one's.
        env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="", GOWORK="off")
        answer = subprocess.run(
            [go, "mod", "download", "-json", f"{MODULE}@v{VERSION}"],
            cwd=folder, env=env, stdout=subprocess.PIPE, check=True)
        with open(os.path.join(folder, "go.mod"), "w") as file:
            file.write(go_mod(json.loads(answer.stdout)["GoMod"]))
        major, minor, _ = VERSION.split(".")
        package = "k8s.io/component-base/version"
        stamps = {"gitVersion": "v" + VERSION, "gitMajor": major,
                  "gitMinor": minor, "gitTreeState": "clean"}
        flags = " ".join(f"-X {package}.{k}={v}" for k, v in stamps.items())
        partial = os.path.join(folder, "partial")
        os.makedirs(partial, exist_ok=True)
        subprocess.run(
            ["nice", "-n", "10", go, "build", "-mod=mod", "-p", "2",
             "-trimpath", "-ldflags", "-s -w " + flags, "-o", partial + "/"]
            + [f"{MODULE}/cmd/{name}" for name in BUILT],
            cwd=folder, env=env, stdout=sys.stderr, check=True)
        for name in BUILT:
            os.replace(os.path.join(partial, name), os.path.join(folder, name))


def find():
    """The folder. Raises Missing, or CalledProcessError: a failed build."""
    folder = os.environ.get("KUBEBUILDER_ASSETS")
    if folder and not complete(folder):
        print(f"$KUBEBUILDER_ASSETS ({folder}) lacks one of "
              + ", ".join(BUILT), file=sys.stderr)
    if not folder or not complete(folder):
        folder = cache_folder()
    etcd(folder)  # before minutes are spent on the rest
    if not complete(folder):
        build(folder)
    return folder


def main():
    try:
        print(find())
    except Missing as lack:
        print(f"SKIPPED: {lack}", file=sys.stderr)
        return SKIPPED
    except subprocess.CalledProcessError as failure:
        print(f"assets: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
