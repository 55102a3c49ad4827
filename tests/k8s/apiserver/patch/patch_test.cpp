#include "k8s/apiserver/patch/patch.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(patch_test)

BOOST_AUTO_TEST_CASE(a_json_patch_may_name_the_version_that_it_is_for) {
  server_fixture s;
  auto made = s.post(maps, config_map("m", {}));
  auto uid = made.body["metadata"]["uid"];
  auto patch = [&](const json& version, const json& of) {
    return s.call(
        "PATCH", maps + "/m",
        {{{"op", "replace"},
          {"path", "/metadata/resourceVersion"},
          {"value", version}},
         {{"op", "replace"}, {"path", "/metadata/uid"}, {"value", of}},
         {{"op", "add"}, {"path", "/data"}, {"value", {{"k", "v"}}}}},
        "application/json-patch+json");
  };
  BOOST_TEST(patch("1", uid).status == 409);
  BOOST_TEST(patch("1", "of-a-former-object").status == 409);
  BOOST_TEST(patch(made.version(), uid)["/data/k"] == "v");
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
  // As API servers have it, what is replaced need not be there.
  a = send({{{"op", "replace"}, {"path", "/data/new"}, {"value", "v"}}});
  BOOST_TEST(a["/data/new"] == "v");
  BOOST_TEST(
      send({{{"op", "replace"}, {"path", "/nowhere/x"}, {"value", 1}}}).status
      == 422);
  BOOST_TEST(send({{"op", "remove"}}).status == 400);
  BOOST_TEST(send({{{"op", "fly"}, {"path", "/x"}}}).status == 422);
}

BOOST_AUTO_TEST_CASE(other_patches_are_refused_by_name) {
  server_fixture s;
  s.post(maps, config_map("m"));
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
