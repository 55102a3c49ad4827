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
  auto compare = [&](const job_builder& b) { return core::compare_size(b, w); };
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

// The server refuses a count below what was given back already.
BOOST_AUTO_TEST_CASE(a_smaller_job_asks_for_what_it_gave_back) {
  workload_builder b{plain()};
  b.admitted().status()["reclaimablePods"] =
      json::array({{{"name", "worker"}, {"count", 1}}});
  auto w = state_of(b);
  BOOST_TEST((core::compare_size(plain().workers(1), w) == job_size::smaller));
  BOOST_TEST(
      (core::counts_to_shrink_to(plain().workers(0), w)
       == std::vector<core::pod_set_count>{{"ps", 1, {}}, {"worker", 1, {}}}));
  b.status()["reclaimablePods"][0]["count"] = 2;
  BOOST_TEST((core::compare_size(plain().workers(1), state_of(b))
              == job_size::as_granted));
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
