#include "k8s/node/pods/pod_status_manager.hpp"

#include "k8s/node/base/pod_fields.hpp"

namespace troupe::k8s::node {

bool pod_status_manager::write_status_if_changed(
    const json& pod, const pod_runtime_status& status) {
  auto uid = uid_of(pod);
  auto [i, is_new] = pods_.try_emplace(uid);
  auto& e = i->second;
  auto old = is_new ? json() : parse_json_or_null(e.latest);
  auto next = make_pod_status(status, old, std::chrono::system_clock::now());
  if (next == old)
    return false;
  if (is_new) {
    e.ns = text_at(pod, {"metadata", "namespace"});
    e.name = text_at(pod, {"metadata", "name"});
  }
  e.latest = to_text(next);
  e.latest.shrink_to_fit();
  e.is_sent = false;
  send_latest_unless_writing(uid);
  return true;
}

void pod_status_manager::send_latest_unless_writing(const std::string& uid) {
  auto i = pods_.find(uid);
  if (i == pods_.end() || i->second.is_writing || i->second.is_sent)
    return;
  auto& e = i->second;
  e.is_writing = true;
  e.is_sent = true;
  // Nothing of the answer is read; a pod may be large.
  client_.send(
      with_accept_header(
          object_detail::metadata,
          make_status_patch({resources::pods, e.ns, e.name}, uid, e.latest)),
      [this, uid](const result<std::string>& answer) {
        send_newer_or_retry(uid, answer);
      });
}

void pod_status_manager::send_newer_or_retry(
    const std::string& uid, const result<std::string>& answer) {
  auto i = pods_.find(uid);
  if (i == pods_.end())
    return;
  auto& e = i->second;
  e.is_writing = false;
  if (answer || !answer.error().is_retryable()) {
    send_latest_unless_writing(uid);
    return;
  }
  e.is_sent = false;
  client_.run_after_retry_pause(
      [this, uid] { send_latest_unless_writing(uid); });
}

} // namespace troupe::k8s::node
