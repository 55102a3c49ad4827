#pragma once

#include "k8s/http/server.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>

namespace troupe::k8s::http {

/// Between whom a connection is.
struct connection_ends {
  boost::asio::ip::address bound; ///< What the server listens on.
  std::uint16_t port = 0;
  boost::asio::ip::address here; ///< The server's end.
  boost::asio::ip::address peer; ///< The client's end.
  std::string host_name;         ///< This machine's.
  bool secure = false;           ///< Under TLS.
};

/// IPv4 as such, where a socket of both kinds has it as a part of IPv6.
boost::asio::ip::address unmap_ipv4(const boost::asio::ip::address& a);

/// The answer to a request that is not let in: a Kubernetes Status, with the
/// fault and what to do. Nullopt for one that is. Looks at the head only, so
/// that nobody has to read the body of a stranger. The rules, in this order:
///
/// * TLS, if the server speaks it (400): from other machines, since the token
///   must not be read on the way; from all, if the policy says so.
/// * Host (421). A browser that was led here by somebody's DNS (rebinding)
///   names that somebody; so the name has to be one that nobody else can give
///   us. A server on the loopback is 127.0.0.0/8, [::1] or localhost. One that
///   listens on other addresses can be called many things: by an IP address
///   (of a pod or a load balancer), by this machine's name, and by those who
///   connect from another machine by any name (that of a service): only a
///   browser on this machine could be led to an address that a stranger cannot
///   reach himself. The policy may list further names.
/// * Origin (403). Browsers add it to whatever a page sends to another site,
///   and programs do not: one that is not ours is refused.
/// * The token (401), compared in constant time, or one whose user the policy
///   finds; not for paths that the policy makes public. `head` gets the user.
/// * The type of the body (415). A body without a type is refused, too: a page
///   can send one (as a Blob) without the browser asking us before. The
///   Kubernetes API takes such bodies for JSON, but its clients name the type.
std::optional<response> check_access_and_set_user(const access_policy& access,
                                                  const connection_ends& ends,
                                                  request& head, bool has_body);

/// Takes as long whatever the difference is: for secrets.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// A token that cannot be guessed: 256 bits of the kernel's, as hex digits.
result<std::string> make_bearer_token();

} // namespace troupe::k8s::http
