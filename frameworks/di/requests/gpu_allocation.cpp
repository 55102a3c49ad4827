#include "frameworks/di/requests/gpu_allocation.hpp"

#include "frameworks/core/base/quantity.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <map>

namespace troupe::frameworks::di {

namespace {

std::vector<std::int64_t>
split_into_full_nodes_and_rest(std::int64_t wanted, std::int64_t per_node) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(wanted / per_node),
                                   per_node);
  if (auto rest = wanted % per_node; rest > 0)
    result.push_back(rest);
  return result;
}

constexpr gpu_policy policies[] = {{"simple", split_into_full_nodes_and_rest}};

std::int64_t allocatable_gpus(const k8s::json& node) {
  const auto& amount =
      k8s::value_at(node, {"status", "allocatable", gpu_resource});
  if (amount.is_number_integer())
    return amount.get<std::int64_t>();
  auto read = amount.is_string()
                  ? core::quantity::parse(amount.get<std::string>())
                  : std::nullopt;
  return read ? read->round_up() : 0;
}

} // namespace

k8s::result<const gpu_policy*> find_gpu_policy(const std::string& name) {
  std::string names;
  for (const auto& p : policies) {
    if (name == p.name)
      return &p;
    names += (names.empty() ? "" : ", ") + std::string{p.name};
  }
  return k8s::failure{k8s::ec::invalid, "there is no allocation policy \""
                                            + name + "\"; known: " + names};
}

std::int64_t typical_gpus_per_node(const std::vector<std::int64_t>& per_node) {
  std::map<std::int64_t, std::size_t> nodes_with;
  for (auto gpus : per_node)
    ++nodes_with[gpus];
  std::int64_t usual = 0;
  std::size_t most = 0;
  for (const auto& [gpus, nodes] : nodes_with)
    if (nodes >= most) {
      most = nodes;
      usual = gpus;
    }
  return usual > 0 || nodes_with.empty() ? usual : nodes_with.rbegin()->first;
}

k8s::result<std::int64_t> typical_gpus_in_node_list(const std::string& nodes) {
  auto list = k8s::parse_json(nodes);
  if (!list)
    return list.error();
  std::vector<std::int64_t> per_node;
  for (const auto& node : k8s::array_at(*list, {"items"}))
    per_node.push_back(allocatable_gpus(node));
  return typical_gpus_per_node(per_node);
}

std::vector<gpu_slice> allocate_gpus(const gpu_policy& policy,
                                     std::int64_t wanted,
                                     std::int64_t per_node) {
  if (per_node <= 0 || wanted <= per_node)
    return {{wanted, 0, wanted}};
  std::vector<gpu_slice> result;
  std::int64_t rank = 0;
  for (auto gpus : policy.split(wanted, per_node)) {
    result.push_back({gpus, rank, wanted});
    rank += gpus;
  }
  return result;
}

} // namespace troupe::frameworks::di
