#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/storage/store.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(version_conversion_test)

namespace {

const std::string old_jobs = "/apis/x.io/v1/namespaces/default/jobs";
const std::string new_jobs = "/apis/x.io/v2/namespaces/default/jobs";

json version_definition(const char* name, const char* field,
                        const char* default_value) {
  json status{{"type", "object"},
              {"x-kubernetes-preserve-unknown-fields", true}};
  json spec{{"type", "object"},
            {"required", {field}},
            {"properties",
             {{field, {{"type", "string"}, {"maxLength", 9}}},
              {"extra", {{"type", "string"}, {"default", default_value}}}}}};
  return {{"name", name},
          {"served", true},
          {"storage", std::string{"v1"} == name},
          {"subresources",
           {{"status", json::object()},
            {"scale",
             {{"specReplicasPath", std::string{".spec."} + field},
              {"statusReplicasPath", ".status.replicas"}}}}},
          {"additionalPrinterColumns",
           {{{"name", "What"},
             {"type", "string"},
             {"jsonPath", std::string{".spec."} + field}}}},
          {"schema",
           {{"openAPIV3Schema",
             {{"type", "object"},
              {"properties", {{"spec", spec}, {"status", status}}}}}}}};
}

/// v1, which is stored, has spec.old; v2 has spec.new.
json two_versions() {
  auto out = crd();
  out["spec"]["versions"] = {version_definition("v1", "old", "one"),
                             version_definition("v2", "new", "two")};
  return out;
}

/// Renames spec.old to spec.new and back; what is "odd" it refuses. Labels and
/// annotations say what it did.
result<json> rename_field(const json& object, const std::string& version) {
  bool forward = version == "v2";
  auto out = object;
  auto& spec = ensure_object(out, "spec");
  auto& from = spec[forward ? "old" : "new"];
  if (from == "odd")
    return failure{ec::invalid, "spec.new: it is odd"};
  spec[forward ? "new" : "old"] = from;
  spec.erase(forward ? "old" : "new");
  spec["unknown"] = "x";
  out["metadata"]["name"] = "another";
  auto& labels = ensure_object(out["metadata"], "labels");
  labels["seen-as"] = version;
  return out;
}

json versioned_job(const char* version, json spec) {
  auto out = job(std::move(spec));
  out["apiVersion"] = std::string{"x.io/"} + version;
  return out;
}

struct two_version_server : server_fixture {
  two_version_server() {
    core.set_object_converter("jobs.x.io", rename_field);
    BOOST_REQUIRE(post(crds, two_versions()).status == 201);
  }

  json stored() {
    return core.objects().find("jobs.x.io", "default/j")->value();
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(an_object_is_stored_in_one_version_and_served_in_both) {
  two_version_server s;
  auto made = s.post(new_jobs, versioned_job("v2", {{"new", "a"}}));
  BOOST_REQUIRE(made.status == 201);
  BOOST_TEST(made["/apiVersion"] == "x.io/v2");
  BOOST_TEST(made["/spec"] == json({{"new", "a"}, {"extra", "two"}}));
  BOOST_TEST(s.stored()["apiVersion"] == "x.io/v1");
  BOOST_TEST(s.stored()["spec"]["old"] == "a");
  auto read = s.get(old_jobs + "/j");
  BOOST_TEST(read["/apiVersion"] == "x.io/v1");
  BOOST_TEST(read["/spec/old"] == "a");
  BOOST_TEST(read["/spec/extra"] == "two");
  read = s.get(new_jobs + "/j");
  // Defaults of the version that was written; without what the schema lacks;
  // and of the metadata only labels and annotations are the converter's.
  BOOST_TEST(read["/spec"] == json({{"new", "a"}, {"extra", "two"}}));
  BOOST_TEST(read["/metadata/name"] == "j");
  BOOST_TEST(read["/metadata/labels/seen-as"] == "v2");
  BOOST_TEST(read.version() == made.version());
}

BOOST_AUTO_TEST_CASE(lists_and_selectors_are_of_the_version_that_is_read) {
  two_version_server s;
  s.post(old_jobs, versioned_job("v1", {{"old", "a"}}));
  auto list = s.get(new_jobs);
  BOOST_TEST(list["/apiVersion"] == "x.io/v2");
  BOOST_TEST(list["/items/0/spec/new"] == "a");
  BOOST_TEST(list["/items/0/apiVersion"] == "x.io/v2");
  BOOST_TEST(s.get(old_jobs)["/items/0/spec/old"] == "a");
  auto count = [&](const std::string& target) {
    return s.get(target)["/items"].size();
  };
  BOOST_TEST(count(new_jobs + "?labelSelector=seen-as%3Dv2") == 1u);
  BOOST_TEST(count(new_jobs + "?labelSelector=%21seen-as") == 0u);
  BOOST_TEST(count(old_jobs + "?labelSelector=seen-as%3Dv2") == 0u);
  BOOST_TEST(count(new_jobs + "?fieldSelector=metadata.name%3Dj") == 1u);
  auto asked = s.request("GET", new_jobs);
  asked.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  auto table = s.ask(asked);
  BOOST_TEST(table["/rows/0/cells/1"] == "a");
  asked.headers["accept"] =
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  BOOST_TEST(s.ask(asked)["/items/0/metadata/labels/seen-as"] == "v2");
}

BOOST_AUTO_TEST_CASE(a_watch_is_of_the_version_that_is_read) {
  two_version_server s;
  s.post(old_jobs, versioned_job("v1", {{"old", "a"}}));
  auto all = s.watch(new_jobs);
  auto chosen = s.watch(new_jobs + "?labelSelector=seen-as%3Dv2,new%3Dlabel");
  auto none = s.watch(new_jobs + "?labelSelector=%21seen-as");
  BOOST_TEST(all->lines() == std::vector<std::string>{"ADDED j"},
             boost::test_tools::per_element());
  BOOST_TEST(all->last["spec"]["new"] == "a");
  s.merge(old_jobs + "/j", {{"metadata", {{"labels", {{"new", "label"}}}}},
                            {"spec", {{"old", "b"}}}});
  BOOST_TEST(all->lines() == std::vector<std::string>{"MODIFIED j"},
             boost::test_tools::per_element());
  BOOST_TEST(all->last["apiVersion"] == "x.io/v2");
  BOOST_TEST(all->last["spec"]["new"] == "b");
  BOOST_TEST(chosen->lines() == std::vector<std::string>{"ADDED j"},
             boost::test_tools::per_element());
  s.drop(old_jobs + "/j");
  BOOST_TEST(all->lines() == std::vector<std::string>{"DELETED j"},
             boost::test_tools::per_element());
  BOOST_TEST(chosen->lines() == std::vector<std::string>{"DELETED j"},
             boost::test_tools::per_element());
  BOOST_TEST(chosen->last["spec"]["new"] == "b");
  BOOST_TEST(none->lines().empty());
  // What cannot be shown ends a watch; the next list says why.
  s.post(old_jobs, versioned_job("v1", {{"old", "odd"}}));
  BOOST_TEST(all->over);
  auto failed = s.get(new_jobs);
  BOOST_TEST(failed.status == 500);
  BOOST_TEST(failed.message()
             == "conversion webhook for x.io/v1, Kind=Job failed: spec.new: it "
                "is odd");
  BOOST_TEST(s.get(new_jobs + "/j").status == 500);
  auto late = s.watch(new_jobs);
  BOOST_TEST(late->lines() == std::vector<std::string>{"ERROR"},
             boost::test_tools::per_element());
  BOOST_TEST(late->over);
  BOOST_TEST(s.get(old_jobs)["/items"].size() == 1u);
}

BOOST_AUTO_TEST_CASE(writes_are_of_the_version_of_the_request) {
  two_version_server s;
  s.post(old_jobs, versioned_job("v1", {{"old", "a"}}));
  auto changed = s.merge(new_jobs + "/j", {{"spec", {{"new", "b"}}}});
  BOOST_TEST(changed.status == 200);
  BOOST_TEST(changed["/spec/new"] == "b");
  BOOST_TEST(changed["/metadata/generation"] == 2);
  BOOST_TEST(s.stored()["spec"]["old"] == "b");
  auto next = changed.body;
  next["spec"]["new"] = "c";
  BOOST_TEST(s.put(new_jobs + "/j", next)["/spec/new"] == "c");
  BOOST_TEST(s.put(new_jobs + "/j", next).status == 409);
  auto seen = s.merge(new_jobs + "/j/status", {{"status", {{"n", 1}}}});
  BOOST_TEST(seen["/status/n"] == 1);
  BOOST_TEST(seen["/spec/new"] == "c");
  BOOST_TEST(s.stored()["apiVersion"] == "x.io/v1");
  BOOST_TEST(s.stored()["status"]["n"] == 1);
  // The schema of the request's version holds.
  BOOST_TEST(s.merge(new_jobs + "/j", {{"spec", {{"new", nullptr}}}})
                 .says("spec.new: Required value"));
  auto version = s.get(new_jobs + "/j").version();
  BOOST_TEST(s.merge(new_jobs + "/j", {{"spec", {{"new", "c"}}}}).version()
             == version);
  BOOST_TEST(s.get(new_jobs + "/j/scale")["/metadata/name"] == "j");
  BOOST_TEST(s.drop(new_jobs + "/j").status == 200);
  BOOST_TEST(s.get(old_jobs)["/items"].empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_converted_is_not_stored) {
  two_version_server s;
  auto odd = versioned_job("v2", {{"new", "odd"}});
  auto refused = s.post(new_jobs, odd);
  BOOST_TEST(refused.status == 500);
  BOOST_TEST(refused.message()
             == "conversion webhook for x.io/v2, Kind=Job failed: spec.new: it "
                "is odd");
  BOOST_TEST(s.get(new_jobs)["/items"].empty());
  // A dry run stores nothing, so nothing is converted.
  BOOST_TEST(s.post(new_jobs + "?dryRun=All", odd).status == 201);
  s.post(new_jobs, versioned_job("v2", {{"new", "a"}}));
  BOOST_TEST(s.merge(new_jobs + "/j", {{"spec", {{"new", "odd"}}}}).status
             == 500);
  BOOST_TEST(s.get(new_jobs + "/j")["/spec/new"] == "a");
  s.merge(old_jobs + "/j", {{"spec", {{"old", "odd"}}}});
  BOOST_TEST(s.merge(new_jobs + "/j", {{"spec", {{"new", "b"}}}}).status
             == 500);
  BOOST_TEST(s.drop(new_jobs).status == 500);
}

BOOST_AUTO_TEST_CASE(collections_are_deleted_by_what_the_version_shows) {
  two_version_server s;
  s.post(old_jobs, versioned_job("v1", {{"old", "a"}}));
  s.drop(new_jobs + "?labelSelector=%21seen-as");
  BOOST_TEST(s.get(old_jobs)["/items"].size() == 1u);
  auto gone = s.drop(new_jobs + "?labelSelector=seen-as");
  BOOST_TEST(gone["/items/0/spec/new"] == "a");
  BOOST_TEST(s.get(old_jobs)["/items"].empty());
}

BOOST_AUTO_TEST_CASE(without_a_converter_only_apiVersion_differs) {
  server_fixture s;
  auto definition = two_versions();
  for (auto& v : definition["spec"]["versions"])
    v["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        {"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  BOOST_REQUIRE(s.post(crds, definition).status == 201);
  s.post(new_jobs, versioned_job("v2", {{"new", "a"}}));
  BOOST_TEST(s.get(old_jobs + "/j")["/spec/new"] == "a");
  BOOST_TEST(s.get(old_jobs + "/j")["/apiVersion"] == "x.io/v1");
  BOOST_TEST(
      s.core.objects().find("jobs.x.io", "default/j")->value()["apiVersion"]
      == "x.io/v1");
}

BOOST_AUTO_TEST_CASE(what_another_version_stored_is_written_anew) {
  two_version_server s;
  auto definition = s.get(crds + "/jobs.x.io").body;
  s.post(old_jobs, versioned_job("v1", {{"old", "a"}}));
  definition["spec"]["versions"][0]["storage"] = false;
  definition["spec"]["versions"][1]["storage"] = true;
  BOOST_REQUIRE(s.put(crds + "/jobs.x.io", definition).status == 200);
  BOOST_TEST(s.get(new_jobs + "/j")["/spec/new"] == "a");
  BOOST_TEST(s.get(old_jobs + "/j")["/spec/old"] == "a");
  BOOST_TEST(s.stored()["apiVersion"] == "x.io/v1");
  s.merge(new_jobs + "/j", json::object());
  BOOST_TEST(s.stored()["apiVersion"] == "x.io/v2");
  BOOST_TEST(s.get(old_jobs + "/j")["/spec/old"] == "a");
}

BOOST_AUTO_TEST_CASE(admission_is_asked_about_the_version_of_the_request) {
  two_version_server s;
  s.core.set_admission_validator(
      resource{"x.io", "v2", "jobs", "Job"},
      [](const json& o, const json* old) {
        admission_response r;
        if (text_at(o, {"spec", "new"}) == "bad")
          r.denial = old ? "was " + text_at(*old, {"spec", "new"}) : "never";
        return r;
      });
  BOOST_TEST(s.post(old_jobs, versioned_job("v1", {{"old", "bad"}})).status
             == 201);
  BOOST_TEST(
      s.merge(new_jobs + "/j", {{"metadata", {{"labels", {{"a", "b"}}}}}})
          .message()
      == "was bad");
}

BOOST_AUTO_TEST_SUITE_END()
