#!/usr/bin/python3
"""Which operator `explain` and `top` ask."""

import sys

from test_up import QUIET, Up, ready
from troupe import Folder, Program, finished, tfjob, wait_until

import needs  # of ../cluster
from checks import contains, equal, run
from process import free_port

STAYS = "import time; time.sleep(600)"


def explained(name, *args, env=None):
    return finished("explain", name, *args, env=env)


def own_operator(_):
    """the operator of the kubeconfig's cluster answers, not another one"""
    with Up("--no-node") as other, Up("--no-node") as up:
        up.create(tfjob("here", "pass"))
        up.await_condition("here", "Created")
        for args, env in ((("--kubeconfig", up.kubeconfig), {}),
                          ((), {"KUBECONFIG": up.kubeconfig})):
            code, text = explained("here", *args, env=env)
            equal(code, 0, text)
            contains(text, "TFJob default/here")
            code, text = finished("top", "--once", *args, env=env)
            equal(code, 0, text)
            contains(text, "default/here")
        code, text = explained("here", "--kubeconfig", other.kubeconfig)
        equal(code, 1, text)
        contains(text, "no job default/here")


def during_run(folder):
    """what `run` says to export leads to its operator"""
    job = folder.write("job.yaml", tfjob("running", STAYS))
    with Program("run", job) as program:
        path = program.await_line(r"export KUBECONFIG=(.*)")[1]
        program.await_line("Running")
        code, text = explained("running", env={"KUBECONFIG": path})
        equal(code, 0, text)
        contains(text, "TFJob default/running")


def without_address(_):
    """an operator without an admin endpoint is named as such"""
    with Up("--no-node", "--admin-bind-address", "0") as up:
        code, text = explained("any", "--kubeconfig", up.kubeconfig)
        equal(code, 1, text)
        contains(text, "the operator of this cluster has no admin endpoint")


def apart(_):
    """an operator beside the control plane is found, if it is that cluster's"""
    needs.free_local_port(8082)  # The usual address of the admin endpoint.
    health = free_port()
    quiet = list(QUIET)
    quiet[1], quiet[5] = f"127.0.0.1:{health}", "127.0.0.1:8082"
    with Up("--no-node", "--no-operator") as up, \
            Up("--no-node", "--no-operator") as other:
        with Program("operator", "--kubeconfig", up.kubeconfig, *quiet):
            wait_until("the operator to be ready", lambda: ready(health))
            up.create(tfjob("here", "pass"))
            up.await_condition("here", "Created")
            code, text = explained("here", "--kubeconfig", up.kubeconfig)
            equal(code, 0, text)
            contains(text, "TFJob default/here")
            code, text = explained("here", "--kubeconfig", other.kubeconfig)
            equal(code, 1, text)
            contains(text, "no pod has the label")


CASES = [own_operator, during_run, without_address, apart]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2]))
