#include "k8s/apiserver/storage/store.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(write_steps_test)

BOOST_AUTO_TEST_CASE(a_missing_namespace_is_404) {
  server_fixture s;
  auto a = s.post("/api/v1/namespaces/nowhere/pods", pod("a"));
  BOOST_TEST(a.status == 404);
  BOOST_TEST(a.message() == "namespaces \"nowhere\" not found");
  s.core.ensure_namespace_ignoring_errors("nowhere");
  BOOST_TEST(s.post("/api/v1/namespaces/nowhere/pods", pod("a")).status == 201);
}

BOOST_AUTO_TEST_CASE(generated_names_differ) {
  server_fixture s;
  json body{{"metadata", {{"generateName", "x-"}}}};
  auto a = s.post(maps, body), b = s.post(maps, body);
  BOOST_TEST(a["/metadata/name"].get<std::string>().substr(0, 2) == "x-");
  BOOST_TEST(a["/metadata/name"] != b["/metadata/name"]);
}

BOOST_AUTO_TEST_CASE(a_dry_run_leaves_no_trace) {
  server_fixture s;
  BOOST_TEST(s.post(pods + "?dryRun=All", pod("a")).status == 201);
  BOOST_TEST(s.get(pods + "/a").status == 404);
  s.post(pods, pod("a"));
  s.merge(pods + "/a?dryRun=All", {{"metadata", {{"labels", {{"x", "y"}}}}}});
  s.drop(pods + "/a?dryRun=All");
  BOOST_TEST(s.get(pods + "/a")["/metadata/labels"].is_null());
}

BOOST_AUTO_TEST_CASE(a_stale_update_is_refused) {
  server_fixture s;
  auto old = s.post(maps, config_map("m")).body;
  auto fresh = old;
  fresh["data"] = {{"a", "1"}};
  BOOST_TEST(s.put(maps + "/m", fresh).status == 200);
  auto a = s.put(maps + "/m", old);
  BOOST_TEST(a.status == 409);
  BOOST_TEST(a.reason() == "Conflict");
  BOOST_TEST(a.message()
             == "Operation cannot be fulfilled on configmaps \"m\": the object "
                "has been modified; please apply your changes to the latest "
                "version and try again");
  old["metadata"].erase("resourceVersion");
  BOOST_TEST(s.put(maps + "/m", old).status == 200);
  old["metadata"]["uid"] = "someone-else";
  BOOST_TEST(s.put(maps + "/m", old).status == 409);
}

BOOST_AUTO_TEST_CASE(an_update_that_changes_nothing_makes_no_version) {
  server_fixture s;
  auto a = s.post(pods, pod("a"));
  auto watch_recorder = s.watch(pods + "?resourceVersion=" + a.version());
  BOOST_TEST(s.put(pods + "/a", a.body).version() == a.version());
  BOOST_TEST(s.merge(pods + "/a", json::object()).version() == a.version());
  BOOST_TEST(s.put(pods + "/a", pod("a")).version() == a.version());
  BOOST_TEST(watch_recorder->lines().empty());
}

BOOST_AUTO_TEST_CASE(status_and_the_rest_are_written_apart) {
  server_fixture s;
  s.post(pods, pod("a"));
  auto a = s.merge(pods + "/a", {{"status", {{"phase", "Running"}}},
                                 {"metadata", {{"labels", {{"x", "1"}}}}}});
  BOOST_TEST(a["/status/phase"] == "Pending");
  BOOST_TEST(a["/metadata/labels/x"] == "1");
  a = s.merge(pods + "/a/status", {{"status", {{"phase", "Succeeded"}}},
                                   {"spec", {{"nodeName", "n"}}}});
  BOOST_TEST(a["/status/phase"] == "Succeeded");
  BOOST_TEST(a["/spec/nodeName"].is_null());
  a = s.merge(pods + "/a/status", {{"status", {{"phase", "Running"}}}});
  BOOST_TEST(a.status == 422);
}

BOOST_AUTO_TEST_CASE(an_admission_can_refuse_like_a_webhook) {
  server_fixture s;
  s.core.set_admission_validator(resource{"", "v1", "configmaps", "ConfigMap"},
                                 [](const json& o, const json* old) {
                                   admission_response r;
                                   if (text_at(o, {"data", "k"}) == "bad")
                                     r.denial = old ? "not so" : "never so";
                                   return r;
                                 });
  auto m = config_map("m");
  m["data"] = {{"k", "bad"}};
  auto a = s.post(maps, m);
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a.message() == "never so");
  s.post(maps, config_map("m"));
  BOOST_TEST(s.merge(maps + "/m", {{"data", {{"k", "bad"}}}}).message()
             == "not so");
}

BOOST_AUTO_TEST_CASE(a_mutator_changes_what_is_validated_and_stored) {
  server_fixture s;
  s.core.set_admission_mutator(
      resource{"", "v1", "configmaps", "ConfigMap"},
      [](json& o) { set_default(o["data"], "k", "default"); });
  s.core.set_admission_validator(resource{"", "v1", "configmaps", "ConfigMap"},
                                 [](const json& o, const json*) {
                                   admission_response r;
                                   if (text_at(o, {"data", "k"}).empty())
                                     r.denial = "not mutated";
                                   return r;
                                 });
  auto a = s.post(maps, config_map("m"));
  BOOST_TEST(a.status == 201);
  BOOST_TEST(text_at(a.body, {"data", "k"}) == "default");
}

BOOST_AUTO_TEST_CASE(an_admission_can_warn_whether_or_not_it_refuses) {
  server_fixture s;
  s.core.set_admission_validator(
      resource{"", "v1", "configmaps", "ConfigMap"},
      [](const json& o, const json*) {
        admission_response r;
        if (o.contains("data"))
          r.warnings = {"data is old", "use \"new\""};
        if (text_at(o, {"data", "k"}) == "bad")
          r.denial = "never so";
        return r;
      });
  auto m = config_map("m");
  BOOST_TEST(s.post(maps, m).headers.count("Warning") == 0u);
  m["data"] = {{"k", "bad"}};
  std::string warned = R"(299 - "data is old", 299 - "use \"new\"")";
  auto a = s.put(maps + "/m", m);
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a.headers["Warning"] == warned);
  m["data"] = {{"k", "good"}};
  a = s.put(maps + "/m", m);
  BOOST_TEST(a.status == 200);
  BOOST_TEST(a.headers["Warning"] == warned);
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

BOOST_AUTO_TEST_CASE(fields_of_built_in_resources_are_checked) {
  struct row {
    const char* path; ///< Of the field that is set.
    json value;
    int status;
    const char* says;
  };
  // clang-format off
  const row rows[] = {
      {"/spec/conteiners", json::array(), 400,
       "Pod in version \"v1\" cannot be handled as a Pod: strict decoding "
       "error: unknown field \"spec.conteiners\""},
      {"/spec/containers/0/ports", {{{"containerport", 1}}}, 400,
       "unknown field \"spec.containers[0].ports[0].containerport\""},
      {"/metadata/lables", {{"a", "b"}}, 400,
       "unknown field \"metadata.lables\""},
      {"/spec/activeDeadlineSeconds", "5", 400,
       "cannot be handled as a Pod: spec.activeDeadlineSeconds: Invalid value: "
       "\"string\": spec.activeDeadlineSeconds in body must be of type integer"},
      {"/spec/containers", "none", 400,
       "spec.containers in body must be of type array"},
      {"/metadata/labels/a", 1, 400,
       "metadata.labels must be a map of strings"},
      {"/spec/activeDeadlineSeconds", nullptr, 201, ""},
      {"/spec/containers/0/resources/limits", {{"cpu", 0.5}, {"memory", "1Gi"}},
       201, ""},
      {"/spec/containers/0/livenessProbe",
       {{"httpGet", {{"port", "http"}, {"path", "/"}}}}, 201, ""},
      // Server-side apply merges these by name; they may be there twice.
      {"/spec/containers/0/env", {{{"name", "A"}, {"value", "1"}}, {{"name", "A"}, {"value", "2"}}}, 201, ""},
      {"/spec/volumes", {{{"name", "v"}, {"emptyDir", json::object()}}}, 201,
       ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    server_fixture s;
    auto body = pod("p");
    body[json::json_pointer(r.path)] = r.value;
    auto a = s.post(pods + "?fieldValidation=Strict", body);
    BOOST_TEST(a.status == r.status, r.path << " " << a.message());
    BOOST_TEST(a.says(r.says), r.path << " " << a.message());
  }
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

BOOST_AUTO_TEST_CASE(metadata_has_no_other_fields) {
  defined s;
  auto odd = job({{"size", 1}});
  odd["metadata"]["nonsense"] = 1;
  auto a = s.post(jobs + "?fieldValidation=Strict", odd);
  BOOST_TEST(a.says("unknown field \"metadata.nonsense\""));
  a = s.post(jobs, odd);
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/metadata/nonsense"].is_null());
  BOOST_TEST(a.headers["Warning"].find("metadata.nonsense")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_empty_in_metadata_is_not_set) {
  defined s;
  auto custom = job({{"size", 1}, {"map", json::object()}});
  auto builtin = config_map("m");
  for (auto* o : {&custom, &builtin}) {
    for (auto key : {"labels", "annotations"})
      (*o)["metadata"][key] = json::object();
    for (auto key : {"finalizers", "ownerReferences"})
      (*o)["metadata"][key] = json::array();
  }
  builtin["data"] = json::object();
  auto a = s.post(jobs, custom), b = s.post(maps, builtin);
  for (auto key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    BOOST_TEST(!a.body["metadata"].contains(key));
    BOOST_TEST(!b.body["metadata"].contains(key));
  }
  BOOST_TEST(a.body["spec"].contains("map"));
  BOOST_TEST(!b.body.contains("data"));
}

BOOST_AUTO_TEST_CASE(a_custom_resource_says_what_it_is) {
  defined s;
  auto nameless = job({{"size", 1}});
  nameless.erase("kind");
  BOOST_TEST(s.post(jobs, nameless).says("'kind' is missing"));
}

BOOST_AUTO_TEST_CASE(what_the_server_sets_is_not_changed_silently) {
  server_fixture s;
  s.post(maps, config_map("a"));
  auto a = s.merge(maps + "/a", {{"metadata", {{"uid", "other"}}}});
  BOOST_TEST(a.status == 422);
  BOOST_TEST(a.says("metadata.uid: Invalid value: \"other\": field is "
                    "immutable"));
  a = s.merge(maps + "/a",
              {{"metadata", {{"deletionTimestamp", "2000-01-01T00:00:00Z"}}}});
  BOOST_TEST(a.says("metadata.deletionTimestamp"));
}

BOOST_AUTO_TEST_CASE(a_prefix_that_makes_no_name_is_named) {
  server_fixture s;
  auto a = s.post(maps, {{"metadata", {{"generateName", "Big-"}}}});
  BOOST_TEST(a.status == 422);
  BOOST_TEST(a.says("metadata.generateName: Invalid value: \"Big-\""));
  a = s.post(maps, {{"metadata", {{"generateName", "job-"}}}});
  BOOST_TEST(a.status == 201);
}

BOOST_AUTO_TEST_CASE(a_pod_from_before_a_rule_can_be_written) {
  server_fixture s;
  auto old = s.post(pods, pod("a")).body;
  old["spec"]["containers"][0]["ports"] = {
      {{"name", "Not_Valid"}, {"containerPort", 80}, {"protocol", "TCP"}}};
  old["metadata"]["finalizers"] = {"x.io/a"};
  s.core.objects().put("pods", "default/a", old);
  json status{{"status", {{"phase", "Running"}}}};
  BOOST_TEST(s.merge(pods + "/a/status", status).status == 200);
  json meta{{"metadata", {{"finalizers", nullptr}}}};
  BOOST_TEST(s.merge(pods + "/a", meta).status == 200);
  json image{{"spec", {{"containers", {{{"name", "c"}, {"image", "x:2"}}}}}}};
  BOOST_TEST(s.call("PATCH", pods + "/a", image,
                    "application/strategic-merge-patch+json")
                 .status
             == 422);
  auto fresh = pod("b");
  fresh["spec"]["containers"][0]["ports"] =
      old["spec"]["containers"][0]["ports"];
  BOOST_TEST(s.post(pods, fresh).status == 422);
}

BOOST_AUTO_TEST_SUITE_END()
