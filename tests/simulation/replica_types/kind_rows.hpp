#pragma once

#include "tests/simulation/replica_types/kind_rules.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// How often a type occurs, and with how many replicas.
struct type_row {
  const char* type;
  int percent;
  int least;
  int most;
};

/// The rules of one kind.
struct kind_row {
  const char* kind;
  const char* default_policy;
  std::vector<type_row> types;
  std::vector<std::string> (*leaders)(const manifest&);
  /// What else makes the job succeed; nullptr: nothing.
  bool (*early_success)(const manifest&, const replica_list&) = nullptr;
  /// Fields that only this kind has, at random; nullptr: none.
  void (*random_fields)(json& spec, std::mt19937_64&) = nullptr;
  /// A failed replica is replaced under OnFailure and Always.
  bool restarts_failed = true;
};

/// elasticPolicy.metrics of a PyTorchJob.
json cpu_metrics();

/// By kind ("TFJob"), or nullptr.
const kind_row* find_kind_row(const std::string& kind);

} // namespace troupe::simulation
