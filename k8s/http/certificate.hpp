#pragma once

#include "k8s/http/server.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::http {

enum class key_algorithm : std::uint8_t { ecdsa_p256, rsa_2048 };

/// What a new certificate contains.
struct certificate_request {
  std::string common_name;
  std::string organization; ///< "": none.
  /// A server's IP addresses and host names; other texts are left out.
  std::vector<std::string> names;
  time_point not_before;
  time_point not_after;
  bool is_authority = false; ///< It may sign other certificates.
};

/// A new key and its certificate, which the first certificate of `issuer`
/// signs, or the new key itself if `issuer` is null.
result<certificate_pair>
make_certificate(const certificate_request& wanted, key_algorithm algorithm,
                 const certificate_pair* issuer = nullptr);

/// The names by which this machine can be reached: localhost, its host name and
/// its addresses.
std::vector<std::string> local_host_names_and_addresses();

} // namespace troupe::k8s::http
