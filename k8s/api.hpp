#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::k8s {

enum class verb : std::uint8_t {
  get,
  list,
  watch,
  create,
  update,
  patch,
  remove
};

const char* to_string(verb v);

/// One complete call to the API server. The functions of calls.hpp make it.
struct request {
  verb method = verb::get;
  std::string path;         ///< With the query, percent-encoded.
  std::string body;         ///< JSON, or empty. Clients may send protobuf.
  std::string content_type; ///< Of the body; "" means application/json.
  /// Plural, with subresource ("pods/status"): for metrics and logs only.
  std::string resource;
  /// Media types of the answer, best first; "" means application/json.
  std::string accept = {};
  /// In bytes; a longer answer is ec::too_large. 0: the client's own limit.
  std::size_t answer_limit = 0;
};

/// The callbacks of a watch. They are called on a thread of the api, one at a
/// time, and not after `ended` or after the session is destroyed.
struct watch_sink {
  /// A piece of the stream, cut anywhere. Do not keep the view.
  std::function<void(std::string_view)> bytes;
  /// The stream has ended. `nothing`: the server ended it cleanly.
  std::function<void(result<nothing>)> ended;
  /// The server has accepted the watch; before any bytes. May be empty.
  std::function<void()> opened = {};
  /// How long to wait before more of the stream is read; asked after each
  /// piece, and again after that time. Unread bytes stay with the server and
  /// cost no memory here. May be empty: no wait.
  std::function<std::chrono::milliseconds()> pause = {};
};

/// A running watch; destroying it ends the stream.
class watch_session {
public:
  virtual ~watch_session() = default;
};

/// The client of an API server. Implementations are thread-safe; callbacks
/// come from their threads, must not block and must not throw.
class api {
public:
  virtual ~api() = default;

  /// Sends `r` and calls `done` exactly once: with the body of a 2xx answer,
  /// or with a failure. Gives up with ec::timeout after `limit`.
  virtual void send(request r, std::chrono::milliseconds limit,
                    std::function<void(result<std::string>)> done) = 0;

  /// Opens the stream of `r` (a verb::watch). A stream that stays silent for
  /// longer than `idle` ends with ec::timeout.
  virtual std::unique_ptr<watch_session>
  watch(request r, std::chrono::milliseconds idle, watch_sink sink) = 0;
};

} // namespace troupe::k8s
