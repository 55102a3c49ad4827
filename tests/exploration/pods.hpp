#pragma once

#include "tests/exploration/setting.hpp"

namespace troupe::exploration {

/// What the operator asked for, as far as anybody reads it again: a pod, or a
/// service.
struct pod_body {
  int slot = 0;         ///< Of a service: its place.
  int attempt = -1;     ///< By its label; -1: it has none.
  std::string metadata; ///< JSON: members of it that the server does not make.
};

/// Reads the body of a creation; the same text gives the same object.
const pod_body* read_pod_body(const setting& s, const std::string& json);

/// A pod, or a service, as the API server has it.
struct pod {
  const pod_body* body = nullptr;
  int number = 0; ///< Of its UID: counts the pods of its slot.
  std::uint64_t version = 0;
  k8s::pod_phase phase = k8s::pod_phase::pending;
  bool deleting = false;
  int exit_code = 0;
  /// Its creation was under way when the process that had sent it died.
  bool came_late = false;
  bool spare = false; ///< Which node it is on: see name_of_node().
  /// Since when its node is known to be silent; 0: it is not.
  k8s::time_point silent_since{};
  /// If it is being deleted where nodes are lost: else nothing depends on it.
  k8s::time_point leaves_by{};
  bool evicted = false; ///< From a silent node.

  int slot() const { return body->slot; }
  bool has_ended() const {
    return phase == k8s::pod_phase::succeeded
           || phase == k8s::pod_phase::failed;
  }
  bool is(const pod& other) const {
    return slot() == other.slot() && number == other.number;
  }
};

/// JSON text, as the API server answers.
std::string text_of(const setting& s, const pod& p);
/// What a watcher reads of it.
k8s::object_ptr object_of(const setting& s, const pod& p);
std::string name_of(const setting& s, const pod& p); ///< "worker-0#2".

} // namespace troupe::exploration
