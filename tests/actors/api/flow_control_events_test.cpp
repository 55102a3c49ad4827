// When events go beside other calls.
#include "tests/actors/api/flow_control_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(flow_control_events_test)

BOOST_AUTO_TEST_CASE(events_leave_the_window_to_work_that_waits) {
  flow_control_fixture f{with_window(2, 2)};
  f.add("event", call_priority::event, 2);
  f.add("work", call_priority::normal, 3);
  BOOST_TEST(f.send() == "work work ");
  f.end_one();
  BOOST_TEST(f.send() == "work ");
  f.end_one();
  BOOST_TEST(f.send() == "event ");
  f.add("work");
  f.end_one();
  BOOST_TEST(f.send() == "work ");
}

BOOST_AUTO_TEST_CASE(only_a_few_events_are_under_way) {
  auto options = default_options();
  options.events_in_flight = 4;
  flow_control_fixture f{options};
  f.add("e", call_priority::event, 6);
  BOOST_TEST(f.send() == "e e e e ");
  BOOST_TEST(f.ask_in() == -1);
  f.end_one();
  BOOST_TEST(f.send() == "e ");
  f.end_all();
  BOOST_TEST(f.send() == "e ");
}

// An API server may limit events alone, those of one namespace even.
BOOST_AUTO_TEST_CASE(a_refused_event_pauses_events_and_nothing_else) {
  flow_control_fixture f{with_window(8, 8)};
  f.add("e", call_priority::event, 2);
  BOOST_TEST(f.send() == "e e ");
  f.end_one({k8s::ec::overloaded, "", 7s});
  BOOST_TEST(f.control.window() == 8);
  BOOST_TEST(!f.control.is_paused(f.now));
  f.add("e", call_priority::event);
  f.add("work", call_priority::normal);
  f.add("list", call_priority::always);
  BOOST_TEST(f.send() == "list work ");
  BOOST_TEST(f.ask_in() == 7000);
  f.now += 6999ms;
  BOOST_TEST(f.send() == "");
  f.now += 1ms;
  BOOST_TEST(f.send() == "e ");
  // Another call's refusal concerns all.
  while (f.under_way.front().key != "work")
    f.end_one();
  f.end_one({k8s::ec::overloaded, "", 7s});
  f.add("e", call_priority::event);
  f.add("list", call_priority::always);
  BOOST_TEST(f.send() == "");
}

BOOST_AUTO_TEST_CASE(events_go_at_some_distance_after_much_work) {
  struct row {
    int work;           ///< Calls under way at once.
    milliseconds after; ///< So long after the last of them was.
    int sent;
    int ask_in;
  } rows[] = {
      {8, 0ms, 4, -1},
      {9, 0ms, 1, 50},
      {9, 99ms, 1, 50},
      {9, 100ms, 4, -1},
  };
  for (const auto& r : rows) {
    flow_control_fixture f;
    f.add("work", call_priority::normal, r.work);
    BOOST_TEST(f.count_sent() == r.work);
    f.end_all();
    f.now += r.after;
    f.add("e", call_priority::event, 10);
    BOOST_TEST_CONTEXT(r.work << " after " << r.after.count()) {
      BOOST_TEST(f.count_sent() == r.sent);
      BOOST_TEST(f.ask_in() == r.ask_in);
    }
  }
}

BOOST_AUTO_TEST_CASE(
    as_long_as_much_work_is_under_way_one_event_goes_in_50_ms) {
  flow_control_fixture f;
  f.add("work", call_priority::normal, 8);
  f.send();
  f.add("e", call_priority::event, 10);
  BOOST_TEST(f.send() == "e ");
  f.now += 49ms;
  BOOST_TEST(f.send() == "");
  f.now += 1ms;
  BOOST_TEST(f.send() == "e ");
  f.now += 1min;
  BOOST_TEST(f.send() == "e ");
  while (f.under_way.size() > 1)
    f.end_one();
  f.now += 99ms;
  BOOST_TEST(f.send() == "e ");
  f.now += 1ms;
  BOOST_TEST(f.send() == "e e ");
}

BOOST_AUTO_TEST_SUITE_END()
