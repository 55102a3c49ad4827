#pragma once

#include "k8s/http/certificate.hpp"

namespace troupe::k8s::http {

/// A new certificate, its own authority, and its key. Good for a year. `names`
/// are IP addresses and host names; what is neither is left out.
inline result<certificate_pair>
make_self_signed_certificate(const std::vector<std::string>& names) {
  constexpr std::chrono::hours year{365 * 24};
  auto now = std::chrono::system_clock::now();
  return make_certificate(
      {"troupe", "", names, now - std::chrono::hours{1}, now + year, true},
      key_algorithm::ecdsa_p256);
}

} // namespace troupe::k8s::http
