#include "actors/api/watcher.hpp"
#include "tests/actors/metric_value.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <regex>
#include <set>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(watcher_test)

namespace {

watch_target pods() {
  return {nullptr, core::child_kind::pod, "ns"};
}
watch_target roles() {
  return {nullptr, core::child_kind::role, ""};
}
watch_target tf_jobs() {
  return {frameworks::find("TFJob"), core::child_kind::pod, ""};
}

using event_kind = k8s::watch_event::kind;

/// A session that notes its end.
struct session : k8s::watch_session {
  explicit session(int& open)
      : open_{open} {
    ++open_;
  }
  ~session() override { --open_; }
  int& open_;
};

/// A watcher; what it tells the directory is noted.
struct watcher_fixture : single_actor_fixture {
  explicit watcher_fixture(const watch_target& about = pods()) {
    auto directory = spawn([this]() -> caf::behavior {
      return {
          [this](const job_seen& f) { note("job", f.item, f.list_number); },
          [this](const job_deleted& f) { note("job gone", f.item); },
          [this](const child_seen& f) { note("seen", f.item, f.list_number); },
          [this](const child_deleted& f) { note("gone", f.item); },
          [this](const list_complete& f) {
            facts.push_back("complete " + std::to_string(f.version)
                            + list_of(f.list_number));
          },
      };
    });
    auto listener = spawn([this]() -> caf::behavior {
      return {[this](const watcher_synced&) { ++synced; },
              [this](const server_went_back&) { ++went_back; }};
    });
    const auto& resource = about.job_kind ? about.job_kind->names.type
                                          : core::resource_of(about.children);
    subject =
        spawn(watcher, context, watcher_config{7, about, resource, "app"},
              directory_shards{{caf::actor_cast<directory_actor>(directory)}},
              caf::actor_cast<sync_listener_actor>(listener));
    send(subject, atom::start::value);
  }

  void note(const std::string& what, const k8s::object_ptr& item,
            std::uint64_t list_number = 0) {
    facts.push_back(what + " " + item->meta.name
                    + (list_number > 0 ? list_of(list_number) : ""));
  }

  /// " in list 1": list numbers as they come, since they count all watchers'.
  std::string list_of(std::uint64_t number) {
    lists.insert(number);
    return " in list "
           + std::to_string(std::distance(lists.begin(), lists.find(number))
                            + 1);
  }

  std::string resource() { return streams.back().request.resource; }

  /// Answers the list; the watch is opened and accepted.
  void list(int version) {
    answer("list", list_text(version));
    open();
  }

  void open() {
    auto id = streams.back().stream;
    send(subject, stream_opened{id, std::make_shared<session>(open_sessions)},
         stream_accepted{id});
  }

  void deliver(k8s::watch_event event) {
    send(subject,
         events_arrived{streams.back().stream,
                        std::make_shared<const std::vector<k8s::watch_event>>(
                            1, std::move(event))});
  }

  void deliver(k8s::watch_event::kind type, const char* name, int version) {
    auto item = std::make_shared<k8s::object>();
    item->meta.name = item->meta.uid = name;
    item->meta.resource_version = static_cast<std::uint64_t>(version);
    k8s::watch_event event;
    event.type = type;
    event.item = item;
    deliver(event);
  }

  void deliver_unreadable(const char* uid, int version, bool for_good,
                          event_kind type = event_kind::modified) {
    auto item = std::make_shared<k8s::object>();
    item->meta.name = item->meta.uid = uid;
    item->meta.resource_version = static_cast<std::uint64_t>(version);
    item->state = k8s::unreadable_state{"why", for_good};
    k8s::watch_event event;
    event.type = type;
    event.item = item;
    deliver(event);
  }

  void deliver_error(int code) {
    k8s::watch_event event;
    event.code = code;
    deliver(event);
  }

  void end_stream(std::uint64_t stream, k8s::result<k8s::nothing> why) {
    send(subject,
         stream_ended{stream,
                      std::make_shared<const k8s::result<k8s::nothing>>(why)});
  }

  void end_stream(k8s::result<k8s::nothing> why) {
    end_stream(streams.back().stream, why);
  }

  std::string resumed_from() {
    return parse_request_path(streams.back().request.path)
        .query["resourceVersion"];
  }

  /// Of the list that is asked for: at most so many objects.
  std::string limit_of_list() {
    auto query = parse_request_path(find_call("list pods").request->path).query;
    BOOST_TEST(query.count("resourceVersion") == 0u); // Not of a cache.
    return query["limit"];
  }

  /// How long until it lists or watches again, in ms.
  int delay() {
    auto begun = now();
    auto before = streams.size();
    advance(0s);
    for (int i = 0; i < 120'000; ++i) {
      if (!calls.empty() || streams.size() > before)
        break;
      advance(1ms);
    }
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now() - begun)
            .count());
  }

  watcher_actor subject;
  strings facts;
  std::set<std::uint64_t> lists;
  int synced = 0;
  int went_back = 0;
  int open_sessions = 0;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_list_is_read_in_pages_and_then_watched,
                        watcher_fixture) {
  auto query = [&](const k8s::request& r) {
    return parse_request_path(r.path).query;
  };
  BOOST_REQUIRE(waiting() == strings{"list pods"});
  BOOST_TEST((calls[0].priority == call_priority::always));
  BOOST_TEST(query(*calls[0].request)["limit"] == "500");
  BOOST_TEST(query(*calls[0].request)["labelSelector"] == "app");
  answer("list pods", list_text(10, {object_text("a", "1", 3)}, "next"));
  BOOST_TEST(facts == strings{"seen a in list 1"}, per_element());
  BOOST_TEST(synced == 0);
  BOOST_REQUIRE(waiting() == strings{"list pods"});
  BOOST_TEST(query(*calls[0].request)["continue"] == "next");
  answer("list pods", list_text(12, {object_text("b", "2", 4)}));
  strings expected{"seen a in list 1", "seen b in list 1",
                   "complete 12 in list 1"};
  BOOST_TEST(facts == expected, per_element());
  BOOST_TEST(synced == 1);
  BOOST_REQUIRE(streams.size() == 1u);
  BOOST_TEST(resumed_from() == "12");
  BOOST_TEST(query(streams[0].request)["timeoutSeconds"] == "300");
}

BOOST_FIXTURE_TEST_CASE(a_page_of_too_many_bytes_is_read_in_smaller_ones,
                        watcher_fixture) {
  auto limit = [&] {
    return parse_request_path(calls[0].request->path).query["limit"];
  };
  auto answers = [&] { return calls[0].request->answer_limit; };
  BOOST_TEST(limit() == "500");
  BOOST_TEST(answers() == 8u << 20);
  fail_call("list pods", k8s::ec::too_large);
  BOOST_TEST(limit() == "62");
  answer("list pods", list_text(10, {object_text("a", "1", 3)}, "next"));
  BOOST_TEST(limit() == "124"); // A small one: the next may be larger.
  for (const char* smaller : {"15", "1"}) {
    fail_call("list pods", k8s::ec::too_large);
    BOOST_TEST(limit() == smaller);
    BOOST_TEST(parse_request_path(calls[0].request->path).query["continue"]
               == "next");
  }
  BOOST_TEST(answers() == 0u); // One object has to be read.
  answer("list pods", list_text(10, {object_text("b", "2", 4)}));
  strings expected{"seen a in list 1", "seen b in list 1",
                   "complete 10 in list 1"};
  BOOST_TEST(facts == expected, per_element());
}

BOOST_AUTO_TEST_CASE(an_object_that_cannot_be_read_costs_the_others_nothing) {
  for (bool jobs : {false, true}) {
    watcher_fixture f{jobs ? tf_jobs() : pods()};
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

BOOST_AUTO_TEST_CASE(a_version_that_cannot_be_asked_for_is_a_list) {
  for (auto code : {k8s::ec::not_found, k8s::ec::forbidden}) {
    watcher_fixture f;
    f.list(100);
    f.advance(5s);
    f.end_stream(k8s::failure{k8s::ec::unreachable, ""});
    f.advance(1s);
    BOOST_TEST(f.limit_of_list() == "1");
    f.answer("list pods", k8s::failure{code, ""});
    f.advance(60s);
    BOOST_TEST(f.limit_of_list() != "1");
    f.answer("list pods", list_text(200));
    BOOST_TEST(f.resumed_from() == "200");
  }
}

BOOST_FIXTURE_TEST_CASE(a_resource_of_which_nothing_is_heard_is_listed,
                        watcher_fixture) {
  auto end_in_silence = [&] {
    advance(150s);
    end_stream(k8s::failure{k8s::ec::timeout, "silence"});
    advance(1s);
  };
  // Not a list of all: of one object, for the server's version.
  auto resume = [&] {
    BOOST_TEST(limit_of_list() == "1");
    answer("list pods", list_text(12));
    open();
  };
  list(10);
  end_in_silence();
  resume();
  deliver(event_kind::modified, "a", 12);
  end_in_silence();
  resume();
  end_in_silence();
  resume();
  end_in_silence();
  BOOST_TEST(limit_of_list() != "1");
}

BOOST_AUTO_TEST_CASE(events_are_the_facts_that_a_list_gives) {
  for (bool jobs : {false, true}) {
    watcher_fixture f{jobs ? tf_jobs() : pods()};
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

BOOST_FIXTURE_TEST_CASE(after_an_expired_version_the_list_has_a_new_number,
                        watcher_fixture) {
  list(10);
  advance(5s);
  deliver_error(410);
  deliver(event_kind::added, "late", 11); // Of the old stream.
  advance(0s);
  facts.clear();
  list(30);
  BOOST_TEST(facts == strings{"complete 30 in list 2"}, per_element());
  BOOST_TEST(resumed_from() == "30");
  BOOST_TEST(synced == 1);
}

// A list of many objects may take longer than a watch may be missing; lists
// that lead to no watch may not be taken for that.
BOOST_FIXTURE_TEST_CASE(pages_of_a_list_show_that_it_goes_on, watcher_fixture) {
  auto unwatched = [&] {
    return ask(subject, get_report{})["secondsUnwatched"].get<double>();
  };
  auto next_page = [&](int objects) {
    std::vector<std::string> all;
    for (int i = 0; i < objects; ++i)
      all.push_back(object_text("a", "1", 3));
    answer("list pods", list_text(10, all, "next"));
  };
  list(10);
  advance(5s);
  deliver_error(410);
  advance(0s);
  for (int page = 0; page < 4; ++page) {
    advance(40s);
    BOOST_TEST(unwatched() == 40);
    next_page(2);
    BOOST_TEST(unwatched() == 0);
  }
  advance(10s);
  next_page(0); // Shows nothing.
  BOOST_TEST(unwatched() == 10);
  // The same again, which fails where the first one has failed.
  fail_call("list pods", k8s::ec::server_error);
  delay();
  auto before = unwatched();
  for (int page = 0; page < 4; ++page) {
    advance(10s);
    next_page(2);
  }
  BOOST_TEST(unwatched() == before + 40);
  next_page(1); // Further than that.
  BOOST_TEST(unwatched() == 0);
  // It ends, and no watch is accepted: the next one shows nothing new.
  answer("list pods", list_text(10));
  end_stream(k8s::failure{k8s::ec::expired, ""});
  delay();
  before = unwatched();
  advance(10s);
  next_page(9);
  BOOST_TEST(unwatched() == before + 10);
  // With a watch all begins anew.
  list(10);
  advance(5s);
  deliver_error(410);
  delay();
  advance(10s);
  next_page(1);
  BOOST_TEST(unwatched() == 0);
}

BOOST_FIXTURE_TEST_CASE(versions_that_expire_at_once_cause_no_loop_of_lists,
                        watcher_fixture) {
  for (int expected : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    list(10);
    deliver_error(410);
    BOOST_TEST(delay() == expected);
  }
  list(10);
  advance(1s); // Now the stream is stable.
  deliver_error(410);
  BOOST_TEST(delay() == 0);
}

BOOST_FIXTURE_TEST_CASE(
    an_expired_version_is_listed_at_once_whatever_failed_before,
    watcher_fixture) {
  list(10);
  advance(5s);
  end_stream(k8s::failure{k8s::ec::unreachable, ""});
  for (int expected : {50, 100, 200, 400}) {
    BOOST_TEST(delay() == expected);
    if (expected < 400)
      answer("list pods", k8s::failure{k8s::ec::unreachable, ""});
  }
  answer("list pods", list_text(10));
  open();
  advance(1s);
  deliver_error(410);
  BOOST_TEST(delay() == 0);
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

BOOST_AUTO_TEST_CASE(a_list_that_failed_is_repeated_and_tells_what_is_known) {
  struct row {
    watch_target about;
    k8s::ec code;
    bool synced;
    strings facts;
    int delay_ms;
  };
  // A list of version 0 deletes nothing.
  const strings none, empty{"complete 0 in list 1"};
  // clang-format off
  const row rows[] = {
      // The definition of the kind is not installed.
      {tf_jobs(), k8s::ec::not_found,    true,  empty, 250},
      {roles(),   k8s::ec::not_found,    true,  empty, 250},
      // No job of this kind is served; the others are.
      {tf_jobs(), k8s::ec::forbidden,    true,  none,  250},
      {roles(),   k8s::ec::forbidden,    true,  empty, 250},
      // Every job needs pods.
      {pods(),    k8s::ec::forbidden,    false, none,  250},
      {pods(),    k8s::ec::server_error, false, none,  50},
      {roles(),   k8s::ec::server_error, false, none,  50},
  };
  // clang-format on
  for (const auto& r : rows) {
    watcher_fixture f{r.about};
    BOOST_TEST_CONTEXT(f.waiting()[0] << " " << k8s::to_string(r.code)) {
      f.fail_call("list", r.code);
      BOOST_TEST(f.synced == r.synced);
      BOOST_TEST(f.facts == r.facts, per_element());
      BOOST_TEST(f.delay() == r.delay_ms);
      BOOST_TEST(f.calls.size() == 1u);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_list_that_cannot_be_read_is_repeated,
                        watcher_fixture) {
  answer("list pods", list_text(10, {object_text("a", "1", 3)}, "next"));
  answer("list pods", std::string{"<html>"});
  BOOST_TEST(delay() == 50);
  BOOST_REQUIRE(waiting() == strings{"list pods"});
  // From its first page.
  BOOST_TEST(parse_request_path(calls[0].request->path).query.count("continue")
             == 0u);
}

BOOST_AUTO_TEST_CASE(a_refused_list_is_repeated_at_least_every_minute) {
  watcher_fixture f{tf_jobs()};
  for (int expected :
       {250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000}) {
    f.fail_call("list", k8s::ec::forbidden);
    BOOST_TEST(f.delay() == expected);
  }
  f.list(10); // The right was granted.
  BOOST_TEST(f.ask(f.subject, get_report{})["unavailable"] == "");
  BOOST_TEST(f.facts == strings{"complete 10 in list 1"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_definition_counts_as_removed_after_a_minute_only) {
  watcher_fixture f{tf_jobs()};
  f.list(10);
  f.advance(5s);
  f.deliver_error(410);
  f.advance(0s);
  f.facts.clear();
  auto begun = f.now();
  f.fail_call("list", k8s::ec::not_found);
  for (int i = 0; i < 20 && f.facts.empty(); ++i) {
    f.delay();
    f.fail_call("list", k8s::ec::not_found);
  }
  BOOST_REQUIRE(f.facts.size() == 1u);
  BOOST_TEST(f.facts[0].rfind("complete 10 ", 0) == 0u);
  BOOST_TEST((f.now() - begun > 30s));
  BOOST_TEST((f.now() - begun < 3min));
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
