"""What the tests need of a machine beside the built program, and how one says
that it is not there.

Whoever misses something raises Missing. A program of which nothing can be
tested says so in one line and ends with SKIPPED (`exit_code`); a part of one
that can say `left_out`. `.ci/stages.py` sums both up.
"""

import shutil
import socket
import subprocess
import sys

SKIPPED = 77
# Debian's packages, where they are not called like their program.
PACKAGES = {"aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
            "chromedriver": "chromium-driver", "cpack": "cmake",
            "ctest": "cmake", "dpkg-shlibdeps": "dpkg-dev", "dpkg-deb": "dpkg",
            "apt-get": "apt", "etcd": "etcd-server", "groff": "groff-base",
            "ip": "iproute2", "ninja": "ninja-build",
            "mpirun.openmpi": "openmpi-bin", "mpiexec.hydra": "mpich",
            "/usr/sbin/sshd": "openssh-server", "ssh": "openssh-client",
            "ssh-keygen": "openssh-client", "promtool": "prometheus",
            "qemu-aarch64-static": "qemu-user-static",
            "strip": "binutils", "readelf": "binutils", "setpriv": "util-linux",
            "unshare": "util-linux"}
USER_NAMESPACE = ("unshare", "--user", "--map-root-user")
LET_NAMESPACES = ("run this where the kernel lets users make them (sysctl "
                  "user.max_user_namespaces), not in a chroot")
LET_OVERLAY = "put TMPDIR on a file system that an overlay can have"


class Missing(Exception):
    """`lack` is not there; `remedy` says what to install or to do."""

    def __init__(self, lack, remedy):
        super().__init__(" ".join(f"{lack}: {remedy}".split()))


def programs(*names):
    """The paths of programs of Debian's packages."""
    paths = [shutil.which(name) for name in names]
    if lack := [name for name, path in zip(names, paths) if not path]:
        packages = dict.fromkeys(PACKAGES.get(name, name) for name in lack)
        raise Missing("no " + ", ".join(lack), "install Debian's "
                      + ", ".join(packages))
    return paths


def user_namespaces():
    """Raises Missing where the kernel lets nobody make them."""
    programs("unshare")
    done = subprocess.run([*USER_NAMESPACE, "true"], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise Missing("no user namespaces (" + done.stderr.strip() + ")",
                      LET_NAMESPACES)


def localhost():
    """Raises Missing where that name has no address."""
    try:
        socket.getaddrinfo("localhost", 80)
    except socket.gaierror:
        raise Missing("localhost has no address",
                      "give it one in /etc/hosts") from None


def ipv6():
    """Raises Missing where this machine has no IPv6 address of its own."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        raise Missing("no IPv6 loopback", "give lo the address ::1") from None


def free_local_port(port):
    """Raises Missing where somebody listens at this port of 127.0.0.1."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        raise Missing(f"127.0.0.1:{port} is in use",
                      "end what listens there") from None


def left_out(what, lack):
    """`what` of a program is not tested: `lack` is a Missing or its text."""
    print(f"LEFT OUT: {what}: {lack}", flush=True)


def exit_code(main, what="TESTED"):
    """That of `main()`; SKIPPED after one line where something is missing."""
    try:
        return main()
    except Missing as lack:
        print(f"SKIPPED, NOTHING WAS {what}: {lack}", file=sys.stderr)
        return SKIPPED
