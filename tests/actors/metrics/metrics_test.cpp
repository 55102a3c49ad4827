#include "actors/metrics/metrics.hpp"
#include "k8s/general/addresses.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(metrics_test)

BOOST_AUTO_TEST_CASE(decisions_are_counted_by_action_and_resource) {
  actors::metrics m;
  m.count_decision(core::create_child{core::child_kind::pod, {}, "", 0});
  m.count_decision(core::create_child{core::child_kind::service, {}, "", 0});
  m.count_decision(core::create_child{core::child_kind::pod, {}, "", 0});
  core::delete_child removal;
  removal.kind = core::child_kind::pod;
  m.count_decision(removal);
  m.count_decision(core::annotate_pod{});
  m.count_decision(core::delete_job{});
  auto count = [&](const char* action, const char* resource) {
    return metric_text(m, std::string{"troupe_decisions_total{action=\""}
                              + action + "\",resource=\"" + resource + "\"}");
  };
  BOOST_TEST(count("create", "pods") == "2");
  BOOST_TEST(count("create", "services") == "1");
  BOOST_TEST(count("delete", "pods") == "1");
  BOOST_TEST(count("annotate", "pods") == "1");
  BOOST_TEST(count("adopt", "pods") == "");
}

BOOST_AUTO_TEST_CASE(each_decision_of_a_job_is_counted) {
  cluster_fixture s;
  s.make("tfjobs", tf_job_restarting(3, "Never"));
  for (const char* resource : {"pods", "services"})
    BOOST_TEST(
        metric_value(*s.op.counters,
                     std::string{"troupe_decisions_total{action=\"create\","
                                 "resource=\""}
                         + resource + "\"}")
        == 3);
}

BOOST_AUTO_TEST_CASE(the_time_that_calls_wait_is_observed_by_priority) {
  cluster_fixture s;
  s.make("tfjobs", tf_job_restarting(2, "Never"));
  s.op.advance(1s); // Events go last.
  for (const char* priority : {"always", "normal", "event"})
    BOOST_TEST(metric_value(*s.op.counters,
                            std::string{"troupe_api_call_wait_seconds_count{"
                                        "priority=\""}
                                + priority + "\"}")
               > 0);
  BOOST_TEST(
      metric_value(*s.op.counters,
                   "troupe_api_call_wait_seconds_sum{priority=\"normal\"}")
      == 0);
}

BOOST_AUTO_TEST_CASE(a_watch_that_is_opened_again_is_counted_with_its_reason) {
  actors::metrics m;
  auto& pods = m.watch_meter_of("pods");
  BOOST_TEST(&pods == &m.watch_meter_of("pods"));
  pods.count_list();
  pods.count_watch_event();
  pods.count_watch_event();
  pods.count_watch_end("closed");
  pods.count_watch_end("expired");
  pods.count_watch_end("expired");
  BOOST_TEST(metric_value(m, "troupe_relists_total{resource=\"pods\"}") == 1);
  BOOST_TEST(metric_value(m, "troupe_watch_events_total{resource=\"pods\"}")
             == 2);
  auto watch_restarts = [&](const char* reason) {
    return metric_value(m, std::string{"troupe_watch_restarts_total{reason=\""}
                               + reason + "\",resource=\"pods\"}");
  };
  BOOST_TEST(watch_restarts("closed") == 1);
  BOOST_TEST(watch_restarts("expired") == 2);
}

BOOST_AUTO_TEST_CASE(what_mpi_operator_tells_is_told) {
  actors::metrics m;
  auto text = [&] { return m.exposition_text({}, nullptr); };
  auto has = [&](const char* line) {
    return text().find(std::string{"\n"} + line + "\n") != std::string::npos;
  };
  const auto* info =
      "mpi_operator_job_info{launcher=\"pi-launcher\",namespace=\"ns\"} 1";
  m.count_created_mpi_job();
  m.count_created_mpi_job();
  m.count_succeeded_mpi_job();
  m.count_failed_mpi_job();
  m.set_leading("lease", true);
  BOOST_TEST(has("mpi_operator_jobs_created_total 2"));
  BOOST_TEST(has("mpi_operator_jobs_successful_total 1"));
  BOOST_TEST(has("mpi_operator_jobs_failed_total 1"));
  BOOST_TEST(has("mpi_operator_is_leader 1"));
  auto job = m.add_job_meter("mpi");
  BOOST_TEST(!has(info));
  job->set_launcher_job("ns", "pi-launcher");
  // Its successor is there before it is gone.
  auto next = m.add_job_meter("mpi");
  next->set_launcher_job("ns", "pi-launcher");
  BOOST_TEST(has(info));
  job.reset();
  BOOST_TEST(has(info));
  next.reset();
  BOOST_TEST(!has(info));
}

BOOST_AUTO_TEST_CASE(readiness_is_a_gauge) {
  actors::metrics m;
  BOOST_TEST(metric_value(m, "troupe_ready") == 0);
  m.set_ready(true);
  BOOST_TEST(metric_value(m, "troupe_ready") == 1);
}

BOOST_AUTO_TEST_CASE(the_process_tells_of_itself) {
  actors::metrics m;
  BOOST_TEST(metric_value(m, "process_resident_memory_bytes") > 1e6);
  BOOST_TEST(metric_value(m, "process_virtual_memory_bytes")
             > metric_value(m, "process_resident_memory_bytes"));
  BOOST_TEST(metric_value(m, "process_open_fds") >= 3);
  rlimit r{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &r) == 0);
  BOOST_TEST(metric_value(m, "process_max_fds")
             == static_cast<double>(r.rlim_cur));
  auto now = std::chrono::duration<double>(
                 std::chrono::system_clock::now().time_since_epoch())
                 .count();
  BOOST_TEST(metric_value(m, "process_start_time_seconds") <= now + 2);
  BOOST_TEST(metric_value(m, "process_start_time_seconds") > now - 3600);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds =
      static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
      + 1e-6
            * static_cast<double>(used.ru_utime.tv_usec
                                  + used.ru_stime.tv_usec);
  BOOST_TEST(std::abs(metric_value(m, "process_cpu_seconds_total") - seconds)
             < 1);
}

BOOST_AUTO_TEST_CASE(answers_are_told_as_client_go_tells_them) {
  actors::metrics m;
  auto answers = std::make_shared<k8s::request_counts>(
      k8s::host_and_port_of_url("https://10.0.0.1:6443/k8s"));
  m.set_request_counts(answers);
  answers->count(k8s::verb::create, 201);
  answers->count(k8s::verb::list, 200);
  answers->count(k8s::verb::watch, 200);
  answers->count(k8s::verb::remove, 0);
  auto series = [](const char* code, const char* method) {
    return std::string{"rest_client_requests_total{code=\""} + code
           + "\",host=\"10.0.0.1:6443\",method=\"" + method + "\"}";
  };
  BOOST_TEST(metric_value(m, series("201", "POST")) == 1);
  BOOST_TEST(metric_value(m, series("200", "GET")) == 2);
  BOOST_TEST(metric_value(m, series("<error>", "DELETE")) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
