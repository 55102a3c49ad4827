#include "k8s/calls.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::k8s;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(calls_test)

namespace {

const resource tfjobs{"kubeflow.org", "v1", "tfjobs", "TFJob"};
const resource nodes{"", "v1", "nodes", "Node"};
const object_ref pod{resources::pods, "ns-1", "a-0"};

} // namespace

BOOST_AUTO_TEST_CASE(paths_name_group_version_namespace_and_object) {
  BOOST_CHECK_EQUAL(get(pod).path, "/api/v1/namespaces/ns-1/pods/a-0");
  BOOST_CHECK_EQUAL(get({tfjobs, "ns-1", "j"}).path,
                    "/apis/kubeflow.org/v1/namespaces/ns-1/tfjobs/j");
  BOOST_CHECK_EQUAL(get({nodes, "", "n"}).path, "/api/v1/nodes/n");
  BOOST_CHECK_EQUAL(create(resources::leases, "ns", "{}").path,
                    "/apis/coordination.k8s.io/v1/namespaces/ns/leases");
  BOOST_CHECK_EQUAL(update(pod, "{}").path, get(pod).path);
  BOOST_CHECK_EQUAL(update_status(pod, "{}").path, get(pod).path + "/status");
  BOOST_CHECK_EQUAL(patch_status(pod, "[]").path, get(pod).path + "/status");
  BOOST_CHECK_EQUAL(merge_patch(pod, "{}").path, get(pod).path);
  BOOST_CHECK_EQUAL(strategic_patch(pod, "{}").path, get(pod).path);
  BOOST_CHECK_EQUAL(remove(pod, "").path, get(pod).path);
}

BOOST_AUTO_TEST_CASE(a_log_is_asked_for_as_a_stream) {
  const object_ref pod{resources::pods, "ns", "w-0"};
  auto follows = read_log({pod, "a b", 500, true, false});
  BOOST_CHECK_EQUAL(follows.path,
                    "/api/v1/namespaces/ns/pods/w-0/log?container=a%20b"
                    "&tailLines=500&follow=true");
  BOOST_CHECK(follows.method == verb::watch);
  BOOST_CHECK_EQUAL(follows.resource, "pods/log");
  log_selection again{pod, "a", std::nullopt, true};
  again.timestamps = true;
  again.since = from_rfc3339("2026-01-31T12:00:00.5Z");
  BOOST_CHECK_EQUAL(read_log(again).path,
                    "/api/v1/namespaces/ns/pods/w-0/log?container=a"
                    "&sinceTime=2026-01-31T12%3A00%3A00Z&timestamps=true"
                    "&follow=true");
  BOOST_CHECK_EQUAL(read_log({pod, "", 1, false, true}).path,
                    "/api/v1/namespaces/ns/pods/w-0/log?tailLines=1"
                    "&previous=true");
}

BOOST_AUTO_TEST_CASE(one_object_is_looked_up_by_a_list) {
  BOOST_CHECK_EQUAL(list_by_name(pod).path,
                    "/api/v1/namespaces/ns-1/pods?fieldSelector="
                    "metadata.name%3Da-0");
  BOOST_CHECK(list_by_name(pod).method == verb::list);
}

BOOST_AUTO_TEST_CASE(names_are_percent_encoded) {
  BOOST_CHECK_EQUAL(get({resources::pods, "a/b", "x?y#z %\xc3\xa9"}).path,
                    "/api/v1/namespaces/a%2Fb/pods/x%3Fy%23z%20%25%C3%A9");
  BOOST_CHECK_EQUAL(get({resources::pods, "n", "a-b_c.d~e9Z"}).path,
                    "/api/v1/namespaces/n/pods/a-b_c.d~e9Z");
}

BOOST_AUTO_TEST_CASE(a_list_says_what_it_selects_and_where_it_goes_on) {
  BOOST_CHECK_EQUAL(list({tfjobs, "", "", ""}, 0, "").path,
                    "/apis/kubeflow.org/v1/tfjobs");
  BOOST_CHECK_EQUAL(
      list({resources::pods, "ns", "a=b,c in (d,e)", "status.phase!=Failed"},
           500, "tok+/=")
          .path,
      "/api/v1/namespaces/ns/pods?labelSelector=a%3Db%2Cc%20in%20%28d%2Ce%29"
      "&fieldSelector=status.phase%21%3DFailed&limit=500"
      "&continue=tok%2B%2F%3D");
}

BOOST_AUTO_TEST_CASE(a_watch_resumes_with_bookmarks_and_a_limit) {
  using namespace std::chrono_literals;
  BOOST_CHECK_EQUAL(
      watch({resources::services, "", "a=b", ""}, 42, 300s).path,
      "/api/v1/services?labelSelector=a%3Db&watch=true"
      "&allowWatchBookmarks=true&resourceVersion=42&timeoutSeconds=300");
}

BOOST_AUTO_TEST_CASE(calls_say_verb_resource_and_content) {
  struct {
    request r;
    verb what;
    const char* resource;
    const char* content_type;
    const char* body;
  } const rows[] = {
      {get(pod), verb::get, "pods", "", ""},
      {list({tfjobs, "", "", ""}, 1, ""), verb::list, "tfjobs", "", ""},
      {watch({tfjobs, "", "", ""}, 1, {}), verb::watch, "tfjobs", "", ""},
      {create(tfjobs, "n", "{}"), verb::create, "tfjobs", "", "{}"},
      {update(pod, "{}"), verb::update, "pods", "", "{}"},
      {update_status(pod, "{}"), verb::update, "pods/status", "", "{}"},
      {patch_status(pod, "[]"), verb::patch, "pods/status",
       "application/json-patch+json", "[]"},
      {merge_patch(pod, "{}"), verb::patch, "pods",
       "application/merge-patch+json", "{}"},
      {strategic_patch(pod, "{}"), verb::patch, "pods",
       "application/strategic-merge-patch+json", "{}"},
  };
  for (const auto& row : rows) {
    BOOST_CHECK(row.r.method == row.what);
    BOOST_CHECK_EQUAL(row.r.resource, row.resource);
    BOOST_CHECK_EQUAL(row.r.content_type, row.content_type);
    BOOST_CHECK_EQUAL(row.r.body, row.body);
  }
}

BOOST_AUTO_TEST_CASE(a_delete_carries_policy_precondition_and_grace) {
  auto r = remove(pod, "u\"1\\", 5);
  BOOST_CHECK(r.method == verb::remove);
  BOOST_CHECK_EQUAL(json::parse(r.body),
                    json({{"apiVersion", "v1"},
                          {"kind", "DeleteOptions"},
                          {"propagationPolicy", "Background"},
                          {"preconditions", {{"uid", "u\"1\\"}}},
                          {"gracePeriodSeconds", 5}}));
  auto any = json::parse(remove(pod, "").body);
  BOOST_CHECK(!any.contains("preconditions"));
  BOOST_CHECK(!any.contains("gracePeriodSeconds"));
  BOOST_CHECK_EQUAL(json::parse(remove(pod, "u", 0).body)["gracePeriodSeconds"],
                    0);
}

BOOST_AUTO_TEST_CASE(verbs_have_the_names_of_rbac) {
  const std::pair<verb, const char*> rows[] = {
      {verb::get, "get"},       {verb::list, "list"},
      {verb::watch, "watch"},   {verb::create, "create"},
      {verb::update, "update"}, {verb::patch, "patch"},
      {verb::remove, "delete"}};
  for (auto [v, name] : rows)
    BOOST_CHECK_EQUAL(to_string(v), name);
}

BOOST_AUTO_TEST_CASE(no_more_is_asked_for_than_is_read) {
  const std::string text = "application/json";
  const std::string protobuf = "application/vnd.kubernetes.protobuf";
  const std::string one = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const std::string many = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  selection pods{resources::pods, "", "", ""};
  const struct {
    object_detail keep;
    request r;
    std::string accept;
  } rows[] = {
      {object_detail::pod, list(pods, 0, ""), protobuf + "," + text},
      {object_detail::pod, get(pod), protobuf + "," + text},
      {object_detail::metadata, watch(pods, 1, std::chrono::seconds{1}),
       protobuf + one + "," + text + one + "," + text},
      {object_detail::metadata, create(resources::pods, "ns", "{}"),
       protobuf + one + "," + text + one + "," + text},
      {object_detail::metadata, list(pods, 0, ""),
       protobuf + many + "," + text + many + "," + text},
      {object_detail::spec_and_status, list(pods, 0, ""), ""},
      {object_detail::full, get(pod), ""},
  };
  for (const auto& row : rows) {
    auto asked = with_accept_header(row.keep, row.r);
    BOOST_CHECK_EQUAL(asked.accept, row.accept);
    BOOST_CHECK_EQUAL(asked.path, row.r.path);
    BOOST_CHECK_EQUAL(asked.body, row.r.body);
  }
}

BOOST_AUTO_TEST_SUITE_END()
