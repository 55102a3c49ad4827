#include "tests/k8s/apiserver/job_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_controller_test)

namespace {

using texts = std::vector<std::string>;

/// A node that has the pod, so that a deletion waits for it.
void bind_to_node(job_fixture& s, const json& pod) {
  auto done =
      s.post(pods + "/" + text_at(pod, {"metadata", "name"}) + "/binding",
             {{"target", {{"name", "node"}}}});
  BOOST_TEST(done.status == 201, done.message());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_makes_a_pod_and_completes_with_it) {
  job_fixture s;
  auto made = s.post(batch_jobs, batch_job("j"));
  BOOST_TEST(made.status == 201, made.message());
  s.settle();
  auto all = s.pods_of("j");
  BOOST_REQUIRE(all.size() == 1u);
  const auto& pod = all[0];
  BOOST_TEST(text_at(pod, {"metadata", "generateName"}) == "j-");
  BOOST_TEST(strings_at(pod, {"metadata", "finalizers"})
                 == texts{"batch.kubernetes.io/job-tracking"},
             boost::test_tools::per_element());
  const auto& owner = pod["metadata"]["ownerReferences"][0];
  BOOST_TEST(owner
             == (json{{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"name", "j"},
                      {"uid", made["/metadata/uid"]},
                      {"controller", true},
                      {"blockOwnerDeletion", true}}));
  BOOST_TEST(
      pod["metadata"]["labels"]
      == (json{{"job-name", "j"},
               {"batch.kubernetes.io/job-name", "j"},
               {"controller-uid", made["/metadata/uid"]},
               {"batch.kubernetes.io/controller-uid", made["/metadata/uid"]}}));
  auto running = s.status_of("j");
  BOOST_TEST(running
             == (json{{"active", 1},
                      {"ready", 0},
                      {"terminating", 0},
                      {"startTime", to_rfc3339(s.now)},
                      {"uncountedTerminatedPods", json::object()}}));
  s.end_pods("j", 0);
  BOOST_TEST(s.conditions_of("j") == "SuccessCriteriaMet Complete");
  BOOST_TEST(number_at(s.status_of("j"), {"succeeded"}) == 1);
  BOOST_TEST(s.pods_of("j", true).size() == 1u);
  BOOST_TEST(!find_value(s.pods_of("j", true)[0], {"metadata", "finalizers"}));
  BOOST_TEST(s.events_of("j") == (texts{"Completed", "SuccessfulCreate"}),
             boost::test_tools::per_element());
  s.pass(24h);
  BOOST_TEST(s.pods_of("j").empty());
}

BOOST_AUTO_TEST_CASE(failures_are_retried_after_pauses_until_the_limit) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"backoffLimit", 2}}));
  s.settle();
  for (auto pause : {10s, 20s}) {
    s.end_pods("j", 1);
    s.pass(pause - 1s);
    BOOST_TEST(s.pods_of("j").empty(), pause.count());
    s.pass(1s);
    BOOST_TEST(s.pods_of("j").size() == 1u, pause.count());
  }
  BOOST_TEST(s.conditions_of("j") == "");
  BOOST_TEST(number_at(s.status_of("j"), {"failed"}) == 2);
  s.end_pods("j", 1);
  BOOST_TEST(s.conditions_of("j") == "FailureTarget Failed");
  BOOST_TEST(number_at(s.status_of("j"), {"failed"}) == 3);
  auto reasons = s.events_of("j");
  BOOST_TEST(reasons.front() == "BackoffLimitExceeded");
  s.pass(24h);
  BOOST_TEST(s.pods_of("j").empty());
}

BOOST_AUTO_TEST_CASE(a_deadline_ends_the_pods_and_then_the_job) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"activeDeadlineSeconds", 5}}));
  s.settle();
  bind_to_node(s, s.pods_of("j")[0]);
  s.pass(4s);
  BOOST_TEST(s.conditions_of("j") == "");
  s.pass(1s);
  BOOST_TEST(s.conditions_of("j") == "FailureTarget");
  BOOST_TEST(number_at(s.status_of("j"), {"terminating"}) == 1);
  auto pod = s.pods_of("j")[0];
  BOOST_TEST(pod["metadata"].contains("deletionTimestamp"));
  s.drop(pods + "/" + text_at(pod, {"metadata", "name"}),
         {{"gracePeriodSeconds", 0}});
  s.settle();
  BOOST_TEST(s.conditions_of("j") == "FailureTarget Failed");
  BOOST_TEST(number_at(s.status_of("j"), {"failed"}) == 1);
  BOOST_TEST(s.events_of("j")
                 == (texts{"DeadlineExceeded", "SuccessfulCreate",
                           "SuccessfulDelete"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_is_suspended_and_resumed) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"suspend", true}}));
  s.settle();
  BOOST_TEST(s.pods_of("j").empty());
  BOOST_TEST(s.conditions_of("j") == "Suspended");
  s.merge(batch_jobs + "/j", {{"spec", {{"suspend", false}}}});
  s.pass(3s);
  BOOST_TEST(s.conditions_of("j") == "-Suspended");
  BOOST_REQUIRE(s.pods_of("j").size() == 1u);
  auto started = text_at(s.status_of("j"), {"startTime"});
  s.merge(batch_jobs + "/j", {{"spec", {{"suspend", true}}}});
  s.pass(3s);
  BOOST_TEST(s.pods_of("j").empty());
  BOOST_TEST(s.conditions_of("j") == "Suspended");
  BOOST_TEST(number_at(s.status_of("j"), {"failed"}) == 0);
  BOOST_TEST(text_at(s.status_of("j"), {"startTime"}) == started);

  // As mpi-operator resumes: it clears the time, and then changes where pods
  // run.
  auto cleared =
      s.merge(batch_jobs + "/j/status", {{"status", {{"startTime", nullptr}}}});
  BOOST_TEST(cleared.status == 200, cleared.message());
  json labels{{"team", "a"}};
  auto resumed =
      s.merge(batch_jobs + "/j",
              {{"spec",
                {{"suspend", false},
                 {"template",
                  {{"metadata", {{"labels", labels}}},
                   {"spec", {{"nodeSelector", {{"zone", "b"}}}}}}}}}});
  BOOST_TEST(resumed.status == 200, resumed.message());
  s.pass(3s);
  BOOST_REQUIRE(s.pods_of("j").size() == 1u);
  BOOST_TEST(text_at(s.pods_of("j")[0], {"spec", "nodeSelector", "zone"})
             == "b");
  BOOST_TEST(text_at(s.status_of("j"), {"startTime"}) == to_rfc3339(s.now));
  s.end_pods("j", 0);
  BOOST_TEST(s.conditions_of("j") == "-Suspended SuccessCriteriaMet Complete");
}

BOOST_AUTO_TEST_CASE(a_deleted_pod_is_replaced_when_the_policy_says) {
  struct row {
    const char* policy;
    bool is_replaced_at_once;
  } rows[] = {{"Failed", false}, {"TerminatingOrFailed", true}};
  for (const auto& r : rows) {
    job_fixture s;
    s.post(batch_jobs, batch_job("j", {{"podReplacementPolicy", r.policy}}));
    s.settle();
    auto pod = s.pods_of("j")[0];
    auto path = pods + "/" + text_at(pod, {"metadata", "name"});
    bind_to_node(s, pod);
    s.drop(path);
    s.pass(60s);
    auto live = s.pods_of("j").size();
    BOOST_TEST((live == 2) == r.is_replaced_at_once, r.policy);
    BOOST_TEST(number_at(s.status_of("j"), {"failed"})
                   == (r.is_replaced_at_once ? 1 : 0),
               r.policy);
    s.drop(path, {{"gracePeriodSeconds", 0}});
    s.pass(60s);
    BOOST_TEST(s.pods_of("j").size() == 1u, r.policy);
    BOOST_TEST(s.get(path).status == 404, r.policy);
    BOOST_TEST(number_at(s.status_of("j"), {"failed"}) == 1, r.policy);
  }
}

BOOST_AUTO_TEST_CASE(a_finished_job_is_removed_with_its_pods) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"ttlSecondsAfterFinished", 30}}));
  s.settle();
  s.end_pods("j", 0);
  s.pass(29s);
  BOOST_TEST(s.get(batch_jobs + "/j").status == 200);
  s.pass(1s);
  s.settle();
  BOOST_TEST(s.get(batch_jobs + "/j").status == 404);
  BOOST_TEST(s.pods_of("j", true).empty());
}

BOOST_AUTO_TEST_CASE(pods_go_with_their_job_or_stay_as_the_client_says) {
  struct row {
    const char* policy; ///< nullptr: none.
    bool is_warned;
    std::size_t left;
  } rows[] = {{"Background", false, 0},
              {"Foreground", false, 0},
              {"Orphan", false, 1},
              {nullptr, true, 1}};
  for (const auto& r : rows) {
    job_fixture s;
    s.post(batch_jobs, batch_job("j"));
    s.settle();
    auto gone =
        s.drop(batch_jobs + "/j",
               r.policy ? json{{"propagationPolicy", r.policy}} : json());
    BOOST_TEST(gone.status == 200);
    BOOST_TEST((gone.headers.count("Warning") > 0) == r.is_warned);
    for (int i = 0; i < 4; ++i)
      s.settle();
    BOOST_TEST(s.get(batch_jobs + "/j").status == 404);
    auto left = s.pods_of("j");
    BOOST_TEST(left.size() == r.left);
    for (const auto& pod : left) {
      BOOST_TEST(!find_value(pod, {"metadata", "finalizers"}));
      BOOST_TEST(!find_value(pod, {"metadata", "ownerReferences"}));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_an_earlier_program_left_is_found) {
  struct row {
    const char* what;
    bool is_tracked;
    const char* phase;
    std::size_t at_once, later; ///< Pods that have not ended.
  } rows[] = {
      {"a pod that runs", true, "Running", 1, 1},
      {"one that failed and is counted", false, "Failed", 0, 1},
      {"one that failed and is not counted", true, "Failed", 0, 1},
      {"one that succeeded and is not counted", true, "Succeeded", 0, 0}};
  for (const auto& r : rows) {
    job_fixture s;
    auto job = s.post(batch_jobs, batch_job("j"));
    auto left = pod("left");
    left["metadata"]["labels"] = {{"job-name", "j"}};
    left["metadata"]["ownerReferences"] = {{{"apiVersion", "batch/v1"},
                                            {"kind", "Job"},
                                            {"name", "j"},
                                            {"uid", job["/metadata/uid"]},
                                            {"controller", true}}};
    if (r.is_tracked)
      left["metadata"]["finalizers"] = {"batch.kubernetes.io/job-tracking"};
    s.post(pods, left);
    s.set_pod_status(left, {{"phase", r.phase}});
    s.settle(); // The first turn of this program.
    BOOST_TEST(s.pods_of("j").size() == r.at_once, r.what);
    s.pass(10s);
    BOOST_TEST(s.pods_of("j").size() == r.later, r.what);
  }
}

BOOST_AUTO_TEST_CASE(jobs_of_other_controllers_are_left_alone) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"managedBy", "example.com/queue"}}));
  s.pass(60s);
  BOOST_TEST(s.pods_of("j").empty());
  BOOST_TEST(s.status_of("j") == json::object());
}

BOOST_AUTO_TEST_CASE(an_indexed_job_tells_each_pod_its_index) {
  job_fixture s;
  s.post(batch_jobs, batch_job("j", {{"completionMode", "Indexed"},
                                     {"completions", 3},
                                     {"parallelism", 3}}));
  s.settle();
  auto all = s.pods_of("j");
  BOOST_REQUIRE(all.size() == 3u);
  std::set<std::string> hosts;
  for (const auto& pod : all)
    hosts.insert(text_at(pod, {"spec", "hostname"}));
  BOOST_TEST(hosts == (std::set<std::string>{"j-0", "j-1", "j-2"}),
             boost::test_tools::per_element());
  BOOST_TEST(all[0]["spec"]["containers"][0]["env"][0]["name"]
             == "JOB_COMPLETION_INDEX");
  s.end_pods("j", 0);
  BOOST_TEST(text_at(s.status_of("j"), {"completedIndexes"}) == "0-2");
  BOOST_TEST(s.conditions_of("j") == "SuccessCriteriaMet Complete");
}

BOOST_AUTO_TEST_CASE(a_turn_is_short_and_other_namespaces_get_theirs) {
  job_fixture s;
  s.core.ensure_namespace_ignoring_errors("other");
  s.core.run_jobs();
  s.post(batch_jobs,
         batch_job("big", {{"parallelism", 1000}, {"completions", 1000}}));
  s.post("/apis/batch/v1/namespaces/other/jobs", batch_job("small"));
  s.core.run_jobs();
  auto made = s.pods_of("big").size();
  BOOST_TEST(made > 0u);
  BOOST_TEST(made <= 32u);
  s.core.run_jobs();
  BOOST_TEST(s.get("/api/v1/namespaces/other/pods")["/items"].size() == 1u);
  s.settle();
  // What comes at once is limited, too.
  BOOST_TEST(s.pods_of("big").size() == 100u);
  s.pass(5s);
  BOOST_TEST(s.pods_of("big").size() == 200u);
  BOOST_TEST(s.events_of("big").size() <= 26u);
}

BOOST_AUTO_TEST_CASE(a_large_job_does_not_keep_a_small_one_waiting) {
  job_fixture s;
  s.post(batch_jobs,
         batch_job("big", {{"parallelism", 1000}, {"completions", 1000}}));
  s.settle();
  for (auto name : {"a", "b", "c"})
    s.post(batch_jobs, batch_job(name));
  s.settle();
  for (int i = 0; i < 8; ++i)
    s.pass(50ms);
  for (auto name : {"a", "b", "c"})
    BOOST_TEST(s.pods_of(name).size() == 1u, name);
  BOOST_TEST(number_at(s.status_of("big"), {"active"})
             == static_cast<std::int64_t>(s.pods_of("big").size()));
  // One that goes keeps nobody waiting either.
  s.post(batch_jobs, batch_job("d"));
  s.drop(batch_jobs + "/big", {{"propagationPolicy", "Background"}});
  for (int i = 0; i < 4; ++i)
    s.pass(50ms);
  BOOST_TEST(s.pods_of("d").size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_pod_that_is_refused_is_tried_again) {
  job_fixture s;
  s.core.set_admission_validator(
      resources::pods, [&](const json&, const json*) {
        admission_response r;
        if (s.now < *from_rfc3339("2026-01-01T00:00:03Z"))
          r.denial = "no pods today";
        return r;
      });
  s.post(batch_jobs, batch_job("j"));
  s.settle();
  BOOST_TEST(s.events_of("j") == texts{"FailedCreate"},
             boost::test_tools::per_element());
  for (int i = 0; i < 4; ++i)
    s.pass(1s);
  BOOST_TEST(s.pods_of("j").size() == 1u);
}

BOOST_AUTO_TEST_CASE(without_controllers_jobs_are_only_stored) {
  job_fixture s{5000, authorization_mode::always_allow, false};
  BOOST_TEST(s.post(batch_jobs, batch_job("j")).status == 201);
  s.pass(60s);
  BOOST_TEST(s.pods_of("j").empty());
}

BOOST_AUTO_TEST_SUITE_END()
