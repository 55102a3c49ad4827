#include "frameworks/core/recovery/restart_cause.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(restart_cause_test)

BOOST_AUTO_TEST_CASE(causes_are_of_a_fixed_set) {
  struct row {
    const char* reason;
    bool counts;
    const char* cause;
  } rows[] = {
      {"OOMKilled", true, "failed"},
      {"whatever a program says", true, "failed"},
      // A pod of that reason was lost beside one that has failed.
      {"Deleted", true, "failed"},
      {"NodeLost", false, "node_lost"},
      {"Deleted", false, "deleted"},
      {"PreemptionByScheduler", false, "disrupted"},
      {"", false, "disrupted"},
      {"Stalled", true, "stalled"},
  };
  for (const auto& r : rows) {
    core::recovery_status before;
    core::recovery_status after;
    before.counted = 3;
    after.counted = r.counts ? 4 : 3;
    after.attempt = 1;
    after.last.reason = r.reason;
    BOOST_TEST(to_string(cause_of_attempt(before, after)) == r.cause);
  }
}

BOOST_AUTO_TEST_CASE(the_scope_is_the_job_unless_types_are_named) {
  core::recovery_status r;
  BOOST_TEST(scope_of_attempt(r) == "Job");
  r.last.type = "Worker";
  BOOST_TEST(scope_of_attempt(r) == "ReplicaType");
}

BOOST_AUTO_TEST_SUITE_END()
