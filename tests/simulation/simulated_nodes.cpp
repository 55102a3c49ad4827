#include "tests/simulation/simulated_nodes.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace troupe::simulation {

namespace {

constexpr std::size_t working_at_first = 2;

const std::string& node_of(const json& pod) {
  return text(at(pod, "spec", "nodeName"));
}

const std::string& pick_of(const std::set<std::string>& all,
                           std::mt19937_64& random) {
  auto i = all.begin();
  std::advance(i, static_cast<std::ptrdiff_t>(random() % all.size()));
  return *i;
}

json ready_condition(const char* status) {
  return json::array({{{"type", "Ready"}, {"status", status}}});
}

} // namespace

void simulated_nodes::add(const std::string& name) {
  api_->create("nodes",
               {{"metadata", {{"name", name}, {"namespace", ""}}},
                {"status", {{"conditions", ready_condition("True")}}}});
  working_.insert(name);
}

std::string simulated_nodes::pick(std::mt19937_64& random) {
  while (working_.size() < working_at_first)
    add("node-" + std::to_string(++made_));
  return pick_of(working_, random);
}

void simulated_nodes::lose_or_return_one(std::mt19937_64& random) {
  if (!lost_.empty() && random() % 3 == 0)
    take_back(std::string{pick_of(lost_, random)});
  else if (!working_.empty())
    lose(std::string{pick_of(working_, random)}, random);
}

void simulated_nodes::change_pods_of(
    const std::string& name, const std::function<void(json& conditions)>& how) {
  std::vector<std::string> keys;
  for (const auto& [key, pod] : api_->all("pods"))
    if (node_of(pod) == name && phase_of(pod) == "Running")
      keys.push_back(key);
  for (const auto& key : keys)
    api_->change("pods", key, [&](json& pod) {
      auto& conditions = pod["status"]["conditions"];
      if (!conditions.is_array())
        conditions = json::array();
      conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                      [](const json& c) {
                                        return text(at(c, "type")) == "Ready";
                                      }),
                       conditions.end());
      how(conditions);
    });
}

void simulated_nodes::lose(const std::string& name, std::mt19937_64& random) {
  switch (random() % 4) {
  case 0:
    api_->erase("nodes", "/" + name);
    break;
  case 1:
    api_->change("nodes", "/" + name, [](json& n) {
      n["spec"]["taints"] =
          json::array({{{"key", "node.kubernetes.io/unreachable"}}});
    });
    break;
  default:
    api_->change("nodes", "/" + name, [](json& n) {
      n["status"]["conditions"] = ready_condition("Unknown");
    });
  }
  change_pods_of(name, [this](json& conditions) {
    conditions.push_back({{"type", "Ready"},
                          {"status", "False"},
                          {"reason", "NodeNotReady"},
                          {"lastTransitionTime", api_->now()}});
  });
  working_.erase(name);
  lost_.insert(name);
  ever_lost_.insert(name);
}

void simulated_nodes::take_back(const std::string& name) {
  if (!api_->find("nodes", "/" + name))
    return; // A node that is gone has another name when it comes back.
  api_->change("nodes", "/" + name, [](json& n) {
    n["spec"] = json::object();
    n["status"]["conditions"] = ready_condition("True");
  });
  change_pods_of(name, [](json&) {});
  lost_.erase(name);
  working_.insert(name);
}

bool simulated_nodes::has_lost(const json& pod) const {
  return lost_.count(node_of(pod)) > 0;
}

bool simulated_nodes::has_ever_lost(const json& pod) const {
  return ever_lost_.count(node_of(pod)) > 0;
}

} // namespace troupe::simulation
