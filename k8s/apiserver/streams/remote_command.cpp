#include "k8s/apiserver/streams/remote_command.hpp"

#include "k8s/apiserver/base/status_error.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto version_4 = "v4.channel.k8s.io";
constexpr auto version_5 = "v5.channel.k8s.io";

constexpr char stdin_channel = 0;
constexpr char stdout_channel = 1;
constexpr char stderr_channel = 2;
constexpr char result_channel = 3;
constexpr char resize_channel = 4;
constexpr char close_channel = '\xff';

/// Bytes that a client has not taken, above which the session waits.
constexpr std::size_t most_unsent = 1u << 20;

std::string format_exit_status(const result<int>& how) {
  if (!how)
    return to_text(
        {{"metadata", json::object()},
         {"status", "Failure"},
         {"message", "Internal error occurred: " + how.error().message},
         {"reason", "InternalError"},
         {"details", {{"causes", {{{"message", how.error().message}}}}}},
         {"code", 500}});
  if (*how == 0)
    return to_text({{"metadata", json::object()}, {"status", "Success"}});
  auto code = std::to_string(*how);
  return to_text(
      {{"metadata", json::object()},
       {"status", "Failure"},
       {"message",
        "command terminated with non-zero exit code: exit code " + code},
       {"reason", "NonZeroExitCode"},
       {"details",
        {{"causes", {{{"reason", "ExitCode"}, {"message", code}}}}}}});
}

/// Between a client and a session; lives as long as the WebSocket. Everything
/// happens on the server's thread.
class remote_command : public std::enable_shared_from_this<remote_command> {
public:
  explicit remote_command(bool can_close_channels)
      : can_close_channels_(can_close_channels) {}

  void start(http::message_stream_ptr client, const session_starter& start) {
    client_ = std::move(client);
    // Some clients wait for a first message.
    client_->send(std::string(1, stdout_channel));
    session_ = start({[to = client_](output_stream from, std::string bytes) {
                        bool is_error = from == output_stream::standard_error;
                        bytes.insert(bytes.begin(), is_error ? stderr_channel
                                                             : stdout_channel);
                        to->send(std::move(bytes));
                      },
                      [to = client_] { return to->backlog() < most_unsent; },
                      [to = client_] { to->request_message(); },
                      [to = client_](const result<int>& how) {
                        to->send(std::string{result_channel}
                                 + format_exit_status(how));
                        to->close();
                      }});
    client_->request_message();
  }

  void pass_message_to_session(const std::string& m) {
    auto channel = m.empty() ? result_channel : m.front();
    if (channel == stdin_channel && m.size() > 1)
      return session_->write_input(m.substr(1)); // It asks for the next.
    if (channel == resize_channel)
      resize_terminal_from_json(m.substr(1));
    else if (channel == close_channel && can_close_channels_ && m.size() == 2
             && m[1] == stdin_channel)
      session_->close_input();
    client_->request_message();
  }

  void resume_output() {
    if (session_)
      session_->resume_output();
  }

  void on_websocket_end() {
    session_ = nullptr;
    client_ = nullptr;
  }

private:
  void resize_terminal_from_json(const std::string& text) {
    auto size = parse_json_or_null(text);
    auto extent = [&size](const char* key) -> std::uint16_t {
      auto* n = find_value(size, {key});
      auto value = n && n->is_number_integer() ? n->get<std::int64_t>() : 0;
      return static_cast<std::uint16_t>(
          std::clamp<std::int64_t>(value, 0, 65535));
    };
    session_->resize_terminal(extent("Width"), extent("Height"));
  }

  const bool can_close_channels_;
  http::message_stream_ptr client_;
  stream_session_ptr session_;
};

} // namespace

const std::vector<std::string>& remote_command_subprotocols() {
  static const std::vector<std::string> all{version_5, version_4};
  return all;
}

void serve_remote_command(const http::response_writer_ptr& writer,
                          const std::string& subprotocol,
                          const session_starter& start) {
  auto c = std::make_shared<remote_command>(subprotocol == version_5);
  auto client = writer->accept_websocket(
      subprotocol,
      {[c](const std::string& m) { c->pass_message_to_session(m); },
       [c] { c->resume_output(); }, [c] { c->on_websocket_end(); }});
  if (client)
    c->start(std::move(client), start);
  else
    writer->reply(
        bad_request("this connection cannot become a WebSocket").to_response());
}

} // namespace troupe::k8s::apiserver
