#include "actors/metrics.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(metrics_test)

namespace {

/// The value of a series as the text has it, "" if it is not there.
std::string value(const actors::metrics& m, const std::string& series) {
  auto text = "\n" + m.text();
  auto from = text.find("\n" + series + " ");
  if (from == std::string::npos)
    return "";
  from += series.size() + 2;
  return text.substr(from, text.find('\n', from) - from);
}

double number(const actors::metrics& m, const std::string& series) {
  auto text = value(m, series);
  BOOST_REQUIRE_MESSAGE(!text.empty(), series + " is not there");
  return std::stod(text);
}

constexpr const char* restarts =
    "training_operator_jobs_restarted_total{framework=\"tensorflow\","
    "job_namespace=\"ns\"}";

json tf_job(int workers, const char* restart) {
  auto spec = replica_spec(workers, "tensorflow");
  spec["restartPolicy"] = restart;
  return manifest_of("TFJob", {{"tfReplicaSpecs", {{"Worker", spec}}}});
}

std::string of_tf(const std::string& name, const std::string& more = "") {
  return name + "{controller=\"tfjob-controller\"" + more + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(each_pod_that_is_replaced_counts_as_a_restart) {
  cluster_fixture s;
  s.make("tfjobs", tf_job(3, "ExitCode"));
  s.all_pods("Running");
  s.op.advance(5s);
  BOOST_TEST(value(*s.op.counters, restarts) == "");
  s.set_pod("job-worker-0", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(number(*s.op.counters, restarts) == 1);
  s.set_pod("job-worker-1", "Failed", 137);
  s.set_pod("job-worker-2", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(number(*s.op.counters, restarts) == 3);
}

BOOST_AUTO_TEST_CASE(a_pod_that_goes_for_another_reason_is_no_restart) {
  cluster_fixture s;
  s.make("tfjobs", tf_job(3, "OnFailure"));
  // Scaled down.
  s.change("tfjobs", "job", [](json& j) {
    j["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 2;
  });
  BOOST_TEST(s.count("pods") == 2u);
  // Suspended.
  s.change("tfjobs", "job",
           [](json& j) { j["spec"]["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(value(*s.op.counters, restarts) == "");
}

BOOST_AUTO_TEST_CASE(passes_are_counted_as_reconciles) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  s.make("tfjobs", tf_job(2, "Never"));
  s.all_pods("Running");
  auto passes = [&] {
    return number(m, of_tf("controller_runtime_reconcile_total",
                           ",result=\"success\""))
           + number(m, of_tf("controller_runtime_reconcile_total",
                             ",result=\"requeue_after\""));
  };
  BOOST_TEST(passes() > 0);
  BOOST_TEST(passes() == number(m, "troupe_passes_total"));
  BOOST_TEST(passes()
             == number(m, of_tf("controller_runtime_reconcile_time_seconds"
                                "_count")));
  const std::string queue = ",name=\"tfjob-controller\"";
  BOOST_TEST(passes() == number(m, of_tf("workqueue_adds_total", queue)));
  BOOST_TEST(
      passes()
      == number(m, of_tf("workqueue_queue_duration_seconds_count", queue)));
  BOOST_TEST(
      passes()
      == number(m, of_tf("workqueue_work_duration_seconds_count", queue)));
  BOOST_TEST(number(m, of_tf("workqueue_depth", queue)) == 0);
  BOOST_TEST(number(m, of_tf("controller_runtime_active_workers")) == 0);
  BOOST_TEST(number(m, of_tf("controller_runtime_reconcile_errors_total"))
             == 0);
}

BOOST_AUTO_TEST_CASE(a_pass_of_a_job_that_is_gone_leaves_the_queue) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  auto depth = of_tf("workqueue_depth", ",name=\"tfjob-controller\"");
  bool waited = false;
  for (int i = 0; i < 5; ++i) {
    s.api->create("tfjobs", tf_job(1, "Never"));
    // Until a pass is asked for; the operator ends before it is run.
    for (int step = 0; step < 1000 && !waited; ++step) {
      if (s.op.runnable_actors() > 0)
        s.op.run_one(0);
      else if (!s.api->pending().empty())
        s.api->answer(0);
      else
        s.api->deliver_all();
      waited = !value(m, depth).empty() && number(m, depth) == 1;
    }
  }
  BOOST_TEST(waited);
  s.op.stop();
  BOOST_TEST(number(m, depth) == 0);
}

BOOST_AUTO_TEST_CASE(what_the_server_refuses_is_an_error) {
  actors::metrics m;
  auto& meter = m.passes("tfjob-controller", 4);
  BOOST_TEST(&meter == &m.passes("tfjob-controller"));
  meter.queued();
  BOOST_TEST(number(m, of_tf("workqueue_depth", ",name=\"tfjob-controller\""))
             == 1);
  meter.begun(0.5);
  BOOST_TEST(number(m, of_tf("controller_runtime_active_workers")) == 1);
  meter.ended(0.25, false);
  meter.failed();
  BOOST_TEST(number(m, of_tf("controller_runtime_reconcile_total",
                             ",result=\"error\""))
             == 1);
  BOOST_TEST(number(m, of_tf("controller_runtime_reconcile_errors_total"))
             == 1);
  BOOST_TEST(number(m, of_tf("controller_runtime_reconcile_time_seconds_sum"))
             == 0.25);
  BOOST_TEST(number(m, of_tf("controller_runtime_max_concurrent_reconciles"))
             == 4);
}

BOOST_AUTO_TEST_CASE(the_process_tells_of_itself) {
  actors::metrics m;
  BOOST_TEST(number(m, "process_resident_memory_bytes") > 1e6);
  BOOST_TEST(number(m, "process_virtual_memory_bytes")
             > number(m, "process_resident_memory_bytes"));
  BOOST_TEST(number(m, "process_open_fds") >= 3);
  rlimit r{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &r) == 0);
  BOOST_TEST(number(m, "process_max_fds") == static_cast<double>(r.rlim_cur));
  auto now = std::chrono::duration<double>(
                 std::chrono::system_clock::now().time_since_epoch())
                 .count();
  BOOST_TEST(number(m, "process_start_time_seconds") <= now + 2);
  BOOST_TEST(number(m, "process_start_time_seconds") > now - 3600);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds =
      static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
      + 1e-6
            * static_cast<double>(used.ru_utime.tv_usec
                                  + used.ru_stime.tv_usec);
  BOOST_TEST(std::abs(number(m, "process_cpu_seconds_total") - seconds) < 1);
}

BOOST_AUTO_TEST_CASE(answers_are_told_as_client_go_tells_them) {
  actors::metrics m;
  auto answers = std::make_shared<k8s::request_counts>(
      k8s::host_and_port("https://10.0.0.1:6443/k8s"));
  m.export_request_counts_of(answers);
  answers->count(k8s::verb::create, 201);
  answers->count(k8s::verb::list, 200);
  answers->count(k8s::verb::watch, 200);
  answers->count(k8s::verb::remove, 0);
  auto series = [](const char* code, const char* method) {
    return std::string{"rest_client_requests_total{code=\""} + code
           + "\",host=\"10.0.0.1:6443\",method=\"" + method + "\"}";
  };
  BOOST_TEST(number(m, series("201", "POST")) == 1);
  BOOST_TEST(number(m, series("200", "GET")) == 2);
  BOOST_TEST(number(m, series("<error>", "DELETE")) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
