// Lists and watch events.
#include "tests/k8s/codec/codec_texts.hpp"
#include "tests/k8s/sample_pod.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::codec_texts;
using nlohmann::json;
using kind = watch_event::kind;

BOOST_AUTO_TEST_SUITE(codec_streams_test)

// -- lists --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_list_gives_items_version_and_the_way_on) {
  auto page = decode_list(R"({"kind":"PodList","apiVersion":"v1","metadata":{
    "resourceVersion":"99","continue":"more","remainingItemCount":2},"items":[)"
                              + sample_pod("7") + "," + sample_pod("8") + "]}",
                          object_detail::pod);
  BOOST_REQUIRE(bool(page));
  BOOST_CHECK_EQUAL(page->resource_version, 99u);
  BOOST_CHECK_EQUAL(page->continue_token, "more");
  BOOST_REQUIRE_EQUAL(page->items.size(), 2u);
  BOOST_CHECK_EQUAL(page->items[1]->meta.resource_version, 8u);
}

BOOST_AUTO_TEST_CASE(an_empty_list_may_be_written_in_three_ways) {
  for (auto items :
       {R"(,"items":[])", R"(,"items":null)", ",\"items\" : null \r\n\t", ""}) {
    auto page = decode_list(
        std::string{R"({"metadata":{"resourceVersion":"5"})"} + items + "}",
        object_detail::spec_and_status);
    BOOST_REQUIRE(bool(page));
    BOOST_CHECK(page->items.empty());
    BOOST_CHECK_EQUAL(page->resource_version, 5u);
    BOOST_CHECK_EQUAL(page->continue_token, "");
  }
}

BOOST_AUTO_TEST_CASE(a_list_with_a_broken_item_is_garbage) {
  for (auto items : {R"({})", R"([1])", R"([{"metadata":{}},{}])", R"("a")"}) {
    auto page =
        decode_list(std::string{R"({"metadata":{},"items":)"} + items + "}",
                    object_detail::pod);
    BOOST_REQUIRE_MESSAGE(!page, items);
    BOOST_CHECK(page.error().code == ec::garbage);
  }
}

// simdjson reads 1,024 levels; nobody who writes a job has to know that.
BOOST_AUTO_TEST_CASE(an_item_too_deep_to_read_costs_the_others_nothing) {
  for (auto keep : {object_detail::spec_and_status, object_detail::full,
                    object_detail::metadata, object_detail::pod}) {
    auto page = decode_list(R"({"metadata":{"resourceVersion":"9"},"items":[)"
                                + named("a") + "," + deep_object("b", 2000)
                                + "," + named("c") + "]}",
                            keep);
    BOOST_REQUIRE(bool(page));
    BOOST_REQUIRE_EQUAL(page->items.size(), 2u);
    BOOST_CHECK_EQUAL(page->items[1]->meta.name, "c");
    BOOST_REQUIRE_EQUAL(page->unreadable.size(), 1u);
    const auto& deep = *page->unreadable[0];
    BOOST_CHECK_EQUAL(deep.meta.name, "b");
    BOOST_CHECK_EQUAL(deep.meta.ns, "n");
    BOOST_CHECK_EQUAL(deep.meta.resource_version, 7u);
    BOOST_REQUIRE(deep.unreadable());
    BOOST_CHECK_EQUAL(deep.unreadable()->why, "it is nested too deeply");
    BOOST_CHECK(deep.unreadable()->for_good);
    BOOST_CHECK(!page->items[0]->unreadable());
  }
}

BOOST_AUTO_TEST_CASE(a_list_of_one_name_has_one_object_or_none) {
  auto list = [](const std::string& items) {
    return decode_list_of_one(R"({"metadata":{},"items":[)" + items + "]}",
                              object_detail::spec_and_status);
  };
  auto one = list(named("a"));
  BOOST_REQUIRE(one && *one);
  BOOST_CHECK_EQUAL((*one)->meta.name, "a");
  auto none = list("");
  BOOST_REQUIRE(bool(none));
  BOOST_CHECK(!*none);
  auto deep = list(deep_object("b", 2000));
  BOOST_REQUIRE(!deep);
  BOOST_CHECK(deep.error().code == ec::garbage);
}

BOOST_AUTO_TEST_CASE(short_texts_after_a_long_one_are_read_as_well) {
  std::string items = sample_pod();
  while (items.size() < 3u << 20)
    items += "," + items;
  auto text = R"({"metadata":{},"items":[)" + items + "]}";
  for (int i = 0; i < 3; ++i) {
    BOOST_REQUIRE(bool(decode_list(text, object_detail::pod)));
    auto o = must_read(sample_pod(), object_detail::metadata);
    BOOST_CHECK_EQUAL(o->meta.name, "a-worker-0");
  }
}

// -- watch events -------------------------------------------------------------

BOOST_AUTO_TEST_CASE(events_say_what_happened_to_which_object) {
  const std::pair<const char*, kind> rows[] = {{"ADDED", kind::added},
                                               {"MODIFIED", kind::modified},
                                               {"DELETED", kind::deleted}};
  for (auto [type, what] : rows) {
    auto e = decode_watch_line(event(type, sample_pod()), object_detail::pod);
    BOOST_REQUIRE(bool(e));
    BOOST_CHECK(e->type == what);
    BOOST_REQUIRE(e->item);
    BOOST_CHECK_EQUAL(e->item->meta.uid, "u-1");
  }
}

BOOST_AUTO_TEST_CASE(an_event_too_deep_to_read_says_about_what) {
  for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
    auto e = decode_watch_line(event(type, deep_object("b", 2000)),
                               object_detail::spec_and_status);
    BOOST_REQUIRE(bool(e));
    BOOST_REQUIRE(e->item);
    BOOST_CHECK_EQUAL(e->item->meta.uid, "u-b");
    BOOST_REQUIRE(e->item->unreadable());
    BOOST_CHECK(e->item->unreadable()->for_good);
  }
  // Damaged: the next text of it may be better.
  auto damaged = named("b");
  damaged.insert(damaged.size() - 1, ",\"spec\":nil");
  auto e = decode_watch_line(event("ADDED", damaged),
                             object_detail::spec_and_status);
  BOOST_REQUIRE(bool(e));
  BOOST_REQUIRE(e->item->unreadable());
  BOOST_CHECK(!e->item->unreadable()->for_good);
  // What does not say what it is about.
  BOOST_CHECK(!decode_watch_line(event("BOOKMARK", deep_object("b", 2000)),
                                 object_detail::metadata));
  BOOST_CHECK(!decode_watch_line(
      event("ADDED", "{\"metadata\":" + deep_text(2000) + "}"),
      object_detail::metadata));
}

BOOST_AUTO_TEST_CASE(a_bookmark_says_where_to_resume) {
  auto e = decode_watch_line(
      event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{
      "resourceVersion":"12","creationTimestamp":null},"spec":{
      "containers":null},"status":{}})"),
      object_detail::pod);
  BOOST_REQUIRE(bool(e));
  BOOST_CHECK(e->type == kind::bookmark);
  BOOST_CHECK_EQUAL(e->resource_version, 12u);
  BOOST_CHECK(!e->item);
}

BOOST_AUTO_TEST_CASE(an_error_event_carries_code_and_message) {
  auto e = decode_watch_line(
      event("ERROR", R"({"kind":"Status","apiVersion":"v1","metadata":{},
      "status":"Failure","message":"too old resource version: 1 [9]",
      "reason":"Expired","code":410})"),
      object_detail::pod);
  BOOST_REQUIRE(bool(e));
  BOOST_CHECK(e->type == kind::error);
  BOOST_CHECK_EQUAL(e->code, 410);
  BOOST_CHECK_EQUAL(e->message, "too old resource version: 1 [9]");
}

BOOST_AUTO_TEST_CASE(events_of_no_known_shape_are_garbage) {
  for (std::string line :
       {R"({"type":"ADDED"})", R"({"object":{"metadata":{}}})",
        R"({"type":"added","object":{"metadata":{}}})",
        R"({"type":7,"object":{"metadata":{}}})",
        R"({"type":"ADDED","object":{}})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ERROR"})"}) {
    auto e = decode_watch_line(line, object_detail::pod);
    BOOST_CHECK_MESSAGE(!e && e.error().code == ec::garbage, line);
  }
}

BOOST_AUTO_TEST_SUITE_END()
