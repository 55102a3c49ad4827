#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(definitions)

BOOST_AUTO_TEST_CASE(a_definition_is_established_and_served) {
  defined s;
  auto a = s.get(crds + "/jobs.x.io");
  BOOST_TEST(a["/status/conditions/1/type"] == "Established");
  BOOST_TEST(a["/status/conditions/1/status"] == "True");
  BOOST_TEST(a["/spec/names/listKind"] == "JobList");
  auto found = s.get("/apis/x.io/v1");
  BOOST_TEST(found["/resources/0/name"] == "jobs");
  BOOST_TEST(found["/resources/0/shortNames/0"] == "xj");
  BOOST_TEST(s.get(jobs)["/kind"] == "JobList");
  BOOST_TEST(s.post(jobs, job({{"size", 1}})).status == 201);
  s.drop(crds + "/jobs.x.io");
  BOOST_TEST(s.get(jobs).status == 404);
  s.post(crds, crd());
  BOOST_TEST(s.get(jobs)["/items"].empty());
}

BOOST_AUTO_TEST_CASE(the_schema_of_a_definition_is_published) {
  defined s;
  auto document = s.get("/openapi/v3/apis/x.io/v1");
  auto schema = document["/components/schemas/io.x.v1.Job"];
  BOOST_TEST(schema["x-kubernetes-group-version-kind"]
             == json::array(
                 {{{"group", "x.io"}, {"version", "v1"}, {"kind", "Job"}}}));
  BOOST_TEST(schema["properties"].contains("spec"));
  BOOST_TEST(schema["properties"]["metadata"].contains("$ref"));
}

BOOST_AUTO_TEST_CASE(an_object_that_is_older_than_a_default_reads_with_it) {
  server_fixture s;
  auto text = crd();
  auto& first = text["spec"]["versions"][0];
  auto second = first;
  second["name"] = "v2";
  second["storage"] = false;
  text["spec"]["versions"].push_back(second);
  s.post(crds, text);
  s.post(jobs, job({{"size", 1}}));
  auto before = s.get(jobs + "/j");
  BOOST_TEST(!before["/spec"].contains("made"));
  auto current = s.get(crds + "/jobs.x.io").body;
  for (auto& version : current["spec"]["versions"]) {
    auto is_stored = version["name"] == "v2";
    version["storage"] = is_stored;
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
           ["made"] = {{"type", "string"}, {"default", version["name"]}};
  }
  BOOST_TEST(s.call("PUT", crds + "/jobs.x.io", current).status == 200);
  // That of the version in which it was stored, in each version.
  BOOST_TEST(s.get(jobs + "/j")["/spec/made"] == "v1");
  BOOST_TEST(s.get("/apis/x.io/v2/namespaces/default/jobs/j")["/spec/made"]
             == "v1");
  BOOST_TEST(s.get(jobs + "/j")["/metadata/resourceVersion"]
             == before["/metadata/resourceVersion"]);
}

BOOST_AUTO_TEST_CASE(an_immutable_field_stays) {
  defined s;
  s.post(jobs, job({{"size", 1}, {"manager", "a"}}));
  auto a = s.merge(jobs + "/j", {{"spec", {{"manager", "b"}}}});
  BOOST_TEST(a.status == 422);
  BOOST_TEST(a.says("spec.manager: Invalid value: \"b\": field is immutable"));
  BOOST_TEST(s.merge(jobs + "/j", {{"spec", {{"size", 2}}}}).status == 200);
}

BOOST_AUTO_TEST_CASE(rules_that_are_not_kept_are_named) {
  server_fixture s;
  auto text = crd();
  text["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
      ["x-kubernetes-validations"] = {{{"rule", "self.size > 3"}}};
  auto a = s.post(crds, text);
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a.headers["Warning"].find("self.size > 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(faulty_definitions_are_refused) {
  server_fixture s;
  auto wrong = crd();
  wrong["metadata"]["name"] = "other.x.io";
  BOOST_TEST(s.post(crds, wrong).says("must be spec.names.plural"));
  wrong = crd();
  wrong["spec"]["versions"][0].erase("schema");
  BOOST_TEST(s.post(crds, wrong)
                 .says("spec.versions[0].schema.openAPIV3Schema: Required"));
}

BOOST_AUTO_TEST_CASE(a_custom_resource_takes_no_strategic_merge) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  BOOST_TEST(s.call("PATCH", jobs + "/j", json::object(),
                    "application/strategic-merge-patch+json")
                 .status
             == 415);
}

BOOST_AUTO_TEST_CASE(discovery_names_groups_and_health) {
  defined s;
  BOOST_TEST(s.get("/healthz").body == "ok");
  BOOST_TEST(s.get("/version")["/major"] == "1");
  BOOST_TEST(s.get("/api")["/versions/0"] == "v1");
  BOOST_TEST(s.get("/apis/x.io")["/preferredVersion/version"] == "v1");
  BOOST_TEST(s.get("/api/v1")["/kind"] == "APIResourceList");
  BOOST_TEST(s.get("/openapi/v3")["/paths"].contains("apis/x.io/v1"));
  BOOST_TEST(s.get("/apis/none/v1").status == 404);
}

BOOST_AUTO_TEST_CASE(a_definition_names_fields_that_can_be_selected) {
  server_fixture s;
  auto text = crd();
  text["spec"]["versions"][0]["selectableFields"] = {
      {{"jsonPath", ".spec.mode"}}};
  s.post(crds, text);
  s.post(jobs, job({{"size", 1}, {"mode", "A"}}));
  BOOST_TEST(s.get(jobs + "?fieldSelector=spec.mode=A")["/items"].size() == 1u);
  BOOST_TEST(s.get(jobs + "?fieldSelector=spec.mode=B")["/items"].empty());
  BOOST_TEST(s.get(jobs + "?fieldSelector=spec.size=1").status == 400);
}

BOOST_AUTO_TEST_CASE(a_deprecated_version_warns_all_who_use_it) {
  server_fixture s;
  auto text = crd();
  auto& versions = text["spec"]["versions"];
  versions.push_back(versions[0]);
  versions[1].update(
      {{"name", "v1beta1"}, {"storage", false}, {"deprecated", true}});
  text["spec"]["names"]["listKind"] = "JobCollection";
  s.post(crds, text);
  auto a = s.get("/apis/x.io/v1beta1/namespaces/default/jobs");
  BOOST_TEST(a.headers["Warning"]
             == "299 - \"x.io/v1beta1 Job is deprecated; use x.io/v1 Job\"");
  a = s.get(jobs);
  BOOST_TEST(a.headers.count("Warning") == 0u);
  BOOST_TEST(a["/kind"] == "JobCollection");
}

BOOST_AUTO_TEST_CASE(versions_that_were_stored_are_remembered) {
  server_fixture s;
  s.post(crds, crd());
  auto text = s.get(crds + "/jobs.x.io").body;
  auto& versions = text["spec"]["versions"];
  versions.push_back(versions[0]);
  versions[0]["storage"] = false;
  versions[1]["name"] = "v2";
  auto a = s.put(crds + "/jobs.x.io", text);
  BOOST_TEST(a["/status/storedVersions"] == json({"v1", "v2"}));
  BOOST_TEST(a["/metadata/generation"] == 2);
}

BOOST_AUTO_TEST_SUITE_END()
