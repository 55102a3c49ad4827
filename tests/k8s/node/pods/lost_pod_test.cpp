#include "k8s/node/pods/lost_pod.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(lost_pod_test)

namespace {

json pod_with_containers(json statuses) {
  return {{"status",
           {{"phase", "Running"}, {"containerStatuses", std::move(statuses)}}}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_has_started_when_one_of_its_programs_has) {
  const std::pair<json, bool> rows[] = {
      {json::object(), false},
      {{{"status", {{"phase", "Pending"}}}}, false},
      {{{"status", {{"phase", "Running"}}}}, true},
      {{{"status",
         {{"phase", "Pending"},
          {"containerStatuses", {{{"name", "a"}, {"containerID", ""}}}}}}},
       false},
      {pod_with_containers({{{"name", "a"}}, {{"containerID", "process://7"}}}),
       true},
      {{{"status",
         {{"initContainerStatuses", {{{"containerID", "process://7"}}}}}}},
       true},
  };
  for (const auto& [pod, started] : rows)
    BOOST_TEST(has_started(pod) == started, pod);
}

BOOST_AUTO_TEST_CASE(a_lost_pod_has_failed_by_a_disruption) {
  auto pod = pod_with_containers(
      {{{"name", "a"},
        {"containerID", "process://7"},
        {"ready", true},
        {"state", {{"running", {{"startedAt", "2026-01-31T11:00:00Z"}}}}}},
       {{"name", "b"},
        {"containerID", "process://8"},
        {"state", {{"terminated", {{"exitCode", 0}}}}}}});
  pod["status"]["podIP"] = "127.1.0.1";
  pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
  auto now = *from_rfc3339("2026-01-31T12:00:00Z");
  auto lost = make_lost_pod_status(pod, now);
  BOOST_TEST(lost["phase"] == "Failed");
  BOOST_TEST(lost["reason"] == "NodeRestarted");
  BOOST_TEST(lost["podIP"] == "127.1.0.1");
  BOOST_TEST(lost["conditions"].size() == 2u);
  BOOST_TEST(lost["conditions"][0]["status"] == "False");
  BOOST_TEST(lost["conditions"][1]["type"] == "DisruptionTarget");
  BOOST_TEST(lost["conditions"][1]["status"] == "True");
  const auto& ended = lost["containerStatuses"][0]["state"]["terminated"];
  BOOST_TEST(ended["exitCode"] == 137);
  BOOST_TEST(ended["startedAt"] == "2026-01-31T11:00:00Z");
  BOOST_TEST(lost["containerStatuses"][0]["ready"] == false);
  BOOST_TEST(lost["containerStatuses"][1]["state"]["terminated"]["exitCode"]
             == 0);
}

BOOST_AUTO_TEST_SUITE_END()
