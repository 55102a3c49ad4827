#pragma once

#include "actors/webhook/webhook_certificates.hpp"
#include "actors/webhook/webhook_configuration.hpp"

#include <optional>

namespace troupe::actors {

/// The objects of webhook_configurations(), as read, in that order; null: there
/// is no such object.
using stored_configurations = std::vector<k8s::json>;

/// What follows from one reading of the Secret and the configurations.
struct webhook_plan {
  bool serve = false; ///< Present the Secret's serving certificate.
  certificate_renewal due = certificate_renewal::none; ///< In the Secret.
  /// The object to write, and its index in webhook_configurations(). The next
  /// round finds the next object.
  std::optional<k8s::json> configuration;
  std::size_t configuration_index = 0;
  bool ready = false; ///< Nothing has to be done before webhooks can be called.
};

/// Decides what to write where, and in which order, so that no call of a
/// webhook fails while certificates are replaced: a new authority is first in
/// the Secret, then in the configuration, and signs when all API servers have
/// had time to read that. A value.
class webhook_planner {
public:
  webhook_planner(certificate_policy certificates,
                  webhook_configuration_policy configuration);

  /// Whether no configuration exists or is created here: then there is nothing
  /// to do.
  bool has_no_configuration_to_manage(const stored_configurations& all) const;

  /// What to do if there is a configuration.
  webhook_plan plan(const webhook_certificates& stored,
                    const stored_configurations& all, k8s::time_point now);

  /// The delay before the next round. API servers read a change of the
  /// configuration in less. Longer if a write was refused, because each attempt
  /// makes keys.
  std::chrono::milliseconds
  next_round_delay(bool write_was_refused = false) const;

  const certificate_policy& certificates() const { return certificates_; }

private:
  /// should_manage_configuration() for the object at this index.
  bool should_manage_configuration_at(const stored_configurations& all,
                                      std::size_t i) const;
  /// The CA bundle of all configurations, once it is old enough to be known to
  /// all API servers; before that "".
  std::string ca_bundle_known_to_all(const stored_configurations& all,
                                     k8s::time_point now);

  certificate_policy certificates_;
  webhook_configuration_policy configuration_;
  std::string last_bundle_;        ///< Of the last configurations.
  k8s::time_point bundle_since_{}; ///< When that was seen first.
};

} // namespace troupe::actors
