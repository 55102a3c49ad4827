#pragma once

#include "actors/di_server/forwarded_request.hpp"

#include <map>
#include <mutex>
#include <string>

namespace troupe::actors {

/// Which replica of the operator answers requests to di-server: the leader. It
/// shows its address in annotations of the Lease, and a name of its term, which
/// is no secret. Replicas sign what they forward with a key that all have, see
/// forwarded_request.hpp; so the leader believes them from whom it comes. Any
/// thread.
class di_server_leader {
public:
  /// `address`: where other replicas reach this one; "" if they cannot. `term`:
  /// a text that no other process has.
  di_server_leader(std::string address, std::string term);

  /// For the Lease, when this replica holds it.
  std::map<std::string, std::string> annotations() const;

  /// The Lease as it is now, JSON text.
  void on_lease_observed(bool leads, const std::string& lease);

  /// The key of all replicas; before it nothing is forwarded, nor believed.
  void set_key(std::string key);

  struct route {
    bool here = false;
    std::string address; ///< Of the leader; "" if it is not known.
    std::string term;    ///< Of the leader; "": it is of an older release.
    bool has_key = false;
  };
  route current_route() const;

  /// The header with which `q`, of this client, is forwarded along the route.
  std::string sign(const k8s::http::request& q, const route& to,
                   const std::string& client);

  /// Who a forwarded request comes from; "" if no replica vouches for it, by
  /// its head.
  std::string client_of_forwarded(const k8s::http::request& head) const;
  /// Whether its body is the one that was signed, and it was not here before.
  bool take_forwarded(const k8s::http::request& q);

private:
  const std::string address_;
  const std::string term_;
  mutable std::mutex lock_;
  route route_;
  std::string key_;
  std::uint64_t forwarded_ = 0;
  taken_counts taken_;
};

} // namespace troupe::actors
