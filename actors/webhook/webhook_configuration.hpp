#pragma once

#include "actors/webhook/webhook_names.hpp"
#include "frameworks/core/framework.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// What the objects of webhook_configurations() have to be like.
struct webhook_configuration_policy {
  std::vector<const core::framework*> kinds; ///< That are reconciled.
  /// "https://host:port": the API server connects there. "": to a Service,
  /// which the configuration names; it is made by others then.
  std::string url;
};

/// Whether this object is made if it is missing: with a URL, if it has entries
/// of kinds that are reconciled.
bool is_made_here(const webhook_configuration_id& id,
                  const webhook_configuration_policy& policy);

/// `current` with the CA bundle (PEM) in every entry, and without entries of
/// our job kinds that are not reconciled here. With a URL there is an entry for
/// each kind that is; `current` may be null then.
k8s::json desired_configuration(
    const k8s::json& current, const webhook_configuration_policy& policy,
    const std::string& bundle,
    const webhook_configuration_id& id = webhook_configurations().front());

/// The CA bundle (PEM) of all entries; "" if they do not have the same one.
std::string common_ca_bundle(const k8s::json& configuration);

} // namespace troupe::actors
