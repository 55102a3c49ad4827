#pragma once

#include "k8s/http/server.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What a server shows of itself, and what it wants to be shown. Secrets.
struct server_credentials {
  http::certificate_pair authority; ///< Signs the server's certificate.
  http::certificate_pair server_certificate;
  std::string token;     ///< Of whoever may do everything.
  std::string token_key; ///< Signs the tokens of service accounts; PEM.
};

/// New ones, for a server that can be called by these names and addresses.
///
/// With a directory, which exists, all but the server's own certificate are
/// kept there, in files for their owner only, and those that are there are
/// used: so kubeconfigs and tokens outlive the program. An authority that is
/// about to expire is replaced. A file that cannot be used is an error that
/// names it.
result<server_credentials>
load_or_create_server_credentials(const std::vector<std::string>& names,
                                  const std::string& directory, time_point now);

} // namespace troupe::k8s::apiserver
