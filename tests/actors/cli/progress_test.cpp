#include "actors/cli/progress.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using namespace std::chrono_literals;
using nlohmann::json;
using lines = std::vector<std::string>;

namespace {

const auto noon = *troupe::k8s::from_rfc3339("2026-01-31T12:00:00Z");

json pod(const char* type, int index, const char* phase,
         const char* uid = "u") {
  auto slot = std::string(type) + "-" + std::to_string(index);
  return {
      {"metadata",
       {{"name", "mnist-" + slot},
        {"uid", uid + slot},
        {"labels",
         {{"training.kubeflow.org/replica-type", type},
          {"training.kubeflow.org/replica-index", std::to_string(index)}}}}},
      {"spec", {{"containers", {{{"name", "tensorflow"}}}}}},
      {"status", {{"phase", phase}}}};
}

json with_state(json p, json state, int restarts = 0) {
  p["status"]["containerStatuses"] = {{{"name", "sidecar"}},
                                      {{"name", "tensorflow"},
                                       {"restartCount", restarts},
                                       {"state", std::move(state)}}};
  return p;
}

json terminated(int code, const char* reason, const char* message = "") {
  return {{"terminated",
           {{"exitCode", code},
            {"reason", reason},
            {"message", message},
            {"startedAt", "2026-01-31T11:59:00Z"},
            {"finishedAt", "2026-01-31T11:59:42Z"}}}};
}

json job(lines conditions) {
  json all = json::array();
  for (const auto& c : conditions)
    all.push_back({{"type", c},
                   {"status", "True"},
                   {"reason", "TFJob" + c},
                   {"message", "it is " + c},
                   {"lastTransitionTime", "2026-01-31T11:59:50Z"}});
  return {
      {"status", {{"conditions", all}, {"startTime", "2026-01-31T11:58:00Z"}}}};
}

progress fresh() {
  return {"TFJob", "default", "mnist"};
}

bool contains(const lines& all, const std::string& part) {
  for (const auto& l : all)
    if (l.find(part) != std::string::npos)
      return true;
  return false;
}

void check(const lines& got, const lines& want) {
  BOOST_TEST(got == want, boost::test_tools::per_element());
}

} // namespace

BOOST_AUTO_TEST_SUITE(progress_)

BOOST_AUTO_TEST_CASE(only_changes_are_printed) {
  auto p = fresh();
  check(p.lines_after_pod_update(pod("worker", 0, "Pending")),
        {"mnist-worker-0: Pending"});
  check(p.lines_after_pod_update(pod("worker", 0, "Pending")), {});
  check(p.lines_after_pod_update(pod("worker", 0, "Running")),
        {"mnist-worker-0: Running"});
  check(p.job_seen(job({})), {});
  check(p.job_seen(job({"Created"})), {"TFJob mnist: Created (it is Created)"});
  check(p.job_seen(job({"Created"})), {});
}

BOOST_AUTO_TEST_CASE(a_failure_has_code_and_reason) {
  auto p = fresh();
  check(p.lines_after_pod_update(
            with_state(pod("worker", 0, "Failed"), terminated(3, "Error"))),
        {"mnist-worker-0: Failed, exit code 3"});
  check(p.lines_after_pod_update(with_state(pod("worker", 1, "Failed"),
                                            terminated(137, "OOMKilled"), 2)),
        {"mnist-worker-1: Failed, exit code 137 (OOMKilled), 2 restarts"});
  check(p.lines_after_pod_update(with_state(
            pod("ps", 0, "Failed"),
            terminated(128, "StartError", "no such program\x1b[2J\n"))),
        {"mnist-ps-0: Failed, exit code 128 (StartError: no such "
         "program[2J )"});
}

BOOST_AUTO_TEST_CASE(waiting_is_printed_only_if_it_is_an_error) {
  auto p = fresh();
  json calm{{"waiting", {{"reason", "ContainerCreating"}}}};
  json trouble{
      {"waiting", {{"reason", "ErrImagePull"}, {"message", "no such image"}}}};
  check(p.lines_after_pod_update(with_state(pod("ps", 0, "Pending"), calm)),
        {"mnist-ps-0: Pending"});
  check(p.lines_after_pod_update(with_state(pod("ps", 0, "Pending"), trouble)),
        {"mnist-ps-0: Pending (ErrImagePull: no such image)"});
}

BOOST_AUTO_TEST_CASE(a_pod_that_cannot_be_placed_says_why) {
  auto p = fresh();
  auto lost = pod("ps", 0, "Pending");
  lost["status"]["conditions"] = {{{"type", "PodScheduled"},
                                   {"status", "False"},
                                   {"reason", "Unschedulable"},
                                   {"message", "0/3 nodes"}}};
  check(p.lines_after_pod_update(lost),
        {"mnist-ps-0: Pending (Unschedulable: 0/3 nodes)"});
}

BOOST_AUTO_TEST_CASE(the_verdict_is_the_condition_that_ends) {
  auto p = fresh();
  BOOST_TEST(int(p.job().end) == int(job_end::open));
  p.job_seen(job({"Created", "Succeeded"}));
  BOOST_TEST(int(p.job().end) == int(job_end::succeeded));
  p.job_seen(job({"Created", "Failed"}));
  BOOST_TEST(int(p.job().end) == int(job_end::failed));
  BOOST_TEST(exit_code(job_end::succeeded) == 0);
  BOOST_TEST(exit_code(job_end::failed) == 1);
  BOOST_TEST(exit_code(job_end::deleted) == 1);
}

BOOST_AUTO_TEST_CASE(
    a_job_deleted_by_somebody_is_over_but_a_finished_one_stays) {
  auto p = fresh();
  check(p.job_deleted(), {"TFJob mnist: deleted"});
  BOOST_TEST(int(p.job().end) == int(job_end::deleted));
  auto q = fresh();
  q.job_seen(job({"Succeeded"}));
  check(q.job_deleted(), {});
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
  check(p.lines_after_event(event("Warning", "mnist")),
        {"warning, mnist: FailedCreatePod: quota"});
  check(p.lines_after_event(event("Warning", "mnist")), {});
  check(p.lines_after_event(event("Normal", "mnist-worker-0")), {});
  check(p.lines_after_event(event("Warning", "mnist2")), {});
}

BOOST_AUTO_TEST_CASE(the_table_has_a_line_for_each_replica) {
  auto p = fresh();
  p.job_seen(job({"Running"}));
  p.lines_after_pod_update(
      with_state(pod("worker", 10, "Running"),
                 {{"running", {{"startedAt", "2026-01-31T11:58:55Z"}}}}, 1));
  p.lines_after_pod_update(
      with_state(pod("worker", 2, "Failed"), terminated(1, "Error")));
  p.lines_after_pod_update(pod("ps", 0, "Pending"));
  check(p.table(noon, 80, 10),
        {"TFJob mnist  Running  1 Failed  1 Pending  1 Running",
         "  ps-0       -       Pending",
         "  worker-2   42s     Failed, exit code 1",
         "  worker-10  65s     Running, 1 restart"});
}

BOOST_AUTO_TEST_CASE(a_table_never_exceeds_the_screen) {
  auto p = fresh();
  for (int i = 0; i < 50; ++i)
    p.lines_after_pod_update(pod("worker", i, "Running"));
  for (std::size_t height = 0; height < 60; ++height)
    BOOST_TEST(p.table(noon, 80, height).size()
               == std::min<std::size_t>(height, 51));
  auto some = p.table(noon, 80, 5);
  BOOST_TEST(some.back() == "  and 47 more");
  for (const auto& l : p.table(noon, 12, 60))
    BOOST_TEST(l.size() <= 12u);
}

BOOST_AUTO_TEST_CASE(the_summary_of_a_failure_says_who_and_why) {
  auto p = fresh();
  auto bad = with_state(pod("worker", 0, "Failed"), terminated(3, "Error"));
  p.lines_after_pod_update(
      with_state(pod("worker", 1, "Succeeded"), terminated(0, "Completed")));
  p.lines_after_pod_update(bad);
  for (int i = 0; i < 12; ++i)
    p.keep_log_tail_line("worker-0", "line " + std::to_string(i));
  p.lines_after_pod_deletion(bad);
  p.job_seen(job({"Running", "Failed"}));
  auto words = p.summary(noon, "/somewhere");
  BOOST_TEST(words[0] == "TFJob default/mnist failed after 110s, 2 replicas");
  BOOST_TEST(words[1] == "  TFJobFailed: it is Failed");
  BOOST_TEST(words[2] == "  mnist-worker-0: Failed, exit code 3");
  BOOST_TEST(words[3] == "    | line 2");
  BOOST_TEST(contains(words, "line 11"));
  BOOST_TEST(!contains(words, "worker-1"));
  BOOST_TEST(words.back() == "Whole logs: /somewhere");
}

BOOST_AUTO_TEST_CASE(a_success_needs_one_line) {
  auto p = fresh();
  p.lines_after_pod_update(pod("worker", 0, "Succeeded"));
  p.job_seen(job({"Succeeded"}));
  check(p.summary(noon, "/somewhere"),
        {"TFJob default/mnist succeeded after 110s, 1 replica"});
}

BOOST_AUTO_TEST_CASE(odd_objects_do_not_throw) {
  for (const auto& odd :
       {json(nullptr), json(5), json::array({1}), json{{"metadata", 5}},
        json{{"status",
              {{"conditions", {1, "a", nullptr}},
               {"containerStatuses", {nullptr}}}}}}) {
    auto p = fresh();
    p.job_seen(odd);
    p.lines_after_pod_update(odd);
    p.lines_after_pod_deletion(odd);
    p.lines_after_event(odd);
    BOOST_TEST(!p.summary(noon, "").empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
