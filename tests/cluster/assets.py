#!/usr/bin/python3
"""Finds or builds the binaries of a real control plane; prints their folder.

    assets.py            kube-apiserver and kubectl
    assets.py --all      kube-controller-manager, kube-scheduler, a newer
                         etcd, kwok, Helm, krew and the scheduler of
                         scheduler-plugins, too

TROUPE_KUBERNETES=1.37.2 in the environment, here and for each test that uses
them, makes it another of VERSIONS.

The folder is

* `$KUBEBUILDER_ASSETS`, where that names a folder that has what is wanted and
  no other version is wanted;
* else `${XDG_CACHE_HOME:-~/.cache}/troupe/kube-VERSION`, filled on first use:
  they are built with Go through their own module (some five minutes on two
  cores for the first two, three more for the others, three gigabytes of Go's
  caches).

etcd comes from the same folder if it is there, else from the PATH (Debian:
etcd-server). kwok, scheduler-plugins, Helm, krew and the newer etcd have folders of their own
beside that one, `kwok-VERSION` and so on.

Exit codes: 0, 77 (no Go, nothing that it could fetch, or no etcd: the tests
that need this are skipped), 1 (the build failed).
"""

import argparse
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

from needs import Missing, exit_code, programs

# Of Kubernetes. The first is what is used unless $TROUPE_KUBERNETES says which,
# the second the oldest that is supported (docs/versions.md); the last has the
# definitions that the CRDs and the embedded API server have.
VERSIONS = ("1.34.1", "1.26.15", "1.37.2")
VERSION = os.environ.get("TROUPE_KUBERNETES") or VERSIONS[0]
MODULE = "k8s.io/kubernetes"
SERVER = ("kube-apiserver", "kubectl")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler")
KWOK_VERSION = "0.7.0"
KWOK = "sigs.k8s.io/kwok"
ACTIONLINT_VERSION = "1.7.12"
ACTIONLINT = "github.com/rhysd/actionlint"
# Of the minor version of the first, with whose modules it is built.
PLUGINS_VERSION = "0.34.7"
PLUGINS = "sigs.k8s.io/scheduler-plugins"
# Beside an etcd of 3.4 an API server serves no lists by watches.
ETCD_VERSION = "3.6.4"
ETCD = "go.etcd.io/etcd/server/v3"
HELM_VERSION = "3.19.5"
HELM = "helm.sh/helm/v3"
KREW_VERSION = "0.4.3"
KREW = "sigs.k8s.io/krew"
TRAINING_OPERATOR_VERSION = "1.9.4"
TRAINING_OPERATOR = "github.com/kubeflow/training-operator"
# The oldest Go that fetches the one it needs, and where that is.
OLDEST_GO = (1, 21)
GO = "install Go 1.21 or later (go.dev/dl)"
# What Go says where it cannot.
NOT_FETCHED = re.compile(
    r"dial tcp|lookup .*: |i/o timeout|TLS handshake|proxyconnect|tls: "
    r"|GOPROXY=off|requires go >=|toolchain not available")
# The oldest that says what the tests expect.
OLDEST_KUBECTL = (1, 32)

if VERSION not in VERSIONS:
    sys.exit("TROUPE_KUBERNETES is none of " + ", ".join(VERSIONS))


def version():
    """Of the API server: (1, 34). That of $KUBEBUILDER_ASSETS is not known."""
    return tuple(map(int, VERSION.split(".")[:2]))


def executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def lacking(folder, names):
    return [name for name in names
            if not executable(os.path.join(folder, name))]


def etcd(folder):
    """The etcd to use with the binaries of `folder`."""
    beside = os.path.join(folder, "etcd")
    return beside if executable(beside) else programs("etcd")[0]


def cache_folder(name):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "troupe", name)


# -- building -----------------------------------------------------------------

def go_mod(module_file, version, *more):
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
    minor = "v0." + version.split(".", 1)[1]
    lines = ["module troupe.invalid/kube", "", "go " + go, "",
             f"require {MODULE} v{version}",
             *(f"require {name}" for name in more), "", "replace (",
             f"\t{MODULE} => {MODULE} v{version}"]
    lines += [f"\t{name} => {name} {minor}" for name in staging]
    return "\n".join(lines + [")", ""])


def download(go, env, folder, module):
    """What Go says of the module's files."""
    done = subprocess.run([go, "mod", "download", "-json", module], cwd=folder,
                          env=env, stdout=subprocess.PIPE)
    answer = json.loads(done.stdout or "{}")
    if done.returncode:
        raise Missing(f"no {module}", "let Go reach it (GOPROXY), which says: "
                      + answer.get("Error", "nothing"))
    return answer


def build(env, folder, *command):
    """Runs Go with all it says on stderr."""
    child = subprocess.Popen(["nice", "-n", "10", *command], cwd=folder,
                             env=env, stdout=sys.stderr,
                             stderr=subprocess.PIPE, text=True)
    unfetched = None
    with child.stderr as lines:
        for line in lines:
            sys.stderr.write(line)
            if NOT_FETCHED.search(line):
                unfetched = line
    if code := child.wait():
        if unfetched:
            raise Missing("Go cannot fetch what it needs",
                          "let it reach its modules (GOPROXY): " + unfetched)
        raise subprocess.CalledProcessError(code, command)


def find_go(names):
    """What builds `names`, which are not there."""
    lack = f"no {', '.join(names)}" + (
        " in $KUBEBUILDER_ASSETS" if os.environ.get("KUBEBUILDER_ASSETS")
        else "")
    go = shutil.which("go")
    if go is None:
        raise Missing(lack + ", and no Go to build with",
                      f"{GO}, or name their folder in KUBEBUILDER_ASSETS")
    said = subprocess.run([go, "version"], text=True,
                          capture_output=True).stdout
    version = re.search(r"go(\d+)\.(\d+)", said)
    if not version or tuple(map(int, version.groups())) < OLDEST_GO:
        raise Missing(f"{lack}, and {go} is too old to build with", GO)
    return go


def build_packages(go, env, folder, partial, packages, version, *modules):
    """Builds `packages` with Kubernetes' modules of `version` and others,
    `PATH vX.Y.Z`."""
    source = download(go, env, folder, f"{MODULE}@v{version}")
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write(go_mod(source["GoMod"], version, *modules))
    major, minor, _ = version.split(".")
    package = "k8s.io/component-base/version"
    stamps = {"gitVersion": "v" + version, "gitMajor": major,
              "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(f"-X {package}.{k}={v}" for k, v in stamps.items())
    build(env, folder, go, "build", "-mod=mod", "-p", "2", "-trimpath",
          "-ldflags", "-s -w " + flags, "-o", partial + "/", *packages)


def build_kubernetes(go, env, folder, partial, names):
    """Builds the programs `names` of Kubernetes' module into `partial`."""
    build_packages(go, env, folder, partial,
                   [f"{MODULE}/cmd/{name}" for name in names], VERSION)


def build_plugins(go, env, folder, partial, _):
    """The scheduler, and the definition of its pod groups."""
    source = download(go, env, folder, f"{PLUGINS}@v{PLUGINS_VERSION}")
    shutil.copyfile(os.path.join(source["Dir"], "manifests", "coscheduling",
                                 "crd.yaml"),
                    os.path.join(folder, "crd.yaml"))
    build_packages(go, env, folder, partial, [PLUGINS + "/cmd/scheduler"],
                   VERSIONS[0], f"{PLUGINS} v{PLUGINS_VERSION}")


def install(module, version, name):
    """Builds cmd/`name` of a module that replaces nothing, so that Go installs
    it as it is."""
    def builder(go, env, folder, partial, _):
        download(go, env, folder, f"{module}@v{version}")
        build(dict(env, GOBIN=partial), folder, go, "install", "-p", "2",
              "-trimpath", "-ldflags", "-s -w",
              f"{module}/cmd/{name}@v{version}")
    return builder


def build_alone(module, version, package, oldest):
    """Builds `package` of a module that Go does not install, because it replaces
    others; `oldest`: the Go that it needs."""
    def builder(go, env, folder, partial, names):
        download(go, env, folder, f"{module}@v{version}")
        with open(os.path.join(folder, "go.mod"), "w") as file:
            file.write(f"module troupe.invalid/{names[0]}\n\ngo {oldest}\n\n"
                       f"require {module} v{version}\n")
        build(env, folder, go, "build", "-mod=mod", "-p", "2", "-trimpath",
              "-ldflags", "-s -w", "-o", os.path.join(partial, names[0]),
              os.path.join(module, package).rstrip("/"))
    return builder


def built(folder, names, builder):
    """`folder`, with the programs `names` in it; what lacks is built.

    A second caller waits for the first.
    """
    if not lacking(folder, names):
        return folder
    go = find_go(lacking(folder, names))
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

def given_folder():
    """Which is of any version."""
    return os.environ.get("KUBEBUILDER_ASSETS") if VERSION == VERSIONS[0] \
        else None


def find(controllers=False):
    """The folder of kube-apiserver and kubectl; with `controllers`, of
    kube-controller-manager and kube-scheduler of the same version, too.

    Raises Missing, or CalledProcessError: a failed build.
    """
    names = SERVER + CONTROLLERS if controllers else SERVER
    folder = given_folder()
    if folder:
        lack = lacking(folder, names)
        if not lack:
            etcd(folder)
            return folder
    folder = cache_folder("kube-" + VERSION)
    etcd(folder)  # before minutes are spent on the rest
    # The server first, which others wait for.
    built(folder, SERVER, build_kubernetes)
    return built(folder, names, build_kubernetes)


def kubectl():
    """The path of one: beside kube-apiserver, else of the PATH if that is new
    enough, else built."""
    cached = cache_folder("kube-" + VERSION)
    for folder in filter(None, (given_folder(), cached)):
        if not lacking(folder, ["kubectl"]):
            return os.path.join(folder, "kubectl")
    found = shutil.which("kubectl") if VERSION == VERSIONS[0] else None
    if found and client_version(found) >= OLDEST_KUBECTL:
        return found
    try:
        built(cached, ["kubectl"], build_kubernetes)
    except Missing as lack:
        raise Missing("no kubectl %d.%d or later" % OLDEST_KUBECTL, "install "
                      f"it (kubernetes.io/docs/tasks/tools); {lack}") from None
    return os.path.join(cached, "kubectl")


def client_version(program):
    done = subprocess.run([program, "version", "--client", "--output=json"],
                          capture_output=True, text=True)
    found = re.search(r'"gitVersion": "v(\d+)\.(\d+)\.', done.stdout)
    return tuple(map(int, found.groups())) if found else (0, 0)


def kwok():
    """The path of kwok, which simulates nodes and their kubelets."""
    given = os.environ.get("KUBEBUILDER_ASSETS")
    if given and not lacking(given, ["kwok"]):
        return os.path.join(given, "kwok")
    folder = cache_folder("kwok-" + KWOK_VERSION)
    return os.path.join(built(folder, ["kwok"], install(
        KWOK, KWOK_VERSION, "kwok")), "kwok")


def actionlint():
    """The path of the program that checks workflows of hosted CIs."""
    folder = cache_folder("actionlint-" + ACTIONLINT_VERSION)
    return os.path.join(built(folder, ["actionlint"], install(
        ACTIONLINT, ACTIONLINT_VERSION, "actionlint")), "actionlint")


def helm():
    """The path of one that can take objects over."""
    folder = cache_folder("helm-" + HELM_VERSION)
    return os.path.join(built(folder, ["helm"], build_alone(
        HELM, HELM_VERSION, "cmd/helm", "1.24.0")), "helm")


def krew():
    """The path of the manager of kubectl's plugins."""
    folder = cache_folder("krew-" + KREW_VERSION)
    return os.path.join(built(folder, ["krew"], build_alone(
        KREW, KREW_VERSION, "cmd/krew", "1.21")), "krew")


def newer_etcd():
    """The path of an etcd that can say how far its watches have come."""
    folder = cache_folder("etcd-" + ETCD_VERSION)
    return os.path.join(built(folder, ["etcd"], build_alone(
        ETCD, ETCD_VERSION, "", "1.24.0")), "etcd")


def build_training_operator(go, env, folder, partial, names):
    """The program, and what installs it: `manifests`."""
    source = download(go, env, folder,
                      f"{TRAINING_OPERATOR}@v{TRAINING_OPERATOR_VERSION}")
    manifests = os.path.join(folder, "manifests")
    if not os.path.isdir(manifests):
        shutil.copytree(os.path.join(source["Dir"], "manifests"), manifests,
                        copy_function=shutil.copyfile)
    install(TRAINING_OPERATOR, TRAINING_OPERATOR_VERSION, *names)(
        go, env, folder, partial, names)


def training_operator():
    """The folder of the Kubeflow training operator's program,
    `training-operator.v1`, and of the `manifests` that install it."""
    return built(cache_folder("training-operator-" + TRAINING_OPERATOR_VERSION),
                 ["training-operator.v1"], build_training_operator)


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
            print(helm())
            print(krew())
            print(plugins())
    except subprocess.CalledProcessError as failure:
        print(f"assets: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main, "FOUND"))
