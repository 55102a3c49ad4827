#include "tests/actors/jobs/pruning_server.hpp"

#include <boost/test/unit_test.hpp>

// Where the definition lacks fields and the annotations are refused, too.

using namespace troupe;

BOOST_AUTO_TEST_SUITE(refused_annotations_test)

using namespace troupe::pruning;

namespace {

using texts = std::vector<std::string>;

} // namespace

BOOST_FIXTURE_TEST_CASE(what_nobody_keeps_is_known_here_only, parts_fixture) {
  server.refuses_annotations = true;
  wanted.restarts = {{"job-worker-0", "old", 1}};
  complete(0);
  write_all();
  BOOST_TEST(events == (texts{"RestartsNotSaved", "RecoveryNotSaved"}),
             boost::test_tools::per_element());
  BOOST_TEST((writer.saved_status() == wanted));
  // A watch shows the job without it.
  BOOST_TEST(!writer.record_server_status(server.read()).foreign);
  BOOST_TEST((writer.saved_status() == wanted));
  BOOST_TEST(write_all().empty());
}

// Else another process would not know it.
BOOST_FIXTURE_TEST_CASE(what_was_refused_is_tried_again, parts_fixture) {
  restart(1);
  write_all();
  server.refuses_annotations = true;
  auto r = *wanted.recovery;
  r.last.recovered = now;
  wanted.recovery = r;
  BOOST_TEST(write_all() == texts{"annotations"},
             boost::test_tools::per_element());
  BOOST_TEST(events == texts{"RecoveryNotSaved"},
             boost::test_tools::per_element());
  BOOST_TEST((writer.saved_status() == wanted));
  auto next_at = [&] {
    auto step = writer.begin_write_if_due(
        wanted, job, static_cast<std::uint64_t>(server.version), now, 1000ms);
    BOOST_TEST(!step.write);
    return step.next_at;
  };
  BOOST_TEST((next_at() == now - 2s + 5s));
  // What is not in the annotation waits for nothing.
  wanted.set_condition("Suspended", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST((next_at() == now - 2s + 10s));
  BOOST_TEST(!writer.write_state().attempt_refused);
  BOOST_TEST(!server.read().recovery->last.recovered);
  server.refuses_annotations = false;
  now += 6s;
  BOOST_TEST(write_all() == texts{"annotations"},
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
  BOOST_TEST(events.size() == 1u); // It is told once.
  now += 1min;
  BOOST_TEST(write_all().empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_new_does_not_wait_for_what_was_refused,
                        parts_fixture) {
  server.refuses_annotations = true;
  complete(0);
  write_all();
  now += 5s;
  write_all();
  server.refuses_annotations = false;
  complete(1);
  BOOST_TEST(write_all() == (texts{"annotations", "status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(an_ended_job_does_not_try_for_ever, parts_fixture) {
  restart(1);
  write_all();
  server.refuses_annotations = true;
  wanted.set_condition("Failed", true, "R", "m", now);
  restart(2);
  int tries = 0;
  for (int i = 0; i < 20; ++i) {
    for (const auto& what : write_all())
      tries += what == "annotations";
    now += 1min;
  }
  BOOST_TEST(tries == 5);
  BOOST_TEST((writer.saved_status() == wanted));
}

BOOST_FIXTURE_TEST_CASE(an_attempt_that_nobody_keeps_waits, parts_fixture) {
  server.refuses_annotations = true;
  wanted.replicas["Worker"].active = 2;
  write_all();
  wanted.replicas["Worker"].active = 1;
  restart(1);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(events == texts{"RecoveryNotSaved"},
             boost::test_tools::per_element());
  BOOST_TEST(writer.saved_status()->recovery->attempt == 0);
  BOOST_TEST(writer.write_state().attempt_refused);
  BOOST_TEST(writer.write_state().failures_in_a_row == 1);
  BOOST_TEST(writer.write_state().last_failure.message == "may not");
  now += 10s;
  BOOST_TEST(write_all() == texts{"annotations"},
             boost::test_tools::per_element());
  BOOST_TEST(writer.write_state().failures_in_a_row == 2);
  BOOST_TEST(events.size() == 1u); // It is told once.
  // Another process would still see that a pod was lost.
  BOOST_TEST(server.read().replicas.at("Worker").active == 2);
  server.refuses_annotations = false;
  now += 1min;
  BOOST_TEST(write_all() == (texts{"annotations", "status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
  BOOST_TEST(!writer.write_state().attempt_refused);
}

// The rest of the status may fail meanwhile: each has its own words.
BOOST_FIXTURE_TEST_CASE(each_failure_is_told_as_its_own, parts_fixture) {
  restart(1);
  write_all();
  server.refuses_annotations = true;
  restart(2);
  write_all();
  wanted.set_condition("Suspended", true, "R", "m", now);
  now += 2s;
  auto step = writer.begin_write_if_due(
      wanted, job, static_cast<std::uint64_t>(server.version), now, 1000ms);
  BOOST_REQUIRE(step.write);
  BOOST_TEST(step.write->description == "write status");
  writer.on_write_ended(k8s::failure{k8s::ec::unreachable, "no route", {}},
                        wanted, *job, now, 0);
  BOOST_TEST(writer.write_state().attempt_refused);
  BOOST_TEST(writer.write_state().last_failure.message == "may not");
  BOOST_TEST(writer.report()["lastFailure"] == "no route");
}

BOOST_FIXTURE_TEST_CASE(a_restart_is_told_when_its_attempt_is_saved,
                        parts_fixture) {
  auto queue = [&](const char* reason) {
    writer.queue_events_until_status_saved({{true, reason, "m"}});
  };
  restart(1);
  queue("TFJobRestarting");
  now += 2s;
  auto step = writer.begin_write_if_due(wanted, job, 7, now, 1000ms);
  BOOST_REQUIRE(step.write);
  queue("Later");
  auto done = writer.on_write_ended(server.answer(*step.write->make_request()),
                                    wanted, *job, now, 0);
  BOOST_TEST(done.drops.attempts);
  BOOST_TEST(done.events.empty()); // The server has dropped the attempt.
  write_all();
  for (const auto& e : last_events)
    events.push_back(e.reason);
  BOOST_TEST(events == (texts{"TFJobRestarting", "Later"}),
             boost::test_tools::per_element());

  events.clear();
  server.refuses_annotations = true;
  restart(2);
  wanted.set_condition("Restarting", true, "R", "m", now);
  queue("TFJobRestarting");
  queue("TFJobSuspended");
  write_all();
  now += 2s;
  write_all();
  BOOST_TEST(events == (texts{"RecoveryNotSaved", "TFJobSuspended"}),
             boost::test_tools::per_element());
  server.refuses_annotations = false;
  now += 1min;
  events.clear();
  write_all();
  for (const auto& e : last_events)
    events.push_back(e.reason);
  BOOST_TEST(events == (texts{"TFJobRestarting"}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_else_changes_is_written_while_an_attempt_waits,
                        parts_fixture) {
  wanted.replicas["Worker"].active = 2;
  restart(1);
  write_all();
  server.refuses_annotations = true;
  restart(2);
  wanted.replicas["Worker"].active = 1;
  write_all();
  wanted.set_condition("Suspended", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  auto there = server.read();
  BOOST_TEST(there.is_condition_true("Suspended"));
  BOOST_TEST(there.replicas.at("Worker").active == 1);
  BOOST_TEST(there.recovery->attempt == 1);
  BOOST_TEST((writer.saved_status() == there));
}

BOOST_FIXTURE_TEST_CASE(a_job_that_ends_waits_for_no_attempt, parts_fixture) {
  server.refuses_annotations = true;
  restart(1);
  write_all();
  wanted.set_condition("Failed", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.read().is_condition_true("Failed"));
  BOOST_TEST((writer.saved_status() == wanted));
  BOOST_TEST(!writer.write_state().attempt_refused);
}

BOOST_AUTO_TEST_SUITE_END()
