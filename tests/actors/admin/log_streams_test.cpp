#include "actors/admin/log_streams.hpp"
#include "tests/actors/admin/recording_writer.hpp"
#include "tests/actors/log_api.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(log_streams_test)

namespace {

const byte_pace::clock::time_point begin{1h};

struct log_fixture {
  k8s::result<std::uint64_t> open(const std::string& client,
                                  log_query query = {}) {
    writer = std::make_shared<recording_writer>();
    return streams.open_stream(
        {writer, client, "ns", "job-worker-0", std::move(query)});
  }

  void start(std::uint64_t stream) {
    streams.start_log(stream, {{"container", "main"}}, api,
                      [this] { ++ended; });
  }

  log_streams streams;
  log_api api;
  int ended = 0;
  std::shared_ptr<recording_writer> writer; ///< Of the last one.
};

} // namespace

BOOST_FIXTURE_TEST_CASE(there_are_so_many_places_and_fewer_for_one_client,
                        log_fixture) {
  std::vector<std::uint64_t> opened;
  for (std::size_t i = 0; i < log_streams::most_streams_of_client; ++i) {
    opened.push_back(*open("10.0.0.1"));
    opened.push_back(*open("10.0.0.2"));
  }
  BOOST_TEST(opened.size() == log_streams::most_streams);
  auto refused = open("10.0.0.3");
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == k8s::ec::overloaded));
  BOOST_TEST(refused.error().message
             == "too many logs are being shown; close one, or try again later");
  streams.close_stream(opened[1]); // Of 10.0.0.2.
  BOOST_TEST(!open("10.0.0.1"));
  BOOST_TEST(bool(open("10.0.0.3")));
  // A refusal gives its place back.
  auto* writer_of_first = &*writer;
  streams.refuse_and_close(opened[3], k8s::http::response{});
  BOOST_TEST(bool(open("10.0.0.3")));
  BOOST_TEST(writer_of_first != &*writer);
}

BOOST_FIXTURE_TEST_CASE(a_log_is_asked_for_with_its_limits, log_fixture) {
  log_query query;
  query.lines = 7;
  start(*open("10.0.0.1", query));
  BOOST_TEST(api.logs[0]->request.path
             == "/api/v1/namespaces/ns/pods/job-worker-0/log?container=main"
                "&tailLines=7&follow=true");
  query.previous = true;
  start(*open("10.0.0.1", query));
  BOOST_TEST(api.logs[1]->request.path
             == "/api/v1/namespaces/ns/pods/job-worker-0/log?container=main"
                "&tailLines=7&previous=true");
}

BOOST_FIXTURE_TEST_CASE(what_comes_is_handed_on_to_the_end, log_fixture) {
  auto stream = *open("10.0.0.1");
  streams.send_heartbeats(); // Nothing, before the answer has begun.
  BOOST_TEST(writer->written == "");
  start(stream);
  BOOST_TEST(writer->started);
  BOOST_TEST(writer->answer.content_type == "text/event-stream");
  BOOST_TEST(std::exchange(writer->written, "")
             == "event: pod\ndata: {\"container\":\"main\"}\n\n");
  auto& log = *api.logs[0];
  log.sink.bytes("<b>one\n\xc3");
  BOOST_TEST(std::exchange(writer->written, "")
             == "event: text\ndata: \"<b>one\\n\"\n\n");
  streams.send_heartbeats();
  BOOST_TEST(std::exchange(writer->written, "") == ": alive\n\n");
  log.sink.ended(k8s::nothing{});
  BOOST_TEST(writer->written
             == "event: text\ndata: \"\xef\xbf\xbd\"\n\n"
                "event: end\ndata: null\n\n");
  BOOST_TEST(writer->finished);
  BOOST_TEST(ended == 1);
  BOOST_TEST(!log.closed);
  streams.close_stream(stream);
  BOOST_TEST(log.closed);
  BOOST_TEST(streams.empty());
}

BOOST_FIXTURE_TEST_CASE(why_there_is_no_log_is_told, log_fixture) {
  start(*open("10.0.0.1"));
  writer->written.clear();
  api.logs[0]->sink.ended(
      k8s::failure{k8s::ec::invalid, "container \"main\" is waiting to start"});
  BOOST_TEST(writer->written
             == "event: problem\ndata: {\"again\":true,\"why\":\"container "
                "\\\"main\\\" is waiting to start\"}\n\n");
  BOOST_TEST(writer->finished);
}

BOOST_AUTO_TEST_CASE(a_slow_client_and_a_fast_log_have_pauses) {
  auto writer = std::make_shared<recording_writer>();
  log_relay relay{writer};
  relay.on_bytes("one\n", begin);
  BOOST_TEST((relay.wanted_pause(begin) == 0ms));
  writer->unsent = log_relay::most_backlog + 1;
  BOOST_TEST((relay.wanted_pause(begin) == log_relay::slow_client_pause));
  writer->unsent = 0;
  BOOST_TEST((relay.wanted_pause(begin) == 0ms));
  relay.on_bytes(std::string(2 * log_relay::bytes_per_second, '\n'), begin);
  BOOST_TEST((relay.wanted_pause(begin) > 900ms));
  BOOST_TEST((relay.wanted_pause(begin + 2s) == 0ms));
}

BOOST_AUTO_TEST_SUITE_END()
