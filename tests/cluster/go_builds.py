"""Builds programs through their Go modules, once: into folders of a cache.

Raises needs.Missing where there is no Go, or nothing that it could fetch, and
CalledProcessError for a build that fails.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

from needs import Missing

KUBERNETES = "k8s.io/kubernetes"
# The oldest Go that fetches the one it needs, and where that is.
OLDEST_GO = (1, 21)
GO = "install Go 1.21 or later (go.dev/dl)"
# What Go says where it cannot.
NOT_FETCHED = re.compile(
    r"dial tcp|lookup .*: |i/o timeout|TLS handshake|proxyconnect|tls: "
    r"|GOPROXY=off|requires go >=|toolchain not available")


def executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def lacking(folder, names):
    return [name for name in names
            if not executable(os.path.join(folder, name))]


def cache_folder(name):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "troupe", name)


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
             f"require {KUBERNETES} v{version}",
             *(f"require {name}" for name in more), "", "replace (",
             f"\t{KUBERNETES} => {KUBERNETES} v{version}"]
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


def go_environment():
    """The Go settings of a caller's project are not this one's. Go's compiler
    collects its garbage less often: a fifth less time, twice the memory."""
    return dict(os.environ, CGO_ENABLED="0", GOFLAGS="", GOWORK="off",
                GOGC="400")


def build_packages(go, env, folder, partial, packages, version, *modules):
    """Builds `packages` with Kubernetes' modules of `version` and others,
    `PATH vX.Y.Z`."""
    source = download(go, env, folder, f"{KUBERNETES}@v{version}")
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write(go_mod(source["GoMod"], version, *modules))
    major, minor, _ = version.split(".")
    package = "k8s.io/component-base/version"
    stamps = {"gitVersion": "v" + version, "gitMajor": major,
              "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(f"-X {package}.{k}={v}" for k, v in stamps.items())
    build(env, folder, go, "build", "-mod=mod", "-p", "2", "-trimpath",
          "-ldflags", "-s -w " + flags, "-o", partial + "/", *packages)


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
        env = go_environment()
        partial = os.path.join(folder, "partial")
        os.makedirs(partial, exist_ok=True)
        builder(go, env, folder, partial, names)
        for name in names:
            os.replace(os.path.join(partial, name), os.path.join(folder, name))
    return folder
