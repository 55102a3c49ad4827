#include "k8s/apiserver/discovery/openapi.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(openapi_test)

namespace {

json schemas_of(const resource_registry& types, const std::string& root,
                const std::string& group, const std::string& version) {
  return make_openapi_v3(types, root, group, version)["components"]["schemas"];
}

/// All references in a value.
void collect_references(const json& value, std::set<std::string>& out) {
  if (value.is_object() && value.contains("$ref"))
    out.insert(value["$ref"]);
  for (const auto& member : value)
    if (member.is_structured())
      collect_references(member, out);
}

} // namespace

BOOST_AUTO_TEST_CASE(patches_say_that_the_server_validates_fields) {
  struct row {
    const char* root;
    const char* group;
    const char* path;
    const char* kind;
  } rows[] = {
      {"api/v1", "", "/api/v1/namespaces/{namespace}/pods/{name}", "Pod"},
      {"api/v1", "", "/api/v1/nodes/{name}", "Node"},
      {"apis/apps/v1", "apps",
       "/apis/apps/v1/namespaces/{namespace}/deployments/{name}",
       "Deployment"}};
  for (const auto& r : rows) {
    const auto paths = make_openapi_v3({}, r.root, r.group, "v1")["paths"];
    BOOST_REQUIRE(paths.contains(r.path));
    const auto& patch = paths[r.path]["patch"];
    BOOST_TEST(patch["x-kubernetes-group-version-kind"]["kind"] == r.kind);
    BOOST_TEST(patch["parameters"][0]["name"] == "fieldValidation");
  }
}

BOOST_AUTO_TEST_CASE(built_in_resources_have_their_fields) {
  auto schemas = schemas_of({}, "api/v1", "", "v1");
  struct row {
    const char* pointer;
    json value;
  } rows[] = {
      {"/Pod/x-kubernetes-group-version-kind/0/kind", "Pod"},
      {"/Pod/properties/kind/type", "string"},
      {"/Pod/properties/spec/$ref", "#/components/schemas/PodSpec"},
      {"/PodSpec/properties/containers/items/$ref",
       "#/components/schemas/Container"},
      {"/PodSpec/properties/containers/x-kubernetes-list-map-keys/0", "name"},
      {"/PodSpec/properties/nodeSelector/additionalProperties/type", "string"},
      {"/Container/properties/command/x-kubernetes-list-type", "atomic"},
      {"/Container/properties/tty/type", "boolean"},
      // What is a message of its own in protobuf only.
      {"/Volume/properties/emptyDir/$ref",
       "#/components/schemas/EmptyDirVolumeSource"},
  };
  for (const auto& r : rows) {
    auto pointer = json::json_pointer(r.pointer);
    BOOST_REQUIRE(schemas.contains(pointer));
    BOOST_TEST(schemas[pointer] == r.value, r.pointer);
  }
}

BOOST_AUTO_TEST_CASE(what_is_referred_to_is_there) {
  for (auto group : {"", "apps", "batch", "events.k8s.io", "policy"}) {
    auto root = *group ? std::string("apis/") + group + "/v1" : "api/v1";
    auto schemas = schemas_of({}, root, group, "v1");
    std::set<std::string> references;
    collect_references(schemas, references);
    const std::string prefix = "#/components/schemas/";
    for (const auto& r : references) {
      BOOST_REQUIRE(r.compare(0, prefix.size(), prefix) == 0);
      BOOST_TEST(schemas.contains(r.substr(prefix.size())), r);
    }
  }
}

BOOST_AUTO_TEST_CASE(custom_resources_have_their_schema_and_metadata) {
  served_resource thing;
  thing.name = {"x.io", "v1", "things", "Thing"};
  thing.bucket = "things.x.io";
  thing.custom = true;
  thing.openapi_schema =
      R"({"type":"object","properties":{"spec":{"type":"object"}}})";
  resource_registry types;
  types.replace_custom_resource(
      "things.x.io", {std::make_shared<const served_resource>(thing)});
  auto schemas = schemas_of(types, "apis/x.io/v1", "x.io", "v1");
  const auto& properties = schemas["io.x.v1.Thing"]["properties"];
  BOOST_TEST(properties["spec"]["type"] == "object");
  BOOST_TEST(properties["metadata"]["$ref"]
             == "#/components/schemas/ObjectMeta");
  BOOST_TEST(schemas["ObjectMeta"]["properties"].contains("labels"));
}

BOOST_AUTO_TEST_SUITE_END()
