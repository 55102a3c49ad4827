#pragma once

#include "frameworks/core/framework.hpp"

#include <string>

namespace troupe::actors {

// Names of the original's webhooks, which manifests and users rely on.

/// The ValidatingWebhookConfiguration.
inline constexpr const char* webhook_configuration_name =
    "validator.training-operator.kubeflow.org";

/// The entry of a job kind in it.
inline std::string webhook_name(const core::framework& kind) {
  return "validator." + std::string{kind.singular}
         + ".training-operator.kubeflow.org";
}

/// Where the API server sends reviews of this job kind.
inline std::string validation_path(const core::framework& kind) {
  return "/validate-kubeflow-org-v1-" + std::string{kind.singular};
}

} // namespace troupe::actors
