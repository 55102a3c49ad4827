#pragma once

#include "tests/exploration/encoder.hpp"
#include "tests/exploration/operator_process.hpp"

namespace troupe::exploration {

/// What a part of a slot tells, beside the encoder's own.
enum tag : std::uint8_t {
  of_pod = 1,
  of_fact,
  of_list,
  of_child,
  of_gone_child,
  of_lost_child,
  of_restart,
  of_completed,
  of_order,
  of_awaited,
  of_late_call,
  of_success,
  of_failure,
  of_creation,
  of_operation,
  of_found_object,
  of_deleted_uid,
  of_node,
  of_silence,
  of_making,
  of_workload,
};

/// Reads what the operator's values do not show of themselves. They name it as
/// a friend.
struct state_reader {
  template <class EncodeChild>
  static void encode_observed(encoder& e, const core::observed_children& seen,
                              EncodeChild encode_child) {
    for (const auto& kind : seen.kinds_) {
      e.byte(static_cast<std::uint64_t>(kind.kind) + 1);
      e.list_version(kind.latest_list_version);
      e.byte((kind.ever_owned ? 1U : 0U) + (kind.looked_up_in_vain ? 2U : 0U));
      for (const auto& child : kind.known)
        encode_child(child, 0);
    }
    e.byte(0);
    const auto& gone = seen.gone();
    for (const auto& child : gone.with_unsaved_restarts())
      encode_child(child, 1);
    for (const auto& child : gone.lost())
      encode_child(child, 2);
    e.byte((gone.keeps_lost_ ? 1U : 0U) + (seen.has_issued_no_order_ ? 2U : 0U)
           + (seen.nodes_.is_refused() ? 4U : 0U)
           // No Job makes a pod here.
           + (seen.launchers_.own_.empty() ? 8U : 0U)
           + (seen.launchers_.has_vanished() ? 16U : 0U)
           + (seen.launchers_.removed() ? 32U : 0U));
    e.number(gone.early_failures_.size());
    for (const auto& [at, times] : gone.early_failures_) {
      e.text(core::to_string(at));
      e.number(static_cast<std::uint64_t>(times));
    }
  }

  static void encode_expectations(encoder& e, const setting& s,
                                  const core::expectations& open);
  /// `counts`: whether it matters that this pod, {slot, number}, is gone.
  static void
  encode_rest(encoder& e, const setting& s, const core::job_memory& m,
              const std::function<bool(const std::pair<int, int>&)>& counts);
  static void encode_course(encoder& e, const actors::order_course& o) {
    e.byte(static_cast<std::uint64_t>(o.at_));
    e.number(static_cast<std::uint64_t>(o.lookups_));
    e.number(static_cast<std::uint64_t>(o.creations_));
    e.byte(static_cast<std::uint64_t>(o.first_failure_->code));
    e.byte(o.queue_ ? 1 : 0);
    if (o.queue_) {
      e.byte(static_cast<std::uint64_t>(o.queue_->at_) * 2
             + (o.queue_->writes_job_ ? 1 : 0));
      e.byte(o.queue_->tries_);
    }
  }
  static const core::job_ptr& job_of(const actors::order_course& o) {
    return o.job_;
  }
  /// How many answers to reads it has kept.
  static std::size_t reads_of(const actors::order_course& o) {
    return o.queue_ ? o.queue_->answers_.size() : 0;
  }

  static void encode_parts(encoder& e, const core::kept_parts& parts) {
    e.byte((parts.restarts ? 1U : 0U) + (parts.attempts ? 2U : 0U)
           + (parts.completed ? 4U : 0U));
  }

  template <class EncodeStatus>
  static void encode_writer(encoder& e, const actors::status_writer& w,
                            EncodeStatus encode_status) {
    encode_status(w.saved_);
    for (const auto* attempt : {w.writing_.get(), w.unconfirmed_.get()}) {
      e.byte(attempt ? 1 : 0);
      if (!attempt)
        continue;
      encode_status(attempt->status);
      e.byte((attempt->by_patch ? 2U : 0U)
             + (attempt->foreign_status_seen ? 4U : 0U));
      encode_parts(e, attempt->annotated);
      encode_parts(e, attempt->looked_for);
    }
    e.byte(w.stale_ ? 1 : 0);
    for (const auto* parts : {&w.drops_, &w.keeps_, &w.in_memory_only_})
      encode_parts(e, *parts);
    e.age(w.last_write_, std::chrono::seconds{1});
    e.byte((w.held_until_ ? 1U : 0U) + (w.annotations_refused_ ? 2U : 0U)
           + (w.does_attempt_wait() ? 4U : 0U));
    if (w.held_until_)
      e.due(*w.held_until_);
    if (w.annotations_refused_) {
      e.number(static_cast<std::uint64_t>(w.annotations_refused_->times));
      e.due(w.annotations_refused_->until);
    }
    e.byte(w.patch_forbidden_at_ ? 1 : 0);
    e.number(static_cast<std::uint64_t>(w.patch_refusals_));
    e.number(static_cast<std::uint64_t>(w.failures_));
  }
};

} // namespace troupe::exploration
