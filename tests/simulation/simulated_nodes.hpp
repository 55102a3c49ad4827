#pragma once

#include "tests/simulation/simulated_api_server.hpp"

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace troupe::simulation {

/// The nodes on which pods run. A lost one reports no more, or is gone: its
/// pods become not ready, and no kubelet does anything about them.
class simulated_nodes {
public:
  explicit simulated_nodes(std::shared_ptr<simulated_api_server> api)
      : api_(std::move(api)) {}

  /// A node that works.
  std::string pick(std::mt19937_64& random);
  /// Loses one, or has one come back.
  void lose_or_return_one(std::mt19937_64& random);
  bool has_lost(const json& pod) const;
  /// Whether the pod's node was lost at any time.
  bool has_ever_lost(const json& pod) const;

  /// One that works.
  void add(const std::string& name);

private:
  void lose(const std::string& name, std::mt19937_64& random);
  void take_back(const std::string& name);
  void change_pods_of(const std::string& name,
                      const std::function<void(json& conditions)>& how);

  std::shared_ptr<simulated_api_server> api_;
  std::set<std::string> working_;
  std::set<std::string> lost_;
  std::set<std::string> ever_lost_;
  int made_ = 0;
};

} // namespace troupe::simulation
