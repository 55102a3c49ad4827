#pragma once

#include "k8s/apiserver/api_server.hpp"
#include "k8s/http/message_format.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::apiserver {

/// An API server on virtual time, called without HTTP.
struct server_fixture {
  struct answer {
    int status = 0;
    json body;
    std::map<std::string, std::string> headers;

    std::string message() const { return text_at(body, {"message"}); }
    std::string reason() const { return text_at(body, {"reason"}); }
    std::string version() const {
      return text_at(body, {"metadata", "resourceVersion"});
    }
    bool says(const std::string& part) const {
      return message().find(part) != std::string::npos;
    }
    const json& operator[](const char* pointer) const {
      static const json none;
      auto p = json::json_pointer(pointer);
      return body.contains(p) ? body[p] : none;
    }
  };

  /// A watch and the events that it received so far.
  struct watch_recorder : http::response_writer {
    void reply(http::response r) override { refused = r.status; }
    void start(http::response) override {}
    void write(std::string piece) override { text += piece; }
    void finish() override { over = true; }
    void on_disconnect(std::function<void()> g) override {
      gone = std::move(g);
    }

    /// "ADDED a", "DELETED b"... since the last call.
    std::vector<std::string> lines() {
      std::vector<std::string> out;
      for (std::size_t end; (end = text.find('\n')) != std::string::npos;) {
        auto e = json::parse(text.substr(0, end));
        text.erase(0, end + 1);
        last = e["object"];
        auto name = text_at(last, {"metadata", "name"});
        out.push_back(text_at(e, {"type"}) + (name.empty() ? "" : " " + name));
      }
      return out;
    }

    std::string text;
    json last;
    bool over = false;
    int refused = 0;
    std::function<void()> gone;
  };

  explicit server_fixture(
      std::size_t history = 5000,
      authorization_mode mode = authorization_mode::always_allow,
      bool with_controllers = true)
      : core(around(history, mode, with_controllers)) {}

  server_environment around(std::size_t history, authorization_mode mode,
                            bool with_controllers) {
    server_environment s;
    s.now = [this] { return now; };
    s.random = [this] { return seed = seed * 6364136223846793005u + 1442695u; };
    s.history = history;
    s.authorization = mode;
    s.runs_builtin_controllers = with_controllers;
    return s;
  }

  http::request request(const std::string& method, const std::string& target) {
    http::request r;
    r.method = method;
    r.user = user;
    BOOST_REQUIRE(http::parse_request_target(target, r));
    return r;
  }

  answer call(const std::string& method, const std::string& target,
              const json& body = nullptr, const std::string& type = {}) {
    auto r = request(method, target);
    if (!body.is_null())
      r.body = body.dump();
    r.headers["content-type"] = type.empty() ? "application/json" : type;
    return ask(r);
  }

  answer ask(const http::request& r) {
    auto raw = core.handle(r);
    auto parsed = json::parse(raw.body, nullptr, false);
    return {raw.status, parsed.is_discarded() ? json(raw.body) : parsed,
            raw.headers};
  }

  answer get(const std::string& target) { return call("GET", target); }
  answer post(const std::string& target, const json& body) {
    return call("POST", target, body);
  }
  answer put(const std::string& target, const json& body) {
    return call("PUT", target, body);
  }
  answer merge(const std::string& target, const json& body) {
    return call("PATCH", target, body, "application/merge-patch+json");
  }
  answer drop(const std::string& target, const json& options = nullptr) {
    return call("DELETE", target, options);
  }
  std::shared_ptr<watch_recorder> watch(const std::string& target) {
    auto e = std::make_shared<watch_recorder>();
    auto r = request("GET", target);
    r.query["watch"] = "1";
    core.serve(r, e);
    return e;
  }

  time_point now = *from_rfc3339("2026-01-01T00:00:00Z");
  std::uint64_t seed = 1;
  user_ptr user; ///< Who asks; nobody, who may do everything, by default.
  api_server core;
};

inline const std::string pods = "/api/v1/namespaces/default/pods";
inline const std::string maps = "/api/v1/namespaces/default/configmaps";

inline json pod(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}}},
          {"spec", {{"containers", {{{"name", "c"}, {"image", "busybox"}}}}}}};
}

inline json config_map(const std::string& name, json labels = json::object()) {
  return {{"metadata", {{"name", name}, {"labels", std::move(labels)}}}};
}

} // namespace troupe::k8s::apiserver
