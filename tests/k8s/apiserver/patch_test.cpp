#include "k8s/apiserver/patch.hpp"
#include "k8s/apiserver/strategic_merge_patch.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(patching)

BOOST_AUTO_TEST_CASE(strategic_merges_follow_the_merge_keys) {
  struct {
    const char *what, *target, *patch, *expected;
  } rows[] = {
      {"objects merge, null removes", R"({"a":{"b":1,"c":2}})",
       R"({"a":{"b":null,"d":3}})", R"({"a":{"c":2,"d":3}})"},
      {"plain lists are replaced", R"({"command":["a","b"]})",
       R"({"command":["c"]})", R"({"command":["c"]})"},
      {"containers by name",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]})",
       R"({"containers":[{"name":"b","image":"3"},{"name":"c"}]})",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},
        {"name":"c"}]})"},
      {"an item is deleted", R"({"env":[{"name":"A"},{"name":"B"}]})",
       R"({"env":[{"name":"A","$patch":"delete"}]})",
       R"({"env":[{"name":"B"}]})"},
      {"container ports by containerPort",
       R"({"ports":[{"containerPort":1,"name":"x"}]})",
       R"({"ports":[{"containerPort":1,"name":"y"}]})",
       R"({"ports":[{"containerPort":1,"name":"y"}]})"},
      {"service ports by port", R"({"ports":[{"port":1,"name":"x"}]})",
       R"({"ports":[{"port":2}]})", R"({"ports":[{"port":1,"name":"x"},
        {"port":2}]})"},
      {"owners by uid", R"({"ownerReferences":[{"uid":"1"},{"uid":"2"}]})",
       R"({"ownerReferences":[{"uid":"1","$patch":"delete"}]})",
       R"({"ownerReferences":[{"uid":"2"}]})"},
      {"finalizers are a set", R"({"finalizers":["a"]})",
       R"({"finalizers":["a","b"]})", R"({"finalizers":["a","b"]})"},
      {"and lose single ones", R"({"finalizers":["a","b"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["a"]})",
       R"({"finalizers":["b"]})"},
      {"an order is kept", R"({"env":[{"name":"A"},{"name":"B"}]})",
       R"({"$setElementOrder/env":[{"name":"C"},{"name":"A"},{"name":"B"}],
        "env":[{"name":"C"}]})",
       R"({"env":[{"name":"C"},{"name":"A"},{"name":"B"}]})"},
      {"a map is replaced", R"({"m":{"a":1}})",
       R"({"m":{"$patch":"replace","b":2}})", R"({"m":{"b":2}})"},
      {"keys are retained", R"({"strategy":{"a":1,"type":"x"}})",
       R"({"strategy":{"$retainKeys":["type"],"type":"y"}})",
       R"({"strategy":{"type":"y"}})"},
      {"a list is replaced", R"({"env":[{"name":"A"}]})",
       R"({"env":[{"$patch":"replace"},{"name":"B"}]})",
       R"({"env":[{"name":"B"}]})"},
  };
  for (const auto& row : rows) {
    std::string fault;
    auto got =
        strategic_merge(json::parse(row.target), json::parse(row.patch), fault);
    BOOST_TEST(fault == "");
    BOOST_TEST(got == json::parse(row.expected), row.what << ": " << got);
  }
}

BOOST_AUTO_TEST_CASE(an_item_without_its_key_is_refused) {
  server_fixture s;
  s.post(pods, pod("a"));
  auto a = s.call("PATCH", pods + "/a",
                  {{"spec", {{"containers", {{{"image", "x"}}}}}}},
                  "application/strategic-merge-patch+json");
  BOOST_TEST(a.status == 400);
  BOOST_TEST(a.says("does not contain declared merge key: name"));
}

BOOST_AUTO_TEST_CASE(json_patches_apply_or_are_refused) {
  server_fixture s;
  s.post(maps, config_map("m", {{"a", "1"}}));
  auto send = [&](json ops) {
    return s.call("PATCH", maps + "/m", ops, "application/json-patch+json");
  };
  auto a =
      send({{{"op", "test"}, {"path", "/metadata/labels/a"}, {"value", "1"}},
            {{"op", "add"}, {"path", "/data"}, {"value", {{"k", "v"}}}}});
  BOOST_TEST(a["/data/k"] == "v");
  BOOST_TEST(
      send({{{"op", "test"}, {"path", "/metadata/labels/a"}, {"value", "2"}}})
          .status
      == 422);
  BOOST_TEST(send({{{"op", "remove"}, {"path", "/nowhere/x"}}}).status == 422);
  BOOST_TEST(send({{"op", "remove"}}).status == 400);
  BOOST_TEST(send({{{"op", "fly"}, {"path", "/x"}}}).status == 422);
}

BOOST_AUTO_TEST_CASE(other_patches_are_refused_by_name) {
  server_fixture s;
  s.post(maps, config_map("m"));
  auto a = s.call("PATCH", maps + "/m?fieldManager=x", json::object(),
                  "application/apply-patch+yaml");
  BOOST_TEST(a.status == 415);
  BOOST_TEST(a.says("server-side apply"));
  BOOST_TEST(s.call("PATCH", maps + "/m", json::object(), "text/plain").status
             == 415);
}

BOOST_AUTO_TEST_CASE(a_patch_with_a_stale_version_is_a_conflict) {
  server_fixture s;
  s.post(maps, config_map("m"));
  BOOST_TEST(s.merge(maps + "/m", {{"metadata", {{"resourceVersion", "1"}}},
                                   {"data", {{"a", "b"}}}})
                 .status
             == 409);
}

BOOST_AUTO_TEST_SUITE_END()
