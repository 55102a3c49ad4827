#pragma once

#include "k8s/api.hpp"
#include "k8s/rest/http_answer.hpp"
#include "k8s/rest/idle_connections.hpp"
#include "k8s/rest/server_endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace troupe::k8s::rest {

class call_connection;

/// Kept-alive connections to one server for calls with an answer of limited
/// size, one call at a time on each. Tokens are given with each call.
/// Thread-safe. Lives on while a call is under way.
class call_connections : public std::enable_shared_from_this<call_connections> {
public:
  using answer_handler = std::function<void(result<http_answer>)>;

  /// Calls are carried out by the threads of `io`.
  call_connections(boost::asio::io_context& io,
                   std::shared_ptr<server_endpoint> server);
  ~call_connections();

  /// Sends `r` and calls `f` once, on a thread of `io`: ec::unreachable (no
  /// connection, or it broke), ec::garbage (no HTTP, or too long an answer),
  /// ec::too_large (longer than the request's limit). The returned function
  /// ends the call early, with ec::cancelled. If the server closes a used
  /// connection without an answer, the call is sent once more, on a new
  /// connection.
  std::function<void()> send(request r, const std::string& token,
                             answer_handler handler);

private:
  friend class call_connection;
  std::shared_ptr<call_connection> take_idle_connection();
  void put_idle_connection(std::shared_ptr<call_connection> used);
  std::shared_ptr<call_connection> make_connection();

  boost::asio::io_context& io_;
  const std::shared_ptr<server_endpoint> server_;

  std::mutex mutex_;
  idle_connections<call_connection> idle_;
};

} // namespace troupe::k8s::rest
