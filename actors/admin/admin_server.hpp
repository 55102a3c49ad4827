#pragma once

#include "k8s/http/server.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace troupe::actors {

/// The files that decide who may use the admin endpoint: paths, "" for none.
struct admin_access_files {
  std::string token;           ///< Requests need the token that it contains.
  std::string tls_certificate; ///< With these two, TLS only.
  std::string tls_key;
};

/// Reads the files. An error names the setting and the fix. The files of the
/// page are public, so that a browser can ask for the token.
k8s::result<k8s::http::access_policy>
read_admin_access(const admin_access_files& files);

/// Serves the admin endpoint until it is destroyed. The files are read again
/// every `reading_interval`, because Secrets change while processes run. If
/// they cannot be used, this is logged, and what was read before stays in use.
k8s::result<std::unique_ptr<k8s::http::server>> start_admin_server(
    const std::string& address, const admin_access_files& files,
    k8s::http::handler handler,
    std::chrono::milliseconds reading_interval = std::chrono::seconds{10});

} // namespace troupe::actors
