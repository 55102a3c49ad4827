#!/usr/bin/python3
"""kubectl's exec, attach and cp against `troupe up`."""

import contextlib
import fcntl
import hashlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import time

from pods_with_kubectl import run_with_kubectl
from test_up import PODS, Up
from troupe import LIMIT, processes_with, wait_until

from checks import contains, equal  # of ../cluster
from process import die_with_parent

MEBIBYTES = 50


def command(c):
    """a command's output, errors and exit code are those of the program"""
    code, out, errors = c.ended("exec", "plain", "-c", "main", "--", "sh", "-c",
                                "echo out; echo err >&2; exit 7")
    equal(out, "out\n", "output")
    equal(code, 7, "exit code")
    contains(errors, "err\n")
    contains(errors, "command terminated with exit code 7")
    equal(c.ended("exec", "plain", "--", "printf", "%s|", "a b", "", "-c")[1],
          "a b||-c|", "arguments")


def environment(c):
    """a command has the pod's name, address and variables"""
    code, out, errors = c.ended("exec", "plain", "-c", "side", "--", "sh", "-c",
                                "hostname; echo $ADDRESS")
    equal(code, 0, errors)
    address = c.up.get(f"{PODS}/plain")["status"]["podIP"]
    equal(out, f"plain\n{address}\n", "name and address")


def inside(c):
    """a command is where the container's program is, with its files"""
    c.pod("where", {"name": "main", "workingDir": "/tmp", "command": [
        "sh", "-c", "echo mine > file; exec sleep 1000"]})
    code, out, errors = c.ended("exec", "where", "--", "sh", "-c", """
        until grep -q mine file; do sleep .1; done
        program=$(grep -lz '^1000$' /proc/[0-9]*/cmdline | cut -d/ -f3)
        for kind in ipc mnt net pid user uts; do
            test $(readlink /proc/$program/ns/$kind) = \
                $(readlink /proc/self/ns/$kind) && echo $kind
        done""")
    equal(code, 0, errors)
    equal(out.split(), "ipc mnt net pid user uts".split(), "same namespaces")


def refusals(c):
    """what cannot be done is said as kubectl's users know it"""
    for args, part in [
            (("none", "--", "true"), 'pods "none" not found'),
            (("plain", "-c", "x", "--", "true"), "container x"),
            (("plain", "-c", "main", "--", "no-such-program"),
             'exec: "no-such-program": not found in $PATH')]:
        code, _, errors = c.ended("exec", *args)
        equal(code, 1, f"exit code of exec {args}: {errors}")
        contains(errors, part)
    c.pod("waits", {"name": "main", "command": ["sleep", "1000"]},
          initContainers=[{"name": "first", "image": "none",
                           "command": ["sleep", "1000"]}], phase="Pending")
    contains(c.ended("exec", "waits", "-c", "main", "--", "true")[2],
             'unable to upgrade connection: container not found ("main")')


def input_and_output(c):
    """fifty mebibytes go through a command, in both directions at once"""
    data = os.urandom(1 << 20) * MEBIBYTES
    done = c.kubectl("exec", "-i", "plain", "-c", "main", "--", "cat",
                     input=data)
    equal(done.returncode, 0, done.stderr)
    equal(hashlib.sha256(done.stdout).hexdigest(),
          hashlib.sha256(data).hexdigest(), f"sum of {len(done.stdout)} bytes")


def slow_reader(c):
    """a client that does not read stops the command, and loses nothing"""
    with c.running("exec", "plain", "-c", "main", "--", sys.executable, "-u",
                   "-c", "import sys; sys.stdout.write('x' * (50 << 20)); "
                   "print('wrote all', file=open('" + c.shared + "/all', 'w'))"
                   ) as child:
        equal(child.stdout.read(1), b"x", "first byte")
        # What fits on the way is in pipes and sockets by now or never.
        memory = memory_of(c.up.child.pid)
        assert memory < 400 << 10, f"{memory} KiB of memory"
        assert not os.path.exists(c.shared + "/all")
        total = 1
        while piece := child.stdout.read(1 << 20):
            total += len(piece)
        equal(total, 50 << 20, "bytes")
        equal(child.wait(LIMIT), 0, "exit code")


def runs(*words):
    """Whether there is a process of exactly this command line."""
    line = "\x00".join(words) + "\x00"
    for pid in processes_with(line):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/cmdline") as file:
                if file.read() == line:
                    return True
    return False


def memory_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def terminal(c):
    """-it is a terminal: its size follows the client's, Ctrl-C reaches it"""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (33, 99))
    child = subprocess.Popen(
        c.words("exec", "-it", "plain", "-c", "main", "--", "bash", "--norc"),
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=take_terminal)
    os.close(slave)
    seen = b""

    def expect(part):
        nonlocal seen
        until = time.monotonic() + LIMIT
        while part not in seen:
            ready, _, _ = select.select([master], [], [],
                                        max(until - time.monotonic(), 0))
            assert ready, f"no {part!r} in {seen!r}"
            seen += os.read(master, 65536)
        seen = seen[seen.index(part) + len(part):]

    try:
        os.write(master, b"tty; stty size\n")
        expect(b"/dev/pts/")
        expect(b"33 99\r\n")
        os.write(master, b"bash -c 'trap \"stty size; exit\" WINCH; "
                 b"echo tr\"\"apped; while :; do sleep .1; done'\n")
        expect(b"trapped")
        termios.tcsetwinsize(master, (44, 111))
        os.kill(child.pid, signal.SIGWINCH)
        expect(b"44 111")
        os.write(master, b"sleep 4713; echo af''ter $?\n")
        expect(b"sleep 4713")
        wait_until("sleep", lambda: runs("sleep", "4713"))
        os.write(master, b"\x03")
        os.write(master, b"echo co''de $?\n")
        expect(b"code 130")
        os.write(master, b"exit 5\n")
        equal(child.wait(LIMIT), 5, "exit code")
    finally:
        child.kill()
        child.wait()
        os.close(master)


def take_terminal():
    die_with_parent()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def copies(c):
    """cp brings a folder into the pod and back, byte by byte"""
    source = os.path.join(c.path, "source")
    os.makedirs(os.path.join(source, "deep"))
    for name in ("a", "deep/b"):
        with open(os.path.join(source, name), "wb") as file:
            file.write(os.urandom(3 << 20))
    there, back = f"/tmp/there-{os.getpid()}", os.path.join(c.path, "back")
    for args in ((source, f"plain:{there}"), (f"plain:{there}", back)):
        code, _, errors = c.ended("cp", "-c", "main", *args)
        equal(code, 0, errors)
    equal(subprocess.run(["diff", "-r", source, back]).returncode, 0, "diff")
    equal(os.path.exists(there), c.isolation == "preload", "it is the host's")
    equal(c.ended("exec", "plain", "-c", "main", "--", "rm", "-r", there)[0], 0,
          "exit code of rm")
    shutil.rmtree(source)
    shutil.rmtree(back)


def attached(c):
    """attach shows what the program writes, and gives it what it asks for"""
    c.pod("reader", {"name": "main", "stdin": True, "stdinOnce": True,
                     "command": ["sh", "-c",
                                 "while read x; do echo got $x; done"]})
    with c.running("attach", "-i", "reader") as child:
        child.stdin.write(b"one\n")
        child.stdin.flush()
        line = child.stdout.readline()
        while b"got one" not in line:
            assert line, "nothing was read"
            line = child.stdout.readline()
        child.stdin.close()
        child.stdin = open(os.devnull, "wb")
        child.stdout.read()
        equal(child.wait(LIMIT), 0, "exit code")
    wait_until("the pod to end", lambda: c.up.get(
        f"{PODS}/reader")["status"]["phase"] == "Succeeded")


def client_killed(c):
    """what a client has started ends when the client is killed"""
    with c.running("exec", "-i", "plain", "-c", "main", "--", "sh", "-c",
                   "sleep 4711 & wait"):
        wait_until("the command", lambda: runs("sleep", "4711"))
    wait_until("its end", lambda: not runs("sleep", "4711"))


def pod_deleted(c):
    """what was started in a pod ends with the pod"""
    c.pod("short", {"name": "main", "command": ["sleep", "1000"]})
    with c.running("exec", "short", "--", "sleep", "4712") as child:
        wait_until("the command", lambda: runs("sleep", "4712"))
        equal(c.ended("delete", "pod", "short", "--grace-period=1")[0], 0,
              "exit code of delete")
        out = child.stdout.read().decode()
        equal(child.wait(LIMIT), 137, "exit code of exec\n" + out)
    wait_until("its end", lambda: not runs("sleep", "4712"))


def discovery(c):
    """kubectl finds the subresources"""
    for what in ("pods/exec", "pods/attach", "pods/portforward"):
        equal(c.ended("auth", "can-i", "create", what)[1], "yes\n", what)
    names = {r["name"]: r for r in c.up.get("/api/v1")["resources"]}
    equal(names["pods/exec"]["verbs"], ["create", "get"], "verbs")


def other_protocols(c):
    """a client that speaks SPDY is told what is spoken here"""
    status, answer = c.up.ask(
        "POST", f"{PODS}/plain/exec?command=true&stdout=true")
    equal(status, 400, json.dumps(answer))
    contains(answer["message"], "WebSocket")


def simulated(c):
    """pods that run nothing have nothing to exec into"""
    with Up("--node", "simulated") as up:
        words = [c.program, "--kubeconfig", up.kubeconfig]
        up.ask("POST", PODS, {"metadata": {"name": "p"}, "spec": {
            "containers": [{"name": "c", "image": "none",
                            "command": ["sleep"]}]}})
        wait_until("it to run", lambda: up.get(
            f"{PODS}/p").get("status", {}).get("phase") == "Running")
        for args in (("exec", "p", "--", "true"), ("attach", "p"),
                     ("port-forward", "p", ":80")):
            done = subprocess.run(words + list(args), capture_output=True,
                                  timeout=LIMIT)
            equal(done.returncode, 1, f"exit code of {args}")
            contains(done.stderr.decode(), "simulated")


CASES = [command, environment, refusals, input_and_output, slow_reader,
         terminal, copies, attached, client_killed, pod_deleted, discovery,
         other_protocols, simulated]


def cases(isolation):
    return CASES + ([inside] if isolation == "namespaces" else [])


if __name__ == "__main__":
    sys.exit(run_with_kubectl(cases))
