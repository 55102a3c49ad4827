#include "frameworks/core/model/status.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::json;

BOOST_AUTO_TEST_SUITE(status_test)

namespace {

const auto t0 = troupe::fixtures::base_time;

std::string types(const job_status& s) {
  std::string out;
  for (const auto& c : s.conditions)
    out += c.type.substr(0, 3) + (c.status ? "+" : "-");
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(conditions_follow_the_originals_rules) {
  struct step {
    const char* type;
    bool value;
    const char* then;
  };
  struct row {
    std::vector<step> steps;
  } rows[] = {
      {{{"Created", true, "Cre+"},
        {"Running", true, "Cre+Run+"},
        {"Succeeded", true, "Cre+Run-Suc+"}}},
      {{{"Running", true, "Run+"},
        {"Restarting", true, "Res+"},
        {"Running", true, "Run+"},
        {"Running", false, "Run-"},
        {"Restarting", true, "Res+"}}},
      {{{"Restarting", true, "Res+"}, {"Running", false, "Run-"}}},
      {{{"Running", true, "Run+"},
        {"Failed", true, "Run-Fai+"},
        {"Succeeded", true, "Run-Fai+"},
        {"Created", true, "Run-Fai+"}}},
      {{{"Suspended", true, "Sus+"},
        {"Created", true, "Sus+Cre+"},
        {"Suspended", false, "Cre+Sus-"}}},
  };
  for (const auto& r : rows) {
    job_status s;
    for (const auto& step : r.steps) {
      s.set_condition(step.type, step.value, "Because", "", t0);
      BOOST_TEST(types(s) == step.then);
    }
  }
}

BOOST_AUTO_TEST_CASE(created_is_last_until_the_next_condition) {
  struct row {
    const char* next;
    const char* conditions;
  } rows[] = {{"Running", "Cre+Sus-Run+"},
              {"Suspended", "Cre+Run-Sus+"},
              {"Failed", "Cre+Run-Sus-Fai+"}};
  for (const auto& r : rows) {
    job_status s;
    for (const char* type : {"Created", "Running", "Suspended"})
      s.set_condition(type, true, "", "", t0);
    s.set_condition("Running", false, "Suspended", "", t0);
    BOOST_TEST(!s.has_no_condition_since_resume());
    s.set_condition("Suspended", false, "Resumed", "", t0);
    BOOST_TEST(
        s.has_no_condition_since_resume()); // As other operators leave it.
    s.put_created_condition_last();
    BOOST_TEST(types(s) == "Run-Sus-Cre+");
    BOOST_TEST(s.has_no_condition_since_resume());
    BOOST_TEST(!s.set_condition("Created", true, "", "", t0));
    s.set_condition(r.next, true, "Next", "", t0);
    BOOST_TEST(types(s) == r.conditions);
    BOOST_TEST(!s.has_no_condition_since_resume());
  }
}

BOOST_AUTO_TEST_CASE(the_state_is_the_last_condition_that_is_true) {
  job_status s;
  BOOST_TEST(s.latest_true_condition() == "");
  for (const char* type : {"Created", "Running", "Succeeded"}) {
    s.set_condition(type, true, "", "", t0);
    BOOST_TEST(s.latest_true_condition() == type);
  }
  s.conditions.back().status = false; // By another client.
  BOOST_TEST(s.latest_true_condition() == "Created");
}

BOOST_AUTO_TEST_CASE(times_change_only_with_what_they_time) {
  job_status s;
  BOOST_TEST(s.set_condition("Running", true, "A", "one", t0 + 300ms));
  BOOST_TEST((s.conditions[0].updated == t0)); // Whole seconds.
  BOOST_TEST(!s.set_condition("Running", true, "A", "two", t0 + 5s));
  BOOST_TEST(s.conditions[0].message == "one");
  BOOST_TEST(s.set_condition("Running", true, "B", "three", t0 + 5s));
  BOOST_TEST((s.conditions[0].updated == t0 + 5s));
  BOOST_TEST((s.conditions[0].last_transition_time == t0));
  BOOST_TEST(s.set_condition("Running", false, "B", "four", t0 + 9s));
  BOOST_TEST((s.conditions[0].last_transition_time == t0 + 9s));
}

BOOST_AUTO_TEST_CASE(the_end_leaves_what_running_said) {
  job_status s;
  s.set_condition("Running", true, "A", "it runs", t0);
  s.set_condition("Succeeded", true, "B", "", t0 + 5s);
  BOOST_TEST(!s.conditions[0].status);
  BOOST_TEST(s.conditions[0].reason == "A");
  BOOST_TEST((s.conditions[0].last_transition_time == t0));
}

BOOST_AUTO_TEST_CASE(what_matters_is_written_at_once_counts_may_wait) {
  job_status saved;
  saved.replicas["Worker"] = {};
  auto same = saved;
  BOOST_TEST(!status_write_due_at(saved, same, t0, t0).has_value());

  auto counts = saved;
  counts.replicas["Worker"].active = 1;
  BOOST_TEST((status_write_due_at(saved, counts, t0, t0 + 200ms) == t0 + 1s));
  BOOST_TEST((status_write_due_at(saved, counts, t0, t0 + 5s) == t0 + 5s));
  // The clock was set back after the last write.
  BOOST_TEST((status_write_due_at(saved, counts, t0, t0 - 1h) == t0 - 1h));

  auto events = counts;
  events.set_condition("Running", true, "R", "", t0);
  BOOST_TEST(
      (status_write_due_at(saved, events, t0, t0 + 200ms) == t0 + 200ms));
  auto begun = saved;
  begun.start_time = t0;
  BOOST_TEST((status_write_due_at(saved, begun, t0, t0) == t0));
  auto restarted = saved;
  restarted.restarts.push_back({"p", "u", 1});
  BOOST_TEST((status_write_due_at(saved, restarted, t0, t0) == t0));
}

BOOST_AUTO_TEST_CASE(times_are_compared_to_the_second) {
  job_status a;
  a.start_time = t0;
  job_status b;
  b.start_time = t0 + 999ms;
  BOOST_TEST((a == b));
  b.start_time = t0 + 1s;
  BOOST_TEST((a != b));
}

BOOST_AUTO_TEST_SUITE_END()
