#include "k8s/apiserver/schema/structural_schema.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(structural_schema_test)

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_schema) {
  struct row {
    const char* spec;  ///< Of the property "a".
    const char* error; ///< "field below a: message"; "": none.
  };
  // clang-format off
  const row rows[] = {
      {R"({"type":"string"})", ""},
      {R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})", ""},
      {R"({"x-kubernetes-preserve-unknown-fields":true})", ""},
      {R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})", ""},
      {R"({"type":"object","properties":{"b":{"type":"integer","default":1}},"default":{"b":2}})", ""},
      {R"({"description":"x"})", ".type: Required value: must not be empty for specified object fields"},
      {R"({"type":"nonsense"})", ".type: Unsupported value: \"nonsense\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\""},
      {R"({"type":"array"})", ".items: Required value: must be specified"},
      {R"({"type":"array","items":{}})", ".items.type: Required value: must not be empty for specified array items"},
      {R"({"type":"object","additionalProperties":{}})", ".additionalProperties.type: Required value: must not be empty for specified object fields"},
      {R"({"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":{"type":"string"}})", ".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
      {R"({"type":"array","items":{"type":"string"},"uniqueItems":true})", ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
      {R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"map"})", ".x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"},
      {R"({"type":"object","oneOf":[{"properties":{"b":{"type":"string"}}}]})", ".oneOf[0].properties[b].type: Forbidden: must be empty to be structural"},
      {R"({"type":"string","not":{"type":"integer"}})", ".not.type: Forbidden: must be empty to be structural"},
      {R"({"type":"string","default":5})", ".default: Invalid value: \"integer\":  in body must be of type string: \"integer\""},
      {R"({"type":"object","properties":{},"default":{"b":1}})", ".default: Invalid value: {\"b\":1}: must not have unknown fields"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.spec) {
      field_errors found;
      validate_structural_schema(
          {{"type", "object"}, {"properties", {{"a", json::parse(r.spec)}}}},
          "s", found);
      std::string text;
      for (const auto& e : found)
        text += e.field.substr(std::string("s.properties[a]").size()) + ": "
                + e.message;
      BOOST_TEST(text == r.error);
    }
}

BOOST_AUTO_TEST_CASE(the_root_is_an_object) {
  for (auto [schema, message] :
       {std::make_pair(R"({})",
                       "Required value: must not be empty at the root"),
        std::make_pair(R"({"type":"string"})",
                       "Invalid value: \"string\": must be object at the "
                       "root")}) {
    field_errors found;
    validate_structural_schema(json::parse(schema), "s", found);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].field == "s.type");
    BOOST_TEST(found[0].message == message);
  }
}

BOOST_AUTO_TEST_SUITE_END()
