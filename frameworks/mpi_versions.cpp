#include "frameworks/mpi_versions.hpp"

#include "frameworks/core/base/json.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

std::string no_effect(const char* field, const char* version) {
  return "spec." + std::string{field} + " has no effect in an MPIJob of "
         + version;
}

} // namespace

std::vector<std::string> warn_of_v2beta1_fields(const json& spec) {
  const std::pair<const char*, json> fields_with_defaults[] = {
      {"launcherCreationPolicy", "AtStartup"},
      {"mpiImplementation", "OpenMPI"},
      {"runLauncherAsWorker", false},
      {"sshAuthMountPath", "/root/.ssh"}};
  std::vector<std::string> warnings;
  for (const auto& [field, filled_in] : fields_with_defaults)
    if (const auto& value = value_at(spec, {field});
        !value.is_null() && value != filled_in)
      warnings.push_back(no_effect(field, "v1"));
  return warnings;
}

std::vector<std::string> warn_of_v1_fields(const json& spec) {
  std::vector<std::string> warnings;
  for (const char* field : {"cleanPodPolicy", "mainContainer"})
    if (!value_at(spec, {field}).is_null())
      warnings.push_back(no_effect(field, "v2beta1"));
  return warnings;
}

} // namespace troupe::frameworks
