#include "k8s/apiserver/controllers/job_plan.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_plan_)

namespace {

using phase = job_pod::phase;

const auto start = *from_rfc3339("2026-01-01T00:00:00Z");

json job(json spec = json::object(), json status = json::object()) {
  json out{{"metadata", {{"name", "j"}, {"namespace", "n"}, {"uid", "u"}}},
           {"spec",
            {{"parallelism", 1},
             {"completions", 1},
             {"backoffLimit", 6},
             {"template", {{"spec", {{"restartPolicy", "Never"}}}}}}},
           {"status", std::move(status)}};
  out["spec"].merge_patch(spec);
  return out;
}

job_pod pod(const std::string& name, phase is, std::chrono::seconds at = 0s) {
  job_pod out;
  out.name = name;
  out.uid = "uid-" + name;
  out.is = is;
  out.is_tracked = true;
  out.created = start;
  out.finished = start + at;
  return out;
}

job_pod with_code(job_pod p, std::int64_t code) {
  p.exit_codes = {{"main", code}};
  return p;
}

job_pod terminating(job_pod p) {
  p.is_terminating = true;
  return p;
}

std::string condition(const job_plan& plan, const char* type) {
  for (const auto& c : array_at(plan.status, {"conditions"}))
    if (text_at(c, {"type"}) == type)
      return text_at(c, {"status"}) + " " + text_at(c, {"reason"}) + ": "
             + text_at(c, {"message"});
  return {};
}

json condition_of(const char* type, const char* status = "True") {
  return {{"type", type},
          {"status", status},
          {"reason", "R"},
          {"message", "m"},
          {"lastTransitionTime", to_rfc3339(start)}};
}

job_plan plan(const json& job, const std::vector<job_pod>& pods,
              std::chrono::seconds at = 0s, job_back_off back_off = {}) {
  return plan_job(job, pods, back_off, start + at);
}

} // namespace

BOOST_AUTO_TEST_CASE(as_many_pods_run_as_are_wanted) {
  struct row {
    const char* what;
    json spec;
    std::vector<job_pod> pods;
    std::size_t created, removed;
  } rows[] = {
      {"a new job", {}, {}, 1, 0},
      {"one that runs", {}, {pod("a", phase::running)}, 0, 0},
      {"in parallel", {{"parallelism", 3}, {"completions", 5}}, {}, 3, 0},
      {"no more than are to succeed",
       {{"parallelism", 3}, {"completions", 2}},
       {},
       2,
       0},
      {"one of two has succeeded",
       {{"parallelism", 2}, {"completions", 2}},
       {pod("a", phase::succeeded), pod("b", phase::running)},
       0,
       0},
      {"too many",
       {},
       {pod("a", phase::running), pod("b", phase::pending)},
       0,
       1},
      {"a work queue",
       {{"parallelism", 2}, {"completions", nullptr}},
       {},
       2,
       0},
      {"a work queue after a success",
       {{"parallelism", 3}, {"completions", nullptr}},
       {pod("a", phase::succeeded), pod("b", phase::running)},
       0,
       0},
      {"suspended", {{"suspend", true}}, {}, 0, 0},
      {"suspended while it runs",
       {{"suspend", true}},
       {pod("a", phase::running)},
       0,
       1},
      {"one that is to go is replaced at once",
       {{"podReplacementPolicy", "TerminatingOrFailed"}},
       {terminating(pod("a", phase::running))},
       0, // After the first back-off.
       0},
      {"one that is to go is waited for",
       {{"podReplacementPolicy", "Failed"}},
       {terminating(pod("a", phase::running))},
       0,
       0},
      {"no pods wanted", {{"parallelism", 0}}, {}, 0, 0},
  };
  for (const auto& r : rows) {
    auto p = plan(job(r.spec), r.pods);
    BOOST_TEST(p.create.size() == r.created, r.what);
    BOOST_TEST(p.remove.size() == r.removed, r.what);
  }
}

BOOST_AUTO_TEST_CASE(a_pod_that_waits_goes_before_one_that_runs) {
  auto p =
      plan(job(), {pod("runs", phase::running), pod("waits", phase::pending)});
  BOOST_TEST(p.remove == std::vector<std::string>{"waits"},
             boost::test_tools::per_element());
  BOOST_TEST(p.remove_uncounted == p.remove, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_replacement_waits_twice_as_long_after_each_failure) {
  std::chrono::seconds pauses[] = {10s, 20s, 40s, 80s, 160s, 320s, 360s, 360s};
  job_back_off b;
  for (auto pause : pauses) {
    auto failed = pod("a", phase::failed, 5s);
    b.add_ended_pods({}, {&failed});
    BOOST_TEST((b.next_creation() == start + 5s + pause), pause.count());
  }
  auto good = pod("b", phase::succeeded, 6s);
  b.add_ended_pods({&good}, {});
  BOOST_TEST((b.next_creation() <= start));
}

BOOST_AUTO_TEST_CASE(a_failed_pod_is_counted_once_and_then_replaced) {
  auto failed = pod("a", phase::failed, 1s);
  auto first = plan(job(), {failed}, 1s);
  BOOST_TEST(first.create.empty());
  BOOST_TEST(first.release == std::vector<std::string>{"a"},
             boost::test_tools::per_element());
  BOOST_TEST(strings_at(first.status, {"uncountedTerminatedPods", "failed"})
                 == std::vector<std::string>{"uid-a"},
             boost::test_tools::per_element());
  BOOST_TEST(number_at(first.status, {"failed"}) == 0);
  BOOST_TEST((first.look_again == start + 11s));

  // The program may end here: the finalizer says that it is not counted yet.
  auto again = plan(job({}, first.status), {failed}, 1s, first.back_off);
  BOOST_TEST((again.status == first.status));
  BOOST_TEST(again.back_off.failures == 1);

  auto second = plan(job({}, first.status), {}, 1s, first.back_off);
  BOOST_TEST(number_at(second.status, {"failed"}) == 1);
  BOOST_TEST(second.status["uncountedTerminatedPods"] == json::object());
  BOOST_TEST(second.create.empty());
  auto later = plan(job({}, second.status), {}, 11s, second.back_off);
  BOOST_TEST(later.create.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_completes_when_its_pods_are_counted) {
  auto first = plan(job(), {pod("a", phase::succeeded)}, 1s);
  BOOST_TEST(condition(first, "SuccessCriteriaMet")
             == "True CompletionsReached: Reached expected number of succeeded "
                "pods");
  BOOST_TEST(condition(first, "Complete") == "");
  auto second = plan(job({}, first.status), {}, 1s);
  BOOST_TEST(condition(second, "Complete")
             == "True CompletionsReached: Reached expected number of succeeded "
                "pods");
  BOOST_TEST(number_at(second.status, {"succeeded"}) == 1);
  BOOST_TEST(text_at(second.status, {"completionTime"})
             == to_rfc3339(start + 1s));
  BOOST_REQUIRE(second.events.size() == 1u);
  BOOST_TEST(second.events[0].reason == "Completed");
  BOOST_TEST(!find_value(second.status, {"active"}));
}

BOOST_AUTO_TEST_CASE(a_job_fails_for_one_reason_of_these) {
  auto running = pod("a", phase::running);
  auto restarted = running;
  restarted.restarts = 2;
  json on_failure{{"template", {{"spec", {{"restartPolicy", "OnFailure"}}}}},
                  {"backoffLimit", 2}};
  json rules = {{{"action", "FailJob"},
                 {"onExitCodes", {{"operator", "In"}, {"values", {42}}}}}};
  json with_rules{{"podFailurePolicy", {{"rules", rules}}}};
  const std::string limit =
      "True BackoffLimitExceeded: Job has reached the specified backoff limit";
  struct row {
    const char* what;
    json job_;
    std::vector<job_pod> pods;
    std::chrono::seconds at;
    std::string condition_;
  } rows[] = {
      {"no failure is allowed",
       job({{"backoffLimit", 0}}),
       {pod("a", phase::failed)},
       1s,
       limit},
      {"as many as are allowed",
       job({{"backoffLimit", 1}}),
       {pod("a", phase::failed)},
       1s,
       ""},
      {"one more",
       job({{"backoffLimit", 1}}, {{"failed", 1}}),
       {pod("a", phase::failed)},
       1s,
       limit},
      {"restarts of containers", job(on_failure), {restarted}, 1s, limit},
      {"the same, where the kubelet restarts nothing",
       job({{"backoffLimit", 2}}),
       {restarted},
       1s,
       ""},
      {"the deadline",
       job({{"activeDeadlineSeconds", 5}}, {{"startTime", to_rfc3339(start)}}),
       {running},
       5s,
       "True DeadlineExceeded: Job was active longer than specified deadline"},
      {"before the deadline",
       job({{"activeDeadlineSeconds", 5}}, {{"startTime", to_rfc3339(start)}}),
       {running},
       4s,
       ""},
      {"the deadline of a suspended job",
       job({{"activeDeadlineSeconds", 5}, {"suspend", true}},
           {{"startTime", to_rfc3339(start)}}),
       {},
       9s,
       ""},
      {"an exit code",
       job(with_rules),
       {with_code(pod("a", phase::failed), 42)},
       1s,
       "True PodFailurePolicy: Container main for pod n/a failed with exit "
       "code 42 matching FailJob rule at index 0"},
      {"another exit code",
       job(with_rules),
       {with_code(pod("a", phase::failed), 1)},
       1s,
       ""},
  };
  for (const auto& r : rows) {
    auto p = plan(r.job_, r.pods, r.at);
    BOOST_TEST(condition(p, "FailureTarget") == r.condition_, r.what);
    BOOST_TEST(condition(p, "Failed") == "", r.what);
    if (!r.condition_.empty())
      BOOST_TEST(p.create.empty(), r.what);
  }
}

BOOST_AUTO_TEST_CASE(a_job_has_failed_when_its_pods_are_gone) {
  auto spec = json{{"activeDeadlineSeconds", 5}};
  json status{{"startTime", to_rfc3339(start)}};
  auto running = pod("a", phase::running);
  auto first = plan(job(spec, status), {running}, 5s);
  BOOST_TEST(first.remove == std::vector<std::string>{"a"},
             boost::test_tools::per_element());
  BOOST_TEST(first.remove_uncounted.empty());
  auto going = terminating(running);
  auto second = plan(job(spec, status), {going}, 5s);
  BOOST_TEST(condition(second, "FailureTarget") != "");
  BOOST_TEST(number_at(second.status, {"terminating"}) == 1);
  going.is_tracked = false;
  auto third = plan(job(spec, second.status), {going}, 6s);
  BOOST_TEST(number_at(third.status, {"failed"}) == 1);
  BOOST_TEST(condition(third, "Failed") == "");
  auto last = plan(job(spec, third.status), {}, 7s);
  BOOST_TEST(condition(last, "Failed")
             == "True DeadlineExceeded: Job was active longer than specified "
                "deadline");
  BOOST_TEST(!find_value(last.status, {"completionTime"}));
  BOOST_REQUIRE(last.events.size() == 1u);
  BOOST_TEST(last.events[0].is_warning);
  BOOST_TEST(last.events[0].reason == "DeadlineExceeded");
}

BOOST_AUTO_TEST_CASE(an_ignored_failure_costs_no_retry) {
  json rules = {{{"action", "Ignore"},
                 {"onPodConditions",
                  {{{"type", "DisruptionTarget"}, {"status", "True"}}}}}};
  json spec{{"podFailurePolicy", {{"rules", rules}}}, {"backoffLimit", 0}};
  auto failed = pod("a", phase::failed);
  failed.conditions = {{"DisruptionTarget", "True"}};
  auto p = plan(job(spec), {failed}, 1s);
  BOOST_TEST(condition(p, "FailureTarget") == "");
  BOOST_TEST(p.release.size() == 1u);
  BOOST_TEST(array_at(p.status, {"uncountedTerminatedPods", "failed"}).empty());
}

BOOST_AUTO_TEST_CASE(suspension_and_resumption_are_conditions) {
  auto suspended = plan(job({{"suspend", true}}), {}, 1s);
  BOOST_TEST(condition(suspended, "Suspended")
             == "True JobSuspended: Job suspended");
  BOOST_TEST(!find_value(suspended.status, {"startTime"}));
  BOOST_REQUIRE(suspended.events.size() == 1u);
  BOOST_TEST(suspended.events[0].reason == "Suspended");

  auto status = suspended.status;
  status["startTime"] = to_rfc3339(start);
  json spec{{"activeDeadlineSeconds", 5}};
  auto resumed = plan(job(spec, status), {}, 20s);
  BOOST_TEST(condition(resumed, "Suspended")
             == "False JobResumed: Job resumed");
  BOOST_TEST(text_at(resumed.status, {"startTime"}) == to_rfc3339(start + 20s));
  BOOST_TEST((resumed.look_again == start + 25s));
  BOOST_TEST(resumed.create.size() == 1u);

  // A job that was never suspended has no such condition.
  BOOST_TEST(condition(plan(job(), {}), "Suspended") == "");
}

BOOST_AUTO_TEST_CASE(an_indexed_job_has_one_success_of_each_index) {
  json spec{
      {"completionMode", "Indexed"}, {"completions", 4}, {"parallelism", 2}};
  auto first = plan(job(spec), {});
  BOOST_TEST(first.create == (std::vector<int>{0, 1}),
             boost::test_tools::per_element());
  auto done = pod("a", phase::succeeded);
  done.index = 0;
  auto runs = pod("b", phase::running);
  runs.index = 1;
  auto twin = pod("c", phase::pending);
  twin.index = 1;
  auto second = plan(job(spec), {done, runs, twin});
  BOOST_TEST(second.remove == std::vector<std::string>{"c"},
             boost::test_tools::per_element());
  auto third = plan(job(spec), {done, runs});
  BOOST_TEST(third.create == (std::vector<int>{2}),
             boost::test_tools::per_element());
  BOOST_TEST(text_at(third.status, {"completedIndexes"}) == "0");
  BOOST_TEST(number_at(third.status, {"succeeded"}) == 1);
  auto last = plan(job(spec, {{"completedIndexes", "0-3"}}), {});
  BOOST_TEST(condition(last, "SuccessCriteriaMet") != "");
}

BOOST_AUTO_TEST_CASE(a_finished_job_goes_when_its_time_is_over) {
  json spec{{"ttlSecondsAfterFinished", 10}};
  json status{{"conditions", {condition_of("Complete")}}};
  auto early = plan(job(spec, status), {pod("a", phase::running)}, 9s);
  BOOST_TEST(!early.is_job_removed);
  BOOST_TEST((early.look_again == start + 10s));
  BOOST_TEST(early.release.size() == 1u);
  BOOST_TEST(plan(job(spec, status), {}, 10s).is_job_removed);
  BOOST_TEST(!plan(job({}, status), {}, 10s).look_again.has_value());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_to_go_makes_nothing) {
  auto doomed = job();
  doomed["metadata"]["deletionTimestamp"] = to_rfc3339(start);
  auto p = plan(doomed, {pod("a", phase::running)});
  BOOST_TEST(p.create.empty());
  BOOST_TEST(p.remove.empty());
  BOOST_TEST(p.release.size() == 1u);
}

BOOST_AUTO_TEST_CASE(of_many_ended_pods_some_are_counted_at_once) {
  std::vector<job_pod> pods;
  for (int i = 0; i < 600; ++i)
    pods.push_back(pod("p" + std::to_string(i), phase::succeeded));
  json spec{{"completions", 700}, {"parallelism", 0}};
  auto p = plan(job(spec), pods);
  BOOST_TEST(p.release.size() == 500u);
  BOOST_TEST(array_at(p.status, {"uncountedTerminatedPods", "succeeded"}).size()
             == 500u);
}

BOOST_AUTO_TEST_SUITE_END()
