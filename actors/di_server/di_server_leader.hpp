#pragma once

#include <map>
#include <mutex>
#include <string>

namespace troupe::actors {

/// Which replica of the operator answers requests to di-server: the leader. It
/// shows its address in annotations of the Lease, with a token by which it
/// knows requests that other replicas forward, and believes them from whom
/// these come. Any thread.
class di_server_leader {
public:
  /// `address`: where other replicas reach this one; "" if they cannot.
  di_server_leader(std::string address, std::string token);

  /// For the Lease, when this replica holds it.
  std::map<std::string, std::string> annotations() const;

  /// The Lease as it is now, JSON text.
  void on_lease_observed(bool leads, const std::string& lease);

  struct route {
    bool here = false;
    std::string address; ///< Of the leader; "" if it is not known.
    std::string token;   ///< Of the leader.
  };
  route current_route() const;

  /// Whether another replica has forwarded a request with this token.
  bool has_forwarding_token(const std::string& token) const;

private:
  const std::string address_;
  const std::string token_;
  mutable std::mutex lock_;
  route route_;
};

} // namespace troupe::actors
