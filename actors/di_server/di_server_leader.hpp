#pragma once

#include "actors/di_server/forwarded_request.hpp"

#include <map>
#include <mutex>
#include <string>

namespace troupe::actors {

/// Knows which replica of the operator answers requests to di-server: the
/// leader. Annotations of the Lease contain its address and a name of its term,
/// which is no secret. Replicas sign the requests that they forward with a key
/// that all of them have (forwarded_request.hpp); so the leader believes what
/// they say of the client. May be called on any thread.
class di_server_leader {
public:
  /// `address`: where other replicas reach this one; "" if they cannot. `term`:
  /// a text that no other process has.
  di_server_leader(std::string address, std::string term);

  /// For the Lease, when this replica holds it.
  std::map<std::string, std::string> lease_annotations() const;

  /// The Lease as it is now, JSON text.
  void on_lease_observed(bool leads, const std::string& lease);

  /// The key of all replicas. Before it is set no request is forwarded, and no
  /// forwarded request is believed.
  void set_key(std::string key);

  struct route {
    bool here = false;    ///< This replica is the leader.
    std::string address;  ///< Of the leader; "" if it is not known.
    std::string term;     ///< Of the leader; "": its release is older.
    bool has_key = false; ///< set_key() was called.
  };
  route current_route() const;

  /// The value of the header with which `q`, a request of this client, is
  /// forwarded along the route. Each is signed with a new count.
  std::string make_forwarded_header(const k8s::http::request& q,
                                    const route& to, const std::string& client);

  /// The client of a request that a replica has forwarded to this one, as its
  /// head says; "" if no replica has signed it.
  std::string
  verified_client_of_forwarded(const k8s::http::request& head) const;
  /// Whether a replica has signed the whole request, with its body, for this
  /// replica, and it comes for the first time.
  bool accept_forwarded_once(const k8s::http::request& q);

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
