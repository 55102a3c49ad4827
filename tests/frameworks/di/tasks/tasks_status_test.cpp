#include "frameworks/di/tasks/tasks_status.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace tasks = troupe::frameworks::di::tasks;

BOOST_AUTO_TEST_SUITE(tasks_status_test)

namespace {

std::string encoded(const core::job_status& s) {
  return tasks::status_format().encode(s);
}

core::job_status decoded(const json& status) {
  return tasks::status_format().decode(status.dump());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_status_is_what_was_written) {
  core::job_status s;
  tasks::set_phase_and_condition(s, "Pending", "job created.", base_time);
  s.tasks = {3,
             1,
             2,
             4,
             {{"learner", {{"Running", 1}}},
              {"collector", {{"Failed", 1}, {"Pending", 1}}}}};
  s.replicas = {{"learner", {1, 0, 0, {}}}, {"collector", {0, 0, 1, {}}}};
  BOOST_TEST(json::parse(encoded(s))
             == json({{"phase", "Pending"},
                      {"replicas", 3},
                      {"readyReplicas", 1},
                      {"restarts", 2},
                      {"reschedules", 4},
                      {"taskStatus",
                       {{"learner", {{"Running", 1}}},
                        {"collector", {{"Failed", 1}, {"Pending", 1}}}}},
                      {"conditions",
                       {{{"type", "Pending"},
                         {"status", "True"},
                         {"reason", "JobPending"},
                         {"message", "job created."},
                         {"lastUpdateTime", "2026-02-02T02:40:00Z"},
                         {"lastTransitionTime", "2026-02-02T02:40:00Z"}}}}}));
  BOOST_TEST((decoded(json::parse(encoded(s))) == s));
  auto other = s;
  other.tasks.restarts = 3;
  BOOST_TEST((other != s));
  other = s;
  other.tasks.ready = 2;
  BOOST_TEST((other != s));
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_empty) {
  for (const char* text :
       {"", "null", "[]", R"({"replicas":"3","restarts":-1,"taskStatus":[1],
        "conditions":{},"completionTimestamp":7})"}) {
    auto s = tasks::status_format().decode(text);
    BOOST_TEST((s == core::job_status{}));
  }
}

BOOST_AUTO_TEST_CASE(only_the_condition_of_the_phase_is_true) {
  core::job_status s;
  BOOST_TEST(tasks::set_phase_and_condition(s, "Pending", "a", base_time));
  BOOST_TEST(!tasks::set_phase_and_condition(s, "Pending", "b", base_time));
  BOOST_TEST(tasks::set_phase_and_condition(s, "Starting", "b", base_time));
  auto later = base_time + std::chrono::seconds{5};
  BOOST_TEST(tasks::set_phase_and_condition(s, "Pending", "c", later));
  BOOST_REQUIRE(s.conditions.size() == 2);
  BOOST_TEST(s.conditions[0].type == "Starting");
  BOOST_TEST(!s.conditions[0].status);
  BOOST_TEST((s.conditions[0].last_transition_time == later));
  BOOST_TEST(s.conditions[1].message == "c");
  BOOST_TEST(s.phase == "Pending");
}

BOOST_AUTO_TEST_CASE(a_finished_phase_is_a_finished_job) {
  auto s = decoded({{"phase", "Failed"}});
  BOOST_TEST(s.is_finished());
  BOOST_TEST(s.conditions.back().reason == "JobFailed");
  BOOST_TEST(!decoded({{"phase", "Running"}}).is_finished());
}

BOOST_AUTO_TEST_SUITE_END()
