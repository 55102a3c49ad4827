#pragma once

#include "k8s/http/server.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What a server identifies itself by, and what its clients have to show.
/// Secrets.
struct server_credentials {
  http::certificate_pair authority; ///< Signs the server's certificate.
  http::certificate_pair server_certificate;
  std::string token;     ///< Of the administrator, who may do everything.
  std::string token_key; ///< Signs the tokens of service accounts; PEM.
};

/// New credentials for a server that can be called by these names and
/// addresses.
///
/// With a directory, which must exist, all of them except the server's own
/// certificate are kept there, in files that only their owner can read, and
/// files that exist are used; so kubeconfigs and tokens outlive the program. An
/// authority that is about to expire is replaced. A file that cannot be used
/// gives an error that names it.
result<server_credentials>
load_or_create_server_credentials(const std::vector<std::string>& names,
                                  const std::string& directory, time_point now);

} // namespace troupe::k8s::apiserver
