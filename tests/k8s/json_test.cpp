#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(json_test)

const json pod = json::parse(R"({
  "metadata": {"name": "a", "labels": null},
  "spec": {"nodeName": 5, "containers": [{"x": 1}]},
  "n": 7, "huge": 18446744073709551615, "real": 2.5, "yes": true})");

BOOST_AUTO_TEST_CASE(what_is_missing_or_of_another_type_reads_as_absent) {
  BOOST_TEST(text_at(pod, {"metadata", "name"}) == "a");
  BOOST_TEST(text_at(pod, {"metadata", "name", "deeper"}) == "");
  BOOST_TEST(text_at(pod, {"spec", "nodeName"}) == "");
  BOOST_TEST(text_at(pod, {"spec", "nodeName"}, "none") == "none");
  BOOST_TEST(text_at("itself", {}) == "itself");
  BOOST_TEST(text_at(json::array({1, 2}), {"name"}) == "");
  BOOST_TEST(value_at(pod, {"status", "phase"}).is_null());
  BOOST_TEST(find_value(pod, {"metadata", "labels"})->is_null());
  BOOST_TEST(!find_value(pod, {"metadata", "labels", "app"}));
  BOOST_TEST(array_at(pod, {"spec", "containers"}).size() == 1u);
  BOOST_TEST(array_at(pod, {"spec"}).size() == 0u);
  const json mixed{{"names", {"a", 1, "b", nullptr}}, {"name", "a"}};
  BOOST_TEST(
      (strings_at(mixed, {"names"}) == std::vector<std::string>{"a", "b"}));
  BOOST_TEST(strings_at(mixed, {"name"}).empty());
  BOOST_TEST(bool_at(pod, {"yes"}));
  BOOST_TEST(!bool_at(pod, {"n"}));
}

BOOST_AUTO_TEST_CASE(numbers_are_integers_that_fit) {
  BOOST_TEST((int64_at(pod, {"n"}) == 7));
  BOOST_TEST(!int64_at(pod, {"huge"}));
  BOOST_TEST(!int64_at(pod, {"real"}));
  BOOST_TEST(!int64_at(pod, {"yes"}));
  BOOST_TEST(!int32_at({{"n", 2147483648}}, {"n"}));
  BOOST_TEST((int32_at({{"n", -2147483648}}, {"n"}) == INT32_MIN));
  BOOST_TEST(number_at(pod, {"huge"}, 3) == 3);
}

BOOST_AUTO_TEST_CASE(containers_are_made_where_they_are_missing) {
  json object{{"spec", nullptr}, {"list", "x"}};
  ensure_object(object, "spec")["a"] = 1;
  ensure_array(object, "list").push_back(2);
  set_default(object["spec"], "a", 3);
  set_default(object["spec"], "b", 4);
  BOOST_TEST(object
             == json::parse(R"({"spec": {"a": 1, "b": 4}, "list": [2]})"));
}

BOOST_AUTO_TEST_CASE(members_are_read_without_the_others) {
  struct row {
    const char* text;
    const char* members;
  };
  for (const auto& r : {
           row{R"({"a": {"b": {"x": 1}, "c": 2}, "d.e": "f", "g": 3})",
               R"({"a": {"b": {"x": 1}}, "d.e": "f"})"},
           {R"({"a": {"b": null}, "d": {"e": 1}})", R"({"a": {"b": null}})"},
           {R"({"a": "b"})", "{}"},
           {R"({"a": [{"b": 1}]})", "{}"},
           {"[1]", "{}"},
           {R"({"a": {"b": 1}, "n": 99999999999999999999})",
            R"({"a": {"b": 1}, "n": 99999999999999999999})"},
           {"{", "null"},
       })
    BOOST_TEST(parse_json_members(r.text, {{"a", "b"}, {"d.e"}})
                   == parse_json_or_null(r.members),
               r.text);
}

BOOST_AUTO_TEST_CASE(text_that_is_no_json_is_null) {
  BOOST_TEST(parse_json_or_null("{\"a\": [1, 2.5, \"x\"]}")
             == json::parse(R"({"a": [1, 2.5, "x"]})"));
  BOOST_TEST(parse_json_or_null("99999999999999999999") == json(1e20));
  for (const char* text : {"", "{", "{\"a\": \xff}", "\"\xff\""})
    BOOST_TEST(parse_json_or_null(text).is_null());
  BOOST_TEST(parse_json_or_null(std::string_view{}).is_null()); // Of nullptr.
}

BOOST_AUTO_TEST_CASE(what_is_nested_too_deeply_is_no_json) {
  for (int depth : {100, 1000, 100'000})
    for (std::string first : {"1", "99999999999999999999"}) {
      std::string levels(static_cast<std::size_t>(depth), '[');
      auto text = "[" + first + "," + levels
                  + std::string(static_cast<std::size_t>(depth), ']') + "]";
      BOOST_TEST(bool(parse_json(text)) == (depth == 100));
    }
}

BOOST_AUTO_TEST_CASE(what_is_written_is_always_json) {
  json value{{"a\n", "\x01\"\\"}, {"b", "\xff!"}, {"c", {1, -1, 0.5, true}}};
  auto text = to_text(value);
  BOOST_TEST(text
             == R"({"a\n":"\u0001\"\\","b":")" + std::string{"\xef\xbf\xbd"}
                    + R"(!","c":[1,-1,0.5,true]})");
  BOOST_TEST(!parse_json_or_null(text).is_null());
  BOOST_TEST(to_quoted("a \"b\"\n") == R"("a \"b\"\n")");
}

BOOST_AUTO_TEST_SUITE_END()
