#include "k8s/apiserver/base/object_limits.hpp"
#include "k8s/apiserver/patch/json_patch.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(json_patch_test)

namespace {

/// The result as text, or the code of the error.
std::string patched(const json& document, const json& operations) {
  auto out = apply_json_patch(document, operations);
  return out ? out->dump() : std::to_string(out.error().code);
}

json operation(const char* op, const std::string& path, json value) {
  return {{"op", op}, {"path", path}, {"value", std::move(value)}};
}

json from_to(const char* op, const std::string& from, const std::string& path) {
  return {{"op", op}, {"from", from}, {"path", path}};
}

json nested(std::size_t depth) {
  json out = json::object();
  while (--depth > 0)
    out = json{{"a", std::move(out)}};
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(operations_do_what_the_standard_says) {
  struct row {
    const char* document;
    json operation;
    const char* result;
  };
  // clang-format off
  const row rows[] = {
      {R"({"a":1})", operation("add", "/b", 2), R"({"a":1,"b":2})"},
      {R"({"a":1})", operation("add", "/a", 2), R"({"a":2})"},
      {R"({"a":[1,3]})", operation("add", "/a/1", 2), R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", operation("add", "/a/-", 2), R"({"a":[1,2]})"},
      {R"({"a":[1]})", operation("add", "/a/1", 2), R"({"a":[1,2]})"},
      {R"({"a":[1]})", operation("add", "/a/2", 2), "422"},
      {R"({"a":[1]})", operation("add", "/a/x", 2), "422"},
      {R"({"a":1})", operation("add", "/a/b", 2), "422"},
      {R"({"a":1})", operation("add", "/b/c", 2), "422"},
      {R"({"a":1})", operation("add", "", 2), "2"},
      {R"({"a":1})", operation("replace", "/a", 2), R"({"a":2})"},
      {R"({"a":1})", operation("replace", "/b", 2), R"({"a":1,"b":2})"},
      {R"({"a":[1]})", operation("replace", "/a/0", 2), R"({"a":[2]})"},
      {R"({"a":[1]})", operation("replace", "/a/1", 2), "422"},
      {R"({"a":[1]})", operation("replace", "/a/-", 2), "422"},
      {R"({"a/b":1,"c~d":2})", {{"op", "remove"}, {"path", "/a~1b"}}, R"({"c~d":2})"},
      {R"({"a/b":1,"c~d":2})", {{"op", "remove"}, {"path", "/c~0d"}}, R"({"a/b":1})"},
      {R"({"a":[1,2,3]})", {{"op", "remove"}, {"path", "/a/1"}}, R"({"a":[1,3]})"},
      {R"({"a":[1]})", {{"op", "remove"}, {"path", "/a/1"}}, "422"},
      {R"({"a":1})", {{"op", "remove"}, {"path", "/b"}}, "422"},
      {R"({"a":1})", from_to("move", "/a", "/b"), R"({"b":1})"},
      {R"({"a":[1,2]})", from_to("move", "/a/0", "/a/1"), R"({"a":[2,1]})"},
      {R"({"a":{}})", from_to("move", "/a", "/a/b"), "422"},
      {R"({"a":1})", from_to("move", "/b", "/c"), "422"},
      {R"({"a":{"b":1}})", from_to("copy", "/a", "/c"), R"({"a":{"b":1},"c":{"b":1}})"},
      {R"({"a":1})", from_to("copy", "/b", "/c"), "422"},
      {R"({"a":1})", operation("test", "/a", 1), R"({"a":1})"},
      {R"({"a":1})", operation("test", "/a", 2), "422"},
      {R"({"a":1})", operation("test", "/b", 2), "422"},
      {R"({"a":1})", operation("test", "/b", nullptr), R"({"a":1})"},
      {R"({"a":1})", {{"op", "add"}, {"path", "/b"}}, "422"},
      {R"({"a":1})", {{"op", "remove"}}, "422"},
      {R"({"a":1})", {{"op", "remove"}, {"path", "a"}}, "422"},
      {R"({"a":1})", {{"op", "move"}, {"path", "/b"}}, "422"},
      {R"({"a":1})", {{"op", "fly"}, {"path", "/a"}}, "422"},
      {R"({"a":1})", "remove", "422"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(patched(json::parse(r.document), json::array({r.operation}))
                   == r.result,
               r.document << " " << r.operation);
}

BOOST_AUTO_TEST_CASE(there_is_a_most_of_operations) {
  auto many = [](std::size_t count) {
    return json(count, operation("add", "/a", 1));
  };
  BOOST_TEST(patched(json::object(), many(10000)) == R"({"a":1})");
  auto refused = apply_json_patch(json::object(), many(10001));
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().code == 413);
  BOOST_TEST(refused.error().message.find(
                 "maximum operations in a JSON patch is 10000, got 10001")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(copies_do_not_multiply) {
  // 17 copies of what is there would make 130 MB of 1 KB.
  json operations = json::array();
  for (int i = 0; i < 17; ++i) {
    auto half = "/" + std::string(1, static_cast<char>('a' + i));
    operations.push_back(operation("add", half, json::object()));
    operations.push_back(from_to("copy", "/start", half + "/1"));
    operations.push_back(from_to("copy", half + "/1", half + "/2"));
    operations.push_back(from_to("move", half, "/start"));
  }
  BOOST_TEST(patched({{"start", std::string(1000, 'x')}}, operations) == "413");
}

BOOST_AUTO_TEST_CASE(nothing_gets_deeper_than_an_object_may_be) {
  // By one operation, and by many that each are flat.
  const auto path = [](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
      out += "/a";
    return out;
  };
  BOOST_TEST(patched(nested(100),
                     json::array({operation("add", path(100), nested(100))}))
             == "413");
  json moves = json::array();
  for (int i = 0; i < 1000; ++i) {
    moves.push_back(operation("add", "/b", json::object()));
    moves.push_back(from_to("move", "/a", "/b/a"));
    moves.push_back(from_to("move", "/b", "/a"));
  }
  BOOST_TEST(patched({{"a", 1}}, moves) == "413");
  BOOST_TEST(
      patched(json::object(), json::array({operation("add", path(5000), 1)}))
      == "413");
}

BOOST_AUTO_TEST_CASE(a_patch_may_not_move_things_for_ever) {
  json operations(5000, from_to("move", "/a/0", "/a/0"));
  BOOST_TEST(patched({{"a", json(50000, 1)}}, operations) == "413");
}

BOOST_AUTO_TEST_SUITE_END()
