#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::restart_scope;
using core::stall_action;
using std::chrono::seconds;

// What is wrong with one: failure_policy_errors_test.
BOOST_AUTO_TEST_SUITE(progress_policy_reading_test)

namespace {

constexpr const char* policy_with_all = R"yaml(
report: true
stalledAfter: 10m
startWithin: 1h
onStalled: FailJob
)yaml";

job_builder job_of_kind(const char* kind) {
  return make_least_job_of(row_of_kind(kind));
}

json restarts(const char* more = "{}") {
  json policy{
      {"report", true}, {"stalledAfter", "10m"}, {"onStalled", "RestartJob"}};
  policy.update(json::parse(more));
  return policy;
}

void check_all(const core::job& j) {
  BOOST_TEST(to_string(j.policy_errors) == "");
  const auto& p = j.policy.progress;
  BOOST_TEST(p.report);
  BOOST_TEST(p.stalled_after.value().count() == 600);
  BOOST_TEST(p.start_within.value().count() == 3'600);
  BOOST_TEST((p.on_stalled == stall_action::fail_job));
  BOOST_TEST(!j.policy.failure);
}

} // namespace

BOOST_AUTO_TEST_CASE(every_kind_reads_it_in_both_places) {
  json policy{{"report", true},
              {"stalledAfter", "10m"},
              {"startWithin", "1h"},
              {"onStalled", "FailJob"}};
  for (const auto& kind : frameworks::all()) {
    if (kind.own.read_spec)
      continue;
    auto name = kind.names.type.kind.c_str();
    check_all(job_of_kind(name).policy("progress", policy));
    check_all(
        job_of_kind(name).annotation(core::label::progress, policy_with_all));
  }
}

BOOST_AUTO_TEST_CASE(absent_fields_have_their_defaults) {
  core::job j =
      job_of_kind("PyTorchJob")
          .policy("progress", {{"report", true}, {"stalledAfter", "90s"}});
  BOOST_TEST(j.policy.progress.stalled_after.value().count() == 90);
  BOOST_TEST(!j.policy.progress.start_within.has_value());
  BOOST_TEST((j.policy.progress.on_stalled == stall_action::report));
  BOOST_TEST(!j.policy.failure);
}

BOOST_AUTO_TEST_CASE(restarts_are_as_a_failure_policy_says_or_three) {
  core::job without = job_of_kind("PyTorchJob").policy("progress", restarts());
  BOOST_REQUIRE(without.policy.failure);
  BOOST_TEST(without.policy.failure->restarts_stalled);
  BOOST_TEST(without.policy.failure->max_restarts.value() == 3);
  BOOST_TEST((without.policy.failure->scope == restart_scope::pod));
  core::job with = job_of_kind("PyTorchJob")
                       .policy("progress", restarts())
                       .failure_policy({{"restartScope", "Job"}});
  BOOST_TEST(with.policy.failure->restarts_stalled);
  BOOST_TEST(!with.policy.failure->max_restarts.has_value());
  BOOST_TEST((with.policy.failure->scope == restart_scope::job));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_left_out_and_nothing_is_restarted) {
  for (const char* wrong : {R"({"report": false})", R"({"stalledAfter": 1})",
                            R"({"stalledAfter": null})"}) {
    core::job j = job_of_kind("PyTorchJob").policy("progress", restarts(wrong));
    BOOST_TEST(to_string(j.policy_errors) != "", wrong);
    BOOST_TEST(!j.policy.progress.stalled_after.has_value());
    BOOST_TEST((j.policy.progress.on_stalled == stall_action::report));
    BOOST_TEST(!j.policy.failure);
  }
}

BOOST_AUTO_TEST_CASE(a_template_that_keeps_pods_from_being_told_is_refused) {
  auto b = make_job_of("PyTorchJob")
               .type("Master", 1)
               .policy("progress", restarts());
  b.spec()["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["volumes"] =
      json::array({{{"name", "kubeflow-trainer-token"}}});
  core::job j = b;
  BOOST_TEST(to_string(j.policy_errors)
             == "spec.runPolicy.progress.stalledAfter: Forbidden: its pods are "
                "not told where to report, because the template of Master has "
                "the volume kubeflow-trainer-token already; remove that, or "
                "this");
}

BOOST_AUTO_TEST_SUITE_END()
