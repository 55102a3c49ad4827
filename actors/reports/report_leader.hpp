#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace troupe::actors {

/// Knows which replica of the operator takes reports: the leader, whose address
/// is in an annotation of the Lease. A report has a token of its own, so
/// whoever forwards it needs no more. May be called on any thread.
class report_leader {
public:
  /// `address`: where other replicas reach the server of this one; "" if they
  /// cannot.
  explicit report_leader(std::string address)
      : address_(std::move(address)) {}

  /// For the Lease, when this replica holds it.
  std::map<std::string, std::string> lease_annotations() const;

  /// The Lease as it is now, JSON text.
  void on_lease_observed(bool leads, const std::string& lease);

  struct place {
    bool here = false;   ///< This replica is the leader.
    std::string address; ///< Of the leader; "" if it is not known.
  };
  place current_place() const;

private:
  const std::string address_;
  mutable std::mutex lock_;
  place place_;
};

} // namespace troupe::actors
