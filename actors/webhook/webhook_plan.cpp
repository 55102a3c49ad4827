#include "actors/webhook/webhook_plan.hpp"

#include <algorithm>

namespace troupe::actors {

webhook_planner::webhook_planner(certificate_policy certificates,
                                 webhook_configuration_policy configuration)
    : certificates_(std::move(certificates))
    , configuration_(std::move(configuration)) {}

std::chrono::milliseconds webhook_planner::interval(bool refused) const {
  constexpr std::chrono::milliseconds longest{10'000};
  constexpr std::chrono::milliseconds after_refusal{60'000};
  std::chrono::milliseconds life = certificates_.serving_life;
  return refused ? after_refusal : std::min(longest, life / 12);
}

bool webhook_planner::is_absent_and_not_made_here(
    const k8s::json& configuration) const {
  return configuration.is_null() && configuration_.url.empty();
}

webhook_plan webhook_planner::plan(const webhook_certificates& stored,
                                   const k8s::json& configuration,
                                   k8s::time_point now) {
  auto found = assess_certificates(stored, certificates_,
                                   known_bundle(configuration, now), now);
  webhook_plan result;
  result.serve = found.is_usable;
  result.due = found.due;
  if (!found.is_usable)
    return result;
  auto desired =
      desired_configuration(configuration, configuration_, found.bundle);
  if (desired != configuration)
    result.configuration = std::move(desired);
  else
    result.ready = true;
  return result;
}

std::string webhook_planner::known_bundle(const k8s::json& configuration,
                                          k8s::time_point now) {
  auto bundle = common_ca_bundle(configuration);
  bool clock_was_set_back = now < bundle_since_;
  if (bundle != last_bundle_ || clock_was_set_back) {
    last_bundle_ = std::move(bundle);
    bundle_since_ = now;
  }
  return now - bundle_since_ >= interval() ? last_bundle_ : "";
}

} // namespace troupe::actors
