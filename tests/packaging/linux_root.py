"""Roots of other Linux systems, to run a program as if it were started there.

Debian's are made by mmdebstrap once, and kept below ~/.cache/troupe/roots. What
is written into a root is gone when the program ends.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "deploy", "image"))

import debian_files  # noqa: E402
import needs  # noqa: E402

CACHE = os.path.join(os.path.expanduser("~"), ".cache", "troupe", "roots")
MIRROR = "http://deb.debian.org/debian"
SHARED = "/shared"  # A folder of this machine, in each root.
USER = 1000
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
# A root that is changed in memory only, and no chroot, as the kernel makes no
# user namespaces in one. Its first process is a shell that waits: when it is
# killed, all others are.
ENTER = """
set -e
top=$1 layers=$2 shared=$3; shift 3
mount -t tmpfs -o mode=755 none "$top"
mkdir "$top/upper" "$top/work" "$top/root"
mount -t overlay none "$top/root" \
  -o "lowerdir=$layers,upperdir=$top/upper,workdir=$top/work"
cd "$top/root"
mkdir -p dev proc sys tmp mnt shared
mount --rbind /dev dev
mount -t proc none proc
mount -t sysfs none sys
mount -t tmpfs -o mode=1777 none tmp
mount --bind "$shared" shared
pivot_root . mnt
exec chroot . /bin/sh -c 'umount -l /mnt; cd /shared; "$@"; exit $?' sh "$@"
"""
TOOLS = ("unshare", "mount", "pivot_root", "chroot")
BUSYBOX = ("sh", "umount", "cat", "cp", "ls", "sleep", "true", "chroot", "env")
SHELL = 'int main(int n, char** v) { return execv("/bin/static/sh", v); }'


class Root:
    """`layer` and the folders `added` above it; `shared` is /shared there, and
    where programs are started. `top`: an empty folder."""

    def __init__(self, layer, shared, top, added=()):
        needs.programs(*TOOLS)
        self.layers = ":".join([*added, layer])
        self.shared, self.top = shared, top

    def command(self, *command, user=0, env=None):
        """A command of this machine that runs another one there."""
        said = {**ENVIRONMENT, **(env or {})}
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}",
                   "--clear-groups"] if user else []
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child",
                "sh", "-c", ENTER, "sh", self.top, self.layers, self.shared,
                *as_user, "env", "-i", *(f"{n}={v}" for n, v in said.items()),
                *map(str, command)]

    def run(self, *command, seconds=120, **more):
        """(exit code, all output)"""
        done = subprocess.run(
            self.command(*command, **more), text=True, timeout=seconds,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, errors="replace")
        return done.returncode, done.stdout

    def check(self):
        """Raises Missing where nobody may enter it."""
        code, said = self.run("/bin/sh", "-c", ":")
        if code:
            raise needs.Missing(f"no root of one's own ({said.strip()})",
                                "run this as root, not in a chroot")


def debian(suite):
    """The folder of a Debian with Python and nothing else."""
    needs.programs("mmdebstrap")
    os.makedirs(CACHE, exist_ok=True)
    folder = os.path.join(CACHE, suite)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(folder):
            make_debian(suite, folder)
    return folder


def make_debian(suite, folder):
    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)
    print(f"makes {folder}: a minute", flush=True)
    done = subprocess.run(
        ["mmdebstrap", "--mode=root", "--variant=minbase", "--include=python3",
         suite, part, MIRROR], text=True, capture_output=True)
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise needs.Missing(f"no root of {suite} ({last})", "run this as root, "
                            f"where {MIRROR} can be reached")
    os.rename(part, folder)


def busybox(folder, packages):
    """Makes a root with a static busybox, without any C library."""
    program, = files_of("busybox-static", r"(usr/)?bin/busybox", packages)
    os.makedirs(os.path.join(folder, "bin"))
    write_program(os.path.join(folder, "bin", BUSYBOX[0]), program)
    for name in BUSYBOX[1:]:
        os.symlink(BUSYBOX[0], os.path.join(folder, "bin", name))


def musl(folder, packages):
    """Adds the C library musl to such a root, and a shell that is linked with
    it, as Alpine's is."""
    needs.programs("cc")
    library, = files_of("musl", r".*/libc\.so", packages)
    start = files_of("musl-dev", r".*/(crt1|crti|crtn)\.o", packages)
    loader = f"/lib/ld-musl-{os.uname().machine}.so.1"
    os.makedirs(os.path.join(folder, "lib"))
    for path in (loader, "/libc.so"):  # It is both.
        write_program(folder + path, library)
    os.makedirs(os.path.join(folder, "bin", "static"))
    os.rename(os.path.join(folder, "bin", "sh"),
              os.path.join(folder, "bin", "static", "sh"))
    objects = [os.path.join(folder, f"{n}.o") for n in range(len(start))]
    for path, data in zip(objects, start):
        write_program(path, data)
    subprocess.run(
        ["cc", "-w", "-nostdlib", "-o", os.path.join(folder, "bin", "sh"),
         *objects, "-xc", "-", "-L" + folder, "-l:libc.so",
         "-Wl,-dynamic-linker," + loader], check=True, text=True, input=SHELL)
    for name in BUSYBOX[1:]:
        path = os.path.join(folder, "bin", name)
        os.remove(path)
        os.symlink("static/sh", path)


def files_of(package, pattern, folder):
    """The contents of those files of a package of Debian's."""
    try:
        found, = debian_files.download([package], folder)
    except debian_files.Missing as lack:
        raise needs.Missing(f"no {package} ({lack})",
                            "run this on a Debian that apt-get serves")
    return [data for path, (member, data) in sorted(found.members.items())
            if re.fullmatch(pattern, path) and member.isfile()]


def write_program(path, data):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o755)
