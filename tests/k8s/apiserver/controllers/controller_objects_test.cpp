#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(controller_objects_test)

namespace {

const std::string namespaces = "/api/v1/namespaces";

server_environment with_authority() {
  server_environment e;
  e.certificate_authority = "pem";
  return e;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_namespace_has_an_account_and_the_authority) {
  server_fixture f;
  api_server other{with_authority()};
  auto ask = [&](const std::string& method, const std::string& path,
                 const json& body = nullptr) {
    auto r = f.request(method, path);
    r.body = body.is_null() ? "" : body.dump();
    r.headers["content-type"] = "application/json";
    auto a = other.handle(r);
    return std::pair{a.status, parse_json_or_null(a.body)};
  };
  ask("POST", namespaces, {{"metadata", {{"name", "made"}}}});
  ask("POST", namespaces, {{"metadata", {{"generateName", "made-"}}}});
  auto all = ask("GET", namespaces).second;
  BOOST_TEST(all["items"].size() == 5u);
  for (const auto& ns : all["items"]) {
    auto at = namespaces + "/" + text_at(ns, {"metadata", "name"});
    auto account = at + "/serviceaccounts/default";
    auto map = at + "/configmaps/kube-root-ca.crt";
    BOOST_TEST(ask("GET", account).first == 200, at);
    BOOST_TEST(ask("GET", map).second["data"]["ca.crt"] == "pem", at);
    // They are made again, and put right.
    BOOST_TEST(ask("DELETE", account).first == 200);
    BOOST_TEST(ask("DELETE", map).first == 200);
    BOOST_TEST(ask("GET", account).first == 200);
    auto wrong = ask("GET", map).second;
    wrong["data"]["ca.crt"] = "wrong";
    BOOST_TEST(ask("PUT", map, wrong).first == 200);
    BOOST_TEST(ask("GET", map).second["data"]["ca.crt"] == "pem", at);
  }
}

BOOST_AUTO_TEST_CASE(a_namespace_that_goes_gets_nothing) {
  server_fixture f;
  f.post(namespaces, {{"metadata", {{"name", "made"}}}});
  f.drop(namespaces + "/made");
  f.drop(namespaces + "/made/serviceaccounts/default");
  BOOST_TEST(f.get(namespaces + "/made/serviceaccounts/default").status == 404);
  while (f.core.collect_garbage() > 0)
    ;
  BOOST_TEST(f.get(namespaces + "/made").status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
