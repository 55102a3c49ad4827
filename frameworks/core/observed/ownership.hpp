#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/next_move.hpp"
#include "frameworks/core/observed/child_claims.hpp"

#include <optional>
#include <string>

namespace troupe::core {

// All rules about the owner of an object. (child_claims reads what the object
// itself says about its owner.) An object that a job owns has the job as its
// controller. A pod or service that has a job's labels and no controller is an
// orphan, which that job may adopt. Auxiliary objects do not have our labels:
// they are recognized by their owner only.
//
// An owner reference names an object in the dependent's own namespace, and
// anybody who may write into that namespace can put any UID into it, even that
// of a job in another namespace. So a UID alone never proves ownership:
// namespace, kind and name must be the job's, too, as the API server's garbage
// collector requires. The kind may be named in any version of its group.

/// The relation of an object to a job.
enum class ownership : std::uint8_t {
  owned, ///< The job is its controller.
  /// Not owned, but usable: pods and services without a controller that have
  /// our labels; service accounts always.
  orphan,
  /// A pod that a batch/v1 Job with the name of the job's launcher Job has
  /// made, with the job's labels. It is the job's if that Job is its launcher
  /// Job (see is_launcher_pod).
  made_by_job,
  foreign, ///< Any other object.
};

/// `claims`: the child's, on the job's kind.
ownership ownership_of(child_kind kind, const k8s::object_meta& child,
                       const child_claims& claims, const job& j);

/// Whether the job of this kind, namespace, name and UID is its controller.
bool is_owned_by(const k8s::object_meta& child, const framework& kind,
                 const std::string& ns, const std::string& name,
                 const std::string& uid);
bool is_owned_by(const k8s::object_meta& child, const job& j);

/// Whether its labels name this job. True for kinds that jobs may share
/// (service accounts), false for claims on another kind of job.
bool labels_match_or_kind_is_shared(child_kind kind, const child_claims& claims,
                                    const job& j);

/// Whether its labels name this slot of the job.
bool labels_match_slot(const k8s::object_meta& child, const job& j,
                       const slot& at);

/// Whether it can be a child of any job of the kinds for which its claims were
/// read, so that the directory must cache it. True for pods and services, but a
/// service is of kind `job_service` if the kind of its job has that auxiliary
/// kind, and else never: two watches may show the same service.
bool could_be_child_of_any(child_kind kind, const child_claims& claims);

/// Whether jobs of this kind have their services as `job_service`.
bool has_job_service(const framework& kind);

/// Why the object that has the name of a child to be created cannot be used in
/// its place.
struct ownership_conflict {
  /// "it belongs to TFJob other"; "": the object can be used.
  std::string what = {};
  /// Who removes the object, if no person has to do anything for that.
  std::optional<next_move> whose_move = {};

  bool exists() const { return !what.empty(); }
};

ownership_conflict find_ownership_conflict(const create_child& wanted,
                                           const job& j,
                                           const k8s::object_meta& existing);
ownership_conflict find_ownership_conflict(const create_auxiliary& wanted,
                                           const job& j,
                                           const k8s::object_meta& existing);

/// "the former TFJob's pod is being deleted (whose move: the kubelet)".
std::string describe_conflict(const ownership_conflict& conflict);

/// Whether the job, as it is on the server now, may still adopt. A job that is
/// being deleted may not: the garbage collector would delete the adopted object
/// together with it.
bool can_adopt(const k8s::object_meta& job_now, const job& j);

} // namespace troupe::core
