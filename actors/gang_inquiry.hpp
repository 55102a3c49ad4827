#pragma once

#include "actors/protocols.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace troupe::actors {

class job_supervisor_state;

/// Finds out why a pod group is not admitted: asks for the events on it, and
/// for its queue if they say little. Only after the job has waited for some
/// time, and less and less often, so no watch on events is needed. What may not
/// be read is left out. A part of the supervisor.
class gang_inquiry {
public:
  explicit gang_inquiry(job_supervisor_state& owner)
      : owner_(owner) {}

  /// Asks if it is time to; else says when it will be, if ever.
  std::optional<k8s::time_point> settle();

  void events_read(const k8s::result<std::string>& r);
  void queue_read(const k8s::result<std::string>& r);

private:
  void end_look();

  job_supervisor_state& owner_;
  std::string group_; ///< UID of the one that is asked about.
  std::string queue_; ///< Its queue.
  int looks_ = 0;
  k8s::time_point first_{}; ///< Not before this.
  k8s::time_point last_{};
  bool asking_ = false;
  bool queues_forbidden_ = false;
  std::string reason_; ///< What the events say, if the queue says nothing.
  std::string message_;
};

} // namespace troupe::actors
