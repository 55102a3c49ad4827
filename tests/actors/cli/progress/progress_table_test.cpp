#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/progress/progress_table.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe::cli;
using nlohmann::json;

namespace {

const auto table_time = *troupe::k8s::from_rfc3339("2026-01-31T12:00:00Z");

json running_job() {
  return {{"status",
           {{"conditions", {{{"type", "Running"}, {"status", "True"}}}}}}};
}

json pod_in(const std::string& type, int index, const char* phase,
            json state = nullptr) {
  auto slot = type + "-" + std::to_string(index);
  json p{{"metadata",
          {{"name", "mnist-" + slot},
           {"uid", slot},
           {"labels",
            {{"training.kubeflow.org/replica-type", type},
             {"training.kubeflow.org/replica-index", std::to_string(index)}}}}},
         {"spec", {{"containers", {{{"name", "c"}}}}}},
         {"status", {{"phase", phase}}}};
  if (!state.is_null())
    p["status"]["containerStatuses"] = {{{"name", "c"}, {"state", state}}};
  return p;
}

progress three_replicas() {
  progress p{"TFJob", "default", "mnist"};
  p.record_job(running_job());
  p.record_pod(pod_in("worker", 10, "Running",
                      {{"running", {{"startedAt", "2026-01-31T11:58:55Z"}}}}));
  p.record_pod(pod_in("worker", 2, "Failed",
                      {{"terminated",
                        {{"exitCode", 1},
                         {"reason", "Error"},
                         {"startedAt", "2026-01-31T11:59:00Z"},
                         {"finishedAt", "2026-01-31T11:59:42Z"}}}}));
  p.record_pod(pod_in("ps", 0, "Pending"));
  return p;
}

void check_table(const std::vector<table_line>& got,
                 const std::vector<table_line>& want) {
  BOOST_REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_TEST(got[i].text == want[i].text);
    BOOST_TEST(got[i].is_failure == want[i].is_failure);
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(progress_table_test)

BOOST_AUTO_TEST_CASE(each_replica_has_a_line) {
  check_table(make_job_table(three_replicas(), {}, table_time, 80, 10),
              {{"TFJob mnist  Running  ▓░×  1 Failed  1 Pending  1 Running"},
               {"  ps-0       -       Pending"},
               {"  worker-2   42s     Failed, exit code 1", true},
               {"  worker-10  65s     Running"}});
}

BOOST_AUTO_TEST_CASE(in_80_columns_a_long_name_leaves_room_for_the_state) {
  progress p{"PyTorchJob", "default",
             "a-rather-long-name-of-a-training-job-made-by-a-script"};
  auto job = running_job();
  job["status"]["restartAttempt"] = 12;
  job["status"]["conditions"][0]["type"] = "Restarting";
  job["status"]["progress"] = json::parse(R"({"percent": 100, "metrics": [
    {"name": "a-name-of-a-metric-that-takes-much-room", "value": "0.25"},
    {"name": "損失", "value": "12345678901234567890"}]})");
  p.record_job(job);
  for (int i = 0; i < 10'000; ++i)
    p.record_pod(pod_in("worker", i, i % 2 == 0 ? "Running" : "Pending"));
  auto lines = make_job_table(p, {}, table_time, 80, 24);
  BOOST_TEST(lines.size() == 24u);
  BOOST_TEST(lines[0].text
             == "PyTorchJob ...y-a-script  Restarting, attempt 12  "
                "▓▓▓▓▓▓▓▓▓▓░░░░░░░░░░  5000 ...");
  BOOST_TEST(lines[1].text
             == "  ████████████████████  100%, "
                "a-name-of-a-metric-that-takes-much-room 0.25, ...");
  BOOST_TEST(lines[23].text == "  and 9979 more");
  for (std::size_t width : {1u, 20u, 40u, 80u, 200u})
    for (const auto& line : make_job_table(p, {}, table_time, width, 5))
      BOOST_TEST(troupe::actors::column_count(line.text) <= width, line.text);
}

BOOST_AUTO_TEST_CASE(a_program_that_reports_has_a_bar) {
  auto told = three_replicas();
  auto job = running_job();
  job["status"]["progress"] = json::parse(R"({"percent": 45,
    "estimatedRemainingSeconds": 180, "time": "2026-01-31T11:59:00Z",
    "metrics": [{"name": "loss", "value": "0.2347"}]})");
  told.record_job(job);
  check_table(make_job_table(told, {}, table_time, 60, 4),
              {{"TFJob mnist  Running  ▓░×  1 Failed  1 Pending  1 Running"},
               {"  █████████░░░░░░░░░░░  45%, 3m left, loss 0.2347"},
               {"  ps-0       -       Pending"},
               {"  and 2 more"}});
  job["status"]["progress"].erase("percent");
  told.record_job(job);
  BOOST_TEST(make_job_table(told, {}, table_time, 60, 9)[1].text
             == "  3m left, loss 0.2347");
}

BOOST_AUTO_TEST_CASE(what_replicas_use_stands_beside_them) {
  // Of a pod that begins, they are of the one before, which had its name.
  auto used = read_pod_usage(json::parse(R"({"items":[
      {"metadata":{"name":"mnist-ps-0"},"containers":[
        {"usage":{"cpu":"1","memory":"1Mi"}}]},
      {"metadata":{"name":"mnist-worker-10"},"containers":[
        {"usage":{"cpu":"1500m","memory":"2Gi"}},
        {"usage":{"cpu":"250000000n","memory":"1024Ki"}}]}]})"));
  check_table(
      make_job_table(three_replicas(), used, table_time, 80, 10),
      {{"TFJob mnist  Running  ▓░×  1 Failed  1 Pending  1 Running"},
       {"  ps-0       -       -                     Pending"},
       {"  worker-2   42s     -                     Failed, exit code 1", true},
       {"  worker-10  65s      1.75 CPU   2049 MiB  Running"}});
  used = read_pod_usage(json::parse(R"({"items":[
      {"metadata":{"name":"mnist-worker-10"},"containers":[{"usage":{
        "cpu":"1","memory":"1Mi","nvidia.com/gpu":"1750m",
        "nvidia.com/gpu-memory":"2Gi"}}]},
      {"metadata":{"name":"mnist-worker-2"},"containers":[{"usage":{
        "cpu":"0","memory":"5Mi"}}]}]})"));
  check_table(
      make_job_table(three_replicas(), used, table_time, 90, 10),
      {{"TFJob mnist  Running  ▓░×  1 Failed  1 Pending  1 Running"},
       {"  ps-0       -       -                                           "
        "Pending"},
       {"  worker-2   42s      0.00 CPU      5 MiB                        "
        "Failed, exit code 1",
        true},
       {"  worker-10  65s      1.00 CPU      1 MiB   1.75 GPU   2048 MiB  "
        "Running"}});
  for (auto odd : {"null", "[]", R"({"items":5})", R"({"items":[5]})",
                   R"({"items":[{"containers":[{"usage":{"cpu":{}}}]}]})"})
    read_pod_usage(json::parse(odd));
}

BOOST_AUTO_TEST_CASE(many_replicas_share_a_bar) {
  progress p{"TFJob", "default", "mnist"};
  for (int i = 0; i < 100; ++i)
    p.record_pod(pod_in("worker", i, i < 50 ? "Succeeded" : "Running"));
  BOOST_TEST(make_job_table(p, {}, table_time, 80, 1)[0].text
             == "TFJob mnist  new  ██████████▓▓▓▓▓▓▓▓▓▓  50 Running  "
                "50 Succeeded");
}

BOOST_AUTO_TEST_CASE(nothing_in_a_table_steers_the_terminal) {
  progress p{"TFJob", "default", "mnist"};
  auto job = running_job();
  job["status"]["conditions"][0]["type"] = "Run\x1b[2Jning";
  p.record_job(job);
  p.record_pod(pod_in("a\x1b]0;x\ab", 0, "Fai\nled"));
  for (const auto& line : make_job_table(p, {}, table_time, 80, 10))
    BOOST_TEST((std::none_of(line.text.begin(), line.text.end(), [](char c) {
      return static_cast<unsigned char>(c) < ' ';
    })));
}

BOOST_AUTO_TEST_CASE(a_table_never_exceeds_the_screen) {
  progress p{"TFJob", "default", "mnist"};
  for (int i = 0; i < 50; ++i)
    p.record_pod(pod_in("worker", i, "Running"));
  for (std::size_t height = 0; height < 60; ++height)
    BOOST_TEST(make_job_table(p, {}, table_time, 80, height).size()
               == std::min<std::size_t>(height, 51));
  auto some = make_job_table(p, {}, table_time, 80, 5);
  BOOST_TEST(some.back().text == "  and 47 more");
  for (const auto& l : make_job_table(p, {}, table_time, 12, 60))
    BOOST_TEST(l.text.size() <= 12u);
}

BOOST_AUTO_TEST_SUITE_END()
