#pragma once

#include "k8s/apiserver/state/server_environment.hpp"
#include "k8s/http/server.hpp"
#include "k8s/json.hpp"
#include "k8s/log_source.hpp"
#include "k8s/streaming_runtime.hpp"
#include "k8s/usage_source.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::k8s::apiserver {

class store;
struct server_state;

/// An API server without socket, thread or clock: requests in, answers and
/// watch lines out. Deterministic if its environment is. Single-threaded:
/// all calls from one thread, or one at a time. Callbacks of watches may call
/// back into it.
class api_server {
public:
  explicit api_server(server_environment s = {});
  ~api_server();

  /// Takes what the environment's database has; an error says what is wrong
  /// there. With a database this comes before any request.
  result<nothing> load();

  /// Requests that name a user are answered as far as he has the right; those
  /// without one come from inside the process.
  ///
  /// Answers all requests but watches, logs and the other streams of pods:
  /// those are answered by a stream (see serve), and refused here with 400.
  http::response handle(const http::request& r);

  /// Answers everything, through `x`. A watch writes to it, from inside the
  /// calls that change something, until the client is gone.
  void serve(const http::request& r, const http::response_writer_ptr& writer);

  /// Ends watches that have reached their timeout, sends bookmarks. About once
  /// a second.
  void end_expired_watches_and_send_bookmarks();

  /// Deletes what has lost its owners or its namespace, one step of it each
  /// time; returns how many objects it touched. Call until it returns 0, or
  /// now and then.
  std::size_t collect_garbage();

  /// Has writes of a resource in this version checked by `a`, as by a
  /// validating webhook. Writes of status and scale are not checked.
  void set_admission_validator(const resource& type, admission_validator a);

  /// Has writes of a resource changed by `m` before they are checked, as by a
  /// mutating webhook. Writes of status and scale are not changed.
  void set_admission_mutator(const resource& type, admission_mutator m);

  /// Has objects of a custom resource ("dijobs.diengine.opendilab.org")
  /// converted by `c` between its versions, as by a conversion webhook.
  void set_object_converter(const std::string& definition, object_converter c);

  /// Where pods/log comes from; null for nowhere. Not owned.
  void set_log_source(log_source* s);

  /// Who measures what metrics.k8s.io serves; null for nobody. Not owned.
  void set_usage_source(usage_source* s);

  /// Who serves pods/exec, attach and portforward; null for nobody. Not owned.
  void set_streaming_runtime(streaming_runtime* r);

  /// Whose bearer token this is: a service account's. Null for nobody's.
  user_ptr find_user_by_token(std::string_view token);

  /// Makes a namespace if it is missing.
  void ensure_namespace(const std::string& name);

  /// Creates an object of a built-in resource, or replaces what is there by it.
  /// What is wrong with it, if anything.
  std::optional<std::string> create_or_replace_object(const json& object);

  /// The stored objects.
  store& objects();

private:
  void ensure_initial_objects();
  http::response create_or_merge_object(
      const json& object,
      const std::function<json(json stored, const json& wanted)>& merge);
  /// Nothing: the request as it is; or what it is in the name of another user;
  /// or why not.
  using authorized_request =
      std::variant<std::monostate, http::request, http::response>;
  authorized_request authorize_and_impersonate(const http::request& r) const;
  http::response handle_authorized(const http::request& r);
  void serve_authorized(const http::request& r,
                        const http::response_writer_ptr& writer);

  std::unique_ptr<server_state> state_;
};

} // namespace troupe::k8s::apiserver
