#include "frameworks/core/memory/job_memory.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/observed/pod_events.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/lost_nodes.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

void merge_memory_change(memory_change& to, memory_change more) {
  to.must_reconcile |= more.must_reconcile;
  to.events.insert(to.events.end(), more.events.begin(), more.events.end());
  to.outcomes.insert(to.outcomes.end(), more.outcomes.begin(),
                     more.outcomes.end());
}

std::string child_name_of(const job& j, const creation_key& key) {
  return key.name.empty() ? child_name(j, key.at) : key.name;
}

} // namespace

// -- facts --------------------------------------------------------------------

memory_change job_memory::record_child_seen(child_kind kind,
                                            const k8s::object& child,
                                            const child_claims& claims,
                                            std::uint64_t list_number,
                                            const job_status& saved) {
  return job_ ? record_child(kind, child, claims, list_number, 0, saved)
              : memory_change{};
}

memory_change job_memory::record_child_listed_if_own(child_kind kind,
                                                     const k8s::object& child,
                                                     std::uint64_t list_version,
                                                     const job_status& saved) {
  bool ours =
      job_ && (is_replica_child(kind) || is_owned_by(child.meta, *job_));
  if (!ours || deleted_uids_.count(child.meta.uid) > 0)
    return {};
  return record_child(kind, child, claims_on_kind(child.meta, *job_->kind), 0,
                      list_version, saved);
}

memory_change
job_memory::record_child(child_kind kind, const k8s::object& child,
                         const child_claims& claims, std::uint64_t list_number,
                         std::uint64_t listed_at_version,
                         const job_status& saved, bool found_by_name) {
  bool known = seen_.children_of_kind(kind).count(uid_key{child.meta.uid}) > 0;
  auto seen = seen_.record_seen(kind, child, claims, *job_, list_number,
                                listed_at_version, found_by_name);
  memory_change result{seen.changed, std::move(seen.events), {}};
  if (auto i = seen_.children_of_kind(kind).find(uid_key{child.meta.uid});
      saved.is_finished() && i != seen_.children_of_kind(kind).end())
    result.events =
        keep_final_exit_events(std::move(result.events), known, *i, saved);
  return result;
}

memory_change job_memory::record_response_child_unless_deleted(
    child_kind kind, const k8s::object_ptr& child, const job_status& saved) {
  if (!job_ || deleted_uids_.count(child->meta.uid) > 0)
    return {};
  return record_child(kind, *child, claims_on_kind(child->meta, *job_->kind), 0,
                      0, saved);
}

memory_change job_memory::record_child_deleted(child_kind kind,
                                               const std::string& uid) {
  expectations_.forget_operation(kind, uid);
  if (!orders_.empty() || recovering_)
    deleted_uids_.insert(uid);
  bool changed = seen_.record_deleted(kind, uid);
  forget_nodes_of_no_pod();
  return {changed, {}, {}};
}

memory_change job_memory::record_list_complete(child_kind kind,
                                               std::uint64_t list_number,
                                               std::uint64_t version) {
  bool changed = seen_.forget_unlisted(kind, list_number, version);
  for (const auto& key : expectations_.creations_of_taken_names(kind))
    changed |= expectations_.forget_failures_and_end_back_off(key);
  expectations_.note_name_freed(kind, [](const auto&) { return true; });
  return {changed, {}, {}};
}

void job_memory::forget_nodes_of_no_pod() {
  if (!seen_.nodes().is_empty())
    seen_.nodes().forget_all_except(nodes_in_doubt(seen_));
}

memory_change job_memory::record_name_freed(child_kind kind,
                                            const std::string& name) {
  memory_change result;
  auto has_that_name = [&](const creation_key& key) {
    return job_ && child_name_of(*job_, key) == name;
  };
  for (const auto& key : expectations_.creations_of_taken_names(kind))
    if (has_that_name(key))
      result.must_reconcile |=
          expectations_.forget_failures_and_end_back_off(key);
  expectations_.note_name_freed(kind, has_that_name);
  return result;
}

memory_change
job_memory::record_not_admitted_reason(child_kind kind, const std::string& uid,
                                       const std::string& reason,
                                       const std::string& message) {
  return {
      true, seen_.record_not_admitted_reason(kind, uid, reason, message), {}};
}

void job_memory::set_job_and_forget_obsolete_failures(job_ptr j) {
  job_ = std::move(j);
  found_objects_.clear();
  seen_.set_keeps_lost_pods(
      job_ && job_->failure_policy_or_default().may_restart_beyond_pod(),
      job_ ? job_->kind->names.type_made_by_job : "");
  if (job_)
    expectations_.forget_failed_creations_where([&](const creation_key& key) {
      const auto* type = job_->find_replica_spec(key.at.type);
      return is_replica_child(key.kind) && key.name.empty()
             && !(type && key.at.index < type->replicas);
    });
}

void job_memory::end_recovery_lists() {
  recovering_ = false;
  forget_deleted_uids_if_idle();
}

void job_memory::forget_deleted_uids_if_idle() {
  if (orders_.empty() && !recovering_)
    deleted_uids_.clear();
}

void job_memory::forget_recorded_restarts(const job_status& saved) {
  if (saved.is_condition_true(condition_type::suspended))
    seen_.gone().forget_lost(); // They were to end.
  seen_.forget_settled_lost_pods(*job_, *saved.recovery);
  if (seen_.gone().with_unsaved_restarts().empty())
    return;
  if (job_->policy.backoff_limit)
    seen_.gone().forget_unsaved_restarts(recorded_uids(saved.restarts));
  else
    seen_.gone().forget_unsaved_restarts();
}

// -- orders -------------------------------------------------------------------

bool job_memory::is_replica_restart_order(const decision& d,
                                          const job_status& status) const {
  const auto* removal = std::get_if<delete_child>(&d);
  if (!removal || removal->kind != child_kind::pod || status.is_finished())
    return false;
  auto pod = seen_.pods().find(uid_key{removal->uid});
  return pod != seen_.pods().end()
         && core::deletion_restarts_replica(*job_, *pod);
}

bool job_memory::is_cached_version(child_kind kind,
                                   const k8s::object_meta& child) const {
  auto i = seen_.children_of_kind(kind).find(uid_key{child.uid});
  return i != seen_.children_of_kind(kind).end()
         && i->version == child.resource_version;
}

namespace {

struct expect {
  expectations& open;
  known_nodes& nodes;
  time_point now;

  void operator()(const create_child& d) const {
    open.expect_creation(creation_key{d}, now, d.attempt.value_or(0));
  }
  void operator()(const create_auxiliary& d) const {
    open.expect_creation(creation_key{d}, now);
  }
  void operator()(const delete_job&) const {}
  void operator()(const read_node& d) const {
    nodes.note_read_sent(d.name, now);
  }
  template <class Decision>
  void operator()(const Decision& d) const {
    open.expect_operation(d.kind, d.uid, d.action, now);
  }
};

} // namespace

child_order job_memory::record_issued_order(const decision& d,
                                            const job_status& status,
                                            time_point now) {
  if (std::holds_alternative<read_node>(d))
    forget_nodes_of_no_pod();
  else if (!std::holds_alternative<read_auxiliary>(d))
    seen_.note_order_issued();
  std::visit(expect{expectations_, seen_.nodes(), now}, d);
  if (const auto* deletion = std::get_if<delete_child>(&d))
    seen_.set_delete_in_flight(deletion->kind, deletion->uid, true);
  auto number = next_order_++;
  if (is_replica_restart_order(d, status))
    restarts_.insert(number);
  auto shared = orders_.emplace(number, d).first->second;
  return {number, std::move(shared)};
}

/// Applies the result of a successful order.
struct job_memory::apply_done {
  job_memory& memory;
  const order_done& report;
  const job_status& saved;
  const cluster_options& cluster;
  memory_change& result;

  void operator()(const create_child& d) const {
    if (end_or_delay_creation(creation_key{d}) && d.adds_event)
      result.events.push_back(child_create_failed_event(
          d, *memory.job_, misplaced_object_failure()));
    if (!report.already_satisfied) {
      bool pod = d.kind == child_kind::pod;
      result.outcomes.push_back(pod ? order_outcome::pod_created
                                    : order_outcome::service_created);
      if (pod)
        result.events = pod_template_warnings(*memory.job_, d.at, cluster);
      if (d.adds_event)
        add_event_if_told(
            child_created_event(d, *memory.job_, report.item->meta.name));
    }
    record_returned_object(d.kind);
  }

  void operator()(const create_auxiliary& d) const {
    end_or_delay_creation(creation_key{d});
    if (!report.already_satisfied)
      if (auto event = child_created_event(d))
        result.events.push_back(*event);
    record_returned_object(d.wanted->kind);
    record_applied_content(*d.wanted);
  }

  void operator()(const update_auxiliary& d) const {
    record_finished_operation(d);
    record_applied_content(*d.wanted);
  }

  void operator()(const patch_auxiliary& d) const {
    record_finished_operation(d);
  }

  /// Of one that was looked up by its name, whatever has it.
  void operator()(const read_auxiliary& d) const {
    if (!d.uid.empty())
      return record_finished_operation(d);
    memory.expectations_.forget_operation(d.kind, d.uid);
    result.must_reconcile = true;
    bool ours = report.item && memory.job_
                && memory.deleted_uids_.count(report.item->meta.uid) == 0
                && is_owned_by(report.item->meta, *memory.job_);
    if (!ours)
      return memory.seen_.note_looked_up_in_vain(d.kind);
    merge_memory_change(
        result, memory.record_child(
                    d.kind, *report.item,
                    claims_on_kind(report.item->meta, *memory.job_->kind), 0, 0,
                    saved, /*found_by_name=*/true));
  }

  void operator()(const delete_child& d) const {
    memory.expectations_.forget_operation(d.kind, d.uid);
    bool restart = memory.restarts_.erase(report.order.id) > 0;
    if (!report.already_satisfied) {
      if (d.kind == child_kind::pod)
        result.outcomes.push_back(order_outcome::pod_deleted);
      if (restart)
        result.outcomes.push_back(order_outcome::replica_restarted);
      if (d.adds_event)
        result.events =
            child_deleted_events(*memory.job_->kind, d.kind, d.name);
      if (d.at_once)
        for (auto& event : pod_lost_events(*memory.job_, d))
          result.events.push_back(std::move(event));
    }
    record_returned_object(d.kind);
    if (report.already_satisfied && !report.item)
      memory.seen_.record_deleted(d.kind, d.uid);
    else
      memory.seen_.mark_delete_accepted(d.kind, d.uid, d.at_once);
  }

  void operator()(const delete_job&) const {}

  void operator()(const read_node& d) const {
    const auto* state = report.item
                            ? std::get_if<k8s::node_state>(&report.item->state)
                            : nullptr;
    memory.seen_.nodes().record_read(d.name, state);
    result.must_reconcile = true;
  }

  template <class Decision>
  void operator()(const Decision& d) const {
    record_finished_operation(d);
  }

  template <class Decision>
  void record_finished_operation(const Decision& d) const {
    memory.expectations_.forget_operation(d.kind, d.uid);
    if (report.item)
      record_returned_object(d.kind);
    else
      memory.seen_.record_deleted(d.kind, d.uid);
  }

  k8s::failure misplaced_object_failure() const {
    return {k8s::ec::exists, "\"" + report.item->meta.name
                                 + "\" is there and the job's, but does not "
                                   "take the place that it was to fill"};
  }

  /// Ends the expectation of a creation. True if it is delayed instead, like
  /// one that failed: it was decided anew although the last one had found the
  /// same object of the job under its name, which something keeps from its
  /// place.
  bool end_or_delay_creation(const creation_key& key) const {
    auto& found = memory.found_objects_;
    if (!report.already_satisfied || !report.item) {
      found.erase(key);
      memory.expectations_.forget_creation(key);
      return false;
    }
    uid_key uid{report.item->meta.uid};
    auto [last, is_first] = found.try_emplace(key, uid);
    if (is_first || !(last->second == uid)) {
      last->second = uid;
      memory.expectations_.forget_creation(key);
      return false;
    }
    auto attempt = memory.expectations_.consecutive_creation_failures(key) + 1;
    auto why = misplaced_object_failure();
    memory.expectations_.block_creation_since_order(
        key, retry_delay_after(why, attempt, 0), why);
    return true;
  }

  /// Some kinds do not tell of children that were created.
  void add_event_if_told(job_event e) const {
    if (!e.reason.empty())
      result.events.push_back(std::move(e));
  }

  void record_returned_object(child_kind kind) const {
    if (report.item)
      merge_memory_change(result, memory.record_response_child_unless_deleted(
                                      kind, report.item, saved));
  }

  /// The object is what the server stored for the desired content.
  void record_applied_content(const auxiliary_object& wanted) const {
    if (report.item && !report.already_satisfied
        && memory.is_cached_version(wanted.kind, report.item->meta))
      memory.seen_.record_applied_content(wanted, *memory.job_,
                                          report.item->meta.uid);
  }
};

memory_change job_memory::apply_order_result(const order_done& report,
                                             const job_status& saved,
                                             const cluster_options& cluster) {
  orders_.erase(report.order.id);
  memory_change result;
  std::visit(apply_done{*this, report, saved, cluster, result},
             *report.order.decision);
  forget_deleted_uids_if_idle();
  result.must_reconcile |= orders_.empty();
  return result;
}

void job_memory::forget_failures_if_child_creation(const decision& d) {
  if (const auto* creation = std::get_if<create_child>(&d))
    expectations_.forget_creation(creation_key{*creation});
}

/// Applies the result of a failed order: events, and the time of the next try.
struct job_memory::apply_failed {
  job_memory& memory;
  const order_failed& report;
  const job_status& saved;
  time_point now;
  double jitter;
  memory_change& result;

  time_point retry_not_before(int attempts) const {
    return now + retry_delay_after(report.why, attempts + 1, jitter);
  }

  template <class Creation>
  ownership_conflict conflict_with_existing(const Creation& d) const {
    return report.existing
               ? find_ownership_conflict(d, *memory.job_, report.existing->meta)
               : ownership_conflict{};
  }

  /// The answer says that the name is taken, and a watch that it no longer is:
  /// nothing has to be waited for or told, and what the answer shows is gone.
  template <class Creation>
  bool end_creation_if_outdated(const Creation& d) const {
    creation_key key{d};
    bool outdated = report.why.code == k8s::ec::exists
                    && memory.expectations_.was_name_freed(key);
    if (outdated)
      memory.expectations_.end_creation_expectation(key);
    return outdated;
  }

  job_event creation_failed_event(const create_child& d,
                                  const ownership_conflict& conflict) const {
    const auto& j = *memory.job_;
    auto own = own_taken_name_event(*j.kind, d.kind, child_name(j, d),
                                    report.why, conflict);
    return own ? *own
               : child_create_failed_event(d, j, report.why,
                                           conflict.whose_move);
  }

  void operator()(const create_child& d) const {
    if (end_creation_if_outdated(d))
      return;
    creation_key key{d};
    auto conflict = conflict_with_existing(d);
    memory.expectations_.block_creation_after_failure(
        key,
        retry_not_before(
            memory.expectations_.consecutive_creation_failures(key)),
        report.why, conflict.whose_move);
    if (d.kind == child_kind::service)
      result.outcomes.push_back(order_outcome::service_refused);
    if (d.adds_event && report.why.code != k8s::ec::cancelled)
      result.events.push_back(creation_failed_event(d, conflict));
    // The directory may have sent this orphan to a former job of the name; it
    // is recorded here, so that it can be adopted.
    if (report.existing)
      merge_memory_change(result, memory.record_response_child_unless_deleted(
                                      d.kind, report.existing, saved));
  }

  void operator()(const create_auxiliary& d) const {
    if (end_creation_if_outdated(d))
      return;
    creation_key key{d};
    auto conflict = conflict_with_existing(d);
    auto before = memory.expectations_.consecutive_creation_failures(key);
    auto unseen =
        retry_delay_for_unseen_ref(*d.wanted, report.why, before, jitter);
    memory.expectations_.block_creation_after_failure(
        key, unseen ? now + *unseen : retry_not_before(before), report.why,
        conflict.whose_move);
    if (report.why.code != k8s::ec::cancelled && !unseen)
      result.events.push_back(
          child_create_failed_event(d, *memory.job_, report.why, conflict));
  }

  void operator()(const delete_child& d) const {
    memory.seen_.set_delete_in_flight(d.kind, d.uid, false);
    block_operation_and_add_event(d);
  }

  void operator()(const delete_job&) const {}

  void operator()(const read_node& d) const {
    if (memory.seen_.nodes().record_failure_and_check_first_refusal(
            d.name, report.why, now, jitter))
      result.events.push_back(node_read_refused_event(d, report.why));
  }

  template <class Decision>
  void operator()(const Decision& d) const {
    block_operation_and_add_event(d);
  }

  template <class Decision>
  void block_operation_and_add_event(const Decision& d) const {
    auto before =
        memory.expectations_.consecutive_operation_failures(d.kind, d.uid);
    memory.expectations_.block_operation_after_failure(
        d.kind, d.uid, retry_not_before(before), report.why);
    if (auto event = failed_order_event_except_creation(*memory.job_->kind, d,
                                                        report.why, before))
      result.events.push_back(*event);
  }
};

memory_change job_memory::apply_order_result(const order_failed& report,
                                             const job_status& saved,
                                             time_point now, double jitter) {
  orders_.erase(report.order.id);
  restarts_.erase(report.order.id);
  memory_change result{true, {}, {}};
  std::visit(apply_failed{*this, report, saved, now, jitter, result},
             *report.order.decision);
  forget_deleted_uids_if_idle();
  return result;
}

memory_change job_memory::apply_order_result(const orders_cancelled& report) {
  for (const auto& o : report.orders) {
    orders_.erase(o.id);
    std::visit(
        [this](const auto& d) {
          using type = std::decay_t<decltype(d)>;
          if constexpr (
              std::is_same_v<
                  type, create_child> || std::is_same_v<type, create_auxiliary>)
            expectations_.end_creation_expectation(creation_key{d});
        },
        *o.decision);
  }
  forget_deleted_uids_if_idle();
  return {true, {}, {}};
}

} // namespace troupe::core
