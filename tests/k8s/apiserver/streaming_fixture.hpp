#pragma once

#include "tests/k8s/apiserver/server_fixture.hpp"

namespace troupe::k8s::apiserver {

/// One session: what it was asked, and the way to its client.
struct recorded_session {
  std::string asked;
  session_sink to;
  std::vector<std::string> calls;
  bool is_dropped = false;
};

class session_handle : public stream_session {
public:
  explicit session_handle(std::shared_ptr<recorded_session> s)
      : session_(std::move(s)) {}
  ~session_handle() override { session_->is_dropped = true; }
  void write_input(std::string bytes) override {
    session_->calls.push_back("input " + bytes);
  }
  void close_input() override { session_->calls.emplace_back("close"); }
  void resize_terminal(std::uint16_t width, std::uint16_t height) override {
    session_->calls.push_back("resize " + std::to_string(width) + "x"
                              + std::to_string(height));
  }
  void resume_output() override { session_->calls.emplace_back("resume"); }

private:
  std::shared_ptr<recorded_session> session_;
};

struct recording_runtime : streaming_runtime {
  stream_session_ptr exec(const container_ref& where, exec_options o,
                          session_sink to) override {
    return add("exec " + text_of(where, o), std::move(to));
  }
  stream_session_ptr attach(const container_ref& where, const exec_options& o,
                            session_sink to) override {
    return add("attach " + text_of(where, o), std::move(to));
  }
  stream_session_ptr forward_port(const std::string& ns, const std::string& pod,
                                  std::uint16_t port,
                                  session_sink to) override {
    return add(ns + "/" + pod + ":" + std::to_string(port), std::move(to));
  }

  static std::string text_of(const container_ref& where,
                             const exec_options& o) {
    auto out = where.ns + "/" + where.pod + "/" + where.container;
    for (const auto& word : o.command)
      out += " '" + word + "'";
    for (auto [is_set, name] :
         {std::pair{o.has_stdin, " in"}, std::pair{o.has_stdout, " out"},
          std::pair{o.has_stderr, " err"}, std::pair{o.tty, " tty"}})
      out += is_set ? name : "";
    return out;
  }
  stream_session_ptr add(std::string asked, session_sink to) {
    sessions.push_back(std::make_shared<recorded_session>());
    sessions.back()->asked = std::move(asked);
    sessions.back()->to = std::move(to);
    return std::make_shared<session_handle>(sessions.back());
  }

  std::vector<std::shared_ptr<recorded_session>> sessions;
};

/// A client's end of a WebSocket, on the test's thread.
struct recorded_client {
  http::message_stream_events events;
  std::vector<std::string> sent;
  int wanted = 0;
  bool is_closed = false;
  std::size_t backlog = 0;

  void say(const std::string& message) {
    BOOST_REQUIRE(wanted > 0);
    --wanted;
    auto on_message = events.on_message;
    on_message(message);
  }
  void leave() {
    is_closed = true;
    auto last = std::exchange(events, {});
    last.on_end();
  }
};

class client_handle : public http::message_stream {
public:
  explicit client_handle(std::shared_ptr<recorded_client> c)
      : client_(std::move(c)) {}
  void send(std::string m) override { client_->sent.push_back(std::move(m)); }
  void request_message() override { ++client_->wanted; }
  void close() override { client_->is_closed = true; }
  std::size_t backlog() const override { return client_->backlog; }
  void post(std::function<void()> task) override { task(); }

private:
  std::shared_ptr<recorded_client> client_;
};

struct upgrade_recorder : http::response_writer {
  ~upgrade_recorder() override {
    if (client->events.on_end)
      client->leave();
  }
  void reply(http::response r) override { answer = std::move(r); }
  void start(http::response) override {}
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}
  http::message_stream_ptr
  accept_websocket(const std::string& spoken,
                   http::message_stream_events events) override {
    subprotocol = spoken;
    client->events = std::move(events);
    return std::make_shared<client_handle>(client);
  }
  std::string message() const {
    auto status = parse_json_or_null(answer.body);
    return status.is_null() ? answer.body : text_at(status, {"message"});
  }

  http::response answer;
  std::string subprotocol;
  std::shared_ptr<recorded_client> client = std::make_shared<recorded_client>();
};

struct streaming_fixture : server_fixture {
  streaming_fixture() {
    core.set_streaming_runtime(&node);
    add("p", {"a", "b"}, "n");
    add("annotated", {"a", "b"}, "n", "b");
    add("unbound", {"a"}, "");
    add("waiting", {"a"}, "n");
    merge(pods + "/waiting/status",
          {{"status", {{"containerStatuses", nullptr}}}});
  }

  json add(const std::string& name, std::vector<std::string> containers,
           const std::string& node_name, const std::string& preferred = "") {
    auto p = pod(name);
    if (!preferred.empty())
      p["metadata"]["annotations"] = {
          {"kubectl.kubernetes.io/default-container", preferred}};
    p["spec"]["containers"].clear();
    json statuses = json::array();
    for (const auto& c : containers) {
      p["spec"]["containers"].push_back({{"name", c}, {"image", "i"}});
      statuses.push_back({{"name", c},
                          {"image", "i"},
                          {"state", {{"running", json::object()}}}});
    }
    if (!node_name.empty())
      p["spec"]["nodeName"] = node_name;
    BOOST_REQUIRE(post(pods, p).status == 201);
    merge(pods + "/" + name + "/status",
          {{"status", {{"containerStatuses", statuses}}}});
    return p;
  }

  std::shared_ptr<upgrade_recorder> ask(const std::string& path,
                                        const std::string& offered,
                                        const std::string& method = "GET") {
    auto x = std::make_shared<upgrade_recorder>();
    auto r = request(method, pods + "/" + path);
    if (!offered.empty())
      r.headers = {{"connection", "Upgrade"},
                   {"upgrade", "websocket"},
                   {"sec-websocket-version", "13"},
                   {"sec-websocket-key", "x"},
                   {"sec-websocket-protocol", offered}};
    core.serve(r, x);
    return x;
  }

  recording_runtime node;
};

} // namespace troupe::k8s::apiserver
