#pragma once

#include "tests/exploration/setting.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::exploration {

/// What a Workload says, but for what the server makes, and without times and
/// words of conditions, by which nothing decides. Equal ones are one.
struct workload_body {
  int number = 0;
  std::string metadata; ///< JSON: members of it that the server does not make.
  std::string rest;     ///< JSON: the other members.

  bool active = true;
  bool guarded = false; ///< It has the finalizer that keeps its quota.
  bool reserved = false;
  bool admitted = false;
  bool evicted = false;
  bool finished = false;
  /// Kueue lets it wait for a while before it may be admitted again.
  bool backs_off = false;

  /// It has quota by which pods may be there.
  bool holds_quota() const { return reserved && !finished; }
};

/// A Workload as the API server has it.
struct workload {
  const workload_body* body = nullptr; ///< nullptr: there is none.
  int number = 0;                      ///< Of its UID.
  std::uint64_t version = 0;
  bool deleting = false;
};

const workload_body* read_workload_body(nlohmann::json object);

/// What Kueue, or a person, writes into it.
enum class workload_change : std::uint8_t {
  reserve_and_admit,
  reserve, ///< A check is to be passed.
  admit,
  preempt,
  time_out,
  evict_inactive,
  requeue,
  deactivate,
  activate,
};
const workload_body* with(const workload_body& before, workload_change what);

/// JSON text, as the API server answers.
std::string text_of(const setting& s, const workload& w);
/// What a watcher reads of it.
k8s::object_ptr object_of(const setting& s, const workload& w);

} // namespace troupe::exploration
