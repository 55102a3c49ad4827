#include "actors/webhook/webhook_certificates.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/http/certificate_reader.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;
using fixtures::base_time;

BOOST_AUTO_TEST_SUITE(webhook_certificates_test)

namespace {

certificate_policy hours_policy() {
  certificate_policy p;
  p.hosts = {"operator.ns.svc", "10.0.0.1"};
  p.authority_life = 100h;
  p.serving_life = 30h;
  p.algorithm = k8s::http::key_algorithm::ecdsa_p256;
  return p;
}

webhook_certificates renewed(const webhook_certificates& stored,
                             certificate_renewal due, k8s::time_point now) {
  auto made = renew_certificates(stored, due, hours_policy(), now);
  BOOST_REQUIRE(made);
  return *made;
}

/// An authority and a serving certificate, made at the same time.
const webhook_certificates& fresh() {
  static const auto made =
      renewed({}, certificate_renewal::authority_and_serving, base_time);
  return made;
}

certificate_assessment assessed(const webhook_certificates& c,
                                std::chrono::hours later,
                                certificate_policy p = hours_policy()) {
  return assess_certificates(c, p, c.authorities, base_time + later);
}

const char* name_of(certificate_renewal r) {
  const char* names[] = {"none", "serving", "authority",
                         "authority and serving"};
  return names[static_cast<int>(r)];
}

std::string due(const webhook_certificates& c, std::chrono::hours later,
                const certificate_policy& p = hours_policy()) {
  return name_of(assessed(c, later, p).due);
}

} // namespace

BOOST_AUTO_TEST_CASE(certificates_are_renewed_at_two_thirds_of_their_life) {
  const std::pair<std::chrono::hours, const char*> table[] = {
      {0h, "none"},
      {19h, "none"},
      {20h, "serving"},
      {29h, "serving"},
      {30h, "serving"},
      {66h, "serving"},
      {67h, "authority and serving"},
      {100h, "authority and serving"},
  };
  for (const auto& [later, wanted] : table)
    BOOST_TEST(due(fresh(), later) == wanted, later.count());
  auto usable_longer =
      renewed(fresh(), certificate_renewal::serving, base_time + 60h);
  BOOST_TEST(due(usable_longer, 66h) == "none");
  BOOST_TEST(due(usable_longer, 67h) == "authority");
}

BOOST_AUTO_TEST_CASE(replicas_renew_at_different_times) {
  auto early = hours_policy();
  early.jitter = 1;
  BOOST_TEST(due(fresh(), 18h, early) == "none");
  BOOST_TEST(due(fresh(), 19h, early) == "serving");
  BOOST_TEST(due(fresh(), 19h) == "none");
}

BOOST_AUTO_TEST_CASE(a_pair_is_usable_while_clients_accept_it) {
  auto other =
      renewed({}, certificate_renewal::authority_and_serving, base_time);
  auto changed = [&](const std::function<void(webhook_certificates&)>& how) {
    auto c = fresh();
    how(c);
    return c;
  };
  struct {
    webhook_certificates c;
    std::chrono::hours later;
    bool usable;
    const char* due;
  } table[] = {
      {fresh(), 0h, true, "none"},
      {fresh(), 29h, true, "serving"},
      {fresh(), 30h, false, "serving"},
      {fresh(), -2h, false, "authority and serving"},
      {{}, 0h, false, "authority and serving"},
      {changed([&](auto& c) { c.serving.key = other.serving.key; }), 0h, false,
       "serving"},
      {changed([&](auto& c) { c.serving = other.serving; }), 0h, false,
       "serving"},
      {changed([&](auto& c) { c.serving.certificate = "rubbish"; }), 0h, false,
       "serving"},
      {changed([&](auto& c) { c.authority_key = other.authority_key; }), 0h,
       true, "authority"},
      {changed([&](auto& c) { c.authority_key = ""; }), 0h, true, "authority"},
      {changed([&](auto& c) { c.authorities = ""; }), 0h, false,
       "authority and serving"},
      // A certificate of a server is no authority.
      {changed([&](auto& c) {
         c.authorities = c.serving.certificate;
         c.authority_key = c.serving.key;
       }),
       0h, false, "authority and serving"},
  };
  for (const auto& row : table) {
    auto got = assessed(row.c, row.later);
    BOOST_TEST_CONTEXT("row " << (&row - table)) {
      BOOST_TEST(got.is_usable == row.usable);
      BOOST_TEST(name_of(got.due) == std::string{row.due});
    }
  }
  auto elsewhere = hours_policy();
  elsewhere.hosts[0] = "another.ns.svc";
  BOOST_TEST(!assessed(fresh(), 0h, elsewhere).is_usable);
  BOOST_TEST(due(fresh(), 0h, elsewhere) == "serving");
}

BOOST_AUTO_TEST_CASE(a_new_authority_signs_when_it_is_known) {
  auto now = base_time + 60h;
  auto old = renewed(fresh(), certificate_renewal::serving, now);
  auto both = renewed(old, certificate_renewal::authority, base_time + 70h);
  BOOST_TEST(both.serving.certificate == old.serving.certificate);
  BOOST_TEST(k8s::http::read_certificates(both.authorities).size() == 2u);
  BOOST_TEST(both.authority_key != old.authority_key);
  auto found = [&](const std::string& trusted) {
    return assess_certificates(both, hours_policy(), trusted, base_time + 71h);
  };
  BOOST_TEST(found("").is_usable);
  BOOST_TEST(found("").bundle == both.authorities);
  BOOST_TEST(name_of(found("").due) == "none");
  BOOST_TEST(name_of(found(old.authorities).due) == "none");
  BOOST_TEST(name_of(found(both.authorities).due) == "serving");
  auto last = renewed(both, certificate_renewal::serving, base_time + 71h);
  BOOST_TEST(due(last, 72h) == "none");
  // Until it expires the old one stays in the bundle.
  BOOST_TEST(assessed(last, 99h).bundle == both.authorities);
  BOOST_TEST(
      (both.authorities == assessed(last, 100h).bundle + old.authorities));
  auto next = renewed(last, certificate_renewal::authority, base_time + 140h);
  BOOST_TEST(k8s::http::read_certificates(next.authorities).size() == 2u);
}

BOOST_AUTO_TEST_CASE(no_certificate_outlives_its_authority) {
  auto late = renewed(fresh(), certificate_renewal::serving, base_time + 90h);
  auto made = k8s::http::read_certificates(late.serving.certificate);
  BOOST_REQUIRE_EQUAL(made.size(), 1u);
  BOOST_TEST((made[0].not_after == base_time + 100h));
  for (const auto& host : hours_policy().hosts)
    BOOST_TEST(k8s::http::is_issued_for(late.serving.certificate, host));
}

BOOST_AUTO_TEST_CASE(long_names_of_services_are_possible) {
  auto p = hours_policy();
  p.hosts = {std::string(63, 'a') + "." + std::string(63, 'b') + ".svc"};
  auto made = renew_certificates({}, certificate_renewal::authority_and_serving,
                                 p, base_time);
  BOOST_REQUIRE(made);
  BOOST_TEST(assess_certificates(*made, p, "", base_time).is_usable);
}

BOOST_AUTO_TEST_CASE(a_secret_keeps_what_is_not_ours) {
  k8s::json secret{{"metadata", {{"name", "s"}, {"resourceVersion", "7"}}},
                   {"data", {{"other", "eA=="}}}};
  auto written = secret_with_certificates(secret, fresh());
  BOOST_TEST(written["metadata"] == secret["metadata"]);
  BOOST_TEST(written["data"]["other"] == "eA==");
  BOOST_TEST(written["data"]["tls.crt"]
             == k8s::to_base64(fresh().serving.certificate));
  auto read = certificates_from_secret(written);
  BOOST_TEST(read.authorities == fresh().authorities);
  BOOST_TEST(read.authority_key == fresh().authority_key);
  BOOST_TEST(read.serving.certificate == fresh().serving.certificate);
  BOOST_TEST(read.serving.key == fresh().serving.key);
  for (const char* text :
       {"null", "{}", R"({"data": null})", R"({"data": {"ca.crt": "&&&"}})"})
    BOOST_TEST(certificates_from_secret(k8s::json::parse(text)).authorities
               == "");
}

BOOST_AUTO_TEST_SUITE_END()
