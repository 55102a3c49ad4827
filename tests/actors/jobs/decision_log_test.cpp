#include "actors/jobs/decision_log.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using actors::decision_log;

BOOST_AUTO_TEST_SUITE(decision_log_test)

BOOST_AUTO_TEST_CASE(notes_are_listed_oldest_first) {
  decision_log log;
  BOOST_TEST(log.notes().empty());
  log.add(k8s::time_point{std::chrono::seconds{1}}, "create pod worker-0");
  log.add(k8s::time_point{std::chrono::seconds{2}}, "");
  log.add(k8s::time_point{std::chrono::seconds{3}}, "write status");
  auto notes = log.notes();
  BOOST_REQUIRE(notes.size() == 3u);
  BOOST_TEST(notes[0].text == "create pod worker-0");
  BOOST_TEST(notes[1].text == "");
  BOOST_TEST(notes[2].text == "write status");
  BOOST_TEST((notes[2].at == k8s::time_point{std::chrono::seconds{3}}));
}

BOOST_AUTO_TEST_CASE(the_oldest_are_dropped) {
  decision_log log;
  auto most = static_cast<int>(decision_log::most_notes);
  for (int i = 0; i < most + 3; ++i)
    log.add({}, "note " + std::to_string(i));
  auto notes = log.notes();
  BOOST_REQUIRE(notes.size() == decision_log::most_notes);
  BOOST_TEST(notes.front().text == "note 3");
  BOOST_TEST(notes.back().text == "note " + std::to_string(most + 2));
}

BOOST_AUTO_TEST_SUITE_END()
