#pragma once

#include "k8s/apiserver/api_core.hpp"
#include "k8s/apiserver/garbage.hpp"
#include "k8s/apiserver/routes.hpp"
#include "k8s/apiserver/store.hpp"
#include "k8s/apiserver/watch_hub.hpp"

#include <map>
#include <string>

namespace troupe::k8s::apiserver {

/// Everything one api_core consists of; what the verbs work on.
struct server_state {
  explicit server_state(server_environment s);
  server_state(const server_state&) = delete;

  time_point now() const { return environment.now(); }
  std::string stamp() const { return to_rfc3339(now()); }
  std::string new_uid();
  std::string random_suffix(); ///< Five characters, for generateName.

  server_environment environment;
  store objects;
  catalogue types;
  watch_hub hub;
  garbage_index garbage;
  std::map<std::string, admission, std::less<>> validators;
  log_source* logs = nullptr;
};

/// What a verb did: the object as it is now, and what to tell the client.
struct write_result {
  int status = 200;
  stored_ptr object; ///< Null: `plain` is the answer.
  json plain = nullptr;
  std::vector<std::string> warnings;
};

// The verbs. `body` is what the client sent, parsed.
outcome<write_result> create(server_state& w, const call& c, json body);
outcome<write_result> update(server_state& w, const call& c, json body);
outcome<write_result> patch(server_state& w, const call& c, const json& body);
outcome<write_result> remove(server_state& w, const call& c,
                             const json& options);
outcome<write_result> remove_all(server_state& w, const call& c,
                                 const json& options);
outcome<write_result> bind_pod(server_state& w, const call& c,
                               const json& body);
outcome<write_result> scale(server_state& w, const call& c, const json& body);

/// The answer to a GET of an object or a collection.
http::response read(server_state& w, const call& c);
/// Opens a watch that writes to `x`.
void watch(server_state& w, const call& c, const http::exchange_ptr& x);
void read_log(server_state& w, const call& c, const http::exchange_ptr& x);

/// The text of one object as `c` wants to see it: plain or as a table.
std::string render(server_state& w, const call& c, const stored& s);

// How deletions take place, for the verb and for garbage collection.

/// The options of a deletion. `uid`, `version`: preconditions, "" for none.
struct deletion {
  std::optional<std::int64_t> grace;
  std::string policy; ///< propagationPolicy, "" means Background.
  std::string uid;
  std::string version;
};

/// Begins or completes the deletion of one object that is there.
outcome<write_result> remove_one(server_state& w, const served_resource& type,
                                 const stored_ptr& s, const std::string& key,
                                 const deletion& d, bool dry_run = false);

/// Stores the new state of an object, or removes the object if it is
/// terminating and neither finalizers nor grace hold it any longer. Returns the
/// state that was stored or removed.
stored_ptr store_or_remove(server_state& w, const served_resource& type,
                           const std::string& key, json object);

/// Reacts to a definition that was written or removed.
void after_definition(server_state& w, const change& c);

/// Checks a CRD and completes its status; what cannot be enforced is named in
/// `warnings`.
causes complete_definition(server_state& w, json& crd,
                           std::vector<std::string>& warnings);

/// Answers the paths that name no objects: discovery, version, health.
/// nullopt if the path is none of these.
std::optional<http::response> discover(const catalogue& types,
                                       const http::request& r);

} // namespace troupe::k8s::apiserver
