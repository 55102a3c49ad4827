// What is restarted, and how far it is.
#include "tests/frameworks/core/recovery/restarts_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restarts_of_scopes_test)

BOOST_AUTO_TEST_CASE(a_failure_restarts_the_whole_job_once) {
  auto b =
      make_job().failure_policy({{"restartScope", "Job"}, {"maxRestarts", 3}});
  job_fixture s{b.servers(2).workers(2).restart_policy("Never")};
  s.all_services();
  s.observe({pod_of_attempt("ps", 0, 0).running(),
             pod_of_attempt("ps", 1, 0).running(),
             pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).running()});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running");

  s.observe({pod_of_attempt("worker", 1, 0).failed(137).version(5)});
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.decisions().empty()); // It is not saved yet.
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.message_of("Restarting")
             == "job job is restarting (attempt 1) because pod job-worker-1 "
                "failed with exit code 137 (Error)");
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.decisions().empty());

  s.save();
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("delete pod") == 4);
  BOOST_TEST(s.count_decisions("create") == 0);
  s.accept_deletions();
  s.seen.record_deleted(core::child_kind::pod, "worker-1-of-0");
  s.pass_and_save();
  BOOST_TEST(s.decisions().empty()); // Others of attempt 0 are left.
  BOOST_TEST(s.status.replicas.at("PS").active == 2);

  s.remove_pods();
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("create pod") == 4);
  for (const auto& d : s.last.decisions)
    BOOST_TEST(std::get<core::create_child>(d).attempt.value_or(-1) == 1);
  BOOST_TEST(s.status.recovery->counted == 1);
  BOOST_TEST(s.conditions() == "Created Restarting");

  s.observe({pod_of_attempt("ps", 0, 1).running(),
             pod_of_attempt("ps", 1, 1).running(),
             pod_of_attempt("worker", 0, 1).running(),
             pod_of_attempt("worker", 1, 1).running()});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.status.recovery->last.recovered.has_value());
}

// Where an annotation has the attempt, which is written before the status.
BOOST_AUTO_TEST_CASE(a_process_that_finds_no_more_than_the_attempt_tells_it) {
  restarts_fixture s;
  s.run_and_fail();
  s.pass();
  s.saved.recovery = s.status.recovery;
  s.status = s.saved;
  BOOST_TEST(s.conditions() == "Created Running");
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.message_of("Restarting")
             == "job job is restarting (attempt 1) because pod job-worker-1 "
                "ended (Error)");
  BOOST_TEST(s.count_decisions("delete pod") == 2);
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.status.recovery->counted == 1);
  s.remove_pods();
  s.pass_and_save();
  s.run_all(1);
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(only_the_type_that_failed_is_restarted) {
  auto b = make_job().failure_policy({{"restartScope", "ReplicaType"}});
  job_fixture s{b.servers(1).workers(2).restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of_attempt("ps", 0, 0).running(),
             pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(
      s.decisions()
          == (strings{"delete pod job-worker-0", "delete pod job-worker-1"}),
      boost::test_tools::per_element());
  BOOST_TEST(s.status.recovery->attempt_of("PS") == 0);
  BOOST_TEST(s.status.recovery->attempt_of("Worker") == 1);
  BOOST_TEST(s.status.recovery->last.type == "Worker");
  BOOST_TEST(s.message_of("Restarting")
             == "replica type Worker of job job is restarting (attempt 1) "
                "because pod job-worker-1 failed with exit code 1 (Error)");
}

BOOST_AUTO_TEST_CASE(one_attempt_is_saved_before_the_next_is_decided) {
  auto b = make_job().failure_policy({{"restartScope", "ReplicaType"}});
  job_fixture s{b.servers(1).workers(1).restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of_attempt("ps", 0, 0).running(),
             pod_of_attempt("worker", 0, 0).failed(1)});
  s.pass();
  s.observe({pod_of_attempt("ps", 0, 0).failed(1).version(7)});
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  s.save();
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 2);
  BOOST_TEST(s.status.recovery->attempt_of("Worker") == 1);
}

BOOST_AUTO_TEST_CASE(types_that_fail_together_start_together) {
  auto b =
      make_job_of("MXJob").failure_policy({{"restartScope", "ReplicaType"}});
  job_fixture s{b.type("Scheduler", 1)
                    .type("Server", 1)
                    .workers(1)
                    .restart_policy("OnFailure")};
  s.all_services();
  s.observe({pod_of_attempt("scheduler", 0, 0).running(),
             pod_of_attempt("server", 0, 0).failed(1),
             pod_of_attempt("worker", 0, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->last.type == "Server,Worker");
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("delete pod") == 2);
  s.accept_deletions();
  s.seen.record_deleted(core::child_kind::pod, "server-0-of-0");
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("create pod") == 0);
  s.seen.record_deleted(core::child_kind::pod, "worker-0-of-0");
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("create pod") == 2);
}

BOOST_AUTO_TEST_CASE(the_launcher_is_restarted_with_the_workers) {
  auto b =
      make_job_of("MPIJob").failure_policy({{"restartScope", "ReplicaType"}});
  job_fixture s{b.type("Launcher", 1).workers(1)};
  s.observe({pod_of_attempt("launcher", 0, 0).name("job-launcher").running(),
             pod_of_attempt("worker", 0, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.status.recovery->type_attempts.empty());
}

BOOST_AUTO_TEST_CASE(a_pod_that_vanished_restarts_the_job) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.seen.set_keeps_lost_pods(true);
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).running()});
  s.pass_and_save();
  s.seen.note_order_issued();
  s.seen.record_deleted(core::child_kind::pod, "worker-1-of-0");
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.message_of("Restarting")
             == "job job is restarting (attempt 1) because pod job-worker-1 "
                "is gone");
  BOOST_TEST(s.decisions().empty());
}

BOOST_AUTO_TEST_CASE(a_late_success_of_an_older_attempt_decides_nothing) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.observe({pod_of_attempt("worker", 0, 0).succeeded().version(7)});
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.status.recovery->completed.empty());
  BOOST_TEST(s.count_decisions("delete pod") == 2);
}

BOOST_AUTO_TEST_CASE(a_suspension_ends_an_attempt_without_counting) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  b.workers(2);
  job_fixture s{b};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass_and_save();
  s.j = b.suspended();
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("delete pod") == 2);
  s.accept_deletions();
  s.j = b.suspended(false);
  s.pass_and_save(); // Pods of before are there: the resume waits for them.
  BOOST_TEST(s.status.is_condition_true("Suspended"));
  BOOST_TEST(s.count_decisions("create pod") == 0);
  s.remove_pods();
  s.pass_and_save();
  BOOST_TEST(!s.status.is_condition_true("Suspended"));
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  BOOST_TEST(s.status.recovery->counted == 1);
  BOOST_TEST(s.count_decisions("create pod") == 2);
}

BOOST_AUTO_TEST_CASE(no_attempt_begins_while_an_older_pod_is_being_made) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of_attempt("worker", 1, 0).failed(1)});
  s.open.expect_creation({core::child_kind::pod, core::slot{"worker", 0}},
                         s.now, 0);
  s.pass_and_save();
  s.pass_and_save();
  s.remove_pods();
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("create pod") == 0);
  s.open.forget_creation({core::child_kind::pod, core::slot{"worker", 0}});
  s.pass_and_save();
  BOOST_TEST(s.count_decisions("create pod") == 2);
}

BOOST_AUTO_TEST_CASE(without_a_policy_no_pod_says_an_attempt) {
  job_fixture s{make_job().workers(1)};
  s.pass_and_save();
  for (const auto& d : s.last.decisions)
    BOOST_TEST(!std::get<core::create_child>(d).attempt);
  job_fixture with{
      make_job().failure_policy({{"restartScope", "Job"}}).workers(1)};
  with.pass_and_save();
  for (const auto& d : with.last.decisions)
    if (const auto& c = std::get<core::create_child>(d);
        c.kind == core::child_kind::pod)
      BOOST_TEST(c.attempt.value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
