#include "k8s/node/pod_status_manager.hpp"

#include "k8s/node/pod_fields.hpp"

namespace troupe::k8s::node {

bool pod_status_manager::write_status_if_changed(
    const json& pod, const pod_runtime_status& status) {
  auto uid = uid_of(pod);
  auto& e = pods_[uid];
  auto next =
      make_pod_status(status, e.latest, std::chrono::system_clock::now());
  if (next == e.latest)
    return false;
  if (e.pod.is_null())
    e.pod = pod;
  e.latest = next;
  e.to_write = std::move(next);
  write(uid);
  return true;
}

void pod_status_manager::write(const std::string& uid) {
  auto i = pods_.find(uid);
  if (i == pods_.end() || i->second.is_writing || !i->second.to_write)
    return;
  auto& e = i->second;
  e.is_writing = true;
  auto status = std::move(*e.to_write);
  e.to_write.reset();
  client_.send(make_status_patch(e.pod, status),
               [this, uid, status](const result<std::string>& answer) {
                 handle_answer(uid, status, answer);
               });
}

void pod_status_manager::handle_answer(const std::string& uid,
                                       const json& written,
                                       const result<std::string>& answer) {
  auto i = pods_.find(uid);
  if (i == pods_.end())
    return;
  auto& e = i->second;
  e.is_writing = false;
  if (answer || !answer.error().is_retryable()) {
    write(uid);
    return;
  }
  if (!e.to_write)
    e.to_write = written;
  client_.run_after_retry_pause([this, uid] { write(uid); });
}

} // namespace troupe::k8s::node
