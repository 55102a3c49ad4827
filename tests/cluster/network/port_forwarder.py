"""A kubelet that can do nothing but forward ports, as WebSockets.

The API server connects to it for `pods/portforward`. It forwards to ports of
this machine's loopback, where the operator of a test listens: what a real one
does inside a pod.
"""

import base64
import hashlib
import socket
import struct
import threading
import urllib.parse

from network.stand_in_kubelet import Kubelet
from network.tls_link import TlsLink

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of RFC 6455
PROTOCOL = "v4.channel.k8s.io"
DATA, ERROR = b"\0", b"\1"


class PortForwarder(Kubelet):
    """`forwarded` is what clients sent to pods."""

    def __init__(self, certificate, key):
        super().__init__(certificate, key)
        self.forwarded = []

    def answer(self, request):
        forward(request, self.forwarded)


def forward(request, log):
    """Answers a request for a port-forward, and plays it to its end."""
    query = urllib.parse.parse_qs(urllib.parse.urlparse(request.path).query)
    accept = base64.b64encode(hashlib.sha1(
        (request.headers["Sec-WebSocket-Key"] + MAGIC).encode()).digest())
    request.send_response(101)
    request.send_header("Upgrade", "websocket")
    request.send_header("Connection", "Upgrade")
    request.send_header("Sec-WebSocket-Accept", accept.decode())
    request.send_header("Sec-WebSocket-Protocol", PROTOCOL)
    request.end_headers()
    request.close_connection = True
    # Whoever asks sends nothing before this answer.
    link = TlsLink(request.connection)
    port = int((query.get("port") or query["ports"])[0])
    for channel in (DATA, ERROR):
        send(link, channel + struct.pack("<H", port))
    try:
        pod = socket.create_connection(("127.0.0.1", port), timeout=30)
    except OSError as why:
        send(link, ERROR + f"error forwarding port {port}: "
             f"{why}".encode())
        # Before the client has left, a close could be faster than the error.
        while receive(link):
            pass
        return
    with pod:
        back = threading.Thread(target=copy_answer, args=(pod, link))
        back.start()
        while frame := receive(link):
            if frame[:1] == DATA:
                log.append(frame[1:].decode())
                pod.sendall(frame[1:])
        pod.close()
        back.join()


def copy_answer(pod, client):
    try:
        while piece := pod.recv(1000):  # Many frames for one answer.
            send(client, DATA + piece)
    except OSError:
        pass  # One of the two has left.


def send(client, payload):
    head = struct.pack("!BB", 0x82, len(payload)) if len(payload) < 126 \
        else struct.pack("!BBH", 0x82, 126, len(payload))
    client.sendall(head + payload)


def receive(client):
    """The payload of the next binary frame, b"" at the end."""
    head = client.read(2)
    if len(head) < 2 or head[0] & 0x0f == 8:
        return b""
    length = head[1] & 0x7f
    if length == 126:
        length, = struct.unpack("!H", client.read(2))
    elif length == 127:
        length, = struct.unpack("!Q", client.read(8))
    mask = client.read(4) if head[1] & 0x80 else bytes(4)
    return bytes(b ^ mask[i % 4] for i, b in enumerate(client.read(length)))
