#include "k8s/deep_json.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(deep_json_test)

namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

BOOST_AUTO_TEST_CASE(levels_are_counted_outside_of_strings) {
  struct row {
    const char* text;
    std::size_t depth;
    std::size_t with_strings;
  } rows[] = {
      {"", 0, 0},
      {"1", 0, 0},
      {"\"[[\"", 0, 2},
      {"{}", 1, 1},
      {"[1,[2],[3]]", 2, 2},
      {R"({"a":{"b":[]},"c":[]})", 3, 3},
      {R"({"a":"{\"b\":[[[1]]]}"})", 1, 4},
      {R"({"a":"\\","b":[[]]})", 3, 3},
      {R"(["]]]]",[[]]])", 3, 3}, // What ends in a string ends nothing.
      {R"(["[[","[["])", 1, 2},   // Each string for itself.
      {"]]]][", 1, 1},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.text) {
      BOOST_TEST(nesting_depth(r.text) == r.depth);
      BOOST_TEST(nesting_depth_with_strings(r.text) == r.with_strings);
    }
  BOOST_TEST(nesting_depth(nested(1'000'000)) == 1'000'000u);
}

BOOST_AUTO_TEST_CASE(as_deep_as_an_api_server_stores_is_read_where_asked_for) {
  const auto text = nested(stored_json_depth);
  BOOST_TEST(!parse_json(text));
  bool same = false;
  bool too_deep = false;
  run_on_deep_json_thread([&] {
    auto value = parse_json(text);
    BOOST_REQUIRE(value);
    auto copy = *value;
    same = to_text(copy) == text && copy == *value;
    too_deep = !parse_json(nested(stored_json_depth + 1));
    // Integers that simdjson does not know are read by another parser.
    same &= bool{parse_json("[100000000000000000000," + nested(5'000) + "]")};
  });
  BOOST_TEST(same);
  BOOST_TEST(too_deep);
  BOOST_TEST(!parse_json(text)); // Here as before.
  BOOST_TEST(bool{parse_json(nested(usual_json_depth))});
}

BOOST_AUTO_TEST_CASE(what_is_thrown_there_is_thrown_here) {
  BOOST_CHECK_THROW(
      run_on_deep_json_thread([] { throw std::runtime_error{"x"}; }),
      std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
