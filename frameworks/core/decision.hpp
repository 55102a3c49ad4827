#pragma once

#include "frameworks/core/framework.hpp"

#include <string>
#include <variant>

namespace troupe::core {

// What a pass wants done. Each carries its own safety: an object is named by
// UID, a place by its slot, and `why` says to a person what it is for.

struct create_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string why;
  auxiliary_object wanted = {}; ///< Unless it is a pod or service.
  /// Of a pod: how many failed early in this place before it, in a row.
  std::int32_t early_failures = 0;
};

/// Make an auxiliary object as it is wanted, if nobody has changed it since
/// that was decided.
struct update_child {
  child_kind kind = child_kind::config_map;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
  auxiliary_object wanted;
  std::string version; ///< The one that was compared.
  std::string body;    ///< JSON text: that one, corrected.
};

/// Note on a pod how many failed early in its place before it, if it is still
/// that object.
struct annotate_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
  std::int32_t early_failures = 0;
};

/// Read the body of one of which only metadata has been seen, in this version.
struct read_child {
  child_kind kind = child_kind::config_map;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
  std::uint64_t version = 0;
};

/// Only if it is still that very object.
struct remove_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
};

/// Become the controller of an orphan that carries our labels.
struct adopt_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
};

/// Let go of a child that no longer carries our labels.
struct release_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
};

/// Delete the job itself; ttlSecondsAfterFinished has passed.
struct remove_job {
  std::string uid;
  std::string why;
};

using decision =
    std::variant<create_child, update_child, annotate_child, read_child,
                 remove_child, adopt_child, release_child, remove_job>;

/// "create pod worker-1: no such replica exists", for logs and the admin
/// endpoint.
std::string describe(const decision& d);

} // namespace troupe::core
