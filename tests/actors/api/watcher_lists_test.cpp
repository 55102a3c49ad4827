// When a watcher lists, and what becomes of a list.
#include "tests/actors/api/watcher_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(watcher_lists_test)

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
      {target_tf_jobs(), k8s::ec::not_found,    true,  empty, 250},
      {target_roles(),   k8s::ec::not_found,    true,  empty, 250},
      // No job of this kind is served; the others are.
      {target_tf_jobs(), k8s::ec::forbidden,    true,  none,  250},
      {target_roles(),   k8s::ec::forbidden,    true,  empty, 250},
      // Every job needs pods.
      {target_pods(),    k8s::ec::forbidden,    false, none,  250},
      {target_pods(),    k8s::ec::server_error, false, none,  50},
      {target_roles(),   k8s::ec::server_error, false, none,  50},
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
  watcher_fixture f{target_tf_jobs()};
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
  watcher_fixture f{target_tf_jobs()};
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

BOOST_AUTO_TEST_SUITE_END()
