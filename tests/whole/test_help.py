#!/usr/bin/python3
"""What the program says of itself: help, version, completion."""

import os
import socket
import subprocess
import sys

from test_up import Up
from troupe import LIMIT, TROUPE, Folder, tfjob

from checks import contains, equal, run  # of ../cluster


def said(*args):
    """(exit code, standard output, standard error)"""
    done = subprocess.run([TROUPE, *args], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def alone(_):
    """without arguments it shows its help"""
    code, out, err = said()
    equal((code, err), (0, ""))
    for command in ("run", "up", "explain", "completion"):
        contains(out, f"\n  {command} ")
    equal(out, said("--help")[1])


def version(_):
    """--version is what `version` prints"""
    code, out, _ = said("--version")
    equal(code, 0)
    contains(out, "troupe ")
    equal(out, said("version")[1])


def misspelt(_):
    """a misspelt command is proposed, another one is told what there is"""
    equal(said("runn", "job.yaml"),
          (2, "", "troupe: unknown command runn; did you mean run?\n"))
    code, _, err = said("deploy")
    equal(code, 2)
    contains(err, "choose one of run, up, ")


def completes(_):
    """bash completes commands and flags"""
    script = said("completion", "bash")[1]

    def completed(*words):
        ask = (f"{script}\nCOMP_WORDS=({' '.join(words)})\n"
               f"COMP_CWORD={len(words) - 1}\n_troupe\n"
               'echo "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", ask], check=True, text=True,
                              capture_output=True).stdout.split()

    equal(completed("troupe", "ru"), ["run"])
    equal(completed("troupe", "run", "--log"), ["--logs"])
    equal("--leader-elect" in completed("troupe", "operator", "--le"), True)
    equal(completed("troupe", "run", "job"), [])  # then bash offers files


def completes_values(folder):
    """bash completes values: choices, names that the cluster and the operator
    know; a server that does not answer keeps nobody waiting"""
    script = said("completion", "bash")[1]

    def completed(*words, env=None):
        words = (TROUPE, *words)
        quoted = " ".join(f"'{word}'" for word in words)
        ask = (f"{script}\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}"
               '\n_troupe\necho "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", ask], check=True, text=True,
                              env={**os.environ, **(env or {})}, timeout=LIMIT,
                              capture_output=True).stdout.split()

    os.mkdir(os.path.join(folder.path, "manifests"))
    equal(completed("run", "--output", ""), ["text", "json"])
    equal(completed("run", "--output", "=", "j"), ["json"])
    equal(completed("run", "--isolation", "na"), ["namespaces"])
    equal(completed("operator", "--log-level", "de"), ["debug"])
    equal(completed("run", "-k", folder.path + "/mani"),
          [folder.path + "/manifests"])
    equal(completed("run", "job"), [])  # then bash offers files
    with Up("--no-node") as up:
        up.create(tfjob("mnist", "pass"))
        up.await_condition("mnist", "Created")
        known = {"KUBECONFIG": up.kubeconfig}
        equal(completed("explain", "", env=known), ["mnist"])
        equal(completed("explain", "tfjob/", env=known), ["tfjob/mnist"])
        equal(completed("explain", "-n", "def", env=known), ["default"])
        equal(completed("explain", "--context", "t", env=known), ["troupe"])
        equal(completed("explain", "--kubeconfig", up.kubeconfig, "mn"),
              ["mnist"])
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        equal(completed("explain", "--admin", url, ""), [])


def other_shells(_):
    """zsh and fish have scripts, others are refused"""
    for shell in ("zsh", "fish"):
        contains(said("completion", shell)[1], "troupe")
    code, _, err = said("completion", "tcsh")
    equal(code, 2)
    contains(err, "tcsh")


CASES = [alone, version, misspelt, completes, completes_values, other_shells]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
