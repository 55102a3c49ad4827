#pragma once

#include "k8s/http/server.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::http {

// Nothing here fails: a text that cannot be read contains no certificate. If a
// text contains several certificates, all functions except read_certificates
// look at the first one.

/// One certificate of a text.
struct certificate_info {
  std::string pem; ///< This certificate alone.
  time_point not_before;
  time_point not_after;
  bool is_authority = false; ///< It may sign other certificates.
};

/// All certificates of a PEM text, in its order.
std::vector<certificate_info> read_certificates(const std::string& pem);

/// Whether the key belongs to the certificate.
bool key_matches_certificate(const certificate_pair& pair);

/// Whether `certificate` was signed by the key of `authority`, and that may
/// sign certificates.
bool is_signed_by(const std::string& certificate, const std::string& authority);

/// Whether the certificate is for the server `host`, a name or an IP address.
bool is_issued_for(const std::string& certificate, const std::string& host);

} // namespace troupe::k8s::http
