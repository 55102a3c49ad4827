#include "actors/jobs/job_timeline.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <malloc.h>

using namespace troupe;
using namespace std::chrono_literals;
using actors::job_timeline;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(job_timeline_test)

namespace {

const k8s::time_point start = *k8s::from_rfc3339("2026-03-01T12:00:00Z");

core::child_view pod(const std::string& name, k8s::pod_phase phase) {
  core::child_view v;
  v.name = name;
  v.uid = "uid-of-" + name;
  v.owned = true;
  v.created = start;
  v.phase = phase;
  v.scheduled = phase != k8s::pod_phase::pending;
  return v;
}

core::observed_children::children
children(const std::vector<core::child_view>& all) {
  return {all.begin(), all.end()};
}

core::job_status with_condition(const char* type, k8s::time_point at) {
  core::job_status status;
  status.set_condition(type, true, "Reason", "message", at);
  return status;
}

std::string at(int seconds) {
  return k8s::to_rfc3339_micro(start + std::chrono::seconds{seconds});
}

} // namespace

BOOST_AUTO_TEST_CASE(the_life_of_a_pod_has_the_times_at_which_it_was_seen) {
  job_timeline t;
  t.record_changes(children({pod("a", k8s::pod_phase::pending)}), {},
                   start + 1s);
  t.record_changes(children({pod("a", k8s::pod_phase::running)}), {},
                   start + 3s);
  t.record_changes(children({pod("a", k8s::pod_phase::running)}), {},
                   start + 4s);
  auto failed = pod("a", k8s::pod_phase::failed);
  failed.exit_code = 137;
  t.record_changes(children({failed}), {}, start + 9s);
  t.record_changes({}, {}, start + 10s);
  t.record_changes({}, {}, start + 11s);
  BOOST_TEST(t.report()["pods"]
             == (json::array({{{"name", "a"},
                               {"phase", "Failed"},
                               {"created", at(0)},
                               {"scheduled", at(3)},
                               {"running", at(3)},
                               {"finished", at(9)},
                               {"deleted", at(10)},
                               {"exitCode", 137}}})));
  BOOST_TEST(t.report()["since"] == at(1));
}

BOOST_AUTO_TEST_CASE(of_what_was_before_the_server_knows_the_times) {
  auto running = pod("a", k8s::pod_phase::running);
  running.started = start + 5s;
  auto failed = pod("b", k8s::pod_phase::failed);
  failed.started = start + 6s;
  failed.ended = start + 8s;
  job_timeline t;
  t.record_changes(children({running, failed}), {}, start + 60s);
  auto pods = t.report()["pods"];
  BOOST_TEST(pods[0]["running"] == at(5));
  BOOST_TEST(pods[1]["scheduled"] == at(6));
  BOOST_TEST(pods[1]["finished"] == at(8));
  BOOST_TEST(!pods[1].contains("running"));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_behind_the_server_gives_no_later_time) {
  job_timeline t;
  t.record_changes(children({pod("a", k8s::pod_phase::pending)}), {},
                   start - 2s);
  BOOST_TEST(t.report()["pods"][0]["created"] == at(-2));
}

BOOST_AUTO_TEST_CASE(pods_of_others_are_not_recorded) {
  auto orphan = pod("a", k8s::pod_phase::running);
  orphan.owned = false;
  job_timeline t;
  t.record_changes(children({orphan}), {}, start);
  BOOST_TEST(t.report()["pods"].empty());
}

BOOST_AUTO_TEST_CASE(conditions_are_recorded_once_for_each_time) {
  job_timeline t;
  t.record_changes({}, with_condition("Running", start), start);
  t.record_changes({}, with_condition("Running", start), start + 1s);
  t.record_changes({}, with_condition("Restarting", start + 5s), start + 5s);
  t.record_changes({}, with_condition("Running", start + 7s), start + 8s);
  BOOST_TEST(t.report()["conditions"]
             == (json::array({{{"type", "Running"}, {"at", at(0)}},
                              {{"type", "Restarting"}, {"at", at(5)}},
                              {{"type", "Running"}, {"at", at(7)}}})));
  for (int i = 10; i < 60; ++i)
    t.record_changes({},
                     with_condition("Running", start + std::chrono::seconds{i}),
                     start + std::chrono::seconds{i});
  auto kept = t.report()["conditions"];
  BOOST_TEST(kept.size() == job_timeline::most_conditions);
  BOOST_TEST(kept.back()["at"] == at(59));
}

BOOST_AUTO_TEST_CASE(of_many_pods_those_deleted_first_are_left_out) {
  job_timeline t;
  auto name = [](int i) { return "worker-" + std::to_string(i); };
  constexpr int rounds = 150; // Each pod replaces the one before.
  for (int i = 0; i < rounds; ++i)
    t.record_changes(children({pod(name(i), k8s::pod_phase::running)}), {},
                     start + std::chrono::seconds{i});
  auto report = t.report();
  BOOST_TEST(report["pods"].size() == job_timeline::most_pods);
  BOOST_TEST(report["podsLeftOut"] == rounds - 100);
  for (const auto& p : report["pods"])
    BOOST_TEST(std::stoi(p["name"].get<std::string>().substr(7)) >= 50);
}

BOOST_AUTO_TEST_CASE(pods_beyond_the_bound_are_counted) {
  std::vector<core::child_view> all;
  for (int i = 0; i < 120; ++i)
    all.push_back(pod("worker-" + std::to_string(i), k8s::pod_phase::running));
  job_timeline t;
  t.record_changes(children(all), {}, start);
  t.record_changes(children(all), {}, start + 1s);
  BOOST_TEST(t.report()["pods"].size() == job_timeline::most_pods);
  BOOST_TEST(t.report()["podsLeftOut"] == 20);
}

// What sanitizers allocate is not counted; there it takes nothing.
BOOST_AUTO_TEST_CASE(a_job_of_four_pods_takes_less_than_a_kilobyte) {
  constexpr std::size_t many = 1000;
  std::vector<core::child_view> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(pod("distributed-mnist-training-worker-" + std::to_string(i),
                      k8s::pod_phase::running));
  auto seen = children(all);
  auto created = with_condition("Created", start);
  auto running = with_condition("Running", start + 1s);
  auto before = mallinfo2().uordblks;
  std::vector<job_timeline> timelines(many);
  for (auto& t : timelines) {
    t.record_changes(seen, created, start);
    t.record_changes(seen, running, start + 1s);
  }
  auto bytes = (mallinfo2().uordblks - before) / many;
  BOOST_TEST_MESSAGE("bytes of a job with four pods: " << bytes);
  BOOST_TEST(bytes < 1024u);
}

BOOST_AUTO_TEST_CASE(attempts_have_their_causes_and_their_pods) {
  job_timeline t;
  core::job_status status;
  t.record_changes(children({pod("a", k8s::pod_phase::running)}), status,
                   start);
  BOOST_TEST(!t.report().contains("attempts"));
  BOOST_TEST(!t.report()["pods"][0].contains("attempt"));
  core::recovery_status r;
  r.attempt = 1;
  r.last.time = start + 5s;
  r.last.reason = "OOMKilled";
  r.last.pod = "a";
  r.last.node = "n7";
  status.recovery = r;
  t.record_changes(children({pod("a", k8s::pod_phase::failed)}), status,
                   start + 5s);
  r.last.recovered = start + 9s;
  status.recovery = r;
  auto next = pod("b", k8s::pod_phase::running);
  next.attempt = 1;
  t.record_changes(children({next}), status, start + 9s);
  auto report = t.report();
  BOOST_TEST(report["attempts"]
             == (json::array({{{"attempt", 1},
                               {"reason", "OOMKilled"},
                               {"pod", "a"},
                               {"node", "n7"},
                               {"at", at(5)},
                               {"recovered", at(9)}}})));
  BOOST_TEST(report["pods"][0]["attempt"] == 0);
  BOOST_TEST(report["pods"][1]["attempt"] == 1);
  for (r.attempt = 2; r.attempt < 100; ++r.attempt) {
    status.recovery = r;
    t.record_changes({}, status, start + 10s);
  }
  auto all = t.report()["attempts"];
  BOOST_TEST(all.size() == job_timeline::most_attempts);
  BOOST_TEST(all.back()["attempt"] == 99);
}

BOOST_AUTO_TEST_SUITE_END()
