#pragma once

#include "frameworks/core/classify.hpp"
#include "frameworks/core/plan.hpp"

#include <string>

namespace troupe::core {

/// The state of one pass: what plan() was given, and the result so far. The
/// policies are called with it one after the other. Lives for one such call.
struct reconcile_context {
  const job& j;
  const expectations& open;
  const job_status& saved;
  time_point now;
  const cluster_options& cluster;
  classified_children children;
  plan_result out;
  std::string pod_creation_blocked_by =
      {}; ///< Why no pod may be made now, "" if one may.

  job_status& status() { return out.status; }
  const job_status& status() const { return out.status; }

  /// Each adds a decision, unless an order for that slot or object is pending,
  /// or the object is being deleted, or (but for `adopt`) is not ours.
  void plan_create(child_kind kind, const slot_state& empty, std::string why);
  void plan_create_auxiliary(const auxiliary_object& wanted, std::string why);
  /// `body` is the whole object as it is to be.
  void plan_update_auxiliary(const child_view& v,
                             const auxiliary_object& wanted,
                             std::string version, std::string body,
                             std::string why);
  void plan_annotate(const child_view& pod, std::string why);
  void plan_read(child_kind kind, const child_view& v, std::string why);
  void plan_delete(child_kind kind, const child_view& v, std::string why);
  void plan_adopt(child_kind kind, const child_view& v, std::string why);
  void plan_release(child_kind kind, const child_view& v, std::string why);

  /// Sets a condition; the reason is the kind and `suffix`. Returns whether it
  /// is new.
  bool set_condition(std::string_view type, bool value, const char* suffix,
                     std::string message);

  /// The same text as an event.
  void add_event(bool warning, const char* suffix, std::string message);

  /// The job has succeeded or failed: sets the condition, the completion time
  /// and the final counts, and adds an event. The condition's reason ends in
  /// `suffix`, the event's in `told` or, without that, in `suffix`. Returns
  /// false, and does nothing more, if the condition is not new.
  bool succeed(std::string message);
  bool fail(std::string message, const char* suffix = "Failed",
            bool warning = false, const char* told = nullptr);

  /// Look again at `t` at the latest.
  void requeue_at(time_point t);
};

} // namespace troupe::core
