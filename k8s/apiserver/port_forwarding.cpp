#include "k8s/apiserver/port_forwarding.hpp"

#include "k8s/apiserver/status_error.hpp"
#include "k8s/http/spdy_frames.hpp"

#include <atomic>
#include <charconv>
#include <deque>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto spdy_subprotocol = "SPDY/3.1+portforward.k8s.io";

/// Bytes that a client has not taken, above which connections wait.
constexpr std::size_t most_unsent_forwarded = 1u << 20;
/// Bytes that pods have not taken, above which the client waits: with it all
/// its connections, so it is more than one of them needs.
constexpr std::size_t most_input = 8u << 20;
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
  explicit port_forwarding(connection_starter start)
      : start_(std::move(start)) {}

  void start(http::message_stream_ptr client) {
    client_ = std::move(client);
    client_->request_message();
  }

  void handle_message(const std::string& m) {
    reader_.add_bytes(m);
    while (auto frame = reader_.next_frame())
      handle_spdy_frame(std::move(*frame));
    if (reader_.has_failed())
      return client_->close();
    is_held_ = input_bytes_ > most_input;
    if (!is_held_)
      client_->request_message();
  }

  void resume_output() {
    if (!is_any_paused_->exchange(false))
      return;
    for (auto& [id, c] : connections_)
      if (c.session)
        c.session->resume_output();
  }

  void on_websocket_end() {
    connections_.clear();
    client_ = nullptr;
  }

private:
  struct connection {
    std::uint16_t port = 0;
    std::uint32_t data_stream = 0; ///< 0 until the client has opened it.
    std::uint32_t error_stream = 0;
    stream_session_ptr session;
    std::deque<std::string> input; ///< The first is being passed on.
    bool is_input_closed = false;
  };
  using connections = std::map<std::string, connection>;

  void handle_spdy_frame(http::spdy_frame f) {
    switch (f.type) {
    case http::spdy_type::open:
      return accept_or_refuse_stream(f);
    case http::spdy_type::data:
      return queue_stream_input(std::move(f));
    case http::spdy_type::reset:
      if (auto i = find_by_data_stream(f.stream); i != connections_.end())
        erase_connection(i);
      return;
    case http::spdy_type::ping:
      return client_->send(http::format_spdy_ping(f.stream));
    case http::spdy_type::other:
      return;
    }
  }

  static std::string find_header(const http::spdy_frame& f, const char* name) {
    auto i = f.headers.find(name);
    return i == f.headers.end() ? std::string{} : i->second;
  }

  void accept_or_refuse_stream(const http::spdy_frame& f) {
    auto id = find_header(f, "requestid");
    auto type = find_header(f, "streamtype");
    auto port = parse_port(find_header(f, "port"));
    bool is_known = connections_.count(id) > 0;
    if (f.stream == 0 || id.empty() || !port
        || (type != "data" && type != "error")
        || (!is_known && connections_.size() >= most_connections))
      return client_->send(http::format_spdy_reset(f.stream));
    auto& c = connections_[id];
    auto& stream = type == "data" ? c.data_stream : c.error_stream;
    if (stream != 0)
      return client_->send(http::format_spdy_reset(f.stream));
    stream = f.stream;
    c.port = *port;
    client_->send(http::format_spdy_reply(f.stream, headers_));
    if (c.data_stream != 0 && c.error_stream != 0)
      start_connection(id, c);
  }

  void start_connection(const std::string& id, connection& c) {
    std::weak_ptr<port_forwarding> weak = weak_from_this();
    auto to = client_;
    // What comes from the pod goes to the client at once; its own part in what
    // else happens is on this thread.
    c.session = start_(
        c.port,
        {[to, stream = c.data_stream](output_stream, const std::string& bytes) {
           to->send(http::format_spdy_data(stream, bytes, false));
         },
         [to, paused = is_any_paused_] {
           // Again, for the case that all is drained meanwhile.
           bool is_ready = to->backlog() < most_unsent_forwarded;
           if (!is_ready)
             *paused = true;
           return is_ready || to->backlog() < most_unsent_forwarded;
         },
         [to, weak, id] {
           to->post([weak, id] {
             if (auto self = weak.lock())
               self->on_input_taken(id);
           });
         },
         [to, weak, id](const result<int>& how) {
           to->post([weak, id, why = how ? "" : how.error().message] {
             if (auto self = weak.lock())
               self->report_and_erase_connection(id, why);
           });
         }});
    write_next_input(c);
  }

  connections::iterator find_by_data_stream(std::uint32_t stream) {
    auto i = connections_.begin();
    while (i != connections_.end() && i->second.data_stream != stream)
      ++i;
    return i;
  }

  void queue_stream_input(http::spdy_frame f) {
    auto i = find_by_data_stream(f.stream);
    if (i == connections_.end() || f.stream == 0)
      return;
    auto& c = i->second;
    bool was_idle = c.input.empty();
    if (!f.data.empty()) {
      input_bytes_ += f.data.size();
      c.input.push_back(std::move(f.data));
    }
    c.is_input_closed = c.is_input_closed || f.is_last;
    if (was_idle)
      write_next_input(c);
  }

  void write_next_input(connection& c) {
    if (!c.session)
      return; // Its other stream comes, or it ends with the WebSocket.
    if (!c.input.empty())
      c.session->write_input(c.input.front());
    else if (c.is_input_closed)
      c.session->close_input();
  }

  void on_input_taken(const std::string& id) {
    auto i = connections_.find(id);
    if (i == connections_.end() || i->second.input.empty())
      return;
    input_bytes_ -= i->second.input.front().size();
    i->second.input.pop_front();
    write_next_input(i->second);
    request_message_if_held();
  }

  /// The pod has closed the connection, or it did not come about.
  void report_and_erase_connection(const std::string& id,
                                   const std::string& why) {
    auto i = connections_.find(id);
    if (i == connections_.end())
      return;
    const auto& c = i->second;
    client_->send(http::format_spdy_data(c.error_stream, why, true));
    client_->send(http::format_spdy_data(c.data_stream, {}, true));
    erase_connection(i);
  }

  void erase_connection(connections::iterator i) {
    for (const auto& bytes : i->second.input)
      input_bytes_ -= bytes.size();
    connections_.erase(i);
    request_message_if_held();
  }

  void request_message_if_held() {
    if (is_held_ && input_bytes_ <= most_input) {
      is_held_ = false;
      client_->request_message();
    }
  }

  const connection_starter start_;
  http::message_stream_ptr client_;
  http::spdy_reader reader_;
  http::spdy_header_writer headers_;
  connections connections_; ///< By request ID.
  std::size_t input_bytes_ = 0;
  bool is_held_ = false; ///< The client waits until pods have read.
  /// Whether a connection waits for the client; set on the node's thread.
  std::shared_ptr<std::atomic<bool>> is_any_paused_ =
      std::make_shared<std::atomic<bool>>(false);
};

} // namespace

const std::vector<std::string>& port_forward_subprotocols() {
  static const std::vector<std::string> all{spdy_subprotocol};
  return all;
}

void serve_port_forward(const http::response_writer_ptr& writer,
                        const std::string& subprotocol,
                        connection_starter start) {
  auto p = std::make_shared<port_forwarding>(std::move(start));
  auto client = writer->accept_websocket(
      subprotocol,
      {[p](const std::string& m) { p->handle_message(m); },
       [p] { p->resume_output(); }, [p] { p->on_websocket_end(); }});
  if (client)
    p->start(std::move(client));
  else
    writer->reply(
        bad_request("this connection cannot become a WebSocket").to_response());
}

} // namespace troupe::k8s::apiserver
