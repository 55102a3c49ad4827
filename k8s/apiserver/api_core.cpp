#include "k8s/apiserver/api_core.hpp"

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
  return r.method == "GET" && is_on(r, "watch");
}

bool is_write(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH"
         || method == "DELETE";
}

/// Parses the body; DELETE and a few others may have none.
outcome<json> body_of(const http::request& r) {
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

outcome<write_result> write(server_state& w, const call& c, json body) {
  const auto& method = c.from->method;
  if (c.type->bucket == "pods" && c.sub == "binding" && method == "POST")
    return bind_pod(w, c, body);
  if (c.sub == "scale" && c.type->has_scale && method != "DELETE")
    return scale(w, c, body);
  if (method == "POST")
    return create(w, c, std::move(body));
  if (method == "PUT")
    return update(w, c, std::move(body));
  if (method == "PATCH")
    return patch(w, c, body);
  return remove(w, c, body);
}

http::response answer(server_state& w, const call& c,
                      const write_result& done) {
  http::response r;
  r.status = done.status;
  r.body = done.object ? render(w, c, *done.object) : to_text(done.plain);
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
    garbage.observe(*c);
    after_definition(*this, *c);
    hub.publish(c);
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

api_core::api_core(server_environment s)
    : state_(std::make_unique<server_state>(std::move(s))) {
  for (auto name : {"default", "kube-system", "kube-public"})
    ensure_namespace(name);
}

api_core::~api_core() = default;

http::response api_core::handle(const http::request& r) {
  if (r.method == "GET" || r.method == "HEAD")
    if (auto d = discover(state_->types, r))
      return *d;
  auto where = route(state_->types, r);
  if (auto* no = error_in(where))
    return no->to_response();
  const auto& c = std::get<call>(where);
  bool scaled = c.sub == "scale" && c.type->has_scale && r.method == "GET";
  if ((r.method == "GET" || r.method == "HEAD") && !scaled) {
    if (is_watch(r) || c.sub == "log")
      return bad_request("watches and logs need a stream").to_response();
    return read(*state_, c);
  }
  if (!is_write(r.method) && !scaled)
    return not_allowed().to_response();
  auto body = body_of(r);
  if (auto* no = error_in(body))
    return no->to_response();
  // Nothing is stored before the last check, so a value of a type nobody
  // expected leaves no half-done work behind.
  try {
    auto done = write(*state_, c, std::get<json>(std::move(body)));
    if (auto* no = error_in(done))
      return no->to_response();
    return answer(*state_, c, std::get<write_result>(done));
  } catch (const json::exception& e) {
    return bad_request(std::string("the body of the request has an unexpected "
                                   "shape: ")
                       + e.what())
        .to_response();
  }
}

void api_core::serve(const http::request& r, const http::exchange_ptr& x) {
  if (r.method == "GET") {
    auto where = route(state_->types, r);
    auto* c = std::get_if<call>(&where);
    if (c && is_watch(r))
      return watch(*state_, *c, x);
    if (c && c->sub == "log" && c->type->bucket == "pods")
      return read_log(*state_, *c, x);
  }
  x->reply(handle(r));
}

void api_core::tick() {
  state_->hub.tick(state_->now(), state_->objects.version());
}

void api_core::admit(const std::string& bucket, admission a) {
  state_->validators[bucket] = std::move(a);
}

void api_core::read_logs_from(log_source* s) {
  state_->logs = s;
}

void api_core::ensure_namespace(const std::string& name) {
  http::request r;
  r.method = "POST";
  r.path = "/api/v1/namespaces";
  r.body = to_text({{"metadata", {{"name", name}}}});
  handle(r); // One that is there already is as good.
}

store& api_core::objects() {
  return state_->objects;
}

} // namespace troupe::k8s::apiserver
