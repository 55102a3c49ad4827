#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(managed_fields_test)

namespace {

struct applying_fixture : defined {
  /// Adds the name, unless the object has one.
  answer apply(const std::string& target, const std::string& manager,
               json object, const std::string& more = {}) {
    if (object.is_object() && !find_value(object, {"metadata", "name"}))
      object["metadata"]["name"] = target.substr(target.rfind('/') + 1);
    return call("PATCH", target + "?fieldManager=" + manager + more, object,
                "application/apply-patch+yaml");
  }

  answer apply_map(const std::string& manager, const json& data,
                   const std::string& more = {}) {
    return apply(maps + "/m", manager,
                 {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"data", data}},
                 more);
  }

  /// "manager Operation fields", one for each entry.
  static std::vector<std::string> owners(const answer& a) {
    std::vector<std::string> out;
    for (const auto& e : a["/metadata/managedFields"])
      out.push_back(text_at(e, {"manager"}) + " " + text_at(e, {"operation"})
                    + " " + e["fieldsV1"].dump());
    return out;
  }

  using texts = std::vector<std::string>;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(an_object_that_does_not_exist_is_created,
                        applying_fixture) {
  auto a = apply_map("me", {{"a", "1"}});
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/data/a"] == "1");
  BOOST_TEST(a["/metadata/name"] == "m");
  json entry{{"manager", "me"},
             {"operation", "Apply"},
             {"apiVersion", "v1"},
             {"time", "2026-01-01T00:00:00Z"},
             {"fieldsType", "FieldsV1"},
             {"fieldsV1", {{"f:data", {{"f:a", json::object()}}}}}};
  BOOST_TEST(a["/metadata/managedFields"] == json::array({entry}));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_longer_applied_goes_unless_others_own_it,
                        applying_fixture) {
  apply_map("me", {{"a", "1"}, {"b", "1"}, {"c", "1"}});
  apply_map("you", {{"c", "1"}, {"d", "1"}});
  auto a = apply_map("me", {{"a", "2"}});
  BOOST_TEST(a.status == 200);
  BOOST_TEST(a["/data"] == json({{"a", "2"}, {"c", "1"}, {"d", "1"}}));
  BOOST_TEST((owners(a)
              == texts{R"(me Apply {"f:data":{"f:a":{}}})",
                       R"(you Apply {"f:data":{"f:c":{},"f:d":{}}})"}));
}

BOOST_FIXTURE_TEST_CASE(a_conflict_names_the_manager_and_the_fields,
                        applying_fixture) {
  apply_map("me", {{"a", "1"}, {"b", "1"}});
  auto one = apply_map("you", {{"a", "2"}});
  BOOST_TEST(one.status == 409);
  BOOST_TEST(one.reason() == "Conflict");
  BOOST_TEST(one.message()
             == "Apply failed with 1 conflict: conflict with \"me\": .data.a");
  json cause{{"reason", "FieldManagerConflict"},
             {"message", "conflict with \"me\""},
             {"field", ".data.a"}};
  BOOST_TEST(one["/details/causes"] == json::array({cause}));
  auto two = apply_map("you", {{"a", "2"}, {"b", "2"}});
  BOOST_TEST(two.message()
             == "Apply failed with 2 conflicts: conflicts with \"me\":\n"
                "- .data.a\n- .data.b");
  BOOST_TEST(get(maps + "/m")["/data/a"] == "1");

  auto forced = apply_map("you", {{"a", "2"}}, "&force=true");
  BOOST_TEST(forced.status == 200);
  BOOST_TEST(forced["/data/a"] == "2");
  BOOST_TEST((owners(forced)
              == texts{R"(me Apply {"f:data":{"f:b":{}}})",
                       R"(you Apply {"f:data":{"f:a":{}}})"}));
}

BOOST_FIXTURE_TEST_CASE(who_updates_owns_what_it_changed, applying_fixture) {
  apply_map("me", {{"a", "1"}, {"b", "1"}});
  auto a = call("PATCH", maps + "/m?fieldManager=editor",
                {{"data", {{"a", "2"}, {"b", nullptr}, {"c", "3"}}}},
                "application/merge-patch+json");
  BOOST_TEST(
      (owners(a) == texts{R"(editor Update {"f:data":{"f:a":{},"f:c":{}}})"}));
  auto refused = apply_map("me", {{"a", "1"}});
  BOOST_TEST(refused.message()
             == "Apply failed with 1 conflict: conflict with \"editor\" using "
                "v1: .data.a");
}

BOOST_FIXTURE_TEST_CASE(without_a_name_the_program_of_the_client_counts,
                        applying_fixture) {
  apply_map("me", {{"a", "1"}});
  auto r = request("PATCH", maps + "/m");
  r.headers["content-type"] = "application/merge-patch+json";
  r.headers["user-agent"] = "kubectl/v1.34.1 (linux/amd64)";
  r.body = R"({"data":{"b":"1"}})";
  BOOST_TEST((owners(ask(r))
              == texts{R"(me Apply {"f:data":{"f:a":{}}})",
                       R"(kubectl Update {"f:data":{"f:b":{}}})"}));
}

BOOST_FIXTURE_TEST_CASE(nobody_owns_anything_before_the_first_apply,
                        applying_fixture) {
  auto made =
      post(maps, {{"metadata", {{"name", "m"}}}, {"data", {{"a", "1"}}}});
  BOOST_TEST(owners(made).empty());
  auto same = apply_map("me", {{"a", "1"}});
  BOOST_TEST(
      (owners(same)
       == texts{R"(me Apply {"f:data":{"f:a":{}}})",
                R"(before-first-apply Update {"f:data":{".":{},"f:a":{}}})"}));
  BOOST_TEST(apply_map("me", {{"a", "2"}}).status == 409);
}

BOOST_FIXTURE_TEST_CASE(kubectl_takes_over_what_it_applied_itself,
                        applying_fixture) {
  auto last = R"({"data":{"a":"1"}})";
  post(maps,
       {{"metadata",
         {{"name", "m"},
          {"annotations",
           {{"kubectl.kubernetes.io/last-applied-configuration", last}}}}},
        {"data", {{"a", "1"}, {"b", "1"}}}});
  BOOST_TEST(apply_map("kubectl", {{"b", "2"}}).status == 409);
  BOOST_TEST(apply_map("other", {{"a", "2"}}).status == 409);
  BOOST_TEST(apply_map("kubectl", {{"a", "2"}}).status == 200);
}

BOOST_FIXTURE_TEST_CASE(applying_the_same_changes_nothing, applying_fixture) {
  auto first = apply_map("me", {{"a", "1"}});
  now += std::chrono::seconds{5};
  auto second = apply_map("me", {{"a", "1"}});
  BOOST_TEST(second.status == 200);
  BOOST_TEST(second.body == first.body);
}

BOOST_FIXTURE_TEST_CASE(lists_are_merged_by_their_keys, applying_fixture) {
  const std::string service = "/api/v1/namespaces/default/services/s";
  auto ports = [](json list) {
    return json{{"spec", {{"ports", std::move(list)}}}};
  };
  apply(service, "me", ports({{{"port", 80}, {"name", "a"}}}));
  auto a = apply(service, "you", ports({{{"port", 81}, {"name", "b"}}}));
  BOOST_TEST(a["/spec/ports"].size() == 2);
  auto b = apply(service, "you", ports({{{"port", 82}, {"name", "b"}}}));
  BOOST_TEST(b["/spec/ports"].size() == 2);
  BOOST_TEST(b["/spec/ports/0/port"] == 80);
  BOOST_TEST(b["/spec/ports/1/port"] == 82);
}

BOOST_FIXTURE_TEST_CASE(a_custom_resource_and_its_status_are_apart,
                        applying_fixture) {
  auto spec = job({{"size", 1}});
  spec["status"] = {{"state", "ignored"}};
  BOOST_TEST(apply(jobs + "/j", "me", spec).status == 201);
  json status = job({{"size", 5}});
  status["status"] = {{"state", "Running"}};
  auto a = apply(jobs + "/j/status", "controller", status);
  BOOST_TEST(a.status == 200);
  BOOST_TEST(a["/spec/size"] == 1);
  BOOST_TEST(a["/status/state"] == "Running");
  BOOST_TEST((owners(a)
              == texts{R"(controller Apply {"f:status":{"f:state":{}}})",
                       R"(me Apply {"f:spec":{"f:size":{}}})"}));
  BOOST_TEST(a["/metadata/managedFields/0/subresource"] == "status");
  BOOST_TEST(a["/metadata/generation"] == 1);
  BOOST_TEST(apply(jobs + "/none/status", "me", status).status == 404);
}

BOOST_FIXTURE_TEST_CASE(an_update_may_end_the_keeping_of_owners,
                        applying_fixture) {
  apply_map("me", {{"a", "1"}});
  auto a =
      merge(maps + "/m",
            {{"metadata", {{"managedFields", json::array({json::object()})}}}});
  BOOST_TEST(owners(a).empty());
  BOOST_TEST(a["/data/a"] == "1");
}

BOOST_FIXTURE_TEST_CASE(a_dry_run_applies_nothing, applying_fixture) {
  apply_map("me", {{"a", "1"}});
  auto a = apply_map("me", {{"a", "2"}}, "&dryRun=All");
  BOOST_TEST(a["/data/a"] == "2");
  BOOST_TEST(get(maps + "/m")["/data/a"] == "1");
}

BOOST_FIXTURE_TEST_CASE(requests_that_cannot_be_applied_are_refused,
                        applying_fixture) {
  auto nobody = call("PATCH", maps + "/m", json::object(),
                     "application/apply-patch+yaml");
  BOOST_TEST(nobody.status == 422);
  BOOST_TEST(nobody.message()
             == "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: "
                "Required value: is required for apply patch");
  struct row {
    json object;
    const char* more;
    int status;
    const char* says;
  } rows[] = {
      {json::array(), "", 400, "must be an object"},
      {{{"metadata", {{"name", "n"}}}}, "", 400, "does not match the name on"},
      {{{"metadata", {{"name", ""}}}},
       "",
       400,
       "the name of the object (m based on URL) was undeterminable: name must "
       "be provided"},
      {{{"metadata", {{"managedFields", json::array()}}}},
       "",
       400,
       "metadata.managedFields must be nil"},
      {{{"kind", "Secret"}}, "", 400, "invalid object type: /v1, Kind=Secret"},
      {{{"dat", {{"a", "1"}}}},
       "&fieldValidation=Strict",
       400,
       "unknown field \"dat\""},
      {{{"metadata", {{"name", "m"}, {"lables", 1}}}},
       "&fieldValidation=Strict",
       400,
       "unknown field \"metadata.lables\""},
  };
  for (const auto& r : rows) {
    auto a = apply(maps + "/m", "me", r.object, r.more);
    BOOST_TEST(a.status == r.status, r.says);
    BOOST_TEST(a.says(r.says), a.message());
  }
  BOOST_TEST(get(maps + "/m").status == 404);
}

BOOST_FIXTURE_TEST_CASE(managed_fields_that_are_null_are_none,
                        applying_fixture) {
  auto a = apply(
      maps + "/m", "me",
      {{"metadata", {{"managedFields", nullptr}}}, {"data", {{"a", "1"}}}});
  BOOST_TEST(a.status == 201, a.message());
  BOOST_TEST(a["/data/a"] == "1");
}

BOOST_FIXTURE_TEST_CASE(a_status_update_leaves_the_owners_of_metadata,
                        applying_fixture) {
  const json labelled{{"apiVersion", "x.io/v1"},
                      {"kind", "Job"},
                      {"metadata", {{"name", "j"}, {"labels", {{"l", "1"}}}}},
                      {"spec", {{"size", 1}}}};
  const std::string mine = R"(me Apply {"f:metadata":{"f:labels":{"f:l":{}}},)"
                           R"("f:spec":{"f:size":{}}})";
  const std::string status = R"(op Update {"f:status":{".":{},"f:phase":{}}})";
  auto made = apply(jobs + "/j", "me", labelled);
  BOOST_TEST((owners(made) == texts{mine}));
  auto patched =
      call("PATCH", jobs + "/j/status?fieldManager=op",
           {{{"op", "add"},
             {"path", "/metadata/resourceVersion"},
             {"value", made.version()}},
            {{"op", "add"}, {"path", "/status"}, {"value", {{"phase", "A"}}}}},
           "application/json-patch+json");
  BOOST_TEST((owners(patched) == texts{mine, status}));
  json whole = patched.body;
  whole["metadata"].erase("managedFields");
  whole["status"]["phase"] = "B";
  auto with_labels = call("PUT", jobs + "/j/status?fieldManager=op", whole);
  BOOST_TEST((owners(with_labels) == texts{mine, status}));
  whole["metadata"] = {{"name", "j"},
                       {"resourceVersion", with_labels.version()}};
  auto without = call("PUT", jobs + "/j/status?fieldManager=op", whole);
  BOOST_TEST(without["/metadata/labels/l"] == "1");
  BOOST_TEST((owners(without) == texts{mine, status}));
  whole["metadata"]["labels"] = {{"l", "2"}};
  whole["metadata"]["resourceVersion"] = without.version();
  auto other = call("PUT", jobs + "/j/status?fieldManager=op", whole);
  BOOST_TEST((owners(other) == texts{mine, status}));
}

BOOST_AUTO_TEST_SUITE_END()
