#include "k8s/node/pods/pod_status.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;
using namespace std::chrono_literals;

namespace {

const auto ready_at = *from_rfc3339("2026-01-31T12:00:00Z");

container_runtime_status running() {
  container_runtime_status c;
  c.state.now = container_state::kind::running;
  c.pid = 7;
  return c;
}

container_runtime_status ended(int code) {
  auto c = running();
  c.state.now = container_state::kind::terminated;
  c.state.exit_code = code;
  return c;
}

container_runtime_status in_back_off() {
  auto c = running();
  c.last = ended(1).state;
  c.state.now = container_state::kind::waiting;
  return c;
}

std::string since(const json& status, const char* type) {
  for (const auto& c : status["conditions"])
    if (text_at(c, {"type"}) == type)
      return text_at(c, {"status"}) + " " + text_at(c, {"lastTransitionTime"});
  return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_phase_follows_from_the_containers) {
  struct {
    bool initialized;
    std::vector<container_runtime_status> containers;
    std::vector<bool> done;
    const char* phase;
  } rows[] = {
      {false, {{}}, {false}, "Pending"},
      {true, {{}}, {false}, "Pending"},
      {true, {running()}, {false}, "Running"},
      {true, {running(), {}}, {false, false}, "Running"},
      {true, {in_back_off()}, {false}, "Running"},
      {true, {ended(0), running()}, {true, false}, "Running"},
      {true, {ended(1), running()}, {true, false}, "Running"},
      {true, {ended(0), ended(0)}, {true, true}, "Succeeded"},
      {true, {ended(0), ended(1)}, {true, true}, "Failed"},
      {true, {ended(1)}, {false}, "Running"},
  };
  for (const auto& row : rows) {
    pod_runtime_status v;
    v.initialized = row.initialized;
    v.containers = row.containers;
    BOOST_TEST(compute_pod_phase(v, row.done) == row.phase);
  }
}

BOOST_AUTO_TEST_CASE(a_condition_keeps_its_time_until_it_changes) {
  pod_runtime_status v;
  v.initialized = true;
  v.containers = {running()};
  auto first = make_pod_status(v, {}, ready_at);
  BOOST_TEST(since(first, "Ready") == "True 2026-01-31T12:00:00Z");
  v.containers = {ended(1)};
  v.phase = "Failed";
  auto second = make_pod_status(v, first, ready_at + 5s);
  BOOST_TEST(since(second, "Ready") == "False 2026-01-31T12:00:05Z");
  BOOST_TEST(since(second, "Initialized") == "True 2026-01-31T12:00:00Z");
  BOOST_TEST((make_pod_status(v, second, ready_at + 9s) == second));
}

BOOST_AUTO_TEST_CASE(a_pod_is_ready_with_its_sidecars) {
  pod_runtime_status v;
  v.initialized = true;
  v.phase = "Running";
  v.containers = {running()};
  v.init_containers = {ended(0), running()};
  v.init_containers[1].is_sidecar = true;
  auto status = make_pod_status(v, {}, ready_at);
  BOOST_TEST(since(status, "Ready") == "True 2026-01-31T12:00:00Z");
  for (int i : {0, 1})
    BOOST_TEST(bool_at(status["initContainerStatuses"][i], {"ready"}));
  v.init_containers[1] = in_back_off();
  v.init_containers[1].is_sidecar = true;
  status = make_pod_status(v, {}, ready_at);
  BOOST_TEST(since(status, "Ready") == "False 2026-01-31T12:00:00Z");
  BOOST_TEST(!bool_at(status["initContainerStatuses"][1], {"ready"}));
}

BOOST_AUTO_TEST_CASE(a_container_tells_how_it_ended) {
  pod_runtime_status v;
  v.containers = {ended(143)};
  auto& s = v.containers[0].state;
  s.signal = 15;
  s.reason = "Error";
  s.message = "why";
  s.started = ready_at;
  s.finished = ready_at + 1s;
  v.containers[0].restarts = 2;
  auto c = make_pod_status(v, {}, ready_at)["containerStatuses"][0];
  BOOST_TEST(to_text(c["state"])
             == "{\"terminated\":{\"exitCode\":143,\"finishedAt\":"
                "\"2026-01-31T12:00:01Z\",\"message\":\"why\",\"reason\":"
                "\"Error\",\"signal\":15,\"startedAt\":"
                "\"2026-01-31T12:00:00Z\"}}");
  BOOST_TEST(c["restartCount"] == 2);
  BOOST_TEST(c["ready"] == false);
  BOOST_TEST(text_at(c, {"containerID"}) == "process://7");
}

BOOST_AUTO_TEST_CASE(a_policy_says_who_is_started_again) {
  struct {
    const char* policy;
    int code;
    bool again;
  } rows[] = {
      {"Always", 0, true},    {"Always", 1, true}, {"OnFailure", 0, false},
      {"OnFailure", 1, true}, {"Never", 0, false}, {"Never", 1, false},
  };
  for (const auto& row : rows)
    BOOST_TEST(should_restart(row.policy, row.code) == row.again);
}

BOOST_AUTO_TEST_CASE(back_off_doubles_up_to_five_minutes) {
  struct {
    int crash;
    std::chrono::milliseconds wait;
  } rows[] = {{1, 0s},   {2, 10s},  {3, 20s},  {4, 40s},    {5, 80s},
              {6, 160s}, {7, 300s}, {8, 300s}, {1000, 300s}};
  for (const auto& row : rows)
    BOOST_TEST(restart_back_off(row.crash, 10s).count() == row.wait.count());
  BOOST_TEST(!ran_long_enough_to_reset_back_off(599s, 10s));
  BOOST_TEST(ran_long_enough_to_reset_back_off(600s, 10s));
}
