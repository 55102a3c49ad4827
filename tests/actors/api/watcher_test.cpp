#include "tests/actors/api/watcher_fixture.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

#include <regex>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(watcher_test)

BOOST_AUTO_TEST_CASE(an_object_that_cannot_be_read_costs_the_others_nothing) {
  for (bool jobs : {false, true}) {
    watcher_fixture f{jobs ? target_tf_jobs() : target_pods()};
    std::string deep(2000, '[');
    deep += std::string(2000, ']');
    auto text = list_text(10, {object_text("a", "1", 3),
                               object_text("b", "2", 4, {{"x", "deep"}}),
                               object_text("c", "3", 5)});
    text.replace(text.find("\"deep\""), 6, deep);
    text = std::regex_replace(text, std::regex{"\"x\":"}, "\"managedFields\":");
    f.answer("list", text);
    f.open();
    strings expected = jobs
                           ? strings{"job a in list 1", "job c in list 1",
                                     "job b in list 1", "complete 10 in list 1"}
                           : strings{"seen a in list 1", "seen c in list 1",
                                     "complete 10 in list 1"};
    BOOST_TEST(f.facts == expected, per_element());
    f.facts.clear();
    // Nor does an event, which may come often.
    for (int i = 0; i < 5; ++i)
      f.deliver_unreadable("b", 20 + i, true);
    BOOST_TEST(f.facts.size() == (jobs ? 5u : 0u));
    BOOST_TEST(f.calls.empty());
    BOOST_TEST(f.streams.size() == 1u);
    f.advance(1s);
    f.end_stream(k8s::nothing{});
    BOOST_TEST(f.resumed_from() == "24");
    f.open();
    f.facts.clear();
    f.deliver_unreadable("b", 30, true, event_kind::deleted);
    BOOST_TEST(f.facts == strings{jobs ? "job gone b" : "gone b"},
               per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(an_event_damaged_on_its_way_causes_one_list,
                        watcher_fixture) {
  list(10);
  deliver_unreadable("b", 20, false);
  advance(1s);
  BOOST_TEST(waits("list pods"));
  list(21);
  deliver_unreadable("b", 22, false);
  BOOST_TEST(calls.empty()); // It was written so.
  deliver(event_kind::modified, "b", 23);
  deliver_unreadable("b", 24, false);
  advance(1s);
  BOOST_TEST(waits("list pods"));
}

// As after etcd was restored from a backup.
BOOST_FIXTURE_TEST_CASE(a_server_that_went_back_is_noticed, watcher_fixture) {
  list(100);
  deliver(event_kind::modified, "a", 120);
  k8s::watch_event bookmark;
  bookmark.type = event_kind::bookmark;
  bookmark.resource_version = 90;
  deliver(bookmark);
  advance(1s);
  BOOST_TEST(waits("list pods"));
  BOOST_TEST(went_back == 0);
  facts.clear();
  answer("list pods", list_text(95, {object_text("a", "1", 3)}));
  BOOST_TEST(went_back == 1);
  // All is read again by others, which remember nothing.
  BOOST_TEST(facts == strings{"seen a in list 2"}, per_element());
}

// It accepts a watch from a version that it does not know yet, and sends no
// bookmark before it has that version.
BOOST_FIXTURE_TEST_CASE(
    a_server_that_was_away_is_asked_for_its_version_before_the_watch,
    watcher_fixture) {
  list(100);
  for (auto code : {k8s::ec::unreachable, k8s::ec::timeout}) {
    advance(5s);
    end_stream(k8s::failure{code, ""});
    advance(1s);
    BOOST_TEST(waits("list pods"));
    BOOST_TEST(limit_of_list() == "1");
    facts.clear();
    answer("list pods", k8s::failure{k8s::ec::overloaded, ""});
    advance(1s);
    answer("list pods", list_text(104, {object_text("a", "1", 101)}));
    BOOST_TEST(resumed_from() == "100"); // What happened since comes as events.
    BOOST_TEST(facts.empty());
    open();
  }
  advance(5s);
  end_stream(k8s::nothing{});
  BOOST_TEST(calls.empty()); // The server ended it: it was there.
  open();
  advance(5s);
  end_stream(k8s::failure{k8s::ec::unreachable, ""});
  advance(1s);
  BOOST_TEST(went_back == 0);
  answer("list pods", list_text(99));
  BOOST_TEST(went_back == 1);
}

BOOST_AUTO_TEST_CASE(events_are_the_facts_that_a_list_gives) {
  for (bool jobs : {false, true}) {
    watcher_fixture f{jobs ? target_tf_jobs() : target_pods()};
    f.list(10);
    f.facts.clear();
    f.deliver(event_kind::added, "a", 11);
    f.deliver(event_kind::modified, "a", 12);
    f.deliver(event_kind::deleted, "a", 13);
    strings expected =
        jobs ? strings{"job a in list 1", "job a in list 1", "job gone a"}
             : strings{"seen a in list 1", "seen a in list 1", "gone a"};
    BOOST_TEST(f.facts == expected, per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(a_watch_that_ended_resumes_from_the_last_version,
                        watcher_fixture) {
  list(10);
  deliver(event_kind::modified, "a", 14);
  deliver(event_kind::modified, "b", 12); // Versions of one list's order.
  advance(1s);
  end_stream(k8s::nothing{}); // At timeoutSeconds.
  BOOST_TEST(resumed_from() == "14");
  k8s::watch_event bookmark;
  bookmark.type = event_kind::bookmark;
  bookmark.resource_version = 20;
  open();
  deliver(bookmark);
  advance(1s);
  end_stream(k8s::nothing{});
  BOOST_TEST(resumed_from() == "20");
  BOOST_TEST(calls.empty());
  BOOST_TEST(lists.size() == 1u);
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_name_is_told_of_its_end) {
  struct row {
    event_kind type;
    const char* name;
    bool told;
  } rows[] = {{event_kind::deleted, "a", true},
              {event_kind::deleted, "b", false},
              {event_kind::modified, "a", false}};
  for (const auto& r : rows) {
    watcher_fixture f;
    strings told;
    auto waiting = f.spawn([&]() -> caf::behavior {
      return {[&](const name_freed& n) { told.push_back(n.name); }};
    });
    f.context->awaited->add_waiter_until_name_is_free(
        core::child_kind::pod, "", "a",
        caf::actor_cast<caf::strong_actor_ptr>(waiting));
    f.list(1);
    f.deliver(r.type, r.name, 2);
    BOOST_TEST(told == (r.told ? strings{"a"} : strings{}), per_element());
  }
}

BOOST_AUTO_TEST_CASE(how_a_stream_ended_decides_the_next_step) {
  struct row {
    int error_event; // 0: the stream ended with `code`.
    k8s::ec code;
    bool lists; // All, or one object for the server's version.
    int delay_ms;
  };
  // clang-format off
  const row rows[] = {
      {0,   k8s::ec::unreachable,  true,  50},
      {0,   k8s::ec::timeout,      true,  50},
      {0,   k8s::ec::overloaded,   false, 50},
      {0,   k8s::ec::forbidden,    false, 250},
      {0,   k8s::ec::expired,      true,  0},
      {0,   k8s::ec::garbage,      true,  50},
      {410, {},                    true,  0},
      {500, {},                    true,  50},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT("event " << r.error_event << ", "
                                << k8s::to_string(r.code)) {
      watcher_fixture f;
      f.list(10);
      f.advance(5s); // A stable stream.
      if (r.error_event)
        f.deliver_error(r.error_event);
      else
        f.end_stream(k8s::failure{r.code, ""});
      std::string reason =
          k8s::to_string(r.error_event == 0     ? r.code
                         : r.error_event == 410 ? k8s::ec::expired
                                                : k8s::ec::garbage);
      BOOST_TEST(metric_value(*f.context->counters,
                              "troupe_watch_restarts_total{reason=\"" + reason
                                  + "\",resource=\"pods\"}")
                 == 1);
      BOOST_TEST(f.open_sessions == 0);
      BOOST_TEST(f.delay() == r.delay_ms);
      BOOST_TEST(f.waits("list pods") == r.lists);
      BOOST_TEST(f.streams.size() == (r.lists ? 1u : 2u));
    }
}

BOOST_FIXTURE_TEST_CASE(streams_that_the_server_closes_at_once_are_failures,
                        watcher_fixture) {
  list(10);
  for (int expected : {50, 100, 200}) {
    end_stream(k8s::nothing{});
    BOOST_TEST(delay() == expected);
    open();
  }
}

BOOST_FIXTURE_TEST_CASE(the_end_of_an_earlier_stream_has_no_effect,
                        watcher_fixture) {
  list(10);
  auto earlier = streams.back().stream;
  advance(1s);
  end_stream(k8s::nothing{});
  open();
  end_stream(earlier, k8s::failure{k8s::ec::expired, ""});
  advance(1min);
  BOOST_TEST(calls.empty());
  BOOST_TEST(streams.size() == 2u);
  BOOST_TEST(open_sessions == 1);
}

BOOST_AUTO_TEST_SUITE_END()
