#include "k8s/apiserver/resource_registry.hpp"

#include "k8s/apiserver/builtin_resources.hpp"

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
    add(std::move(s));
}

void resource_registry::add(served_resource s) {
  auto path =
      group_version_plural_key(s.name.group, s.name.version, s.name.plural);
  by_path_[path] = std::make_shared<const served_resource>(std::move(s));
}

resource_ptr resource_registry::find(const std::string& group,
                                     const std::string& version,
                                     const std::string& plural) const {
  auto i = by_path_.find(group_version_plural_key(group, version, plural));
  return i == by_path_.end() ? nullptr : i->second;
}

resource_ptr resource_registry::find_stored_version_by_bucket(
    const std::string& bucket) const {
  resource_ptr some;
  for (const auto& [path, s] : by_path_)
    if (s->bucket == bucket && (!some || s->is_storage_version()))
      some = s;
  return some;
}

void resource_registry::replace_custom_resource(
    const std::string& bucket, std::vector<resource_ptr> versions) {
  for (auto i = by_path_.begin(); i != by_path_.end();)
    i = i->second->custom && i->second->bucket == bucket ? by_path_.erase(i)
                                                         : std::next(i);
  for (auto& s : versions) {
    auto path = group_version_plural_key(s->name.group, s->name.version,
                                         s->name.plural);
    by_path_[path] = std::move(s);
  }
}

std::vector<resource_ptr> resource_registry::all() const {
  std::vector<resource_ptr> out;
  for (const auto& [path, s] : by_path_)
    out.push_back(s);
  return out;
}

} // namespace troupe::k8s::apiserver
