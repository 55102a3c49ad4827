#include "k8s/apiserver/api_server.hpp"

#include "k8s/apiserver/protobuf.hpp"
#include "k8s/apiserver/server_state.hpp"

#include <random>

namespace troupe::k8s::apiserver {

namespace {

server_environment completed(server_environment s) {
  if (!s.now)
    s.now = [] { return std::chrono::system_clock::now(); };
  if (!s.random) {
    std::random_device seed;
    auto engine = std::make_shared<std::mt19937_64>(
        (std::uint64_t(seed()) << 32) | seed());
    s.random = [engine] { return (*engine)(); };
  }
  return s;
}

bool is_watch(const http::request& r) {
  return r.method == "GET" && is_query_flag_set(r, "watch");
}

bool is_write(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH"
         || method == "DELETE";
}

/// Parses the body; DELETE and a few others may have none.
status_or<json> decode_body(const http::request& r) {
  if (r.body.empty() && (r.method == "DELETE" || r.method == "GET"))
    return json(json::object());
  auto type = r.headers.find("content-type");
  if (type != r.headers.end()
      && type->second.find("protobuf") != std::string::npos)
    return parse_protobuf(r.body);
  // Server-side apply comes as YAML; it is refused by name later on.
  if (type != r.headers.end()
      && type->second.find("apply-patch") != std::string::npos)
    return json(json::object());
  auto parsed = parse_json(r.body);
  bool yaml =
      type != r.headers.end() && type->second.find("yaml") != std::string::npos;
  if (!parsed)
    return bad_request("the body of the request is not valid JSON"
                       + std::string(yaml ? " (of YAML, only JSON is "
                                            "read here)"
                                          : "")
                       + ": " + parsed.error().message);
  return std::move(*parsed);
}

status_or<write_result> write(server_state& state, const request_info& info,
                              json body) {
  const auto& method = info.request->method;
  if (info.type->bucket == "pods" && info.subresource == "binding"
      && method == "POST")
    return bind_pod(state, info, body);
  if (info.subresource == "scale" && info.type->has_scale && method != "DELETE")
    return scale(state, info, body);
  if (method == "POST")
    return create(state, info, std::move(body));
  if (method == "PUT")
    return update(state, info, std::move(body));
  if (method == "PATCH")
    return patch(state, info, body);
  return delete_object(state, info, body);
}

http::response answer(server_state& state, const request_info& info,
                      const write_result& done) {
  http::response r;
  r.status = done.status;
  r.body = done.object ? encode_object(state, info, *done.object)
                       : to_text(done.body);
  std::string warnings;
  for (const auto& text : done.warnings) {
    warnings += warnings.empty() ? "299 - " : ", 299 - ";
    append_quoted(warnings, text);
  }
  if (!warnings.empty())
    r.headers["Warning"] = warnings;
  return r;
}

} // namespace

server_state::server_state(server_environment s)
    : environment(completed(std::move(s)))
    , objects(environment.history) {
  objects.on_change = [this](const change_ptr& c) {
    owners.observe(*c);
    after_definition(*this, *c);
    watches.broadcast(c);
  };
}

std::string server_state::new_uid() {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  auto bits = environment.random();
  int left = 16;
  for (char& c : out) {
    if (c != 'x')
      continue;
    if (left-- == 0) {
      bits = environment.random();
      left = 15;
    }
    c = hex[bits & 15];
    bits >>= 4;
  }
  return out;
}

std::string server_state::random_suffix() {
  // Without vowels and look-alikes, so that no words come out.
  static constexpr char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  auto bits = environment.random();
  for (int i = 0; i < 5; ++i) {
    out += letters[bits % (sizeof letters - 1)];
    bits /= sizeof letters - 1;
  }
  return out;
}

api_server::api_server(server_environment s)
    : state_(std::make_unique<server_state>(std::move(s))) {
  for (auto name : {"default", "kube-system", "kube-public"})
    ensure_namespace(name);
}

api_server::~api_server() = default;

http::response api_server::handle(const http::request& r) {
  if (r.method == "GET" || r.method == "HEAD")
    if (auto d = answer_discovery(state_->resources, r))
      return *d;
  auto where = parse_request_info(state_->resources, r);
  if (auto* error = error_in(where))
    return error->to_response();
  const auto& info = std::get<request_info>(where);
  bool scaled =
      info.subresource == "scale" && info.type->has_scale && r.method == "GET";
  if ((r.method == "GET" || r.method == "HEAD") && !scaled) {
    if (is_watch(r) || info.subresource == "log")
      return bad_request("watches and logs need a stream").to_response();
    return read(*state_, info);
  }
  if (!is_write(r.method) && !scaled)
    return method_not_allowed().to_response();
  auto body = decode_body(r);
  if (auto* error = error_in(body))
    return error->to_response();
  // Nothing is stored before the last check, so a value of a type nobody
  // expected leaves no half-done work behind.
  try {
    auto done = write(*state_, info, std::get<json>(std::move(body)));
    if (auto* error = error_in(done))
      return error->to_response();
    return answer(*state_, info, std::get<write_result>(done));
  } catch (const json::exception& e) {
    return bad_request(std::string("the body of the request has an unexpected "
                                   "shape: ")
                       + e.what())
        .to_response();
  }
}

void api_server::serve(const http::request& r, const http::exchange_ptr& x) {
  if (r.method == "GET") {
    auto where = parse_request_info(state_->resources, r);
    auto* info = std::get_if<request_info>(&where);
    if (info && is_watch(r))
      return watch(*state_, *info, x);
    if (info && info->subresource == "log" && info->type->bucket == "pods")
      return read_log(*state_, *info, x);
  }
  x->reply(handle(r));
}

void api_server::maintain_watches() {
  state_->watches.end_expired_and_send_bookmarks(
      state_->now(), state_->objects.resource_version());
}

void api_server::set_admission_validator(const std::string& bucket,
                                         admission_validator a) {
  state_->admission_validators[bucket] = std::move(a);
}

void api_server::set_log_source(log_source* s) {
  state_->pod_logs = s;
}

void api_server::ensure_namespace(const std::string& name) {
  http::request r;
  r.method = "POST";
  r.path = "/api/v1/namespaces";
  r.body = to_text({{"metadata", {{"name", name}}}});
  handle(r); // One that is there already is as good.
}

store& api_server::objects() {
  return state_->objects;
}

} // namespace troupe::k8s::apiserver
