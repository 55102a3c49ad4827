#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/memory/job_memory.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"

namespace troupe::core {

/// So often in a row a name is taken and then free before that is a failure.
constexpr int most_free_names = 2;

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
    // A webhook may say that each time.
    if (report.name_is_free
        && memory.expectations_.consecutive_creation_failures(key)
               < most_free_names)
      return memory.expectations_.block_creation_after_failure(key, now,
                                                               report.why, {});
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
      result.add(memory.record_response_child_unless_deleted(
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
    auto before = memory.expectations_.consecutive_operation_failures(
        d.kind, operation_key(d));
    memory.expectations_.block_operation_after_failure(
        d.kind, operation_key(d), retry_not_before(before), report.why);
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

} // namespace troupe::core
