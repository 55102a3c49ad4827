"""Child processes of the tests: none survives the test that started it."""

import ctypes
import os
import signal
import socket
import subprocess
import sys

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


RESERVED = []  # sockets


def free_port():
    """A port of every IPv4 address for a server of the test; another each time.

    It stays reserved until this program ends: neither an outgoing connection
    nor a port chosen by another test takes it before the server listens, or
    between a server's end and its next start. A server may listen on it
    because both set SO_REUSEADDR and this socket does not listen. A port
    reserved on 127.0.0.1 only is one that the kernel gives to servers on
    127.0.0.2, which keep another one from listening on 0.0.0.0.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("0.0.0.0", 0))
    RESERVED.append(reserved)
    return reserved.getsockname()[1]


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_in_order():
    """SIGINT and SIGTERM unwind the program, so that its `with`s clean up.

    A shell's background job would ignore the first, the second leave the
    temporary folders.
    """
    def end(number, _):
        print(f"ends: {signal.strsignal(number)}", file=sys.stderr, flush=True)
        sys.exit(128 + number)

    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, end)


class Child:
    """A server started with `args`; its output is appended to the file `log`.

    Start it from the main thread: the kernel kills it when the thread that
    started it ends.
    """

    def __init__(self, args, log, env=None):
        self.args, self.log, self.env = list(map(str, args)), log, env
        self.process = None

    def start(self):
        with open(self.log, "ab") as out:
            # A session of its own: Ctrl-C reaches the test, which then stops
            # its children in order.
            self.process = subprocess.Popen(
                self.args, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=self.env, start_new_session=True,
                preexec_fn=die_with_parent)
        return self

    @property
    def pid(self):
        return self.process.pid

    def running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, seconds=20):
        """SIGTERM, then SIGKILL after `seconds`. Returns the exit code."""
        if self.process is None:
            return None
        if self.running():
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()

    def kill(self):
        """SIGKILL, and waits until the process is gone."""
        if self.process is None:
            return None
        if self.running():
            self.process.kill()
        return self.process.wait()

    def tail(self, lines=30):
        """The last `lines` of the log, for a failure's report."""
        if not os.path.exists(self.log):
            return ""
        with open(self.log, errors="replace") as file:
            return "".join(file.readlines()[-lines:])
