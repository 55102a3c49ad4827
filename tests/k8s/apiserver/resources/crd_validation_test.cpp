#include "k8s/apiserver/resources/crd_validation.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(crd_validation_test)

namespace {

/// "field: message" of each error, joined by "; ".
std::string errors_of(const json& definition, const json* old = nullptr) {
  std::vector<std::string> warnings;
  std::string out;
  for (const auto& e : validate_crd_except_patterns(definition, old, warnings))
    out += (out.empty() ? "" : "; ") + e.field + ": " + e.message;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_definition) {
  const std::string column = "/spec/versions/0/additionalPrinterColumns/0/";
  const std::string scale = "/spec/versions/0/subresources/scale/";
  struct row {
    std::string at;
    json value; ///< Null: it is removed.
    std::string errors;
  };
  // clang-format off
  const row rows[] = {
      {"/spec/conversion", {{"strategy", "None"}}, ""},
      {"/metadata/name", "other.x.io", "metadata.name: Invalid value: \"other.x.io\": must be spec.names.plural+\".\"+spec.group"},
      {"/spec/names/kind", nullptr, "spec.names.kind: Required value; spec.names.listKind: Required value; spec.names.singular: Required value"},
      {"/spec/scope", nullptr, "spec.scope: Required value"},
      {"/spec/scope", "Somewhere", "spec.scope: Unsupported value: \"Somewhere\": supported values: \"Cluster\", \"Namespaced\""},
      {"/spec/versions", json::array(), "spec.versions: Required value"},
      {"/spec/versions/0/storage", false, "spec.versions: Invalid value: 1: must have exactly one version marked as storage version"},
      {"/spec/versions/0/schema", nullptr, "spec.versions[0].schema.openAPIV3Schema: Required value"},
      {"/spec/versions/0/schema/openAPIV3Schema/type", "string", "spec.validation.openAPIV3Schema.type: Invalid value: \"string\": must be object at the root"},
      {scale + "specReplicasPath", "spec.x", "spec.subresources.scale.specReplicasPath: Invalid value: \"spec.x\": must be a simple json path starting with ."},
      {scale + "statusReplicasPath", nullptr, "spec.subresources.scale.statusReplicasPath: Required value"},
      {column + "type", "nonsense", "spec.additionalPrinterColumns[0].type: Invalid value: \"nonsense\": must be one of boolean,date,integer,number,string"},
      {column + "jsonPath", "x", "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"x\": must be a simple json path starting with ."},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto definition = crd();
    json::json_pointer at{r.at};
    if (r.value.is_null())
      definition[at.parent_pointer()].erase(at.back());
    else
      definition[at] = r.value;
    BOOST_TEST(errors_of(definition) == r.errors, r.at);
  }
}

BOOST_AUTO_TEST_CASE(patterns_are_regular_expressions) {
  struct row {
    json schema;
    std::string field; ///< Below the schema; "": it is right.
  };
  const json bad = {{"pattern", "("}};
  const row rows[] = {
      {{{"pattern", "^a$"}}, ""},
      {{{"properties", {{"a", bad}}}}, "properties[a].pattern"},
      {{{"items", bad}}, "items.pattern"},
      {{{"additionalProperties", bad}}, "additionalProperties.pattern"},
      {{{"not", bad}}, "not.pattern"},
      {{{"oneOf", {{{"pattern", "a"}}, bad}}}, "oneOf[1].pattern"},
      {{{"anyOf", {{{"items", bad}}}}}, "anyOf[0].items.pattern"},
      {{{"allOf", {bad}}}, "allOf[0].pattern"},
  };
  for (const auto& r : rows) {
    auto definition = crd();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = r.schema;
    auto found = validate_crd_patterns(definition);
    BOOST_TEST_REQUIRE(found.empty() == r.field.empty());
    if (found.empty())
      continue;
    BOOST_TEST(found[0].field == "spec.validation.openAPIV3Schema." + r.field);
    BOOST_TEST(found[0].message
               == "Invalid value: \"(\": must be a valid regular expression, "
                  "but isn't: error parsing regexp: missing closing ): `(`");
  }
}

BOOST_AUTO_TEST_CASE(patterns_of_a_definition_have_a_limit_together) {
  auto definition = crd();
  auto& schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
  schema = json::object();
  for (int i = 0; i < 200; ++i)
    schema["properties"][std::to_string(1000 + i)]["pattern"] = "^.{0,999}$";
  auto found = validate_crd_patterns(definition);
  // No more is compiled behind the first that is too much.
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].field
             == "spec.validation.openAPIV3Schema.properties[1111].pattern");
  BOOST_TEST(found[0].message.find("is too much, with the patterns before it")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(versions_are_different_and_one_is_stored) {
  auto definition = crd();
  auto& versions = definition["spec"]["versions"];
  versions.push_back(versions[0]);
  auto text = errors_of(definition);
  BOOST_TEST(text.find("must contain unique version names") != text.npos);
  BOOST_TEST(text.find("exactly one version marked") != text.npos);
  versions[1]["name"] = "V2";
  versions[1]["storage"] = false;
  text = errors_of(definition);
  BOOST_TEST(text.find("spec.versions[1].name: Invalid value: \"V2\": a "
                       "DNS-1035 label")
             == 0u);
}

BOOST_AUTO_TEST_CASE(what_may_not_change) {
  auto old = crd();
  old["status"]["storedVersions"] = {"v1"};
  auto definition = old;
  definition["spec"]["scope"] = "Cluster";
  BOOST_TEST(errors_of(definition, &old)
             == "spec.scope: Invalid value: \"Cluster\": field is immutable");
  definition = old;
  definition["spec"]["versions"][0]["name"] = "v2";
  auto text = errors_of(definition, &old);
  BOOST_TEST(text.find("status.storedVersions[0]: Invalid value: \"v1\": "
                       "missing from spec.versions")
             == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
