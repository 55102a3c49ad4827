#pragma once

#include "k8s/http/server.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::http {

// What certificates contain. Nothing here fails: a text that cannot be read
// contains no certificate. Functions with a text that may contain several
// certificates look at the first one.

/// One certificate of a text.
struct certificate_info {
  std::string pem; ///< It alone.
  time_point not_before;
  time_point not_after;
  bool is_authority = false; ///< It may sign other certificates.
};

/// All certificates of a PEM text, in its order.
std::vector<certificate_info> read_certificates(const std::string& pem);

/// Whether the key belongs to the certificate.
bool key_matches_certificate(const certificate_pair& pair);

/// Whether `certificate` was signed by the key of `authority`, which may sign.
bool is_signed_by(const std::string& certificate, const std::string& authority);

/// Whether a client that connects to `host`, a name or an IP address, takes
/// the certificate for that server's.
bool is_issued_for(const std::string& certificate, const std::string& host);

} // namespace troupe::k8s::http
