#!/usr/bin/python3
"""What `kubectl create` makes, which kubectl sends in protobuf, against
`troupe up`: it is stored as kubectl shows it in JSON before it sends it."""

import json
import os
import subprocess
import sys

from test_up import Up
from troupe import Folder, LIMIT

import assets  # of ../cluster
from checks import contains, equal, run

COMMANDS = """
configmap a --from-literal=x=1
secret generic a --from-literal=x=1
serviceaccount a
namespace a
role a --verb=get,list --resource=pods,deployments.apps --resource-name=b
rolebinding a --role=a --serviceaccount=default:a --user=u --group=g
clusterrole a --verb=get --non-resource-url=/healthz
clusterrolebinding a --clusterrole=a --user=u
quota a --hard=pods=1,requests.cpu=500m
poddisruptionbudget a --selector=app=a --min-available=50%
poddisruptionbudget b --selector=app=a --max-unavailable=2
ingress a --rule=a.example/b*=service:80,tls=secret --class=nginx
priorityclass a --value=-5 --description=low
deployment a --image=i --replicas=3 --port=80 -- run it
job a --image=i -- run it
cronjob a --image=i --schedule=@daily -- run it
service clusterip a --tcp=80:http
service nodeport b --tcp=80:8080
service externalname c --external-name=example.org
"""
# What the server writes itself, and what it need not keep.
IGNORED = ("creationTimestamp", "status", "namespace")


class Cluster(Folder):
    """`troupe up`, and kubectl."""

    def __init__(self):
        self.program = assets.kubectl()

    def __enter__(self):
        super().__enter__()
        # With a node, workloads without a controller would be refused.
        self.up = Up("--run-dir", os.path.join(self.path, "run"), "--no-node")
        self.up.__enter__()
        return self

    def __exit__(self, *_):
        self.up.__exit__()
        super().__exit__()

    def kubectl(self, *args):
        done = subprocess.run(
            [self.program, "--kubeconfig", self.up.kubeconfig, *args],
            capture_output=True, text=True, timeout=LIMIT)
        equal(done.returncode, 0, f"exit code of {args}: {done.stderr}")
        return done.stdout


def differences(sent, stored, path=""):
    """What of `sent` is not in `stored`, by its path."""
    if isinstance(sent, dict):
        return [d for key, value in sent.items() if key not in IGNORED
                and value not in (None, {})
                for d in differences(value, (stored or {}).get(key),
                                     f"{path}.{key}")]
    if isinstance(sent, list) and isinstance(stored, list):
        if len(sent) == len(stored):
            return [d for i, pair in enumerate(zip(sent, stored))
                    for d in differences(*pair, f"{path}[{i}]")]
    return [] if sent == stored else [f"{path}: {sent!r}, not {stored!r}"]


def created(command):
    def case(cluster):
        words = command.split(" ")
        end = words.index("--") if "--" in words else len(words)
        sent = json.loads(cluster.kubectl(
            "create", *words[:end], "--dry-run=client", "-o", "json",
            *words[end:]))
        cluster.kubectl("create", *words)
        stored = json.loads(cluster.kubectl(
            "get", words[0], sent["metadata"]["name"], "-o", "json"))
        equal(differences(sent, stored), [], "differences")

    case.__name__ = command.replace(" ", "_")
    case.__doc__ = f"kubectl create {command}"
    return case


def workloads_are_refused_where_nobody_would_make_their_pods(cluster):
    for command, kind in (("cronjob", "CronJob"),
                          ("deployment", "Deployment")):
        with Up("--run-dir", os.path.join(cluster.path, kind)) as up:
            done = subprocess.run(
                [cluster.program, "--kubeconfig", up.kubeconfig, "create",
                 command, "a", "--image=i",
                 *(["--schedule=* * * * *"] if command == "cronjob" else [])],
                capture_output=True, text=True, timeout=LIMIT)
        equal(done.returncode, 1, "exit code")
        contains(done.stderr,
                 f"no controller that would make the pods of a {kind}")


if __name__ == "__main__":
    sys.exit(run([*map(created, COMMANDS.strip().split("\n")),
                  workloads_are_refused_where_nobody_would_make_their_pods],
                 Cluster, *sys.argv[1:2]))
