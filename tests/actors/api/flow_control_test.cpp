#include "tests/actors/api/flow_control_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(flow_control_test)

// -- the rate limit -----------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_burst_goes_at_once_then_calls_go_at_the_rate) {
  struct row {
    double calls_per_second;
    int burst;
    std::chrono::microseconds after;
    int sent;   ///< Then, after the burst at the beginning.
    int ask_in; ///< Milliseconds until the next one, or one less.
  } rows[] = {
      {10, 3, 0ms, 0, 101},     {10, 3, 99ms, 0, 2},
      {10, 3, 101ms, 1, 100},   {10, 3, 250ms, 2, 51},
      {10, 3, 10min, 3, 101}, // No more than the burst is saved up.
      {0.5, 1, 1s, 0, 1001},    {0.5, 1, 2001ms, 1, 2001},
      {1000, 50, 7500us, 7, 1},
  };
  for (const auto& r : rows) {
    flow_control_fixture f{with_rate(r.calls_per_second, r.burst)};
    f.add("a", call_priority::normal, 200);
    BOOST_TEST(f.count_sent() == r.burst);
    f.now += r.after;
    BOOST_TEST_CONTEXT(r.calls_per_second << " after " << r.after.count()) {
      BOOST_TEST(f.count_sent() == r.sent);
      BOOST_TEST(f.ask_in() <= r.ask_in);
      BOOST_TEST(f.ask_in() >= r.ask_in - 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_a_rate_all_go_and_without_a_burst_one_by_one) {
  flow_control_fixture unlimited{with_rate(0, 0)};
  unlimited.add("a", call_priority::normal, 200);
  BOOST_TEST(unlimited.count_sent() == 200);
  flow_control_fixture no_burst{with_rate(10, 0)};
  no_burst.add("a", call_priority::normal, 200);
  BOOST_TEST(no_burst.count_sent() == 0);
  BOOST_TEST(no_burst.ask_in() == 101);
  no_burst.now += 10min;
  BOOST_TEST(no_burst.count_sent() == 1);
}

BOOST_AUTO_TEST_CASE(a_rate_of_next_to_nothing_is_asked_for_every_hour) {
  for (double calls_per_second : {1e-7, 1e-300}) {
    flow_control_fixture f{with_rate(calls_per_second, 1)};
    f.add("a", call_priority::normal, 2);
    BOOST_TEST(f.send() == "a ");
    for (int hours = 0; hours < 3; ++hours) {
      BOOST_TEST(f.ask_in() == 3'600'001);
      f.now = *f.ask_again;
      BOOST_TEST(f.send() == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_changed_rate_counts_at_once) {
  flow_control_fixture f{with_rate(0.001, 1)};
  f.add("a", call_priority::normal, 4);
  BOOST_TEST(f.send() == "a ");
  f.control.apply_actor_options(with_rate(10, 2), f.now);
  BOOST_TEST(f.send() == "a a ");
  BOOST_TEST(f.ask_in() == 101);
  // What the server asked for still holds.
  f.end_one(overloaded(7s));
  f.control.apply_actor_options(with_rate(0, 0), f.now);
  BOOST_TEST(f.send() == "");
  BOOST_TEST(f.ask_in() == 7'000);
  f.now += 7s;
  BOOST_TEST(f.send() == "a ");
}

BOOST_AUTO_TEST_CASE(over_time_the_rate_is_kept_whoever_asks) {
  flow_control_fixture f{with_rate(20, 5)};
  f.add("a", call_priority::always, 30);
  f.add("b", call_priority::normal, 30);
  f.add("c", call_priority::low, 30);
  f.add("d", call_priority::event, 500);
  int sent = 0;
  for (auto end = f.now + 10s; f.now < end; f.now += 1ms) {
    sent += f.count_sent();
    f.end_all();
  }
  // 5 at once and 200 in 10 s, less what is lost to whole milliseconds.
  BOOST_TEST(sent <= 205);
  BOOST_TEST(sent >= 198);
}

BOOST_AUTO_TEST_CASE(when_nothing_waits_there_is_nothing_to_ask_again_for) {
  flow_control_fixture f{with_rate(10, 1)};
  f.add("a");
  BOOST_TEST(f.send() == "a ");
  BOOST_TEST(f.ask_in() == -1);
  f.add("a");
  BOOST_TEST(f.send() == "");
  BOOST_TEST(f.ask_in() == 101);
  BOOST_TEST(f.control.is_paused(f.now));
  BOOST_TEST(!f.control.is_paused(f.now + 101ms));
}

// -- the window ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_window_doubles_on_success_and_is_halved_on_trouble) {
  struct row {
    const char* outcomes; ///< '.' succeeded; 'n', 'f', 'a': refused.
    int window;
  } rows[] = {
      {"", 4},
      {"...", 4},
      {"....", 8},
      {"nnnn", 8},
      {"ffff", 8},
      {"aaaa", 8},
      {"fffffa", 8},
      {"...f", 8},
      {"............", 15},
      {"............................", 15},
      {"o", 2},
      {"t", 2},
      {"s", 2},
      {"u", 2},
      {"oo", 1},
      {"ooooo", 1},
      {"...o", 2},
      {"...o..", 4},
      {"...o.", 2},
      {"oo.", 2},
      {"oo...", 4},
  };
  for (const auto& r : rows) {
    flow_control_fixture f{with_window(4, 15)};
    for (char outcome : std::string{r.outcomes}) {
      f.add("a");
      f.now += 1min;
      BOOST_REQUIRE(f.send() == "a ");
      if (outcome == '.')
        f.end_one();
      else
        f.end_one({outcome == 'n'   ? k8s::ec::not_found
                   : outcome == 'f' ? k8s::ec::forbidden
                   : outcome == 'a' ? k8s::ec::unauthenticated
                   : outcome == 'o' ? k8s::ec::overloaded
                   : outcome == 't' ? k8s::ec::timeout
                   : outcome == 'u' ? k8s::ec::unreachable
                                    : k8s::ec::server_error,
                   "",
                   {}});
    }
    BOOST_TEST_CONTEXT("after '" << r.outcomes << "'") {
      BOOST_TEST(f.control.window() == r.window);
      f.now += 1min;
      f.add("a", call_priority::normal, 100);
      BOOST_TEST(f.count_sent() == r.window);
      BOOST_TEST(f.ask_in() == -1);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_outage_does_not_leave_a_small_window) {
  flow_control_fixture f{with_window(4, 16)};
  f.add("a", call_priority::normal, 100);
  BOOST_TEST(f.count_sent() == 4);
  for (int i = 0; i < 4; ++i)
    f.end_one({k8s::ec::unreachable, "", {}});
  BOOST_TEST(f.control.window() == 1);
  f.control.raise_window_after_outage();
  BOOST_TEST(f.count_sent() == 4);
  f.end_all();
  BOOST_TEST(f.control.window() == 8);
  f.control.raise_window_after_outage();
  BOOST_TEST(f.control.window() == 8);
}

BOOST_AUTO_TEST_CASE(a_trial_call_goes_whatever_the_limits_say) {
  flow_control_fixture f{with_window(1, 1)};
  BOOST_TEST(!f.control.pop_ignoring_limits());
  f.add("event", call_priority::event);
  f.add("work", call_priority::normal, 2);
  f.add("list", call_priority::always);
  BOOST_TEST(f.send() == "list ");
  f.end_one(overloaded(1h));
  for (const char* key : {"work", "work", "event"}) {
    BOOST_TEST(f.send() == "");
    auto c = f.control.pop_ignoring_limits();
    BOOST_REQUIRE(c);
    BOOST_TEST(c->key == key);
    f.control.record_call_start(*c, f.now);
  }
  BOOST_TEST(!f.control.pop_ignoring_limits());
}

// -- an overloaded server -----------------------------------------------------

BOOST_AUTO_TEST_CASE(nothing_goes_before_the_time_the_server_asked_for) {
  struct row {
    k8s::failure why;
    int pause; ///< Milliseconds; -1: none.
  } rows[] = {
      {overloaded(7s), 7'000},
      {overloaded(0ms), -1},
      {overloaded(), 1'000},
      {{k8s::ec::server_error, "", 7s}, -1},
      {{k8s::ec::timeout, "", {}}, -1},
      {{k8s::ec::unreachable, "", {}}, -1},
  };
  for (auto when :
       {call_priority::always, call_priority::normal, call_priority::event})
    for (const auto& r : rows) {
      flow_control_fixture f;
      f.add("a");
      f.send();
      f.end_one(r.why);
      f.add("a", when);
      BOOST_TEST(f.send() == (r.pause < 0 ? "a " : ""));
      BOOST_TEST(f.ask_in() == r.pause);
      if (r.pause < 0)
        continue;
      f.now += milliseconds{r.pause - 1};
      BOOST_TEST(f.send() == "");
      BOOST_TEST(f.ask_in() == 1);
      f.now += 1ms;
      BOOST_TEST(f.send() == "a ");
    }
}

BOOST_AUTO_TEST_CASE(the_longest_pause_that_was_asked_for_counts) {
  for (auto first : {2s, 9s}) {
    flow_control_fixture f;
    f.add("a");
    f.add("b");
    f.send();
    f.end_one(overloaded(first));
    f.end_one(overloaded(9s)); // During the pause.
    f.add("a");
    BOOST_TEST(f.send() == "");
    BOOST_TEST(f.ask_in() == 9'000);
  }
  flow_control_fixture limited{with_rate(10, 1)};
  limited.add("a");
  limited.add("b");
  limited.send(); // The second one waits 100 ms for its turn.
  limited.end_one(overloaded(7s));
  BOOST_TEST(limited.send() == "");
  BOOST_TEST(limited.ask_in() == 7'000);
}

BOOST_AUTO_TEST_CASE(a_call_turned_away_unread_is_sent_again_seven_times) {
  flow_control_fixture f;
  f.add("a");
  auto why = overloaded();
  for (int attempts = 1; attempts <= 8; ++attempts) {
    f.now += 1min;
    BOOST_REQUIRE(f.send() == "a ");
    auto c = f.end_one(&why);
    BOOST_TEST(c.attempts == attempts);
    BOOST_TEST(flow_control::should_resend(c, why) == (attempts < 8));
    for (auto code : {k8s::ec::timeout, k8s::ec::unreachable,
                      k8s::ec::server_error, k8s::ec::conflict})
      BOOST_TEST(!flow_control::should_resend(c, {code, "", {}}));
    f.control.add_in_front(std::move(c));
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_is_sent_again_goes_before_others_of_its_key) {
  for (int others : {0, 1}) {
    flow_control_fixture f{with_window(1, 1)};
    f.add("again", call_priority::normal, 1 + others);
    f.add("b");
    f.send();
    auto why = overloaded();
    auto c = f.end_one(&why);
    c.tag = 42;
    f.control.add_in_front(std::move(c));
    f.now += 1s;
    std::vector<std::uint64_t> tags;
    while (f.count_sent() == 1)
      tags.push_back(f.end_one().tag);
    BOOST_TEST(tags
                   == (others == 0 ? std::vector<std::uint64_t>{42, 0}
                                   : std::vector<std::uint64_t>{0, 42, 0}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
