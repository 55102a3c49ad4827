#pragma once

#include "frameworks/core/model/kind_admission.hpp"
#include "frameworks/core/model/kind_hooks.hpp"
#include "frameworks/core/model/kind_messages.hpp"
#include "frameworks/core/model/kind_rules.hpp"
#include "frameworks/core/model/replica_rule.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::core {

/// A job kind: one row of the registry. Plain data and pure functions. A
/// difference between kinds is a field of a chapter, never an `if` in the core.
/// Each chapter has defaults that most kinds keep; a row shows what differs.
struct framework {
  kind_names names; ///< What the kind and its children are called.
  std::vector<replica_rule> replicas; ///< Its types, in order of evaluation.
  accepted_jobs accepted;             ///< Which jobs are valid.
  pod_rules pods;                     ///< What pods and services a job has.
  ending_rules ending;                ///< What the end of a pod means.
  kind_messages messages;   ///< What conditions, events and metrics say.
  kind_hooks hooks;         ///< What is added to pods, and objects beside them.
  own_course own;           ///< What replaces a part of the core.
  kind_admission admission; ///< How writes of its jobs are answered.

  /// By label ("worker"), or nullptr.
  const replica_rule* find_rule_by_label(const std::string& label) const;
  /// By type as a user may spell it ("Worker"), or nullptr.
  const replica_rule* find_rule_by_type(const std::string& spelled) const;
  /// Whether children of this type have an index. Those of types that the
  /// framework does not define do.
  bool is_indexed_or_unknown_type(const std::string& label) const;
  /// What events and metrics name as their source.
  const char* effective_event_source() const;
  const char* effective_metrics_source() const;
};

/// Whether a job that was read in the version of this row is one of its jobs.
/// `created_as`: its `spec.createdAs`, "" if there is none.
bool is_job_of(const framework& f, std::string_view created_as);

/// Whether the job has a replica of a type of chief_rule::if_present. A type
/// with no replicas is not there.
bool has_replica_of_chief_type(const job& j);

/// Whether the success of this type decides the success of the job. Types that
/// the framework does not define are never chief.
bool is_chief(const job& j, const replica_rule& rule);

/// The messages for a job with or without a chief, as this one is.
const message_templates& message_templates_for(const job& j);

/// How much of a child of such a job must be known to reconcile it.
k8s::object_detail reconcile_detail_of(const framework& f, child_kind c);
/// How much of it a watcher keeps.
k8s::object_detail watched_detail_of(const framework& f, child_kind c);

/// Replaces each placeholder by its value.
std::string fill_placeholders(
    std::string_view phrase,
    const std::vector<std::pair<std::string, std::string>>& values);

/// Fills the placeholders of a message.
std::string fill_template(const char* phrase, const job& j,
                          std::int32_t count = 0, const std::string& type = {});

} // namespace troupe::core
