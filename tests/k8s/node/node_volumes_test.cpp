#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

json config_map(const std::string& name, const json& data) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}}},
          {"data", data}};
}

/// A pod whose container has `volume` at /etc/troupe-test.
json pod_with(const std::string& name, const std::string& script,
              const char* volume) {
  auto p = node_fixture::pod(name, script);
  auto v = json::parse(volume);
  v["name"] = "v";
  p["spec"]["volumes"] = json::array({v});
  p["spec"]["containers"][0]["volumeMounts"] =
      json::array({{{"name", "v"}, {"mountPath", "/etc/troupe-test"}}});
  return p;
}

std::string said(node_fixture& l, const std::string& pod) {
  l.wait(pod, [](const json& p) {
    const auto& phase = text_at(p, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  });
  return l.log(pod);
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_share_the_directory_of_a_claim) {
  scratch_directory own;
  node_fixture l([&](node_options& o) {
    o.claims.given = {{"own", own.path()}};
  });
  const char* claim = R"({"persistentVolumeClaim":{"claimName":"data"}})";
  l.create(pod_with("writer", "echo hi > /etc/troupe-test/x", claim));
  l.wait_for_phase("writer", "Succeeded");
  l.create(pod_with("reader", "cat /etc/troupe-test/x", claim));
  BOOST_TEST(said(l, "reader") == "hi\n");
  l.wait_for_event("ClaimDirectory", "the volume of claim data is the "
                                     "directory ");
  l.create(pod_with("mine", "echo me > /etc/troupe-test/y",
                    R"({"persistentVolumeClaim":{"claimName":"own"}})"));
  l.wait_for_phase("mine", "Succeeded");
  BOOST_TEST(std::filesystem::exists(own.path() + "/y"));
}

BOOST_AUTO_TEST_CASE(volumes_show_what_their_source_has) {
  node_fixture l;
  l.create(config_map("m", {{"a", "1\n"}, {"b.sh", "#!/bin/sh\necho b $1\n"}}));
  l.create(json::parse(R"({"apiVersion":"v1","kind":"Secret",
    "metadata":{"name":"s"},"data":{"word":"dHdv"}})"));
  std::ofstream{l.directory() + "/there"} << "host\n";
  auto host = R"({"hostPath":{"path":")" + l.directory() + R"("}})";
  struct {
    std::string volume;
    const char* script;
    const char* log;
  } rows[] = {
      {R"({"configMap":{"name":"m"}})",
       "ls /etc/troupe-test; cat /etc/troupe-test/a; "
       "stat -c %a /etc/troupe-test/a",
       "a\nb.sh\n1\n644\n"},
      {R"({"configMap":{"name":"m","defaultMode":292,
           "items":[{"key":"a","path":"x/y"},
                    {"key":"b.sh","path":"b.sh","mode":365}]}})",
       "cd /etc/troupe-test; find . -type f | sort; stat -c %a x/y; "
       "./b.sh one; /etc/troupe-test/b.sh two",
       "./b.sh\n./x/y\n444\nb one\nb two\n"},
      {R"({"configMap":{"name":"none","optional":true}})",
       "ls -A /etc/troupe-test && echo empty", "empty\n"},
      {R"({"secret":{"secretName":"s"}})", "cat /etc/troupe-test/word", "two"},
      {R"({"emptyDir":{}})",
       "mkdir /etc/troupe-test/d && echo 1 > /etc/troupe-test/d/f && "
       "mv /etc/troupe-test/d/f /etc/troupe-test/g && "
       "rm -r /etc/troupe-test/d && ls /etc/troupe-test",
       "g\n"},
      {host, "cat /etc/troupe-test/there", "host\n"},
  };
  int i = 0;
  for (const auto& row : rows) {
    auto name = "pod-" + std::to_string(i++);
    l.create(pod_with(name, row.script, row.volume.c_str()));
    BOOST_TEST_CONTEXT(row.volume)
    BOOST_TEST(said(l, name) == row.log);
  }
}

BOOST_AUTO_TEST_CASE(a_pod_has_a_token_of_its_account) {
  node_fixture l{[](node_options& o) { o.api_server_host = "127.0.0.1"; }};
  l.create(json::parse(R"({"apiVersion":"v1","kind":"ServiceAccount",
    "metadata":{"name":"quiet"},"automountServiceAccountToken":false})"));
  const auto* look = "cd /var/run/secrets/kubernetes.io/serviceaccount; "
                     "ls; cat namespace; echo; cut -d. -f2 token | head -c 40;"
                     "head -1 ca.crt";
  auto usual = node_fixture::pod("usual", look);
  l.create(usual);
  auto text = said(l, "usual");
  BOOST_TEST(text.find("ca.crt\nnamespace\ntoken\ndefault\neyJ") == 0u, text);
  BOOST_TEST(text.find("-----BEGIN CERTIFICATE-----") != text.npos, text);
  struct {
    const char* name;
    json spec;
    const char* log;
  } rows[] = {
      {"quiet", {{"serviceAccountName", "quiet"}}, ""},
      {"not-there", {{"serviceAccountName", "nobody"}}, ""},
      {"loud",
       {{"serviceAccountName", "quiet"},
        {"automountServiceAccountToken", true}},
       "ca.crt\nnamespace\ntoken\n"},
  };
  for (const auto& row : rows) {
    auto p = node_fixture::pod(
        row.name, "ls /var/run/secrets/kubernetes.io/serviceaccount");
    p["spec"].update(row.spec);
    l.create(p);
    BOOST_TEST(said(l, row.name) == row.log, row.name);
  }
  auto p = pod_with("own", "wc -l < /etc/troupe-test/t",
                    R"({"projected":{"sources":[{"serviceAccountToken":
                        {"path":"t","audience":"vault"}}]}})");
  p["spec"]["automountServiceAccountToken"] = false;
  l.create(p);
  BOOST_TEST(said(l, "own") == "0\n");
}

BOOST_AUTO_TEST_CASE(programs_of_every_sort_see_them) {
  node_fixture l;
  l.create(config_map("m", {{"hello", "#!/bin/sh\necho hello $1\n"}}));
  auto p = pod_with("app", R"sh(
sh -c '/etc/troupe-test/hello dash; . /etc/troupe-test/hello sourced'
/etc/troupe-test/hello bash
PATH=/etc/troupe-test:$PATH; hello path; env hello env
test -x /etc/troupe-test/hello && [[ -e //etc/troupe-test/./hello ]] && echo is
exec python3 - <<'END'
import os, pathlib, subprocess, shutil, glob
top = pathlib.Path('/etc/troupe-test')
for command in ['/etc/troupe-test/hello', 'hello']:
    subprocess.run([command, 'python'], check=True)
    print(subprocess.run([command, 'spawned'], close_fds=False,
                         capture_output=True, text=True).stdout, end='', flush=True)
    pid = os.posix_spawnp(command, [command, 'posix'], os.environ)
    os.waitpid(pid, 0)
print(os.listdir(top), [e.name for e in os.scandir(top)], (top/'hello').exists())
print(glob.glob('/etc/troupe-test/h*'), shutil.which('hello'))
print((top / 'hello').read_text().splitlines()[0], flush=True)
os.chdir(top)
print(open('hello').readline().strip(), flush=True)
os.execvp('hello', ['hello', 'end'])
END
)sh",
                    R"({"configMap":{"name":"m","defaultMode":365}})");
  l.create(p);
  BOOST_TEST(said(l, "app")
             == "hello dash\nhello\nhello bash\nhello path\nhello env\nis\n"
                "hello python\nhello spawned\nhello posix\n"
                "hello python\nhello spawned\nhello posix\n"
                "['hello'] ['hello'] True\n"
                "['/etc/troupe-test/hello'] /etc/troupe-test/hello\n"
                "#!/bin/sh\n#!/bin/sh\nhello end\n");
}

BOOST_AUTO_TEST_CASE(temporary_files_and_sockets_may_be_in_a_volume) {
  node_fixture l;
  l.create(pod_with("app", R"sh(
export TMPDIR=/etc/troupe-test
cat <<< 'here' && seq 3 | sort -S 1k --parallel 1 -r | head -1
f=$(mktemp) && d=$(mktemp -d) && echo 1 > $d/x && [ -f $f ] && echo made
exec python3 - <<'END'
import ctypes, os, shutil, socket, sqlite3
libc = ctypes.CDLL(None)
for make in libc.mkstemp, libc.mkdtemp:
    name = ctypes.create_string_buffer(b'/etc/troupe-test/abXXXXXX')
    make(name)
    print(os.path.exists(name.value), b'XXXXXX' in name.value)
s = socket.socket(socket.AF_UNIX)
s.bind('/etc/troupe-test/socket')
s.listen()
c = socket.socket(socket.AF_UNIX)
c.connect('/etc/troupe-test/socket')
s.accept()[0].send(b'through')
print(c.recv(100), os.path.exists('/etc/troupe-test/socket'))
os.remove('/etc/troupe-test/socket')
shutil.copytree('/etc/troupe-test', '/etc/troupe-test/copy/of')
print(len(os.listdir('/etc/troupe-test/copy/of')) > 3)
db = sqlite3.connect('/etc/troupe-test/db')
print(db.execute('create table t(a)').fetchall())
END
)sh",
                    R"({"emptyDir":{}})"));
  BOOST_TEST(said(l, "app")
             == "here\n3\nmade\nTrue False\nTrue False\nb'through' True\n"
                "True\n[]\n");
}

BOOST_AUTO_TEST_CASE(commands_and_directories_may_be_in_a_volume) {
  node_fixture l;
  l.create(config_map("m", {{"run", "#!/bin/sh\nls; echo $1\n"}}));
  auto p =
      pod_with("app", "", R"({"configMap":{"name":"m","defaultMode":365}})");
  auto& c = p["spec"]["containers"][0];
  c["command"] = {"/etc/troupe-test/run", "it"};
  c["workingDir"] = "/etc/troupe-test";
  l.create(p);
  BOOST_TEST(said(l, "app") == "run\nit\n");
}

BOOST_AUTO_TEST_CASE(init_containers_share_an_empty_directory_with_the_others) {
  node_fixture l;
  auto p = pod_with("app", "cat /etc/troupe-test/made", R"({"emptyDir":{}})");
  json c{{"name", "init"}, {"image", "none"}};
  c["command"] = {"sh", "-c", "echo made > /somewhere/else/made"};
  c["volumeMounts"] =
      json::array({{{"name", "v"}, {"mountPath", "/somewhere/else"}}});
  p["spec"]["initContainers"] = json::array({c});
  l.create(p);
  BOOST_TEST(said(l, "app") == "made\n");
  auto volumes = l.directory() + "/run/volumes";
  BOOST_TEST(!std::filesystem::is_empty(volumes));
  l.remove("app", 0);
  BOOST_TEST(eventually([&] { return std::filesystem::is_empty(volumes); }));
}

BOOST_AUTO_TEST_CASE(what_is_mounted_follows_its_source) {
  node_fixture l;
  l.create(config_map("m", {{"hosts", "one"}, {"old", "x"}}));
  l.create(pod_with("app", R"sh(
cat /etc/troupe-test/hosts; echo
until [ "$(cat /etc/troupe-test/hosts)" = "one two" ]; do sleep 0.02; done
while [ -e /etc/troupe-test/old ]; do sleep 0.02; done
ls -A /etc/troupe-test
)sh",
                    R"({"configMap":{"name":"m"}})"));
  l.wait_for_log("app", "one\n");
  l.patch("ConfigMap", "m",
          {{"data", {{"hosts", "one two"}, {"old", nullptr}}}});
  BOOST_TEST(said(l, "app") == "one\nhosts\n");
}

BOOST_AUTO_TEST_CASE(a_pod_waits_for_what_its_volumes_show) {
  node_fixture l;
  l.create(pod_with("app", "cat /etc/troupe-test/k",
                    R"({"configMap":{"name":"late",
                        "items":[{"key":"k","path":"k"}]}})"));
  l.wait_for_event("FailedMount", "MountVolume.SetUp failed for volume \"v\" : "
                                  "configmap \"late\" not found");
  auto p = l.wait("app", [](const json& pod) {
    return text_at(container(pod), {"state", "waiting", "reason"})
           == "ContainerCreating";
  });
  BOOST_TEST(text_at(p, {"status", "phase"}) == "Pending");
  l.create(config_map("late", {{"other", "x"}}));
  l.wait_for_event("FailedMount", "MountVolume.SetUp failed for volume \"v\" : "
                                  "references non-existent config key: k");
  l.patch("ConfigMap", "late", {{"data", {{"k", "here"}}}});
  BOOST_TEST(said(l, "app") == "here");
}

BOOST_AUTO_TEST_CASE(items_cannot_leave_their_volume) {
  node_fixture l;
  l.create(config_map("m", {{"k", "x"}}));
  l.create(pod_with("app", "exit 0",
                    R"({"configMap":{"name":"m",
                        "items":[{"key":"k","path":"../../k"}]}})"));
  auto p = l.wait_for_phase("app", "Failed");
  BOOST_TEST(text_at(p, {"status", "reason"}) == "FailedMount");
  const auto& text = text_at(p, {"status", "message"});
  BOOST_TEST(text.find("must stay in the volume") != std::string::npos, text);
}
