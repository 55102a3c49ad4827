#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

json service(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"clusterIP", "None"},
            {"selector", {{"app", name}}},
            {"ports", json::array({{{"port", 2222}}})}}}};
}

json python(const std::string& name, const std::string& program) {
  auto p = node_fixture::pod(name, "");
  p["spec"]["containers"][0]["command"] = {"python3", "-u", "-c", program};
  return p;
}

const char* const echo_server = R"(
import socket
s = socket.create_server(('0.0.0.0', 2222))
print('listening', flush=True)
while True:
    c, _ = s.accept()
    c.sendall(socket.gethostname().encode())
    c.close()
)";

const char* const ask = R"(
import socket, sys, time
def ask(name):
    while True:
        try:
            return socket.create_connection((name, 2222)).recv(100).decode()
        except (socket.gaierror, ConnectionRefusedError):
            time.sleep(0.05)
)";

} // namespace

BOOST_AUTO_TEST_CASE(replicas_share_a_port_and_find_each_other_by_name) {
  node_fixture l;
  for (auto name : {"job-worker-0", "job-worker-1"}) {
    l.create(service(name));
    l.create(python(name, echo_server));
  }
  l.create(python("asker", std::string{ask} + R"(
print(ask('job-worker-0'))
print(ask('job-worker-1.default'))
print(ask('job-worker-0.default.svc'))
print(ask('job-worker-1.default.svc.cluster.local'))
print(ask('job-worker-0.default.svc.cluster.local.'))
print(ask('job-worker-1.job-worker-1.default.svc'))
)"));
  l.wait_for_phase("asker", "Succeeded");
  BOOST_TEST(l.log("asker")
             == "job-worker-0\njob-worker-1\njob-worker-0\njob-worker-1\n"
                "job-worker-0\njob-worker-1\n");
}

BOOST_AUTO_TEST_CASE(pods_of_a_headless_service_have_names_below_it) {
  node_fixture l;
  auto s = service("job");
  s["spec"].erase("ports");
  for (auto publishes : {false, true}) {
    s["metadata"]["name"] = publishes ? "job-early" : "job";
    s["spec"]["publishNotReadyAddresses"] = publishes;
    l.create(s);
  }
  auto p = python("asker", std::string{ask} + R"(
import os
for name in ('job-worker-0.job', 'job-worker-0.job.default.svc', 'job',
             'job-worker-0', 'job-worker-0.job-early'):
    print(name, ask(name))
own = socket.gethostbyname(socket.gethostname())
full = socket.gethostname() + '.nowhere.default.svc.cluster.local'
print(socket.gethostbyname(full) == own, len(socket.gethostname()),
      os.environ['HOSTNAME'] == socket.gethostname())
)");
  p["metadata"]["name"] = "asker-" + std::string(80, 'a');
  p["spec"]["subdomain"] = "nowhere"; // A service that is not there.
  p["spec"]["dnsPolicy"] = "ClusterFirst";
  p["spec"]["dnsConfig"] = {{"searches", {"job.default.svc.cluster.local"}}};
  l.create(p);
  p = python("job-worker-0-of-another-name", echo_server);
  p["metadata"]["labels"] = {{"app", "job"}};
  p["spec"]["hostname"] = "job-worker-0";
  p["spec"]["subdomain"] = "job";
  l.create(p);
  const std::string asker = "asker-" + std::string(80, 'a');
  l.wait_for_phase(asker, "Succeeded");
  BOOST_TEST(l.log(asker)
             == "job-worker-0.job job-worker-0\n"
                "job-worker-0.job.default.svc job-worker-0\n"
                "job job-worker-0\n"
                "job-worker-0 job-worker-0\n"
                "job-worker-0.job-early job-worker-0\nTrue 63 True\n");
}

BOOST_AUTO_TEST_CASE(a_name_without_pods_fails_for_now_and_resolves_later) {
  node_fixture l;
  l.create(service("late"));
  l.create(python("asker", std::string{ask} + R"(
for name in 'late', 'late.default.svc', 'never.default.svc':
    try:
        print(socket.getaddrinfo(name, 1))
    except socket.gaierror as e:
        print(e.errno == socket.EAI_AGAIN)
print(ask('late'))
)"));
  l.wait_for_log("asker", "True\nTrue\nTrue\n");
  l.create(python("late", echo_server));
  l.wait_for_phase("asker", "Succeeded");
  BOOST_TEST(l.log("asker") == "True\nTrue\nTrue\nlate\n");
}

BOOST_AUTO_TEST_CASE(a_pod_has_its_own_host_name) {
  node_fixture l;
  auto p = node_fixture::pod("named", R"sh(
hostname; uname -n; echo $HOSTNAME
python3 -c "import socket, platform; print(platform.node())
print(socket.gethostbyname(socket.gethostname()))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    s.connect(('192.0.2.1', 9))  # Sends nothing.
    print(s.getsockname()[0])
except OSError:  # No network.
    print(socket.gethostbyname(socket.gethostname()))"
)sh");
  p["spec"]["hostname"] = "eve";
  l.create(p);
  p = l.wait_for_phase("named", "Succeeded");
  BOOST_TEST(l.log("named")
             == "eve\neve\neve\neve\n" + text_at(p, {"status", "podIP"}) + "\n"
                    + text_at(p, {"status", "podIP"}) + "\n");
}

BOOST_AUTO_TEST_CASE(a_peer_sees_the_address_of_the_pod_that_connects) {
  node_fixture l;
  l.create(service("server"));
  l.create(python("server", R"(
import socket
s = socket.create_server(('0.0.0.0', 2222))
while True:
    c, peer = s.accept()
    c.sendall(peer[0].encode())
    c.close()
)"));
  l.create(python("asker", std::string{ask} + R"(
import asyncio
print(ask('server'))
async def ask_without_blocking():
    r, w = await asyncio.open_connection('server', 2222)
    print((await r.read()).decode())
    w.close()
asyncio.run(ask_without_blocking())
)"));
  auto p = l.wait_for_phase("asker", "Succeeded");
  auto address = text_at(p, {"status", "podIP"});
  BOOST_TEST(l.log("asker") == address + "\n" + address + "\n");
}

BOOST_AUTO_TEST_CASE(the_interfaces_are_the_loopback_and_the_pods_own) {
  node_fixture l;
  l.create(python("lister", R"(
import ctypes, fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def ioctl(request, name):
    return fcntl.ioctl(s, request, struct.pack('256s', name))
SIOCGIFADDR, SIOCGIFFLAGS, SIOCGIFINDEX = 0x8915, 0x8913, 0x8933
IFF_LOOPBACK = 8
for name in b'lo', b'eth0':
    print(socket.inet_ntoa(ioctl(SIOCGIFADDR, name)[20:24]),
          bool(struct.unpack('H', ioctl(SIOCGIFFLAGS, name)[16:18])[0]
               & IFF_LOOPBACK),
          struct.unpack('i', ioctl(SIOCGIFINDEX, name)[16:20])[0])
try:
    ioctl(SIOCGIFADDR, b'eth1')
except OSError as e:
    print(e.strerror)
class ifaddrs(ctypes.Structure):
    pass
ifaddrs._fields_ = [('next', ctypes.POINTER(ifaddrs)), ('name', ctypes.c_char_p),
                    ('flags', ctypes.c_uint), ('address', ctypes.c_void_p)]
libc = ctypes.CDLL(None)
entry = first = ctypes.POINTER(ifaddrs)()
libc.getifaddrs(ctypes.byref(first))
entry = first
while entry:
    print(entry.contents.name.decode(), socket.inet_ntoa(
        ctypes.string_at(entry.contents.address + 4, 4)))
    entry = entry.contents.next
libc.freeifaddrs(first)
print(open('/proc/net/if_inet6').read() == '')
)"));
  auto p = l.wait_for_phase("lister", "Succeeded");
  auto address = text_at(p, {"status", "podIP"});
  BOOST_TEST(l.log("lister")
             == "127.0.0.1 True 1\n" + address + " False 2\n"
                    + "No such device\nlo 127.0.0.1\neth0 " + address
                    + "\nTrue\n");
}

BOOST_AUTO_TEST_CASE(localhost_is_the_pod_and_else_the_host) {
  node_fixture l;
  l.create(python("neighbour", echo_server));
  l.wait_for_log("neighbour", "listening");
  l.create(python("loner", R"(
import asyncio, socket, threading
def refused(connect):
    try:
        connect()
        return False
    except OSError:
        return True
# What another pod listens to is not here.
print(refused(lambda: socket.create_connection(('127.0.0.1', 2222))))
s = socket.create_server(('127.0.0.1', 2222))
print(s.getsockname()[0] == socket.gethostbyname(socket.gethostname()))
socket.create_connection(('localhost', 2222)).close()
async def two():
    r, w = await asyncio.open_connection('localhost', 2222)
    w.close()
    server = await asyncio.start_server(lambda r, w: w.close(), None, 2223)
    r, w = await asyncio.open_connection('127.0.0.1', 2223)
    w.close()
asyncio.run(two())
six = socket.create_server(('::', 2224), family=socket.AF_INET6,
                           dualstack_ipv6=True)
print(six.getsockname()[0].startswith('::ffff:127.'))
# Beside a socket of IPv4 there is room for one of IPv6 alone.
only_six = socket.create_server(('::', 2222), family=socket.AF_INET6)
print(only_six.getsockname()[0] == '::1')
)"));
  l.wait_for_phase("loner", "Succeeded");
  BOOST_TEST(l.log("loner") == "True\nTrue\nTrue\nTrue\n");
}

BOOST_AUTO_TEST_CASE(the_host_is_reached_where_no_pod_listens) {
  node_fixture l;
  // Without the library it is the host's, on a port that it found free.
  l.create(node_fixture::pod("host", R"sh(
unset LD_PRELOAD; exec python3 -u -c "
import socket
s = socket.create_server(('127.0.0.1', 0))
print(s.getsockname()[1])
while True: s.accept()[0].close()
")sh"));
  auto port = l.wait_for_log("host", "\n");
  l.create(python("guest", "port = " + port + R"py(
import asyncio, socket
socket.create_connection(('127.0.0.1', port)).close()
async def go():
    r, w = await asyncio.open_connection('localhost', port)
    w.close()
asyncio.run(go())
print('reached')
)py"));
  l.wait("guest", [](const json& now) {
    const auto& phase = text_at(now, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  });
  BOOST_TEST(l.log("guest") == "reached\n");
}

BOOST_AUTO_TEST_CASE(programs_with_another_environment_stay_in_the_pod) {
  node_fixture l;
  auto p = node_fixture::pod("cleaner", R"sh(
env -i hostname
env -i TROUPE_POD_IP=127.9.9.9 TROUPE_HOSTNAME=other LD_PRELOAD=$LD_PRELOAD \
    PATH=$PATH hostname
python3 -u -c "
import os, subprocess, socket
print(subprocess.check_output(['hostname'], env={'PATH': '/usr/bin:/bin'}))
os.posix_spawn('/bin/sh', ['sh', '-c', 'cat /etc/troupe-test/f'], {'A': 'b'})
os.wait()
os.environ.clear()
print(socket.gethostname(), open('/etc/troupe-test/f').read())
os.execv('/bin/hostname', ['hostname'])"
)sh");
  p["spec"]["hostname"] = "eve";
  p["spec"]["volumes"] = {{{"name", "m"}, {"configMap", {{"name", "m"}}}}};
  p["spec"]["containers"][0]["volumeMounts"] = {
      {{"name", "m"}, {"mountPath", "/etc/troupe-test"}}};
  l.create({{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", "m"}, {"namespace", "default"}}},
            {"data", {{"f", "f\n"}}}});
  l.create(p);
  l.wait_for_phase("cleaner", "Succeeded");
  BOOST_TEST(l.log("cleaner") == "eve\neve\nb'eve\\n'\nf\neve f\n\neve\n");
}
