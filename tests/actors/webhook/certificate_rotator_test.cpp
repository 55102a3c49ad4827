#include "actors/webhook/certificate_rotator.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "k8s/http/certificate_reader.hpp"
#include "tests/actors/metric_value.hpp"
#include "tests/fixtures/operator_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(certificate_rotator_test)

namespace {

constexpr const char* secrets = "secrets";
constexpr const char* configurations = "validatingwebhookconfigurations";
const std::string secret_key = "kubeflow/cert";
const std::string configuration_key =
    std::string{"/"} + webhook_configuration_name;

/// An operator with webhooks: lives of two and ten minutes, looks every ten
/// seconds.
struct rotator_fixture {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  operator_fixture op{api};
  std::vector<std::string> served; ///< Certificates, in order of their use.
  std::shared_ptr<std::atomic<bool>> ready =
      std::make_shared<std::atomic<bool>>(false);

  explicit rotator_fixture(std::string url = "") {
    op.kinds = {frameworks::find("TFJob")};
    op.webhooks.emplace();
    auto& w = *op.webhooks;
    w.ns = "kubeflow";
    w.secret = "cert";
    w.certificates.hosts = {"training-operator.kubeflow.svc"};
    w.certificates.serving_life = 2min;
    w.certificates.authority_life = 10min;
    w.certificates.algorithm = k8s::http::key_algorithm::ecdsa_p256;
    w.configuration = {op.kinds, std::move(url)};
    w.ready = ready;
    w.use_certificate = [this](const k8s::http::certificate_pair& pair)
        -> k8s::result<k8s::nothing> {
      served.push_back(pair.certificate);
      return k8s::nothing{};
    };
  }

  void start() {
    op.start();
    op.run_until_idle();
  }

  void make_secret() {
    api->create(secrets,
                {{"metadata", {{"name", "cert"}, {"namespace", "kubeflow"}}}});
  }

  void make_configuration() {
    api->create(
        configurations,
        {{"metadata",
          {{"name", webhook_configuration_name}, {"namespace", ""}}},
         {"webhooks",
          {{{"name", validating_webhook_name(*frameworks::find("TFJob"))},
            {"clientConfig", {{"service", {{"name", "s"}}}}}}}}});
  }

  webhook_certificates stored() const {
    const auto* found = api->find(secrets, secret_key);
    return certificates_from_secret(found ? *found : json{});
  }

  std::string bundle() const {
    const auto* found = api->find(configurations, configuration_key);
    return shared_ca_bundle(found ? *found : json{});
  }

  int calls(const std::string& what) const {
    auto i = api->calls.find(what);
    return i == api->calls.end() ? 0 : i->second;
  }

  /// Runs until idle; fails each call of this kind with this failure.
  int run_failing(k8s::verb method, const std::string& plural,
                  const k8s::failure& why) {
    for (int failed = 0;;) {
      op.run_messages();
      const auto& waiting = api->pending();
      auto i = std::find_if(waiting.begin(), waiting.end(), [&](const auto& c) {
        return c.request.method == method && c.request.resource == plural;
      });
      if (i != waiting.end()) {
        ++failed;
        api->fail_call(static_cast<std::size_t>(i - waiting.begin()), why);
      } else if (!waiting.empty()) {
        api->answer(0);
      } else if (!api->streams_behind().empty()) {
        api->deliver_all();
      } else {
        return failed;
      }
    }
  }
};

/// Whether a client with this CA bundle accepts the certificate.
bool accepts(const std::string& bundle, const std::string& certificate) {
  auto authorities = k8s::http::read_certificates(bundle);
  return std::any_of(authorities.begin(), authorities.end(),
                     [&](const auto& a) {
                       return k8s::http::is_signed_by(certificate, a.pem);
                     });
}

} // namespace

BOOST_AUTO_TEST_CASE(an_empty_secret_is_filled_and_the_bundle_written) {
  rotator_fixture f;
  f.make_secret();
  f.make_configuration();
  f.start();
  BOOST_TEST(*f.ready);
  BOOST_REQUIRE_EQUAL(f.served.size(), 1u);
  BOOST_TEST(f.served[0] == f.stored().serving.certificate);
  BOOST_TEST(f.bundle() == f.stored().authorities);
  BOOST_TEST(accepts(f.bundle(), f.served[0]));
  // Then there is nothing to write.
  f.op.advance(30s);
  BOOST_TEST(f.calls("update secrets") == 1);
  BOOST_TEST(f.calls("update validatingwebhookconfigurations") == 1);
  // Another process, with the same Secret.
  f.op.stop();
  *f.ready = false;
  f.start();
  BOOST_TEST(*f.ready);
  BOOST_TEST(f.served.size() == 2u);
  BOOST_TEST(f.served[0] == f.served[1]);
  BOOST_TEST(f.calls("update secrets") == 1);
}

BOOST_AUTO_TEST_CASE(a_definition_gets_the_bundle_of_its_conversion) {
  constexpr const char* definitions = "customresourcedefinitions";
  auto definition = json::parse(R"({
    "metadata": {"name": "dijobs.diengine.opendilab.org", "namespace": ""},
    "spec": {
      "versions": [{"name": "v1alpha1"}, {"name": "v2alpha1"}],
      "conversion": {"strategy": "Webhook", "webhook": {
        "clientConfig": {"service": {"path": "/convert"}},
        "conversionReviewVersions": ["v1"]}}}})");
  for (bool with_configuration : {true, false}) {
    rotator_fixture f;
    f.make_secret();
    if (with_configuration)
      f.make_configuration();
    f.api->create(definitions, definition);
    f.start();
    BOOST_TEST(*f.ready);
    const auto* written =
        f.api->find(definitions, "/dijobs.diengine.opendilab.org");
    BOOST_REQUIRE(written);
    BOOST_TEST(shared_ca_bundle(*written) == f.stored().authorities);
    BOOST_TEST(f.served.size() == 1u);
    f.op.advance(30s);
    BOOST_TEST(f.calls("update customresourcedefinitions") == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_missing_secret_is_created) {
  rotator_fixture f;
  f.make_configuration();
  f.start();
  BOOST_TEST(*f.ready);
  BOOST_TEST(f.calls("create secrets") == 1);
  BOOST_TEST((*f.api->find(secrets, secret_key))["type"] == "Opaque");
}

BOOST_AUTO_TEST_CASE(certificates_are_renewed_and_no_client_is_without_one) {
  rotator_fixture f;
  f.make_secret();
  f.make_configuration();
  f.start();
  std::set<std::string> authorities;
  auto earlier = f.bundle();
  for (int i = 0; i < 120; ++i) { // Twenty minutes.
    f.op.advance(10s);
    // API servers may have the bundle of ten seconds before.
    BOOST_TEST(accepts(earlier, f.served.back()));
    BOOST_TEST(accepts(f.bundle(), f.served.back()));
    auto in_use = k8s::http::read_certificates(f.served.back());
    BOOST_REQUIRE_EQUAL(in_use.size(), 1u);
    BOOST_TEST((in_use[0].not_after > f.op.wall_clock() + 20s));
    std::chrono::duration<double> end = in_use[0].not_after.time_since_epoch();
    BOOST_TEST(metric_value(*f.op.counters,
                            "troupe_webhook_certificate_expiry_timestamp_"
                            "seconds")
               == end.count());
    BOOST_TEST(f.served.back() == f.stored().serving.certificate);
    for (const auto& a : k8s::http::read_certificates(f.bundle())) {
      authorities.insert(a.pem);
      BOOST_TEST((a.not_after > f.op.wall_clock() - 10s));
    }
    earlier = f.bundle();
  }
  BOOST_TEST(authorities.size() >= 3u);
  BOOST_TEST(f.served.size() >= 12u);
  BOOST_TEST(f.served.size() <= 24u);
}

BOOST_AUTO_TEST_CASE(of_two_replicas_the_first_to_write_decides) {
  rotator_fixture f;
  f.make_secret();
  f.make_configuration();
  f.op.start();
  f.op.run_messages();
  auto is_write = [&] {
    return std::any_of(f.api->pending().begin(), f.api->pending().end(),
                       [](const auto& c) {
                         return c.request.method == k8s::verb::update
                                && c.request.resource == secrets;
                       });
  };
  while (!is_write()) {
    BOOST_REQUIRE(!f.api->pending().empty());
    f.api->answer(0);
    f.op.run_messages();
  }
  auto made =
      renew_certificates({}, certificate_renewal::authority_and_serving,
                         f.op.webhooks->certificates, f.op.wall_clock());
  BOOST_REQUIRE(made);
  const auto& others = *made;
  // It writes between our read and our write.
  f.api->change(secrets, secret_key,
                [&](json& s) { s = secret_with_certificates(s, others); });
  f.op.run_until_idle();
  BOOST_TEST(f.stored().authority_key == others.authority_key);
  BOOST_TEST(f.served == std::vector{others.serving.certificate});
  BOOST_TEST(f.bundle() == others.authorities);
  BOOST_TEST(*f.ready);
}

BOOST_AUTO_TEST_CASE(without_a_configuration_nothing_is_held_up) {
  rotator_fixture f;
  f.make_secret();
  f.start();
  BOOST_TEST(*f.ready);
  BOOST_TEST(f.served.empty());
  f.op.advance(30s);
  BOOST_TEST(f.calls("get secrets") == 0);
  f.make_configuration();
  f.op.advance(10s);
  BOOST_TEST(f.served.size() == 1u);
  BOOST_TEST(accepts(f.bundle(), f.served[0]));
}

BOOST_AUTO_TEST_CASE(missing_rights_are_waited_for) {
  const struct {
    k8s::verb method;
    const char* plural;
    bool secret; ///< It exists.
    bool ready;  ///< All the same.
    std::chrono::seconds pause;
    int calls; ///< Two objects have the same resource.
  } table[] = {
      {k8s::verb::get, secrets, true, false, 10s, 1},
      {k8s::verb::create, secrets, false, false, 60s, 1},
      {k8s::verb::update, secrets, true, false, 60s, 1},
      {k8s::verb::get, configurations, true, true, 10s, 2},
      {k8s::verb::update, configurations, true, false, 60s, 1},
  };
  for (const auto& row : table)
    BOOST_TEST_CONTEXT(k8s::to_string(row.method) << " " << row.plural) {
      rotator_fixture f;
      if (row.secret)
        f.make_secret();
      f.make_configuration();
      f.op.start();
      BOOST_TEST(
          f.run_failing(row.method, row.plural, {k8s::ec::forbidden, "no"})
          == row.calls);
      BOOST_TEST(*f.ready == row.ready);
      f.op.advance(row.pause);
      BOOST_TEST(*f.ready);
      BOOST_TEST(accepts(f.bundle(), f.stored().serving.certificate));
    }
}

BOOST_AUTO_TEST_CASE(a_bundle_that_was_removed_is_written_again) {
  rotator_fixture f;
  f.make_secret();
  f.make_configuration();
  f.start();
  auto wanted = f.bundle();
  f.api->change(configurations, configuration_key, [](json& c) {
    c["webhooks"][0]["clientConfig"].erase("caBundle");
  });
  f.op.advance(10s);
  BOOST_TEST(f.bundle() == wanted);
  BOOST_TEST(f.calls("update secrets") == 1);
}

BOOST_AUTO_TEST_CASE(with_a_url_the_configuration_is_made) {
  rotator_fixture f{"https://127.0.0.1:9443"};
  f.start();
  BOOST_TEST(*f.ready);
  const auto* made = f.api->find(configurations, configuration_key);
  BOOST_REQUIRE(made);
  BOOST_TEST((*made)["webhooks"].size() == 1u);
  BOOST_TEST(accepts(f.bundle(), f.served.at(0)));
}

BOOST_AUTO_TEST_CASE(a_standby_keeps_certificates_too) {
  rotator_fixture f;
  f.make_secret();
  f.make_configuration();
  f.api->create("leases",
                {{"metadata", {{"name", "operator"}, {"namespace", "ns"}}},
                 {"spec",
                  {{"holderIdentity", "other"},
                   {"leaseDurationSeconds", 15},
                   {"renewTime", "2026-01-01T00:00:00.000000Z"}}}});
  f.op.election = election_config{
      {{k8s::resources::leases, "ns", "operator"}, "us", {}, nullptr}, true};
  f.start();
  BOOST_TEST(f.calls("update leases") == 0);
  BOOST_TEST(*f.ready);
  BOOST_TEST(accepts(f.bundle(), f.served.at(0)));
}

BOOST_AUTO_TEST_CASE(the_tree_of_actors_shows_it) {
  rotator_fixture f;
  f.start();
  auto tree = f.op.request_report();
  BOOST_TEST(tree->dump().find("certificate-rotator") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
