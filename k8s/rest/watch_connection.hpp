#pragma once

#include "k8s/rest/http_answer.hpp"
#include "k8s/rest/server_endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::k8s::rest {

/// A request on its own connection, whose answer is passed on as it arrives.
/// Nothing is read while a callback runs, so a slow reader slows the server
/// down and costs no memory; nor does a reader that asks for a pause. There are
/// two buffers of at most 32 KiB; of two KiB while little arrives.
class watch_connection {
public:
  /// All are called from a thread of the io_context, one after the other.
  struct listener {
    /// The status is known. Once, before any bytes.
    std::function<void(int status)> answered;
    /// A piece of the body of an answer with status 200.
    std::function<void(std::string_view)> bytes;
    /// Returns how long to wait before more is read. Called after each piece,
    /// and after each such wait; may be empty.
    std::function<std::chrono::milliseconds()> pause = {};
    /// Once, at the end: the answer, with the first 64 KiB of its body if that
    /// was not passed on; or ec::unreachable, ec::garbage (no HTTP),
    /// ec::timeout (nothing came for longer than `silence`), ec::cancelled.
    std::function<void(result<http_answer>)> ended;
  };

  virtual ~watch_connection() = default;
  /// From any thread. Ends the watch soon, with ec::cancelled, unless it has
  /// ended.
  virtual void abort() = 0;
};

/// Connects and sends `request`, its text (head and body). The connection lives
/// until it has ended.
std::shared_ptr<watch_connection>
open_watch_connection(boost::asio::io_context& io,
                      std::shared_ptr<server_endpoint> server,
                      std::string request, std::chrono::milliseconds silence,
                      watch_connection::listener to);

} // namespace troupe::k8s::rest
