#pragma once

#include "k8s/apiserver/base/object_converter.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

class object_database;

/// Who may do what, as kube-apiserver's --authorization-mode says.
enum class authorization_mode : std::uint8_t {
  always_allow, ///< Every known user may do everything.
  rbac,         ///< What roles and bindings grant.
};

/// What the API server needs from outside. All of it is called inside calls of
/// api_server, on their thread.
struct server_environment {
  std::function<time_point()> now;       ///< Null: the system's clock.
  std::function<std::uint64_t()> random; ///< For UIDs and generated names.
                                         ///< Null: seeded by the system.
  std::size_t history = 5000;            ///< Changes remembered per resource.
  /// What its objects are taken from, and where changes are written before they
  /// are answered. Null: they are kept in memory only. Not owned.
  object_database* database = nullptr;
  /// The key of service accounts' tokens, as PEM. "": a new one.
  std::string token_key = {};
  /// That of the server's certificate, as PEM, for pods. "": there is none.
  std::string certificate_authority = {};
  authorization_mode authorization = authorization_mode::always_allow;
  /// Whether it makes what a kube-controller-manager would: service accounts
  /// and the authority's ConfigMap in each namespace.
  bool runs_builtin_controllers = true;
};

/// What a validating webhook says of a write.
struct admission_response {
  std::optional<std::string> denial; ///< Why it is refused; nullopt: allowed.
  std::vector<std::string> warnings; ///< For the client, denied or not.
};

/// What a mutating webhook changes in a write.
using admission_mutator = std::function<void(json& object)>;

/// `old` is null for a creation.
using admission_validator =
    std::function<admission_response(const json& object, const json* old)>;

} // namespace troupe::k8s::apiserver
