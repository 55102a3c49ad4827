#include "frameworks/core/memory/job_memory.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/observed/pod_events.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/lost_nodes.hpp"

namespace troupe::core {

namespace {

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
  if (kind == child_kind::workload)
    expectations_.forget_operation(kind, rank_key(uid));
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

const child_view*
job_memory::find_reporting_pod(const std::string& pod_uid) const {
  if (!job_ || job_->deleting || !job_->policy.progress.report)
    return nullptr;
  const auto& pods = seen_.pods();
  auto pod = pods.find(uid_key{pod_uid});
  if (pod == pods.end() || !(pod->owned || is_launcher_pod(*pod, seen_))
      || pod->is_finished())
    return nullptr;
  return &*pod;
}

std::optional<memory_change>
job_memory::record_report(const std::string& pod_uid, progress_status report,
                          time_point now) {
  const auto* pod = find_reporting_pod(pod_uid);
  if (!pod)
    return std::nullopt;
  return record_report_of(*pod, std::move(report), now);
}

std::optional<memory_change>
job_memory::record_log_report(const std::string& pod_uid,
                              progress_status report, time_point now) {
  if (!job_ || job_->deleting || !job_->policy.progress.log)
    return std::nullopt;
  const auto& pods = seen_.pods();
  auto pod = pods.find(uid_key{pod_uid});
  if (pod == pods.end() || !(pod->owned || is_launcher_pod(*pod, seen_)))
    return std::nullopt;
  return record_report_of(*pod, std::move(report), now);
}

memory_change job_memory::record_log_reading(const std::string& pod_uid,
                                             bool is_read) {
  auto pod = is_read ? uid_key{pod_uid} : uid_key{};
  memory_change change;
  change.must_reconcile = !(seen_.pod_of_read_log() == pod);
  seen_.record_read_log(pod);
  return change;
}

memory_change job_memory::record_report_of(const child_view& pod,
                                           progress_status report,
                                           time_point now) {
  report.time = truncate_to_seconds(now);
  report.source = pod.name;
  seen_.record_report(std::move(report));
  memory_change change;
  change.must_reconcile = true;
  return change;
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
    seen_.forget_lost_pods(); // They were to end.
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
    open.expect_operation(d.kind, operation_key(d), d.action, now);
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

void job_memory::forget_failures_if_child_creation(const decision& d) {
  if (const auto* creation = std::get_if<create_child>(&d))
    expectations_.forget_creation(creation_key{*creation});
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
