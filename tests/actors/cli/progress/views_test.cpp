#include "actors/cli/progress/views.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>

using namespace troupe::cli;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(views_test)

namespace {

/// A pod of worker 0 with the state of its main container.
json pod_of(const char* phase, json state = nullptr, int restarts = 0) {
  auto pod = json::parse(R"({
    "metadata": {"name": "mnist-worker-0", "uid": "u", "labels": {
      "training.kubeflow.org/replica-type": "worker",
      "training.kubeflow.org/replica-index": "0"}},
    "spec": {"containers": [{"name": "tensorflow"}, {"name": "a"}]}})");
  pod["status"]["phase"] = phase;
  if (!state.is_null())
    pod["status"]["containerStatuses"] = {
        {{"name", "a"}, {"state", {{"waiting", {{"reason", "Other"}}}}}},
        {{"name", "tensorflow"},
         {"restartCount", restarts},
         {"state", std::move(state)}}};
  return pod;
}

json running() {
  return json::parse(R"({"running":{"startedAt":"2026-01-31T11:59:00Z"}})");
}

json terminated(int code, const char* reason) {
  return {{"terminated", {{"exitCode", code}, {"reason", reason}}}};
}

json waiting(const char* reason) {
  return {{"waiting", {{"reason", reason}, {"message", "why"}}}};
}

} // namespace

BOOST_AUTO_TEST_CASE(every_run_of_a_container_has_a_log_of_its_own) {
  auto log = [](const json& p) { return parse_replica_view(p).log_of; };
  BOOST_TEST(log(pod_of("Running")) == "");
  BOOST_TEST(log(pod_of("Running", {{"waiting", json::object()}})) == "");
  auto first = log(pod_of("Running", running()));
  BOOST_TEST(first != "");
  BOOST_TEST(log(pod_of("Failed", terminated(1, "Error"))) == first);
  BOOST_TEST(log(pod_of("Running", running(), 1)) != first);
}

BOOST_AUTO_TEST_CASE(what_is_worth_a_word_of_a_pod) {
  auto unplaced = pod_of("Pending");
  unplaced["status"]["conditions"] = {{{"type", "PodScheduled"},
                                       {"status", "False"},
                                       {"reason", "Unschedulable"}}};
  auto evicted = pod_of("Failed", terminated(137, "Error"));
  evicted["status"]["reason"] = "Evicted";
  auto restarted = pod_of("Running", running(), 1);
  restarted["status"]["containerStatuses"][1]["lastState"] =
      terminated(3, "Error");
  struct row {
    json pod;
    const char* phase;
    const char* reason;
    std::optional<std::int64_t> code;
  };
  // clang-format off
  const row rows[] = {
      {pod_of(""), "Pending", "", {}},
      {pod_of("Running", running()), "Running", "", {}},
      {pod_of("Pending", waiting("ContainerCreating")), "Pending", "", {}},
      {pod_of("Pending", waiting("PodInitializing")), "Pending", "", {}},
      {pod_of("Pending", waiting("ErrImagePull")), "Pending", "ErrImagePull", {}},
      {pod_of("Succeeded", terminated(0, "Completed")), "Succeeded", "", 0},
      {pod_of("Failed", terminated(137, "OOMKilled")), "Failed", "OOMKilled", 137},
      {evicted, "Failed", "Evicted", 137},
      {restarted, "Running", "Error", 3},
      {unplaced, "Pending", "Unschedulable", {}},
  };
  // clang-format on
  for (auto r : rows)
    for (bool reduced : {false, true})
      BOOST_TEST_CONTEXT(r.pod) {
        auto pod = r.pod;
        if (reduced)
          drop_unread_pod_fields(pod);
        auto v = parse_replica_view(pod);
        BOOST_TEST(v.slot == "worker-0");
        BOOST_TEST(v.container == "tensorflow");
        BOOST_TEST(v.phase == r.phase);
        BOOST_TEST(v.reason == r.reason);
        BOOST_TEST((v.exit_code == r.code));
        pod["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
        bool over = v.phase == "Succeeded" || v.phase == "Failed";
        BOOST_TEST(parse_replica_view(pod).phase
                   == (over ? v.phase : "Ending"));
      }
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_is_not_there_is_not_waited_for) {
  for (const char* reason : {"Unschedulable", "NoScheduler"}) {
    auto pod = pod_of("Pending");
    pod["status"]["conditions"] = {{{"type", "PodScheduled"},
                                    {"status", "False"},
                                    {"reason", reason},
                                    {"message", "why"}}};
    auto v = parse_replica_view(pod);
    BOOST_TEST(v.message == "why");
    BOOST_TEST(v.start_error
               == (std::string{reason} == "NoScheduler" ? "why" : ""));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_shown_of_a_pod_need_not_be_kept) {
  auto pod = pod_of("Running", running());
  pod["metadata"]["managedFields"] = json::array({"many"});
  pod["spec"]["containers"][0]["env"] = json::array({"long"});
  drop_unread_pod_fields(pod);
  BOOST_TEST(pod["spec"].dump() == R"({"containers":[{"name":"tensorflow"}]})");
  BOOST_TEST(pod["metadata"].count("managedFields") == 0u);
  BOOST_TEST(pod["metadata"].count("labels") == 1u);
  json none = "no pod";
  drop_unread_pod_fields(none);
  BOOST_TEST(none == "no pod");
}

BOOST_AUTO_TEST_CASE(what_a_deletion_has_ended_is_stopped) {
  struct row {
    int code;
    const char* reason;
    const char* phase;
  } rows[] = {{143, "Error", "Stopped"},
              {137, "Error", "Stopped"},
              {137, "OOMKilled", "Failed"},
              {1, "Error", "Failed"}};
  for (const auto& r : rows) {
    auto pod = pod_of("Failed", terminated(r.code, r.reason));
    BOOST_TEST(parse_replica_view(pod).phase == "Failed");
    pod["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
    BOOST_TEST(parse_replica_view(pod).phase == r.phase, r.code);
  }
}

BOOST_AUTO_TEST_CASE(a_slot_is_named_by_the_labels_that_there_are) {
  auto p = pod_of("Running");
  p["metadata"]["labels"].erase("training.kubeflow.org/replica-index");
  BOOST_TEST(parse_replica_view(p).slot == "worker");
  p["metadata"].erase("labels");
  BOOST_TEST(parse_replica_view(p).slot == "mnist-worker-0");
}

BOOST_AUTO_TEST_CASE(a_slot_of_a_random_name_has_its_suffix) {
  auto p = pod_of("Running");
  p["metadata"]["labels"] = {{"replica-type", "collector"}};
  p["metadata"]["name"] = "cp-collector-bbbcb";
  auto v = parse_replica_view(p);
  BOOST_TEST(v.type == "collector");
  BOOST_TEST(v.slot == "collector-bbbcb");
  BOOST_TEST(v.index == 27);
  p["metadata"]["labels"] = {{"replica-type", "coordinator"}};
  BOOST_TEST(parse_replica_view(p).slot == "coordinator");
}

BOOST_AUTO_TEST_CASE(the_last_true_condition_is_the_state_of_the_job) {
  struct row {
    const char* conditions; ///< "Type+" is true, "Type-" is false.
    const char* state;
    job_end end;
  };
  // clang-format off
  const row rows[] = {
      {"", "", job_end::open},
      {"Created+", "Created", job_end::open},
      {"Created+ Running+", "Running", job_end::open},
      {"Created+ Running-", "Created", job_end::open},
      {"Running- Succeeded+", "Succeeded", job_end::succeeded},
      {"Running+ Failed+", "Failed", job_end::failed},
      // Nothing comes after the end.
      {"Failed+ Restarting+", "Failed", job_end::failed},
  };
  // clang-format on
  for (const auto& r : rows) {
    json all = json::array();
    std::istringstream words{r.conditions};
    for (std::string word; words >> word;)
      all.push_back({{"type", word.substr(0, word.size() - 1)},
                     {"status", word.back() == '+' ? "True" : "False"},
                     {"lastTransitionTime", "2026-01-31T12:00:00Z"}});
    auto v = parse_job_view({{"status", {{"conditions", all}}}});
    BOOST_TEST(v.state == r.state, r.conditions);
    BOOST_TEST((v.end == r.end), r.conditions);
    BOOST_TEST(v.ended.has_value() == (r.end != job_end::open));
  }
}

BOOST_AUTO_TEST_CASE(pods_and_status_of_a_job_of_tasks) {
  auto p = pod_of("Running");
  p["metadata"]["labels"] = {{"diengine/task-name", "collector"}};
  p["metadata"]["name"] = "cp-collector-12";
  auto v = parse_replica_view(p);
  BOOST_TEST(v.slot == "collector-12");
  BOOST_TEST(v.index == 12);
  json job{{"metadata", {{"creationTimestamp", "2026-01-31T12:00:00Z"}}},
           {"status",
            {{"phase", "Succeeded"},
             {"completionTimestamp", "2026-01-31T12:01:00Z"},
             {"conditions",
              {{{"type", "Running"}, {"status", "False"}},
               {{"type", "Succeeded"}, {"status", "True"}}}}}}};
  auto seen = parse_job_view(job);
  BOOST_REQUIRE(seen.started);
  BOOST_REQUIRE(seen.ended);
  BOOST_TEST((*seen.ended - *seen.started == std::chrono::minutes{1}));
  BOOST_TEST((seen.end == job_end::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()
