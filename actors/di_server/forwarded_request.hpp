#pragma once

#include "k8s/http/server.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::actors {

/// What one replica says of a request that it forwards to another one.
struct forwarding {
  std::string term;        ///< Of the replica that has to answer it.
  std::string replica;     ///< The term of the replica that forwards it.
  std::uint64_t count = 0; ///< Numbers the requests of that replica.
  std::string client;      ///< The address that the request came from.
  std::string body;        ///< SHA-256 of the request's body.
};

// The header of a forwarded request is signed with a key that only replicas
// have (HMAC). It is valid for this request only: the signature covers method,
// path, query, type and body, the client, the term of the replica that it is
// for, and a count, which that replica accepts once. So nobody who reads the
// header on the way can use it, and no clocks are compared. Pure functions.

inline constexpr const char* forwarded_header = "x-troupe-di-server-forwarded";

/// The value of the header.
std::string sign_forwarding(std::string_view key, const k8s::http::request& q,
                            const forwarding& f);

/// What the header of a request says, if it was signed with the key for a
/// request with this head; else nullopt. The body is not checked.
std::optional<forwarding>
verify_forwarding_except_body(std::string_view key,
                              const k8s::http::request& head);

/// The counts of each replica that were taken. A count that is far behind the
/// latest is refused.
class taken_counts {
public:
  /// Takes the count; false if it was taken before, or is refused.
  bool take_if_new(const std::string& replica, std::uint64_t count);

private:
  std::map<std::string, std::set<std::uint64_t>> taken_;
};

} // namespace troupe::actors
