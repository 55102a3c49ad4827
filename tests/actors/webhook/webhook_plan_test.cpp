#include "actors/webhook/webhook_names.hpp"
#include "actors/webhook/webhook_plan.hpp"
#include "frameworks/registry.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;
using fixtures::base_time;
using k8s::json;

BOOST_AUTO_TEST_SUITE(webhook_plan_test)

namespace {

certificate_policy minutes_policy() {
  certificate_policy p;
  p.hosts = {"operator.ns.svc"};
  p.serving_life = 30min;
  p.authority_life = 100min;
  p.algorithm = k8s::http::key_algorithm::ecdsa_p256;
  return p;
}

webhook_configuration_policy tfjobs(std::string url = "") {
  return {{frameworks::find("TFJob")}, std::move(url)};
}

const json& configuration() {
  static const json it{{"webhooks", {{{"name", "x"}}}}};
  return it;
}

webhook_certificates renewed(const webhook_certificates& c,
                             certificate_renewal due, k8s::time_point now) {
  auto made = renew_certificates(c, due, minutes_policy(), now);
  BOOST_REQUIRE(made);
  return *made;
}

webhook_certificates made_at(k8s::time_point now) {
  return renewed({}, certificate_renewal::authority_and_serving, now);
}

} // namespace

BOOST_AUTO_TEST_CASE(certificates_come_before_the_configuration) {
  webhook_planner planner{minutes_policy(), tfjobs()};
  auto first = planner.plan({}, {configuration()}, base_time);
  BOOST_TEST(!first.serve);
  BOOST_TEST((first.due == certificate_renewal::authority_and_serving));
  BOOST_TEST(!first.configuration);
  BOOST_TEST(!first.ready);
  auto made = made_at(base_time);
  auto second = planner.plan(made, {configuration()}, base_time);
  BOOST_TEST(second.serve);
  BOOST_TEST((second.due == certificate_renewal::none));
  BOOST_REQUIRE(second.configuration);
  BOOST_TEST(shared_ca_bundle(*second.configuration) == made.authorities);
  BOOST_TEST(!second.ready);
  auto third = planner.plan(made, {*second.configuration}, base_time);
  BOOST_TEST((third.due == certificate_renewal::none));
  BOOST_TEST(!third.configuration);
  BOOST_TEST(third.ready);
}

BOOST_AUTO_TEST_CASE(with_a_url_the_configuration_is_made) {
  webhook_planner planner{minutes_policy(), tfjobs()};
  BOOST_TEST(planner.has_no_configuration_to_manage({nullptr}));
  BOOST_TEST(!planner.has_no_configuration_to_manage({configuration()}));
  webhook_planner maker{minutes_policy(), tfjobs("https://host:1")};
  BOOST_TEST(!maker.has_no_configuration_to_manage({nullptr}));
  auto plan = maker.plan({}, {nullptr}, base_time);
  BOOST_TEST((plan.due == certificate_renewal::authority_and_serving));
  BOOST_TEST(!plan.ready);
  plan = maker.plan(made_at(base_time), {nullptr}, base_time);
  BOOST_TEST(plan.configuration.has_value());
}

BOOST_AUTO_TEST_CASE(a_new_authority_signs_an_interval_after_it_was_seen) {
  webhook_planner planner{minutes_policy(), tfjobs()};
  auto now = base_time + 60min;
  auto old = renewed(made_at(base_time), certificate_renewal::serving, now);
  auto old_configuration =
      *planner.plan(old, {configuration()}, now).configuration;
  now = base_time + 67min;
  auto plan = planner.plan(old, {old_configuration}, now);
  BOOST_TEST((plan.due == certificate_renewal::authority));
  auto both = renewed(old, plan.due, now);
  plan = planner.plan(both, {old_configuration}, now);
  BOOST_TEST(plan.serve);
  BOOST_TEST((plan.due == certificate_renewal::none));
  BOOST_REQUIRE(plan.configuration);
  auto current = *plan.configuration;
  BOOST_TEST(shared_ca_bundle(current) == both.authorities);
  plan = planner.plan(both, {current}, now);
  BOOST_TEST((plan.due == certificate_renewal::none));
  plan = planner.plan(both, {current}, now + planner.next_round_delay() - 1ms);
  BOOST_TEST((plan.due == certificate_renewal::none));
  plan = planner.plan(both, {current}, now + planner.next_round_delay());
  BOOST_TEST((plan.due == certificate_renewal::serving));
}

BOOST_AUTO_TEST_CASE(configurations_are_written_one_after_the_other) {
  webhook_planner planner{minutes_policy(), tfjobs()};
  auto made = made_at(base_time);
  stored_configurations all{configuration(), nullptr, configuration()};
  for (std::size_t i : {0, 2}) {
    auto plan = planner.plan(made, all, base_time);
    BOOST_REQUIRE(plan.configuration);
    BOOST_TEST(plan.configuration_index == i);
    BOOST_TEST(!plan.ready);
    all[i] = *plan.configuration;
  }
  BOOST_TEST(planner.plan(made, all, base_time).ready);
}

BOOST_AUTO_TEST_CASE(the_definition_of_a_converted_resource_is_written_too) {
  webhook_configuration_policy policy{{frameworks::find("DIJob")}, ""};
  webhook_planner planner{minutes_policy(), policy};
  auto made = made_at(base_time);
  stored_configurations all(webhook_configurations().size(), nullptr);
  all.back() = json::parse(R"({"spec": {
    "versions": [{"name": "v1alpha1"}, {"name": "v2alpha1"}],
    "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {
      "service": {"path": "/convert"}}}}}})");
  BOOST_TEST(!planner.has_no_configuration_to_manage(all));
  auto plan = planner.plan(made, all, base_time);
  BOOST_REQUIRE(plan.configuration);
  BOOST_TEST(plan.configuration_index == all.size() - 1);
  BOOST_TEST(shared_ca_bundle(*plan.configuration) == made.authorities);
  all.back() = *plan.configuration;
  BOOST_TEST(planner.plan(made, all, base_time).ready);
  // One that converts nothing is nothing to write.
  all.back()["spec"]["conversion"] = {{"strategy", "None"}};
  BOOST_TEST(planner.has_no_configuration_to_manage(all));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_begins_the_interval_again) {
  webhook_planner planner{minutes_policy(), tfjobs()};
  auto now = base_time + 67min;
  auto old = renewed(made_at(base_time), certificate_renewal::serving, now);
  auto both = renewed(old, certificate_renewal::authority, now);
  auto current = *planner.plan(both, {configuration()}, now).configuration;
  planner.plan(both, {current}, now);
  now -= 1min;
  auto plan = planner.plan(both, {current}, now);
  BOOST_TEST((plan.due == certificate_renewal::none));
  plan = planner.plan(both, {current}, now + planner.next_round_delay() - 1ms);
  BOOST_TEST((plan.due == certificate_renewal::none));
  plan = planner.plan(both, {current}, now + planner.next_round_delay());
  BOOST_TEST((plan.due == certificate_renewal::serving));
}

BOOST_AUTO_TEST_CASE(looks_are_frequent_enough_for_short_lives) {
  auto policy = minutes_policy();
  BOOST_TEST((webhook_planner{policy, tfjobs()}.next_round_delay() == 10s));
  policy.serving_life = 12s;
  BOOST_TEST((webhook_planner{policy, tfjobs()}.next_round_delay() == 1s));
  BOOST_TEST(
      (webhook_planner{policy, tfjobs()}.next_round_delay(true) == 1min));
}

BOOST_AUTO_TEST_SUITE_END()
