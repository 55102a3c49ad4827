#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s::apiserver;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/"
                         "customresourcedefinitions";
const std::string jobs = "/apis/x.io/v1/namespaces/default/jobs";

json crd() {
  return json::parse(R"({
    "metadata": {"name": "jobs.x.io"},
    "spec": {
      "group": "x.io", "scope": "Namespaced",
      "names": {"plural": "jobs", "kind": "Job", "shortNames": ["xj"]},
      "versions": [{
        "name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}, "scale": {
          "specReplicasPath": ".spec.replicas",
          "statusReplicasPath": ".status.replicas"}},
        "additionalPrinterColumns": [
          {"name": "State", "type": "string",
           "jsonPath": ".status.conditions[-1:].type"},
          {"name": "Age", "type": "date",
           "jsonPath": ".metadata.creationTimestamp"}],
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
          "spec": {"type": "object", "required": ["size"], "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9},
            "replicas": {"type": "integer", "default": 2},
            "mode": {"type": "string", "enum": ["A", "B"]},
            "tag": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 4},
            "port": {"x-kubernetes-int-or-string": true},
            "maybe": {"type": "string", "nullable": true},
            "free": {"type": "object",
                     "x-kubernetes-preserve-unknown-fields": true},
            "map": {"type": "object", "additionalProperties": {
              "type": "object", "properties": {
                "n": {"type": "integer", "default": 7}}}},
            "list": {"type": "array", "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name"],
                        "properties": {"name": {"type": "string"}}}},
            "manager": {"type": "string", "x-kubernetes-validations": [
              {"rule": "self == oldSelf", "message": "field is immutable"}]}
          }},
          "status": {"type": "object",
                     "x-kubernetes-preserve-unknown-fields": true}
        }}}}]}})");
}

json job(json spec) {
  return {{"apiVersion", "x.io/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "j"}}},
          {"spec", std::move(spec)}};
}

struct defined : server_fixture {
  defined() { BOOST_REQUIRE(post(crds, crd()).status == 201); }
};

} // namespace

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

BOOST_AUTO_TEST_CASE(defaults_are_filled_in) {
  defined s;
  auto a = s.post(jobs, job({{"size", 1},
                             {"map", {{"x", json::object()}}},
                             {"replicas", nullptr},
                             {"maybe", nullptr}}));
  BOOST_TEST(a["/spec/replicas"] == 2);
  BOOST_TEST(a["/spec/map/x/n"] == 7);
  BOOST_TEST(a.body["spec"].contains("maybe"));
}

BOOST_AUTO_TEST_CASE(values_are_held_against_the_schema) {
  defined s;
  struct {
    json spec;
    std::string part;
  } rows[] = {
      {json::object(), "spec.size: Required value"},
      {{{"size", 0}},
       "spec.size: Invalid value: 0: spec.size in body should be "
       "greater than or equal to 1"},
      {{{"size", 10}}, "should be less than or equal to 9"},
      {{{"size", "x"}},
       "spec.size: Invalid value: \"x\": spec.size in body must "
       "be of type integer: \"string\""},
      {{{"size", 1.5}}, "must be of type integer: \"number\""},
      {{{"size", 1}, {"mode", "C"}},
       "spec.mode: Unsupported value: \"C\": supported values: \"A\", \"B\""},
      {{{"size", 1}, {"tag", "A"}},
       "spec.tag: Invalid value: \"A\": spec.tag in body should match "
       "'^[a-z]+$'"},
      {{{"size", 1}, {"tag", "abcde"}}, "spec.tag: Too long"},
      {{{"size", 1}, {"port", json::array()}},
       "must be of type integer,string"},
      {{{"size", 1}, {"list", {{{"name", "a"}}, {{"name", "a"}}}}},
       "spec.list[1]: Duplicate value: {\"name\":\"a\"}"},
      {{{"size", 1}, {"list", {json::object()}}},
       "spec.list[0].name: Required value"},
      {{{"size", 1}, {"map", {{"x", {{"n", "y"}}}}}}, "spec.map.x.n: Invalid"},
  };
  for (const auto& row : rows) {
    auto a = s.post(jobs, job(row.spec));
    BOOST_TEST(a.status == 422, row.spec);
    BOOST_TEST(a.says(row.part), a.message() << " / " << row.part);
    BOOST_TEST(a.message().find("Job.x.io \"j\" is invalid: ") == 0u);
  }
  json fine{{"size", 9},
            {"mode", "A"},
            {"tag", "abc"},
            {"port", "80"},
            {"free", {{"any", {{"thing", 1}}}}}};
  auto a = s.post(jobs, job(fine));
  BOOST_TEST(a.status == 201, a.body);
  BOOST_TEST(a["/spec/free/any/thing"] == 1);
}

BOOST_AUTO_TEST_CASE(unknown_fields_are_refused_warned_of_or_dropped) {
  defined s;
  auto body = job({{"size", 1}, {"foo", 1}});
  auto a = s.post(jobs + "?fieldValidation=Strict", body);
  BOOST_TEST(a.status == 400);
  BOOST_TEST(a.says("strict decoding error: unknown field \"spec.foo\""));
  a = s.post(jobs + "?fieldValidation=Warn", body);
  BOOST_TEST(a.headers["Warning"]
             == "299 - \"unknown field \\\"spec.foo\\\"\"");
  BOOST_TEST(a["/spec/foo"].is_null());
  s.drop(jobs + "/j");
  a = s.post(jobs + "?fieldValidation=Ignore", body);
  BOOST_TEST(a.headers.count("Warning") == 0u);
}

BOOST_AUTO_TEST_CASE(generation_counts_changes_of_the_spec) {
  defined s;
  auto a = s.post(jobs, job({{"size", 1}}));
  BOOST_TEST(a["/metadata/generation"] == 1);
  BOOST_TEST(s.merge(jobs + "/j",
                     {{"metadata",
                       {{"labels", {{"a", "b"}}}}}})["/metadata/generation"]
             == 1);
  BOOST_TEST(s.merge(jobs + "/j/status", {{"status", {{"x", 1}}}})["/metadata/"
                                                                   "generation"]
             == 1);
  a = s.merge(jobs + "/j", {{"spec", {{"size", 2}}}, {"status", {{"x", 2}}}});
  BOOST_TEST(a["/metadata/generation"] == 2);
  BOOST_TEST(a["/status/x"] == 1);
  a = s.merge(jobs + "/j/status", {{"spec", {{"size", 3}}},
                                   {"metadata", {{"labels", {{"c", "d"}}}}},
                                   {"status", {{"x", 5}}}});
  BOOST_TEST(a["/spec/size"] == 2);
  BOOST_TEST(a["/metadata/labels/c"].is_null());
  BOOST_TEST(a["/status/x"] == 5);
}

BOOST_AUTO_TEST_CASE(an_update_needs_a_version) {
  defined s;
  auto a = s.post(jobs, job({{"size", 1}}));
  auto no = s.put(jobs + "/j", job({{"size", 2}}));
  BOOST_TEST(no.status == 422);
  // As of Kubernetes 1.34; earlier ones print 0x0.
  BOOST_TEST(no.message()
             == "jobs.x.io \"j\" is invalid: metadata.resourceVersion: Invalid "
                "value: 0: must be specified for an update");
  a.body["spec"]["size"] = 2;
  BOOST_TEST(s.put(jobs + "/j", a.body).status == 200);
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
  BOOST_TEST(s.post(crds, wrong).says("schemas are required"));
}

BOOST_AUTO_TEST_CASE(a_custom_resource_takes_no_strategic_merge) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  BOOST_TEST(s.call("PATCH", jobs + "/j", json::object(),
                    "application/strategic-merge-patch+json")
                 .status
             == 415);
}

BOOST_AUTO_TEST_CASE(scale_reads_and_writes_the_replicas) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  BOOST_TEST(s.get(jobs + "/j/scale")["/spec/replicas"] == 2);
  auto a = s.merge(jobs + "/j/scale", {{"spec", {{"replicas", 5}}}});
  BOOST_TEST(a["/spec/replicas"] == 5);
  BOOST_TEST(s.get(jobs + "/j")["/spec/replicas"] == 5);
}

BOOST_AUTO_TEST_CASE(scale_requests_are_answered_as_those_of_the_object) {
  const json none;
  struct row {
    const char* method;
    json version; ///< In the body; null: absent.
    int status;
    int replicas; ///< Afterwards.
  } rows[] = {
      {"PUT", "current", 200, 5},   {"PUT", "1", 409, 2},
      {"PUT", "", 200, 5},          {"PUT", none, 200, 5},
      {"PATCH", "current", 200, 5}, {"PATCH", "1", 409, 2},
      {"PATCH", none, 200, 5},      {"POST", none, 405, 2},
      {"DELETE", none, 405, 2},
  };
  for (const auto& r : rows) {
    defined s;
    auto made = s.post(jobs, job({{"size", 1}}));
    json scale{{"metadata", {{"name", "j"}, {"namespace", "default"}}},
               {"spec", {{"replicas", 5}}}};
    if (!r.version.is_null())
      scale["metadata"]["resourceVersion"] =
          r.version == "current" ? json(made.version()) : r.version;
    auto a = s.call(
        r.method, jobs + "/j/scale", scale,
        std::string{r.method} == "PATCH" ? "application/merge-patch+json" : "");
    BOOST_TEST_CONTEXT(r.method << " " << r.version << ": " << a.body) {
      BOOST_TEST(a.status == r.status);
      BOOST_TEST(s.get(jobs + "/j")["/spec/replicas"] == r.replicas);
      if (r.status == 409)
        BOOST_TEST(a.message()
                   == "Operation cannot be fulfilled on jobs.x.io \"j\": the "
                      "object has been modified; please apply your changes to "
                      "the latest version and try again");
    }
  }
}

BOOST_AUTO_TEST_CASE(scale_goes_round_an_admission) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  s.core.set_admission_validator("jobs.x.io", [](const json&, const json*) {
    return std::optional<std::string>("never");
  });
  BOOST_TEST(s.merge(jobs + "/j/scale", {{"spec", {{"replicas", 5}}}}).status
             == 200);
  BOOST_TEST(
      s.merge(jobs + "/j", {{"metadata", {{"labels", {{"a", "b"}}}}}}).status
      == 403);
}

BOOST_AUTO_TEST_CASE(each_resource_has_a_rule_for_names) {
  server_fixture s;
  auto roles = crd();
  roles["metadata"]["name"] = "trainingroles.x.io";
  roles["spec"]["names"] = {{"plural", "trainingroles"},
                            {"kind", "TrainingRole"}};
  BOOST_REQUIRE(s.post(crds, roles).status == 201);
  const std::string subdomain = "a lowercase RFC 1123 subdomain";
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
  struct row {
    std::string path, name;
    std::string error; ///< "": none.
  } rows[] = {
      {"/apis/x.io/v1/namespaces/default/trainingroles", "Big", subdomain},
      {"/apis/x.io/v1/namespaces/default/trainingroles", "a.b", ""},
      {maps, "Big", subdomain},
      {maps, "1a", ""},
      {"/api/v1/namespaces/default/services", "a.b", "a DNS-1035 label"},
      {"/api/v1/namespaces/default/services", "1a", "a DNS-1035 label"},
      {rbac + "clusterroles", "system:Big", ""},
      {rbac + "clusterroles", "..", "may not be '..'"},
      {rbac + "clusterroles", "a%b", "may not contain '%'"},
      {rbac + "clusterrolebindings", "a/b", "may not contain '/'"},
      {rbac + "namespaces/default/roles", "system:Big", ""},
      {rbac + "namespaces/default/rolebindings", ".", "may not be '.'"},
  };
  for (const auto& r : rows) {
    auto a =
        s.post(r.path, {{"metadata", {{"name", r.name}}},
                        {"spec", {{"size", 1}, {"ports", {{{"port", 80}}}}}}});
    BOOST_TEST_CONTEXT(r.path << " " << r.name << ": " << a.body) {
      BOOST_TEST(a.status == (r.error.empty() ? 201 : 422));
      if (!r.error.empty())
        BOOST_TEST(a.says("metadata.name: Invalid value: \"" + r.name
                          + "\": " + r.error));
    }
  }
}

BOOST_AUTO_TEST_CASE(tables_show_the_printer_columns) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  json conditions = {{{"type", "Created"}}, {{"type", "Running"}}};
  s.merge(jobs + "/j/status", {{"status", {{"conditions", conditions}}}});
  auto r = s.request("GET", jobs);
  r.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  s.now += std::chrono::seconds{192};
  auto a = s.ask(r);
  BOOST_TEST(a["/kind"] == "Table");
  BOOST_TEST(a["/columnDefinitions/1/name"] == "State");
  BOOST_TEST(a["/rows/0/cells"] == (json{"j", "Running", "3m12s"}));
  BOOST_TEST(a["/rows/0/object/metadata/name"] == "j");
}

BOOST_AUTO_TEST_CASE(tables_of_pods_look_as_kubectl_has_them) {
  server_fixture s;
  s.post(pods, pod("a"));
  json running = {{"name", "c"},
                  {"ready", true},
                  {"restartCount", 2},
                  {"state", {{"running", json::object()}}}};
  s.merge(
      pods + "/a/status",
      {{"status", {{"phase", "Running"}, {"containerStatuses", {running}}}}});
  auto r = s.request("GET", pods);
  r.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  auto cells = s.ask(r)["/rows/0/cells"];
  cells.erase(cells.begin() + 5, cells.end());
  BOOST_TEST(cells == (json{"a", "1/1", "Running", 2, "0s"}));
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

BOOST_AUTO_TEST_SUITE_END()
