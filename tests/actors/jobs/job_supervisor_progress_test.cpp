// Reports of pods, as a supervisor takes them.
#include "actors/base/report_authority.hpp"
#include "tests/actors/jobs/directory_fixture.hpp"
#include "tests/actors/jobs/supervisor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_supervisor_progress_test)

namespace {

job_builder reporting_job() {
  return make_job().workers(1).policy("progress", {{"report", true}});
}

report_to_job report_of(const std::string& pod_uid, int percent) {
  report_to_job r;
  r.kinds = {tf_kind};
  r.ns = "ns";
  r.name = "job";
  r.pod_uid = pod_uid;
  r.progress.percent = percent;
  r.progress.metrics = {{"loss", "0.5"}};
  return r;
}

/// What the actor answers.
template <class Fixture, class Actor>
report_answer ask_to_take(Fixture& f, const Actor& who, report_to_job report) {
  auto result = std::make_shared<std::optional<report_answer>>();
  f.spawn([=](caf::event_based_actor* self) {
    self->request(caf::actor_cast<caf::actor>(who), caf::infinite, report)
        .then([=](const report_answer& a) { *result = a; });
  });
  f.run();
  BOOST_REQUIRE(result->has_value());
  return **result;
}

struct progress_fixture : supervisor_fixture {
  report_answer report(const std::string& pod_uid, int percent) {
    return ask_to_take(*this, subject, report_of(pod_uid, percent));
  }
  int would_take(const std::string& pod_uid) {
    auto question = report_of(pod_uid, 1);
    question.asks = true;
    return ask_to_take(*this, subject, question).status;
  }

  /// The job runs, and its status is saved.
  void start(const job_builder& job = reporting_job()) {
    send(subject, seen(job));
    for (const char* what : {"pod", "service"})
      answer(std::string{"create "} + what + "s job-worker-0",
             object_text("job-worker-0", std::string{what} + "-worker-0", 5,
                         worker_meta(0)));
    send(subject, seen(pod("worker", 0).running().version(9)));
    save();
  }

  void save() {
    advance(2s);
    accept_all("patch tfjobs/status");
  }

  /// The percentage that a write of the status waits with; -1: none waits.
  int written() const {
    if (!waits("patch tfjobs/status job"))
      return -1;
    auto body = json::parse(find_call("patch tfjobs/status").request->body);
    return body[2]["value"]["progress"]["percent"];
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(reports_are_taken_at_once_and_written_each_ten_seconds,
                        progress_fixture) {
  start();
  auto first = report("pod-worker-0", 1);
  BOOST_TEST(first.status == 200);
  BOOST_TEST(first.taken->source == "job-worker-0");
  BOOST_TEST((first.taken->time == core::truncate_to_seconds(now())));
  advance(2s);
  BOOST_TEST(written() == 1);
  // Other writes are more urgent.
  BOOST_TEST((find_call("patch tfjobs/status").priority == call_priority::low));
  save();
  for (int percent = 2; percent < 7; ++percent) {
    advance(1s);
    BOOST_TEST(report("pod-worker-0", percent).status == 200);
    BOOST_TEST(written() == -1);
  }
  BOOST_TEST(this->supervisor_fixture::report()["progress"]["percent"] == 6);
  BOOST_TEST(ask(subject, get_tree{})["percent"] == 6);
  advance(1s);
  BOOST_TEST(written() == 6);
  save();
  BOOST_TEST(written() == -1);
}

BOOST_FIXTURE_TEST_CASE(the_report_has_the_course_of_each_metric,
                        progress_fixture) {
  start();
  report("pod-worker-0", 1);
  advance(1s);
  report("pod-worker-0", 2);
  auto told = this->supervisor_fixture::report()["progress"];
  BOOST_TEST(told["source"] == "job-worker-0");
  BOOST_TEST(told["metrics"][0]["name"] == "loss");
  BOOST_TEST(told["metrics"][0]["points"].size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(only_a_running_pod_of_a_job_that_asks_reports,
                        progress_fixture) {
  BOOST_TEST(report("pod-worker-0", 1).status == 503); // It is not read yet.
  BOOST_TEST(would_take("pod-worker-0") == 404);
  start();
  BOOST_TEST(would_take("pod-worker-0") == 200);
  BOOST_TEST(would_take("pod-worker-7") == 403);
  advance(2s); // Nothing was taken.
  BOOST_TEST(written() == -1);
  BOOST_TEST(report("pod-worker-7", 1).status == 403);
  BOOST_TEST(report("", 1).status == 403);
  send(subject, seen(pod("worker", 0).succeeded().version(3000)));
  BOOST_TEST(report("pod-worker-0", 1).status == 403);
}

BOOST_FIXTURE_TEST_CASE(a_job_that_does_not_ask_takes_none, progress_fixture) {
  start(make_job().workers(1));
  BOOST_TEST(report("pod-worker-0", 1).status == 403);
  BOOST_TEST(!recorded("TFJobNoProgressReports"));
}

BOOST_FIXTURE_TEST_CASE(where_there_is_no_server_it_is_told_once,
                        progress_fixture) {
  start();
  send(subject, seen(reporting_job(), 2));
  BOOST_TEST(std::count(events.begin(), events.end(), "TFJobNoProgressReports")
             == 1);
}

namespace {

/// Pods are told where to report.
struct server_fixture : single_actor_fixture {
  std::shared_ptr<report_authority> authority =
      std::make_shared<report_authority>();
  job_supervisor_actor subject;

  server_fixture() {
    options->cluster.progress_url = "https://host/progress";
    auto with_server = std::make_shared<actor_context>(*context);
    with_server->reports = authority;
    subject =
        spawn(job_supervisor, context_ptr{with_server},
              supervisor_config{std::make_shared<job_reference>(job_reference{
                                    tf_kind, "ns", "job", "job-uid"}),
                                false});
    run();
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(pods_wait_for_the_authority_of_the_server,
                        server_fixture) {
  send(subject, supervisor_fixture::seen(reporting_job()));
  BOOST_TEST(!waits("create pods job-worker-0"));
  BOOST_TEST(!waits("create configmaps job-progress"));
  BOOST_TEST(ask(subject, get_report{})["summary"]
             == "waits for the certificate of the server to which its pods "
                "report");
  authority->set("-----BEGIN CERTIFICATE-----\n");
  send(subject, atom::report_authority::value);
  BOOST_TEST(waits("create configmaps job-progress"));
  accept("create configmaps job-progress");
  BOOST_TEST(waits("create pods job-worker-0"));
  BOOST_TEST(events.empty());
}

BOOST_AUTO_TEST_CASE(a_directory_hands_reports_to_the_job) {
  directory_fixture f;
  auto report = [&] { return ask_to_take(f, f.subject, report_of("u", 1)); };
  BOOST_TEST(report().status == 503); // Nothing is listed yet.
  f.listed();
  BOOST_TEST(report().status == 404);
  f.see(directory_fixture::job_object("job"));
  BOOST_TEST(report().status == 403); // The job does not ask.
  auto question = report_of("u", 1);
  question.asks = true;
  BOOST_TEST(ask_to_take(f, f.subject, question).status == 403);
  f.forget("job");
  BOOST_TEST(report().status == 404);
  BOOST_TEST(ask_to_take(f, f.subject, question).status == 404);
}

// -- silence ------------------------------------------------------------------

namespace {

job_builder watched_job(const char* on_stalled) {
  return make_job().workers(1).policy("progress", {{"report", true},
                                                   {"stalledAfter", "10m"},
                                                   {"startWithin", "30m"},
                                                   {"onStalled", on_stalled}});
}

/// The one worker runs, and was told where to report.
struct silence_fixture : server_fixture {
  void start(const char* on_stalled) {
    authority->set("-----BEGIN CERTIFICATE-----\n");
    send(subject, supervisor_fixture::seen(watched_job(on_stalled)));
    accept("create configmaps job-progress");
    for (const char* what : {"pod", "service"})
      answer(std::string{"create "} + what + "s job-worker-0",
             object_text("job-worker-0", std::string{what} + "-worker-0", 5,
                         worker_meta(0)));
    auto worker =
        pod("worker", 0)
            .labelled(core::label::progress, core::label::told_to_report);
    send(subject, supervisor_fixture::seen(worker.running().version(10)));
    save();
  }

  void report(int percent) {
    auto answer =
        ask_to_take(*this, subject, report_of("pod-worker-0", percent));
    BOOST_TEST(answer.status == 200);
  }

  void save() {
    advance(2s);
    while (waits("patch tfjobs/status job"))
      accept("patch tfjobs/status job");
  }

  bool recorded(const char* reason) {
    return std::count(events.begin(), events.end(), reason) > 0;
  }
  std::string state() {
    return ask(subject, get_report{})["status"]["conditions"].back()["type"];
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_silent_job_is_told_when_it_is_time, silence_fixture) {
  start("Report");
  report(45);
  save();
  advance(9min);
  BOOST_TEST(!recorded("TFJobStalled"));
  report(46);
  save();
  advance(9min + 50s);
  save();
  BOOST_TEST(!recorded("TFJobStalled"));
  advance(20s); // Nobody wakes it but its own timer.
  save();
  BOOST_TEST(recorded("TFJobStalled"));
  BOOST_TEST(state() == "Stalled");
  BOOST_TEST(ask(subject, get_report{})["waitingFor"]["row"] == "progress");
  report(47);
  save();
  BOOST_TEST(recorded("TFJobMakesProgress"));
  BOOST_TEST(state() == "Running");
}

BOOST_FIXTURE_TEST_CASE(a_silent_job_is_restarted_when_that_is_saved,
                        silence_fixture) {
  start("RestartJob");
  report(45);
  save();
  advance(11min);
  BOOST_TEST(!waits("delete pods job-worker-0"));
  BOOST_TEST(waits("patch tfjobs/status job"));
  save();
  BOOST_TEST(waits("delete pods job-worker-0"));
  BOOST_TEST(recorded("TFJobRestarting"));
}

BOOST_FIXTURE_TEST_CASE(reports_that_were_missed_are_no_silence,
                        silence_fixture) {
  start("Report");
  report(45);
  save();
  advance(9min);
  authority->note_missed(now());
  advance(9min);
  save();
  BOOST_TEST(!recorded("TFJobStalled"));
  advance(2min);
  save();
  BOOST_TEST(recorded("TFJobStalled"));
}

BOOST_AUTO_TEST_SUITE_END()
