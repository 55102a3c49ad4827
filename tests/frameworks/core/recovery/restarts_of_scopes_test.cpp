#include "frameworks/core/pass/restart_scope.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restarts_of_scopes_test)

namespace {

child_builder pod_of(const char* type, int index, int attempt) {
  return pod(type, index)
      .uid(std::string{type} + "-" + std::to_string(index) + "-of-"
           + std::to_string(attempt))
      .labelled(core::label::restart_attempt, std::to_string(attempt))
      .version(static_cast<std::uint64_t>(attempt) + 1);
}

job_builder job_with(json policy, const char* kind = "TFJob") {
  auto b = make_job_of(kind);
  b.policy("failurePolicy", std::move(policy));
  return b;
}

void remove_pods(job_fixture& s) {
  std::vector<std::string> all;
  for (const auto& v : s.seen.pods())
    all.push_back(v.uid.text());
  for (const auto& uid : all)
    s.seen.record_deleted(core::child_kind::pod, uid);
}

/// As if the answer to each deletion had come.
void accept_deletions(job_fixture& s) {
  for (const auto& d : s.last.decisions)
    if (const auto* deletion = std::get_if<core::delete_child>(&d))
      s.seen.mark_delete_accepted(deletion->kind, deletion->uid);
}

std::string restarting_message(const job_fixture& s) {
  const auto* c = s.status.find_condition("Restarting");
  return c && c->status ? c->message : "";
}

int count(const job_fixture& s, const std::string& begin) {
  auto all = s.decisions();
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [&](const auto& d) {
        return d.compare(0, begin.size(), begin) == 0;
      }));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_failure_restarts_the_whole_job_once) {
  auto b = job_with({{"restartScope", "Job"}, {"maxRestarts", 3}});
  job_fixture s{b.servers(2).workers(2).restart_policy("Never")};
  s.all_services();
  s.observe({pod_of("ps", 0, 0).running(), pod_of("ps", 1, 0).running(),
             pod_of("worker", 0, 0).running(),
             pod_of("worker", 1, 0).running()});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running");

  s.observe({pod_of("worker", 1, 0).failed(137).version(5)});
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.decisions().empty()); // It is not saved yet.
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(restarting_message(s)
             == "job job is restarting (attempt 1) because pod job-worker-1 "
                "failed with exit code 137 (Error)");
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.decisions().empty());

  s.save();
  s.pass_and_save();
  BOOST_TEST(count(s, "delete pod") == 4);
  BOOST_TEST(count(s, "create") == 0);
  accept_deletions(s);
  s.seen.record_deleted(core::child_kind::pod, "worker-1-of-0");
  s.pass_and_save();
  BOOST_TEST(s.decisions().empty()); // Others of attempt 0 are left.
  BOOST_TEST(s.status.replicas.at("PS").active == 2);

  remove_pods(s);
  s.pass_and_save();
  BOOST_TEST(count(s, "create pod") == 4);
  for (const auto& d : s.last.decisions)
    BOOST_TEST(std::get<core::create_child>(d).attempt.value_or(-1) == 1);
  BOOST_TEST(s.status.recovery->counted == 1);
  BOOST_TEST(s.conditions() == "Created Restarting");

  s.observe({pod_of("ps", 0, 1).running(), pod_of("ps", 1, 1).running(),
             pod_of("worker", 0, 1).running(),
             pod_of("worker", 1, 1).running()});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.status.recovery->last.recovered.has_value());
}

BOOST_AUTO_TEST_CASE(only_the_type_that_failed_is_restarted) {
  auto b = job_with({{"restartScope", "ReplicaType"}});
  job_fixture s{b.servers(1).workers(2).restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of("ps", 0, 0).running(), pod_of("worker", 0, 0).running(),
             pod_of("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(
      s.decisions()
          == (strings{"delete pod job-worker-0", "delete pod job-worker-1"}),
      boost::test_tools::per_element());
  BOOST_TEST(s.status.recovery->attempt_of("PS") == 0);
  BOOST_TEST(s.status.recovery->attempt_of("Worker") == 1);
  BOOST_TEST(s.status.recovery->last.type == "Worker");
  BOOST_TEST(restarting_message(s)
             == "replica type Worker of job job is restarting (attempt 1) "
                "because pod job-worker-1 failed with exit code 1 (Error)");
}

BOOST_AUTO_TEST_CASE(one_attempt_is_saved_before_the_next_is_decided) {
  auto b = job_with({{"restartScope", "ReplicaType"}});
  job_fixture s{b.servers(1).workers(1).restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of("ps", 0, 0).running(), pod_of("worker", 0, 0).failed(1)});
  s.pass();
  s.observe({pod_of("ps", 0, 0).failed(1).version(7)});
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  s.save();
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 2);
  BOOST_TEST(s.status.recovery->attempt_of("Worker") == 1);
}

BOOST_AUTO_TEST_CASE(types_that_fail_together_start_together) {
  auto b = job_with({{"restartScope", "ReplicaType"}}, "MXJob");
  job_fixture s{b.type("Scheduler", 1)
                    .type("Server", 1)
                    .workers(1)
                    .restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of("scheduler", 0, 0).running(),
             pod_of("server", 0, 0).failed(1),
             pod_of("worker", 0, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->last.type == "Server,Worker");
  s.pass_and_save();
  BOOST_TEST(count(s, "delete pod") == 2);
  accept_deletions(s);
  s.seen.record_deleted(core::child_kind::pod, "server-0-of-0");
  s.pass_and_save();
  BOOST_TEST(count(s, "create pod") == 0);
  s.seen.record_deleted(core::child_kind::pod, "worker-0-of-0");
  s.pass_and_save();
  BOOST_TEST(count(s, "create pod") == 2);
}

BOOST_AUTO_TEST_CASE(the_launcher_is_restarted_with_the_workers) {
  auto b = job_with({{"restartScope", "ReplicaType"}}, "MPIJob");
  job_fixture s{b.type("Launcher", 1).workers(1)};
  s.observe({pod_of("launcher", 0, 0).name("job-launcher").running(),
             pod_of("worker", 0, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.status.recovery->type_attempts.empty());
}

BOOST_AUTO_TEST_CASE(a_permanent_exit_code_stays_permanent) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(2).restart_policy("ExitCode")};
  s.all_services();
  s.observe(
      {pod_of("worker", 0, 0).running(), pod_of("worker", 1, 0).failed(1)});
  s.pass();
  BOOST_TEST(s.status.is_condition_true("Failed"));
  BOOST_TEST(s.status.recovery->attempt == 0);
}

BOOST_AUTO_TEST_CASE(what_the_job_has_lost_by_others_counts_against_nothing) {
  auto b = job_with({{"restartScope", "Job"}, {"maxRestarts", 0}});
  struct row {
    const char* what;
    child_builder pod;
    const char* reason;
  } rows[] = {
      {"evicted",
       pod_of("worker", 1, 0).failed({}).disrupted("EvictionByEvictionAPI"),
       "EvictionByEvictionAPI"},
      {"deleted", pod_of("worker", 1, 0).running().deleting(), "Deleted"},
  };
  for (auto& r : rows) {
    auto job = b;
    job_fixture s{job.workers(2)};
    s.all_services();
    s.observe({pod_of("worker", 0, 0).running()});
    s.observe(r.pod);
    s.pass_and_save();
    BOOST_TEST_CONTEXT(r.what) {
      BOOST_TEST(s.conditions() == "Created Restarting");
      BOOST_TEST(s.status.recovery->attempt == 1);
      BOOST_TEST(s.status.recovery->counted == 0);
      BOOST_TEST(s.status.recovery->last.reason == r.reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pod_that_vanished_restarts_the_job) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.seen.set_keeps_lost_pods(true);
  s.observe(
      {pod_of("worker", 0, 0).running(), pod_of("worker", 1, 0).running()});
  s.pass_and_save();
  s.seen.note_order_issued();
  s.seen.record_deleted(core::child_kind::pod, "worker-1-of-0");
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(restarting_message(s)
             == "job job is restarting (attempt 1) because pod job-worker-1 "
                "is gone");
  BOOST_TEST(s.decisions().empty());
}

BOOST_AUTO_TEST_CASE(so_does_one_that_vanished_while_nobody_watched) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of("worker", 0, 0).running()});
  s.saved.replicas["Worker"].active = 2;
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  // But not one that this process may still have to make.
  job_fixture other{b.workers(2)};
  other.all_services();
  other.observe({pod_of("worker", 0, 0).running()});
  other.pass();
  BOOST_TEST(other.status.recovery->attempt == 0);
  BOOST_TEST(other.decisions() == (strings{"create pod worker-1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_budget_is_neither_exceeded_nor_undershot) {
  auto b = job_with({{"restartScope", "Job"}, {"maxRestarts", 2}});
  job_fixture s{b.workers(1)};
  s.all_services();
  for (int attempt = 0; attempt < 3; ++attempt) {
    BOOST_TEST(!s.status.is_condition_true("Failed"));
    s.observe({pod_of("worker", 0, attempt)
                   .ran(s.now, std::chrono::seconds{60})
                   .failed(1)});
    s.pass_and_save();
    s.pass_and_save();
    accept_deletions(s);
    if (attempt < 2)
      remove_pods(s);
  }
  BOOST_TEST(s.status.recovery->attempt == 2);
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because it was restarted 2 times");
  BOOST_TEST(failed->reason == "TFJobFailed");
}

BOOST_AUTO_TEST_CASE(restarts_before_the_window_do_not_count) {
  auto b = job_with(
      {{"restartScope", "Job"}, {"maxRestarts", 1}, {"restartWindow", "6h"}});
  job_fixture s{b.workers(1)};
  s.all_services();
  auto fail = [&](int attempt) {
    s.observe({pod_of("worker", 0, attempt)
                   .ran(s.now, std::chrono::seconds{60})
                   .failed(1)});
    s.pass_and_save();
    s.pass_and_save();
    accept_deletions(s);
    remove_pods(s);
  };
  fail(0);
  s.now += std::chrono::hours{6};
  fail(1);
  BOOST_TEST(s.status.recovery->attempt == 2);
  BOOST_TEST(s.status.recovery->counted_times.size() == 1U);
  s.now += std::chrono::hours{5};
  s.observe(
      {pod_of("worker", 0, 2).ran(s.now, std::chrono::seconds{60}).failed(1)});
  s.pass_and_save();
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because it was restarted 1 time within "
                "6h");
}

BOOST_AUTO_TEST_CASE(without_a_budget_of_its_own_backoff_limit_holds) {
  for (int limit : {0, 1, 2}) {
    auto b = job_with({{"restartScope", "Job"}});
    job_fixture s{b.workers(1).backoff_limit(limit)};
    s.all_services();
    for (int attempt = 0; attempt < limit; ++attempt) {
      s.observe({pod_of("worker", 0, attempt)
                     .ran(s.now, std::chrono::seconds{60})
                     .failed(1)});
      s.pass_and_save();
      s.pass_and_save();
      accept_deletions(s);
      remove_pods(s);
    }
    s.observe({pod_of("worker", 0, limit).failed(1)});
    s.pass_and_save();
    const auto* failed = s.status.find_condition("Failed");
    BOOST_TEST_CONTEXT(limit) {
      BOOST_TEST(s.status.recovery->attempt == limit);
      BOOST_REQUIRE(failed);
      BOOST_TEST(failed->message
                 == "Job job has failed because it has reached the specified "
                    "backoff limit");
    }
  }
}

BOOST_AUTO_TEST_CASE(attempts_that_end_early_are_delayed) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(1)};
  s.all_services();
  long long delays[] = {0, 10, 20, 40, 80, 160, 300, 300};
  int attempt = 0;
  for (auto delay : delays) {
    s.observe(
        {pod_of("worker", 0, attempt)
             .ran(s.now - std::chrono::seconds{5}, std::chrono::seconds{5})
             .failed(1)});
    s.pass_and_save();
    s.pass_and_save();
    accept_deletions(s);
    remove_pods(s);
    ++attempt;
    BOOST_TEST(s.status.recovery->attempt == attempt);
    s.pass_and_save();
    BOOST_TEST_CONTEXT(delay) {
      BOOST_TEST(count(s, "create pod") == (delay == 0 ? 1 : 0));
      if (delay > 0) {
        BOOST_REQUIRE(s.last.requeue_at);
        BOOST_TEST((*s.last.requeue_at - s.now == std::chrono::seconds{delay}));
        s.now += std::chrono::seconds{delay};
        s.pass_and_save();
        BOOST_TEST(count(s, "create pod") == 1);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_strongest_of_several_rules_decides) {
  json rules =
      json::array({{{"action", "FailJob"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {42}}}}},
                   {{"action", "RestartJob"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {5}}}}},
                   {{"action", "RestartReplicaType"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {4}}}}},
                   {{"action", "RestartPod"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {3}}}}},
                   {{"action", "Ignore"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {2}}}}}});
  struct row {
    int codes[2];
    int attempt;
    const char* conditions;
    strings decisions;
  } rows[] = {
      {{42, 5}, 0, "Created Failed", {}},
      {{5, 4},
       1,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{4, 3},
       1,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{3, 2},
       0,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{2, 0}, 0, "Created Running", {"delete pod job-worker-0"}},
  };
  for (const auto& r : rows) {
    auto b = job_with({{"rules", rules}});
    job_fixture s{b.workers(2).restart_policy("Never")};
    s.all_services();
    for (int i = 0; i < 2; ++i) {
      auto p = pod_of("worker", i, 0).ran(s.now, std::chrono::seconds{60});
      s.observe(r.codes[i] == 0 ? p.running() : p.failed(r.codes[i]));
    }
    s.pass_and_save();
    if (r.attempt > 0)
      s.pass_and_save();
    BOOST_TEST_CONTEXT(r.codes[0] << " " << r.codes[1]) {
      BOOST_TEST(s.conditions() == r.conditions);
      BOOST_TEST(s.status.recovery->attempt == r.attempt);
      if (!s.status.is_finished())
        BOOST_TEST(s.decisions() == r.decisions,
                   boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rule_that_fails_the_job_says_so_of_stopping_pods_too) {
  json rules =
      json::array({{{"name", "bad-data"},
                    {"action", "FailJob"},
                    {"onExitCodes", {{"operator", "In"}, {"values", {42}}}}}});
  auto b = job_with({{"restartScope", "Job"}, {"rules", rules}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe(
      {pod_of("worker", 0, 0).running(), pod_of("worker", 1, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  s.observe({pod_of("worker", 0, 0).failed(42).version(7)});
  s.pass();
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because pod job-worker-0 failed with exit "
                "code 42 (Error), by rule bad-data");
}

BOOST_AUTO_TEST_CASE(a_late_success_of_an_older_attempt_decides_nothing) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe(
      {pod_of("worker", 0, 0).running(), pod_of("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.observe({pod_of("worker", 0, 0).succeeded().version(7)});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.status.recovery->completed.empty());
  BOOST_TEST(count(s, "delete pod") == 2);
}

BOOST_AUTO_TEST_CASE(a_suspension_ends_an_attempt_without_counting) {
  auto b = job_with({{"restartScope", "Job"}});
  b.workers(2);
  job_fixture s{b};
  s.all_services();
  s.observe(
      {pod_of("worker", 0, 0).running(), pod_of("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.j = b.suspended();
  s.pass_and_save();
  BOOST_TEST(count(s, "delete pod") == 2);
  accept_deletions(s);
  s.j = b.suspended(false);
  s.pass_and_save(); // Pods of before are there: the resume waits for them.
  BOOST_TEST(s.status.is_condition_true("Suspended"));
  BOOST_TEST(count(s, "create pod") == 0);
  remove_pods(s);
  s.pass_and_save();
  BOOST_TEST(!s.status.is_condition_true("Suspended"));
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.status.recovery->counted == 1);
  BOOST_TEST(count(s, "create pod") == 2);
}

BOOST_AUTO_TEST_CASE(no_attempt_begins_while_an_older_pod_is_being_made) {
  auto b = job_with({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of("worker", 1, 0).failed(1)});
  s.open.expect_creation({core::child_kind::pod, core::slot{"worker", 0}},
                         s.now, 0);
  s.pass_and_save();
  s.pass_and_save();
  remove_pods(s);
  s.pass_and_save();
  BOOST_TEST(count(s, "create pod") == 0);
  s.open.forget_creation({core::child_kind::pod, core::slot{"worker", 0}});
  s.pass_and_save();
  BOOST_TEST(count(s, "create pod") == 2);
}

BOOST_AUTO_TEST_CASE(without_a_policy_no_pod_says_an_attempt) {
  job_fixture s{make_job().workers(1)};
  s.pass_and_save();
  for (const auto& d : s.last.decisions)
    BOOST_TEST(!std::get<core::create_child>(d).attempt);
  job_fixture with{job_with({{"restartScope", "Job"}}).workers(1)};
  with.pass_and_save();
  for (const auto& d : with.last.decisions)
    if (const auto& c = std::get<core::create_child>(d);
        c.kind == core::child_kind::pod)
      BOOST_TEST(c.attempt.value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
