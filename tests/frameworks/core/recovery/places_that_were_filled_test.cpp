// Of what is missing when a process begins, only what ran was lost.
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(places_that_were_filled_test)

namespace {

/// As if the former process had saved that.
void set_attempts(job_fixture& s, core::recovery_status attempts) {
  s.status.recovery = attempts;
  s.saved.recovery = std::move(attempts);
}

} // namespace

BOOST_AUTO_TEST_CASE(
    a_pod_that_vanished_while_nobody_watched_restarts_the_job) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running()});
  s.saved.replicas["Worker"].active = 2;
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 1);
  // But not one that this process may still have to make.
  job_fixture other{b.workers(2)};
  other.all_services();
  other.observe({pod_of_attempt("worker", 0, 0).running()});
  other.pass();
  BOOST_TEST(other.status.recovery->attempt == 0);
  BOOST_TEST(other.decisions() == (strings{"create pod worker-1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_place_that_was_never_filled_is_not_lost) {
  struct row {
    const char* what;
    int saved_as_active;
    int attempt;
  } rows[] = {{"scaled up, or resumed, since all ran", 1, 1}, {"it ran", 2, 2}};
  for (const auto& r : rows) {
    auto b = make_job().failure_policy({{"restartScope", "Job"}});
    job_fixture s{b.workers(2)};
    s.all_services();
    core::recovery_status attempts;
    attempts.attempt = 1;
    attempts.last.recovered = s.now;
    set_attempts(s, attempts);
    s.saved.replicas["Worker"].active = r.saved_as_active;
    s.observe({pod_of_attempt("worker", 0, 1).running()});
    s.pass();
    BOOST_TEST_CONTEXT(r.what) {
      BOOST_TEST(s.status.recovery->attempt == r.attempt);
      if (r.attempt == 1)
        BOOST_TEST(s.decisions() == (strings{"create pod worker-1"}),
                   boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_place_beside_one_that_is_not_wanted_may_be_new) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(1)}; // There were two, of which one had run.
  s.all_services();
  s.saved.replicas["Worker"].succeeded = 1;
  s.observe({pod_of_attempt("worker", 1, 0).succeeded()});
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 0);
}

// A process that begins after that deletion knows only that the pod is missing.
BOOST_AUTO_TEST_CASE(a_pod_is_replaced_alone_when_the_saved_counts_lack_it) {
  for (const char* action : {"Ignore", "RestartPod"})
    BOOST_TEST_CONTEXT(action) {
      auto b = make_job().failure_policy({{"restartScope", "Job"}});
      b.policy("failurePolicy",
               {{"restartScope", "Job"},
                {"rules",
                 {{{"action", action},
                   {"onExitCodes", {{"operator", "In"}, {"values", {7}}}}}}}});
      job_fixture s{b.workers(2)};
      s.all_services();
      s.observe({pod_of_attempt("worker", 0, 0).running(),
                 pod_of_attempt("worker", 1, 0).running()});
      s.pass_and_save();
      s.observe(pod_of_attempt("worker", 1, 0).failed(7).version(2));
      s.pass();
      BOOST_TEST(s.decisions() == strings{});
      s.save();
      s.pass_and_save();
      BOOST_TEST(s.decisions() == strings{"delete pod job-worker-1"});

      job_fixture again{s.j};
      again.status = again.saved = s.saved;
      again.all_services();
      again.observe({pod_of_attempt("worker", 0, 0).running()});
      again.pass();
      BOOST_TEST(again.status.recovery->attempt == 0);
      BOOST_TEST(again.decisions() == strings{"create pod worker-1"});
    }
}

BOOST_AUTO_TEST_CASE(a_pod_that_can_be_adopted_is_not_lost) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).running().orphan()});
  s.saved.replicas["Worker"].active = 2;
  s.pass();
  BOOST_TEST(s.status.recovery->attempt == 0);
  BOOST_TEST(s.decisions().size() == 1u); // The adoption.
}

BOOST_AUTO_TEST_CASE(a_worker_that_has_failed_for_good_holds_up_no_recovery) {
  auto b = make_job().failure_policy({{"restartScope", "ReplicaType"}});
  b.servers(1).workers(2).restart_policy("ExitCode").dynamic();
  job_fixture s{b};
  s.all_services();
  core::recovery_status attempts;
  attempts.attempt = 1;
  attempts.type_attempts["Worker"] = 0;
  set_attempts(s, attempts);
  s.observe({pod_of_attempt("ps", 0, 1).running(),
             pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass();
  BOOST_TEST(s.status.recovery->last.recovered.has_value());
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_SUITE_END()
