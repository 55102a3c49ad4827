#include "actors/webhook/webhook_names.hpp"

#include "frameworks/registry.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// Nothing for an empty name.
void add_configuration_unless_present(
    std::vector<webhook_configuration_id>& all, bool mutating,
    const std::string& name) {
  bool known = std::any_of(all.begin(), all.end(), [&](const auto& c) {
    return c.mutating == mutating && c.name == name;
  });
  if (!known && !name.empty())
    all.push_back({mutating, name, nullptr});
}

/// The webhook that validates jobs of this kind.
core::admission_webhook validating_webhook(const core::framework& kind) {
  if (!kind.admission.validating.name.empty())
    return kind.admission.validating;
  const auto& singular = kind.names.singular;
  const auto& version = kind.names.type.version;
  // Those of v1 are called as the training operator calls them.
  return {webhook_configuration_name,
          "validator." + singular + (version == "v1" ? "" : "-" + version)
              + ".training-operator.kubeflow.org",
          "/validate-kubeflow-org-" + version + "-" + singular};
}

} // namespace

std::string validating_webhook_name(const core::framework& kind) {
  return validating_webhook(kind).name;
}

std::string validating_webhook_path(const core::framework& kind) {
  return validating_webhook(kind).path;
}

k8s::object_ref webhook_configuration_id::ref() const {
  if (conversion)
    return {k8s::resources::custom_resource_definitions, "", name};
  return {mutating ? k8s::resources::mutating_webhook_configurations
                   : k8s::resources::validating_webhook_configurations,
          "", name};
}

const std::vector<webhook_configuration_id>& webhook_configurations() {
  static const auto all = [] {
    std::vector<webhook_configuration_id> result;
    for (const auto& f : frameworks::all()) {
      add_configuration_unless_present(result, false,
                                       validating_webhook(f).configuration);
      add_configuration_unless_present(result, true,
                                       f.admission.mutating.configuration);
    }
    for (const auto& c : frameworks::object_conversions())
      result.push_back({false, c.crd_name(), &c});
    return result;
  }();
  return all;
}

core::admission_webhook
webhook_of_kind_or_empty(const webhook_configuration_id& object,
                         const core::framework& kind) {
  if (object.conversion)
    return {};
  auto webhook =
      object.mutating ? kind.admission.mutating : validating_webhook(kind);
  return webhook.configuration == object.name ? webhook
                                              : core::admission_webhook{};
}

} // namespace troupe::actors
