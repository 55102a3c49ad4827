#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string_view>
#include <vector>

namespace troupe::core {

/// Whose child an object claims to be, by its controller reference and its
/// labels. The claims are read once, by the first actor that sees the object;
/// what a job may do with the object follows from them (see ownership.hpp).
/// They refer to the object's metadata, and so are valid only as long as the
/// metadata.
struct child_claims {
  const k8s::owner_reference* controller = nullptr; ///< nullptr: it has none.
  /// The kind of job that its controller is or, if it has none or is made by a
  /// Job, that its labels name. nullptr: it is no child of a job that is known.
  const framework* kind = nullptr;
  /// The kind of job that its labels name, whoever controls it, or nullptr.
  const framework* labelled = nullptr;
  /// Its controller is a batch/v1 Job that, as its labels say, makes the pods
  /// of this type for a job of `kind`. The labels may lie: see is_launcher_pod.
  bool made_by_job = false;

  // Its labels, read as those of a child of `kind`.

  bool labels_name_kind = false;
  std::string_view job_label; ///< "": none.
  std::string_view replica_type;
  std::int32_t replica_index = -1; ///< -1: they name no slot.

  /// The name of its job, if `kind` is set.
  std::string_view job() const {
    return names_job_by_owner() ? std::string_view{controller->name}
                                : job_label;
  }
  /// Whether its owner, and not its labels, says whose it is.
  bool names_job_by_owner() const { return controller && !made_by_job; }
  slot at() const { return {std::string{replica_type}, replica_index}; }
};

/// The claims of an object, in a program that knows jobs of these kinds.
child_claims claims_of(const k8s::object_meta& child,
                       const std::vector<framework>& kinds);

/// The same, as a job of this kind reads them, whatever the object's controller
/// is.
child_claims claims_on_kind(const k8s::object_meta& child,
                            const framework& kind);

/// Whether such an owner is a job of this kind, in any version, because a job
/// is the same object in all of them.
bool is_of_kind_in_any_version(const k8s::owner_reference& owner,
                               const framework& kind);

/// Which of these kinds of job such an owner is, or nullptr. If several have
/// the name, the one of the owner's version, if there is one.
const framework* kind_of_owner(const k8s::owner_reference& owner,
                               const std::vector<framework>& kinds);

} // namespace troupe::core
