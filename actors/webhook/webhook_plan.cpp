#include "actors/webhook/webhook_plan.hpp"

#include <algorithm>

namespace troupe::actors {

webhook_planner::webhook_planner(certificate_policy certificates,
                                 webhook_configuration_policy configuration)
    : certificates_(std::move(certificates))
    , configuration_(std::move(configuration)) {}

std::chrono::milliseconds
webhook_planner::next_round_delay(bool write_was_refused) const {
  constexpr std::chrono::milliseconds longest{10'000};
  constexpr std::chrono::milliseconds after_refusal{60'000};
  std::chrono::milliseconds life = certificates_.serving_life;
  return write_was_refused ? after_refusal : std::min(longest, life / 12);
}

bool webhook_planner::should_manage_configuration_at(
    const stored_configurations& all, std::size_t i) const {
  return actors::should_manage_configuration(
      all[i], webhook_configurations()[i], configuration_);
}

bool webhook_planner::has_no_configuration_to_manage(
    const stored_configurations& all) const {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (should_manage_configuration_at(all, i))
      return false;
  return true;
}

webhook_plan webhook_planner::plan(const webhook_certificates& stored,
                                   const stored_configurations& all,
                                   k8s::time_point now) {
  auto found = assess_certificates(stored, certificates_,
                                   ca_bundle_known_to_all(all, now), now);
  webhook_plan result;
  result.serve = found.is_usable;
  result.due = found.due;
  if (!found.is_usable)
    return result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!should_manage_configuration_at(all, i))
      continue;
    auto desired = desired_configuration(all[i], configuration_, found.bundle,
                                         webhook_configurations()[i]);
    if (desired == all[i])
      continue;
    result.configuration = std::move(desired);
    result.configuration_index = i;
    return result;
  }
  result.ready = true;
  return result;
}

std::string
webhook_planner::ca_bundle_known_to_all(const stored_configurations& all,
                                        k8s::time_point now) {
  // What has no entries calls nobody.
  std::optional<std::string> bundle;
  for (const auto& configuration : all) {
    if (!has_client_configurations(configuration))
      continue;
    auto next = shared_ca_bundle(configuration);
    bundle = !bundle || *bundle == next ? next : "";
  }
  bool clock_was_set_back = now < bundle_since_;
  if (bundle.value_or("") != last_bundle_ || clock_was_set_back) {
    last_bundle_ = bundle.value_or("");
    bundle_since_ = now;
  }
  return now - bundle_since_ >= next_round_delay() ? last_bundle_ : "";
}

} // namespace troupe::actors
