#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "k8s/text_pattern.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::failure_verdict;
using core::restart_scope;

BOOST_AUTO_TEST_SUITE(failure_policy_reading_test)

namespace {

job_builder job_of_workers(const char* kind) {
  auto b = make_least_job_of(row_of_kind(kind));
  return b.type("Master", 1).workers(4);
}

constexpr const char* policy_with_all = R"yaml(
restartScope: Job
maxRestarts: 10
restartWindow: 6h
lostNodePeriod: 1m30s
rules:
- name: out-of-memory   # a comment
  action: FailJob
  onExitCodes: {containerName: pytorch, operator: In, values: [2, 42]}
- action: Ignore
  onPodConditions: [{type: DisruptionTarget}, {type: Ready, status: "False"}]
- action: RestartReplicaType
  onReasons: [OOMKilled, NodeLost]
  onMessagePattern: "NCCL.*(timeout|unhandled)"
  targetReplicaTypes: [Worker]
- action: RestartPod
  onExitCodes: {operator: NotIn, values: [0]}
)yaml";

void check_policy_with_all(const core::job& j) {
  BOOST_TEST(to_string(j.policy_errors) == "");
  BOOST_TEST(j.limit_error == "");
  BOOST_REQUIRE(j.policy.failure);
  const auto& p = *j.policy.failure;
  BOOST_TEST((p.scope == restart_scope::job));
  BOOST_TEST(p.max_restarts.value() == 10);
  BOOST_TEST(p.window.value().count() == 6 * 3600);
  BOOST_TEST(p.window_text == "6h");
  BOOST_TEST(p.lost_node_period.value().count() == 90);
  BOOST_REQUIRE(p.rules.size() == 4u);
  BOOST_TEST(p.rules[0].name == "out-of-memory");
  BOOST_TEST((p.rules[0].action == failure_verdict::fail_job));
  const auto& codes = p.rules[0].exit_codes.value();
  BOOST_TEST(codes.container == "pytorch");
  BOOST_TEST(codes.in);
  BOOST_TEST(codes.values == (std::vector{2, 42}));
  BOOST_TEST((p.rules[1].action == failure_verdict::ignore));
  BOOST_REQUIRE(p.rules[1].conditions.size() == 2u);
  BOOST_TEST(p.rules[1].conditions[0].type == "DisruptionTarget");
  BOOST_TEST(p.rules[1].conditions[0].status == "True");
  BOOST_TEST(p.rules[1].conditions[1].status == "False");
  const auto& third = p.rules[2];
  BOOST_TEST((third.action == failure_verdict::restart_replica_type));
  BOOST_TEST(third.reasons
             == (std::vector<std::string>{"OOMKilled", "NodeLost"}));
  BOOST_TEST(third.types == std::vector<std::string>{"Worker"});
  BOOST_REQUIRE(third.message);
  BOOST_TEST(k8s::matches_part_of_text(*third.message, "a NCCL x timeout"));
  BOOST_TEST(!k8s::matches_part_of_text(*third.message, "timeout"));
  BOOST_TEST(third.name == "");
  BOOST_TEST(!p.rules[3].exit_codes.value().in);
  BOOST_TEST((p.rules[3].action == failure_verdict::restart_pod));
}

json policy_as_json() {
  return {{"restartScope", "Job"},
          {"maxRestarts", 10},
          {"restartWindow", "6h"},
          {"lostNodePeriod", "90s"},
          {"rules",
           {{{"name", "out-of-memory"},
             {"action", "FailJob"},
             {"onExitCodes",
              {{"containerName", "pytorch"},
               {"operator", "In"},
               {"values", {2, 42}}}}},
            {{"action", "Ignore"},
             {"onPodConditions",
              {{{"type", "DisruptionTarget"}, {"status", "True"}},
               {{"type", "Ready"}, {"status", "False"}}}}},
            {{"action", "RestartReplicaType"},
             {"onReasons", {"OOMKilled", "NodeLost"}},
             {"onMessagePattern", "NCCL.*(timeout|unhandled)"},
             {"targetReplicaTypes", {"Worker"}}},
            {{"action", "RestartPod"},
             {"onExitCodes", {{"operator", "NotIn"}, {"values", {0}}}}}}}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_policy_is_read_from_the_spec_or_an_annotation) {
  check_policy_with_all(
      job_of_workers("PyTorchJob").failure_policy(policy_as_json()));
  check_policy_with_all(
      job_of_workers("PyTorchJob")
          .annotation(core::label::failure_policy, policy_with_all));
  check_policy_with_all(
      job_of_workers("PyTorchJob")
          .annotation(core::label::failure_policy, policy_as_json().dump(2)));
}

BOOST_AUTO_TEST_CASE(without_one_there_is_none) {
  core::job j = job_of_workers("PyTorchJob");
  BOOST_TEST(!j.policy.failure);
  BOOST_TEST(!j.policy.success.has_value());
  BOOST_TEST(j.policy_texts == "");
  j = job_of_workers("PyTorchJob").failure_policy(nullptr);
  BOOST_TEST(!j.policy.failure);
}

BOOST_AUTO_TEST_CASE(an_empty_one_says_nothing) {
  core::job j = job_of_workers("PyTorchJob").failure_policy(json::object());
  BOOST_REQUIRE(j.policy.failure);
  BOOST_TEST((j.policy.failure->scope == restart_scope::pod));
  BOOST_TEST(!j.policy.failure->must_see_failures());
  BOOST_TEST(!j.policy.failure->max_restarts.has_value());
  j = job_of_workers("PyTorchJob")
          .failure_policy({{"restartScope", nullptr}, {"rules", nullptr}});
  BOOST_TEST(to_string(j.policy_errors) == "");
}

BOOST_AUTO_TEST_CASE(a_success_policy_is_read) {
  core::job j =
      job_of_workers("PyTorchJob")
          .success_policy({{"operator", "Any"},
                           {"targetReplicaTypes", {"Worker", "Master"}}});
  BOOST_TEST(to_string(j.policy_errors) == "");
  BOOST_REQUIRE(j.policy.success.has_value());
  BOOST_TEST(j.policy.success->any);
  BOOST_TEST(j.policy.success->types
             == (std::vector<std::string>{"Worker", "Master"}));
  j = job_of_workers("PyTorchJob")
          .annotation(core::label::success_policy, "operator: All");
  BOOST_REQUIRE(j.policy.success.has_value());
  BOOST_TEST(!j.policy.success->any);
  BOOST_TEST(j.policy.success->types.empty());
}

BOOST_AUTO_TEST_CASE(all_kinds_with_replica_types_have_them) {
  for (const auto* kind : kinds_with_replica_map()) {
    auto b = make_least_job_of(*kind);
    b.workers(2).annotation(core::label::failure_policy, "restartScope: Job");
    b.success_policy({{"operator", "All"}, {"targetReplicaTypes", {"Worker"}}});
    auto j = b.get();
    BOOST_TEST_CONTEXT(kind->names.type.kind) {
      BOOST_TEST(to_string(j.policy_errors) == "");
      BOOST_REQUIRE(j.policy.failure);
      BOOST_TEST((j.policy.failure->scope == restart_scope::job));
      BOOST_REQUIRE(j.policy.success.has_value());
      BOOST_TEST(j.policy.success->types == std::vector<std::string>{"Worker"});
    }
  }
  const auto* v2 = frameworks::find("kubeflow.org/v2beta1", "MPIJob");
  BOOST_REQUIRE(v2);
  auto b = make_job_of("MPIJob");
  b.type("Launcher", 1).workers(2);
  auto j = core::read_job(*v2, "ns", "job", b.spec(),
                          {"restartScope: Job", std::nullopt});
  BOOST_REQUIRE(j.policy.failure);
  BOOST_TEST((j.policy.failure->scope == restart_scope::job));
}

BOOST_AUTO_TEST_CASE(types_are_told_as_the_job_spells_them) {
  // Types of a TFJob are not case-sensitive.
  auto b = make_job();
  b.type("worker", 2).success_policy({{"targetReplicaTypes", {"WORKER"}}});
  core::job j = b;
  BOOST_TEST(to_string(j.policy_errors) == "");
  BOOST_TEST(j.policy.success->types == std::vector<std::string>{"Worker"});
}

BOOST_AUTO_TEST_CASE(a_changed_annotation_is_seen_without_a_generation) {
  auto b = job_of_workers("PyTorchJob");
  auto before = b.get();
  BOOST_TEST(is_decoded_from(before, b.object()));
  b.annotation("other", "x");
  BOOST_TEST(is_decoded_from(before, b.object()));
  b.annotation(core::label::failure_policy, "restartScope: Job");
  BOOST_TEST(!is_decoded_from(before, b.object()));
  auto with_failure = b.get();
  BOOST_TEST(is_decoded_from(with_failure, b.object()));
  b.annotation(core::label::failure_policy, "restartScope: Pod");
  BOOST_TEST(!is_decoded_from(with_failure, b.object()));
  BOOST_TEST(with_failure.annotations == R"({"other":"x"})");
  b = job_of_workers("PyTorchJob");
  b.annotation("other", "x")
      .annotation(core::label::success_policy, "restartScope: Job");
  BOOST_TEST(!is_decoded_from(with_failure, b.object()));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_left_out_and_the_rest_is_kept) {
  core::job j =
      job_of_workers("PyTorchJob")
          .failure_policy(
              {{"restartScope", "Job"},
               {"maxRestarts", "ten"},
               {"rules",
                {{{"action", "FailJob"},
                  {"onReasons", {"OOMKilled"}},
                  {"onMessagePattern", "("}},
                 {{"action", "RestartPod"}, {"onReasons", {"Evicted"}}}}}});
  BOOST_TEST(j.policy_errors.size() == 2u);
  BOOST_TEST(j.validation_error == "");
  BOOST_TEST(j.limit_error == to_string(j.policy_errors));
  BOOST_REQUIRE(j.policy.failure);
  BOOST_TEST((j.policy.failure->scope == restart_scope::job));
  BOOST_TEST(!j.policy.failure->max_restarts.has_value());
  BOOST_REQUIRE(j.policy.failure->rules.size() == 1u);
  BOOST_TEST(j.policy.failure->rules[0].reasons[0] == "Evicted");
}

BOOST_AUTO_TEST_CASE(what_became_wrong_is_told_once) {
  core::job good = job_of_workers("PyTorchJob");
  core::job bad =
      job_of_workers("PyTorchJob").failure_policy({{"restartScope", "x"}});
  auto event = policy_error_event(good, bad);
  BOOST_REQUIRE(event);
  BOOST_TEST(event->warning);
  BOOST_TEST(event->reason == "PyTorchJobInvalidPolicy");
  BOOST_TEST(event->message
             == "what is wrong with the job's policies is left out, and the "
                "rest of them holds: "
                    + to_string(bad.policy_errors));
  BOOST_TEST(!policy_error_event(bad, bad));
  BOOST_TEST(!policy_error_event(bad, good));
}

BOOST_AUTO_TEST_CASE(patterns_share_the_memory_of_one) {
  auto memory_of = [](int rules, const std::string& pattern) {
    auto all = json::array();
    for (int i = 0; i < rules; ++i)
      all.push_back({{"action", "FailJob"}, {"onMessagePattern", pattern}});
    auto b = job_of_workers("PyTorchJob");
    b.failure_policy({{"rules", all}});
    core::job j = b;
    BOOST_TEST(to_string(j.policy_errors) == "");
    std::size_t sum = 0;
    for (const auto& r : j.policy.failure->rules)
      sum += k8s::memory_limit(*r.message);
    return sum;
  };
  auto largest = k8s::memory_limit(
      *k8s::compile_text_pattern("a", core::max_policy_pattern_steps).pattern);
  BOOST_TEST(memory_of(1, "a{1000}b{1000}") == largest);
  BOOST_TEST(memory_of(20, "NCCL.*(timeout|unhandled)") <= 3 * largest);
  BOOST_TEST(memory_of(20, "a{100}") <= 3 * largest);
}

BOOST_AUTO_TEST_SUITE_END()
