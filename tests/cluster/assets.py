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
etcd-server). Each of the other programs has a folder of its own beside that
one, `kwok-VERSION` and so on.

Exit codes: 0, 77 (no Go, nothing that it could fetch, or no etcd: the tests
that need this are skipped), 1 (the build failed).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from go_builds import GO  # noqa: F401
from go_builds import (KUBERNETES, build_alone, build_packages, built,
                       cache_folder, download, executable, find_go,
                       go_environment, install, lacking)
from needs import Missing, exit_code, programs

# Of Kubernetes. The first is what is used unless $TROUPE_KUBERNETES says which,
# the second the oldest that is supported (docs/versions.md); the last has the
# definitions that the CRDs and the embedded API server have.
VERSIONS = ("1.34.1", "1.26.15", "1.37.2")
VERSION = os.environ.get("TROUPE_KUBERNETES") or VERSIONS[0]
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
MPI_OPERATOR_VERSION = "0.8.2"
MPI_OPERATOR = "github.com/kubeflow/mpi-operator"
KUEUE_VERSION = "0.19.2"
KUEUE = "sigs.k8s.io/kueue"
VOLCANO_VERSION = "1.15.0"
VOLCANO = "volcano.sh/volcano"
JOBSET_VERSION = "0.12.0"
JOBSET = "sigs.k8s.io/jobset"
# The oldest that says what the tests expect.
OLDEST_KUBECTL = (1, 32)

if VERSION not in VERSIONS:
    sys.exit("TROUPE_KUBERNETES is none of " + ", ".join(VERSIONS))


def version():
    """Of the API server: (1, 34). That of $KUBEBUILDER_ASSETS is not known."""
    return tuple(map(int, VERSION.split(".")[:2]))


def etcd(folder):
    """The etcd to use with the binaries of `folder`."""
    beside = os.path.join(folder, "etcd")
    return beside if executable(beside) else programs("etcd")[0]


def build_kubernetes(go, env, folder, partial, names):
    """Builds the programs `names` of Kubernetes' module into `partial`."""
    build_packages(go, env, folder, partial,
                   [f"{KUBERNETES}/cmd/{name}" for name in names], VERSION)


def build_plugins(go, env, folder, partial, _):
    """The scheduler, and the definition of its pod groups."""
    source = download(go, env, folder, f"{PLUGINS}@v{PLUGINS_VERSION}")
    shutil.copyfile(os.path.join(source["Dir"], "manifests", "coscheduling",
                                 "crd.yaml"),
                    os.path.join(folder, "crd.yaml"))
    build_packages(go, env, folder, partial, [PLUGINS + "/cmd/scheduler"],
                   VERSIONS[0], f"{PLUGINS} v{PLUGINS_VERSION}")


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


def controller_manager():
    """The path of kube-controller-manager."""
    names = ["kube-controller-manager"]
    folder = given_folder()
    if not folder or lacking(folder, names):
        folder = built(cache_folder("kube-" + VERSION), names,
                       build_kubernetes)
    return os.path.join(folder, names[0])


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


def with_manifests(module, version, builder, of="manifests"):
    """Copies what installs the program, too: the module's folder `of`."""
    def both(go, env, folder, partial, names):
        source = download(go, env, folder, f"{module}@v{version}")
        manifests = os.path.join(folder, os.path.basename(of))
        if not os.path.isdir(manifests):
            shutil.copytree(os.path.join(source["Dir"], of), manifests,
                            copy_function=shutil.copyfile)
        builder(go, env, folder, partial, names)
    return both


def training_operator():
    """The folder of the Kubeflow training operator's program,
    `training-operator.v1`, and of the `manifests` that install it."""
    program = "training-operator.v1"
    what = TRAINING_OPERATOR, TRAINING_OPERATOR_VERSION
    return built(cache_folder("training-operator-" + TRAINING_OPERATOR_VERSION),
                 [program], with_manifests(*what, install(*what, program)))


def mpi_operator(release=MPI_OPERATOR_VERSION):
    """The folder of the Kubeflow MPI operator's program, `mpi-operator`, and of
    the `manifests` that install it."""
    program = "mpi-operator"
    what = MPI_OPERATOR, release
    return built(cache_folder("mpi-operator-" + release),
                 [program], with_manifests(*what, build_alone(
                     *what, "cmd/" + program, "1.26.0")))


def kueue():
    """The folder of Kueue's manager, `kueue`, and of the `components` that
    install it."""
    what = KUEUE, KUEUE_VERSION
    return built(cache_folder("kueue-" + KUEUE_VERSION), ["kueue"],
                 with_manifests(*what, build_alone(
                     *what, "cmd/kueue", "1.26.0"), "config/components"))


def jobset():
    """The folder of JobSet's manager, `jobset`, and of the `components` that
    install it."""
    what = JOBSET, JOBSET_VERSION
    return built(cache_folder("jobset-" + JOBSET_VERSION), ["jobset"],
                 with_manifests(*what, build_alone(
                     *what, "", "1.26.0"), "config/components"))


def plugins():
    """The folder of `scheduler`, kube-scheduler with scheduler-plugins, and of
    `crd.yaml`, its PodGroup."""
    return built(cache_folder("scheduler-plugins-" + PLUGINS_VERSION),
                 ["scheduler"], build_plugins)


def volcano_definitions():
    """The folder of Volcano's own definitions, by the names that its module
    gives to their files; nothing is built of it."""
    folder = cache_folder("volcano-" + VOLCANO_VERSION)
    os.makedirs(folder, exist_ok=True)
    here = os.path.join(folder, "definitions")
    if not os.path.isdir(here):
        source = download(find_go(["definitions of Volcano"]), go_environment(),
                          folder, f"{VOLCANO}@v{VOLCANO_VERSION}")
        partial = tempfile.mkdtemp(dir=folder)
        shutil.copytree(os.path.join(source["Dir"], "config", "crd", "volcano",
                                     "bases"), partial, dirs_exist_ok=True,
                        copy_function=shutil.copyfile)
        try:
            os.rename(partial, here)
        except OSError:  # Another one was first.
            shutil.rmtree(partial)
    return here


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
