#include "k8s/apiserver/users/service_account_tokens.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/text.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(service_account_tokens_test)

namespace {

const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";

struct token_fixture : server_fixture {
  token_fixture() {
    post(accounts, {{"metadata", {{"name", "a"}}}});
    auto p = pod("p");
    p["spec"]["serviceAccountName"] = "a";
    p["spec"]["nodeName"] = "n";
    post(pods, p);
    post("/api/v1/nodes", {{"metadata", {{"name", "n"}}}});
  }

  answer request_token(json spec, const std::string& account = "a") {
    return post(accounts + "/" + account + "/token",
                {{"apiVersion", "authentication.k8s.io/v1"},
                 {"kind", "TokenRequest"},
                 {"spec", std::move(spec)}});
  }

  std::string token(json spec = json::object()) {
    auto a = request_token(std::move(spec));
    BOOST_REQUIRE(a.status == 201);
    return text_at(a.body, {"status", "token"});
  }

  static json claims_of(const std::string& token) {
    auto text = split_without_empty_parts(token, '.').at(1);
    text.append((4 - text.size() % 4) % 4, '=');
    return json::parse(from_base64(text).value());
  }

  json uid_of(const std::string& path) { return get(path)["/metadata/uid"]; }
};

const json for_pod{
    {"boundObjectRef", {{"kind", "Pod"}, {"apiVersion", "v1"}, {"name", "p"}}}};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_token_has_the_claims_of_kubernetes, token_fixture) {
  auto a = request_token({{"expirationSeconds", 700},
                          {"boundObjectRef", for_pod["boundObjectRef"]}});
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/kind"] == "TokenRequest");
  BOOST_TEST(a["/metadata/name"] == "a");
  BOOST_TEST(a["/spec/audiences/0"] == token_issuer);
  BOOST_TEST(a["/spec/expirationSeconds"] == 700);
  BOOST_TEST(a["/status/expirationTimestamp"] == "2026-01-01T00:11:40Z");
  auto claims = claims_of(text_at(a.body, {"status", "token"}));
  BOOST_TEST(claims["jti"].get<std::string>().size() == 36u);
  claims.erase("jti");
  constexpr auto start = 1767225600;
  BOOST_TEST(
      claims
      == json({{"aud", {token_issuer}},
               {"exp", start + 700},
               {"iat", start},
               {"nbf", start},
               {"iss", token_issuer},
               {"sub", "system:serviceaccount:default:a"},
               {"kubernetes.io",
                {{"namespace", "default"},
                 {"node", {{"name", "n"}, {"uid", uid_of("/api/v1/nodes/n")}}},
                 {"pod", {{"name", "p"}, {"uid", uid_of(pods + "/p")}}},
                 {"serviceaccount",
                  {{"name", "a"}, {"uid", uid_of(accounts + "/a")}}}}}}));
}

BOOST_FIXTURE_TEST_CASE(a_bad_request_gets_no_token, token_fixture) {
  struct row {
    json spec;
    int status;
    const char* says;
  } rows[] = {
      {{{"expirationSeconds", 599}}, 422, "less than 10 minutes"},
      {{{"expirationSeconds", 5'000'000'000}}, 422, "larger than 2^32 seconds"},
      {{{"boundObjectRef", {{"kind", "Pod"}, {"name", "q"}}}},
       404,
       "pods \"q\" not found"},
      {{{"boundObjectRef", {{"kind", "Job"}, {"name", "q"}}}},
       400,
       "to kind \"Job\""},
      {{{"boundObjectRef", {{"kind", "Pod"}, {"name", "p"}, {"uid", "x"}}}},
       409,
       "does not match the UID"},
  };
  for (const auto& r : rows) {
    auto a = request_token(r.spec);
    BOOST_TEST(a.status == r.status, r.spec);
    BOOST_TEST(a.says(r.says), a.message());
  }
  BOOST_TEST(request_token(json::object(), "nobody").status == 404);
  auto other = request_token(for_pod, "default");
  BOOST_TEST(other.says("different serviceaccount"), other.message());
}

BOOST_FIXTURE_TEST_CASE(a_token_says_who_asks, token_fixture) {
  auto found = core.find_account_by_token(token(for_pod));
  BOOST_REQUIRE(found);
  BOOST_TEST(found->name == "system:serviceaccount:default:a");
  BOOST_TEST(found->uid == uid_of(accounts + "/a").get<std::string>());
  BOOST_TEST(found->groups
                 == (std::vector<std::string>{"system:serviceaccounts",
                                              "system:serviceaccounts:default",
                                              "system:authenticated"}),
             boost::test_tools::per_element());
  BOOST_TEST(found->extra.at("authentication.kubernetes.io/pod-name").at(0)
             == "p");
}

BOOST_FIXTURE_TEST_CASE(a_token_ends, token_fixture) {
  auto plain = token();
  auto bound = token(for_pod);
  auto foreign = token({{"audiences", {"vault"}}});
  BOOST_TEST(core.find_account_by_token(plain));
  BOOST_TEST(core.find_account_by_token(bound));
  BOOST_TEST(!core.find_account_by_token(foreign));
  BOOST_TEST(!core.find_account_by_token(plain + "x"));
  BOOST_TEST(!core.find_account_by_token(""));
  drop(pods + "/p", {{"gracePeriodSeconds", 0}});
  BOOST_TEST(core.find_account_by_token(plain));
  BOOST_TEST(!core.find_account_by_token(bound)); // With its pod.
  now += std::chrono::seconds{3599};
  BOOST_TEST(core.find_account_by_token(plain));
  now += std::chrono::seconds{1};
  BOOST_TEST(!core.find_account_by_token(plain));
  auto next = token();
  drop(accounts + "/a");
  post(accounts, {{"metadata", {{"name", "a"}}}});
  BOOST_TEST(
      !core.find_account_by_token(next)); // Another account of the same name.
}

BOOST_FIXTURE_TEST_CASE(a_review_says_whose_a_token_is, token_fixture) {
  auto review = [&](const json& spec) {
    return post("/apis/authentication.k8s.io/v1/tokenreviews",
                {{"spec", spec}});
  };
  auto a = review({{"token", token()}});
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/status/authenticated"] == true);
  BOOST_TEST(a["/status/user/username"] == "system:serviceaccount:default:a");
  BOOST_TEST(a["/status/audiences"] == json::array({token_issuer}));
  auto foreign = token({{"audiences", {"vault", "other"}}});
  auto b = review({{"token", foreign}, {"audiences", {"vault"}}});
  BOOST_TEST(b["/status/authenticated"] == true);
  BOOST_TEST(b["/status/audiences"] == json::array({"vault"}));
  auto c = review({{"token", foreign}});
  BOOST_TEST(c["/status/authenticated"] == json{});
  BOOST_TEST(c["/status/error"].get<std::string>().find("audiences")
             != std::string::npos);
  BOOST_TEST(review({{"token", "x"}})["/status/error"]
             == "invalid bearer token");
  BOOST_TEST(review(json::object()).status == 422);
}

BOOST_AUTO_TEST_SUITE_END()
