#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::node {

enum class dns_type : std::uint16_t { a = 1, ptr = 12, aaaa = 28, any = 255 };

enum class dns_code : std::uint8_t {
  no_error = 0,
  malformed = 1,
  server_failure = 2, ///< Resolvers try again.
  no_such_name = 3,
  not_implemented = 4,
  refused = 5,
};

/// A question, as a resolver asks it.
struct dns_query {
  std::uint16_t id = 0;
  bool wants_recursion = false;
  std::string name;     ///< In lower case, without a dot at its end.
  std::string question; ///< As received; answers repeat it.
  std::uint16_t type = 0;
  std::uint16_t address_class = 0; ///< 1 is the Internet.
  std::size_t limit = 512;         ///< Most bytes of a datagram for the asker.
  bool has_extension = false;      ///< EDNS: the query has the limit.
};

/// The content of an answer. Addresses are IPv4, as text; names have no dot at
/// the end.
struct dns_answer {
  dns_code code = dns_code::no_error;
  std::vector<std::string> addresses = {};
  std::vector<std::string> names = {}; ///< For a PTR.
};

/// Nullopt if this is not a query with exactly one question.
std::optional<dns_query> parse_dns_query(std::string_view message);

/// A message of at most `limit` bytes. If records do not fit, they are left out
/// and the message is marked as truncated.
std::string make_dns_response(const dns_query& q, const dns_answer& answer,
                              std::size_t limit);

} // namespace troupe::k8s::node
