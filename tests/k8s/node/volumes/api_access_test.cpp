#include "k8s/node/volumes/api_access.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(api_access_test)

BOOST_AUTO_TEST_CASE(containers_have_a_token_unless_they_want_none) {
  struct row {
    const char* spec;
    std::vector<std::string> containers; ///< Those that have it.
    bool is_automatic;
  } rows[] = {
      {R"({"containers":[{"name":"a"},{"name":"b"}]})", {"a", "b"}, true},
      {R"({"containers":[{"name":"a"}],"initContainers":[{"name":"i"}]})",
       {"i", "a"},
       true},
      {R"({"automountServiceAccountToken":false,
           "containers":[{"name":"a"}]})",
       {},
       true},
      {R"({"automountServiceAccountToken":true,"containers":[{"name":"a"}]})",
       {"a"},
       false},
      {R"({"containers":[{"name":"a","volumeMounts":[{"name":"own",
           "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount/"}]},
           {"name":"b","volumeMounts":[{"name":"v","mountPath":"/v"}]}]})",
       {"b"},
       true},
  };
  for (const auto& r : rows) {
    json spec = json::parse(r.spec);
    auto pod = with_api_access_volume_unless_disabled({{"spec", spec}});
    std::vector<std::string> seen;
    for (const char* list : {"initContainers", "containers"})
      for (const auto& c : array_at(pod, {"spec", list}))
        for (const auto& m : array_at(c, {"volumeMounts"}))
          if (text_at(m, {"name"}) == "kube-api-access-troupe")
            seen.push_back(text_at(c, {"name"}));
    BOOST_TEST(seen == r.containers, boost::test_tools::per_element());
    auto sources = config_sources_of_volumes(pod);
    if (r.containers.empty()) {
      BOOST_TEST(pod["spec"] == spec);
      continue;
    }
    BOOST_REQUIRE(sources.size() == 2u);
    BOOST_TEST(sources[0].first == token_source_kind);
    auto token = decode_token_source(sources[0]);
    BOOST_TEST(token.is_automatic == r.is_automatic);
    BOOST_TEST(token.audience == "");
    BOOST_TEST(sources[1].second == "kube-root-ca.crt");
  }
}

BOOST_AUTO_TEST_CASE(the_name_of_a_token_says_what_to_ask_for) {
  auto t = decode_token_source(encode_token_source({"vault", 700, true}));
  BOOST_TEST(t.audience == "vault");
  BOOST_TEST(t.seconds == 700);
  BOOST_TEST(t.is_automatic);
}

BOOST_AUTO_TEST_CASE(a_pod_without_an_account_has_the_default_one) {
  BOOST_TEST(service_account_or_default(json::object()) == "default");
  BOOST_TEST(
      service_account_or_default({{"spec", {{"serviceAccountName", "a"}}}})
      == "a");
}

BOOST_AUTO_TEST_SUITE_END()
