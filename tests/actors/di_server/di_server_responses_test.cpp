#include "actors/di_server/di_server_responses.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(di_server_responses_test)

BOOST_AUTO_TEST_CASE(what_needs_no_job) {
  struct row {
    const char* method;
    const char* path;
    int status;
    const char* type;
    std::string body;
  };
  const row rows[] = {
      {"GET", "/healthz", 200, "text/plain; charset=utf-8", ""},
      {"POST", "/healthz", 200, "text/plain; charset=utf-8", ""},
      {"GET", "/v1alpha1/replicas/", 404, "text/plain; charset=utf-8",
       "404 page not found\n"},
      {"GET", "/", 404, "text/plain; charset=utf-8", "404 page not found\n"},
      {"PUT", "/v1alpha1/replicas", 501, "application/json",
       R"({"success":false,"code":1,"message":"PUT not implemented",)"
       R"("data":null})"},
      {"GET", "/v2alpha1/job/j/replicas", 400,
       "application/json; charset=utf-8",
       R"({"success":false,"code":1,"message":"job id j must be in )"
       R"(namespace.name format","data":null})"},
      {"PUT", "/v2alpha1/job/ns.j/replicas", 404, "text/plain",
       "404 page not found"},
  };
  for (const auto& x : rows) {
    k8s::http::request q;
    q.method = x.method;
    q.path = x.path;
    auto decoded = decode_di_server_request(q, "10.0.0.1");
    const auto* r = std::get_if<k8s::http::response>(&decoded);
    BOOST_REQUIRE(r);
    BOOST_TEST(r->status == x.status);
    BOOST_TEST(r->content_type == x.type);
    BOOST_TEST(r->body == x.body);
  }
}

BOOST_AUTO_TEST_CASE(the_client_is_part_of_the_request) {
  k8s::http::request q;
  q.method = "GET";
  q.path = "/v1alpha1/replicas";
  auto decoded = decode_di_server_request(q, "10.0.0.1");
  const auto* r = std::get_if<frameworks::di::replica_request_ptr>(&decoded);
  BOOST_REQUIRE(r);
  BOOST_TEST((*r)->source == "10.0.0.1");
}

BOOST_AUTO_TEST_CASE(pages_have_no_names_of_jobs) {
  const std::pair<const char*, const char*> rows[] = {
      {"/v1alpha1/replicas", "/v1alpha1/replicas"},
      {"/v1alpha1/replicas/failed", "/v1alpha1/replicas/failed"},
      {"/v2alpha1/job/ns.j/replicas", "/v2alpha1/job"},
      {"/v2alpha1/job/ns/j/profilings", "/v2alpha1/job"},
      {"/v2alpha1/job/ns.j/more", ""},
      {"/healthz", ""},
      {"/any", ""}};
  for (const auto& [path, page] : rows)
    BOOST_TEST(metrics_page_of(path) == page);
}

BOOST_AUTO_TEST_CASE(methods_that_clients_make_up_have_one_series) {
  for (const char* known : {"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
    BOOST_TEST(metrics_method_of(known) == known);
  for (const char* other : {"", "get", "BREW", "PROPFIND"})
    BOOST_TEST(metrics_method_of(other) == "other");
}

BOOST_AUTO_TEST_SUITE_END()
