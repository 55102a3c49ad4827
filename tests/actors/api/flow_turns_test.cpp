// Whose turn it is among the calls that wait.
#include "tests/actors/api/flow_control_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(flow_turns_test)

// -- turns --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(keys_take_turns_and_lists_go_first) {
  flow_control_fixture f;
  f.add("event", call_priority::event);
  f.add("big", call_priority::normal, 5);
  f.add("small", call_priority::normal, 2);
  f.add("", call_priority::always);
  f.add("tiny");
  BOOST_TEST(f.control.waiting() == 9u);
  BOOST_TEST(f.control.waiting_events() == 1u);
  BOOST_TEST(f.send() == " big small tiny big small big big big event ");
}

namespace {

std::string repeated(const std::string& key, int times) {
  std::string out;
  while (times-- > 0)
    out += key + " ";
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_may_come_soon_has_one_turn_in_128) {
  flow_control_fixture f{with_window(300, 300)};
  f.add("soon", call_priority::low, 3);
  f.add("w", call_priority::normal, 256);
  auto others = repeated("w", 127) + "soon ";
  BOOST_TEST(f.send() == others + others + "w w ");
  f.end_all();
  BOOST_TEST(f.send() == "soon ");
}

BOOST_AUTO_TEST_CASE(low_calls_wait_while_many_normal_ones_are_being_sent) {
  flow_control_fixture f{with_window(200, 200)};
  f.add("work", call_priority::normal, 8);
  f.send();
  f.add("low", call_priority::low, 2);
  f.add("event", call_priority::event);
  BOOST_TEST(f.send() == "");
  BOOST_TEST(f.ask_in() == 100);
  // The first 8 had no low call to pass over, but count.
  f.add("work", call_priority::normal, 121);
  BOOST_TEST(f.send() == repeated("work", 119) + "low " + repeated("work", 2));
  // Nothing more is sent for a while: the server is just slow.
  f.now += 99ms;
  BOOST_TEST(f.send() == "");
  f.now += 1ms;
  BOOST_TEST(f.send() == "low event ");
}

BOOST_AUTO_TEST_CASE(a_few_normal_calls_do_not_delay_low_ones) {
  flow_control_fixture f{with_window(64, 64)};
  f.add("work", call_priority::normal, 7);
  f.add("low", call_priority::low, 2);
  BOOST_TEST(f.send() == "work work work work work work work low low ");
}

BOOST_AUTO_TEST_CASE(what_may_come_soon_goes_at_once_without_work) {
  flow_control_fixture f;
  f.add("event", call_priority::event);
  f.add("soon", call_priority::low, 2);
  BOOST_TEST(f.send() == "soon soon event ");
}

BOOST_AUTO_TEST_CASE(
    a_process_that_does_not_lead_sends_only_what_is_always_sent) {
  flow_control_fixture f;
  constexpr auto always_only = flow_control::allowed::always_only;
  f.add("a");
  f.add("event", call_priority::event);
  BOOST_TEST(f.send(always_only) == "");
  BOOST_TEST(f.ask_in() == -1);
  BOOST_TEST(!f.control.pop_ignoring_limits(always_only));
  f.add("list", call_priority::always);
  BOOST_TEST(f.send(always_only) == "list ");
  BOOST_TEST(f.send() == "a event ");
}

BOOST_AUTO_TEST_CASE(a_new_window_applies_to_calls_that_are_sent_later) {
  auto options = default_options();
  options.window_first = 4;
  options.window_most = 4;
  flow_control_fixture f{options};
  f.add("a", call_priority::normal, 20);
  BOOST_TEST(f.count_sent() == 4);
  options.window_first = options.window_most = 2;
  f.control.apply_actor_options(options, f.now);
  f.end_one();
  f.end_one();
  BOOST_TEST(f.count_sent() == 0); // Two are in flight.
  f.end_one();
  BOOST_TEST(f.count_sent() == 1);
  options.window_first = options.window_most = 6;
  f.control.apply_actor_options(options, f.now);
  BOOST_TEST(f.count_sent() == 4);
}

// -- limits per namespace -----------------------------------------------------

namespace {

/// "a" and "b" are jobs of the namespace "ns", "c" of another.
struct namespace_fixture : flow_control_fixture {
  static actor_options limited(int namespace_window) {
    auto result = with_window(100, 100);
    result.namespace_window = namespace_window;
    return result;
  }
  explicit namespace_fixture(actor_options options)
      : flow_control_fixture(options) {
    for (int i = 0; i < 3; ++i) {
      add_of_namespace("ns", "a");
      add_of_namespace("ns", "b");
      add_of_namespace("other", "c");
    }
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_namespace_at_its_limit_lets_others_go_first) {
  struct row {
    int limit;
    const char* sent;
    std::size_t held;
  } rows[] = {
      {0, "a b c a b c a b c ", 0},
      {1, "a c ", 7},
      {2, "a b c c ", 5},
      {6, "a b c a b c a b c ", 0},
  };
  for (const auto& r : rows) {
    namespace_fixture f{namespace_fixture::limited(r.limit)};
    BOOST_TEST(f.send() == r.sent);
    BOOST_TEST(f.control.held() == r.held);
    BOOST_TEST(f.control.waiting() == r.held);
    BOOST_TEST(f.ask_in() == -1);
  }
}

BOOST_AUTO_TEST_CASE(what_is_held_goes_in_order_as_calls_end) {
  namespace_fixture f{namespace_fixture::limited(1)};
  BOOST_TEST(f.send() == "a c ");
  f.end_one(); // a's.
  BOOST_TEST(f.send() == "b ");
  f.end_one(); // c's.
  BOOST_TEST(f.send() == "c ");
  f.end_one(overloaded(0ms));
  BOOST_TEST(f.send() == "a ");
  while (!f.under_way.empty()) {
    f.end_one();
    f.send();
  }
  BOOST_TEST(f.control.waiting() == 0u);
}

BOOST_AUTO_TEST_CASE(lists_and_events_have_no_limit_per_namespace) {
  namespace_fixture f{namespace_fixture::limited(1)};
  f.add("list", call_priority::always, 2);
  f.add_of_namespace("ns", "event", call_priority::event);
  f.add_of_namespace("ns", "event", call_priority::event);
  BOOST_TEST(f.send() == "list list a c event event ");
}

BOOST_AUTO_TEST_CASE(a_held_call_uses_no_token_of_the_rate_limit) {
  auto options = with_rate(1, 3);
  options.namespace_window = 1;
  namespace_fixture f{options};
  BOOST_TEST(f.send() == "a c ");
  f.end_one();
  BOOST_TEST(f.send() == "b "); // The third of the burst.
}

BOOST_AUTO_TEST_CASE(a_changed_limit_counts_at_once) {
  namespace_fixture f{namespace_fixture::limited(1)};
  BOOST_TEST(f.send() == "a c ");
  f.control.apply_actor_options(namespace_fixture::limited(2), f.now);
  BOOST_TEST(f.send() == "c b ");
  f.control.apply_actor_options(namespace_fixture::limited(0), f.now);
  BOOST_TEST(f.send().size() == 10u);
  f.end_all();
  BOOST_TEST(f.control.waiting() == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_held_is_cancelled_too_when_the_operator_stops) {
  namespace_fixture f{namespace_fixture::limited(1)};
  f.send();
  int popped = 0;
  while (f.control.pop_ignoring_limits())
    ++popped;
  BOOST_TEST(popped == 7);
}

BOOST_AUTO_TEST_SUITE_END()
