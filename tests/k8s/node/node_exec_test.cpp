#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

json mount(const char* volume, const char* path) {
  return {{"name", volume}, {"mountPath", path}};
}

/// A pod that waits, as the workers of an MPIJob do.
json worker(const std::string& name) {
  auto p = node_fixture::pod(name, "");
  auto& c = p["spec"]["containers"][0];
  c["command"] = {"sleep", "365d"};
  c["env"] = json::array({{{"name", "MINE"}, {"value", "of " + name}}});
  c["volumeMounts"] = json::array({mount("v", "/opt/own")});
  p["spec"]["volumes"] = json::array({{{"name", "v"}}});
  auto second = c;
  second["name"] = "second";
  second["env"][0]["value"] = "second of " + name;
  p["spec"]["containers"].push_back(second);
  return p;
}

/// A pod with kubectl, delivered as an MPIJob's launcher gets it.
json launcher(const std::string& script) {
  auto p = node_fixture::pod("launcher", script);
  p["spec"]["volumes"] = json::array({{{"name", "kubectl"}}});
  auto mounts = json::array({mount("kubectl", "/opt/kube")});
  p["spec"]["containers"][0]["volumeMounts"] = mounts;
  p["spec"]["initContainers"] = json::array(
      {{{"name", "kubectl-delivery"},
        {"image", "kubeflow/kubectl-delivery:latest"},
        {"env",
         json::array({{{"name", "TARGET_DIR"}, {"value", "/opt/kube"}}})},
        {"volumeMounts", mounts}}});
  return p;
}

std::string said_by_launcher(node_fixture& l, const std::string& script) {
  l.create(launcher(script));
  l.wait("launcher", [](const json& p) {
    const auto& phase = text_at(p, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  });
  return l.log("launcher");
}

std::vector<int> pids_in(const std::string& path) {
  std::vector<int> found;
  std::ifstream in(path);
  for (int pid = 0; in >> pid;)
    found.push_back(pid);
  return found;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_command_runs_as_in_the_pod_that_is_named) {
  node_fixture l;
  for (auto name : {"w-0", "w-1"}) {
    l.create(worker(name));
    l.wait_for_phase(name, "Running");
  }
  auto text = said_by_launcher(l, R"sh(
k=/opt/kube/kubectl
$k exec w-0 -- sh -c 'hostname; echo $MINE; echo "$TROUPE_POD_IP" > /opt/own/ip'
$k exec w-0 -- test -e /opt/kube || echo 'not the launcher'"'"'s files'
$k exec pod/w-1 --container second -- sh -c 'echo $MINE; ls /opt/own'
$k exec --container=main -n default w-1 -- python3 -c 'if 1:
  import os, socket
  print(os.environ["MINE"], os.environ["TROUPE_POD_IP"]
        == socket.gethostbyname("w-1"))'
[ "$($k exec w-0 -- cat /opt/own/ip)" != "$TROUPE_POD_IP" ] && echo 'its own address'
echo out of here | $k exec w-0 -i -- cat
echo nothing | $k exec w-0 -- cat
$k exec w-0 -- sh -c 'echo error >&2' 2>&1 > /dev/null
)sh");
  BOOST_TEST(text
             == "w-0\nof w-0\ncommand terminated with exit code 1\nnot the "
                "launcher's files\nsecond of w-1\n"
                "of w-1 True\nits own address\nout of here\nerror\n");
}

BOOST_AUTO_TEST_CASE(a_commands_end_is_told) {
  node_fixture l;
  l.create(worker("w"));
  l.wait_for_phase("w", "Running");
  BOOST_TEST(said_by_launcher(l, R"sh(
exec 2>&1
k=/opt/kube/kubectl
$k exec w -- true; echo $?
$k exec w -- sh -c 'exit 7'; echo $?
$k exec w -- sh -c 'kill -TERM $$$$'; echo $?
$k exec w -- no-such; echo $?
$k exec w -- /; echo $?
$k exec nobody -- true; echo $?
$k exec w -c none -- true; echo $?
$k exec ../w -- true; echo $?
$k exec -n other w -- true; echo $?
$k exec -stdin w -- true; echo $?
$k exec --tty=tru w -- true; echo $?
$k get pods; echo $?
$k exec w; echo $? | tail -1
)sh")
             == "0\n"
                "command terminated with exit code 7\n7\n"
                "command terminated with exit code 143\n143\n"
                "error: exec: \"no-such\": not found in $PATH\n"
                "command terminated with exit code 127\n127\n"
                "error: exec: \"/\": Permission denied\n"
                "command terminated with exit code 126\n126\n"
                "error: pod \"nobody\" does not run on this node\n1\n"
                "error: container \"none\" of pod \"w\" does not run on this "
                "node\n1\n"
                "error: \"../w\" is no name\n1\n"
                "error: namespace \"other\" is not reached from a pod of "
                "namespace \"default\": this node's kubectl runs commands in "
                "pods of its own namespace only; leave out -n\n1\n"
                "error: unknown flag: -stdin; this node's kubectl knows -i, "
                "-t, -n and -c\n1\n"
                "error: unknown flag: --tty=tru; this node's kubectl knows "
                "-i, -t, -n and -c\n1\n"
                "error: \"get\" is not known: this node's kubectl knows only "
                "exec\n1\n"
                "error: usage: kubectl exec [-i] [-n NAMESPACE] POD "
                "[-c CONTAINER] -- COMMAND [ARG...]\n1\n");
}

BOOST_AUTO_TEST_CASE(the_latest_pod_of_a_name_is_meant) {
  node_fixture l;
  auto stubborn = worker("w");
  stubborn["spec"]["containers"][0]["command"] = {
      "bash", "-c", "trap '' TERM; while true; do sleep 1; done"};
  l.create(stubborn);
  l.wait_for_phase("w", "Running");
  l.create(launcher("/opt/kube/kubectl exec w -- sh -c 'echo $NEW'"));
  l.wait_for_phase("launcher", "Succeeded");
  l.remove("w", 0);
  auto next = worker("w");
  next["spec"]["containers"][0]["env"].push_back(
      {{"name", "NEW"}, {"value", "new"}});
  l.create(next);
  l.wait_for_phase("w", "Running");
  l.remove("launcher", 0);
  l.wait("launcher", [](const json& p) { return p.is_null(); });
  BOOST_TEST(said_by_launcher(l, "/opt/kube/kubectl exec w -- sh -c "
                                 "'echo $NEW'")
             == "new\n");
}

BOOST_AUTO_TEST_CASE(a_command_ends_with_its_pod) {
  node_fixture l;
  l.create(worker("w"));
  l.wait_for_phase("w", "Running");
  auto file = l.directory() + "/pids";
  l.create(launcher("/opt/kube/kubectl exec w -- sh -c 'echo $$$$ >> " + file
                    + "; trap \"\" TERM; setsid sleep 600 & echo $! >> " + file
                    + "; wait; wait'; echo ended $?"));
  eventually([&] { return pids_in(file).size() == 2; });
  l.remove("w", 3600);
  l.wait_for_phase("launcher", "Succeeded");
  BOOST_TEST(l.log("launcher").find("ended 137") != std::string::npos);
  for (int pid : pids_in(file))
    BOOST_TEST(eventually([pid] { return !is_running(pid); }));
  // What sleeps ends at once, however long the grace.
  l.wait("w", [](const json& p) { return p.is_null(); });
}

BOOST_AUTO_TEST_CASE(a_command_ends_with_its_caller_but_what_it_left_stays) {
  node_fixture l;
  l.create(worker("w"));
  l.wait_for_phase("w", "Running");
  auto file = l.directory() + "/";
  l.create(launcher(
      "k=/opt/kube/kubectl; $k exec w -- sh -c 'sleep 600 & echo $! > " + file
      + "left'; ($k exec w -- sh -c 'echo $$$$ > " + file
      + "killed; sleep 600' & wait) & until [ -s " + file
      + "killed ]; do sleep 0.02; done; kill -9 $!; echo done; sleep 600"));
  l.wait_for_log("launcher", "done");
  auto killed = pids_in(file + "killed");
  auto left = pids_in(file + "left");
  BOOST_REQUIRE(killed.size() == 1u);
  BOOST_REQUIRE(left.size() == 1u);
  BOOST_TEST(eventually([&] { return !is_running(killed[0]); }));
  BOOST_TEST(is_running(left[0]));
  l.remove("launcher", 0);
  BOOST_TEST(eventually([&] { return !is_running(left[0]); }));
}

BOOST_AUTO_TEST_CASE(the_delivery_waits_for_the_hosts_of_the_job) {
  node_fixture l;
  l.create(json::parse(R"({"apiVersion":"v1","kind":"ConfigMap",
    "metadata":{"name":"c"},
    "data":{"hostfile":"w-0 slots=1\nw-1 slots=1\nlauncher slots=1\n"}})"));
  auto p = launcher("cat /etc/mpi/hostfile | while read -r host rest; do "
                    "/opt/kube/kubectl exec $host -- hostname; done");
  p["spec"]["volumes"].push_back(
      {{"name", "config"}, {"configMap", {{"name", "c"}}}});
  for (auto list : {"initContainers", "containers"})
    p["spec"][list][0]["volumeMounts"].push_back(mount("config", "/etc/mpi"));
  l.create(worker("w-1"));
  l.create(p);
  auto says = [&](const char* text) {
    return eventually([&] {
      return l.log("launcher", "kubectl-delivery").find(text)
             != std::string::npos;
    });
  };
  BOOST_TEST(says("waiting for w-0\n"));
  l.create(worker("w-0"));
  l.wait_for_phase("launcher", "Succeeded");
  BOOST_TEST(l.log("launcher") == "w-0\nw-1\nlauncher\n");
}

BOOST_AUTO_TEST_CASE(nslookup_knows_the_names_of_services) {
  node_fixture l;
  l.create(json::parse(R"({"apiVersion":"v1","kind":"Service",
    "metadata":{"name":"master"},"spec":{"clusterIP":"None",
    "selector":{"app":"master"},"ports":[{"port":1}]}})"));
  l.create(node_fixture::pod("worker", R"sh(
nslookup master.none.svc; echo $?
getent hosts master; echo $?
until nslookup master; do echo waiting for master; sleep 0.05; done
getent hosts master | cut -d ' ' -f 1
)sh"));
  l.wait_for_log("worker", "can't find master.none.svc: NXDOMAIN\n1\n2\n");
  l.wait_for_log("worker", "waiting for master");
  l.create(node_fixture::pod("master", "sleep 600"));
  auto master = l.wait_for_phase("master", "Running");
  l.wait_for_phase("worker", "Succeeded");
  auto text = l.log("worker");
  auto address = text_at(master, {"status", "podIP"});
  auto want = "Name:\tmaster\nAddress: " + address + "\n" + address + "\n";
  BOOST_TEST(text.find(want) != std::string::npos, text);
}
