#include "k8s/apiserver/schema/schema.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(schema_test)

namespace {

schema compiled(const char* text) {
  std::vector<std::string> warnings;
  auto result = compile_schema(json::parse(text), "s", warnings);
  BOOST_TEST(warnings.empty());
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(fields_that_the_schema_does_not_have_are_removed) {
  struct row {
    const char* schema;
    const char* value;
    const char* left;
    std::vector<std::string> removed;
  };
  // clang-format off
  const row rows[] = {
      {R"({"properties":{"a":{}}})", R"({"a":1,"b":2})", R"({"a":1})", {"b"}},
      {R"({"properties":{"a":{"properties":{"b":{}}}}})",
       R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1}})", {"a.c"}},
      {R"({"properties":{"a":{"items":{"properties":{"b":{}}}}}})",
       R"({"a":[{"b":1},{"c":2}]})", R"({"a":[{"b":1},{}]})", {"a[1].c"}},
      {R"({"additionalProperties":{"properties":{"a":{}}}})",
       R"({"x":{"a":1,"b":2}})", R"({"x":{"a":1}})", {"x.b"}},
      {R"({"additionalProperties":true})", R"({"x":{"b":2}})",
       R"({"x":{"b":2}})", {}},
      {R"({"x-kubernetes-preserve-unknown-fields":true,
           "properties":{"a":{"properties":{}}}})",
       R"({"x":{"y":1},"a":{"z":1}})", R"({"x":{"y":1},"a":{}})", {"a.z"}},
      {R"({"x-kubernetes-embedded-resource":true})",
       R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"x":1})",
       R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"}})", {"x"}},
      {R"({"properties":{"a":{}}})", "[1]", "[1]", {}}, // Wrong, but not here.
  };
  // clang-format on
  for (const auto& r : rows) {
    auto value = json::parse(r.value);
    std::vector<std::string> removed;
    prune_unknown_fields(compiled(r.schema), value, removed);
    BOOST_TEST(value == json::parse(r.left), r.schema << value);
    BOOST_TEST(removed == r.removed, r.schema);
  }
}

BOOST_AUTO_TEST_CASE(defaults_are_filled_in_where_a_value_is_missing) {
  struct row {
    const char* schema;
    const char* value;
    const char* filled;
  };
  // clang-format off
  const row rows[] = {
      {R"({"properties":{"a":{"default":7}}})", "{}", R"({"a":7})"},
      {R"({"properties":{"a":{"default":7}}})", R"({"a":1})", R"({"a":1})"},
      {R"({"properties":{"a":{"default":7}}})", R"({"a":null})", R"({"a":7})"},
      {R"({"properties":{"a":{"default":7,"nullable":true}}})",
       R"({"a":null})", R"({"a":null})"},
      // A null that is not allowed is as good as nothing.
      {R"({"properties":{"a":{}}})", R"({"a":null})", "{}"},
      {R"({"properties":{"a":{"nullable":true}}})", R"({"a":null})",
       R"({"a":null})"},
      {R"({"additionalProperties":{}})", R"({"x":null,"y":1})", R"({"y":1})"},
      {R"({"items":{}})", "[null]", "[null]"},
      // A default has defaults of its own.
      {R"({"properties":{"a":{"default":{},
           "properties":{"b":{"default":1}}}}})", "{}", R"({"a":{"b":1}})"},
      {R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", "{}", "{}"},
      {R"({"items":{"properties":{"a":{"default":1}}}})", "[{},{\"a\":2}]",
       R"([{"a":1},{"a":2}])"},
      {R"({"additionalProperties":{"properties":{"a":{"default":1}}}})",
       R"({"x":{}})", R"({"x":{"a":1}})"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto value = json::parse(r.value);
    drop_nulls_and_apply_defaults(compiled(r.schema), value);
    BOOST_TEST(value == json::parse(r.filled), r.schema << value);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_enforced_is_named_with_its_path) {
  const auto* text = R"j({"properties":{
    "a":{"pattern":"(?=a)"},
    "b":{"items":{"x-kubernetes-validations":[
      {"rule":"self > 1"},{"rule":"self == oldSelf"}]}}}})j";
  std::vector<std::string> warnings;
  compile_schema(json::parse(text), "s", warnings);
  std::vector<std::string> expected{
      "s.a.pattern: (?=a) is not enforced here",
      "s.b[*].x-kubernetes-validations: the rule \"self > 1\" is not enforced "
      "here"};
  BOOST_TEST(warnings == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
