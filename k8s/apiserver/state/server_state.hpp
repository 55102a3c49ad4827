#pragma once

#include "k8s/apiserver/access/json_web_token.hpp"
#include "k8s/apiserver/access/rbac_authorizer.hpp"
#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/apiserver/state/owner_graph.hpp"
#include "k8s/apiserver/state/server_environment.hpp"
#include "k8s/apiserver/state/watch_broadcaster.hpp"
#include "k8s/apiserver/storage/store.hpp"
#include "k8s/log_source.hpp"
#include "k8s/streaming_runtime.hpp"
#include "k8s/usage_source.hpp"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace troupe::k8s::apiserver {

/// The account of pods that name none.
inline constexpr const char* default_service_account = "default";

/// The user of the run's token: a member of system:masters.
const user_ptr& admin_user();

/// Everything one api_server consists of; what the verbs work on.
struct server_state {
  explicit server_state(server_environment e);
  server_state(const server_state&) = delete;

  time_point now() const { return environment.now(); }
  std::string timestamp() const { return to_rfc3339(now()); }
  std::string new_uid();
  std::string random_suffix(); ///< Five characters, for generateName.
  /// The policy that decides who may do what; null: every known user may do
  /// everything.
  const rbac_policy* enforced_policy() const;
  /// The signer of service accounts' tokens; made when it is first needed.
  result<token_signer*> get_or_make_token_signer();

  server_environment environment;
  store objects;
  resource_registry resources;
  watch_broadcaster watches;
  owner_graph owners;
  rbac_policy policy; ///< Of all roles and bindings.
  // By admission_key.
  std::map<std::string, admission_mutator, std::less<>> admission_mutators;
  std::map<std::string, admission_validator, std::less<>> admission_validators;
  /// By bucket. Served resources point to the values.
  std::map<std::string, object_converter, std::less<>> object_converters;
  /// The claims of tokens whose signatures have been checked.
  std::unordered_map<std::string, std::shared_ptr<const json>> signed_tokens;
  log_source* pod_logs = nullptr;
  usage_source* usage = nullptr;
  streaming_runtime* pod_streams = nullptr;
  /// Called after each change of the store, when all else knows of it. It must
  /// not write.
  std::function<void(const change&)> observe_change;

private:
  std::unique_ptr<token_signer> signer_;
};

/// Loads all objects from the environment's database, if there is one, and
/// writes changes to it from then on.
result<nothing> load_objects_and_begin_database_writes(server_state& state);

/// The key of an admission mutator or validator: "v1/pods".
std::string admission_key(const resource& type);

} // namespace troupe::k8s::apiserver
