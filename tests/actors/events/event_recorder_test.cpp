#include "actors/events/event_recorder.hpp"
#include "tests/actors/metric_value.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_recorder_test)

namespace {

struct recorder_fixture : single_actor_fixture {
  event_recorder_actor recorder = spawn(event_recorder, context);
  std::shared_ptr<const job_reference> job = std::make_shared<job_reference>(
      job_reference{frameworks::find("TFJob"), "ns", "job", "job-uid"});

  void record(const std::string& message, bool warning = false) {
    send(recorder, record_event{job, {warning, "Reason", message}});
  }

  json body(std::size_t call) { return json::parse(calls[call].request->body); }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(an_event_is_created_after_all_other_calls,
                        recorder_fixture) {
  record("text", true);
  BOOST_REQUIRE(calls.size() == 1u);
  BOOST_TEST((calls[0].priority == call_priority::event));
  BOOST_TEST(calls[0].key == "job-uid");
  BOOST_TEST(calls[0].request->path == "/api/v1/namespaces/ns/events");
  auto event = body(0);
  json involved{{"apiVersion", "kubeflow.org/v1"},
                {"kind", "TFJob"},
                {"name", "job"},
                {"namespace", "ns"},
                {"uid", "job-uid"}};
  BOOST_TEST(event["involvedObject"] == involved);
  BOOST_TEST(event["type"] == "Warning");
  BOOST_TEST(event["reason"] == "Reason");
  BOOST_TEST(event["message"] == "text");
  BOOST_TEST(event["count"] == 1);
  BOOST_TEST(event["source"]["component"] == "tfjob-controller");
}

BOOST_FIXTURE_TEST_CASE(repetitions_within_a_second_are_one_patch,
                        recorder_fixture) {
  record("text");
  auto name = body(0)["metadata"]["name"].get<std::string>();
  answer("create events", std::string{"{}"});
  record("text");
  record("text");
  advance(999ms);
  BOOST_TEST(calls.empty());
  advance(1ms);
  BOOST_TEST(waiting() == strings{"patch events " + name},
             boost::test_tools::per_element());
  BOOST_TEST(body(0)["count"] == 3);
}

BOOST_FIXTURE_TEST_CASE(what_nobody_repeats_is_forgotten_in_time,
                        recorder_fixture) {
  auto remembered = [&] { return ask(recorder, get_report{})["remembered"]; };
  for (const char* message : {"a", "b"}) {
    record(message);
    answer("create events", std::string{"{}"});
  }
  BOOST_TEST(remembered() == 2);
  advance(600s);
  BOOST_TEST(remembered() == 2);
  advance(60s);
  BOOST_TEST(remembered() == 0);
}

BOOST_FIXTURE_TEST_CASE(only_a_few_events_are_written_at_a_time,
                        recorder_fixture) {
  options->events_in_flight = 2;
  for (const char* message : {"a", "b", "c"})
    record(message);
  BOOST_TEST(calls.size() == 2u);
  answer("create events", std::string{"{}"});
  BOOST_REQUIRE(calls.size() == 2u);
  BOOST_TEST(body(1)["message"] == "c");
}

BOOST_FIXTURE_TEST_CASE(a_write_that_failed_is_repeated_and_then_dropped,
                        recorder_fixture) {
  record("text");
  int writes = 0;
  while (!calls.empty() && writes < 100) {
    ++writes;
    fail_call("create events", k8s::ec::server_error);
    advance(1s);
  }
  BOOST_TEST(writes > 1);
  BOOST_TEST(writes < 10);
  BOOST_TEST(ask(recorder, get_report{})["dropped"] == 1);
  const auto& counters = *context->counters;
  BOOST_TEST(metric_value(counters, "troupe_events_dropped_total") == 1);
  BOOST_TEST(metric_value(counters, "troupe_events_written_total") == 0);
  record("another");
  answer("create events", std::string{"{}"});
  BOOST_TEST(metric_value(counters, "troupe_events_dropped_total") == 1);
  BOOST_TEST(metric_value(counters, "troupe_events_written_total") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
