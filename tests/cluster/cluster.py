#!/usr/bin/python3
"""A control plane for one test: etcd and kube-apiserver on 127.0.0.1.

No scheduler, kubelet or controller runs: tests do their work. With
`controllers` they do run, see `control_plane/controllers.py`. Nothing is kept:
the data lies in a temporary folder and every use starts afresh.

    with Cluster() as cluster:
        cluster.apply_crds()
        cluster.kubectl("get", "tfjobs")

    cluster.py up --kubeconfig OUT     in the foreground until SIGINT, SIGTERM
"""

import argparse
import base64
import glob
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

import assets
import needs
from control_plane.accounts import AUDITED
from control_plane.client import ApiError, Client
from control_plane.controllers import Controllers
from process import Child, end_in_order, free_port

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CRDS = os.path.join(REPOSITORY, "deploy", "crds")
START_LIMIT = 120  # seconds; a start takes about five


def wait_for(what, test, seconds, pause=0.1):
    """Calls `test` until its answer is true, and returns that answer."""
    end = time.monotonic() + seconds
    while True:
        answer = test()
        if answer:
            return answer
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(pause)


def openssl(*args):
    subprocess.run(("openssl",) + args, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Cluster:
    """Raises needs.Missing on a machine that cannot have one."""

    def __init__(self, crds=False, controllers=False, server_arguments=(),
                 etcd=None, address="127.0.0.1", node_grace=None):
        """`etcd`: the program, if not the one beside the others; `address`:
        of the API server; `node_grace`: see Controllers."""
        self.address = address
        self.server_arguments = server_arguments
        self.etcd_program = etcd
        self.binaries = assets.find(controllers)
        needs.programs("openssl")
        self.controllers = Controllers(self, node_grace) if controllers \
            else None
        self.with_crds = crds
        self.folder = tempfile.mkdtemp(prefix="troupe-cluster-")
        self.kubeconfig = self.path("kubeconfig")
        self.token = secrets.token_hex(16)
        self.etcd = self.server = self.client = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def binary(self, name):
        return os.path.join(self.binaries, name)

    def __enter__(self):
        try:
            self.start()
            if self.with_crds:
                self.apply_crds()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # -- starting and stopping -------------------------------------------

    def start(self):
        self.write_certificates()
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in "cp")
        self.etcd_url = client
        self.etcd = Child(
            [self.etcd_program or assets.etcd(self.binaries), "--data-dir", self.path("etcd"),
             "--unsafe-no-fsync", "--log-level", "error",
             "--quota-backend-bytes", 4 << 30,
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", "default=" + peer],
            self.path("etcd.log")).start()
        port = free_port()
        self.server = Child(
            [self.binary("kube-apiserver"), "--etcd-servers", client,
             "--bind-address", self.address, "--secure-port", port,
             # Never used, but it has to be an address and not a loopback one.
             "--advertise-address", "192.0.2.1",
             "--endpoint-reconciler-type", "none",
             "--cert-dir", self.path("certificates"),
             "--tls-cert-file", self.path("server.crt"),
             "--tls-private-key-file", self.path("server.key"),
             "--service-account-issuer", "https://kubernetes.default.svc",
             "--service-account-key-file", self.path("accounts.key"),
             "--service-account-signing-key-file", self.path("accounts.key"),
             "--authorization-mode", "RBAC",
             "--token-auth-file", self.path("tokens.csv"),
             "--service-cluster-ip-range", "10.0.0.0/16",
             "--audit-policy-file", self.write_audit_policy(),
             "--audit-log-path", self.path("audit.log"),
             *self.server_arguments,
             *(self.controllers.server_arguments() if self.controllers else
               # Nobody makes the account `default` of a namespace.
               ["--disable-admission-plugins", "ServiceAccount"])],
            self.path("kube-apiserver.log"))
        host = f"[{self.address}]" if ":" in self.address else self.address
        self.url = f"https://{host}:{port}"
        self.write_kubeconfig(self.kubeconfig, "admin", self.token)
        self.client = Client(self.kubeconfig)
        self.start_server()
        if self.controllers:
            self.controllers.start()

    def start_server(self):
        """Also for a restart: the port, the keys and the data stay."""
        self.server.start()
        wait_for("the API server to be ready", self.ready, START_LIMIT)

    def stop_server(self):
        self.server.stop()

    def kill_server(self):
        """SIGKILL, as a node's crash ends it."""
        self.server.kill()

    def kill_control_plane(self):
        """SIGKILL for the API server and etcd at the same time."""
        for child in (self.server, self.etcd):
            child.process.kill()
        for child in (self.server, self.etcd):
            child.process.wait()

    def start_control_plane(self):
        """Starts both again on the data that is there; waits for neither."""
        self.etcd.start()
        self.server.start()

    def ready(self):
        for child in (self.etcd, self.server):
            if not child.running():
                raise RuntimeError(f"{child.args[0]} ended:\n{child.tail()}")
        try:
            if self.client.text("GET", "/readyz")[0] != 200:
                return False
            self.client.get("/api/v1/namespaces/default")
            return True
        except (OSError, ApiError):
            return False

    def stop(self):
        if self.controllers:
            self.controllers.stop()
        for child in (self.server, self.etcd):
            if child:
                child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- keys --------------------------------------------------------------

    def write_certificates(self):
        days = ("-days", "2", "-nodes", "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:P-256")
        openssl("req", "-x509", *days, "-subj", "/CN=troupe-test",
                "-keyout", self.path("ca.key"), "-out", self.path("ca.crt"))
        openssl("req", "-x509", *days, "-subj", "/CN=kube-apiserver",
                "-addext",
                f"subjectAltName=IP:{self.address},DNS:localhost",
                "-addext", "basicConstraints=critical,CA:FALSE",
                "-CA", self.path("ca.crt"), "-CAkey", self.path("ca.key"),
                "-keyout", self.path("server.key"),
                "-out", self.path("server.crt"))
        openssl("genpkey", "-algorithm", "RSA",
                "-pkeyopt", "rsa_keygen_bits:2048",
                "-out", self.path("accounts.key"))
        with open(self.path("tokens.csv"), "w") as file:
            file.write(f'{self.token},admin,admin,"system:masters"\n')

    def write_audit_policy(self):
        path = self.path("audit-policy.yaml")
        with open(path, "w") as file:
            yaml.safe_dump(AUDITED, file)
        return path

    def write_kubeconfig(self, path, user, token):
        with open(self.path("ca.crt"), "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {
                "server": self.url, "certificate-authority-data": authority}}],
            "users": [{"name": user, "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {
                "cluster": "test", "user": user, "namespace": "default"}}]}
        with open(path, "w") as file:
            yaml.safe_dump(config, file)

    # -- use ---------------------------------------------------------------

    def kubectl(self, *args, stdin=None, check=True):
        """Runs kubectl; returns the finished process with its text output."""
        env = dict(os.environ, KUBECONFIG=self.kubeconfig, HOME=self.folder)
        done = subprocess.run(
            [self.binary("kubectl"), *map(str, args)], input=stdin, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if check and done.returncode:
            raise RuntimeError(f"kubectl {' '.join(map(str, args))}: exit "
                               f"{done.returncode}\n{done.stderr}")
        return done

    def apply_crds(self, folder=CRDS):
        """Plain `kubectl apply` of every definition, as a user would."""
        files = sorted(glob.glob(os.path.join(folder, "*_*.yaml")))
        self.kubectl("apply", *(f"--filename={name}" for name in files))
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s",
                     *(f"--filename={name}" for name in files))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start, and stop on SIGINT or SIGTERM")
    up.add_argument("--kubeconfig", required=True, help="written when ready")
    up.add_argument("--controllers", action="store_true",
                    help="with controllers, a scheduler and kwok")
    up.add_argument("--no-crds", action="store_true",
                    help="leave the definitions of deploy/crds out")
    args = parser.parse_args()
    stops = {signal.SIGINT, signal.SIGTERM}
    end_in_order()  # while it starts; later it waits for them
    with Cluster(not args.no_crds, args.controllers) as cluster:
        signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        shutil.copy(cluster.kubeconfig, args.kubeconfig)
        path = os.path.abspath(args.kubeconfig)
        print(f"ready: export KUBECONFIG={path}", flush=True)
        signal.sigwait(stops)
    return 0


if __name__ == "__main__":
    sys.exit(needs.exit_code(main, "STARTED"))
