#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

json with_fallback(json pod) {
  pod["spec"]["containers"][0]["terminationMessagePolicy"] =
      "FallbackToLogsOnError";
  return pod;
}

std::string message_of(const json& pod, const char* state = "state") {
  return text_at(container(pod), {state, "terminated", "message"});
}

} // namespace

BOOST_AUTO_TEST_CASE(what_a_container_writes_about_its_end_is_in_its_status) {
  node_fixture l;
  struct {
    const char* script;
    const char* message;
    bool falls_back;
  } rows[] = {
      {"echo -n bad data > /dev/termination-log; exit 3", "bad data", false},
      {"echo done > /dev/termination-log", "done\n", false},
      {"echo -n new >> /dev/termination-log; cat /dev/termination-log; exit 1",
       "new", true},
      {"echo first; echo last >&2; exit 1", "first\nlast\n", true},
      {"echo first; exit 1", "", false},
      {"echo first", "", true},
      {"rm /dev/termination-log; ln -s /etc/passwd /dev/termination-log; "
       "exit 1",
       "Error on reading termination log /dev/termination-log: it is a "
       "symbolic link",
       true},
      {"rm /dev/termination-log; mkfifo /dev/termination-log; exit 1",
       "Error on reading termination log /dev/termination-log: it is no "
       "regular file",
       false},
  };
  int i = 0;
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.script) {
      auto name = "p" + std::to_string(i++);
      auto p = node_fixture::pod(name, row.script);
      l.create(row.falls_back ? with_fallback(p) : p);
      auto end = l.wait(name, [](const json& pod) {
        return text_at(pod, {"status", "phase"}) == "Failed"
               || text_at(pod, {"status", "phase"}) == "Succeeded";
      });
      BOOST_TEST(message_of(end) == row.message);
    }
  l.create(with_fallback(node_fixture::pod("long", "seq 1000; exit 1")));
  auto text = message_of(l.wait_for_phase("long", "Failed"));
  BOOST_TEST(text.rfind("921\n922\n", 0) == 0u, text);
}

BOOST_AUTO_TEST_CASE(each_life_and_each_container_has_a_message_of_its_own) {
  node_fixture l;
  auto lives = l.directory() + "/lives";
  auto p = node_fixture::pod(
      "p", "echo x >> " + lives + "; cat /tmp/why; echo -n life $(wc -l < "
               + lives + ") > /tmp/why; test $(wc -l < " + lives
               + ") = 3 || exit 1");
  p["spec"]["restartPolicy"] = "OnFailure";
  auto& containers = p["spec"]["containers"];
  containers[0]["terminationMessagePath"] = "/tmp/why";
  containers.push_back(containers[0]);
  containers[1]["name"] = "other";
  containers[1]["command"] = {"bash", "-c", "echo -n of the other > /tmp/why"};
  l.create(p);
  auto end = l.wait_for_phase("p", "Succeeded");
  BOOST_TEST(message_of(end) == "life 3");
  BOOST_TEST(message_of(end, "lastState") == "life 2");
  BOOST_TEST(text_at(container(end, 1), {"state", "terminated", "message"})
             == "of the other");
  BOOST_TEST(l.log("p", "main") == ""); // No life sees what another wrote.
}

// Nothing can be mounted there, but logs are the node's.
BOOST_AUTO_TEST_CASE(without_isolation_a_log_is_a_message) {
  node_fixture l([](node_options& o) { o.isolation = isolation_kind::none; });
  l.create(with_fallback(node_fixture::pod("p", "echo bad data; exit 1")));
  BOOST_TEST(message_of(l.wait_for_phase("p", "Failed")) == "bad data\n");
}
