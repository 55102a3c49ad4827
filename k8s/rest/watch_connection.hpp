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

/// A request whose answer is passed on as it arrives, on a connection of its
/// own. Nothing is read while a callback runs, so a slow reader slows the
/// server down and costs no memory, nor does one that asks for a pause: there
/// are two buffers of 32 KiB at most, of two KiB while nothing comes.
class watch_connection {
public:
  /// All are called from a thread of the io_context, one after the other.
  struct listener {
    /// The status is known. Once, before any bytes.
    std::function<void(int status)> answered;
    /// A piece of the body of an answer with status 200.
    std::function<void(std::string_view)> bytes;
    /// How long to wait before more is read. After each piece, and after that
    /// time; may be empty.
    std::function<std::chrono::milliseconds()> pause = {};
    /// Once, at the end: the answer, with the first 64 KiB of its body unless
    /// that was passed on; or ec::unreachable, ec::garbage (no HTTP),
    /// ec::timeout (nothing came for longer than `silence`), ec::cancelled.
    std::function<void(result<http_answer>)> ended;
  };

  virtual ~watch_connection() = default;
  /// From any thread. Ends it soon, with ec::cancelled, if it has not ended.
  virtual void abort() = 0;
};

/// Connects and sends `request`, the text of one. It lives until it has ended.
std::shared_ptr<watch_connection>
open_watch_connection(boost::asio::io_context& io,
                      std::shared_ptr<server_endpoint> server,
                      std::string request, std::chrono::milliseconds silence,
                      watch_connection::listener to);

} // namespace troupe::k8s::rest
