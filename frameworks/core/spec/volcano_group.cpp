#include "frameworks/core/spec/volcano_group.hpp"

#include "frameworks/core/base/json.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

json topology_json(const network_topology& t) {
  json out{{"mode", t.hard ? "hard" : "soft"}};
  if (t.highest_tier)
    out["highestTierAllowed"] = *t.highest_tier;
  if (!t.highest_tier_name.empty())
    out["highestTierName"] = t.highest_tier_name;
  return out;
}

/// The pods of a type; those of one sub-group if it has a number.
json selector_of(const job& j, const std::string& type,
                 std::optional<std::int32_t> number) {
  json labels{{j.kind->names.labels.replica_type, type}};
  if (number)
    labels[label::volcano_partition] = std::to_string(*number);
  return {{"matchLabels", std::move(labels)}};
}

/// With all fields that have defaults, so that it is stored as it is.
json sub_group_json(const job& j, const sub_group_policy& p, std::int32_t size,
                    std::int32_t least) {
  // A pod without one of these labels is in no sub-group; without any key none
  // is.
  const char* key =
      p.size ? label::volcano_partition : j.kind->names.labels.replica_type;
  json out{{"name", p.type},
           {"subGroupSize", size},
           {"minSubGroups", least},
           {"labelSelector", selector_of(j, p.type, std::nullopt)},
           {"matchLabelKeys", json::array({key})}};
  if (p.topology)
    out["networkTopology"] = topology_json(*p.topology);
  return out;
}

/// Volcano starts no sub-group that has fewer pods than its size, so the rest
/// is a policy of its own; before the other one, as the first that matches
/// counts.
void add_sub_groups(json& list, const job& j, const sub_group_policy& p,
                    std::int32_t replicas) {
  auto size = p.size.value_or(replicas);
  auto whole = replicas / size;
  auto least = p.least_groups.value_or(0);
  if (auto rest = replicas % size; rest > 0) {
    auto last = sub_group_json(j, p, rest, least > whole ? 1 : 0);
    last["name"] = p.type + "-rest";
    last["labelSelector"] = selector_of(j, p.type, whole);
    list.push_back(std::move(last));
  }
  // More than there are would keep the job from ever starting.
  if (whole > 0)
    list.push_back(sub_group_json(j, p, size, std::min(least, whole)));
}

} // namespace

void add_volcano_policy(json& group_spec, const job& j) {
  if (!j.policy.volcano)
    return;
  const auto& policy = *j.policy.volcano;
  if (policy.topology)
    group_spec["networkTopology"] = topology_json(*policy.topology);
  auto list = json::array();
  for (const auto& p : policy.sub_groups)
    if (const auto* type = j.find_replica_spec(p.type);
        type && type->replicas > 0)
      add_sub_groups(list, j, p, type->replicas);
  if (!policy.sub_groups.empty()) // Also when its types have no replicas now.
    group_spec["subGroupPolicy"] = std::move(list);
}

void set_sub_group(json& metadata, const job& j, const slot& at) {
  const auto* p = j.policy.volcano ? j.policy.volcano->find(at.type) : nullptr;
  if (p && p->size)
    ensure_object(metadata, "labels")[label::volcano_partition] =
        std::to_string(std::max(at.index, 0) / *p->size);
}

} // namespace troupe::core
