#pragma once

#include "frameworks/conversions.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/calls.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

// Names of the webhooks of training-operator v1 and DI-orchestrator, which
// manifests and users rely on.

/// The ValidatingWebhookConfiguration of the training operator.
inline constexpr const char* webhook_configuration_name =
    "validator.training-operator.kubeflow.org";

/// The name of its entry in the configuration.
std::string validating_webhook_name(const core::framework& kind);

/// Where the API server sends reviews of this job kind.
std::string validating_webhook_path(const core::framework& kind);

/// An object of the API server that says which webhooks it calls: one with
/// webhooks of job kinds as its entries, or the definition of a resource whose
/// versions are converted.
struct webhook_configuration_id {
  bool mutating = false;
  std::string name;
  /// nullptr: the object is not a definition.
  const frameworks::object_conversion* conversion = nullptr;

  k8s::object_ref ref() const;
};

/// All of them: the training operator's first, definitions last.
const std::vector<webhook_configuration_id>& webhook_configurations();

/// The webhook of the kind that is an entry of this object; its fields are
/// empty if there is none.
core::admission_webhook
webhook_of_kind_or_empty(const webhook_configuration_id& object,
                         const core::framework& kind);

} // namespace troupe::actors
