#pragma once

#include "k8s/api.hpp"
#include "k8s/rest/credentials.hpp"
#include "k8s/rest/server_address.hpp"
#include "k8s/rest/tls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// An answer to a call, whatever its status.
struct http_answer {
  int status = 0;
  std::string body;
  std::string retry_after; ///< The header, "" if there is none.
};

/// What an answer that is no success means, with the header's word on when to
/// come back.
failure failure_of_answer(const http_answer& answer);

class call_connection;

/// Kept-alive connections to one server for calls with an answer of limited
/// size, one call at a time on each. With the certificate of one credential;
/// tokens are given with each call. Thread-safe. Lives on while a call is under
/// way.
class call_connections : public std::enable_shared_from_this<call_connections> {
public:
  using answer_handler = std::function<void(result<http_answer>)>;

  /// Calls are carried out by the threads of `io`. Throws if the server is no
  /// address, or the certificate cannot be used.
  call_connections(boost::asio::io_context& io, const client_config& config,
                   const credential& cred);
  ~call_connections();

  /// Sends `r` and calls `f` once, on a thread of `io`: ec::unreachable (no
  /// connection, or it broke), ec::garbage (no HTTP, or too long an answer).
  /// The function that it returns ends the call early, with ec::cancelled. A
  /// call for which the server closes a used connection without an answer is
  /// sent once more, on a new one.
  std::function<void()> send(request r, const std::string& token,
                             answer_handler handler);

private:
  friend class call_connection;
  using clock = std::chrono::steady_clock;
  struct idle_connection {
    std::shared_ptr<call_connection> connection;
    clock::time_point since;
  };

  std::shared_ptr<call_connection> take_idle_connection();
  void put_idle_connection(std::shared_ptr<call_connection> used);
  std::shared_ptr<call_connection> make_connection();
  std::string format_request(const request& r, const std::string& token) const;

  boost::asio::io_context& io_;
  const std::string server_; ///< For messages.
  const server_address address_;
  const std::string expected_name_; ///< In the server's certificate.
  const std::string host_;          ///< The header.
  tls_config terms_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};

  std::mutex mutex_;
  std::vector<idle_connection> idle_; ///< Used last, last.
};

} // namespace troupe::k8s::rest
