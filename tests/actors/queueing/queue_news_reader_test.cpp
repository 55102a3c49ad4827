#include "actors/queueing/queue_news_reader.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(queue_news_reader_test)

namespace {

const std::string open_queue = json{{"spec", {{"clusterQueue", "cq"}}}}.dump();

std::string places(const std::vector<std::string>& workloads) {
  auto items = json::array();
  for (std::size_t i = 0; i < workloads.size(); ++i)
    items.push_back({{"metadata", {{"name", workloads[i]}}},
                     {"positionInLocalQueue", i},
                     {"positionInClusterQueue", i}});
  return json{{"items", items}}.dump();
}

struct reader_fixture : single_actor_fixture {
  queue_news_reader_actor subject = spawn(queue_news_reader, context);
  std::vector<std::int64_t> told; ///< Places; 0: none.
  caf::actor listener = spawn([this]() -> caf::behavior {
    return {[this](const queue_news_read& r) {
      told.push_back(r.news.place.value_or(0));
    }};
  });

  void ask_for(const std::string& workload, const char* queue = "q") {
    send(subject, ask_for_queue_news{
                      caf::actor_cast<queue_news_listener_actor>(listener),
                      "ns", queue, workload});
  }
  void answer_all(const std::vector<std::string>& workloads) {
    answer("get localqueues q", open_queue);
    answer("get clusterqueues cq", open_queue);
    answer("get localqueues q", places(workloads));
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_queue_is_read_once_for_all, reader_fixture) {
  for (const char* workload : {"b", "a", "c"})
    ask_for(workload);
  BOOST_TEST(waiting() == strings{"get localqueues q"}, per_element());
  answer_all({"a", "b"});
  const std::vector<std::int64_t> first{2, 1, 0};
  BOOST_TEST(told == first, per_element());
  advance(5s);
  ask_for("b"); // What was read is fresh.
  BOOST_TEST(told.size() == 4u);
  BOOST_TEST(told.back() == 2);
  BOOST_TEST(calls.empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_not_fresh_is_read_again, reader_fixture) {
  ask_for("a");
  answer_all({"a"});
  advance(10s);
  ask_for("a");
  answer_all({"b", "a"});
  const std::vector<std::int64_t> wanted{1, 2};
  BOOST_TEST(told == wanted, per_element());
}

BOOST_FIXTURE_TEST_CASE(each_queue_is_read_by_itself, reader_fixture) {
  ask_for("a");
  ask_for("a", "other");
  const strings both{"get localqueues q", "get localqueues other"};
  BOOST_TEST(waiting() == both, per_element());
}

BOOST_FIXTURE_TEST_CASE(of_many_queues_the_old_ones_are_forgotten,
                        reader_fixture) {
  ask_for("a", "kept");
  for (std::size_t i = 0; i < queue_news_reader_state::most_queues - 1; ++i) {
    auto name = "q" + std::to_string(i);
    ask_for("a", name.c_str());
    fail_call("get localqueues " + name, k8s::ec::forbidden);
    fail_call("get localqueues " + name, k8s::ec::forbidden);
  }
  auto known = [this] { return ask(subject, get_report{})["queues"].size(); };
  BOOST_TEST(known() == queue_news_reader_state::most_queues);
  advance(10s);
  ask_for("a", "new");
  BOOST_TEST(known() == 2u); // And the one that is being read.
}

BOOST_FIXTURE_TEST_CASE(it_ends_with_the_operator, reader_fixture) {
  ask_for("a");
  fail_call("get localqueues q", k8s::ec::cancelled);
  advance(60s);
  BOOST_TEST(calls.empty());
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_SUITE_END()
