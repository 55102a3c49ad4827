#include "k8s/apiserver/api_server.hpp"

#include "k8s/apiserver/access/authorization.hpp"
#include "k8s/apiserver/access/bootstrap_roles.hpp"
#include "k8s/apiserver/base/body_decoding.hpp"
#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/controllers/controller_objects.hpp"
#include "k8s/apiserver/controllers/garbage_collector.hpp"
#include "k8s/apiserver/controllers/job_controller.hpp"
#include "k8s/apiserver/discovery/aggregated_discovery.hpp"
#include "k8s/apiserver/discovery/discovery.hpp"
#include "k8s/apiserver/pods/pod_binding.hpp"
#include "k8s/apiserver/pods/pod_eviction.hpp"
#include "k8s/apiserver/pods/pod_log.hpp"
#include "k8s/apiserver/pods/pod_streaming.hpp"
#include "k8s/apiserver/reading/object_encoding.hpp"
#include "k8s/apiserver/reading/reading.hpp"
#include "k8s/apiserver/reading/resource_metrics.hpp"
#include "k8s/apiserver/reading/watching.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "k8s/apiserver/users/reviews.hpp"
#include "k8s/apiserver/users/service_account_tokens.hpp"
#include "k8s/apiserver/writing/deleting.hpp"
#include "k8s/apiserver/writing/scale_subresource.hpp"
#include "k8s/apiserver/writing/write_options.hpp"
#include "k8s/apiserver/writing/writing.hpp"

namespace troupe::k8s::apiserver {

namespace {

bool is_get_with_watch_flag(const http::request& r) {
  return r.method == "GET" && is_query_flag_set(r, "watch");
}

bool is_write_method(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH"
         || method == "DELETE";
}

/// Carries out a request that changes something, or reads a scale.
status_or<write_result> dispatch_write_request(server_state& state,
                                               const request_info& info,
                                               json body) {
  const auto& method = info.request->method;
  if (info.type->bucket == "pods" && method == "POST") {
    if (info.subresource == "binding")
      return bind_pod(state, info, body);
    if (info.subresource == "eviction")
      return evict_pod(state, info, body);
  }
  if (info.type->bucket == "serviceaccounts" && info.subresource == "token"
      && method == "POST")
    return create_service_account_token(state, info, body);
  if (info.subresource == "scale" && info.type->has_scale && method != "POST"
      && method != "DELETE")
    return read_or_update_scale(state, info, body);
  if (method == "POST")
    return create_object(state, info, std::move(body));
  if (method == "PUT")
    return update_object(state, info, std::move(body));
  if (method == "PATCH")
    return patch_object(state, info, body);
  return delete_object_or_collection(state, info, body);
}

/// Of a resource whose objects are answered, and not stored.
http::response answer_review_request(server_state& state,
                                     const request_info& info) {
  if (info.request->method != "POST" || !info.name.empty())
    return method_not_allowed().to_response();
  auto body = decode_body(*info.request);
  if (!body)
    return body.error().to_response();
  auto review = std::move(*body);
  if (!review.is_object())
    return bad_request("the body must be an object").to_response();
  review["apiVersion"] = info.type->name.api_version();
  review["kind"] = info.type->name.kind;
  http::response r;
  r.status = 201;
  auto answer = evaluate_review(state, info, std::move(review));
  if (!answer)
    return answer.error().to_response();
  r.body = to_text(*answer);
  return r;
}

/// What controllers of a cluster would do about this write.
void run_builtin_controllers_after_write(server_state& state,
                                         const request_info& info,
                                         const write_result& done) {
  const auto& bucket = info.type->bucket;
  bool is_new_namespace = bucket == "namespaces" && done.object;
  run_controllers_of_written_bucket(
      state, bucket,
      is_new_namespace ? text_at(done.object->value(), {"metadata", "name"})
                       : info.ns);
}

http::response make_write_response(server_state& state,
                                   const request_info& info,
                                   const write_result& done) {
  http::response r;
  r.status = done.http_status;
  if (done.object) {
    auto object = convert_custom_to_served_version(*info.type, done.object);
    if (!object)
      return object.error().to_response();
    r.body = encode_object_in_requested_form(state.now(), info, *object);
  } else {
    r.body = to_text(done.body);
  }
  add_warning_header(r, done.warnings);
  return r;
}

/// What serve() answers piece by piece is not for callers of handle().
status_error streaming_required_error(const std::string& what) {
  return bad_request(what + " requires a streaming connection");
}

http::response answer_resource_request(server_state& state,
                                       const request_info& info) {
  const auto& r = *info.request;
  bool is_list =
      info.name.empty() && (r.method == "GET" || r.method == "DELETE");
  if (auto error = check_accept_and_include_object(r, is_list))
    return error->to_response();
  if (info.type->is_review)
    return answer_review_request(state, info);
  if (info.type->is_metrics_resource)
    return method_not_allowed().to_response();
  if (is_exec_attach_or_port_forward(info))
    return streaming_required_error(info.subresource).to_response();
  bool scaled =
      info.subresource == "scale" && info.type->has_scale && r.method == "GET";
  if (r.method == "GET" && !scaled) {
    if (info.subresource == "log")
      return streaming_required_error("log").to_response();
    if (is_get_with_watch_flag(r) && info.name.empty())
      return streaming_required_error("watch").to_response();
    return get_object_or_list(state, info);
  }
  if (!is_write_method(r.method) && !scaled)
    return method_not_allowed().to_response();
  if (!is_subresource_served(info))
    return (info.type->custom ? info.not_found_error() : path_not_found())
        .to_response();
  if (auto error = check_write_options_except_delete(info))
    return error->to_response();
  auto body = decode_body(r);
  if (!body)
    return body.error().to_response();
  // Nothing is stored before the last check, so a value of a type nobody
  // expected leaves no half-done work behind.
  try {
    auto done = dispatch_write_request(state, info, std::move(*body));
    if (!done)
      return done.error().to_response();
    run_builtin_controllers_after_write(state, info, *done);
    return make_write_response(state, info, *done);
  } catch (const database_error& e) {
    return status_error{500, "InternalError", e.what()}.to_response();
  } catch (const json::exception&) {
    return bad_request("unable to decode the request body: a field has a value "
                       "of another type than it may have")
        .to_response();
  }
}

} // namespace

api_server::api_server(server_environment s)
    : state_(std::make_unique<server_state>(std::move(s))) {
  if (state_->environment.runs_builtin_controllers) {
    jobs_ = make_job_controller(*state_);
    state_->observe_change = [this](const change& c) {
      jobs_->observe_change(c);
    };
  }
  if (!state_->environment.database)
    ensure_initial_objects();
}

api_server::~api_server() = default;

api_server::authorized_request
api_server::authorize_and_impersonate(const http::request& r) const {
  const auto* policy = state_->enforced_policy();
  if (!is_impersonation_requested(r)) {
    if (policy)
      if (auto error = refuse_unless_authorized(*policy, r))
        return error->to_response();
    return std::monostate{};
  }
  auto other = check_and_set_impersonated_user(policy, r);
  if (!other)
    return other.error().to_response();
  auto& as = *other;
  if (policy)
    if (auto error = refuse_unless_authorized(*policy, as))
      return error->to_response();
  return std::move(as);
}

http::response api_server::handle(const http::request& r) {
  value_cache::pin pinned{state_->objects.parsed_values()};
  auto a = authorize_and_impersonate(r);
  if (auto* refusal = std::get_if<http::response>(&a))
    return std::move(*refusal);
  auto* other = std::get_if<http::request>(&a);
  return handle_authorized(other ? *other : r);
}

void api_server::serve(const http::request& r,
                       const http::response_writer_ptr& writer) {
  value_cache::pin pinned{state_->objects.parsed_values()};
  auto a = authorize_and_impersonate(r);
  if (auto* refusal = std::get_if<http::response>(&a))
    return writer->reply(std::move(*refusal));
  auto* other = std::get_if<http::request>(&a);
  serve_authorized(other ? *other : r, writer);
}

http::response api_server::handle_authorized(const http::request& r) {
  if (r.method == "GET") {
    if (auto d = serve_aggregated_discovery_if_asked(state_->resources, r))
      return *d;
    if (auto d = serve_openapi_v2_protobuf_if_asked(r))
      return *d;
    if (auto d = serve_discovery_or_health_if_path(state_->resources, r.path))
      return *d;
  }
  auto where = parse_request_info(state_->resources, r);
  if (!where)
    return where.error().to_response();
  const auto& info = *where;
  auto out = answer_resource_request(*state_, info);
  if (const auto& text = info.type->deprecation_warning; !text.empty())
    add_warning_header(out, {text});
  return out;
}

void api_server::serve_authorized(const http::request& r,
                                  const http::response_writer_ptr& writer) {
  if (r.method == "GET" || r.method == "POST") {
    auto where = parse_request_info(state_->resources, r);
    const auto* info = where ? &*where : nullptr;
    if (info && is_exec_attach_or_port_forward(*info))
      return serve_pod_streaming(*state_, *info, writer);
    if (r.method == "POST")
      return writer->reply(handle_authorized(r));
    if (info && info->type->is_review)
      return writer->reply(method_not_allowed().to_response());
    if (info && info->type->is_metrics_resource)
      return serve_resource_metrics(*state_, *info, writer);
    if (info && is_get_with_watch_flag(r) && info->name.empty())
      return start_watch(*state_, *info, writer);
    if (info && info->subresource == "log" && info->type->bucket == "pods")
      return stream_pod_log(*state_, *info, writer);
  }
  writer->reply(handle_authorized(r));
}

void api_server::end_expired_watches_and_send_bookmarks() {
  value_cache::pin pinned{state_->objects.parsed_values()};
  state_->watches.end_expired_and_send_bookmarks(
      state_->now(), state_->objects.resource_version());
}

void api_server::set_admission_mutator(const resource& type,
                                       admission_mutator m) {
  state_->admission_mutators[admission_key(type)] = std::move(m);
}

void api_server::set_admission_validator(const resource& type,
                                         admission_validator a) {
  state_->admission_validators[admission_key(type)] = std::move(a);
}

void api_server::set_object_converter(const std::string& definition,
                                      object_converter c) {
  state_->object_converters[definition] = std::move(c);
}

void api_server::set_usage_source(usage_source* s) {
  state_->usage = s;
}

void api_server::set_log_source(log_source* s) {
  state_->pod_logs = s;
}

void api_server::set_streaming_runtime(streaming_runtime* r) {
  state_->pod_streams = r;
}

user_ptr api_server::find_account_by_token(std::string_view token) {
  value_cache::pin pinned{state_->objects.parsed_values()};
  std::string why;
  return authenticate_service_account_token(*state_, token, {token_issuer},
                                            why);
}

void api_server::ensure_namespace_ignoring_errors(const std::string& name) {
  http::request r;
  r.method = "POST";
  r.path = "/api/v1/namespaces";
  r.body = to_text({{"metadata", {{"name", name}}}});
  handle(r); // One that is there already is as good.
}

store& api_server::objects() {
  return state_->objects;
}

result<nothing> api_server::load() {
  if (auto done = load_objects_and_begin_database_writes(*state_); !done)
    return done;
  ensure_initial_objects();
  return nothing{};
}

void api_server::ensure_initial_objects() {
  for (auto name : {"default", "kube-system", "kube-public"})
    ensure_namespace_ignoring_errors(name);
  ensure_default_objects_in_all_namespaces(*state_);
  if (state_->environment.authorization == authorization_mode::rbac)
    for (const auto& object : bootstrap_roles())
      create_or_merge_object(object, add_missing_rules_and_subjects);
}

std::optional<std::string>
api_server::create_or_update_object(const json& object) {
  value_cache::pin pinned{state_->objects.parsed_values()};
  auto a = create_or_merge_object(object, [](json stored, const json& wanted) {
    auto version = stored["metadata"]["resourceVersion"];
    stored.update(wanted);
    stored["metadata"]["resourceVersion"] = version;
    return stored;
  });
  if (a.status < 300)
    return std::nullopt;
  return text_at(parse_json_or_null(a.body), {"message"});
}

http::response api_server::create_or_merge_object(
    const json& object,
    const std::function<json(json stored, const json& wanted)>& merge) {
  const auto& kind = text_at(object, {"kind"});
  const auto& version = text_at(object, {"apiVersion"});
  http::request r;
  for (const auto& type : state_->resources.all())
    if (type->name.kind == kind && type->name.api_version() == version) {
      const auto& ns = text_at(object, {"metadata", "namespace"});
      r.path = (type->name.group.empty() ? "/api/" : "/apis/") + version + "/"
               + (ns.empty() ? "" : "namespaces/" + ns + "/")
               + type->name.plural;
    }
  r.method = "POST";
  r.body = to_text(object);
  auto a = handle(r);
  if (a.status != 409)
    return a;
  r.path += "/" + text_at(object, {"metadata", "name"});
  r.method = "GET";
  r.body.clear();
  auto stored = parse_json_or_null(handle(r).body);
  r.method = "PUT";
  r.body = to_text(merge(std::move(stored), object));
  return handle(r);
}

std::size_t api_server::collect_garbage() {
  return apiserver::collect_garbage(*state_);
}

std::optional<time_point> api_server::run_jobs() {
  return jobs_ ? jobs_->take_turn() : std::nullopt;
}

void api_server::set_on_job_work(std::function<void()> f) {
  if (jobs_)
    jobs_->on_work = std::move(f);
}

} // namespace troupe::k8s::apiserver
