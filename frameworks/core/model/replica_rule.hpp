#pragma once

#include "frameworks/core/model/job.hpp"

#include <cstdint>
#include <optional>

namespace troupe::core {

/// When a replica type is the job's chief: its success is the job's success.
enum class chief_rule : std::uint8_t {
  never,
  if_present,        ///< If the job has replicas of it.
  if_no_other,       ///< If no type of `if_present` is there.
  if_single_process, ///< If ending_rules::is_single_process(job).
};

/// When the chief type has succeeded.
enum class success : std::uint8_t {
  all, ///< Every replica has.
  /// Index 0 has, with exit code 0; every replica if the job's success policy
  /// is AllWorkers.
  first,
  /// One replica has, if the job has an elastic policy; else every replica.
  any_if_elastic,
};

/// Which pods of a type have the label job-role: master.
enum class master_role : std::uint8_t {
  none,
  all,
  /// Index 0.
  first,
  /// Index 0, when has_replica_of_chief_type() is false.
  index_zero_without_chief,
};

/// How many replicas of a type a job may have when it is created.
enum class replica_count : std::uint8_t {
  any,
  one,          ///< Exactly one; it must be set explicitly.
  one_or_unset, ///< Exactly one, or unset, which means one.
  not_zero,     ///< At least one, or unset.
};

/// One replica type of a kind.
struct replica_rule {
  const char* type = "";  ///< "Worker".
  const char* label = ""; ///< "worker".
  int default_replicas = 1;
  chief_rule chief = chief_rule::never;
  success succeeds = success::all;
  master_role role = master_role::none;
  replica_count allowed = replica_count::any;
  bool required = false; ///< A job without it is invalid.
  /// With enableDynamicWorker, its failures do not fail the job.
  bool may_fail_if_dynamic = false;
  /// If the spec names none; nullopt: ending_rules::default_restart_policy.
  std::optional<restart_policy> default_restart_policy = {};
  bool indexed = true; ///< Its name and labels contain an index.
  /// There is a warning if the pod template names a restart policy.
  bool warns_of_template_restart_policy = true;
  /// Its pods are created when those of all other types exist.
  bool created_last = false;
  /// The event about a created pod: reason, and message before the name.
  const char* created_reason = "SuccessfulCreatePod";
  const char* created_message_prefix = "Created pod: ";
  /// The event about a pod that could not be created: reason, and message
  /// before the error.
  const char* create_failed_reason = "FailedCreatePod";
  const char* create_failed_message_prefix = "Error creating: ";
};

} // namespace troupe::core
