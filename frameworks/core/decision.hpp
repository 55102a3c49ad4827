#pragma once

#include "frameworks/core/framework.hpp"

#include <string>
#include <variant>

namespace troupe::core {

/// What a decision does to an object that exists.
enum class operation : std::uint8_t {
  update,
  annotate,
  read,
  delete_object,
  adopt,
  release
};

/// "update", "delete", as verbs of the API; "adopt", "release".
const char* to_string(operation o);

// What a pass wants done. Each carries its own safety: an object is named by
// UID, a replica by its slot, and `why` says to a person what it is for.

/// Make the pod or the service of a slot.
struct create_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string why;
  /// Of a pod: how many failed early in this slot before it, in a row.
  std::int32_t early_failures = 0;
};

struct create_auxiliary {
  auxiliary_object wanted;
  std::string why;
};

/// Make an auxiliary object as it is wanted, if nobody has changed it since
/// that was decided.
struct update_auxiliary {
  static constexpr auto action = operation::update;
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string uid;
  std::string why;
  auxiliary_object wanted;
  std::string version; ///< The one that was compared.
  std::string body;    ///< JSON text: that one, corrected.
};

/// Read the body of one of which only metadata has been seen, in this version.
struct read_auxiliary {
  static constexpr auto action = operation::read;
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string uid;
  std::string why;
  std::uint64_t version = 0;
};

/// Note on a pod how many failed early in its slot before it, if it is still
/// that object.
struct annotate_pod {
  static constexpr auto action = operation::annotate;
  static constexpr auto kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
  std::int32_t early_failures = 0;
};

/// Delete a child, only if it is still that very object.
struct delete_child {
  static constexpr auto action = operation::delete_object;
  child_kind kind = child_kind::pod;
  slot at; ///< Unset for an auxiliary object.
  std::string name;
  std::string uid;
  std::string why;
};

/// Become the controller of an orphan that carries our labels.
struct adopt_child {
  static constexpr auto action = operation::adopt;
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
};

/// Let go of a child that no longer carries our labels.
struct release_child {
  static constexpr auto action = operation::release;
  child_kind kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
};

/// Delete the job itself; ttlSecondsAfterFinished has passed.
struct delete_job {
  std::string uid;
  std::string why;
};

using decision = std::variant<create_child, create_auxiliary, update_auxiliary,
                              read_auxiliary, annotate_pod, delete_child,
                              adopt_child, release_child, delete_job>;

/// "create pod worker-1: no such replica exists", for logs and the admin
/// endpoint.
std::string describe(const decision& d);

/// A decision that is being carried out. Its report repeats the number.
struct child_order {
  std::uint64_t id = 0;
  core::decision decision;
};

// What became of an order.

struct order_done {
  child_order order;
  k8s::object_ptr item; ///< As the server holds it now; nullptr if it is gone.
  bool already_satisfied = false; ///< Nothing had to be done.
};

struct order_failed {
  child_order order;
  k8s::failure why;
  k8s::object_ptr existing; ///< Who has the name already, if that was seen.
};

/// They were not sent and will not be.
struct orders_cancelled {
  std::vector<child_order> orders;
};

} // namespace troupe::core
