#include "frameworks/core/observed/launcher_jobs.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/observed.hpp"

namespace troupe::core {

void launcher_jobs::note_owned(const uid_key& uid) {
  own_.insert(uid);
  vanished_ = false;
  removed_ = nullptr;
}

void launcher_jobs::note_gone(const child_view& gone, bool is_failure_final) {
  bool by_us = gone.delete_requested || gone.delete_in_flight;
  bool decides =
      gone.batch_job->complete || (gone.batch_job->failed && is_failure_final);
  if (gone.owned && !by_us && decides)
    removed_ = std::make_shared<const child_view>(gone);
}

bool launcher_jobs::note_unlisted_and_check_vanished(const child_view& gone) {
  if (!gone.owned || gone.batch_job->is_finished() || gone.batch_job->suspended
      || gone.delete_requested || gone.delete_in_flight)
    return false;
  vanished_ = true;
  return true;
}

const child_view* own_launcher_job(const observed_children& seen) {
  const child_view* found = nullptr;
  auto is_better = [](const child_view& a, const child_view& b) {
    return a.terminating != b.terminating ? !a.terminating
                                          : a.version > b.version;
  };
  for (const auto& v : seen.children_of_kind(child_kind::launcher_job))
    if (v.owned && v.batch_job && (!found || is_better(v, *found)))
      found = &v;
  return found;
}

bool is_launcher_started(const observed_children& seen) {
  const auto* launcher = own_launcher_job(seen);
  return launcher && !launcher->batch_job->suspended;
}

bool is_launcher_pod(const child_view& pod, const observed_children& seen) {
  const auto* launcher = own_launcher_job(seen);
  return launcher && pod.made_by_job == launcher->uid;
}

std::string launcher_job_name(const framework& kind, const std::string& job) {
  const std::string type = kind.names.type_made_by_job;
  return type.empty() ? "" : job + "-" + type;
}

} // namespace troupe::core
