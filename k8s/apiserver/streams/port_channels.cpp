#include "k8s/apiserver/streams/port_channels.hpp"

#include "k8s/apiserver/streams/forwarded_sessions.hpp"
#include "k8s/text.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

/// As many as have a data and an error channel, whose numbers are bytes.
constexpr std::size_t most_forwarded_ports = 128;

/// One client, its ports and its connections.
class port_channels : public std::enable_shared_from_this<port_channels> {
public:
  port_channels(const std::vector<std::uint16_t>& ports)
      : ports_(ports) {}

  void start(http::message_stream_ptr client, connection_starter start) {
    sessions_ = std::make_shared<forwarded_sessions>(std::move(client),
                                                     std::move(start));
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const std::string port{static_cast<char>(ports_[i] & 255),
                             static_cast<char>(ports_[i] >> 8)};
      for (auto channel : {2 * i, 2 * i + 1})
        sessions_->client().send(static_cast<char>(channel) + port);
    }
    for (std::size_t i = 0; i < ports_.size(); ++i)
      open(i);
    sessions_->request_message();
  }

  void send_message_to_pod(const std::string& m) {
    auto channel = m.empty() ? 1u : static_cast<unsigned char>(m.front());
    if (channel % 2 == 0 && m.size() > 1)
      sessions_->send_input(std::to_string(channel / 2), m.substr(1), false);
    sessions_->request_message();
  }

  void resume_output() {
    if (sessions_)
      sessions_->resume_output();
  }

  void on_websocket_end() {
    if (sessions_)
      sessions_->close_all();
    sessions_ = nullptr;
  }

private:
  void open(std::size_t i) {
    std::weak_ptr<port_channels> weak = weak_from_this();
    sessions_->open(std::to_string(i), ports_[i],
                    {[channel = static_cast<char>(2 * i)](
                         const std::string& bytes) { return channel + bytes; },
                     [weak, i](const std::string& why) {
                       if (auto self = weak.lock())
                         self->report_end_and_close_after_last(i, why);
                     }});
  }

  void report_end_and_close_after_last(std::size_t i, const std::string& why) {
    if (!sessions_)
      return;
    if (!why.empty())
      sessions_->client().send(static_cast<char>(2 * i + 1) + why);
    if (sessions_->size() == 0)
      sessions_->client().close();
  }

  const std::vector<std::uint16_t> ports_;
  std::shared_ptr<forwarded_sessions> sessions_;
};

} // namespace

const char* const port_channels_subprotocol = "v4.channel.k8s.io";

status_or<std::vector<std::uint16_t>>
parse_forwarded_ports(const std::vector<std::string>& values) {
  std::vector<std::uint16_t> out;
  for (const auto& value : values)
    for (const auto& text : split_without_empty_parts(value, ',')) {
      std::uint16_t port = 0;
      auto end = text.data() + text.size();
      auto [stop, error] = std::from_chars(text.data(), end, port);
      if (error != std::errc{} || stop != end || port == 0)
        return bad_request("ports: " + to_quoted(text)
                           + " is not a port between 1 and 65535");
      out.push_back(port);
    }
  if (out.empty())
    return bad_request("query parameter \"ports\" is required");
  if (out.size() > most_forwarded_ports)
    return bad_request("ports: at most " + std::to_string(most_forwarded_ports)
                       + " can be forwarded over one connection");
  return out;
}

void serve_port_channels(const http::response_writer_ptr& writer,
                         const std::vector<std::uint16_t>& ports,
                         connection_starter start) {
  auto p = std::make_shared<port_channels>(ports);
  auto client = writer->accept_websocket(
      port_channels_subprotocol,
      {[p](const std::string& m) { p->send_message_to_pod(m); },
       [p] { p->resume_output(); }, [p] { p->on_websocket_end(); }});
  if (client)
    p->start(std::move(client), std::move(start));
  else
    writer->reply(
        bad_request("this connection cannot become a WebSocket").to_response());
}

} // namespace troupe::k8s::apiserver
