#include "k8s/node/base/claims.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

/// The API server has seen to that, where it checks.
bool is_one_path_component(const std::string& name) {
  return !name.empty() && name != "." && name != ".."
         && name.find('/') == name.npos;
}

void make_mounts_read_only(json& spec, const std::string& volume) {
  for (auto key : {"initContainers", "containers"})
    if (auto list = spec.find(key); list != spec.end() && list->is_array())
      for (auto& container : *list)
        if (container.is_object())
          for (auto& mount : ensure_array(container, "volumeMounts"))
            if (text_at(mount, {"name"}) == volume)
              mount["readOnly"] = true;
}

} // namespace

json with_claim_directories(json pod, const claim_directories& where,
                            std::vector<claimed_directory>& found) {
  auto ns = text_at(pod, {"metadata", "namespace"});
  auto& spec = ensure_object(pod, "spec");
  auto volumes = spec.find("volumes");
  if (volumes == spec.end() || !volumes->is_array())
    return pod;
  std::vector<std::string> read_only;
  for (auto& volume : *volumes) {
    if (value_at(volume, {"ephemeral"}).is_object()) {
      volume.erase("ephemeral");
      volume["emptyDir"] = json::object();
    }
    const auto claim = text_at(volume, {"persistentVolumeClaim", "claimName"});
    if (!is_one_path_component(claim) || !is_one_path_component(ns))
      continue;
    if (bool_at(volume, {"persistentVolumeClaim", "readOnly"}))
      read_only.push_back(text_at(volume, {"name"}));
    auto own = where.given.find(claim);
    bool is_given = own != where.given.end();
    auto path = is_given ? own->second : where.parent + "/" + ns + "/" + claim;
    volume.erase("persistentVolumeClaim");
    volume["hostPath"] = {
        {"path", path}, {"type", is_given ? "Directory" : "DirectoryOrCreate"}};
    found.push_back({claim, path});
  }
  for (const auto& name : read_only)
    make_mounts_read_only(spec, name);
  return pod;
}

} // namespace troupe::k8s::node
