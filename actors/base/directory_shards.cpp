#include "actors/base/directory_shards.hpp"

#include <functional>

namespace troupe::actors {

directory_shards::directory_shards(std::vector<directory_actor> all)
    : all_(std::move(all)) {}

const directory_actor&
directory_shards::directory_of_job(const std::string& ns,
                                   const std::string& kind,
                                   const std::string& name) const {
  std::hash<std::string> hash;
  auto sum = (hash(ns) * 31 + hash(kind)) * 31 + hash(name);
  return all_[sum % all_.size()];
}

const directory_actor*
directory_shards::directory_of_child(const child_fact& fact) const {
  if (all_.size() == 1)
    return &all_.front();
  const auto& job = fact.claims;
  return job.kind
             ? &directory_of_job(fact.item->meta.ns, job.kind->names.type.kind,
                                 std::string{job.job()})
             : nullptr;
}

} // namespace troupe::actors
