#include "k8s/watch/watch_course.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace troupe::k8s;
using namespace std::chrono_literals;
using boost::test_tools::per_element;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(watch_course_test)

namespace {

using forbidden = watch_course::forbidden_list;

/// A course that is followed; each input gives the step as a text.
struct follower {
  follower() = default;
  explicit follower(watch_course::limits l)
      : course{l} {}
  explicit follower(forbidden f) {
    watch_course::limits l;
    l.if_forbidden = f;
    course = watch_course{l};
  }

  std::string text_of(const watch_course::step& s) {
    using action = watch_course::action;
    using news = watch_course::news;
    const auto& page = course.page();
    auto page_text = std::to_string(page.objects)
                     + (page.token.empty() ? "" : " after " + page.token);
    std::string out;
    switch (s.what) {
    case action::list:
      out = "list " + page_text;
      break;
    case action::next_page:
      out = "page " + page_text;
      break;
    case action::ask_version:
      out = "version " + page_text;
      break;
    case action::watch:
      out = "watch from " + std::to_string(course.version());
      break;
    case action::wait:
      out = std::string{"wait after "} + to_string(s.why.code) + " "
            + std::to_string(s.attempt);
      break;
    case action::begin_anew:
      out = "anew, server at " + std::to_string(s.server_version);
      break;
    }
    if (s.complete)
      out += ", complete " + std::to_string(*s.complete);
    if (s.first_synced)
      out += ", synced";
    const char* told[] = {"", ", not found", ", forbidden", ", keeps failing",
                          ", listed again"};
    static_assert(static_cast<int>(news::listed_again) == 4);
    return out + told[static_cast<int>(s.tell)];
  }

  std::string begin() { return text_of(course.begin()); }

  std::string page(std::uint64_t version, const char* next = "",
                   std::size_t objects = 0, std::size_t bytes = 0) {
    return text_of(course.on_page({objects, bytes, next, version}, now));
  }
  std::string page_failed(ec code) {
    return text_of(course.on_page_failed({code, "why"}, now));
  }
  std::string ended(ec code) {
    return text_of(course.on_watch_ended(failure{code, "why"}, now));
  }
  std::string ended() { return text_of(course.on_watch_ended(nothing{}, now)); }
  std::string wait() { return text_of(course.on_wait_over(now)); }
  std::string bookmark(std::uint64_t version) {
    course.on_events(now);
    auto s = course.on_bookmark(version, now);
    return s ? text_of(*s) : "";
  }
  std::string error_event(int code) {
    course.on_events(now);
    return text_of(course.on_error_event(code, "why", now));
  }
  std::string damaged() {
    course.on_events(now);
    return text_of(course.on_damaged_event("why", now));
  }
  void object(std::uint64_t version) {
    course.on_events(now);
    course.on_object(version);
  }

  /// A list of this version is complete, and its watch is accepted.
  void watch_from(std::uint64_t version) {
    page(version);
    course.on_watch_accepted(now);
  }
  /// The same, from the first step on; the watch is stable.
  void begin_at(std::uint64_t version) {
    begin();
    watch_from(version);
    now += 5s;
  }

  int unwatched_seconds() const {
    auto since = course.unwatched_since();
    return since ? static_cast<int>((now - *since) / 1s) : -1;
  }

  watch_course course;
  watch_course::time_point now{1h};
};

} // namespace

BOOST_AUTO_TEST_CASE(a_list_is_read_in_pages_and_then_watched) {
  follower f;
  BOOST_TEST(f.begin() == "list 500");
  BOOST_TEST(f.page(10, "a") == "page 500 after a");
  BOOST_TEST(f.page(10, "b") == "page 500 after b");
  BOOST_TEST(f.page(12) == "watch from 12, complete 12, synced");
  f.course.on_watch_accepted(f.now);
  f.error_event(410);
  BOOST_TEST(f.wait() == "list 500"); // From its first page.
  BOOST_TEST(f.page(20) == "watch from 20, complete 20");
}

BOOST_AUTO_TEST_CASE(a_page_of_too_many_bytes_is_read_in_smaller_ones) {
  watch_course::limits l;
  l.page_bytes = 1000;
  follower f{l};
  f.begin();
  BOOST_TEST(f.course.page().bytes == 1000u);
  BOOST_TEST(f.page_failed(ec::too_large) == "page 62");
  BOOST_TEST(f.page(1, "a", 62, 250) == "page 62 after a");
  BOOST_TEST(f.page(1, "b", 62, 249) == "page 124 after b"); // A small one.
  BOOST_TEST(f.page_failed(ec::too_large) == "page 15 after b");
  BOOST_TEST(f.page_failed(ec::too_large) == "page 1 after b");
  BOOST_TEST(f.course.page().bytes == 0u); // One object has to be read.
  BOOST_TEST(f.page_failed(ec::too_large) == "wait after too_large 1");
  BOOST_TEST(f.wait() == "list 500");
  for (int i = 0; i < 3; ++i)
    f.page(1, "a", 1, 1);
  BOOST_TEST(f.course.page().objects == 500); // And never more.
}

BOOST_AUTO_TEST_CASE(how_a_watch_ended_decides_the_next_step) {
  struct row {
    const char* what;
    std::function<std::string(follower&)> ends;
    const char* step;
    const char* after_wait;
  };
  auto ended = [](ec code) {
    return [code](follower& f) { return f.ended(code); };
  };
  // clang-format off
  const row rows[] = {
      {"by the server, at timeoutSeconds",
       [](follower& f) { return f.ended(); }, "watch from 10", nullptr},
      // It was there: its version is not asked for.
      {"overloaded",   ended(ec::overloaded),   "wait after overloaded 1",   "watch from 10"},
      {"forbidden",    ended(ec::forbidden),    "wait after forbidden 1",    "watch from 10"},
      {"server error", ended(ec::server_error), "wait after server_error 1", "watch from 10"},
      // It was away, and may have been restored from a backup.
      {"unreachable",  ended(ec::unreachable),  "wait after unreachable 1",  "version 1"},
      {"timeout",      ended(ec::timeout),      "wait after timeout 1",      "version 1"},
      // Events may be missing.
      {"expired",      ended(ec::expired),      "wait after expired 1",      "list 500"},
      {"garbage",      ended(ec::garbage),      "wait after garbage 1",      "list 500"},
      {"event of 410", [](follower& f) { return f.error_event(410); },
       "wait after expired 1", "list 500"},
      {"event of 500", [](follower& f) { return f.error_event(500); },
       "wait after garbage 1", "list 500"},
      {"damaged event", [](follower& f) { return f.damaged(); },
       "wait after garbage 1", "list 500"},
      {"a bookmark before ours", [](follower& f) { return f.bookmark(9); },
       "wait after expired 1", "list 500"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      follower f;
      f.begin_at(10);
      BOOST_TEST(r.ends(f) == r.step);
      if (r.after_wait)
        BOOST_TEST(f.wait() == r.after_wait);
    }
}

BOOST_AUTO_TEST_CASE(a_watch_that_ends_at_once_has_failed) {
  watch_course::limits l;
  l.shortest_watch = 3s;
  follower f{l};
  f.begin();
  f.page(10);
  // Not accepted, too soon, and then long enough.
  BOOST_TEST(f.ended() == "wait after unreachable 1");
  BOOST_TEST(f.wait() == "watch from 10");
  f.course.on_watch_accepted(f.now);
  f.now += 2999ms;
  BOOST_TEST(f.ended() == "wait after unreachable 2");
  f.wait();
  f.course.on_watch_accepted(f.now);
  f.now += 3s;
  BOOST_TEST(f.ended() == "watch from 10");
  BOOST_TEST(f.course.failures() == 0);
}

BOOST_AUTO_TEST_CASE(a_watch_resumes_from_the_last_version) {
  follower f;
  f.begin_at(10);
  f.object(14);
  f.object(12); // Versions of one list's order.
  BOOST_TEST(f.ended() == "watch from 14");
  f.course.on_watch_accepted(f.now);
  BOOST_TEST(f.bookmark(20) == "");
  BOOST_TEST(f.bookmark(0) == ""); // Says nothing.
  f.now += 5s;
  BOOST_TEST(f.ended() == "watch from 20");
}

BOOST_AUTO_TEST_CASE(a_resource_of_which_nothing_is_heard_is_listed) {
  watch_course::limits l;
  l.most_silent_watches = 3;
  follower f{l};
  f.begin_at(10);
  auto end_in_silence = [&] {
    f.now += 150s;
    f.ended(ec::timeout);
    return f.wait();
  };
  auto resume = [&] {
    BOOST_TEST(f.page(10) == "watch from 10");
    f.course.on_watch_accepted(f.now);
  };
  for (bool heard : {true, false}) {
    for (int i = 1; i < 3; ++i) {
      BOOST_TEST(end_in_silence() == "version 1");
      resume();
    }
    if (heard)
      f.bookmark(10); // All is counted anew.
  }
  BOOST_TEST(end_in_silence() == "version 1");
  resume();
  BOOST_TEST(end_in_silence() == "list 500");
}

BOOST_AUTO_TEST_CASE(a_server_that_went_back_is_noticed) {
  struct row {
    std::uint64_t version;
    const char* step;
  };
  auto check = [](bool lists, const row& r) {
    follower f;
    f.begin_at(100);
    lists ? f.error_event(410) : f.ended(ec::unreachable);
    f.wait();
    BOOST_TEST(f.page(r.version) == r.step);
  };
  // Version 0: the server does not say.
  for (const row& r : {row{99, "anew, server at 99"}, row{0, "watch from 100"},
                       row{104, "watch from 100"}})
    check(false, r);
  for (const row& r :
       {row{99, "anew, server at 99"}, row{0, "watch from 0, complete 0"},
        row{104, "watch from 104, complete 104"}})
    check(true, r);
}

BOOST_AUTO_TEST_CASE(the_version_is_asked_for_until_it_is_known) {
  follower f;
  f.begin_at(100);
  f.ended(ec::unreachable);
  for (auto code : {ec::unreachable, ec::overloaded, ec::garbage,
                    ec::server_error, ec::timeout}) {
    BOOST_TEST(f.wait() == "version 1");
    f.page_failed(code);
  }
  f.wait();
  f.page(100);
  f.course.on_watch_accepted(f.now);
  f.now += 5s;
  f.ended(ec::overloaded);
  BOOST_TEST(f.wait() == "watch from 100"); // It is known.
  // A list says what these mean.
  for (auto code : {ec::not_found, ec::forbidden, ec::expired}) {
    follower g;
    g.begin_at(100);
    g.ended(ec::unreachable);
    g.wait();
    g.page_failed(code);
    BOOST_TEST(g.wait() == "list 500");
    g.page(100);
    g.ended(ec::overloaded);
    BOOST_TEST(g.wait() == "watch from 100");
  }
}

BOOST_AUTO_TEST_CASE(what_a_failed_list_means) {
  struct row {
    forbidden if_forbidden;
    ec code;
    const char* first;  ///< No list has succeeded before.
    const char* second; ///< The same failure again.
    const char* later;  ///< One has; the watch has failed, too.
  };
  // A list of version 0 removes nothing.
  // clang-format off
  const row rows[] = {
      {forbidden::is_awaited, ec::not_found,
       "wait after not_found 1, complete 0, synced, not found",
       "wait after not_found 2", "wait after not_found 2"},
      {forbidden::is_awaited, ec::forbidden,
       "wait after forbidden 1, forbidden",
       "wait after forbidden 2", "wait after forbidden 2, forbidden"},
      {forbidden::counts_as_listed, ec::forbidden,
       "wait after forbidden 1, synced, forbidden",
       "wait after forbidden 2", "wait after forbidden 2, forbidden"},
      {forbidden::counts_as_empty, ec::forbidden,
       "wait after forbidden 1, complete 0, synced, forbidden",
       "wait after forbidden 2", "wait after forbidden 2, forbidden"},
      {forbidden::counts_as_empty, ec::server_error,
       "wait after server_error 1",
       "wait after server_error 2", "wait after server_error 2"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(to_string(r.code)) {
      follower f{r.if_forbidden};
      f.begin();
      BOOST_TEST(f.page_failed(r.code) == r.first);
      BOOST_TEST(f.wait() == "list 500");
      BOOST_TEST(f.page_failed(r.code) == r.second);
      follower g{r.if_forbidden};
      g.begin_at(10);
      g.error_event(410);
      g.wait();
      BOOST_TEST(g.page_failed(r.code) == r.later);
    }
}

BOOST_AUTO_TEST_CASE(why_a_resource_is_unavailable_is_known_until_a_list) {
  follower f{forbidden::counts_as_listed};
  f.begin();
  f.page_failed(ec::forbidden);
  BOOST_TEST(f.course.why_unavailable() == "forbidden");
  f.wait();
  BOOST_TEST(f.page_failed(ec::not_found) == "wait after not_found 2");
  BOOST_TEST(f.course.why_unavailable() == "no such resource");
  f.wait();
  BOOST_TEST(f.page_failed(ec::forbidden)
             == "wait after forbidden 3, forbidden");
  f.wait();
  BOOST_TEST(f.page(10) == "watch from 10, complete 10, listed again");
  BOOST_TEST(f.course.why_unavailable() == "");
}

BOOST_AUTO_TEST_CASE(a_definition_counts_as_removed_after_some_tries) {
  watch_course::limits l;
  l.most_not_found = 3;
  follower f{l};
  f.begin_at(10);
  f.error_event(410);
  for (int attempt : {2, 3}) {
    f.wait();
    BOOST_TEST(f.page_failed(ec::not_found)
               == "wait after not_found " + std::to_string(attempt));
  }
  f.wait();
  BOOST_TEST(f.page_failed(ec::not_found)
             == "wait after not_found 4, complete 10");
}

BOOST_AUTO_TEST_CASE(failures_in_a_row_are_counted) {
  follower f;
  f.begin();
  strings steps;
  for (int i = 0; i < 4; ++i) {
    steps.push_back(f.page_failed(ec::unreachable));
    f.wait();
  }
  strings expected{"wait after unreachable 1", "wait after unreachable 2",
                   "wait after unreachable 3, keeps failing",
                   "wait after unreachable 4"};
  BOOST_TEST(steps == expected, per_element());
  BOOST_TEST(f.course.last_failure() == "why");
  BOOST_TEST(f.course.failures() == 4);
  f.page(10);
  BOOST_TEST(f.course.failures() == 0);
}

BOOST_AUTO_TEST_CASE(versions_that_expire_at_once_cause_no_loop_of_lists) {
  follower f;
  f.begin();
  for (int attempt : {2, 3, 4}) {
    f.watch_from(10);
    BOOST_TEST(f.error_event(410)
               == "wait after expired " + std::to_string(attempt));
    BOOST_TEST(f.wait() == "list 500");
  }
  f.watch_from(10);
  f.now += 1s; // Now the watch is stable.
  BOOST_TEST(f.error_event(410) == "wait after expired 1");
  // Nor does another failure after each list.
  follower g;
  g.begin();
  for (int attempt : {1, 2, 3}) {
    g.watch_from(10);
    BOOST_TEST(g.damaged() == "wait after garbage " + std::to_string(attempt));
    g.wait();
  }
}

BOOST_AUTO_TEST_CASE(an_expired_version_is_no_failure_of_the_server) {
  follower f;
  f.begin_at(10);
  f.ended(ec::unreachable);
  for (int i = 0; i < 3; ++i) {
    f.wait();
    f.page_failed(ec::unreachable);
  }
  f.wait();
  BOOST_TEST(f.page(10) == "watch from 10");
  f.course.on_watch_accepted(f.now);
  f.now += 1s;
  BOOST_TEST(f.error_event(410) == "wait after expired 1");
  // A list whose pages expire is one.
  f.wait();
  BOOST_TEST(f.page_failed(ec::expired) == "wait after expired 2");
}

BOOST_AUTO_TEST_CASE(pages_of_a_list_show_that_it_goes_on) {
  follower f;
  f.begin();
  BOOST_TEST(f.unwatched_seconds() == -1); // Nothing is known to be missing.
  f.watch_from(10);
  BOOST_TEST(f.unwatched_seconds() == -1);
  f.error_event(410);
  f.wait();
  f.now += 40s;
  BOOST_TEST(f.unwatched_seconds() == 40);
  f.page(10, "a", 8);
  BOOST_TEST(f.unwatched_seconds() == 0);
  f.now += 10s;
  f.page(10, "b", 0); // Shows nothing.
  BOOST_TEST(f.unwatched_seconds() == 10);
  // The same again, which fails where the first one has failed.
  f.page_failed(ec::server_error);
  f.wait();
  f.page(10, "a", 8);
  BOOST_TEST(f.unwatched_seconds() == 10);
  f.page(10, "b", 1); // Further than that.
  BOOST_TEST(f.unwatched_seconds() == 0);
  // It ends, and no watch is accepted: the next list shows nothing new.
  f.now += 10s;
  f.page(10);
  f.ended(ec::expired);
  f.wait();
  f.page(10, "a", 9);
  BOOST_TEST(f.unwatched_seconds() == 10);
  f.watch_from(10);
  BOOST_TEST(f.unwatched_seconds() == -1);
  // With a watch everything begins anew.
  f.error_event(410);
  f.wait();
  f.now += 10s;
  f.page(10, "a", 1);
  BOOST_TEST(f.unwatched_seconds() == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_listed_is_not_missed) {
  for (auto code : {ec::forbidden, ec::not_found}) {
    follower f{forbidden::counts_as_listed};
    f.begin_at(10);
    f.error_event(410);
    BOOST_TEST(f.unwatched_seconds() == 0);
    f.wait();
    f.page_failed(code);
    BOOST_TEST(f.unwatched_seconds() == -1);
    // What is known of a removed definition is of no age.
    BOOST_TEST(f.course.current_at().has_value() == (code == ec::forbidden));
  }
}

BOOST_AUTO_TEST_CASE(the_last_sign_of_life_is_kept) {
  follower f;
  f.begin();
  BOOST_TEST(!f.course.current_at());
  f.page(10, "a");
  BOOST_TEST(!f.course.current_at());
  f.watch_from(10);
  BOOST_TEST((f.course.current_at() == f.now));
  f.now += 5s;
  f.bookmark(11);
  BOOST_TEST((f.course.current_at() == f.now));
  auto heard_at = f.now;
  f.now += 5s;
  f.ended();
  BOOST_TEST((f.course.current_at() == heard_at));
}

BOOST_AUTO_TEST_SUITE_END()
