#pragma once

#include "k8s/apiserver/resources.hpp"
#include "k8s/apiserver/status_error.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// A request about objects, understood.
struct call {
  const http::request* from = nullptr;
  resource_ptr type;
  std::string ns;   ///< "" for all namespaces, or cluster-scoped ones.
  std::string name; ///< "" for a collection.
  std::string sub;  ///< "status", "log"; "" for the object itself.

  std::string key() const;
  std::string param(const char* which) const { return from->param(which); }
  bool dry_run() const { return param("dryRun") == "All"; }
  status_error missing() const;
};

/// Reads the path of a request about objects; 404 for any other.
outcome<call> route(const catalogue& c, const http::request& r);

/// Whether a query parameter says yes.
bool is_on(const http::request& r, const char* param);

} // namespace troupe::k8s::apiserver
