#!/usr/bin/python3
"""kubectl's port-forward, and that of other clients, against `troupe up`."""

import concurrent.futures
import contextlib
import os
import re
import socket
import sys
import urllib.request

from pods_with_kubectl import run_with_kubectl
from test_up import PODS
from troupe import LIMIT

from checks import contains, equal  # of ../cluster


@contextlib.contextmanager
def forwarding(c, pod, port):
    with c.running("port-forward", f"pod/{pod}", f":{port}") as child:
        line = child.stdout.readline().decode()
        found = re.search(r"127.0.0.1:(\d+) ->", line)
        assert found, line + child.stdout.read().decode()
        yield int(found[1]), child


def forwarded(c):
    """port-forward serves several connections at once, whatever their size"""
    data = os.urandom(5 << 20)
    with open(os.path.join(c.shared, "large"), "wb") as file:
        file.write(data)
    with forwarding(c, "server", 8000) as (port, _):
        url = f"http://127.0.0.1:{port}/large"

        def fetch(_):
            with urllib.request.urlopen(url, timeout=LIMIT) as answer:
                return answer.read() == data

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            equal(list(pool.map(fetch, range(16))), [True] * 16, "same bytes")


class Channels:
    """A port-forward over a plain WebSocket, as other clients than kubectl
    make it: the first byte of a message is the number of a channel."""

    def __init__(self, c, pod, *ports):
        url, tls = c.up.api.url, c.up.api.tls
        self.link = tls.wrap_socket(socket.create_connection(
            (url.hostname, url.port), LIMIT), server_hostname=url.hostname)
        named = "&".join(f"ports={port}" for port in ports)
        self.link.sendall((
            f"GET {PODS}/{pod}/portforward?{named} HTTP/1.1\r\n"
            f"Host: {url.netloc}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n"
            f"Authorization: {c.up.api.headers['Authorization']}\r\n\r\n"
        ).encode())
        self.stream = self.link.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.stream.read(1)
        contains(head.decode(), "101 Switching Protocols")
        self.first = [self.receive() for _ in range(2 * len(ports))]

    def receive(self):
        """A message; None at the end."""
        while True:
            kind, size = self.stream.read(2)
            if size == 126:
                size = int.from_bytes(self.stream.read(2), "big")
            elif size == 127:
                size = int.from_bytes(self.stream.read(8), "big")
            data = self.stream.read(size)
            if kind & 15 == 8:
                return None
            if kind & 15 in (1, 2):
                return data

    def send(self, message):
        assert len(message) < 126
        self.link.sendall(bytes([0x82, 0x80 | len(message), 0, 0, 0, 0])
                          + message)  # masked by zeros

    def rest(self):
        """channel -> what comes on it until the end."""
        out = {}
        while message := self.receive():
            out[message[0]] = out.get(message[0], b"") + message[1:]
        return out


def forwarded_by_channels(c):
    """port-forward over WebSocket without SPDY serves every port it names"""
    with open(os.path.join(c.shared, "page"), "w") as file:
        file.write("page " * 100000)
    client = Channels(c, "server", 8000, 8001)
    low = [port.to_bytes(2, "little") for port in (8000, 8001)]
    equal(client.first, [b"\0" + low[0], b"\1" + low[0], b"\2" + low[1],
                         b"\3" + low[1]], "the ports")
    client.send(b"\0GET /page HTTP/1.0\r\n\r\n")
    answer = client.rest()
    equal(answer[0].endswith(b"page " * 100000), True, "all of the page")
    contains(answer[3].decode(), "refused")
    equal(sorted(answer), [0, 3], "channels")


def forwarded_nowhere(c):
    """port-forward to a port where nobody listens says so"""
    with forwarding(c, "server", 8001) as (port, child):
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            equal(client.recv(1), b"", "answer")
        text = ""
        while "connection refused" not in text:
            line = child.stdout.readline().decode()
            assert line, text
            text += line


CASES = [forwarded, forwarded_by_channels, forwarded_nowhere]

if __name__ == "__main__":
    sys.exit(run_with_kubectl(lambda _: CASES))
