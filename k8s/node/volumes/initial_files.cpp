#include "k8s/node/volumes/initial_files.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/pod_fields.hpp"

#include <sys/stat.h>

namespace troupe::k8s::node {

namespace {

/// No field of Kubernetes.
constexpr const char* files_key = "initialFiles";

bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.'
         && name.find('/') == std::string::npos;
}

} // namespace

json make_volume_with_files(const std::string& name,
                            const std::vector<initial_file>& files) {
  json list = json::array();
  for (const auto& f : files)
    list.push_back({{"name", f.name}, {"text", f.text}, {"mode", f.mode}});
  return {{"name", name},
          {"emptyDir", json::object()},
          {files_key, std::move(list)}};
}

std::optional<failure> write_initial_files(const json& volume,
                                           const std::string& directory) {
  for (const auto& f : list_at(volume, files_key)) {
    const auto& name = text_at(f, {"name"});
    auto path = directory + "/" + name;
    struct stat there {};
    if (!is_file_name(name) || ::lstat(path.c_str(), &there) == 0)
      continue;
    auto mode = static_cast<mode_t>(number_at(f, {"mode"}, 0600) & 0777);
    if (auto bad = write_file_atomically(path, text_at(f, {"text"}), mode))
      return bad;
  }
  return std::nullopt;
}

} // namespace troupe::k8s::node
