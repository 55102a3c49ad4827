#include "tests/actors/cli/progress/progress_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;

BOOST_AUTO_TEST_SUITE(restart_events_test)

using namespace progress_objects;

BOOST_AUTO_TEST_CASE(a_restart_says_what_comes_next) {
  auto p = fresh();
  auto first = job({"Created", "Running"});
  first["spec"]["runPolicy"]["failurePolicy"]["maxRestarts"] = 3;
  check(p.record_job(first), {"TFJob mnist: Running (it is Running)"});
  auto restarted = first;
  auto& status = restarted["status"];
  status["conditions"][1]["type"] = "Restarting";
  status["restartAttempt"] = 1;
  status["countedRestarts"] = 1;
  status["lastRestart"] = {{"time", "2026-01-31T12:00:00Z"}};
  check(p.record_job(restarted),
        {"TFJob mnist: Restarting (it is Running)",
         "TFJob mnist: all pods stop, then start again as attempt 1 (1 of at "
         "most 3 restarts)"});
  check(p.record_job(restarted), {});
  status["conditions"][1]["type"] = "Running";
  status["lastRestart"]["recoveryTime"] = "2026-01-31T12:00:12Z";
  check(p.record_job(restarted),
        {"TFJob mnist: Running (it is Running)",
         "TFJob mnist: attempt 1 runs, 12s after the failure"});
  check(p.record_job(restarted), {});
  status["conditions"][1]["type"] = "Succeeded";
  p.record_job(restarted);
  check({p.summary_lines(noon, "").front()},
        {"TFJob default/mnist succeeded after 110s, 0 replicas, restarted "
         "once"});
  BOOST_TEST(p.result_json(noon, "")["restarts"] == 1);
}

BOOST_AUTO_TEST_CASE(a_restart_of_types_names_them) {
  auto p = fresh();
  auto j = job({"Restarting"});
  // A definition without such fields.
  j["metadata"]["annotations"]["training.kubeflow.org/recovery"] =
      R"({"restartAttempt": 2, "countedRestarts": 1,
          "lastRestart": {"type": "Worker"}})";
  j["metadata"]["annotations"]["training.kubeflow.org/failure-policy"] =
      "maxRestarts: 5";
  check(p.record_job(j),
        {"TFJob mnist: Restarting (it is Restarting)",
         "TFJob mnist: the pods of Worker stop, then start again as attempt "
         "2 (1 of at most 5 restarts)"});
  j["metadata"]["annotations"]["training.kubeflow.org/recovery"] = "no JSON";
  check(p.record_job(j), {});
}

BOOST_AUTO_TEST_CASE(the_budget_of_restarts_is_the_one_that_holds) {
  struct {
    const char* description;
    json run_policy;
    json status;
    const char* budget;
  } rows[] = {
      {"none", json::object(), {{"countedRestarts", 2}}, ""},
      {"backoffLimit, which pods alone use up, too",
       {{"backoffLimit", 6}},
       {{"countedRestarts", 2},
        {"restarts", {{{"pod", "a"}, {"count", 1}}, {{"count", 2}}}}},
       " (5 of at most 6 restarts)"},
      {"after attempts that ended early",
       {{"backoffLimit", 1}},
       {{"countedRestarts", 1},
        {"lastRestart", {{"time", "2026-01-31T12:00:00Z"}, {"earlyEnds", 3}}}},
       " after a pause of 20s (1 of at most 1 restart)"},
      {"maxRestarts before backoffLimit",
       {{"backoffLimit", 6}, {"failurePolicy", {{"maxRestarts", 3}}}},
       {{"countedRestarts", 2}, {"restarts", {{{"count", 1}}}}},
       " (2 of at most 3 restarts)"},
      {"those of a window",
       {{"failurePolicy", {{"maxRestarts", 3}, {"restartWindow", "6h"}}}},
       {{"countedRestarts", 9}, {"restartTimes", {"2026-01-31T12:00:00Z"}}},
       " (1 of at most 3 restarts within 6h)"},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.description) {
      auto p = fresh();
      auto j = job({"Restarting"});
      j["spec"]["runPolicy"] = row.run_policy;
      j["status"].update(row.status);
      j["status"]["restartAttempt"] = 3;
      check({p.record_job(j).at(1).text},
            {std::string{"TFJob mnist: all pods stop, then start again as "
                         "attempt 3"}
             + row.budget});
    }
}

BOOST_AUTO_TEST_CASE(pods_that_are_restarted_alone_are_told) {
  auto p = fresh();
  auto failed =
      with_state(pod("worker", 1, "Failed", "old"), terminated(9, "Error"));
  check(p.record_pod(failed), {"mnist-worker-1: Failed, exit code 9"});
  auto j = job({"Created", "Restarting"});
  j["spec"]["runPolicy"]["backoffLimit"] = 2;
  j["status"]["restarts"] = {{{"pod", "mnist-worker-1"}, {"count", 1}}};
  check(p.record_job(j),
        {"TFJob mnist: Restarting (it is Restarting)",
         "TFJob mnist: the pods that failed are made again, the others go on "
         "(1 of at most 2 restarts)"});
  check(p.record_job(j), {});
  auto killed =
      with_state(pod("worker", 0, "Failed"), terminated(137, "Error"));
  check(p.record_pod(killed), {"mnist-worker-0: Failed, exit code 137"});
  killed["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:43Z";
  check(p.record_pod(killed), {}); // It is not the deletion that ended it.
  check(p.record_pod_deleted(failed), {});
  check(p.record_pod(pod("worker", 1, "Pending", "new")),
        {"mnist-worker-1: Pending"});
  auto again =
      with_state(pod("worker", 1, "Running", "new"),
                 {{"running", {{"startedAt", "2026-01-31T11:59:45Z"}}}});
  auto told = p.record_pod(again);
  check(told, {"mnist-worker-1: Running",
               "TFJob mnist: mnist-worker-1 runs again, 3s after its failure"});
  BOOST_TEST(
      told.at(1).details
      == json(
          {{"type", "recovered"}, {"pod", "mnist-worker-1"}, {"seconds", 3}}));
  check(p.record_pod(again), {});
  // The next one, while the condition is still the same.
  j["status"]["restarts"][0]["count"] = 2;
  auto next = p.record_job(j);
  check(next, {"TFJob mnist: the pods that failed are made again, the others "
               "go on (2 of at most 2 restarts)"});
  BOOST_TEST(next.at(0).details
             == json({{"type", "replacement"},
                      {"countedRestarts", 2},
                      {"maxRestarts", 2}}));
  p.record_job(job({"Succeeded"}));
  check({p.summary_lines(noon, "").front()},
        {"TFJob default/mnist succeeded after 110s, 2 replicas, one failed pod "
         "made again"});
  BOOST_TEST(p.result_json(noon, "")["replacedPods"] == 1);
}

BOOST_AUTO_TEST_CASE(pods_of_a_new_attempt_replace_no_failed_one) {
  auto p = fresh();
  auto with_attempt = [](json one, const char* attempt) {
    one["metadata"]["labels"]["training.kubeflow.org/restart-attempt"] =
        attempt;
    return one;
  };
  p.record_pod(with_attempt(pod("worker", 0, "Failed", "a"), "0"));
  check(p.record_pod(with_attempt(pod("worker", 0, "Running", "b"), "1")),
        {"mnist-worker-0: Running"});
  // An attempt that is not saved yet is no replacement.
  auto j = job({"Restarting"});
  j["status"]["conditions"][0]["message"] = "it restarts (attempt 2) because";
  check(p.record_job(j),
        {"TFJob mnist: Restarting (it restarts (attempt 2) because)"});
}

// Its condition says the same.
BOOST_AUTO_TEST_CASE(a_restart_is_told_once) {
  auto p = fresh();
  auto warning = [](const char* reason, const char* message) {
    return json{{"type", "Warning"},
                {"reason", reason},
                {"message", message},
                {"metadata", {{"uid", message}}},
                {"involvedObject", {{"name", "mnist"}}}};
  };
  p.record_job(job({"Restarting"}));
  check(p.record_warning_or_claim_event(
            warning("TFJobRestarting", "it is Restarting")),
        {});
  p.record_job(job({"Failed"}));
  check(p.record_warning_or_claim_event(warning("TFJobFailed", "it is Failed")),
        {});
  check(p.record_warning_or_claim_event(warning("TFJobFailed", "other")),
        {"warning, mnist: TFJobFailed: other"});
}

BOOST_AUTO_TEST_SUITE_END()
