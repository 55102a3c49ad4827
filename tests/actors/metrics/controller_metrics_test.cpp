#include "actors/metrics/metrics.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(controller_metrics_test)

namespace {

std::string of_tf(const std::string& name, const std::string& more = "") {
  return name + "{controller=\"tfjob-controller\"" + more + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(passes_are_counted_as_reconciles) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  s.make("tfjobs", tf_job_restarting(2, "Never"));
  s.all_pods("Running");
  auto passes = [&] {
    return metric_value(m, of_tf("controller_runtime_reconcile_total",
                                 ",result=\"success\""))
           + metric_value(m, of_tf("controller_runtime_reconcile_total",
                                   ",result=\"requeue_after\""));
  };
  BOOST_TEST(passes() > 0);
  BOOST_TEST(
      passes()
      == metric_value(m, of_tf("controller_runtime_reconcile_time_seconds"
                               "_count")));
  const std::string queue = ",name=\"tfjob-controller\"";
  BOOST_TEST(passes() == metric_value(m, of_tf("workqueue_adds_total", queue)));
  BOOST_TEST(passes()
             == metric_value(
                 m, of_tf("workqueue_queue_duration_seconds_count", queue)));
  BOOST_TEST(passes()
             == metric_value(
                 m, of_tf("workqueue_work_duration_seconds_count", queue)));
  BOOST_TEST(metric_value(m, of_tf("workqueue_depth", queue)) == 0);
  BOOST_TEST(metric_value(m, of_tf("controller_runtime_active_workers")) == 0);
  BOOST_TEST(metric_value(m, of_tf("controller_runtime_reconcile_errors_total"))
             == 0);
}

BOOST_AUTO_TEST_CASE(a_pass_of_a_job_that_is_gone_leaves_the_queue) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  auto depth = of_tf("workqueue_depth", ",name=\"tfjob-controller\"");
  bool waited = false;
  for (int i = 0; i < 5; ++i) {
    s.api->create("tfjobs", tf_job_restarting(1, "Never"));
    // Until a pass is asked for; the operator ends before it is run.
    for (int step = 0; step < 1000 && !waited; ++step) {
      if (s.op.runnable_actors() > 0)
        s.op.run_one(0);
      else if (!s.api->pending().empty())
        s.api->answer(0);
      else
        s.api->deliver_all();
      waited = !metric_text(m, depth).empty() && metric_value(m, depth) == 1;
    }
  }
  BOOST_TEST(waited);
  s.op.stop();
  BOOST_TEST(metric_value(m, depth) == 0);
}

BOOST_AUTO_TEST_CASE(what_the_server_refuses_is_an_error) {
  actors::metrics m;
  auto& meter = m.reconcile_meter_of("tfjob-controller", 4);
  BOOST_TEST(&meter == &m.reconcile_meter_of("tfjob-controller"));
  meter.on_reconcile_queued();
  BOOST_TEST(
      metric_value(m, of_tf("workqueue_depth", ",name=\"tfjob-controller\""))
      == 1);
  meter.on_reconcile_started(0.5);
  BOOST_TEST(metric_value(m, of_tf("controller_runtime_active_workers")) == 1);
  meter.on_reconcile_ended(0.25, false);
  meter.count_failed_order();
  BOOST_TEST(metric_value(m, of_tf("controller_runtime_reconcile_total",
                                   ",result=\"error\""))
             == 1);
  BOOST_TEST(metric_value(m, of_tf("controller_runtime_reconcile_errors_total"))
             == 1);
  BOOST_TEST(
      metric_value(m, of_tf("controller_runtime_reconcile_time_seconds_sum"))
      == 0.25);
  BOOST_TEST(
      metric_value(m, of_tf("controller_runtime_max_concurrent_reconciles"))
      == 4);
}

BOOST_AUTO_TEST_CASE(reviews_are_counted_by_path_and_status) {
  actors::metrics m;
  auto& meter = m.webhook_meter_of("/validate");
  BOOST_TEST(&meter == &m.webhook_meter_of("/validate"));
  const std::string name = "controller_runtime_webhook_";
  const std::string path = "webhook=\"/validate\"}";
  auto requests = [&](const char* code) {
    return metric_text(m,
                       name + "requests_total{code=\"" + code + "\"," + path);
  };
  BOOST_TEST(requests("200") == "0");
  meter.on_review_started();
  BOOST_TEST(metric_value(m, name + "requests_in_flight{" + path) == 1);
  meter.on_review_ended(200, 0.5);
  BOOST_TEST(metric_value(m, name + "requests_in_flight{" + path) == 0);
  BOOST_TEST(metric_value(m, name + "latency_seconds_sum{" + path) == 0.5);
  BOOST_TEST(requests("200") == "1");
  BOOST_TEST(requests("500") == "0");
}

BOOST_AUTO_TEST_SUITE_END()
