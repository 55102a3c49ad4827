#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/http/message_format.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(request_info_test)

BOOST_AUTO_TEST_CASE(a_path_names_resource_namespace_name_and_subresource) {
  struct row {
    const char* path;
    const char* found; ///< "plural namespace/name subresource", or "" for 404.
  };
  // clang-format off
  const row rows[] = {
      {"/api/v1/pods", "pods / "},
      {"/api/v1/pods/", "pods / "},
      {"/api/v1/namespaces/a/pods", "pods a/ "},
      {"/api/v1/namespaces/a/pods/b", "pods a/b "},
      {"/api/v1/namespaces/a/pods/b/status", "pods a/b status"},
      {"/api/v1/namespaces", "namespaces / "},
      {"/api/v1/namespaces/a", "namespaces /a "},
      {"/api/v1/namespaces/a/status", "namespaces /a status"},
      {"/api/v1/namespaces/a/finalize", "namespaces /a finalize"},
      {"/api/v1/nodes/a", "nodes /a "},
      {"/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles/b", "roles a/b "},
      {"/", ""},
      {"/api/v1", ""},
      {"/apis/rbac.authorization.k8s.io/v1", ""},
      {"/version/v1/pods", ""},
      {"/api/v1/nothing", ""},
      {"/api/v2/pods", ""},
      {"/apis/v1/pods", ""},
      {"/api/v1/pods/b", ""}, // A pod has a namespace.
      {"/api/v1/namespaces/a/nodes/b", ""}, // A node has none.
      {"/api/v1/namespaces/a/pods/b/status/c", ""},
  };
  // clang-format on
  const resource_registry registry;
  for (const auto& r : rows) {
    http::request request;
    BOOST_REQUIRE(http::parse_request_target(r.path, request));
    auto parsed = parse_request_info(registry, request);
    std::string found;
    if (const auto* info = parsed ? &*parsed : nullptr)
      found = info->type->name.plural + " " + info->ns + "/" + info->name + " "
              + info->subresource;
    else
      BOOST_TEST(parsed.error().code == 404);
    BOOST_TEST(found == r.found, r.path);
  }
}

BOOST_AUTO_TEST_CASE(a_query_flag_has_a_few_words_for_yes) {
  struct row {
    const char* query;
    bool set;
  } rows[] = {{"", false},           {"?watch", false},     {"?watch=1", true},
              {"?watch=true", true}, {"?watch=True", true}, {"?watch=0", false},
              {"?watch=yes", false}, {"?other=1", false}};
  for (const auto& r : rows) {
    http::request request;
    BOOST_REQUIRE(http::parse_request_target(
        std::string{"/api/v1/pods"} + r.query, request));
    BOOST_TEST(is_query_flag_set(request, "watch") == r.set, r.query);
  }
}

BOOST_AUTO_TEST_SUITE_END()
