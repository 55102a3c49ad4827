#pragma once

#include "actors/webhook/webhook_names.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// What the objects of webhook_configurations() have to contain.
struct webhook_configuration_policy {
  std::vector<const core::framework*> kinds; ///< That are reconciled.
  /// "https://host:port": the API server connects there. "": it connects to a
  /// Service, which the configuration names; others make the configuration
  /// then.
  std::string url;
};

/// Whether this object is created if it is missing: with a URL, if it has
/// entries of kinds that are reconciled. Definitions are never created.
bool should_create_configuration(const webhook_configuration_id& id,
                                 const webhook_configuration_policy& policy);

/// Whether this object calls our webhooks, or will when it has been written.
bool should_manage_configuration(const k8s::json& current,
                                 const webhook_configuration_id& id,
                                 const webhook_configuration_policy& policy);

/// `current` with the CA bundle (PEM) in every entry, and without entries of
/// our job kinds that are not reconciled here. With a URL there is an entry for
/// each kind that is; `current` may be null then. A definition, which must be
/// ours, gets the CA bundle of its conversion; with a URL it gets the
/// conversion, too, and serves all versions that can be converted.
k8s::json desired_configuration(
    const k8s::json& current, const webhook_configuration_policy& policy,
    const std::string& bundle,
    const webhook_configuration_id& id = webhook_configurations().front());

/// Whether it has an entry, or is a definition that is converted by our
/// webhook.
bool has_client_configurations(const k8s::json& configuration);

/// The CA bundle (PEM) of all entries, or of a conversion; "" if they do not
/// have the same one.
std::string shared_ca_bundle(const k8s::json& configuration);

} // namespace troupe::actors
