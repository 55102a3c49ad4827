#include "actors/admin/event_streams.hpp"
#include "k8s/json.hpp"
#include "tests/actors/admin/job_rows.hpp"
#include "tests/actors/admin/recording_writer.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(event_streams_test)

namespace {

const k8s::time_point noon = *k8s::from_rfc3339("2026-03-01T12:00:00Z");

struct streams_fixture {
  std::uint64_t open_stream(stream_subject subject = {}) {
    writer = std::make_shared<recording_writer>();
    return streams.open_stream(writer, std::move(subject));
  }

  /// What was written since the last call.
  std::string written() { return std::exchange(writer->written, ""); }

  /// One look, answered with this report.
  std::string send_heartbeats_and_take_due(std::uint64_t stream,
                                           const json& report) {
    streams.send_heartbeats_and_take_due();
    streams.on_job_report(stream, report);
    return written();
  }

  event_streams streams;
  std::shared_ptr<recording_writer> writer; ///< Of the last one opened.
};

stream_subject one_job() {
  return {get_job_report{"ns", "TFJob", "a"}, 0};
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_stream_begins_with_its_head, streams_fixture) {
  open_stream();
  BOOST_TEST(writer->started);
  BOOST_TEST(writer->answer.content_type == "text/event-stream");
  BOOST_TEST(writer->answer.body == ": open\n\n");
  BOOST_TEST(writer->answer.headers.count("Content-Security-Policy") == 1u);
}

BOOST_FIXTURE_TEST_CASE(changes_of_the_list_are_sent_once, streams_fixture) {
  auto stream = open_stream({std::nullopt, 5});
  auto asked = streams.send_heartbeats_and_take_due();
  BOOST_REQUIRE(asked.size() == 1u);
  BOOST_TEST(asked[0].subject.revision == 5u);
  streams.on_job_changes(stream, {7, false, {row_of("a", 1)}, {"uid-b"}}, noon);
  auto text = written();
  BOOST_TEST(text.find("event: jobs\ndata: {") == 0u);
  BOOST_TEST(text.substr(text.size() - 3) == "}\n\n");
  BOOST_TEST(text.find("\"removed\":[\"uid-b\"]") != std::string::npos);
  BOOST_TEST(streams.send_heartbeats_and_take_due()[0].subject.revision == 7u);
  streams.on_job_changes(stream, {7, false, {}, {}}, noon);
  BOOST_TEST(written() == "");
}

BOOST_FIXTURE_TEST_CASE(a_stream_asks_again_when_it_was_answered,
                        streams_fixture) {
  auto stream = open_stream();
  BOOST_TEST(streams.send_heartbeats_and_take_due().size() == 1u);
  BOOST_TEST(streams.send_heartbeats_and_take_due().size() == 0u);
  streams.on_no_answer(stream);
  BOOST_TEST(streams.send_heartbeats_and_take_due().size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_report_is_sent_when_more_than_ages_differ,
                        streams_fixture) {
  auto stream = open_stream(one_job());
  json report{{"at", "12:00"},
              {"summary", "waits"},
              {"expectations", {{{"what", "pod"}, {"ageSeconds", 1}}}},
              {"timers", {{{"what", "next look"}, {"inSeconds", 9}}}}};
  BOOST_TEST(
      send_heartbeats_and_take_due(stream, report).find("event: job\ndata: {")
      == 0u);
  report["at"] = "12:01";
  report["expectations"][0]["ageSeconds"] = 2;
  report["timers"][0]["inSeconds"] = 8;
  BOOST_TEST(send_heartbeats_and_take_due(stream, report) == "");
  report["waitingFor"] = {{"what", "its deletion"}, {"text", "in 9s"}};
  BOOST_TEST(send_heartbeats_and_take_due(stream, report) != "");
  report["waitingFor"]["text"] = "in 8s";
  BOOST_TEST(send_heartbeats_and_take_due(stream, report) == "");
  report["summary"] = "runs";
  BOOST_TEST(
      send_heartbeats_and_take_due(stream, report).find("\"summary\":\"runs\"")
      != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_job_may_go_and_come, streams_fixture) {
  auto stream = open_stream(one_job());
  BOOST_TEST(send_heartbeats_and_take_due(stream, nullptr)
             == "event: gone\ndata: null\n\n");
  BOOST_TEST(send_heartbeats_and_take_due(stream, nullptr) == "");
  BOOST_TEST(send_heartbeats_and_take_due(stream, {{"name", "a"}})
             == "event: job\ndata: {\"name\":\"a\"}\n\n");
}

BOOST_FIXTURE_TEST_CASE(a_silent_stream_has_heartbeats, streams_fixture) {
  auto stream = open_stream();
  for (int i = 1; i < event_streams::looks_per_heartbeat; ++i)
    streams.send_heartbeats_and_take_due();
  BOOST_TEST(written() == "");
  streams.send_heartbeats_and_take_due();
  BOOST_TEST(written() == ": alive\n\n");
  streams.on_job_changes(stream, {2, true, {}, {}}, noon);
  BOOST_TEST(written().find("event: jobs") == 0u);
  for (int i = 1; i < event_streams::looks_per_heartbeat; ++i)
    streams.send_heartbeats_and_take_due();
  BOOST_TEST(written() == "");
}

BOOST_FIXTURE_TEST_CASE(streams_are_bounded_and_closed, streams_fixture) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < event_streams::most_streams; ++i) {
    BOOST_TEST(!streams.is_full());
    last = open_stream();
  }
  BOOST_TEST(streams.is_full());
  streams.remove_stream(last);
  BOOST_TEST(!streams.is_full());
  streams.on_job_changes(last, {9, true, {}, {}}, noon);
  BOOST_TEST(written() == "");
}

BOOST_AUTO_TEST_SUITE_END()
