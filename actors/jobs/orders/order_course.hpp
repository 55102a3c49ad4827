#pragma once

#include "actors/jobs/orders/order_request.hpp"
#include "actors/jobs/orders/queue_order_course.hpp"

#include <memory>
#include <string>
#include <variant>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::actors {

/// One order from its first call to its result: which call comes next, and what
/// the answer means. A value; who has it sends the calls.
///
/// "Already exists and is ours" and "already deleted" are successes. If the
/// result of a call is unknown (a timeout), the object is read before there is
/// a result. If what has the name of a creation is gone by then, the creation
/// of a pod is decided anew, as the other may have done its work; any other is
/// sent again. Before an adoption the job is read: one that is being deleted
/// must not adopt, because the object would be garbage-collected with it.
class order_course {
public:
  order_course(core::child_order order, core::job_ptr job);

  const core::child_order& order() const { return order_; }
  const core::job& job() const { return *job_; }
  order_target target() const {
    return target_of_order(*order_.decision, *job_);
  }

  using options_ptr = std::shared_ptr<const actor_options>;
  /// The next call, or the result.
  using step = std::variant<order_call, core::order_done, core::order_failed>;

  step begin(const options_ptr& options);
  /// The answer to the call that came last.
  step on_answer(const k8s::result<std::string>& answer,
                 const options_ptr& options);

private:
  friend struct exploration::state_reader;
  /// What the answer that it waits for will be about.
  enum class phase : std::uint8_t {
    act,       ///< The call that does it.
    read,      ///< The read that was ordered.
    read_node, ///< The same, of a node.
    look,      ///< A read, after the call's outcome was unknown or "exists".
    check_job, ///< A read of the job before it adopts.
    queue,     ///< A call of a queue_order.
  };

  step begin_ordered_call(const options_ptr& options);
  step on_write_response(const k8s::result<std::string>& answer);
  step on_auxiliary_read(const k8s::result<std::string>& answer);
  step on_node_read(const k8s::result<std::string>& answer) const;
  step step_of_queue(queue_order_course::step next);
  step on_job_read(const k8s::result<std::string>& answer,
                   const options_ptr& options);
  /// Finds out whether the call had its effect.
  step look_up_object(k8s::failure why);
  step on_lookup_response(const k8s::result<std::string>& answer,
                          const options_ptr& options);
  step result_of_lookup(const k8s::object_ptr& found) const;
  step done(k8s::object_ptr item, bool already_satisfied = false) const;
  step failed(k8s::failure why, k8s::object_ptr existing = nullptr) const;

  core::child_order order_;
  core::job_ptr job_;
  phase at_ = phase::act;
  std::shared_ptr<queue_order_course> queue_;      ///< Of a queue_order.
  core::shared_value<k8s::failure> first_failure_; ///< Why it had to look.
  int lookups_ = 0;
  int creations_ = 1; ///< Of which this is the last.
};

} // namespace troupe::actors
