#include "actors/metrics/job_metrics.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_metrics_test)

namespace {

constexpr const char* restarts =
    "training_operator_jobs_restarted_total{framework=\"tensorflow\","
    "job_namespace=\"ns\"}";

} // namespace

BOOST_AUTO_TEST_CASE(jobs_are_gauges_by_framework_and_state) {
  actors::metrics m;
  auto jobs = [&](const char* framework, const char* state) {
    return metric_text(m, std::string{"troupe_jobs{framework=\""} + framework
                              + "\",state=\"" + state + "\"}");
  };
  auto one = m.add_job_meter("tensorflow");
  auto two = m.add_job_meter("tensorflow");
  auto three = m.add_job_meter("jax");
  BOOST_TEST(jobs("tensorflow", "Pending") == "2");
  one->set_state("Running");
  three->set_state("Succeeded");
  BOOST_TEST(jobs("tensorflow", "Pending") == "1");
  BOOST_TEST(jobs("tensorflow", "Running") == "1");
  BOOST_TEST(jobs("jax", "Succeeded") == "1");
  one.reset();
  three.reset();
  BOOST_TEST(jobs("tensorflow", "Running") == "0");
  BOOST_TEST(jobs("jax", "Succeeded") == "0");
  BOOST_TEST(jobs("mpi", "Running") == "");
}

BOOST_AUTO_TEST_CASE(jobs_that_report_are_gauges_up_to_a_limit) {
  actors::metrics m;
  auto ratio = [&](const std::string& job) {
    return metric_text(m, "troupe_job_progress_ratio{framework=\"jax\",job=\""
                              + job + "\",job_namespace=\"ns\"}");
  };
  auto one = m.add_job_meter("jax");
  BOOST_TEST(ratio("one") == "");
  one->set_progress("ns", "one", 45);
  BOOST_TEST(ratio("one") == "0.45");
  one->set_progress("ns", "one", 50);
  BOOST_TEST(ratio("one") == "0.5");
  one->set_progress("ns", "one", std::nullopt);
  BOOST_TEST(ratio("one") == "");
  std::vector<std::unique_ptr<actors::job_meter>> others;
  for (std::size_t i = 0; i < actors::job_metrics::most_progress; ++i) {
    others.push_back(m.add_job_meter("jax"));
    others.back()->set_progress("ns", std::to_string(i), 1);
  }
  one->set_progress("ns", "one", 51);
  BOOST_TEST(ratio("one") == "");
  BOOST_TEST(ratio("7") == "0.01");
  others.erase(others.begin() + 7); // Its job has gone: there is room.
  one->set_progress("ns", "one", 51);
  BOOST_TEST(ratio("7") == "");
  BOOST_TEST(ratio("one") == "0.51");
}

BOOST_AUTO_TEST_CASE(expectations_of_all_jobs_are_added_up) {
  actors::metrics m;
  const k8s::time_point now{1000s};
  auto values = [&] {
    return std::pair{
        metric_value(m, "troupe_expectations", now),
        metric_value(m, "troupe_oldest_expectation_age_seconds", now)};
  };
  auto one = m.add_job_meter("tensorflow");
  auto two = m.add_job_meter("jax");
  BOOST_TEST((values() == std::pair{0.0, 0.0}));
  one->set_expectations(3, now - 5s);
  two->set_expectations(2, now - 7s);
  BOOST_TEST((values() == std::pair{5.0, 7.0}));
  two->set_expectations(0, std::nullopt);
  BOOST_TEST((values() == std::pair{3.0, 5.0}));
  one.reset();
  BOOST_TEST((values() == std::pair{0.0, 0.0}));
}

BOOST_AUTO_TEST_CASE(restarts_are_counted_by_scope_and_cause) {
  actors::metrics m;
  auto restarts_of = [&](const char* cause, const char* scope) {
    return metric_text(m, std::string{"troupe_job_restarts_total{cause=\""}
                              + cause + "\",framework=\"jax\",scope=\"" + scope
                              + "\"}");
  };
  const std::string recovered = "troupe_job_recovery_seconds_";
  auto job = m.add_job_meter("jax");
  // Rates need a first value.
  for (const char* cause :
       {"failed", "disrupted", "deleted", "node_lost", "stalled"})
    BOOST_TEST(restarts_of(cause, "Job") == "0");
  job->count_recovery({});
  core::recovery_counts counts;
  counts.restarted = {"ReplicaType", core::restart_cause::node_lost};
  counts.recovered_after = 12s;
  job->count_recovery(counts);
  BOOST_TEST(restarts_of("node_lost", "ReplicaType") == "1");
  BOOST_TEST(restarts_of("node_lost", "Job") == "0");
  BOOST_TEST(metric_value(m, recovered + "count{framework=\"jax\"}") == 1);
  BOOST_TEST(metric_value(m, recovered + "sum{framework=\"jax\"}") == 12);
}

BOOST_AUTO_TEST_CASE(the_time_of_jobs_is_added_up_and_never_falls) {
  actors::metrics m;
  using core::job_activity;
  k8s::time_point now{1000s};
  auto seconds_of = [&] {
    auto value = [&](const char* what) {
      return metric_text(m,
                         std::string{"troupe_job_"} + what
                             + "_seconds_total{framework=\"jax\"}",
                         now);
    };
    return value("all_running") + " " + value("lost");
  };
  auto one = m.add_job_meter("jax");
  auto two = m.add_job_meter("jax");
  BOOST_TEST(seconds_of() == "0 0");
  one->set_activity(job_activity::all_running, now);
  now += 10s;
  two->set_activity(job_activity::lost, now);
  BOOST_TEST(seconds_of() == "10 0");
  now += 5s;
  BOOST_TEST(seconds_of() == "15 5");
  two->set_activity(job_activity::all_running, now);
  one->set_activity(job_activity::idle, now);
  now += 100s;
  BOOST_TEST(seconds_of() == "115 5");
  now -= 1h; // The clock was set back.
  BOOST_TEST(seconds_of() == "115 5");
  now += 1s;
  two->set_activity(job_activity::idle, now);
  two.reset();
  now += 100s;
  BOOST_TEST(seconds_of() == "116 5");
}

BOOST_AUTO_TEST_CASE(the_gauges_of_a_job_follow_it) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  auto gauge = [&](const std::string& series) {
    return metric_value(m, series, s.op.wall_clock());
  };
  auto running = "troupe_jobs{framework=\"tensorflow\",state=\"Running\"}";
  // The server answers nothing for three seconds.
  s.api->create("tfjobs", tf_job_restarting(2, "Never"));
  s.api->deliver_all();
  s.op.run_messages();
  BOOST_TEST(gauge("troupe_expectations") == 4);
  s.op.advance_clock(3s);
  BOOST_TEST(gauge("troupe_oldest_expectation_age_seconds") == 3);
  s.op.run_until_idle();
  BOOST_TEST(gauge("troupe_expectations") == 0);
  BOOST_TEST(gauge("troupe_oldest_expectation_age_seconds") == 0);
  BOOST_TEST(gauge(running) == 0);
  s.all_pods("Running");
  BOOST_TEST(gauge(running) == 1);
  s.api->erase("tfjobs", "ns/job");
  s.op.run_until_idle();
  BOOST_TEST(gauge(running) == 0);
}

BOOST_AUTO_TEST_CASE(the_start_of_a_job_is_observed_once) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  const std::string pods = "troupe_job_pods_created_seconds_";
  const std::string running = "troupe_job_running_seconds_";
  const std::string tf = "{framework=\"tensorflow\"}";
  s.make("tfjobs", tf_job_restarting(2, "OnFailure"));
  BOOST_TEST(metric_value(m, pods + "count" + tf) == 1);
  BOOST_TEST(metric_value(m, running + "count" + tf) == 0);
  s.op.advance(4s);
  s.all_pods("Running");
  BOOST_TEST(metric_value(m, running + "count" + tf) == 1);
  BOOST_TEST(metric_value(m, running + "sum" + tf) == 4);
  s.restart();
  s.set_pod("job-worker-0", "Failed", 1);
  s.op.advance(20s);
  s.all_pods("Running");
  BOOST_TEST(metric_value(m, pods + "count" + tf) == 1);
  BOOST_TEST(metric_value(m, running + "count" + tf) == 1);
}

BOOST_AUTO_TEST_CASE(each_pod_that_is_replaced_counts_as_a_restart) {
  cluster_fixture s;
  s.make("tfjobs", tf_job_restarting(3, "ExitCode"));
  s.all_pods("Running");
  s.op.advance(5s);
  BOOST_TEST(metric_text(*s.op.counters, restarts) == "");
  s.set_pod("job-worker-0", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(metric_value(*s.op.counters, restarts) == 1);
  s.set_pod("job-worker-1", "Failed", 137);
  s.set_pod("job-worker-2", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(metric_value(*s.op.counters, restarts) == 3);
}

BOOST_AUTO_TEST_CASE(a_pod_that_goes_for_another_reason_is_no_restart) {
  cluster_fixture s;
  s.make("tfjobs", tf_job_restarting(3, "OnFailure"));
  // Scaled down.
  s.change("tfjobs", "job", [](json& j) {
    j["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 2;
  });
  BOOST_TEST(s.count("pods") == 2u);
  // Suspended.
  s.change("tfjobs", "job",
           [](json& j) { j["spec"]["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(metric_text(*s.op.counters, restarts) == "");
}

BOOST_AUTO_TEST_SUITE_END()
