"""Programs of arm64 on this machine, in qemu.

qemu runs one program. What that program starts is run by the kernel, which has
to be told to start qemu for it (binfmt_misc). Since Linux 6.7 that can be done
in a user namespace, for the processes in it alone.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name)
                for name in ("cluster", "packaging")]

import needs  # noqa: E402
from operators.shipped import REPOSITORY  # noqa: E402

BUILD = os.path.join(REPOSITORY, "build-arm64")
SYSROOT = os.path.join(BUILD, "sysroot")
TROUPE = os.path.join(BUILD, "troupe")
QEMU = "qemu-aarch64-static"
FORMAT = "/usr/lib/binfmt.d/qemu-aarch64.conf"  # Of Debian's qemu-user-static.
REGISTERED = "/proc/sys/fs/binfmt_misc"
ENTER = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
         f"mount -t binfmt_misc none {REGISTERED} && "
         f"cat {FORMAT} >{REGISTERED}/register && exec \"$@\"", "sh"]
ROOT = ["sh", "-c", """
for name in proc sys dev tmp; do
  mkdir -p "$0/$name" && mount --rbind "/$name" "$0/$name" || exit 1
done
mkdir -p "$0/mnt" && mount --bind "$1" "$0/mnt" || exit 1
touch "$0/etc/hosts" && mount --bind /etc/hosts "$0/etc/hosts" || exit 1
shift
exec chroot "$0" env -i PATH=/usr/bin HOME=/tmp "$@"
"""]


def in_namespace(*command):
    """The words that run this where all programs of arm64 can be run."""
    return [*ENTER, *command]


def in_root(*command):
    """With the sysroot as the root directory, and the project at /mnt."""
    return in_namespace(*ROOT, SYSROOT, REPOSITORY, *command)


def in_qemu(*command):
    """A program alone; what it starts is of this machine."""
    return [shutil.which(QEMU), "-L", SYSROOT, *command]


def why_no_children():
    """A needs.Missing if programs of arm64 cannot start others; else None."""
    try:
        needs.user_namespaces()
    except needs.Missing as lack:
        return lack
    if not os.path.exists(FORMAT):
        return needs.Missing(f"no {FORMAT}", "install Debian's qemu-user-static")
    done = run(in_root("/bin/sh", "-c", "exec /bin/true"))
    if done.returncode:
        return needs.Missing(
            f"the kernel starts no qemu ({done.stdout.strip()})",
            "run this on Linux 6.7 or later")
    return None


def run(command, **more):
    """Ended, with all its output in `stdout`."""
    return subprocess.run(command, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
