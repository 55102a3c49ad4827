#include "actors/cli/manifest/kustomization.hpp"

#include "actors/cli/manifest/manifest.hpp"
#include "k8s/general/child_output.hpp"

#include <chrono>
#include <filesystem>
#include <unistd.h>

namespace troupe::cli {

namespace {

/// Resources may be fetched from elsewhere.
constexpr std::chrono::seconds time_limit{60};

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string list{path ? path : "/usr/bin:/bin"};
  for (std::size_t begin = 0; begin <= list.size();) {
    auto end = std::min(list.find(':', begin), list.size());
    auto file = list.substr(begin, end - begin) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0)
      return true;
    begin = end + 1;
  }
  return false;
}

std::vector<std::string> environment_as_strings() {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry)
    all.emplace_back(*entry);
  return all;
}

} // namespace

k8s::result<std::vector<k8s::yaml_document>>
read_kustomization(const std::string& directory) {
  const std::pair<const char*, const char*> programs[] = {
      {"kubectl", "kustomize"}, {"kustomize", "build"}};
  for (const auto& [program, verb] : programs) {
    if (!is_in_path(program))
      continue;
    auto text = k8s::run_for_output(
        {program, {verb, directory}, environment_as_strings(), time_limit});
    if (!text)
      return k8s::failure{k8s::ec::invalid,
                          "-k " + directory + ": " + text.error().message};
    return parse_manifest(*text, directory);
  }
  return k8s::failure{k8s::ec::invalid,
                      "-k " + directory
                          + ": there is neither kubectl nor kustomize in PATH; "
                            "install one of them, or name the manifests"};
}

} // namespace troupe::cli
