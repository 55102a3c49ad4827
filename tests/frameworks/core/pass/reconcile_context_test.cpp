#include "frameworks/core/pass/reconcile_context.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(reconcile_context_test)

namespace {

/// A pass over a job of one worker.
struct context_fixture {
  job j = make_job().workers(1).clean_pod_policy("None");
  core::expectations open{};
  job_status saved{};
  cluster_options cluster{};
  reconcile_context pass{j, open, saved, base_time, cluster, {}, {}};

  /// The decisions so far, without their reasons; forgets them.
  std::string take_decisions() {
    std::string out;
    for (const auto& d : std::exchange(pass.result.decisions, {})) {
      auto text = describe_decision(d);
      out += text.substr(0, text.find(':')) + ";";
    }
    return out;
  }

  /// Plans every operation on one pod.
  std::string plan_all(const child_view& v) {
    pass.plan_deletion_unless_blocked(child_kind::pod, v, "");
    pass.plan_adoption_unless_blocked(child_kind::pod, v, "");
    pass.plan_release_unless_blocked(child_kind::pod, v, "");
    pass.plan_failure_annotation_unless_blocked(v, "");
    auxiliary_object role;
    role.kind = child_kind::role;
    role.name = "r";
    pass.plan_auxiliary_update_unless_blocked(v, role, "1", "{}", "");
    pass.plan_auxiliary_read_unless_blocked(child_kind::config_map, v, "");
    return take_decisions();
  }
};

child_view view(bool owned, bool terminating = false) {
  child_view v;
  v.name = "p";
  v.uid = core::uid_key{"u"};
  v.owned = owned;
  v.terminating = terminating;
  return v;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(only_what_is_owned_is_changed_and_only_else_adopted,
                        context_fixture) {
  BOOST_TEST(plan_all(view(true))
             == "delete pod p;release pod p;annotate pod p;update role p;"
                "read config map p;");
  BOOST_TEST(plan_all(view(false)) == "adopt pod p;");
  BOOST_TEST(plan_all(view(true, true)) == "");
  BOOST_TEST(plan_all(view(false, true)) == "");
}

BOOST_FIXTURE_TEST_CASE(nothing_is_planned_while_an_order_is_in_flight,
                        context_fixture) {
  for (auto kind : {child_kind::pod, child_kind::role, child_kind::config_map})
    open.expect_operation(kind, "u", operation::update, base_time);
  BOOST_TEST(plan_all(view(true)) == "");
  BOOST_TEST(plan_all(view(false)) == "");
  for (auto kind : {child_kind::pod, child_kind::role, child_kind::config_map})
    open.forget_operation(kind, "u");
  BOOST_TEST(plan_all(view(false)) == "adopt pod p;");

  const slot_state empty{{"worker", 0}};
  pass.plan_creation_unless_blocked(child_kind::pod, empty, "");
  BOOST_TEST(take_decisions() == "create pod worker-0;");
  const creation_key key{child_kind::pod, empty.at};
  open.expect_creation(key, base_time);
  pass.plan_creation_unless_blocked(child_kind::pod, empty, "");
  pass.plan_creation_unless_blocked(child_kind::service, empty, "");
  BOOST_TEST(take_decisions() == "create service worker-0;");
  open.block_creation_after_failure(key, base_time + 1s);
  pass.plan_creation_unless_blocked(child_kind::pod, empty, "");
  BOOST_TEST(take_decisions() == "");
  open.block_creation_after_failure(key, base_time);
  pass.plan_creation_unless_blocked(child_kind::pod, empty, "");
  BOOST_TEST(take_decisions() == "create pod worker-0;");
}

BOOST_FIXTURE_TEST_CASE(an_object_in_creation_is_not_read, context_fixture) {
  open.expect_creation({child_kind::config_map, std::string{"p"}}, base_time);
  pass.plan_auxiliary_read_unless_blocked(child_kind::config_map, view(true),
                                          "");
  BOOST_TEST(take_decisions() == "");
}

BOOST_FIXTURE_TEST_CASE(only_pods_are_created_with_their_early_failures,
                        context_fixture) {
  slot_state empty{{"worker", 0}};
  empty.early_failures = 2;
  for (auto kind : {child_kind::pod, child_kind::service})
    pass.plan_creation_unless_blocked(kind, empty, "");
  BOOST_TEST(std::get<create_child>(pass.result.decisions[0]).early_failures
             == 2);
  BOOST_TEST(std::get<create_child>(pass.result.decisions[1]).early_failures
             == 0);
}

BOOST_AUTO_TEST_CASE(the_end_is_told_once) {
  for (bool good : {true, false}) {
    context_fixture f;
    f.pass.now = base_time + 500ms;
    auto end = [&] {
      return good ? f.pass.succeed_job("text")
                  : f.pass.fail_job("text", "Failed", true, "Evicted");
    };
    BOOST_TEST(end());
    BOOST_TEST(f.pass.status().is_finished());
    BOOST_TEST(
        (f.pass.status().completion_time == base_time)); // Whole seconds.
    BOOST_TEST(f.pass.status().conditions[0].reason
               == (good ? "TFJobSucceeded" : "TFJobFailed"));
    BOOST_REQUIRE(f.pass.result.events.size() == 1u);
    BOOST_TEST(f.pass.result.events[0].reason
               == (good ? "TFJobSucceeded" : "TFJobEvicted"));
    BOOST_TEST(f.pass.result.events[0].warning == !good);
    BOOST_TEST(!end());
    BOOST_TEST(f.pass.result.events.size() == 1u);
  }
}

BOOST_FIXTURE_TEST_CASE(the_earliest_requeue_counts, context_fixture) {
  BOOST_TEST(!pass.result.requeue_at.has_value());
  for (auto delay : {5s, 3s, 9s})
    pass.requeue_no_later_than(base_time + delay);
  BOOST_TEST((pass.result.requeue_at == base_time + 3s));
}

BOOST_AUTO_TEST_SUITE_END()
