#include "tests/actors/cli/progress/progress_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;

BOOST_AUTO_TEST_SUITE(progress_)

using namespace progress_objects;

BOOST_AUTO_TEST_CASE(only_changes_are_printed) {
  auto p = fresh();
  check(p.record_pod(pod("worker", 0, "Pending")), {"mnist-worker-0: Pending"});
  check(p.record_pod(pod("worker", 0, "Pending")), {});
  check(p.record_pod(pod("worker", 0, "Running")), {"mnist-worker-0: Running"});
  check(p.record_job(job({})), {});
  check(p.record_job(job({"Created"})),
        {"TFJob mnist: Created (it is Created)"});
  check(p.record_job(job({"Created"})), {});
}

BOOST_AUTO_TEST_CASE(what_a_program_reports_is_told_once) {
  auto p = fresh();
  auto j = job({"Created", "Running"});
  p.record_job(j);
  j["status"]["progress"] = json::parse(R"({"percent": 45,
    "estimatedRemainingSeconds": 180, "time": "2026-01-31T11:59:00Z",
    "source": "mnist-worker-0", "metrics": [{"name": "loss", "value": "0.2"}]})");
  auto told = p.record_job(j);
  check(told, {"TFJob mnist: 45%, 3m left, loss 0.2"});
  BOOST_TEST(told.front().details == json::parse(R"({"type": "progress",
    "percent": 45, "estimatedRemainingSeconds": 180, "pod": "mnist-worker-0",
    "time": "2026-01-31T11:59:00Z", "metrics": {"loss": "0.2"}})"));
  check(p.record_job(j), {});
  j["status"]["progress"] = {{"time", "2026-01-31T11:59:10Z"},
                             {"percent", 100}};
  check(p.record_job(j), {"TFJob mnist: 100%"});
}

BOOST_AUTO_TEST_CASE(a_failure_has_code_and_reason) {
  auto p = fresh();
  check(p.record_pod(
            with_state(pod("worker", 0, "Failed"), terminated(3, "Error"))),
        {"mnist-worker-0: Failed, exit code 3"});
  check(p.record_pod(with_state(pod("worker", 1, "Failed"),
                                terminated(137, "OOMKilled"), 2)),
        {"mnist-worker-1: Failed, exit code 137 (OOMKilled), 2 restarts"});
  check(p.record_pod(with_state(
            pod("ps", 0, "Failed"),
            terminated(128, "StartError", "no such program\x1b[2J\n"))),
        {"mnist-ps-0: Failed, exit code 128 (StartError: no such program)"});
}

// The end of a log may be a container's message.
BOOST_AUTO_TEST_CASE(a_long_message_is_one_line_of_a_person) {
  auto p = fresh();
  auto failed = with_state(
      pod("worker", 0, "Failed"),
      terminated(1, "Error", "Traceback:\n  line 1\nValueError: bad shard\n"));
  auto told = p.record_pod(failed);
  check(told, {"mnist-worker-0: Failed, exit code 1 (Error: ValueError: bad "
               "shard)"});
  BOOST_TEST(told.at(0).details["message"]
             == "Traceback:\n  line 1\nValueError: bad shard\n");
  failed = with_state(pod("worker", 1, "Failed"),
                      terminated(1, "Error", std::string(400, 'a').c_str()));
  check(p.record_pod(failed), {"mnist-worker-1: Failed, exit code 1 (Error: "
                               + std::string(300, 'a') + "...)"});
  failed = with_state(pod("worker", 2, "Failed"), terminated(1, "Error", "\n"));
  check(p.record_pod(failed), {"mnist-worker-2: Failed, exit code 1 (Error)"});
}

BOOST_AUTO_TEST_CASE(waiting_is_printed_only_if_it_is_an_error) {
  auto p = fresh();
  json calm{{"waiting", {{"reason", "ContainerCreating"}}}};
  json trouble{
      {"waiting", {{"reason", "ErrImagePull"}, {"message", "no such image"}}}};
  check(p.record_pod(with_state(pod("ps", 0, "Pending"), calm)),
        {"mnist-ps-0: Pending"});
  check(p.record_pod(with_state(pod("ps", 0, "Pending"), trouble)),
        {"mnist-ps-0: Pending (ErrImagePull: no such image)"});
}

BOOST_AUTO_TEST_CASE(a_pod_that_cannot_be_placed_says_why) {
  auto p = fresh();
  auto lost = pod("ps", 0, "Pending");
  lost["status"]["conditions"] = {{{"type", "PodScheduled"},
                                   {"status", "False"},
                                   {"reason", "Unschedulable"},
                                   {"message", "0/3 nodes"}}};
  check(p.record_pod(lost), {"mnist-ps-0: Pending (Unschedulable: 0/3 nodes)"});
}

BOOST_AUTO_TEST_CASE(the_verdict_is_the_condition_that_ends) {
  auto p = fresh();
  BOOST_TEST(int(p.job().end) == int(job_end::open));
  p.record_job(job({"Created", "Succeeded"}));
  BOOST_TEST(int(p.job().end) == int(job_end::succeeded));
  p.record_job(job({"Created", "Failed"}));
  BOOST_TEST(int(p.job().end) == int(job_end::failed));
  BOOST_TEST(exit_code(job_end::succeeded) == 0);
  BOOST_TEST(exit_code(job_end::failed) == 1);
  BOOST_TEST(exit_code(job_end::deleted) == 1);
}

BOOST_AUTO_TEST_CASE(
    a_job_deleted_by_somebody_is_over_but_a_finished_one_stays) {
  auto p = fresh();
  check(p.record_job_deleted(), {"TFJob mnist: deleted"});
  BOOST_TEST(int(p.job().end) == int(job_end::deleted));
  auto q = fresh();
  q.record_job(job({"Succeeded"}));
  check(q.record_job_deleted(), {});
  BOOST_TEST(int(q.job().end) == int(job_end::succeeded));
}

BOOST_AUTO_TEST_CASE(warnings_about_the_job_are_printed_once) {
  auto p = fresh();
  auto event = [](const char* type, const char* about) {
    return json{{"type", type},
                {"reason", "FailedCreatePod"},
                {"message", "quota"},
                {"metadata", {{"uid", about}}},
                {"involvedObject", {{"name", about}}}};
  };
  check(p.record_warning_or_claim_event(event("Warning", "mnist")),
        {"warning, mnist: FailedCreatePod: quota"});
  check(p.record_warning_or_claim_event(event("Warning", "mnist")), {});
  check(p.record_warning_or_claim_event(event("Normal", "mnist-worker-0")), {});
  check(p.record_warning_or_claim_event(event("Warning", "mnist2")), {});
  auto claim = event("Normal", "mnist-worker-0");
  claim["reason"] = "ClaimDirectory";
  claim["message"] = "the volume of claim data is the directory /d";
  auto told = p.record_warning_or_claim_event(claim);
  check(told, {"mnist-worker-0: the volume of claim data is the directory /d"});
  // The page of the timeline lists warnings only.
  BOOST_TEST(!is_warning(told.at(0)));
  claim["type"] = "Warning";
  BOOST_TEST(is_warning(p.record_warning_or_claim_event(claim).at(0)));
}

BOOST_AUTO_TEST_CASE(the_summary_of_a_failure_says_who_and_why) {
  auto p = fresh();
  auto bad = with_state(pod("worker", 0, "Failed"), terminated(3, "Error"));
  p.record_pod(
      with_state(pod("worker", 1, "Succeeded"), terminated(0, "Completed")));
  p.record_pod(bad);
  for (int i = 0; i < 12; ++i)
    p.remember_last_log_line("worker-0", "line " + std::to_string(i));
  p.record_pod_deleted(bad);
  p.record_job(job({"Running", "Failed"}));
  auto words = p.summary_lines(noon, "/somewhere");
  BOOST_TEST(words[0] == "TFJob default/mnist failed after 110s, 2 replicas");
  BOOST_TEST(words[1] == "  TFJobFailed: it is Failed");
  BOOST_TEST(words[2] == "  mnist-worker-0: Failed, exit code 3");
  BOOST_TEST(words[3] == "    | line 2");
  BOOST_TEST(contains(words, "line 11"));
  BOOST_TEST(!contains(words, "worker-1"));
  BOOST_TEST(words.back() == "Whole logs: /somewhere");
}

BOOST_AUTO_TEST_CASE(the_likely_cause_is_told_if_only_the_exit_code_can_tell) {
  const std::tuple<int, const char*, bool> table[] = {
      {137, "Error", true},
      {137, "", true},
      {137, "OOMKilled", false},
      {3, "Error", false},
  };
  for (const auto& [code, reason, is_told] : table) {
    auto p = fresh();
    p.record_pod(
        with_state(pod("worker", 0, "Failed"), terminated(code, reason)));
    p.record_job(job({"Running", "Failed"}));
    BOOST_TEST(contains(p.summary_lines(noon, ""), "    likely cause: killed")
               == is_told);
    auto result = p.result_json(noon, "");
    BOOST_TEST(result["failures"][0].contains("likelyCause") == is_told);
  }
}

BOOST_AUTO_TEST_CASE(a_success_needs_one_line) {
  auto p = fresh();
  p.record_pod(pod("worker", 0, "Succeeded"));
  p.record_job(job({"Succeeded"}));
  check(p.summary_lines(noon, "/somewhere"),
        {"TFJob default/mnist succeeded after 110s, 1 replica"});
}

BOOST_AUTO_TEST_CASE(odd_objects_do_not_throw) {
  for (const auto& odd :
       {json(nullptr), json(5), json::array({1}), json{{"metadata", 5}},
        json{{"status",
              {{"conditions", {1, "a", nullptr}},
               {"containerStatuses", {nullptr}}}}}}) {
    auto p = fresh();
    p.record_job(odd);
    p.record_pod(odd);
    p.record_pod_deleted(odd);
    p.record_warning_or_claim_event(odd);
    BOOST_TEST(!p.summary_lines(noon, "").empty());
  }
}

BOOST_AUTO_TEST_CASE(a_replica_that_the_end_of_the_job_stopped_did_not_fail) {
  auto p = fresh();
  p.record_job(job({"Created", "Running", "Failed"}));
  auto ps = with_state(pod("ps", 0, "Failed"), terminated(143, "Error"));
  ps["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:40Z";
  check(p.record_pod(ps), {"mnist-ps-0: Stopped"});
  check(p.record_pod_deleted(ps), {});
  BOOST_TEST(!contains(p.summary_lines(noon, ""), "ps-0"));
}

BOOST_AUTO_TEST_CASE(what_cannot_start_is_told_with_its_cause) {
  auto p = fresh();
  p.record_pod(pod("worker", 0, "Pending"));
  BOOST_TEST(!p.has_permanent_start_error());
  auto refused = pod("worker", 0, "Failed");
  refused["status"]["reason"] = "NoCommand";
  refused["status"]["message"] = "container tensorflow has no command";
  p.record_pod(refused);
  auto looping = with_state(pod("worker", 1, "Running"),
                            {{"waiting", {{"reason", "CrashLoopBackOff"}}}}, 1);
  looping["status"]["containerStatuses"][1]["lastState"] =
      terminated(128, "StartError", "exec: \"x\": not found in $PATH");
  p.record_pod(looping);
  BOOST_TEST(p.has_permanent_start_error());
  p.record_job_deleted();
  auto told = p.summary_lines(noon, "");
  BOOST_TEST(contains(told, "cannot run as it is"));
  BOOST_TEST(contains(told, "worker-0: container tensorflow has no command"));
  BOOST_TEST(contains(told, "worker-1: exec: \"x\": not found in $PATH"));
}

BOOST_AUTO_TEST_CASE(a_warning_that_is_repeated_is_counted) {
  auto p = fresh();
  auto warning = [](const char* uid, int count) {
    return json{{"type", "Warning"},
                {"reason", "BackOff"},
                {"message", "again"},
                {"count", count},
                {"metadata", {{"uid", uid}}},
                {"involvedObject", {{"name", "mnist-worker-0"}}}};
  };
  check(p.record_warning_or_claim_event(warning("a", 1)),
        {"warning, mnist-worker-0: BackOff: again"});
  check(p.record_warning_or_claim_event(warning("a", 2)), {});
  check(p.record_warning_or_claim_event(warning("b", 1)), {});
  p.record_job(job({"Failed"}));
  BOOST_TEST(contains(p.summary_lines(noon, ""),
                      "warning, mnist-worker-0: BackOff: again (3 times)"));
}

BOOST_AUTO_TEST_CASE(programs_get_objects) {
  auto p = fresh();
  auto one = [](const run_events& events) {
    BOOST_REQUIRE(events.size() == 1u);
    return events.front().details;
  };
  BOOST_TEST(one(p.record_job(job({"Created"})))
             == json({{"type", "job"},
                      {"state", "Created"},
                      {"reason", "TFJobCreated"},
                      {"message", "it is Created"}}));
  auto failed =
      with_state(pod("worker", 0, "Failed"), terminated(3, "Error", "oh no"));
  auto replica = one(p.record_pod(failed));
  BOOST_TEST(replica["type"] == "replica");
  BOOST_TEST(replica["replica"] == "worker-0");
  BOOST_TEST(replica["phase"] == "Failed");
  BOOST_TEST(replica["exitCode"] == 3);
  p.remember_last_log_line("worker-0", "said");
  p.record_job(job({"Created", "Failed"}));
  auto result = p.result_json(noon, "/logs");
  BOOST_TEST(result["type"] == "result");
  BOOST_TEST(result["verdict"] == "failed");
  BOOST_TEST(result["seconds"] == 110.0);
  BOOST_TEST(result["logs"] == "/logs");
  BOOST_TEST(result["failures"][0]["pod"] == "mnist-worker-0");
  BOOST_TEST(result["failures"][0]["lastLines"] == json::array({"said"}));
}

BOOST_AUTO_TEST_SUITE_END()
