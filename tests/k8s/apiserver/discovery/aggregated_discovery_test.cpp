#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(aggregated_discovery_test)

namespace {

http::request discovery_request(defined& s, const char* path,
                                const std::string& version) {
  auto r = s.request("GET", path);
  r.headers["accept"] = "application/json;g=apidiscovery.k8s.io;v=" + version
                        + ";as=APIGroupDiscoveryList,application/json";
  return r;
}

const json* find_named(const json& list, const char* key,
                       const std::string& name) {
  for (const auto& one : list)
    if (text_at(one, {key}) == name)
      return &one;
  return nullptr;
}

} // namespace

BOOST_AUTO_TEST_CASE(all_groups_come_in_one_answer) {
  defined s;
  auto raw = s.core.handle(discovery_request(s, "/apis", "v2"));
  BOOST_TEST(raw.content_type
             == "application/json;g=apidiscovery.k8s.io;v=v2;"
                "as=APIGroupDiscoveryList");
  auto document = json::parse(raw.body);
  BOOST_TEST(document["kind"] == "APIGroupDiscoveryList");
  const json* group = nullptr;
  for (const auto& g : document["items"])
    if (text_at(g, {"metadata", "name"}) == "x.io")
      group = &g;
  BOOST_REQUIRE(group);
  const auto& version = (*group)["versions"][0];
  BOOST_TEST(version["version"] == "v1");
  auto* jobs = find_named(version["resources"], "resource", "jobs");
  BOOST_REQUIRE(jobs);
  BOOST_TEST((*jobs)["scope"] == "Namespaced");
  BOOST_TEST((*jobs)["singularResource"] == "job");
  BOOST_TEST((*jobs)["shortNames"] == json({"xj"}));
  BOOST_TEST((*jobs)["responseKind"]["kind"] == "Job");
  auto* scale = find_named((*jobs)["subresources"], "subresource", "scale");
  BOOST_REQUIRE(scale);
  BOOST_TEST((*scale)["responseKind"]["group"] == "autoscaling");
  BOOST_TEST(find_named((*jobs)["subresources"], "subresource", "status"));
}

BOOST_AUTO_TEST_CASE(the_core_has_a_document_of_its_own) {
  defined s;
  auto document =
      json::parse(s.core.handle(discovery_request(s, "/api", "v2")).body);
  BOOST_REQUIRE(document["items"].size() == 1u);
  BOOST_TEST(document["items"][0]["versions"][0]["version"] == "v1");
}

BOOST_AUTO_TEST_CASE(who_cannot_read_it_gets_the_list_of_groups) {
  defined s;
  for (auto version : {"v9", ""})
    BOOST_TEST(s.ask(discovery_request(s, "/apis", version))["/kind"]
               == "APIGroupList");
  BOOST_TEST(s.get("/apis")["/kind"] == "APIGroupList");
}

BOOST_AUTO_TEST_SUITE_END()
