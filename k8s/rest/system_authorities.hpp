#pragma once

#include <boost/asio/ssl/context.hpp>

#include <functional>
#include <string>

namespace troupe::k8s::rest {

/// Where OpenSSL looks for authorities by itself.
struct own_authorities {
  bool are_named = false; ///< By SSL_CERT_FILE or SSL_CERT_DIR.
  bool are_there = false; ///< Its file, or its directory.
};

/// The file with the authorities of this machine, if OpenSSL does not find them
/// by itself: each distribution has them in another place. "" if it does, or if
/// there is none. `exists` says whether a file is there.
std::string
choose_authority_file(const own_authorities& own,
                      const std::function<bool(const std::string&)>& exists);

/// Has the context trust the authorities of this machine, or those that
/// SSL_CERT_FILE and SSL_CERT_DIR name.
void trust_system_authorities(boost::asio::ssl::context& context);

} // namespace troupe::k8s::rest
