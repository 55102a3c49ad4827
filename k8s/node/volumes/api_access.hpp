#pragma once

#include "k8s/json.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::node {

// How a pod reaches the API server: a token of its service account, the
// authority of the server's certificate and its namespace, as files.

/// A token that a volume shows: a source like a ConfigMap with one key,
/// "token".
struct token_source {
  std::string audience; ///< "": the API server.
  std::int64_t seconds = 3600;
  /// Not for accounts with automountServiceAccountToken: false.
  bool is_automatic = false;
};

constexpr const char* token_source_kind = "ServiceAccountToken";

config_source_name encode_token_source(const token_source& t);
token_source decode_token_source(const config_source_name& name);

/// The pod's service account; "default" if it names none.
std::string service_account_or_default(const json& pod);

/// The pod with the volume that a cluster's admission adds, mounted in all
/// containers that have no other mount at that path. A pod with
/// automountServiceAccountToken: false stays as it is.
json with_api_access_volume_unless_disabled(json pod);

} // namespace troupe::k8s::node
