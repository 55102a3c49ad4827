#pragma once

#include "k8s/api.hpp"

#include <nlohmann/json.hpp>

namespace troupe::cli {

/// Sends `r` and waits for the answer, which must be JSON, at most half a
/// minute. The api's own threads must not call it.
k8s::result<nlohmann::json> send_and_wait(k8s::api& client, k8s::request r);

/// A GET of a path that is no resource ("/admin/v1/actors").
k8s::request make_get_request(std::string path);

/// A client of a server ("http://127.0.0.1:8082"), to which it shows the token
/// if there is one. The server's certificate must be signed by an authority in
/// `ca_pem`; "": by one of the system's.
std::shared_ptr<k8s::api> make_client(const std::string& url,
                                      const std::string& token = {},
                                      const std::string& ca_pem = {});

} // namespace troupe::cli
