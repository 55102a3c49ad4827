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
  std::string term;        ///< Of the replica that is to carry it out.
  std::string replica;     ///< Who forwards it.
  std::uint64_t count = 0; ///< The how manieth of that replica.
  std::string client;      ///< Whose request it is: an address.
  std::string body;        ///< SHA-256 of the request's body.
};

// The header of a forwarded request is signed with a key that only replicas
// have (HMAC). It is good for this request only: method, path, query, type and
// body are part of what is signed, and so are the client, the term of the
// replica that it is for, and a count, which that one takes once. So nobody who
// reads it on the way can use it, and no clocks are compared. Pure functions.

inline constexpr const char* forwarded_header = "x-troupe-di-server-forwarded";

/// The value of the header.
std::string sign_forwarding(std::string_view key, const k8s::http::request& q,
                            const forwarding& f);

/// What the header of a request says, if somebody who has the key wrote it for
/// a request with this head, and it names a client. The body is not looked at.
std::optional<forwarding> verify_forwarding(std::string_view key,
                                            const k8s::http::request& head);

/// Which counts were taken, of each replica. One that is far behind the latest
/// is not taken any more.
class taken_counts {
public:
  /// Whether it was not taken before; takes it.
  bool take(const std::string& replica, std::uint64_t count);

private:
  std::map<std::string, std::set<std::uint64_t>> taken_;
};

} // namespace troupe::actors
