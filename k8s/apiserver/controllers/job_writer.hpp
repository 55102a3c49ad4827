#pragma once

#include "k8s/apiserver/controllers/job_plan.hpp"
#include "k8s/apiserver/controllers/job_queue.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/apiserver/writing/writing.hpp"

#include <string>

namespace troupe::k8s::apiserver {

inline constexpr const char* job_bucket = "jobs.batch";
inline constexpr const char* pod_bucket = "pods";

/// The writes of the Job controller, which it counts. `events` is what is
/// allowed of the events of one Job; those beyond it are dropped.
class job_writer {
public:
  explicit job_writer(server_state& state)
      : state_(state) {}

  void begin_turn(int most_writes) { writes_left_ = most_writes; }
  bool may_write() const { return writes_left_ > 0; }

  /// Whether it has been created; an event says so, or why not.
  bool create_pod(const stored_object& job, int index, job_allowance& events);
  /// Deletes a pod. One that does not count loses the finalizer before.
  void remove_pod(const stored_object& job, const std::string& name,
                  bool is_counted, job_allowance& events);
  /// Takes the finalizer off a pod, if there is such a pod and it has it.
  void release_pod(const std::string& key);
  /// Writes the status and the events about it, if it differs from what is
  /// there. Whether it does.
  bool write_status(const stored_object& job, const std::string& key,
                    const job_plan& plan, job_allowance& events);
  bool remove_finished_job(const stored_object& job, const std::string& key);

private:
  status_or<write_result> create(const char* bucket, const std::string& ns,
                                 json body);
  void record_event(const stored_object& job, const job_event& event,
                    job_allowance& events);

  server_state& state_;
  int writes_left_ = 0;
};

} // namespace troupe::k8s::apiserver
