#include "k8s/apiserver/schema/schema_validation.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(schema_validation_test)

namespace {

schema compiled(const std::string& text) {
  std::vector<std::string> warnings;
  return compile_schema(json::parse(text), "s", warnings);
}

/// "field: message", joined by "; ".
std::string errors_of(const std::string& schema_text, const json& value,
                      const json* old = nullptr) {
  field_errors found;
  validate_value_except_unchanged(compiled(schema_text), value, old, "x",
                                  found);
  std::string out;
  for (const auto& e : found)
    out += (out.empty() ? "" : "; ") + e.field + ": " + e.message;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_value) {
  struct row {
    const char* schema;
    const char* value;
    const char* errors;
  };
  // clang-format off
  const row rows[] = {
      {R"({"type":"integer"})", "1", ""},
      {R"({"type":"integer"})", "1.0", ""},
      {R"({"type":"integer"})", "1.5", "x: Invalid value: \"number\": x in body must be of type integer: \"number\""},
      {R"({"type":"integer"})", "9007199254740991.0", ""},
      {R"({"type":"integer"})", "-9007199254740991.0", ""},
      {R"({"type":"integer"})", "9223372036854775807", ""},
      // A double that is larger may have been another number.
      {R"({"type":"integer"})", "9007199254740992.0", "x: Invalid value: \"number\": x in body must be of type integer: \"number\""},
      {R"({"type":"integer"})", "1e300", "x: Invalid value: \"number\": x in body must be of type integer: \"number\""},
      {R"({"type":"integer"})", "-1e300", "x: Invalid value: \"number\": x in body must be of type integer: \"number\""},
      {R"({"x-kubernetes-int-or-string":true})", "1e300", "x: Invalid value: \"number\": x in body must be of type integer,string: \"number\""},
      {R"({"type":"number"})", "1e300", ""},
      {R"({"type":"number"})", "1", ""},
      {R"({"type":"string"})", "1", "x: Invalid value: \"integer\": x in body must be of type string: \"integer\""},
      {R"({"type":"string"})", R"({"a":1})", "x: Invalid value: \"object\": x in body must be of type string: \"object\""},
      {R"({"type":"string"})", "null", "x: Invalid value: \"null\": x in body must be of type string: \"null\""},
      {R"({"type":"string","nullable":true})", "null", ""},
      {R"({"x-kubernetes-int-or-string":true})", "\"80%\"", ""},
      {R"({"x-kubernetes-int-or-string":true})", "true", "x: Invalid value: \"boolean\": x in body must be of type integer,string: \"boolean\""},
      {R"({"enum":["A",2]})", "2", ""},
      {R"({"enum":["A",2]})", "\"C\"", "x: Unsupported value: \"C\": supported values: \"A\", \"2\""},
      {R"({"minimum":1})", "1", ""},
      {R"({"minimum":1})", "0", "x: Invalid value: 0: x in body should be greater than or equal to 1"},
      {R"({"minimum":1,"exclusiveMinimum":true})", "1", "x: Invalid value: 1: x in body should be greater than 1"},
      {R"({"maximum":9})", "9", ""},
      {R"({"maximum":9})", "10", "x: Invalid value: 10: x in body should be less than or equal to 9"},
      {R"({"maximum":9,"exclusiveMaximum":true})", "9", "x: Invalid value: 9: x in body should be less than 9"},
      {R"({"multipleOf":3})", "9", ""},
      {R"({"multipleOf":3})", "10", "x: Invalid value: 10: x in body should be a multiple of 3"},
      {R"({"multipleOf":3})", "1e300", "x: Invalid value: 1e+300: x in body should be a multiple of 3"},
      {R"({"multipleOf":0.5})", "1.5", ""},
      {R"({"multipleOf":0.5})", "1.2", "x: Invalid value: 1.2: x in body should be a multiple of 0.5"},
      {R"({"multipleOf":1})", "9223372036854775807", ""},
      {R"({"multipleOf":2})", "9223372036854775807", "x: Invalid value: 9223372036854775807: x in body should be a multiple of 2"},
      {R"({"minLength":2})", "\"a\"", "x: Invalid value: \"a\": x in body should be at least 2 chars long"},
      {R"({"maxLength":2})", "\"\u00e4\u00f6\"", ""}, // Characters, not bytes.
      {R"({"maxLength":2})", "\"abc\"", "x: Too long: may not be more than 2 bytes"},
      {R"({"pattern":"^[a-z]+$"})", "\"ab\"", ""},
      {R"({"pattern":"^[a-z]+$"})", "\"A\"", "x: Invalid value: \"A\": x in body should match '^[a-z]+$'"},
      {R"({"minItems":2})", "[1]", "x: Invalid value: 1: x in body should have at least 2 items"},
      {R"({"maxItems":1})", "[1,2]", "x: Too many: 2: must have at most 1 items"},
      {R"({"x-kubernetes-list-type":"set"})", "[1,2,1]", "x[2]: Duplicate value: 1"},
      {R"({"x-kubernetes-list-map-keys":["n"]})", R"([{"n":1,"v":1},{"n":1,"v":2}])", "x[1]: Duplicate value: {\"n\":1}"},
      {R"({"items":{"type":"string"}})", R"(["a",1])", "x[1]: Invalid value: \"integer\": x[1] in body must be of type string: \"integer\""},
      {R"({"minProperties":1})", "{}", "x: Invalid value: 0: x in body should have at least 1 properties"},
      {R"({"maxProperties":0})", R"({"a":1})", "x: Too many: 1: must have at most 0 items"},
      {R"({"required":["a","b"]})", R"({"b":1})", "x.a: Required value"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})", "x.a: Invalid value: \"integer\": x.a in body must be of type string: \"integer\""},
      {R"({"additionalProperties":{"type":"string"}})", R"({"k":1})", "x.k: Invalid value: \"integer\": x.k in body must be of type string: \"integer\""},
      {R"({"allOf":[{"minimum":1},{"maximum":3}]})", "4", "x: Invalid value: 4: x in body should be less than or equal to 3"},
      {R"({"anyOf":[{"minimum":5},{"maximum":3}]})", "3", ""},
      {R"({"anyOf":[{"minimum":5},{"maximum":3}]})", "4", "x: Invalid value: \"\": x in body must validate at least one schema (anyOf)"},
      {R"({"oneOf":[{"minimum":1},{"maximum":3}]})", "4", ""},
      {R"({"oneOf":[{"minimum":1},{"maximum":3}]})", "2", "x: Invalid value: \"\": \"x\" must validate one and only one schema (oneOf). Found 2 valid alternatives"},
      {R"({"oneOf":[{"minimum":5},{"maximum":3}]})", "4", "x: Invalid value: \"\": \"x\" must validate one and only one schema (oneOf). Found none valid"},
      {R"({"type":"string","enum":["A"]})", "1", "x: Invalid value: \"integer\": x in body must be of type string: \"integer\"; x: Unsupported value: 1: supported values: \"A\""},
      {R"({"maxLength":2,"pattern":"^[a-z]+$"})", "\"ABC\"", "x: Too long: may not be more than 2 bytes"}, // Only that.
      {R"({"format":"date-time"})", "\"2026-01-01T00:00:00.5+01:00\"", ""},
      {R"({"format":"date-time"})", "\"yesterday\"", "x: Invalid value: \"yesterday\": x in body must be of type date-time: \"yesterday\""},
      {R"({"x-kubernetes-embedded-resource":true,"type":"object"})", R"({"kind":"K"})", "x.apiVersion: Required value"},
      {R"({"not":{"required":["a"]}})", "{}", ""},
      {R"({"not":{"required":["a"]}})", R"({"a":1})", "x: Invalid value: \"\": x in body must not validate the schema (not)"},
      // All errors are found.
      {R"({"required":["a"],"properties":{"b":{"minimum":1}}})", R"({"b":0})",
       "x.a: Required value; x.b: Invalid value: 0: x.b in body should be greater than or equal to 1"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(errors_of(r.schema, json::parse(r.value)) == r.errors,
               r.schema << " " << r.value);
}

BOOST_AUTO_TEST_CASE(what_patterns_may_cost_is_shared_by_all_texts) {
  const std::string expression = "^(.{0,100}|b)*c?$"; // Some 900 steps.
  const auto one = R"({"pattern":")" + expression + R"("})";
  const std::string text(50'000, 'a');
  auto steps = step_count(*compile_text_pattern(expression).pattern);
  auto affordable = (1u << 28) / (steps * (text.size() + 1));
  BOOST_TEST_REQUIRE(affordable > 1u);
  json texts(affordable, text);
  BOOST_TEST(errors_of(R"({"items":)" + one + "}", texts) == "");
  texts.push_back(text);
  auto last = "x[" + std::to_string(affordable) + "]: ";
  BOOST_TEST(
      errors_of(R"({"items":)" + one + "}", texts).find(last + "Too long: ")
      == 0u);
  // Alternatives cost, too.
  BOOST_TEST(
      errors_of(R"({"items":{"anyOf":[)" + one + R"(,{"type":"number"}]}})",
                texts)
          .find(last + "Invalid value: ")
      == 0u);
}

BOOST_AUTO_TEST_CASE(a_field_that_is_immutable_keeps_its_value) {
  const std::string rule =
      R"("x-kubernetes-validations":[{"rule":"self == oldSelf","message":"no"}])";
  struct row {
    std::string schema;
    const char* old; ///< "": a creation.
    const char* value;
    const char* errors;
  };
  const std::string of_object = R"({"properties":{"a":{)" + rule + "}}}";
  // Items of such a list are compared by their key.
  const std::string of_item =
      R"({"x-kubernetes-list-map-keys":["n"],"items":{"properties":{"v":{)"
      + rule + "}}}}";
  // clang-format off
  const row rows[] = {
      {of_object, "",            R"({"a":1})", ""},
      {of_object, R"({"a":1})",  R"({"a":1})", ""},
      {of_object, R"({"a":1})",  R"({"a":2})", "x.a: Invalid value: 2: no"},
      {of_object, R"({"a":"s"})", R"({"a":"t"})", "x.a: Invalid value: \"t\": no"},
      {of_object, R"({"a":{}})", R"({"a":{"b":1}})", "x.a: Invalid value: \"object\": no"},
      {of_object, "{}",          R"({"a":2})", ""},
      {of_object, R"({"a":1})",  "{}",         ""},
      {of_item, R"([{"n":1,"v":1},{"n":2,"v":2}])", R"([{"n":2,"v":2}])", ""},
      {of_item, R"([{"n":1,"v":1},{"n":2,"v":2}])", R"([{"n":2,"v":1}])",
       "x[0].v: Invalid value: 1: no"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto old = *r.old ? json::parse(r.old) : json();
    BOOST_TEST(
        errors_of(r.schema, json::parse(r.value), *r.old ? &old : nullptr)
            == r.errors,
        r.old << " -> " << r.value);
  }
}

BOOST_AUTO_TEST_SUITE_END()
