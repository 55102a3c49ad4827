#!/usr/bin/python3
"""Clients that open many connections, and send requests that never end."""

import json
import socket
import ssl
import sys
import time

from test_up import Up
from troupe import Folder, Program, wait_until

from checks import contains, equal, run  # of ../cluster
from process import free_port  # of ../cluster

MIB = 1 << 20
CROWD = 2100


def resident(program):
    """MiB of memory that a process has."""
    with open(f"/proc/{program.child.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


def connect(port, host="127.0.0.1"):
    client = socket.create_connection((host, port), timeout=20)
    return client


def send_what_is_taken(client, data, patience=0.05):
    """Sends until the server takes no more; returns how much that was."""
    client.settimeout(patience)
    sent = 0
    try:
        while sent < len(data):
            sent += client.send(data[sent:sent + 256 * 1024])
    except (socket.timeout, OSError):
        pass
    client.settimeout(20)
    return sent


def first_line(client):
    answer = b""
    try:
        while b"\r\n" not in answer:
            piece = client.recv(4096)
            if not piece:
                break
            answer += piece
    except OSError:
        pass
    return answer.split(b"\r\n")[0].decode()


def status_of(client):
    words = first_line(client).split()
    return int(words[1]) if len(words) > 1 else 0


def post(path, length, more=""):
    return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}"
            f"Content-Type: application/json\r\n"
            f"Content-Length: {length}\r\n\r\n").encode()


def get(port, path):
    """(status, seconds)."""
    begin = time.monotonic()
    with connect(port) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Connection: close\r\n\r\n".encode())
        return status_of(client), time.monotonic() - begin


class Operator(Program):
    """`troupe operator` with everything that listens."""

    def __init__(self, up):
        names = ("health-probe", "metrics", "admin", "di-server")
        self.ports = {name: free_port() for name in names}
        self.ports["webhooks"] = free_port()
        url = f"https://127.0.0.1:{self.ports['webhooks']}"
        up.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "kubeflow"}})
        super().__init__(
            "operator", "--kubeconfig", up.kubeconfig,
            *(word for name in names for word in
              (f"--{name}-bind-address", f"127.0.0.1:{self.ports[name]}")),
            "--webhook-url", url,
            "--webhook-server-port", self.ports["webhooks"])

    def __enter__(self):
        def ready():
            try:
                return get(self.ports["health-probe"], "/readyz")[0] == 200
            except OSError:
                return False
        wait_until("the operator to be ready", ready)
        return self


def unfinished_bodies(_):
    """bodies that never end cost little memory, and nobody is kept waiting"""
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        pages = (("metrics", "/metrics", (200,)),
                 ("health-probe", "/healthz", (200,)),
                 ("admin", "/admin/v1/jobs", (200, 405, 413, 503)),
                 ("di-server", "/v1alpha1/replicas", (403, 413)),
                 ("di-server", "/any", (404,)))
        before = resident(operator)
        body = b"x" * (16 * MIB - 1)
        clients, answers = [], {}
        for name, path, _ in pages:
            for _ in range(60):
                client = connect(operator.ports[name])
                clients.append((path, client))
                client.sendall(post(path, 16 * MIB))
                send_what_is_taken(client, body)
        grown = resident(operator) - before
        if grown > 40:
            raise AssertionError(f"{grown:.0f} MiB more")
        for path, client in clients:
            answers.setdefault(path, set()).add(status_of(client))
            client.close()
        for _, path, statuses in pages:
            for status in answers[path]:
                contains(statuses, status)
        equal(get(operator.ports["metrics"], "/metrics")[0], 200)


def idle_connections(_):
    """2,100 idle connections of one client, and probes are answered"""
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        before = resident(operator)
        for name, path in (("health-probe", "/healthz"),
                           ("metrics", "/metrics")):
            port = operator.ports[name]
            for beginning in (b"", b"G", b"GET / HTTP/1.1\r\nX: " + b"x" * 9000):
                clients = []
                try:
                    for i in range(CROWD):
                        client = connect(port)
                        clients.append(client)
                        if beginning:
                            send_what_is_taken(client, beginning)
                        if i % 300 == 299:
                            equal(get(port, path)[0], 200)
                    equal(get(port, path)[0], 200)
                finally:
                    for client in clients:
                        client.close()
        grown = resident(operator) - before
        if grown > 40:
            raise AssertionError(f"{grown:.0f} MiB more")


def webhooks(_):
    """reviews are answered while other addresses hold what they can get"""
    with Up("--no-operator", "--no-node") as up, Operator(up) as operator:
        port = operator.ports["webhooks"]
        before = resident(operator)
        insecure = ssl.create_default_context()
        insecure.check_hostname, insecure.verify_mode = False, ssl.CERT_NONE
        path = "/convert"
        clients = []

        def review():
            body = json.dumps({
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "ConversionReview",
                "request": {"uid": "u", "desiredAPIVersion":
                            "diengine.opendilab.org/v1alpha1", "objects": []}})
            with insecure.wrap_socket(connect(port)) as client:
                client.sendall(post(path, len(body)) + body.encode())
                return status_of(client)

        def secure(host):
            raw = socket.socket()
            raw.settimeout(20)
            raw.bind((host, 0))
            raw.connect(("127.0.0.1", port))
            return raw
        equal(review(), 200)
        try:
            for i in range(900):
                clients.append(secure(f"127.0.0.{2 + i % 3}"))
                if i % 2:
                    clients[-1].sendall(b"\x16\x03\x01")
            equal(review(), 200)
            for i in range(60):
                try:
                    client = insecure.wrap_socket(secure("127.0.0.2"))
                except OSError:
                    continue
                clients.append(client)
                try:
                    client.sendall(post(path, 8 * MIB) + b"x" * (6 * MIB))
                except OSError:
                    pass
                if i % 20 == 19:
                    equal(review(), 200)
        finally:
            for client in clients:
                client.close()
        grown = resident(operator) - before
        if grown > 150:
            raise AssertionError(f"{grown:.0f} MiB more")


def embedded_server(_):
    """the API server of a laptop reads what strangers send no further than
    their head, and of its own users no more than its budget"""
    with Up("--no-operator", "--no-node", "--authorization", "AlwaysAllow"
            ) as up:
        port = int(up.server.rsplit(":", 1)[1])
        path = "/api/v1/namespaces/default/configmaps"
        before = resident(up)
        body = b"x" * (12 * MIB)

        def crowd(more):
            clients = []
            for _ in range(60):
                client = connect(port)
                clients.append(client)
                client.sendall(post(path, 16 * MIB, more).replace(
                    b"Host: 127.0.0.1\r\n",
                    f"Host: 127.0.0.1:{port}\r\n".encode()))
                send_what_is_taken(client, body, 0.2)
            return clients
        strangers = crowd("")
        equal({status_of(client) for client in strangers}, {401})
        grown = resident(up) - before
        if grown > 30:
            raise AssertionError(f"{grown:.0f} MiB more, by strangers")
        users = crowd(
            f"Authorization: {up.api.headers['Authorization']}\r\n")
        grown = resident(up) - before
        if grown > 260:
            raise AssertionError(f"{grown:.0f} MiB more, by users")
        equal(up.ask("GET", path)[0], 200)
        for client in strangers + users:
            client.close()


if __name__ == "__main__":
    sys.exit(run((unfinished_bodies, idle_connections, webhooks,
                  embedded_server), Folder, *sys.argv[1:2]))
