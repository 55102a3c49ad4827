#!/usr/bin/python3
"""What a pod in namespaces reaches, and by which addresses and names."""

import os
import re
import socket
import subprocess
import sys
import threading

from isolated_runs import MEET, NAMESPACES, PODS_NETWORKS, cases, run_well
from troupe import Folder, TROUPE, tfjob

import needs  # of ../cluster
from checks import contains, equal, run


def addresses(folder):
    """two pods listen on the same port; each sees the other's own address"""
    out = run_well(folder, "meet", MEET + """
said, seen = meet()
print('peer said', said, 'and is seen as', seen)
import fcntl, struct
for number, name in socket.if_nameindex():
    request = struct.pack('256s', name.encode())
    answer = fcntl.ioctl(server.fileno(), 0x8915, request)  # SIOCGIFADDR
    print('interface', name, socket.inet_ntoa(answer[20:24]))
print('own', socket.gethostbyname(socket.gethostname()))
""", workers=2)
    contains(out, "Isolation: namespaces")
    for index in (0, 1):
        mine = [line.split("] ", 1)[1] for line in out.split("\n")
                if line.startswith(f"[worker-{index}] ")]
        said, seen = re.search(r"peer said (\S+) and is seen as (\S+)",
                               "\n".join(mine)).groups()
        equal(said, seen, "the peer's address")
        own = re.search(r"^own (\S+)$", "\n".join(mine), re.M)[1]
        equal(bool(re.match(PODS_NETWORKS, own)), True, own)
        equal(own != said, True, "two pods have one address")
        equal(f"interface eth0 {own}" in mine, True, "\n".join(mine))
        equal("interface lo 127.0.0.1" in mine, True, "\n".join(mine))


def names(folder):
    """services resolve by all their names, and addresses lead back"""
    run_well(folder, "names", """
import socket
own = socket.gethostbyname(socket.gethostname())
service = 'names-worker-0'
for end in '', '.default', '.default.svc', '.default.svc.cluster.local':
    assert socket.gethostbyname(service + end) == own, end
try:
    socket.getaddrinfo('nobody.default.svc.cluster.local', 80)
    raise SystemExit('somebody is nobody')
except socket.gaierror as why:
    assert why.errno == socket.EAI_NONAME, why
assert socket.gethostbyaddr(own)[0].startswith('names-worker-0')
assert socket.gethostbyname('localhost') == '127.0.0.1'
# The same by TCP.
question = b''.join(bytes([len(w)]) + w.encode() for w in
                    (service + '.default.svc.cluster.local').split('.'))
query = (b'ab' + bytes([1, 0, 0, 1]) + bytes(6) + question
         + bytes([0, 0, 1, 0, 1]))
server = open('/etc/resolv.conf').readline().split()[1]
with socket.create_connection((server, 53)) as link:
    for _ in range(2):
        link.sendall(len(query).to_bytes(2, 'big') + query)
        size = int.from_bytes(link.recv(2, socket.MSG_WAITALL), 'big')
        answer = link.recv(size, socket.MSG_WAITALL)
        assert answer[:2] == query[:2], answer
        assert answer[-4:] == socket.inet_aton(own), answer
""")


def api_server(folder):
    """pods reach the API server by its service, and have to show the token"""
    run_well(folder, "api", """
import ssl, urllib.error, urllib.request
trusting = ssl.create_default_context()
trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
try:
    urllib.request.urlopen('https://kubernetes.default.svc/api/v1/pods',
                           context=trusting, timeout=20)
    raise SystemExit('the API server is open')
except urllib.error.HTTPError as answer:
    assert answer.code == 401, answer.code
""")


def di_server(folder):
    """pods reach di-server by the names and ports that clusters have"""
    run_well(folder, "di-server", """
import json, urllib.request
for server in ('di-server.di-system:8080',
               'di-server.di-system.svc.cluster.local:8081'):
    with urllib.request.urlopen(
            f'http://{server}/v1alpha1/replicas', timeout=20) as answer:
        assert json.load(answer)['data'] == []
""")


def host_address():
    """One that is not the loopback; "" if there is none."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 9))  # Sends nothing.
        return probe.getsockname()[0]
    except OSError:
        return ""


def way_out(folder):
    """pods reach other networks, or the first lines say why not"""
    address = host_address()
    server = socket.create_server((address or "127.0.0.1", 0))

    def greet():
        while True:
            try:
                server.accept()[0].sendall(b"hello")
            except OSError:
                return
    threading.Thread(target=greet, daemon=True).start()
    out = run_well(folder, "out", f"""
import socket
try:
    s = socket.create_connection({server.getsockname()!r}, 10)
    print('outside said', s.recv(9))
except OSError as why:
    print('no outside', why)
""")
    server.close()
    if taken := re.search("pods are in .* which this machine uses.*", out):
        needs.left_out("the way out", taken[0])
    elif "no way out" in out or not address:
        contains(out, "no outside")
        needs.left_out("the way out", (re.search("no way out.*", out) or [
            "this machine has no network"])[0])
    else:
        contains(out, "outside said b'hello'")


def taken_network(folder):
    """pods get another network where the host uses the usual one"""
    needs.programs("ip", "unshare")
    if os.geteuid() != 0:
        raise needs.Missing("only root gives addresses", "run this as root")
    job = folder.write("taken.yaml", tfjob("taken", """
import socket
print('own', socket.gethostbyname(socket.gethostname()))
"""))
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", "ip link set lo up && "
         'ip address add 10.244.7.7/24 dev lo && exec "$@"', "sh",
         TROUPE, "run", *NAMESPACES, job], text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    equal(done.returncode, 0, "exit code of\n" + done.stdout)
    contains(done.stdout, "own 10.200.1.")


CASES = [addresses, names, api_server, di_server, way_out, taken_network]

if __name__ == "__main__":
    sys.exit(run(cases(CASES), Folder, *sys.argv[1:2]))
