#include "actors/queueing/queue_reading.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(queue_reading_test)

namespace {

const k8s::failure forbidden{k8s::ec::forbidden, "no"};
const k8s::failure missing{k8s::ec::not_found, "no such resource"};

std::string queue_text(const char* policy, const char* active = "True") {
  return json{{"spec", {{"clusterQueue", "cq"}, {"stopPolicy", policy}}},
              {"status",
               {{"conditions",
                 {{{"type", "Active"},
                   {"status", active},
                   {"message", "no flavor f"}}}}}}}
      .dump();
}

std::string places_text(const char* workload, int place, int in_cluster) {
  return json{{"items",
               {{{"metadata", {{"name", "other"}}},
                 {"positionInLocalQueue", 0},
                 {"positionInClusterQueue", 0}},
                {{"metadata", {{"name", workload}}},
                 {"positionInLocalQueue", place},
                 {"positionInClusterQueue", in_cluster}}}}}
      .dump();
}

struct reading_fixture {
  k8s::time_point now = base_time;
  actors::queue_reading reading{"ns", "team-a"};

  /// Reads, with these answers in turn; the paths that were asked for.
  std::vector<std::string>
  read(const std::vector<k8s::result<std::string>>& answers) {
    std::vector<std::string> paths;
    auto call = reading.begin(now);
    for (std::size_t i = 0; call; ++i) {
      BOOST_TEST(reading.is_under_way());
      paths.push_back(call->path);
      call = reading.on_answer(i < answers.size() ? answers[i] : answers.back(),
                               now);
    }
    BOOST_TEST(!reading.is_under_way());
    return paths;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(queues_and_places_are_read, reading_fixture) {
  BOOST_TEST(!reading.is_fresh(now));
  auto paths = read({queue_text("None"), queue_text("None"),
                     places_text("tfjob-job-1", 2, 11)});
  const std::vector<std::string> wanted{
      "/apis/kueue.x-k8s.io/v1beta2/namespaces/ns/localqueues/team-a",
      "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/cq",
      "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/ns/localqueues/"
      "team-a/pendingworkloads?limit=250"};
  BOOST_TEST(paths == wanted, per_element());
  auto news = reading.news_of("tfjob-job-1");
  BOOST_TEST(news.place.value_or(0) == 3);
  BOOST_TEST(news.place_in_cluster_queue.value_or(0) == 12);
  BOOST_TEST(news.stopped == "");
  BOOST_TEST(reading.news_of("other").place.value_or(0) == 1);
  BOOST_TEST(!reading.news_of("nobody").place);
}

BOOST_FIXTURE_TEST_CASE(what_was_read_is_fresh_for_a_while, reading_fixture) {
  read({queue_text("None"), queue_text("None"), places_text("w", 2, 11)});
  BOOST_TEST(reading.is_fresh(now));
  BOOST_TEST(reading.is_fresh(now + 9s));
  BOOST_TEST(!reading.is_fresh(now + 10s));
  BOOST_TEST(!reading.is_fresh(now - 1s)); // The clock was set back.
  reading.forget_what_was_read();
  BOOST_TEST(!reading.is_fresh(now));
  BOOST_TEST(!reading.news_of("w").place);
}

BOOST_FIXTURE_TEST_CASE(who_is_far_behind_is_told_so, reading_fixture) {
  json many{{"items", json::array()}};
  for (int i = 0; i < 250; ++i)
    many["items"].push_back({{"metadata", {{"name", "w" + std::to_string(i)}}},
                             {"positionInLocalQueue", i},
                             {"positionInClusterQueue", i}});
  read({queue_text("None"), queue_text("None"), many.dump()});
  BOOST_TEST(reading.news_of("w249").place.value_or(0) == 250);
  BOOST_TEST(reading.news_of("w249").is_beyond == 0);
  BOOST_TEST(!reading.news_of("tfjob-job-1").place);
  BOOST_TEST(reading.news_of("tfjob-job-1").is_beyond == 250);
}

BOOST_FIXTURE_TEST_CASE(queues_that_are_stopped_or_inactive, reading_fixture) {
  struct row {
    std::string local;
    std::string cluster;
    const char* stopped;
  } rows[] = {
      {queue_text("Hold"), queue_text("HoldAndDrain"),
       "LocalQueue team-a is stopped (Hold)"},
      {queue_text("None"), queue_text("HoldAndDrain"),
       "ClusterQueue cq is stopped (HoldAndDrain)"},
      {queue_text("None"), queue_text("None", "False"),
       "ClusterQueue cq is inactive: no flavor f"},
      {"garbage", queue_text("Hold"), ""},
  };
  for (const auto& r : rows) {
    read({r.local, r.cluster, missing});
    BOOST_TEST(reading.news_of("w").stopped == r.stopped);
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_refused_or_not_served_is_asked_for_seldom,
                        reading_fixture) {
  BOOST_TEST(read({queue_text("None"), forbidden, missing}).size() == 3u);
  now += 1min;
  BOOST_TEST(read({queue_text("None")}).size() == 1u);
  now += 2h;
  BOOST_TEST(read({queue_text("None"), queue_text("None"), missing}).size()
             == 3u);
}

BOOST_FIXTURE_TEST_CASE(a_queue_that_is_not_there_may_be_made,
                        reading_fixture) {
  BOOST_TEST(read({missing}).size() == 2u); // The places, too.
  now += 1min;
  BOOST_TEST(read({queue_text("Hold"), queue_text("None")}).size() == 2u);
  BOOST_TEST(reading.news_of("w").stopped
             == "LocalQueue team-a is stopped (Hold)");
}

BOOST_AUTO_TEST_SUITE_END()
