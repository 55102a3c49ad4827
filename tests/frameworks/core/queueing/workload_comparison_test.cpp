#include "frameworks/core/queueing/workload_comparison.hpp"
#include "tests/frameworks/core/queueing/queue_course_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::job_size;

BOOST_AUTO_TEST_SUITE(workload_comparison_test)

namespace {

core::workload_state state_of(const workload_builder& w) {
  return *view_of(w).content->workload;
}

job_builder plain() {
  return make_queued_job().workers(2).servers(1);
}

} // namespace

BOOST_AUTO_TEST_CASE(sizes_are_compared_with_what_was_granted) {
  auto w = state_of(workload_builder{plain()}.admitted());
  auto compare = [&](const job_builder& b) {
    return core::compare_size(b, w, {});
  };
  BOOST_TEST((compare(plain()) == job_size::as_granted));
  BOOST_TEST((compare(plain().workers(1)) == job_size::smaller));
  BOOST_TEST((compare(plain().workers(3)) == job_size::larger));
  BOOST_TEST((compare(plain().workers(3).servers(0)) == job_size::other));
  BOOST_TEST((compare(plain().chief()) == job_size::other));
  BOOST_TEST((compare(make_queued_job().workers(2)) == job_size::other));
  BOOST_TEST(
      (compare(make_queued_job().workers(2).chief()) == job_size::other));
  BOOST_TEST(!core::asks_for_other_size(plain(), w));
  BOOST_TEST(core::asks_for_other_size(plain().workers(1), w));
  BOOST_TEST(
      core::asks_for_other_size(make_queued_job().workers(2).chief(), w));
  BOOST_TEST(
      (core::counts_of(plain())
       == std::vector<core::pod_set_count>{{"ps", 1, {}}, {"worker", 2, {}}}));
}

// Kueue charges a pod set for its count less what was given back of it, and
// refuses a count below that.
BOOST_AUTO_TEST_CASE(a_smaller_job_keeps_quota_for_the_pods_that_it_needs) {
  struct row {
    const char* what;
    int returned;
    int workers;
    int done; ///< Of these workers.
    job_size size;
    int shrinks_to;
  };
  // Four workers were asked for.
  const row rows[] = {
      {"none has ended", 0, 2, 0, job_size::smaller, 2},
      {"the last has ended", 1, 2, 0, job_size::smaller, 3},
      {"the first has ended", 1, 2, 1, job_size::smaller, 2},
      {"the first has ended, not told yet", 0, 2, 1, job_size::smaller, 2},
      {"the two last have ended", 2, 2, 0, job_size::as_granted, 4},
      {"the two first have ended", 2, 2, 2, job_size::smaller, 2},
      {"all that are left have ended", 2, 1, 1, job_size::smaller, 2},
      {"nothing is left", 2, 0, 0, job_size::smaller, 2},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      workload_builder b{plain().workers(4)};
      b.admitted().status()["reclaimablePods"] =
          json::array({{{"name", "worker"}, {"count", r.returned}}});
      auto w = state_of(b);
      const std::vector<core::pod_set_count> done{{"worker", r.done, {}}};
      auto job = plain().workers(r.workers);
      BOOST_TEST((core::compare_size(job, w, done) == r.size));
      BOOST_TEST((core::counts_to_shrink_to(job, w, done)
                  == std::vector<core::pod_set_count>{
                      {"ps", 1, {}}, {"worker", r.shrinks_to, {}}}));
    }
  }
}

BOOST_AUTO_TEST_CASE(pods_that_are_made_again_need_what_was_given_back) {
  auto needs = [](int returned, int workers, int done,
                  std::optional<int> granted = {}) {
    workload_builder b{plain().workers(4)};
    b.admitted().status()["reclaimablePods"] =
        json::array({{{"name", "worker"}, {"count", returned}}});
    if (granted) {
      b.body()["spec"]["podSets"][1]["minCount"] = 1;
      b.grant(1)["count"] = *granted;
    }
    return core::needs_what_was_returned(plain().workers(workers), state_of(b),
                                         {{"worker", done, {}}});
  };
  BOOST_TEST(!needs(0, 4, 0));
  BOOST_TEST(!needs(2, 4, 2));
  BOOST_TEST(!needs(2, 4, 3)); // Not told yet.
  BOOST_TEST(needs(2, 4, 1));
  BOOST_TEST(needs(1, 4, 0));
  BOOST_TEST(!needs(2, 2, 0)); // It has become smaller, and still has quota.
  // Three of four were granted: of two that are given back one is free.
  BOOST_TEST(!needs(1, 3, 0, 3));
  BOOST_TEST(!needs(2, 3, 1, 3));
  BOOST_TEST(needs(2, 3, 0, 3));
}

BOOST_AUTO_TEST_CASE(of_one_that_kueue_made_little_is_known) {
  auto ours = state_of(workload_builder{plain()});
  auto kueues = state_of(workload_builder{plain()}.made_by_kueue());
  auto other_pods = plain();
  other_pods.pod_template("Worker")["spec"]["hostNetwork"] = true;
  struct row {
    job_builder job;
    bool other_than_ours;
    bool other_than_kueues;
  };
  const row rows[] = {
      {plain(), false, false},
      {plain().suspended(), false, false},
      {plain().workers(3), true, true},
      {plain().label("kueue.x-k8s.io/queue-name", "r"), true, true},
      {other_pods, true, false},
  };
  for (const auto& r : rows) {
    BOOST_TEST(core::asks_for_other_content(r.job, ours) == r.other_than_ours);
    BOOST_TEST(core::asks_for_other_content(r.job, kueues)
               == r.other_than_kueues);
  }
}

BOOST_AUTO_TEST_CASE(what_was_granted_is_found_in_the_labels_of_templates) {
  auto w = workload_builder{plain()}.admitted();
  auto ran = with_grant(plain(), w);
  BOOST_TEST(!core::carries_admission(plain()));
  BOOST_TEST(core::carries_admission(ran));
  BOOST_TEST(core::lacks_admission(plain(), state_of(w)));
  BOOST_TEST(!core::lacks_admission(ran, state_of(w)));
  BOOST_TEST(core::has_admission_to_take_out(ran, state_of(w)));
  auto one = ran;
  one.types()["PS"] = plain().types()["PS"];
  BOOST_TEST(core::carries_admission(one));
  BOOST_TEST(core::lacks_admission(one, state_of(w)));
  // A word about it is none.
  auto words = plain();
  words.pod_template("Worker")["spec"]["containers"][0]["args"] = {
      "kueue.x-k8s.io/podset"};
  BOOST_TEST(!core::carries_admission(words));
  // A Workload that was made of a running job keeps no other templates.
  BOOST_TEST(!core::has_admission_to_take_out(
      ran, state_of(workload_builder{ran}.admitted())));
}

BOOST_AUTO_TEST_CASE(only_what_is_new_is_reported) {
  auto w = workload_builder{plain()}.admitted();
  core::pods_report pods{false, "WaitForStart", {}};
  BOOST_TEST(core::is_report_due(state_of(w), pods));
  w.pods_ready(false, "WaitForStart");
  BOOST_TEST(!core::is_report_due(state_of(w), pods));
  pods.ready_reason = "WaitForRecovery";
  BOOST_TEST(core::is_report_due(state_of(w), pods));
  pods = {true, "WaitForStart", {}};
  BOOST_TEST(core::is_report_due(state_of(w), pods));
  pods = {false, "WaitForStart", {{"ps", 1, {}}}};
  BOOST_TEST(core::is_report_due(state_of(w), pods));
  w.status()["reclaimablePods"] = {{{"name", "ps"}, {"count", 1}}};
  BOOST_TEST(!core::is_report_due(state_of(w), pods));
  pods.returned.clear();
  BOOST_TEST(!core::is_report_due(state_of(w), pods));
}

BOOST_AUTO_TEST_SUITE_END()
