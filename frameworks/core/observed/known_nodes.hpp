#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <map>
#include <set>
#include <string>

namespace troupe::core {

/// "it is gone" if there is none, "it is not ready", "it has the taint
/// node.kubernetes.io/out-of-service": why the pods of a node are lost; "": it
/// reports.
std::string why_node_is_lost(const k8s::node_state* node);

/// What was read of a node.
struct node_reading {
  bool in_flight = false;
  k8s::time_point asked_at{}; ///< When the latest read was sent.
  /// When that one was sent whose answer is known; 0: none is.
  k8s::time_point read_at{};
  std::string why_lost; ///< As that answer says; "": it reports.
};

/// The nodes that were read because pods of a job may be lost with them. A
/// value; time and randomness are arguments. A node is kept for as long as such
/// a pod is there.
class known_nodes {
public:
  /// nullptr: it was not read.
  const node_reading* find(const std::string& name) const;
  bool is_empty() const { return nodes_.empty(); }

  void note_read_sent(const std::string& name, k8s::time_point now);
  /// `node`: nullptr if there is none of this name.
  void record_read(const std::string& name, const k8s::node_state* node);
  /// Returns whether it is the first refusal for want of a right. All reads
  /// wait then, because they would be refused as well.
  bool record_failure_and_check_first_refusal(const std::string& name,
                                              const k8s::failure& why,
                                              k8s::time_point now,
                                              double jitter);
  void forget_all_except(const std::set<std::string>& needed);

  /// Until then no node is read, because a read has failed.
  k8s::time_point blocked_until() const { return blocked_until_; }
  /// Whether the latest read was refused for want of a right.
  bool is_refused() const { return failures_ > 0 && refused_; }

private:
  std::map<std::string, node_reading> nodes_;
  k8s::time_point blocked_until_{};
  int failures_ = 0; ///< In a row.
  bool refused_ = false;
  bool was_ever_refused_ = false;
};

} // namespace troupe::core
