#pragma once

#include "tests/k8s/rest/certificates.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

/// A request as it came over the wire.
struct received_request {
  std::string head; ///< Up to the empty line, which is included.
  std::string body;

  std::string line() const { return head.substr(0, head.find("\r\n")); }
  /// The value of a header, "" if there is none.
  std::string header(const std::string& name) const;
};

/// The server side of one connection, for a script: sends any bytes, HTTP or
/// not. Used by the script's thread.
class peer {
public:
  using socket = boost::asio::ip::tcp::socket;

  peer(socket s, boost::asio::ssl::context* tls);

  /// Waits for a request; nullopt if the client left.
  std::optional<received_request> read();
  void write(const std::string& text);
  /// A whole answer, keep-alive.
  void answer(int status, const std::string& body,
              const std::string& more_headers = "");
  /// The head of an answer in chunks, and one chunk.
  void begin_chunks(int status = 200);
  void chunk(const std::string& text);
  /// Waits until the client has left.
  void wait_until_left();
  /// The common name of the client's certificate, "" if it showed none.
  std::string client_name();
  /// The name that the client asked for (SNI), "" if none.
  std::string asked_name();

private:
  friend class scripted_server;
  bool handshake();
  std::size_t read_some(char* into, std::size_t size);

  socket socket_;
  std::optional<boost::asio::ssl::stream<socket&>> tls_;
  std::string unread_;
};

/// A server on 127.0.0.1, or [::1], that runs a script for every client, each
/// on a thread of its own. The destructor closes all connections.
class scripted_server {
public:
  using script = std::function<void(peer&)>;

  /// With a certificate, speaks TLS and asks clients for theirs.
  explicit scripted_server(script s, std::optional<certificate> tls = {},
                           const std::string& address = "127.0.0.1");
  ~scripted_server();

  unsigned short port() const { return port_; }
  /// "http://127.0.0.1:PORT", or https, or "[::1]".
  std::string url() const;
  int connections() const { return connections_; }

private:
  struct client_session {
    std::unique_ptr<peer> connection;
    std::thread thread;
  };

  void accept();

  script script_;
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  unsigned short port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::list<client_session> sessions_;
  std::thread thread_;
};
