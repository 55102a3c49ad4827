// How a supervisor has the log of a pod read.
#include "tests/actors/jobs/supervisor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_supervisor_logs_test)

namespace {

job_builder logged_job(const char* pattern = "loss=(?P<loss>.)") {
  return make_job().workers(1).policy("progress",
                                      {{"logRules", {{{"pattern", pattern}}}}});
}

/// A supervisor, and a reader of logs that only keeps what it is told.
struct logs_fixture : single_actor_fixture {
  std::vector<follow_log> followed;
  std::vector<end_log> ended;
  job_supervisor_actor subject;

  logs_fixture() {
    auto reader = spawn([this]() -> caf::behavior {
      return {[this](const follow_log& f) { followed.push_back(f); },
              [this](const end_log& e) { ended.push_back(e); }};
    });
    auto with_reader = std::make_shared<actor_context>(*context);
    with_reader->logs = caf::actor_cast<log_reader_actor>(reader);
    context = with_reader;
    subject = spawn(job_supervisor, context,
                    supervisor_config{std::make_shared<job_reference>(
                        job_reference{tf_kind, "ns", "job", "job-uid"})});
    run();
  }
  ~logs_fixture() { followed.clear(); } // Owners.

  void see(const job_builder& job, int version = 1) {
    send(subject, supervisor_fixture::seen(job, version));
  }
  void see(const child_builder& child) {
    send(subject, supervisor_fixture::seen(child));
  }
  json report() { return ask(subject, get_report{}); }
  bool recorded(const std::string& reason) {
    return std::count(events.begin(), events.end(), reason) > 0;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(without_rules_no_log_is_read, logs_fixture) {
  see(make_job().workers(1));
  see(pod("worker", 0).running());
  BOOST_TEST(followed.empty());
  BOOST_TEST(!report().contains("log"));
}

BOOST_FIXTURE_TEST_CASE(a_log_is_read_from_the_start_to_the_end_of_its_pod,
                        logs_fixture) {
  see(logged_job());
  see(pod("worker", 0));
  BOOST_TEST(followed.empty());
  see(pod("worker", 0).running().version(2));
  BOOST_REQUIRE(followed.size() == 1);
  BOOST_TEST(followed[0].ns == "ns");
  BOOST_TEST(followed[0].log.pod == "job-worker-0");
  BOOST_TEST(followed[0].log.container == "tensorflow");
  BOOST_TEST(followed[0].rules->rules.size() == 1);
  BOOST_TEST(report()["log"]["pod"] == "job-worker-0");
  see(pod("worker", 0).running().ready().version(3));
  BOOST_TEST(followed.size() == 1);
  see(pod("worker", 0).succeeded().version(4));
  BOOST_REQUIRE(followed.size() == 2);
  BOOST_TEST(followed[1].log.pod_ended);
  BOOST_TEST(ended.empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_found_is_the_progress_of_the_job,
                        logs_fixture) {
  see(logged_job());
  see(pod("worker", 0).running().version(2));
  core::progress_status found;
  found.percent = 45;
  found.metrics = {{"loss", "0.5"}};
  send(subject, log_report{followed.at(0).log.pod_uid, found});
  auto progress = report()["progress"];
  BOOST_TEST(progress["percent"] == 45);
  BOOST_TEST(progress["source"] == "job-worker-0");
  BOOST_TEST(progress["metrics"][0]["name"] == "loss");
  BOOST_TEST(progress["metrics"][0]["points"].size() == 1);
  BOOST_TEST(report()["status"]["progress"]["percent"] == 45);
  // Of a pod that is not the job's any more.
  found.percent = 1;
  send(subject, log_report{"other", found});
  BOOST_TEST(report()["progress"]["percent"] == 45);
}

BOOST_FIXTURE_TEST_CASE(last_lines_count_when_the_pod_has_ended, logs_fixture) {
  see(logged_job());
  see(pod("worker", 0).running().version(2));
  see(pod("worker", 0).succeeded().version(3));
  core::progress_status found;
  found.percent = 100;
  send(subject, log_report{followed.at(0).log.pod_uid, found});
  BOOST_TEST(report()["status"]["progress"]["percent"] == 100);
}

BOOST_FIXTURE_TEST_CASE(other_rules_are_told_and_none_end_it, logs_fixture) {
  see(logged_job());
  see(pod("worker", 0).running().version(2));
  see(logged_job("(?P<percent>.)%"), 2);
  BOOST_REQUIRE(followed.size() == 2);
  BOOST_TEST(followed[1].rules != followed[0].rules);
  see(make_job().workers(1), 3);
  BOOST_REQUIRE(ended.size() == 1);
  BOOST_TEST(!ended[0].soon);
}

BOOST_FIXTURE_TEST_CASE(a_pod_that_is_gone_is_not_read, logs_fixture) {
  see(logged_job());
  auto worker = pod("worker", 0).running().version(2);
  see(worker);
  send(subject, child_deleted{supervisor_fixture::seen(worker)});
  BOOST_REQUIRE(ended.size() == 1);
  BOOST_TEST(ended[0].owner == subject.id());
}

BOOST_FIXTURE_TEST_CASE(a_problem_is_told_once_and_explained, logs_fixture) {
  see(logged_job());
  see(pod("worker", 0).running().version(2));
  auto uid = followed.at(0).log.pod_uid;
  send(subject, log_reading{uid, "no right"});
  send(subject, log_reading{uid, "no right"});
  BOOST_TEST(std::count(events.begin(), events.end(), "TFJobLogNotRead") == 1);
  BOOST_TEST(report()["log"]["problem"] == "no right");
  send(subject, log_reading{uid, ""});
  BOOST_TEST(!report()["log"].contains("problem"));
  send(subject, log_reading{"other", "no right"});
  BOOST_TEST(!report()["log"].contains("problem"));
}

BOOST_FIXTURE_TEST_CASE(a_supervisor_that_ends_ends_the_reading, logs_fixture) {
  see(logged_job());
  see(pod("worker", 0).running().version(2));
  followed.clear(); // They keep it alive.
  send(subject, atom::job_removed::value);
  BOOST_REQUIRE(ended.size() == 1);
  BOOST_TEST(!ended[0].soon);
}

BOOST_AUTO_TEST_SUITE_END()
