#include "tests/actors/jobs/pruning_server.hpp"

#include <boost/test/unit_test.hpp>

// Where the definition of the kind lacks fields: they are in annotations.

using namespace troupe;

BOOST_AUTO_TEST_SUITE(status_writer_parts_test)

using namespace troupe::pruning;

namespace {

using texts = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(each_definition_has_what_it_can_keep) {
  struct row {
    const char* description;
    core::kept_parts drops;
    bool has_restarts, has_recovery; ///< As annotations.
  } rows[] = {
      {"ours", {}, false, false},
      {"of before attempts", {false, true, true}, false, true},
      {"the training operator's", {true, true, true}, true, true},
      {"without what is done", {false, false, true}, false, true},
      {"without attempts", {false, true, false}, false, true},
      {"without restarts", {true, false, false}, true, false},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description) {
      parts_fixture f;
      f.server.drops = r.drops;
      f.wanted.restarts = {{"job-worker-0", "old", 1}};
      f.restart(1);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.complete(0);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.restart(2);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.complete(1);
      f.write_all();
      BOOST_TEST(f.is_saved());
      BOOST_TEST(f.server.annotations.contains(core::label::restarts)
                 == r.has_restarts);
      BOOST_TEST(f.server.annotations.contains(core::label::recovery)
                 == r.has_recovery);
      BOOST_TEST(f.told.restarts == r.drops.restarts);
      BOOST_TEST(f.told.attempts == r.drops.attempts);
    }
}

BOOST_FIXTURE_TEST_CASE(how_far_a_job_is_is_in_no_annotation, parts_fixture) {
  server.drops = {};
  server.drops.progress = true;
  auto report = [&](int percent) {
    core::progress_status p;
    p.percent = percent;
    p.time = now;
    wanted.progress = p;
  };
  report(1);
  BOOST_TEST(write_all() == texts{"status"}, boost::test_tools::per_element());
  report(2); // It is known now that it would be dropped.
  BOOST_TEST(write_all() == texts{}, boost::test_tools::per_element());
  wanted.set_condition("Succeeded", true, "R", "m", now);
  report(3);
  BOOST_TEST(write_all() == texts{"status"}, boost::test_tools::per_element());
  BOOST_TEST(server.annotations.empty());
  BOOST_TEST(events.empty());
}

BOOST_FIXTURE_TEST_CASE(an_attempt_is_saved_before_the_status_says_so,
                        parts_fixture) {
  restart(1);
  // The first answer shows that it is not.
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  restart(2);
  wanted.set_condition("Restarting", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"annotations", "status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(both_annotations_are_one_patch, parts_fixture) {
  wanted.restarts = {{"job-worker-0", "old", 1}};
  restart(1);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.annotations.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(without_any_there_is_no_annotation, parts_fixture) {
  wanted.replicas["Worker"].active = 1;
  BOOST_TEST(write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(!told.any());
  BOOST_TEST(server.annotations.empty());
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_job_needs_no_annotation, parts_fixture) {
  complete(0);
  write_all();
  complete(1);
  wanted.set_condition("Succeeded", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
}

BOOST_AUTO_TEST_CASE(a_job_that_ends_at_once_has_no_annotation) {
  parts_fixture f;
  f.complete(0);
  f.wanted.set_condition("Succeeded", true, "R", "m", f.now);
  BOOST_TEST(f.write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(f.server.annotations.empty());
}

// Another process wrote the annotation; what it says is not wanted any more.
BOOST_FIXTURE_TEST_CASE(what_is_done_is_forgotten_in_the_annotation_too,
                        parts_fixture) {
  complete(0);
  write_all();
  writer = {};
  writer.record_server_status(server.read());
  wanted.recovery = core::recovery_status{};
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.annotations.empty());
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(another_process_goes_on_from_the_annotation,
                        parts_fixture) {
  restart(1);
  complete(0);
  write_all();
  writer = {};
  writer.record_server_status(server.read());
  BOOST_TEST(is_saved());
  restart(2);
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(an_attempt_is_not_counted_over_another, parts_fixture) {
  restart(1);
  write_all();
  restart(2);
  now += 2s;
  auto step = writer.begin_write_if_due(
      wanted, job, static_cast<std::uint64_t>(server.version), now, 1000ms);
  BOOST_REQUIRE(step.write);
  ++server.version; // Somebody else was faster.
  auto done = writer.on_write_ended(server.answer(*step.write->make_request()),
                                    wanted, *job, now, 0);
  BOOST_TEST(done.must_read_job);
  BOOST_TEST(writer.saved_status()->recovery->attempt == 1);
  BOOST_TEST(write_all().empty()); // Until the job is read.
  writer.record_server_status(server.read());
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_cannot_be_read_saves_nothing,
                        parts_fixture) {
  restart(1);
  now += 2s;
  auto step = writer.begin_write_if_due(wanted, job, 7, now, 1000ms);
  BOOST_REQUIRE(step.write);
  (void)server.answer(*step.write->make_request());
  auto done =
      writer.on_write_ended(std::string{"garbage"}, wanted, *job, now, 0);
  BOOST_TEST(done.must_read_job);
  BOOST_TEST(writer.saved_status()->recovery->attempt == 0);
  BOOST_TEST(write_all().empty());
  writer.record_server_status(server.read());
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_AUTO_TEST_SUITE_END()
