#include "actors/metrics/metrics.hpp"
#include "k8s/general/addresses.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <sys/resource.h>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(metrics_test)

namespace {

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

/// Counts something in every family.
void count_everything(actors::metrics& m) {
  m.observe_api_call(k8s::verb::get, "pods", "ok", 0.1);
  m.observe_call_wait(actors::call_priority::normal, 0.1);
  m.count_decision(core::create_child{});
  m.watch_meter_of("pods").count_watch_end("closed");
  m.set_leading("lease", true);
  m.count_actor_restart("watcher");
  m.reconcile_meter_of("tfjob-controller", 1);
  m.count_created_job("ns", "tensorflow");
  m.count_deleted_job("ns", "tensorflow");
  m.count_succeeded_job("ns", "tensorflow");
  m.count_failed_job("ns", "tensorflow");
  m.count_restarted_replica("ns", "tensorflow");
  auto answers = std::make_shared<k8s::request_counts>("host");
  answers->count(k8s::verb::get, 200);
  m.set_request_counts(answers);
  m.webhook_meter_of("/validate").on_review_ended(200, 0.1);
  m.observe_di_server_request("/v1alpha1/replicas", "POST", 200, 0.1);
  m.set_webhook_certificate_expiry(k8s::time_point{});
}

/// A root's report with everything that is exposed.
const json& root_report() {
  static const json it{
      {"actor", "root"},
      {"children",
       {{{"actor", "gateway"}},
        {{"actor", "watcher"}, {"resource", "pods"}, {"secondsBehind", 1}}}}};
  return it;
}

/// The rows of docs/metrics.md that this text is described by: name, type,
/// labels, help.
std::set<std::string> rows_of(const std::string& text) {
  std::map<std::string, std::string> help;
  std::map<std::string, std::string> type;
  std::map<std::string, std::set<std::string>> label_names;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string first, second, name;
    words >> first >> second >> name;
    if (first == "#") {
      std::string rest;
      std::getline(words >> std::ws, rest);
      (second == "HELP" ? help : type)[name] = rest;
      continue;
    }
    auto brace = first.find('{');
    auto sample = first.substr(0, brace);
    for (const char* part : {"_bucket", "_sum", "_count"})
      if (auto cut = sample.rfind(part);
          cut != std::string::npos && type.count(sample.substr(0, cut)) > 0)
        sample.resize(cut);
    auto& labels = label_names[sample];
    while (brace != std::string::npos) {
      auto equals = line.find("=\"", brace);
      auto label = line.substr(brace + 1, equals - brace - 1);
      if (label != "le")
        labels.insert(label);
      auto end = line.find('"', equals + 2) + 1;
      brace = line[end] == ',' ? end : std::string::npos;
    }
  }
  std::set<std::string> rows;
  for (const auto& [name, text_of_help] : help) {
    std::string names;
    for (const auto& label : label_names[name])
      names += (names.empty() ? "`" : ", `") + label + "`";
    rows.insert("| `" + name + "` | " + type[name] + " | " + names + " | "
                + text_of_help + " |");
  }
  return rows;
}

std::set<std::string> rows_of_the_page() {
  std::ifstream page{METRICS_PAGE};
  std::set<std::string> rows;
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `", 0) == 0)
      rows.insert(line);
  return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_page_lists_what_is_exposed) {
  actors::metrics m;
  count_everything(m);
  auto job = m.add_job_meter("tensorflow");
  job->set_launcher_job("ns", "pi-launcher");
  auto exposed = rows_of(m.exposition_text({}, root_report()));
  auto listed = rows_of_the_page();
  for (const auto& row : exposed)
    BOOST_TEST(listed.count(row) == 1u, "not in docs/metrics.md: " << row);
  for (const auto& row : listed)
    BOOST_TEST(exposed.count(row) == 1u, "not exposed: " << row);
}

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
  s.make("tfjobs", tf_job(3, "Never"));
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
  s.make("tfjobs", tf_job(2, "Never"));
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
  for (const char* cause : {"failed", "disrupted", "deleted", "node_lost"})
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
  s.api->create("tfjobs", tf_job(2, "Never"));
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

BOOST_AUTO_TEST_CASE(what_mpi_operator_tells_is_told) {
  actors::metrics m;
  auto text = [&] { return m.exposition_text({}, root_report()); };
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

BOOST_AUTO_TEST_CASE(the_start_of_a_job_is_observed_once) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  const std::string pods = "troupe_job_pods_created_seconds_";
  const std::string running = "troupe_job_running_seconds_";
  const std::string tf = "{framework=\"tensorflow\"}";
  s.make("tfjobs", tf_job(2, "OnFailure"));
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

BOOST_AUTO_TEST_CASE(readiness_is_a_gauge) {
  actors::metrics m;
  BOOST_TEST(metric_value(m, "troupe_ready") == 0);
  m.set_ready(true);
  BOOST_TEST(metric_value(m, "troupe_ready") == 1);
}

BOOST_AUTO_TEST_CASE(each_pod_that_is_replaced_counts_as_a_restart) {
  cluster_fixture s;
  s.make("tfjobs", tf_job(3, "ExitCode"));
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
  BOOST_TEST(metric_text(*s.op.counters, restarts) == "");
}

BOOST_AUTO_TEST_CASE(passes_are_counted_as_reconciles) {
  cluster_fixture s;
  auto& m = *s.op.counters;
  s.make("tfjobs", tf_job(2, "Never"));
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
    s.api->create("tfjobs", tf_job(1, "Never"));
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
