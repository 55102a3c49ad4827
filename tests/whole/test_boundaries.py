#!/usr/bin/python3
"""What a pod in namespaces does not reach of other pods and of the node."""

import contextlib
import os
import sys
import tempfile

from isolations import why_no_namespaces
from test_up import Up
from troupe import Folder, wait_until

import needs  # of ../cluster
from checks import contains, equal, run

RBAC = ("--isolation", "namespaces", "--authorization", "RBAC")


class Pods:
    """`troupe up` with roles, and pods that run a script."""

    def __init__(self, *args):
        self.up = Up(*RBAC, *args)

    def __enter__(self):
        self.up.__enter__()
        return self

    def __exit__(self, *why):
        return self.up.__exit__(*why)

    def path(self, ns, name=""):
        return f"/api/v1/namespaces/{ns}/pods/{name}".rstrip("/")

    def namespace(self, name):
        status, answer = self.up.ask("POST", "/api/v1/namespaces",
                                     {"metadata": {"name": name}})
        equal(status, 201, f"creating {answer}")

    def start(self, ns, name, script, phase, env=None, mounts=None):
        """Mounts: {path in the container: path of the host}."""
        mounts = mounts or {}
        names = {there: f"v{i}" for i, there in enumerate(mounts)}
        status, answer = self.up.ask("POST", self.path(ns), {
            "metadata": {"name": name}, "spec": {
                "restartPolicy": "Never", "containers": [{
                    "name": "c", "image": "none",
                    "command": ["sh", "-c", script],
                    "env": [{"name": k, "value": v}
                            for k, v in (env or {}).items()],
                    "volumeMounts": [{"name": names[there], "mountPath": there}
                                     for there in mounts]}],
                "volumes": [{"name": names[there], "hostPath": {"path": host}}
                            for there, host in mounts.items()]}})
        equal(status, 201, f"creating {answer}")
        wait_until(f"{name} to be {phase}", lambda: self.up.get(
            self.path(ns, name)).get("status", {}).get("phase") == phase)

    def said(self, ns, name, script, **more):
        """What the script prints, errors too."""
        self.start(ns, name, f"exec 2>&1\n{script}\ntrue", "Succeeded", **more)
        status, text = self.up.api.text("GET",
                                        self.path(ns, name) + "/log")
        equal(status, 200, "status of the log")
        return text.decode()


def commands_in_other_namespaces(_):
    """a pod runs commands in pods of its own namespace only"""
    with Pods() as c:
        for ns in "a", "b":
            c.namespace(ns)
            c.start(ns, "victim", "sleep 1000", "Running",
                    {"SECRET": f"secret of {ns}"})
        text = c.said("a", "attacker", """
kubectl=$TROUPE_PODS/../../tools/kubectl
$kubectl exec victim -- sh -c 'echo its $SECRET'
$kubectl exec -n a victim -- sh -c 'echo still $SECRET'
$kubectl exec -n b victim -- sh -c 'echo $SECRET'
export TROUPE_PODS=$TROUPE_PODS/../b
$kubectl exec -n b victim -- sh -c 'echo $SECRET'
$kubectl exec victim -- sh -c 'echo $SECRET'
cd "${TROUPE_PODS%/pods/*}"
echo all: *
echo namespaces: pods/* contexts/*
""")
        contains(text, "its secret of a\nstill secret of a\n")
        contains(text, 'error: namespace "b" is not reached from a pod of '
                       'namespace "a"')
        contains(text, 'error: pod "victim" does not run on this node')
        contains(text, "all: contexts pods tools\n"
                       "namespaces: pods/a contexts/a\n")
        equal("secret of b" in text, False, text)


def keys_of_the_cluster(_):
    """a pod reads no token and no key of the API server, by no volume"""
    with tempfile.TemporaryDirectory(prefix="troupe-", dir="/var/tmp") as data:
        with Pods("--data", data) as c:
            run_directory = os.path.dirname(c.up.kubeconfig)
            text = c.said("default", "reader", f"""
ls -A {data}
ls -A /around/{os.path.basename(data)} /all{data} /inside /all{run_directory}
cat {data}/token /inside/token /around/{os.path.basename(data)}/token
cat /all{run_directory}/kubeconfig

""", mounts={"/around": "/var/tmp", "/all": "/", "/inside": data})
            with open(os.path.join(data, "token")) as file:
                token = file.read().strip()
            equal(token in text, False, text)
            contains(text, "No such file")
            for name in "objects.db", "token-key.pem", "kubeconfig\n":
                equal(f"\n{name}" in text, False, text)


CASES = [commands_in_other_namespaces, keys_of_the_cluster]


def cases():
    """None, where this machine refuses namespaces."""
    if why := why_no_namespaces():
        needs.left_out(f"{len(CASES)} cases", why)
        return []
    return CASES


if __name__ == "__main__":
    sys.exit(run(cases(), Folder, *sys.argv[1:2]))
