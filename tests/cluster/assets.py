#!/usr/bin/python3
"""Finds or builds the binaries of a real control plane; prints their folder.

    assets.py            kube-apiserver and kubectl
    assets.py --all      kube-controller-manager, kube-scheduler, a newer
                         etcd, kwok and the scheduler of scheduler-plugins, too

The folder is

* `$KUBEBUILDER_ASSETS`, where that names a folder that has what is wanted;
* else `${XDG_CACHE_HOME:-~/.cache}/troupe/kube-VERSION`, filled on first use:
  they are built with Go through their own module (some five minutes on two
  cores for the first two, three more for the others, three gigabytes of Go's
  caches).

etcd comes from the same folder if it is there, else from the PATH (Debian:
etcd-server). kwok, scheduler-plugins and the newer etcd have folders of their own beside that
one, `kwok-VERSION` and so on.

Exit codes: 0, 77 (no Go, or no etcd: the tests that need this are skipped),
1 (the build failed).
"""

import argparse
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

VERSION = "1.34.1"
MODULE = "k8s.io/kubernetes"
SERVER = ("kube-apiserver", "kubectl")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler")
KWOK_VERSION = "0.7.0"
KWOK = "sigs.k8s.io/kwok"
# Of the same minor version as Kubernetes, whose modules it is built with.
PLUGINS_VERSION = "0.34.7"
PLUGINS = "sigs.k8s.io/scheduler-plugins"
# Beside an etcd of 3.4 an API server serves no lists by watches.
ETCD_VERSION = "3.6.4"
ETCD = "go.etcd.io/etcd/server/v3"
SKIPPED = 77


class Missing(Exception):
    """The machine has neither the binaries nor what builds them."""


def executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def lacking(folder, names):
    return [name for name in names
            if not executable(os.path.join(folder, name))]


def etcd(folder):
    """The etcd to use with the binaries of `folder`."""
    beside = os.path.join(folder, "etcd")
    found = beside if executable(beside) else shutil.which("etcd")
    if found is None:
        raise Missing("no etcd: install Debian's package etcd-server")
    return found


def cache_folder(name):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "troupe", name)


# -- building -----------------------------------------------------------------

def go_mod(module_file, *more):
    """A go.mod that requires the server, and `more`, and repeats the server's
    `replace` lines.

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
             f"require {MODULE} v{VERSION}",
             *(f"require {name}" for name in more), "", "replace (",
             f"\t{MODULE} => {MODULE} v{VERSION}"]
    lines += [f"\t{name} => {name} {minor}" for name in staging]
    return "\n".join(lines + [")", ""])


def download(go, env, folder, module):
    """What Go says of the module's files."""
    done = subprocess.run([go, "mod", "download", "-json", module], cwd=folder,
                          env=env, stdout=subprocess.PIPE)
    answer = json.loads(done.stdout or "{}")
    if done.returncode:
        raise Missing(f"no {module}: " + answer.get("Error", "Go says why"))
    return answer


def build_packages(go, env, folder, partial, packages, *modules):
    """Builds `packages` with Kubernetes' modules and others, `PATH vX.Y.Z`."""
    source = download(go, env, folder, f"{MODULE}@v{VERSION}")
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write(go_mod(source["GoMod"], *modules))
    major, minor, _ = VERSION.split(".")
    package = "k8s.io/component-base/version"
    stamps = {"gitVersion": "v" + VERSION, "gitMajor": major,
              "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(f"-X {package}.{k}={v}" for k, v in stamps.items())
    subprocess.run(
        ["nice", "-n", "10", go, "build", "-mod=mod", "-p", "2",
         "-trimpath", "-ldflags", "-s -w " + flags, "-o", partial + "/",
         *packages], cwd=folder, env=env, stdout=sys.stderr, check=True)


def build_kubernetes(go, env, folder, partial, names):
    """Builds the programs `names` of Kubernetes' module into `partial`."""
    build_packages(go, env, folder, partial,
                   [f"{MODULE}/cmd/{name}" for name in names])


def build_plugins(go, env, folder, partial, _):
    """The scheduler, and the definition of its pod groups."""
    source = download(go, env, folder, f"{PLUGINS}@v{PLUGINS_VERSION}")
    shutil.copyfile(os.path.join(source["Dir"], "manifests", "coscheduling",
                                 "crd.yaml"),
                    os.path.join(folder, "crd.yaml"))
    build_packages(go, env, folder, partial, [PLUGINS + "/cmd/scheduler"],
                   f"{PLUGINS} v{PLUGINS_VERSION}")


def build_kwok(go, env, folder, partial, _):
    """Its module replaces nothing, so that Go installs it as it is."""
    download(go, env, folder, f"{KWOK}@v{KWOK_VERSION}")
    subprocess.run(
        ["nice", "-n", "10", go, "install", "-p", "2", "-trimpath",
         "-ldflags", "-s -w", f"{KWOK}/cmd/kwok@v{KWOK_VERSION}"],
        cwd=folder, env=dict(env, GOBIN=partial), stdout=sys.stderr,
        check=True)


def built(folder, names, builder):
    """`folder`, with the programs `names` in it; what lacks is built.

    A second caller waits for the first.
    """
    if not lacking(folder, names):
        return folder
    go = shutil.which("go")
    if go is None:
        raise Missing(f"no {', '.join(names)} in $KUBEBUILDER_ASSETS, and no "
                      "Go to build them with")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = lacking(folder, names)
        if not names:
            return folder
        print(f"building {', '.join(names)} into {folder}", file=sys.stderr)
        # The Go settings of a caller's project are not this one's.
        env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="", GOWORK="off")
        partial = os.path.join(folder, "partial")
        os.makedirs(partial, exist_ok=True)
        builder(go, env, folder, partial, names)
        for name in names:
            os.replace(os.path.join(partial, name), os.path.join(folder, name))
    return folder


# -- finding ------------------------------------------------------------------

def find(controllers=False):
    """The folder of kube-apiserver and kubectl; with `controllers`, of
    kube-controller-manager and kube-scheduler of the same version, too.

    Raises Missing, or CalledProcessError: a failed build.
    """
    names = SERVER + CONTROLLERS if controllers else SERVER
    folder = os.environ.get("KUBEBUILDER_ASSETS")
    if folder:
        lack = lacking(folder, names)
        if not lack:
            etcd(folder)
            return folder
        print(f"$KUBEBUILDER_ASSETS ({folder}) lacks {', '.join(lack)}",
              file=sys.stderr)
    folder = cache_folder("kube-" + VERSION)
    etcd(folder)  # before minutes are spent on the rest
    built(folder, SERVER, build_kubernetes)  # the first that others wait for
    return built(folder, names, build_kubernetes)


def kwok():
    """The path of kwok, which simulates nodes and their kubelets."""
    given = os.environ.get("KUBEBUILDER_ASSETS")
    if given and not lacking(given, ["kwok"]):
        return os.path.join(given, "kwok")
    folder = cache_folder("kwok-" + KWOK_VERSION)
    return os.path.join(built(folder, ["kwok"], build_kwok), "kwok")


def build_etcd(go, env, folder, partial, _):
    download(go, env, folder, f"{ETCD}@v{ETCD_VERSION}")
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write(f"module troupe.invalid/etcd\n\ngo 1.24.0\n\n"
                   f"require {ETCD} v{ETCD_VERSION}\n")
    subprocess.run(
        ["nice", "-n", "10", go, "build", "-mod=mod", "-p", "2", "-trimpath",
         "-ldflags", "-s -w", "-o", os.path.join(partial, "etcd"), ETCD],
        cwd=folder, env=env, stdout=sys.stderr, check=True)


def newer_etcd():
    """The path of an etcd that can say how far its watches have come."""
    folder = cache_folder("etcd-" + ETCD_VERSION)
    return os.path.join(built(folder, ["etcd"], build_etcd), "etcd")


def plugins():
    """The folder of `scheduler`, kube-scheduler with scheduler-plugins, and of
    `crd.yaml`, its PodGroup."""
    return built(cache_folder("scheduler-plugins-" + PLUGINS_VERSION),
                 ["scheduler"], build_plugins)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true",
                        help="the controllers, the schedulers and kwok, too")
    args = parser.parse_args()
    try:
        print(find(args.all))
        if args.all:
            print(newer_etcd())
            print(kwok())
            print(plugins())
    except Missing as lack:
        print(f"SKIPPED: {lack}", file=sys.stderr)
        return SKIPPED
    except subprocess.CalledProcessError as failure:
        print(f"assets: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
