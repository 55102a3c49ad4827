#pragma once

#include "k8s/result.hpp"
#include "k8s/user_info.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::k8s::http {

/// What clients may cost a server. If there is no room for a connection or for
/// bytes, the server closes connections that wait for a request, have sent a
/// part of one, or have not taken their answer: the oldest of the client that
/// has most (see client_shares.hpp). If there are none, the answer is 503.
struct limits {
  std::size_t header_bytes = 64u << 10;
  std::size_t body_bytes = 16u << 20;
  std::chrono::seconds request_time{30}; ///< To read one request whole.
  std::chrono::seconds idle_time{120};   ///< Between requests, keep-alive.
  std::chrono::seconds write_time{60};   ///< To send one piece.
  std::size_t connections = 2000;
  std::size_t connections_per_client = 2000; ///< Of one client address.
  /// Bytes of requests that are being read or carried out (with headers), of
  /// answers and streams that clients have not taken, of messages of WebSockets
  /// until the next one is asked for, and of the state of TLS. The first 16 KiB
  /// of each request, answer and WebSocket are free. Of one answer at most half
  /// of a client's limit is counted, so a client may ask for longer ones, one
  /// or two at a time.
  std::size_t request_bytes = 256u << 20;
  std::size_t request_bytes_per_client = 256u << 20;
  /// Unsent bytes of a stream; a client with more is cut off.
  std::size_t stream_backlog = 64u << 20;
};

struct request;
struct response;

/// A certificate and its key, as texts in PEM.
struct certificate_pair {
  std::string certificate;
  std::string key;
};

/// Who may send requests to a server, and how. Whatever the policy says, a
/// request must be addressed to this server (Host), and a page of another site
/// may not send it (Origin): access.hpp has the rules.
struct access_policy {
  std::string token;        ///< The bearer token that is needed; "": none.
  user_ptr token_user = {}; ///< The user who has it.
  /// The user who has another bearer token; null if nobody has. Called on the
  /// server's thread. Without this function only `token` is accepted.
  std::function<user_ptr(std::string_view token)> find_user_by_token = {};
  /// Where people find the token, for the message that asks for it.
  std::string token_place = "the kubeconfig";
  /// Paths that may be read (GET, HEAD) without a token: pages that ask for it.
  std::vector<std::string> public_paths = {};
  /// The media types of bodies, and of bodies of PATCH, that are accepted; all
  /// if the list is empty.
  std::vector<std::string> body_media_types;
  std::vector<std::string> patch_media_types;
  /// A Host may name another port: that of a tunnel or a port-forward.
  bool any_port = true;
  /// Host names of this server in addition to those that access.hpp lists.
  std::vector<std::string> hosts = {};
  /// With a certificate, clients may begin with TLS, at the same port; clients
  /// on other machines must. Without one the server speaks plain HTTP.
  certificate_pair server_certificate = {};
  /// All clients must begin with TLS. The certificate may come later
  /// (use_certificate); until then nobody is served.
  bool tls_only = false;
  /// The largest body that a request with this head may have. 0: the body is
  /// not read, whatever its size, and the handler gets none. Without this
  /// function bodies of GET and HEAD are not read, and limits::body_bytes
  /// applies to all others.
  std::function<std::size_t(const request& head)> body_limit = {};
  /// Whether a request with this head comes from a client that matters more
  /// than those of other requests: room is made for its connections at their
  /// cost (see client_shares.hpp). Without this function none does.
  std::function<bool(const request& head)> favours = {};
  /// Decides, by its head and the client's address, whether a request that
  /// passed all other rules is let in, before its body is read. Calls `decide`
  /// once: with nullopt, or with the answer to a request that is refused. It
  /// may do so on any thread, and later than this call, but within
  /// limits::request_time.
  std::function<void(const request& head,
                     std::function<void(std::optional<response>)> decide)>
      admit = {};
};

struct request {
  std::string method;
  std::string path;                           ///< Decoded, without the query.
  std::map<std::string, std::string> query;   ///< Decoded.
  std::map<std::string, std::string> headers; ///< Names in lower case.
  std::string body;
  /// The client's address; IPv4 also if the socket is for IPv6.
  std::string peer = {};
  user_ptr user = {}; ///< Who has the token; null if none was needed.
  /// Keys that the query repeats: all values except the first, in their order.
  std::vector<std::pair<std::string, std::string>> repeated_query = {};

  /// The value of a header, its name in lower case; or "".
  const std::string& header(const std::string& name) const {
    static const std::string none;
    auto i = headers.find(name);
    return i == headers.end() ? none : i->second;
  }
  /// A query value, or "".
  std::string query_param(const std::string& name) const {
    auto i = query.find(name);
    return i == query.end() ? std::string{} : i->second;
  }
  /// All values of a query key.
  std::vector<std::string> query_params(const std::string& name) const {
    std::vector<std::string> out;
    if (auto i = query.find(name); i != query.end())
      out.push_back(i->second);
    for (const auto& [key, value] : repeated_query)
      if (key == name)
        out.push_back(value);
    return out;
  }
};

struct response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  /// Further ones. After `Connection: close` the connection ends.
  std::map<std::string, std::string> headers;
};

/// The messages of one WebSocket. Any thread may use it; using it after the end
/// does nothing. Dropping the last pointer to it closes the WebSocket.
class message_stream {
public:
  virtual ~message_stream() = default;
  /// Sends one binary message.
  virtual void send(std::string message) = 0;
  /// Asks for the next message. Until then, little more than one message is
  /// read from the client.
  virtual void request_message() = 0;
  /// Ends the WebSocket after what has been sent.
  virtual void close() = 0;
  /// Bytes given to `send` that the client has not taken; a client with too
  /// many is cut off (see limits).
  virtual std::size_t backlog() const = 0;
  /// Runs `task` on the server's thread, after all that was asked for before,
  /// unless the WebSocket has ended by then.
  virtual void post(std::function<void()> task) = 0;
};

using message_stream_ptr = std::shared_ptr<message_stream>;

/// A WebSocket calls these on the server's thread, and drops them at its end.
struct message_stream_events {
  /// Once for each `request_message`: binary or text, at most
  /// limits::body_bytes.
  std::function<void(std::string)> on_message;
  std::function<void()> on_drained = nullptr; ///< The backlog has become 0.
  std::function<void()> on_end = nullptr;     ///< Once, whoever ended it.
};

/// Answers one request. Any thread may use it; using it after the client left
/// or the server ended does nothing. Dropping the last pointer to it without an
/// answer sends a 500, or cuts an unfinished stream.
class response_writer {
public:
  virtual ~response_writer() = default;
  /// Sends the whole answer. Once, and not together with `start`.
  virtual void reply(response r) = 0;
  /// Answers in pieces (chunked): first the head, then `write`, then `finish`.
  virtual void start(response head) = 0;
  virtual void write(std::string piece) = 0;
  virtual void finish() = 0;
  /// Calls `gone` once, on the server's thread, if the client leaves before the
  /// end or is cut off.
  virtual void on_disconnect(std::function<void()> gone) = 0;
  /// Bytes given to `write` that the client has not taken; a client with too
  /// many is cut off (see limits).
  virtual std::size_t backlog() const { return 0; }
  /// Calls `drained`, on the server's thread, each time the backlog has become
  /// 0.
  virtual void on_drained(std::function<void()>) {}
  /// Answers a request for a WebSocket (websocket.hpp) with one that speaks
  /// `subprotocol`. Once, instead of `reply` and `start`, from inside the
  /// handler. Null if the request asks for none or the client has left.
  virtual message_stream_ptr accept_websocket(const std::string& subprotocol,
                                              message_stream_events);
};

inline message_stream_ptr
response_writer::accept_websocket(const std::string&, message_stream_events) {
  return nullptr;
}

using response_writer_ptr = std::shared_ptr<response_writer>;

/// Called on the server's thread; must not block. May answer later, on any
/// thread.
using handler = std::function<void(request, response_writer_ptr)>;

/// A small HTTP/1.1 server with one thread of its own (Boost.Beast), limits
/// and time-outs on every connection. Used by everything here that listens.
class server {
public:
  /// Closes all connections and joins the thread. Not on the server's thread.
  virtual ~server() = default;
  virtual std::uint16_t port() const = 0;
  /// Serves clients of one more listening socket (TCP, IPv4), and owns it.
  virtual result<nothing> add_listening_socket(int socket) = 0;
  /// Clients that connect from now on see this certificate; open connections
  /// stay as they are. Any thread.
  virtual result<nothing> use_certificate(const certificate_pair& pair) = 0;
  /// From now on requests need this token instead of the policy's; none if it
  /// is "". Any thread.
  virtual void require_token(std::string token) = 0;
  /// Closes the port and all connections without a request, and returns when
  /// all other requests are answered, or after `limit`. Not on the server's
  /// thread.
  virtual void drain(std::chrono::milliseconds limit) = 0;
  /// Runs `task` on the server's thread, never inside this call. Any thread.
  /// Tasks that have not run when the server ends are dropped.
  virtual void post(std::function<void()> task) = 0;
  /// The same, after a delay.
  virtual void post_after(std::chrono::milliseconds delay,
                          std::function<void()> task) = 0;
};

/// Listens on "127.0.0.1:8080", ":8080" (all interfaces) or "[::1]:0" (a free
/// port). A port in use or a malformed address is an error that names it. `h`
/// gets no request that `access` does not let in.
result<std::unique_ptr<server>> listen(const std::string& address, handler h,
                                       limits l = {},
                                       access_policy access = {});

} // namespace troupe::k8s::http
