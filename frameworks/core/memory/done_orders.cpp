#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/memory/job_memory.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/spec/pod_template.hpp"

namespace troupe::core {

bool job_memory::is_cached_version(child_kind kind,
                                   const k8s::object_meta& child) const {
  auto i = seen_.children_of_kind(kind).find(uid_key{child.uid});
  return i != seen_.children_of_kind(kind).end()
         && i->version == child.resource_version;
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
    result.add(memory.record_child(
        d.kind, *report.item,
        claims_on_kind(report.item->meta, *memory.job_->kind), 0, 0, saved,
        /*found_by_name=*/true));
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

  /// A job that was written is not recorded here: its supervisor does that.
  void operator()(const queue_order& d) const {
    memory.expectations_.forget_operation(d.kind, operation_key(d));
    result.must_reconcile = true;
    const auto* workload =
        report.item ? std::get_if<k8s::full_state>(&report.item->state)
                    : nullptr;
    if (!report.already_satisfied) {
      auto state = workload ? read_workload_state(*workload) : workload_state{};
      if (auto event =
              queue_event(*memory.job_, d, workload ? &state : nullptr))
        result.events.push_back(*event);
    }
    if (workload)
      return record_returned_object(d.kind);
    if (!report.item && !d.uid.empty())
      memory.seen_.record_deleted(d.kind, d.uid);
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
      result.add(memory.record_response_child_unless_deleted(kind, report.item,
                                                             saved));
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

} // namespace troupe::core
