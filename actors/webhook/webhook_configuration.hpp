#pragma once

#include "frameworks/core/framework.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// What the ValidatingWebhookConfiguration has to be like.
struct webhook_configuration_policy {
  std::vector<const core::framework*> kinds; ///< That are reconciled.
  /// "https://host:port": the API server connects there. "": to a Service,
  /// which the configuration names; it is made by others then.
  std::string url;
};

/// `current` with the CA bundle (PEM) in every entry, and without entries of
/// our job kinds that are not reconciled here. With a URL there is an entry for
/// each kind that is; `current` may be null then.
k8s::json desired_configuration(const k8s::json& current,
                                const webhook_configuration_policy& policy,
                                const std::string& bundle);

/// The CA bundle (PEM) of all entries; "" if they do not have the same one.
std::string common_ca_bundle(const k8s::json& configuration);

} // namespace troupe::actors
