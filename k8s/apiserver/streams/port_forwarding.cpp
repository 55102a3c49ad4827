#include "k8s/apiserver/streams/port_forwarding.hpp"

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/streams/forwarded_sessions.hpp"
#include "k8s/http/spdy_frames.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

/// Of what clients send before the second stream of a connection, in all. They
/// need not send anything then.
constexpr std::size_t most_early_input = 8u << 20;
constexpr std::size_t most_connections = 1000;

std::optional<std::uint16_t> parse_port(const std::string& text) {
  std::uint16_t port = 0;
  auto end = text.data() + text.size();
  auto [read, error] = std::from_chars(text.data(), end, port);
  return error == std::errc{} && read == end && port > 0 ? std::optional{port}
                                                         : std::nullopt;
}

/// One client of port-forward, and its connections. Lives as long as the
/// WebSocket; everything happens on the server's thread.
class port_forwarding : public std::enable_shared_from_this<port_forwarding> {
public:
  void start(http::message_stream_ptr client, connection_starter start) {
    sessions_ = std::make_shared<forwarded_sessions>(std::move(client),
                                                     std::move(start));
    sessions_->request_message();
  }

  void read_frames_and_request_next(const std::string& m) {
    reader_.add_bytes(m);
    while (auto frame = reader_.next_frame())
      handle_spdy_frame(std::move(*frame));
    if (reader_.has_failed())
      return sessions_->client().close();
    sessions_->request_message();
  }

  void resume_output() {
    if (sessions_)
      sessions_->resume_output();
  }

  void on_websocket_end() {
    streams_.clear();
    if (sessions_)
      sessions_->close_all();
    sessions_ = nullptr;
  }

private:
  /// The two streams of a connection, which is begun when both are there.
  struct stream_pair {
    std::uint16_t port = 0;
    std::uint32_t data = 0; ///< 0 until the client has opened it.
    std::uint32_t error = 0;
    std::string early_input; ///< From before the other stream.
    bool is_early_input_closed = false;
  };
  using stream_pairs = std::map<std::string, stream_pair>;

  void handle_spdy_frame(http::spdy_frame f) {
    switch (f.type) {
    case http::spdy_type::open:
      return accept_or_refuse_stream(f);
    case http::spdy_type::data:
      return pass_on_input(std::move(f));
    case http::spdy_type::reset:
      if (auto i = find_by_data_stream(f.stream); i != streams_.end()) {
        auto id = i->first;
        streams_.erase(i);
        sessions_->close(id);
      }
      return;
    case http::spdy_type::ping:
      return send(http::format_spdy_ping(f.stream));
    case http::spdy_type::other:
      return;
    }
  }

  void send(std::string message) {
    sessions_->client().send(std::move(message));
  }

  static std::string find_header(const http::spdy_frame& f, const char* name) {
    auto i = f.headers.find(name);
    return i == f.headers.end() ? std::string{} : i->second;
  }

  void accept_or_refuse_stream(const http::spdy_frame& f) {
    auto id = find_header(f, "requestid");
    auto type = find_header(f, "streamtype");
    auto port = parse_port(find_header(f, "port"));
    bool is_known = streams_.count(id) > 0;
    if (f.stream == 0 || id.empty() || !port
        || (type != "data" && type != "error")
        || (!is_known && streams_.size() >= most_connections))
      return send(http::format_spdy_refusal(f.stream));
    auto& pair = streams_[id];
    auto& stream = type == "data" ? pair.data : pair.error;
    if (stream != 0)
      return send(http::format_spdy_refusal(f.stream));
    stream = f.stream;
    pair.port = *port;
    send(http::format_spdy_reply_without_headers(f.stream, headers_));
    if (pair.data != 0 && pair.error != 0)
      start_connection(id, pair);
  }

  void start_connection(const std::string& id, stream_pair& pair) {
    std::weak_ptr<port_forwarding> weak = weak_from_this();
    sessions_->open(id, pair.port,
                    {[stream = pair.data](const std::string& bytes) {
                       return http::format_spdy_data(stream, bytes, false);
                     },
                     [weak, id](const std::string& why) {
                       if (auto self = weak.lock())
                         self->report_end(id, why);
                     }});
    sessions_->send_input(id, std::exchange(pair.early_input, {}),
                          pair.is_early_input_closed);
  }

  stream_pairs::iterator find_by_data_stream(std::uint32_t stream) {
    auto i = streams_.begin();
    while (i != streams_.end() && i->second.data != stream)
      ++i;
    return i;
  }

  void pass_on_input(http::spdy_frame f) {
    auto i = find_by_data_stream(f.stream);
    if (i == streams_.end() || f.stream == 0)
      return;
    if (sessions_->contains(i->first))
      return sessions_->send_input(i->first, std::move(f.data), f.is_last);
    auto& pair = i->second;
    pair.early_input += f.data;
    pair.is_early_input_closed = pair.is_early_input_closed || f.is_last;
    early_bytes_ += f.data.size();
    if (early_bytes_ > most_early_input)
      sessions_->client().close();
  }

  /// The pod has closed the connection, or it did not come about.
  void report_end(const std::string& id, const std::string& why) {
    auto i = streams_.find(id);
    if (i == streams_.end())
      return;
    send(http::format_spdy_data(i->second.error, why, true));
    send(http::format_spdy_data(i->second.data, {}, true));
    streams_.erase(i);
  }

  std::shared_ptr<forwarded_sessions> sessions_;
  http::spdy_reader reader_;
  http::spdy_header_writer headers_;
  stream_pairs streams_; ///< By request ID.
  std::size_t early_bytes_ = 0;
};

} // namespace

const char* const spdy_port_forward_subprotocol = "SPDY/3.1+portforward.k8s.io";

void serve_port_forward(const http::response_writer_ptr& writer,
                        connection_starter start) {
  auto p = std::make_shared<port_forwarding>();
  auto client = writer->accept_websocket(
      spdy_port_forward_subprotocol,
      {[p](const std::string& m) { p->read_frames_and_request_next(m); },
       [p] { p->resume_output(); }, [p] { p->on_websocket_end(); }});
  if (client)
    p->start(std::move(client), std::move(start));
  else
    writer->reply(
        bad_request("this connection cannot become a WebSocket").to_response());
}

} // namespace troupe::k8s::apiserver
