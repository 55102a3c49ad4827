#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/observed/pod_trouble.hpp"
#include "tests/frameworks/core/observed/observed_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using phase = k8s::pod_phase;
using state_kind = k8s::container_status::state_kind;

BOOST_AUTO_TEST_SUITE(pod_trouble_test)

namespace {

core::job job_with_policy(core::failure_policy policy) {
  return with_failure_policy(make_job().workers(2), std::move(policy));
}

core::job job_that_restarts_as_a_whole() {
  return job_with_policy(policy_of_scope(core::restart_scope::job));
}

core::child_view view_of(const k8s::pod_state& state,
                         const k8s::object_meta& meta, const core::job& of) {
  core::child_view view;
  view.phase = state.phase;
  view.terminating = meta.deleted.has_value();
  core::copy_attempt_and_trouble(view, state, meta, of);
  return view;
}

k8s::container_status ended(const char* name, int code,
                            std::optional<k8s::time_point> at) {
  k8s::container_status c;
  c.name = name;
  c.state = state_kind::terminated;
  c.exit_code = code;
  c.finished = at;
  return c;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_attempt_is_a_small_plain_number) {
  struct row {
    const char* label;
    int attempt;
  } rows[] = {{"0", 0},          {"3", 3},          {"1000000000", 1000000000},
              {"1000000001", 0}, {"2147483647", 0}, {"99999999999", 0},
              {"-1", 0},         {"03", 0},         {"+3", 0},
              {"3 ", 0},         {"", 0},           {"three", 0}};
  const core::job j = make_job().workers(2);
  for (const auto& r : rows) {
    k8s::object_meta meta;
    meta.labels["training.kubeflow.org/restart-attempt"] = r.label;
    BOOST_TEST_CONTEXT(r.label)
    BOOST_TEST(view_of({}, meta, j).attempt == r.attempt);
  }
  BOOST_TEST(view_of({}, {}, j).attempt == 0);
}

BOOST_AUTO_TEST_CASE(a_failure_before_the_deletion_is_told_by_times) {
  const auto end = base_time;
  struct row {
    const char* description;
    phase in;
    std::optional<k8s::time_point> deleted;
    std::optional<std::int64_t> grace;
    std::vector<k8s::container_status> containers, init;
    bool expected;
  } rows[] = {
      {"not deleted", phase::failed, {}, {}, {}, {}, true},
      {"runs", phase::running, {}, {}, {}, {}, false},
      {"runs on",
       phase::running,
       end + 40s,
       30,
       {ended("a", 1, end)},
       {},
       false},
      {"succeeded",
       phase::succeeded,
       end + 40s,
       30,
       {ended("a", 0, end)},
       {},
       false},
      {"1 s before",
       phase::failed,
       end + 31s,
       30,
       {ended("a", 1, end)},
       {},
       true},
      {"in that second",
       phase::failed,
       end + 30s,
       30,
       {ended("a", 1, end)},
       {},
       false},
      {"after it",
       phase::failed,
       end + 20s,
       30,
       {ended("a", 1, end)},
       {},
       false},
      {"no grace", phase::failed, end + 1s, 0, {ended("a", 1, end)}, {}, true},
      {"the last one counts",
       phase::failed,
       end + 31s,
       30,
       {ended("a", 1, end), ended("b", 143, end + 2s)},
       {},
       false},
      {"init containers count",
       phase::failed,
       end + 31s,
       30,
       {},
       {ended("a", 1, end)},
       true},
      {"an end without a time",
       phase::failed,
       end + 31s,
       30,
       {ended("a", 1, end), ended("b", 137, {})},
       {},
       false},
      {"an end at time 0",
       phase::failed,
       end + 31s,
       30,
       {ended("a", 137, k8s::time_point{})},
       {},
       false},
      {"no containers", phase::failed, end + 31s, 30, {}, {}, false},
      {"grace unknown",
       phase::failed,
       end + 31s,
       {},
       {ended("a", 1, end)},
       {},
       false},
      {"grace negative",
       phase::failed,
       end + 31s,
       -1,
       {ended("a", 1, end)},
       {},
       false},
      {"grace without sense",
       phase::failed,
       k8s::latest_time,
       std::numeric_limits<std::int64_t>::max(),
       {ended("a", 1, end)},
       {},
       false},
  };
  const core::job j = make_job().workers(2);
  for (const auto& r : rows) {
    k8s::pod_state state;
    state.phase = r.in;
    state.containers = r.containers;
    state.init_containers = r.init;
    k8s::object_meta meta;
    meta.deleted = r.deleted;
    meta.deletion_grace_seconds = r.grace;
    BOOST_TEST_CONTEXT(r.description)
    BOOST_TEST(view_of(state, meta, j).failed_before_deletion == r.expected);
  }
}

BOOST_AUTO_TEST_CASE(a_failure_that_was_seen_stays_one_before_the_deletion) {
  struct row {
    const char* description;
    child_builder before, after;
    bool expected;
  } rows[] = {
      {"failed, then deleted", pod("worker", 0).failed(1),
       pod("worker", 0).failed(1).deleting(), true},
      {"ran, then deleted", pod("worker", 0).running(),
       pod("worker", 0).failed(143).deleting(), false},
      {"deleted, then failed", pod("worker", 0).running().deleting(),
       pod("worker", 0).failed(143).deleting(), false},
  };
  for (auto& r : rows) {
    observed_fixture w;
    w.observe(r.before);
    w.observe(r.after.version(2));
    BOOST_TEST_CONTEXT(r.description)
    BOOST_TEST(w.seen.pods().begin()->failed_before_deletion == r.expected);
  }
}

BOOST_AUTO_TEST_CASE(pods_without_trouble_have_none) {
  struct row {
    const char* description;
    phase in;
    bool deleting, expected;
  } rows[] = {{"waits", phase::pending, false, false},
              {"runs", phase::running, false, false},
              {"succeeded", phase::succeeded, false, false},
              {"unknown", phase::unknown, false, false},
              {"failed", phase::failed, false, true},
              {"is deleted", phase::running, true, true},
              {"is deleted after success", phase::succeeded, true, true}};
  for (const auto& r : rows) {
    k8s::pod_state state;
    state.phase = r.in;
    state.node = "n7";
    state.reason = "Evicted";
    state.message = "low on memory";
    state.conditions = {{"Ready", "True", "", "", base_time}};
    k8s::object_meta meta;
    if (r.deleting)
      meta.deleted = base_time;
    BOOST_TEST_CONTEXT(r.description) {
      auto view = view_of(state, meta, job_that_restarts_as_a_whole());
      BOOST_REQUIRE((view.trouble != nullptr) == r.expected);
      if (!r.expected)
        continue;
      BOOST_TEST(view.trouble->node == "n7");
      BOOST_TEST(view.trouble->reason == "Evicted");
      BOOST_TEST(view.trouble->message == "low on memory");
      BOOST_TEST(view.trouble->conditions.size() == 1u);
      BOOST_CHECK(view.trouble->node_silent_since == k8s::time_point{});
    }
  }
}

BOOST_AUTO_TEST_CASE(a_silent_node_is_told_by_the_ready_condition) {
  struct row {
    const char* description;
    std::vector<k8s::pod_condition> conditions;
    bool silent;
  };
  const k8s::pod_condition containers{"ContainersReady", "True", "", "", {}};
  const row rows[] = {
      {"none", {}, false},
      {"ready", {{"Ready", "True", "", "", base_time}, containers}, false},
      // As the node lifecycle controller does it.
      {"no reason", {{"Ready", "False", "", "", base_time}, containers}, true},
      {"a reason of the node's",
       {{"Ready", "False", "NodeNotReady", "", base_time}},
       true},
      {"unknown", {{"Ready", "Unknown", "NodeNotReady", "", base_time}}, true},
      {"its containers are not",
       {{"Ready", "False", "ContainersNotReady", "", base_time},
        {"ContainersReady", "False", "ContainersNotReady", "", {}}},
       false},
      {"a gate",
       {{"Ready", "False", "ReadinessGatesNotReady", "", base_time},
        containers},
       false},
      {"no reason, nor are its containers ready",
       {{"Ready", "False", "", "", base_time},
        {"ContainersReady", "False", "", "", {}}},
       false},
      {"nothing is known of containers",
       {{"Ready", "False", "", "", base_time}},
       false},
  };
  for (const auto& r : rows) {
    k8s::pod_state state;
    state.phase = phase::running;
    state.node = "n7";
    state.conditions = r.conditions;
    auto view = view_of(state, {}, make_job().workers(2));
    BOOST_TEST_CONTEXT(r.description) {
      BOOST_REQUIRE((view.trouble != nullptr) == r.silent);
      if (!r.silent)
        continue;
      BOOST_TEST(view.trouble->node == "n7");
      BOOST_CHECK(view.trouble->node_silent_since == base_time);
      BOOST_TEST(view.trouble->conditions.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(ends_are_kept_for_policies_that_can_use_them) {
  struct row {
    const char* description;
    core::job j;
    bool kept;
  } rows[] = {
      {"scope Pod", job_with_policy({}), false},
      {"a rule", job_with_policy(policy_with_a_rule()), true},
      {"scope ReplicaType",
       job_with_policy(policy_of_scope(core::restart_scope::replica_type)),
       true},
      {"scope Job", job_that_restarts_as_a_whole(), true},
  };
  k8s::pod_state state;
  state.phase = phase::failed;
  state.containers = {ended("main", 137, base_time), {}, ended("log", 0, {})};
  state.containers[0].reason = "OOMKilled";
  state.containers[0].message = "killed";
  state.containers[1].state = state_kind::running;
  state.init_containers = {ended("init", 0, base_time)};
  state.conditions = {
      {"DisruptionTarget", "True", "EvictionByEvictionAPI", "m", base_time}};
  for (const auto& r : rows) {
    auto view = view_of(state, {}, r.j);
    BOOST_TEST_CONTEXT(r.description) {
      BOOST_REQUIRE(view.trouble);
      const auto& t = *view.trouble;
      BOOST_REQUIRE(t.ended.size() == (r.kept ? 3u : 0u));
      BOOST_REQUIRE(t.conditions.size() == (r.kept ? 1u : 0u));
      if (!r.kept)
        continue;
      BOOST_TEST(t.ended[0].name == "main");
      BOOST_TEST(t.ended[0].exit_code == 137);
      BOOST_TEST(t.ended[0].reason == "OOMKilled");
      BOOST_TEST(t.ended[0].message == "killed");
      BOOST_TEST(t.ended[1].name == "log");
      BOOST_TEST(t.ended[2].name == "init");
      BOOST_TEST(t.conditions[0].reason == "EvictionByEvictionAPI");
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_failure_that_nobody_looks_at_nothing_is_kept) {
  k8s::pod_state state;
  state.phase = phase::failed;
  BOOST_TEST(!view_of(state, {}, make_job().workers(2)).trouble);
  BOOST_TEST(view_of(state, {}, job_with_policy({})).trouble);
  k8s::object_meta leaving;
  leaving.deleted = base_time;
  BOOST_TEST(view_of(state, leaving, make_job().workers(2)).trouble);
}

BOOST_AUTO_TEST_CASE(what_is_kept_has_limits) {
  k8s::pod_state state;
  state.phase = phase::failed;
  const std::string text = std::string(4095, 'x') + "\xc3\xa9" + "rest";
  auto c = ended("c", 1, {});
  c.message = c.reason = text;
  state.containers.assign(60, c);
  state.init_containers.assign(60, c);
  state.conditions.assign(100, {text, "True", text, text, {}});
  state.message = state.reason = text;
  auto view = view_of(state, {}, job_that_restarts_as_a_whole());
  const auto& t = *view.trouble;
  BOOST_TEST(t.ended.size() == 64u);
  BOOST_TEST(t.conditions.size() == 64u);
  for (const auto& kept :
       {t.message, t.reason, t.ended[0].message, t.ended[63].reason,
        t.conditions[0].message, t.conditions[63].type})
    BOOST_TEST((kept == std::string(4095, 'x')));
}

BOOST_AUTO_TEST_CASE(a_dijob_has_no_attempts) {
  observed_fixture w;
  w.j = make_least_job_of(row_of_kind("DIJob"));
  w.observe(pod("coordinator", 0).failed(1));
  BOOST_REQUIRE(w.seen.pods().size() == 1u);
  BOOST_TEST(!w.seen.pods().begin()->trouble);
}

BOOST_AUTO_TEST_CASE(each_part_of_it_makes_a_pass) {
  struct row {
    const char* description;
    void (*change)(child_builder& pod, k8s::pod_state& state);
    bool changes;
  } rows[] = {
      {"nothing", [](auto&, auto&) {}, false},
      {"the node's silence",
       [](auto&, auto& s) {
         s.conditions[0] = {"Ready", "False", "NodeNotReady", "", base_time};
       },
       true},
      {"message", [](auto&, auto& s) { s.message = "other"; }, true},
      {"node", [](auto&, auto& s) { s.node = "other"; }, true},
      {"a condition's reason",
       [](auto&, auto& s) { s.conditions[0].reason = "other"; }, true},
      {"a container's message",
       [](auto&, auto& s) { s.init_containers[0].message = "other"; }, true},
  };
  for (const auto& r : rows) {
    observed_fixture w;
    w.j = job_that_restarts_as_a_whole();
    auto p = pod("worker", 0).failed(1);
    p.state().node = "n7";
    p.state().conditions = {{"Ready", "False", "PodFailed", "", base_time}};
    p.state().init_containers = {ended("init", 0, base_time)};
    p.state().message = "m";
    w.observe(p);
    r.change(p, p.state());
    w.observe(p.version(2));
    BOOST_TEST_CONTEXT(r.description)
    BOOST_TEST(w.changed == r.changes);
  }
}

BOOST_AUTO_TEST_SUITE_END()
