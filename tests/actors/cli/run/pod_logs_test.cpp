#include "actors/cli/run/pod_logs.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(pod_logs_test)

namespace {

struct logs_fixture {
  /// A pod whose main container is in its `life`-th life.
  static replica_view pod(const std::string& name, int life) {
    replica_view v;
    v.pod = name;
    v.uid = name + "-uid";
    v.container = "main";
    v.log_of = v.uid + "/" + std::to_string(life);
    return v;
  }

  void send(std::size_t watch, const std::string& bytes) {
    server->watches.at(watch).sink.bytes(bytes);
    run();
  }
  void end(std::size_t watch) {
    server->watches.at(watch).sink.ended(k8s::nothing{});
    run();
  }
  void run() {
    io->restart();
    io->run();
  }

  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<k8s::recording_api> server =
      std::make_shared<k8s::recording_api>();
  std::vector<std::string> lines;
  pod_logs make_logs(bool timestamps) {
    return {io, server, "ns",
            [this](const replica_view& whose, const std::string& line) {
              lines.push_back(whose.pod + ": " + line);
            },
            timestamps};
  }
  pod_logs logs = make_logs(false);
};

} // namespace

BOOST_FIXTURE_TEST_CASE(each_life_of_a_container_is_followed_once,
                        logs_fixture) {
  auto waits = pod("a", 0);
  waits.log_of.clear(); // It has no log yet.
  for (const auto& p : {waits, pod("a", 0), pod("a", 0), pod("b", 0)})
    logs.follow_container_logs(p);
  BOOST_REQUIRE(server->watches.size() == 2u);
  BOOST_TEST(server->watches[0].sent.path
             == "/api/v1/namespaces/ns/pods/a/log?follow=true&container=main");
  end(0);
  logs.follow_container_logs(pod("a", 0)); // Read to its end.
  BOOST_TEST(server->watches.size() == 2u);
  logs.follow_container_logs(pod("a", 1));
  BOOST_TEST(server->watches.size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(lines_are_whole_however_they_arrive, logs_fixture) {
  logs.follow_container_logs(pod("a", 0));
  logs.follow_container_logs(pod("b", 0));
  send(0, "one\ntw");
  send(1, "other\n");
  send(0, "o\nlast");
  std::vector<std::string> expected{"a: one", "b: other", "a: two"};
  BOOST_TEST(lines == expected, per_element());
  end(0); // The last line lacks its end.
  expected.push_back("a: last");
  BOOST_TEST(lines == expected, per_element());
}

BOOST_FIXTURE_TEST_CASE(what_is_not_read_to_its_end_is_unfinished,
                        logs_fixture) {
  logs.follow_container_logs(pod("a", 0));
  logs.follow_container_logs(pod("b", 0));
  BOOST_TEST(logs.pods_with_open_logs().size() == 2u);
  end(0);
  BOOST_TEST((logs.pods_with_open_logs() == std::set<std::string>{"b-uid"}));
  BOOST_TEST(server->open_watches == 1);
}

BOOST_FIXTURE_TEST_CASE(times_are_asked_for_on_request, logs_fixture) {
  auto timed = make_logs(true);
  timed.follow_container_logs(pod("a", 0));
  BOOST_REQUIRE(server->watches.size() == 1u);
  BOOST_TEST(server->watches[0].sent.path
             == "/api/v1/namespaces/ns/pods/a/log?follow=true&container=main"
                "&timestamps=true");
}

BOOST_FIXTURE_TEST_CASE(lines_that_have_begun_are_known, logs_fixture) {
  for (int i : {1, 0}) {
    auto worker = pod("worker-" + std::to_string(i), 0);
    worker.type = "worker";
    worker.index = i;
    logs.follow_container_logs(worker);
  }
  BOOST_TEST(logs.unfinished_lines().empty());
  send(0, "whole\n\r10%\r20%");
  send(1, "Loading... ");
  auto open = logs.unfinished_lines();
  BOOST_REQUIRE(open.size() == 2u);
  BOOST_TEST(open[0].whose.pod == "worker-0");
  BOOST_TEST(open[0].text == "Loading... ");
  BOOST_TEST(!open[0].is_overwritten);
  BOOST_TEST(open[1].text == "20%");
  BOOST_TEST(open[1].is_overwritten);
  send(1, "done\n");
  end(0);
  BOOST_TEST(logs.unfinished_lines().empty());
  BOOST_TEST(lines.back() == "worker-1: 20%");
}

BOOST_FIXTURE_TEST_CASE(a_line_that_overwrites_itself_too_fast_goes_on,
                        logs_fixture) {
  logs.follow_container_logs(pod("a", 0));
  auto& bytes = server->watches.at(0).sink.bytes;
  bytes("first\r" + std::string(17u << 20, 'x'));
  bytes("lost\rlost");
  run();
  bytes("lost\rnext\rlast");
  run();
  BOOST_TEST(lines.empty());
  BOOST_TEST(logs.unfinished_lines().at(0).text == "last");
}

BOOST_FIXTURE_TEST_CASE(what_comes_too_fast_is_counted, logs_fixture) {
  logs.follow_container_logs(pod("a", 0));
  auto& bytes = server->watches.at(0).sink.bytes;
  bytes("first\n");
  bytes(std::string(17u << 20, 'x') + "\n");
  bytes("lost\nlost\npart");
  run();
  bytes("of a line\nnext\n");
  run();
  BOOST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0] == "a: first");
  BOOST_TEST(lines[2] == "a: ... 3 lines came too fast and are not shown");
  BOOST_TEST(lines[3] == "a: next");
}

BOOST_AUTO_TEST_SUITE_END()
