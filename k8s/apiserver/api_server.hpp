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

class job_controller;
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

  /// Loads the objects of the environment's database; an error says what is
  /// wrong with it. If there is a database, this is called before any request.
  result<nothing> load();

  /// A request that names a user is refused if the user has no right to it; a
  /// request without a user comes from inside the process.
  ///
  /// Answers all requests except watches, logs and the other streams of pods:
  /// these need a stream (see serve), and are refused here with 400.
  http::response handle(const http::request& r);

  /// Answers every request through `writer`. A watch writes to it from inside
  /// the calls that change objects, until the client is gone.
  void serve(const http::request& r, const http::response_writer_ptr& writer);

  /// Ends watches that have reached their timeout, and sends bookmarks. To be
  /// called about once a second.
  void end_expired_watches_and_send_bookmarks();

  /// Deletes objects that have lost their owners or their namespace, one step
  /// in each call; returns how many objects it touched. To be called until it
  /// returns 0, or now and then.
  std::size_t collect_garbage();

  /// Does some of what Jobs need, if this server runs controllers; returns when
  /// to call it again, if at all. To be called once at first, and then at those
  /// times and whenever `on_job_work` is.
  std::optional<time_point> run_jobs();

  /// Sets what is called, from inside of other calls, when there is something
  /// to do for Jobs at once.
  void set_on_job_work(std::function<void()> f);

  /// Lets `a` check writes of a resource in this version, as a validating
  /// webhook would. Writes of status and scale are not checked.
  void set_admission_validator(const resource& type, admission_validator a);

  /// Lets `m` change writes of a resource in this version before they are
  /// checked, as a mutating webhook would. Writes of status and scale are not
  /// changed.
  void set_admission_mutator(const resource& type, admission_mutator m);

  /// Lets `c` convert objects of a custom resource
  /// ("dijobs.diengine.opendilab.org") between its versions, as a conversion
  /// webhook would.
  void set_object_converter(const std::string& definition, object_converter c);

  /// The source of pods/log; null: none. Not owned.
  void set_log_source(log_source* s);

  /// The source of what metrics.k8s.io serves; null: none. Not owned.
  void set_usage_source(usage_source* s);

  /// The runtime that serves pods/exec, attach and portforward; null: none. Not
  /// owned.
  void set_streaming_runtime(streaming_runtime* r);

  /// The service account to which this bearer token belongs; null if it belongs
  /// to none.
  user_ptr find_account_by_token(std::string_view token);

  /// Makes a namespace if it is missing. Errors are ignored.
  void ensure_namespace_ignoring_errors(const std::string& name);

  /// Creates an object, or replaces those top-level fields of the existing one
  /// that `object` has. Returns what is wrong with it, if anything.
  std::optional<std::string> create_or_update_object(const json& object);

  /// The stored objects.
  store& objects();

private:
  void ensure_initial_objects();
  http::response create_or_merge_object(
      const json& object,
      const std::function<json(json stored, const json& wanted)>& merge);
  /// Nothing if the request is allowed as it is; or the request in the name of
  /// another user; or why it is refused.
  using authorized_request =
      std::variant<std::monostate, http::request, http::response>;
  authorized_request authorize_and_impersonate(const http::request& r) const;
  http::response handle_authorized(const http::request& r);
  void serve_authorized(const http::request& r,
                        const http::response_writer_ptr& writer);

  std::unique_ptr<server_state> state_;
  std::unique_ptr<job_controller> jobs_; ///< Null: Jobs are only stored.
};

} // namespace troupe::k8s::apiserver
