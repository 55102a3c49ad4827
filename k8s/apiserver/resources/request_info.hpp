#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/resources/resource_registry.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// The objects that a request is about, according to its path.
struct request_info {
  const http::request* request = nullptr;
  resource_ptr type;
  std::string ns;          ///< "" for all namespaces, or cluster-scoped ones.
  std::string name;        ///< "" for a collection.
  std::string subresource; ///< "status", "log"; "" for the object itself.

  std::string storage_key() const;
  std::string query_param(const char* which) const {
    return request->query_param(which);
  }
  bool is_dry_run() const { return query_param("dryRun") == "All"; }
  /// The author of a write: the parameter fieldManager, or else the client's
  /// program.
  std::string field_manager_or_user_agent() const;
  status_error not_found_error() const;
  /// For a body whose object has another name.
  status_error name_mismatch_error(const std::string& name_in_body) const;
  /// For a method that the path does not have.
  status_error method_not_allowed_error() const;
};

/// Reads the path of a request; 404 if it names no objects.
status_or<request_info> parse_request_info(const resource_registry& c,
                                           const http::request& r);

/// Whether the resource has the subresource, if there is one in the path.
bool is_subresource_served(const request_info& info);

/// Whether a query parameter is "true", "True" or "1".
bool is_query_flag_set(const http::request& r, const char* param);

} // namespace troupe::k8s::apiserver
