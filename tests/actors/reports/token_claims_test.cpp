#include "actors/reports/token_claims.hpp"
#include "tests/actors/reports/token_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(token_claims_test)

BOOST_AUTO_TEST_CASE(the_pod_that_a_token_names_is_read) {
  BOOST_TEST(claimed_pod_uid(token_text(claims_of_pod("u1", {"job"})), "job")
             == "u1");
  BOOST_TEST(claimed_pod_uid(token_text(claims_of_pod("u1", "job")), "job")
             == "u1");
  BOOST_TEST(
      claimed_pod_uid(token_text(claims_of_pod("u1", {"x", "job"})), "job")
      == "u1");
  // Of every length, so that padding of every length is missing.
  for (const char* uid : {"?>?>", "?>?>?", "?>?>?>", "\xc3\xbf?~"})
    BOOST_TEST(claimed_pod_uid(token_text(claims_of_pod(uid, {"job"})), "job")
               == uid);
}

BOOST_AUTO_TEST_CASE(what_names_no_pod_for_this_audience_is_nobodys) {
  auto without = [](const char* key) {
    auto claims = claims_of_pod("u1", {"job"});
    claims.erase(key);
    return claims;
  };
  auto good = token_text(claims_of_pod("u1", {"job"}));
  auto number = claims_of_pod("u1", {"job"});
  number["kubernetes.io"]["pod"]["uid"] = 7;
  const std::string texts[] = {
      "",
      ".",
      "..",
      "...",
      "t",
      "t.",
      "a.b.c",
      "a.!!.c",
      "eyJ9.bnVsbA.c", // "null"
      "eyJ9.NzU.c",    // "75"
      good.substr(0, good.rfind('.')),
      good + ".x",
      token_text(claims_of_pod("u1", {"other"})),
      token_text(claims_of_pod("u1", "jo")),
      token_text(claims_of_pod("u1", {{"job", "job"}})),
      token_text(claims_of_pod("u1", json::array())),
      token_text(claims_of_pod("", {"job"})),
      token_text(without("aud")),
      token_text(without("kubernetes.io")),
      token_text(number),
      token_text(json::array({"job"})),
      "eyJ9." + std::string(12'000, 'W') + ".c", // "[[["
  };
  for (const auto& text : texts)
    BOOST_TEST(claimed_pod_uid(text, "job") == "", text.substr(0, 90));
}

BOOST_AUTO_TEST_CASE(only_what_may_be_a_pods_is_reviewed) {
  struct row {
    int status;
    bool was_taken;
    claim_verdict verdict;
  } rows[] = {
      {200, false, claim_verdict::review},
      {200, true, claim_verdict::review},
      {403, false, claim_verdict::refuse},
      {403, true, claim_verdict::refuse}, // The pod has ended.
      {404, false, claim_verdict::refuse},
      {404, true, claim_verdict::review_as_of_gone_job},
      {503, false, claim_verdict::later},
      {503, true, claim_verdict::later},
  };
  for (const auto& r : rows)
    BOOST_TEST((judge_claim(r.status, r.was_taken) == r.verdict),
               r.status << " " << r.was_taken);
}

BOOST_AUTO_TEST_SUITE_END()
