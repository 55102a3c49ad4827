#pragma once

#include "k8s/http/server.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::http {

/// A new certificate, its own authority, and its key: for a server whose
/// clients are told of it (in a kubeconfig). Good for a year. `names` are IP
/// addresses and host names; what is neither is left out.
result<certificate_pair>
make_self_signed_certificate(const std::vector<std::string>& names);

/// What this machine can be reached as: localhost, its name, its addresses.
std::vector<std::string> local_host_names();

} // namespace troupe::k8s::http
