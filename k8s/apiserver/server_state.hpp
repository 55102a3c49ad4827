#pragma once

#include "k8s/apiserver/api_server.hpp"
#include "k8s/apiserver/garbage.hpp"
#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/store.hpp"
#include "k8s/apiserver/watch_broadcaster.hpp"

#include <map>
#include <string>

namespace troupe::k8s::apiserver {

/// Everything one api_server consists of; what the verbs work on.
struct server_state {
  explicit server_state(server_environment s);
  server_state(const server_state&) = delete;

  time_point now() const { return environment.now(); }
  std::string timestamp() const { return to_rfc3339(now()); }
  std::string new_uid();
  std::string random_suffix(); ///< Five characters, for generateName.

  server_environment environment;
  store objects;
  resource_registry resources;
  watch_broadcaster watches;
  owner_graph owners;
  std::map<std::string, admission_validator, std::less<>> admission_validators;
  log_source* pod_logs = nullptr;
};

/// What a verb did: the object as it is now, and what to tell the client.
struct write_result {
  int status = 200;
  stored_object_ptr object; ///< Null: `body` is the answer.
  json body = nullptr;
  std::vector<std::string> warnings;
};

// The verbs. `body` is what the client sent, parsed.
status_or<write_result> create(server_state& state, const request_info& info,
                               json body);
status_or<write_result> update(server_state& state, const request_info& info,
                               json body);
status_or<write_result> patch(server_state& state, const request_info& info,
                              const json& body);
status_or<write_result> delete_object(server_state& state,
                                      const request_info& info,
                                      const json& options);
status_or<write_result> delete_collection(server_state& state,
                                          const request_info& info,
                                          const json& options);
status_or<write_result> bind_pod(server_state& state, const request_info& info,
                                 const json& body);
status_or<write_result> scale(server_state& state, const request_info& info,
                              const json& body);

/// The answer to a GET of an object or a collection.
http::response read(server_state& state, const request_info& info);
/// Opens a watch that writes to `x`.
void watch(server_state& state, const request_info& info,
           const http::exchange_ptr& x);
void read_log(server_state& state, const request_info& info,
              const http::exchange_ptr& x);

/// The text of one object as the request wants it: plain or as a table.
std::string encode_object(server_state& state, const request_info& info,
                          const stored_object& s);

// How deletions take place, for the verb and for garbage collection.

/// The options of a deletion. `uid` and `resource_version`:
/// preconditions, "" for none.
struct delete_options {
  std::optional<std::int64_t> grace_period;
  std::string propagation_policy; ///< propagationPolicy, "" means Background.
  std::string uid;
  std::string resource_version;
};

/// Begins or completes the deletion of one object that is there.
status_or<write_result>
delete_stored_object(server_state& state, const served_resource& type,
                     const stored_object_ptr& s, const std::string& key,
                     const delete_options& d, bool dry_run = false);

/// Stores the new state of an object, or removes the object if it is
/// terminating and neither finalizers nor grace hold it any longer. Returns the
/// state that was stored or removed.
stored_object_ptr store_or_remove(server_state& state,
                                  const served_resource& type,
                                  const std::string& key, json object);

/// Reacts to a definition that was written or removed.
void after_definition(server_state& state, const change& c);

/// Checks a CRD and completes its status; what cannot be enforced is named in
/// `warnings`.
field_errors complete_definition(json& crd, std::vector<std::string>& warnings);

/// Answers the paths that name no objects: discovery, version, health.
/// nullopt if the path is none of these.
std::optional<http::response> answer_discovery(const resource_registry& types,
                                               const http::request& r);

} // namespace troupe::k8s::apiserver
