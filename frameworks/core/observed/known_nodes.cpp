#include "frameworks/core/observed/known_nodes.hpp"

#include "frameworks/core/base/retry.hpp"

#include <iterator>
#include <utility>

namespace troupe::core {

std::string why_node_is_lost(const k8s::node_state* node) {
  if (!node)
    return "it is gone";
  for (const char* taint :
       {"node.kubernetes.io/out-of-service", "node.kubernetes.io/unreachable"})
    for (const auto& key : node->taints)
      if (key == taint)
        return "it has the taint " + key;
  // One that has no such condition yet has just registered.
  return node->ready == "False" || node->ready == "Unknown"
             ? "its condition Ready is " + node->ready
             : "";
}

const node_reading* known_nodes::find(const std::string& name) const {
  auto i = nodes_.find(name);
  return i == nodes_.end() ? nullptr : &i->second;
}

void known_nodes::note_read_sent(const std::string& name, k8s::time_point now) {
  auto& node = nodes_[name];
  node.in_flight = true;
  node.asked_at = now;
}

void known_nodes::record_read(const std::string& name,
                              const k8s::node_state* node) {
  failures_ = 0;
  refused_ = false;
  blocked_until_ = {};
  auto i = nodes_.find(name);
  if (i == nodes_.end())
    return; // No pod needs it any more.
  i->second.in_flight = false;
  i->second.read_at = i->second.asked_at;
  i->second.why_lost = why_node_is_lost(node);
}

bool known_nodes::record_failure_and_check_first_refusal(
    const std::string& name, const k8s::failure& why, k8s::time_point now,
    double jitter) {
  if (auto i = nodes_.find(name); i != nodes_.end())
    i->second.in_flight = false;
  ++failures_;
  refused_ = why.code == k8s::ec::forbidden;
  blocked_until_ = now + retry_delay_after(why, failures_, jitter);
  return refused_ && !std::exchange(was_ever_refused_, true);
}

void known_nodes::forget_all_except(const std::set<std::string>& needed) {
  for (auto i = nodes_.begin(); i != nodes_.end();)
    i = needed.count(i->first) > 0 ? std::next(i) : nodes_.erase(i);
}

} // namespace troupe::core
