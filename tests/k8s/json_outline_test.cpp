#include "k8s/json_outline.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(json_outline_test)

BOOST_AUTO_TEST_CASE(values_are_counted_without_being_read) {
  struct row {
    const char* text;
    std::size_t count;
    std::size_t values; ///< Of them.
  };
  const row rows[] = {
      {"1", 1, 1},
      {"{}", 2, 1},
      {"[]", 2, 1},
      {"[[],[]]", 5, 3},
      {"[1,2,3]", 4, 4},
      {R"({"a":1,"b":[1,2]})", 5, 5},
      {R"({"a":{"b":"[,{"},"c":"\",[,\\"})", 4, 4},
      {R"(["\\",1])", 3, 3},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.text) {
      BOOST_TEST(estimate_json_value_count(r.text) == r.count);
      BOOST_TEST(r.values <= r.count);
      BOOST_TEST(r.count <= 2 * r.values);
      BOOST_TEST(find_json_error(r.text) == "");
    }
  std::string dense;
  for (int i = 0; i < 1'000'000; ++i)
    dense += "\"\":0,";
  BOOST_TEST(estimate_json_value_count("{" + dense + "\"\":0}") == 1'000'002u);
}

BOOST_AUTO_TEST_CASE(json_is_known_at_any_depth_and_length) {
  for (std::size_t levels : {100u, 1'000u, 1'000'000u})
    for (bool whole : {true, false}) {
      auto text =
          std::string(levels, '[') + std::string(levels - (whole ? 0 : 1), ']');
      BOOST_TEST((find_json_error(text) == "") == whole);
    }
  const std::string long_text(1u << 20, 'a');
  BOOST_TEST(find_json_error("\"" + long_text + "\"") == "");
  for (const auto* wrong :
       {"", "{", "{]", "[1,]", "{\"a\"}", "tru", "1 2", "\"", "\"\x01\"",
        "\"\\x\"", "\"\xff\"", "01", "{\"a\":1,}"}) {
    BOOST_TEST(find_json_error(wrong) != "", wrong);
    BOOST_TEST(find_json_error("[\"" + long_text + "\"," + wrong) != "", wrong);
  }
  BOOST_TEST(find_json_error(std::string_view{}) != ""); // Of nullptr.
  BOOST_TEST(find_json_error("[123456789012345678901234567890]") == "");
}

BOOST_AUTO_TEST_CASE(only_what_is_opened_is_read) {
  const std::string text = R"( { "a" : { "b" : [ 1 , 2 ] , "c":"x", "d":{} } ,)"
                           R"("e":[],"f":[ ] , "g":{"h":1},"\u0069":true } )";
  auto whole = parse_json_outline(text, {{}, {"a"}, {"i"}}, 100);
  BOOST_TEST(whole["a"]["c"] == "x");
  BOOST_TEST(whole["a"]["d"] == json::object());
  BOOST_TEST(whole["e"] == json::array());
  BOOST_TEST(whole["f"] == json::array());
  BOOST_TEST(whole["i"] == true);
  BOOST_TEST((whole["g"] == make_text_value("{\"h\":1}")));
  BOOST_TEST(!whole["g"].is_object());
  BOOST_TEST(text_of_value(whole["g"]) == "{\"h\":1}");
  BOOST_TEST(text_of_value(whole["e"]) == "");
  BOOST_TEST(to_text(whole)
             == R"({"a":{"b":[ 1 , 2 ],"c":"x","d":{}},"e":[],"f":[],)"
                R"("g":{"h":1},"i":true})");
  BOOST_TEST((parse_json_outline("[1]", {}, 100) == make_text_value("[1]")));
  BOOST_TEST(parse_json_outline("7", {}, 100) == 7);
  BOOST_TEST(parse_json_outline("", {{}}, 100).is_null());
}

BOOST_AUTO_TEST_CASE(an_outline_has_no_more_values_than_it_may) {
  const std::string text = R"({"a":{"x":1,"x":2,"x":3},"b":{"y":1}})";
  auto read = [&](std::size_t most) {
    return to_text(parse_json_outline(text, {{}, {"a"}, {"b"}}, most));
  };
  BOOST_TEST(read(6) == R"({"a":{"x":3},"b":{"y":1}})"); // As parse_json().
  auto some = parse_json_outline(text, {{}, {"a"}, {"b"}}, 3);
  BOOST_TEST(some["b"]["y"] == 1);
  BOOST_TEST(!some["a"].is_object());
  BOOST_TEST(to_text(some) == text);
  BOOST_TEST(to_text(parse_json_outline(text, {{}}, 1)) == text);
}

BOOST_AUTO_TEST_SUITE_END()
