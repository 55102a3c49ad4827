#include "k8s/apiserver/resources/resource_registry.hpp"

#include "k8s/apiserver/resources/builtin_resources.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::string group_version_plural_key(const std::string& group,
                                     const std::string& version,
                                     const std::string& plural) {
  return group + "/" + version + "/" + plural;
}

} // namespace

resource_registry::resource_registry() {
  for (auto& s : builtin_resources())
    add(std::make_shared<const served_resource>(std::move(s)));
}

void resource_registry::add(resource_ptr s) {
  auto& stored = stored_by_bucket_[s->bucket];
  if (!stored || s->is_storage_version())
    stored = s;
  by_path_[group_version_plural_key(s->name.group, s->name.version,
                                    s->name.plural)] = std::move(s);
}

resource_ptr resource_registry::find(const std::string& group,
                                     const std::string& version,
                                     const std::string& plural) const {
  auto i = by_path_.find(group_version_plural_key(group, version, plural));
  return i == by_path_.end() ? nullptr : i->second;
}

resource_ptr resource_registry::find_stored_version_by_bucket(
    const std::string& bucket) const {
  auto i = stored_by_bucket_.find(bucket);
  return i == stored_by_bucket_.end() ? nullptr : i->second;
}

void resource_registry::replace_custom_resource(
    const std::string& bucket, std::vector<resource_ptr> versions) {
  for (auto i = by_path_.begin(); i != by_path_.end();)
    i = i->second->custom && i->second->bucket == bucket ? by_path_.erase(i)
                                                         : std::next(i);
  if (auto stored = find_stored_version_by_bucket(bucket);
      stored && stored->custom)
    stored_by_bucket_.erase(bucket);
  for (auto& s : versions)
    add(std::move(s));
}

resource_ptr resource_registry::find_by_kind(const std::string& api_version,
                                             const std::string& kind) const {
  for (const auto& [path, s] : by_path_)
    if (s->name.kind == kind && s->name.api_version() == api_version)
      return s;
  return nullptr;
}

std::vector<resource_ptr> resource_registry::all() const {
  std::vector<resource_ptr> out;
  for (const auto& [path, s] : by_path_)
    out.push_back(s);
  return out;
}

} // namespace troupe::k8s::apiserver
