#include "k8s/apiserver/patch/typed_fields.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(typed_fields_test)

namespace {

/// With a list of each kind, a map, and a map and a structure that are atomic.
schema type() {
  std::vector<std::string> warnings;
  return compile_schema(json::parse(R"({
    "type": "object", "properties": {
      "number": {"type": "integer"},
      "map": {"type": "object", "additionalProperties": {"type": "string"}},
      "whole": {"type": "object", "x-kubernetes-map-type": "atomic",
                "additionalProperties": {"type": "string"}},
      "inner": {"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "string"}}},
      "list": {"type": "array", "items": {"type": "string"}},
      "set": {"type": "array", "x-kubernetes-list-type": "set",
              "items": {"type": "string"}},
      "ports": {"type": "array", "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {"type": "object", "properties": {
          "port": {"type": "integer"}, "name": {"type": "string"},
          "protocol": {"type": "string", "default": "TCP"}}}}
    }})"),
                        "", warnings);
}

std::string written(const field_set& fields) {
  return to_fields_v1(fields).dump();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_fields_of_an_applied_object) {
  struct row {
    const char* object;
    const char* fields;
  } rows[] = {
      {R"({"number":1})", R"({"f:number":{}})"},
      {R"({"map":{"x":"1","y":"2"}})", R"({"f:map":{"f:x":{},"f:y":{}}})"},
      {R"({"map":{}})", R"({"f:map":{}})"},
      {R"({"whole":{"x":"1"}})", R"({"f:whole":{}})"},
      {R"({"inner":{"a":"1"}})", R"({"f:inner":{"f:a":{}}})"},
      {R"({"list":["1"]})", R"({"f:list":{}})"},
      {R"({"set":["1"]})", R"({"f:set":{"v:\"1\"":{}}})"},
      {R"({"set":[]})", "{}"},
      {R"({"ports":[{"port":1}]})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}})"},
      // Without a type, maps are merged and lists are not.
      {R"({"other":{"x":{"y":[1]}}})",
       R"({"f:other":{".":{},"f:x":{".":{},"f:y":{}}}})"},
  };
  auto t = type();
  for (const auto& r : rows)
    BOOST_TEST(written(collect_applied_fields(&t, json::parse(r.object)))
               == r.fields);
}

BOOST_AUTO_TEST_CASE(what_has_changed_between_two_objects) {
  struct row {
    const char* old;
    const char* next;
    const char* added;
    const char* modified;
    const char* removed;
  } rows[] = {
      {R"({"number":1})", R"({"number":1})", "{}", "{}", "{}"},
      {R"({"number":1})", R"({"number":2})", "{}", R"({"f:number":{}})", "{}"},
      {R"({})", R"({"map":{"x":"1"}})", R"({"f:map":{".":{},"f:x":{}}})", "{}",
       "{}"},
      {R"({"map":{"x":"1","y":"1"}})", R"({"map":{"x":"2"}})", "{}",
       R"({"f:map":{"f:x":{}}})", R"({"f:map":{"f:y":{}}})"},
      {R"({"whole":{"x":"1"}})", R"({"whole":{"y":"1"}})", "{}",
       R"({"f:whole":{}})", "{}"},
      {R"({"ports":[{"port":1,"name":"a"}]})",
       R"({"ports":[{"port":2},{"port":1,"protocol":"TCP","name":"b"}]})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:protocol":{}},"k:{\"port\":2,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:name":{}}}})",
       "{}"},
  };
  auto t = type();
  for (const auto& r : rows) {
    auto changes = compare_fields(&t, json::parse(r.old), json::parse(r.next));
    BOOST_TEST(written(changes.added) == r.added);
    BOOST_TEST(written(changes.modified) == r.modified);
    BOOST_TEST(written(changes.removed) == r.removed);
  }
}

BOOST_AUTO_TEST_CASE(what_is_applied_is_merged) {
  struct row {
    const char* live;
    const char* applied;
    const char* merged;
  } rows[] = {
      {R"({"number":1,"map":{"x":"1"}})", R"({"map":{"y":"2"}})",
       R"({"map":{"x":"1","y":"2"},"number":1})"},
      {R"({"whole":{"x":"1"}})", R"({"whole":{"y":"2"}})",
       R"({"whole":{"y":"2"}})"},
      {R"({"list":["1"]})", R"({"list":["2"]})", R"({"list":["2"]})"},
      {R"({"set":["1","2","3"]})", R"({"set":["4","2"]})",
       R"({"set":["1","4","2","3"]})"},
      {R"({"set":["1","2","3"]})", R"({"set":["3","1"]})",
       R"({"set":["2","3","1"]})"},
      {R"({"set":["1"]})", R"({"set":["2"]})", R"({"set":["1","2"]})"},
      {R"({"ports":[{"port":1,"protocol":"TCP"},{"port":2}]})",
       R"({"ports":[{"port":2,"name":"b"},{"port":1,"name":"a"}]})",
       R"({"ports":[{"name":"b","port":2},{"name":"a","port":1,"protocol":"TCP"}]})"},
  };
  auto t = type();
  for (const auto& r : rows)
    BOOST_TEST(
        merge_applied(&t, json::parse(r.live), json::parse(r.applied)).dump()
        == r.merged);
}

// Each step costs the length of the list, not that for each item.
BOOST_AUTO_TEST_CASE(lists_of_very_many_items_are_merged) {
  constexpr int many = 30'000;
  auto t = type();
  auto list = [](int from, int to, const char* name, bool backwards) {
    json ports = json::array();
    for (int i = from; i < to; ++i)
      ports.push_back({{"port", i}, {"name", name}});
    if (backwards)
      std::reverse(ports.begin(), ports.end());
    return json{{"ports", std::move(ports)}};
  };
  auto live = list(0, many, "live", false);
  for (bool backwards : {false, true}) {
    auto applied = list(many / 2, 3 * many / 2, "applied", backwards);
    auto merged = merge_applied(&t, live, applied);
    BOOST_REQUIRE(merged["ports"].size() == 3u * many / 2);
    BOOST_TEST(merged["ports"][0]["name"] == "live");
    BOOST_TEST(merged["ports"][many / 2]["name"] == "applied");
    BOOST_TEST(merged["ports"][many / 2]["port"]
               == (backwards ? 3 * many / 2 - 1 : many / 2));
    auto changes = compare_fields(&t, live, merged);
    BOOST_TEST(changes.added.children["f:ports"].children.size() == many / 2u);
    BOOST_TEST(changes.modified.children["f:ports"].children.size()
               == many / 2u);
    BOOST_TEST(changes.removed.empty());
    remove_fields(&t, merged, collect_applied_fields(&t, applied), {});
    BOOST_TEST((merged == list(0, many / 2, "live", false)));
  }
}

BOOST_AUTO_TEST_CASE(fields_are_removed_unless_kept) {
  struct row {
    const char* object;
    const char* which;
    const char* kept;
    const char* left;
  } rows[] = {
      {R"({"map":{"x":"1","y":"2"},"number":1})", R"({"f:map":{"f:x":{}}})",
       "{}", R"({"map":{"y":"2"},"number":1})"},
      {R"({"map":{"x":"1"}})", R"({"f:map":{"f:x":{}}})", "{}", "{}"},
      {R"({"map":{"x":"1"}})", R"({"f:map":{"f:x":{}}})",
       R"({"f:map":{".":{}}})", R"({"map":{}})"},
      {R"({"map":{"x":"1"}})", R"({"f:map":{"f:x":{}}})",
       R"({"f:map":{"f:x":{}}})", R"({"map":{"x":"1"}})"},
      // An item goes with what nobody owns in it...
      {R"({"ports":[{"port":1,"protocol":"TCP","name":"a"},{"port":2}]})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}})",
       "{}", R"({"ports":[{"port":2}]})"},
      // ...and stays for what others own.
      {R"({"ports":[{"port":1,"protocol":"TCP","name":"a"}]})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}})",
       R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{}}}})",
       R"({"ports":[{"port":1,"protocol":"TCP"}]})"},
      {R"({"set":["1","2"]})", R"({"f:set":{"v:\"1\"":{}}})", "{}",
       R"({"set":["2"]})"},
  };
  auto t = type();
  for (const auto& r : rows) {
    auto object = json::parse(r.object);
    remove_fields(&t, object, parse_fields_v1(json::parse(r.which)),
                  parse_fields_v1(json::parse(r.kept)));
    BOOST_TEST(object.dump() == r.left);
  }
}

BOOST_AUTO_TEST_SUITE_END()
