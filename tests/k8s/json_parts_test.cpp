#include "k8s/json_parts.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(json_parts_test)

namespace {

/// "key=value|key=value|", or "none" if it is no object.
std::string members(std::string_view text) {
  std::string out;
  bool whole = for_each_json_member(
      text, [&](std::string_view key, std::string_view value) {
        out.append(key).append("=").append(value).append("|");
      });
  return whole ? out : "none";
}

std::string elements(std::string_view text) {
  std::string out;
  bool whole = for_each_json_element(
      text, [&](std::string_view value) { out.append(value).append("|"); });
  return whole ? out : "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(an_object_is_cut_into_its_members) {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", ""},
      {" { } ", ""},
      {R"({"a":1})", "a=1|"},
      {R"({"a":{"b":[1,{"c":"}"}]},"d":"x,y"})",
       R"(a={"b":[1,{"c":"}"}]}|d="x,y"|)"},
      {"{ \"a\" : true ,\n\"b\":null }", "a=true|b=null|"},
      {"{\"a\":1\r\n\t , \"b\" : [ 1 ] , \"c\" : \" \" }",
       "a=1|b=[ 1 ]|c=\" \"|"},
      {R"({"a": })", "none"},
      {R"({"a":"\"","b":"\\","c":"\\\""})", R"(a="\""|b="\\"|c="\\\""|)"},
      {R"({"\"":1})", R"(\"=1|)"},
      {"", "none"},
      {"[]", "none"},
      {"{", "none"},
      {R"({"a")", "none"},
      {R"({"a":})", "none"},
      {R"({"a":1)", "none"},
      {R"({"a":1,)", "none"},
      {R"({"a":1,})", "none"},
      {R"({"a":"1)", "none"},
      {R"({"a":[1})", "none"},
      {R"({"a":1}})", "none"},
      {R"({"a":1} x)", "none"},
      {"{a:1}", "none"},
  };
  for (const auto& [text, expected] : rows)
    BOOST_TEST(members(text) == expected, text << ": " << members(text));
}

BOOST_AUTO_TEST_CASE(a_member_is_found_without_what_is_behind_it) {
  struct row {
    const char *text, *key, *found;
  };
  const row rows[] = {
      {R"({"a":1,"b":{"a":2}})", "b", R"({"a":2})"},
      {R"({"b":{"a":2},"a":1})", "a", "1"},
      {R"({"s":"\"a\":3","a":""})", "a", R"("")"},
      {R"({"a":1,"a":2})", "a", "1"},
      {R"({"a":1,and then no JSON)", "a", "1"},
      {"{\"a\": null\n}", "a", "null"},
      {R"({"b":1})", "a", nullptr},
      {R"({})", "a", nullptr},
      {R"(["a",1])", "a", nullptr},
      {"", "a", nullptr},
  };
  for (const auto& r : rows) {
    auto found = find_json_member(r.text, r.key);
    BOOST_TEST((found.data() != nullptr) == (r.found != nullptr), r.text);
    BOOST_TEST(found == (r.found ? r.found : ""), r.text << ": " << found);
  }
}

BOOST_AUTO_TEST_CASE(an_array_is_cut_into_its_elements) {
  const std::pair<const char*, const char*> rows[] = {
      {"[]", ""},
      {"[1,\"a]\",[2,3],{\"b\":4}]", "1|\"a]\"|[2,3]|{\"b\":4}|"},
      {"[ 1 , null\n, \"a \" ]", "1|null|\"a \"|"},
      {"null", "none"},
      {"[1", "none"},
      {"[1,]", "none"},
      {"[1]]", "none"},
  };
  for (const auto& [text, expected] : rows)
    BOOST_TEST(elements(text) == expected, text << ": " << elements(text));
}

BOOST_AUTO_TEST_CASE(the_depth_of_a_part_does_not_matter) {
  const std::size_t deep = 1'000'000;
  auto part = std::string(deep, '[') + std::string(deep, ']');
  BOOST_TEST(elements("[" + part + ",1]") == part + "|1|");
  BOOST_TEST(elements("[" + std::string(deep, '[')) == "none");
}

BOOST_AUTO_TEST_CASE(every_prefix_is_no_object) {
  const std::string text = R"({"a":{"b":[1,"\\"]},"c":"}"})";
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A copy of its own size, so that reading on is seen by sanitizers.
    std::vector<char> cut(text.begin(), text.begin() + static_cast<long>(i));
    BOOST_TEST(members({cut.data(), cut.size()}) == "none");
  }
}

BOOST_AUTO_TEST_SUITE_END()
