"""Attacks by connections to the operator's ports: what a pod can do, whatever
it is. Its address is another one than that of those who are served."""

import concurrent.futures
import resource
import select
import socket
import ssl
import time

from checks import contains
from tenants import MOST_MEMORY, attack, equal

ADDRESS = "127.0.0.66"  # of the hostile tenant's pod
BODY = 16 << 20
UNFINISHED = 60  # requests
# Of bodies as large as a server takes them, as many as make a gigabyte.
TAKEN = {"di-server": (1 << 20, 1000), "webhooks": (8 << 20, 120)}
IDLE = 2100  # connections
ENOUGH_REFUSED = 20  # in a row
STALLED = 2  # seconds in which a server has taken nothing
PROBE_LIMIT = 10  # seconds; a kubelet's probe has one or a few


def ports(fixture):
    """name -> (port, a path)"""
    operator = fixture.operator
    return {"metrics": (operator.metrics_port, "/metrics"),
            "probes": (operator.health, "/healthz"),
            "admin": (operator.admin, "/admin/v1/jobs"),
            "di-server": (operator.di_server, "/v1alpha1/replicas"),
            "webhooks": (operator.webhooks, "/convert")}


class Connections:
    """Open ones to a port; those that the server refuses are left out."""

    def __init__(self, port, count, tls=False, address=ADDRESS):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.links, self.address, refused = [], address, 0
        for _ in range(count):
            try:
                self.links.append(self.connect(port, tls))
                refused = 0
            except OSError:
                refused += 1
                if refused == ENOUGH_REFUSED:
                    break

    def connect(self, port, tls):
        link = socket.socket()
        link.settimeout(1)
        try:
            link.bind((self.address, 0))
            link.connect(("127.0.0.1", port))
            if tls:
                anybody = ssl.create_default_context()
                anybody.check_hostname = False
                anybody.verify_mode = ssl.CERT_NONE
                link = anybody.wrap_socket(link)
        except OSError:
            link.close()
            raise
        link.setblocking(False)
        return link

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for link in self.links:
            link.close()

    def send_all_but_the_end(self, head, size):
        """To each the head of a request and most of its body, as long as the
        server takes any."""
        piece = b" " * 65536
        left = {link: [head, size - 1] for link in self.links}
        last = time.monotonic()
        while left and time.monotonic() - last < STALLED:
            for link in writable(left):
                try:
                    text, more = left[link]
                    sent = link.send(text or piece[:more])
                except ssl.SSLError:
                    continue
                except OSError:
                    del left[link]
                    continue
                last = time.monotonic()
                if text:
                    left[link][0] = text[sent:]
                else:
                    left[link][1] -= sent
                    if left[link][1] == 0:
                        del left[link]


def writable(links, seconds=0.2):
    """Those that take something, or are at their end."""
    poll, by_number = select.poll(), {}
    for link in links:
        poll.register(link, select.POLLOUT)
        by_number[link.fileno()] = link
    return [by_number[number] for number, _ in poll.poll(1000 * seconds)]


def probe(fixture):
    """The status line of /healthz, as a kubelet asks it."""
    port = fixture.operator.health
    with socket.create_connection(("127.0.0.1", port),
                                  timeout=PROBE_LIMIT) as link:
        link.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                     "Connection: close\r\n\r\n".encode())
        return link.recv(4096).split(b"\r\n")[0]


def unfinished(name, size=BODY, count=UNFINISHED):
    def case(fixture, _):
        port, path = ports(fixture)[name]
        head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                "Content-Type: application/json\r\n"
                f"Content-Length: {size}\r\n\r\n")
        with Connections(port, count, name == "webhooks") as c:
            c.send_all_but_the_end(head.encode(), size)
            equal(probe(fixture), b"HTTP/1.1 200 OK", "the probe's answer")
            fixture.check_unharmed()

    case.__name__ = "unfinished_" + name
    case.__doc__ = f"{count} unfinished bodies of {size >> 20} MiB: {name}"
    return attack(case)


def idle(name, address=ADDRESS):
    def case(fixture, _):
        port = ports(fixture)[name][0]
        with Connections(port, IDLE, address=address):
            for _ in range(3):
                equal(probe(fixture), b"HTTP/1.1 200 OK", "the probe's answer")
            fixture.check_unharmed()

    case.__name__ = "idle_" + name
    case.__doc__ = f"{IDLE:,} idle connections of {address}: {name}"
    return attack(case)


# -- requests that have very many values ---------------------------------------

REVIEW = 8 * 1000 * 1000  # bytes; the largest has 8 MiB
AT_ONCE = 4
ROUNDS = 3
# What has the most values, the largest values, and the most of other names.
DENSE = ("[" + ",".join(["[]"] * (REVIEW // 3)) + "]",
         "{" + ",".join(['"":0'] * (REVIEW // 5)) + "}",
         "{" + ",".join(f'"{n:x}":0' for n in range(REVIEW // 12)) + "}")
TF, DI = "kubeflow.org/v1", "diengine.opendilab.org/v1alpha1"


def job(kind, version, more, spec):
    return (f'{{"apiVersion":"{version}","kind":"{kind}","metadata":'
            f'{{"name":"a","namespace":"ns"{more}}},"spec":{spec}}}')


def review(kind, version, request):
    return (f'{{"apiVersion":"{version}","kind":"{kind}",'
            f'"request":{{"uid":"u",{request}}}}}').encode()


def admission(more, spec):
    return "/validate-kubeflow-org-v1-tfjob", review(
        "AdmissionReview", "admission.k8s.io/v1",
        f'"operation":"CREATE","object":{job("TFJob", TF, more, spec)}')


def conversion(objects):
    return "/convert", review(
        "ConversionReview", "apiextensions.k8s.io/v1",
        '"desiredAPIVersion":"diengine.opendilab.org/v2alpha1",'
        f'"objects":{objects}')


def dense_reviews():
    """(name, path, body)"""
    for dense in DENSE:
        yield "a spec", *admission("", f'{{"x":{dense}}}')
        yield "managed fields", *admission(f',"managedFields":{dense}', "{}")
        yield "labels", *admission(f',"labels":{dense}', "{}")
        yield "a conversion", *conversion(
            f'[{job("DIJob", DI, "", dense)}]')
        yield "no object", *conversion(dense)


def send_review(port, path, body):
    """The answer, whole."""
    anybody = ssl.create_default_context()
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    with socket.socket() as plain:
        plain.bind((ADDRESS, 0))
        plain.settimeout(60)
        plain.connect(("127.0.0.1", port))
        with anybody.wrap_socket(plain) as link:
            link.sendall((f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                          "Content-Type: application/json\r\n"
                          "Connection: close\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n").encode()
                         + body)
            return b"".join(iter(lambda: link.recv(65536), b""))


@attack
def dense_texts(fixture, _):
    """reviews of 8 MB with millions of values, four at once"""
    port = fixture.operator.webhooks
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as threads:
        for name, path, body in dense_reviews():
            sent = [threads.submit(send_review, port, path, body)
                    for _ in range(AT_ONCE)]
            for answer in sent:
                contains((b"HTTP/1.1 200 OK", b"HTTP/1.1 400 Bad Request"),
                         answer.result().split(b"\r\n")[0])
            peak = fixture.operator.memory()[1]
            equal(peak < MOST_MEMORY, True, f"{peak:.0f} MiB after {name}")
        busy = [threads.submit(send_review, port, *admission(
            "", f'{{"x":{DENSE[0]}}}')) for _ in range(AT_ONCE * ROUNDS)]
        fixture.check_unharmed()
        for answer in busy:
            contains(answer.result(), b"spec: Too many: has ")


PORTS = ("metrics", "probes", "admin", "di-server", "webhooks")
CASES = [*map(unfinished, PORTS),
         *(unfinished(name, *more) for name, more in TAKEN.items()),
         *map(idle, PORTS),
         idle("probes", "127.0.0.1"),
         dense_texts]
