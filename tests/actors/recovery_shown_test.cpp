#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

// What is shown of a job that is restarted as a whole.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(recovery_shown_test)

namespace {

struct restarted_job : cluster_fixture {
  restarted_job() {
    auto worker = replica_spec(2, "tensorflow");
    auto job = manifest_of("TFJob", {{"tfReplicaSpecs", {{"Worker", worker}}}});
    job["spec"]["runPolicy"]["failurePolicy"] = {{"restartScope", "Job"},
                                                 {"maxRestarts", 3}};
    make("tfjobs", std::move(job));
    op.advance(2s);
    all_pods("Running");
    op.advance(10s);
  }

  std::string metric(const std::string& series) {
    return metric_text(*op.counters, series, op.wall_clock());
  }
  std::string restarts(const char* cause = "failed") {
    return metric("troupe_job_restarts_total{cause=\"" + std::string{cause}
                  + "\",framework=\"tensorflow\",scope=\"Job\"}");
  }
  std::string recoveries() {
    return metric("troupe_job_recovery_seconds_count{framework="
                  "\"tensorflow\"}");
  }
  std::string seconds_of(const char* what) {
    return metric("troupe_job_" + std::string{what}
                  + "_seconds_total{framework=\"tensorflow\"}");
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_restart_is_counted_once_whoever_leads) {
  restarted_job s;
  BOOST_TEST(s.restarts() == "0");
  BOOST_TEST(s.seconds_of("all_running") == "10");
  s.set_pod("job-worker-1", "Failed", 137);
  s.op.advance(1s);
  BOOST_TEST(s.restarts() == "1");
  BOOST_TEST(s.restarts("disrupted") == "0");
  BOOST_TEST(s.recoveries() == "0");
  BOOST_TEST(s.get("tfjobs", "job")["status"]["restartAttempt"] == 1);
  s.api->erase("pods", "ns/job-worker-0"); // Its containers have ended.
  s.op.advance(4s);
  s.all_pods("Running");
  s.op.advance(2s);
  BOOST_TEST(s.recoveries() == "1");
  BOOST_TEST(s.metric("troupe_job_recovery_seconds_sum{framework="
                      "\"tensorflow\"}")
             == "5");
  BOOST_TEST(s.seconds_of("lost") == "5");
  BOOST_TEST(s.seconds_of("all_running") == "12");
  s.restart(); // The metrics are the process's; none is counted again.
  s.op.advance(5s);
  BOOST_TEST(s.restarts() == "1");
  BOOST_TEST(s.recoveries() == "1");
}

BOOST_AUTO_TEST_CASE(a_policy_that_became_wrong_is_shown_while_the_job_runs) {
  restarted_job s;
  auto errors = [&] {
    return s.op.request_report("TFJob", "job")
        .value("policyErrors", json::array());
  };
  BOOST_TEST(errors().empty());
  auto set_most_restarts = [&](int most) {
    s.change("tfjobs", "job", [&](json& j) {
      j["spec"]["runPolicy"]["failurePolicy"]["maxRestarts"] = most;
      j["metadata"]["generation"] = most < 0 ? 2 : 3;
    });
    s.op.advance(1s);
  };
  set_most_restarts(-1);
  BOOST_REQUIRE(errors().size() == 1u);
  BOOST_TEST(errors()[0]["field"]
             == "spec.runPolicy.failurePolicy.maxRestarts");
  set_most_restarts(2);
  BOOST_TEST(errors().empty());
}

BOOST_AUTO_TEST_SUITE_END()
