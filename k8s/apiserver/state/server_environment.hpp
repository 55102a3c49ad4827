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

/// Who may do what, as in kube-apiserver's --authorization-mode.
enum class authorization_mode : std::uint8_t {
  always_allow, ///< Every known user may do everything.
  rbac,         ///< What roles and bindings grant.
};

/// What the API server needs from outside. Everything in it is called from
/// inside the calls of api_server, on their thread.
struct server_environment {
  std::function<time_point()> now; ///< Null: the system's clock.
  /// For UIDs and generated names. Null: seeded by the system.
  std::function<std::uint64_t()> random;
  std::size_t history = 5000; ///< Changes remembered per resource.
  /// The database from which objects are loaded, and to which changes are
  /// written before they are answered. Null: objects are kept in memory only.
  /// Not owned.
  object_database* database = nullptr;
  /// The key of service accounts' tokens, as PEM. "": a new one.
  std::string token_key = {};
  /// The authority of the server's certificate, as PEM, for pods. "": there is
  /// none.
  std::string certificate_authority = {};
  authorization_mode authorization = authorization_mode::always_allow;
  /// Whether the server makes what a kube-controller-manager would make:
  /// service accounts and the authority's ConfigMap in each namespace.
  bool runs_builtin_controllers = true;
};

/// The answer of a validating webhook to a write.
struct admission_response {
  std::optional<std::string> denial; ///< Why it is refused; nullopt: allowed.
  std::vector<std::string> warnings; ///< For the client, denied or not.
};

/// Changes a write as a mutating webhook would.
using admission_mutator = std::function<void(json& object)>;

/// `old` is null for a creation.
using admission_validator =
    std::function<admission_response(const json& object, const json* old)>;

} // namespace troupe::k8s::apiserver
