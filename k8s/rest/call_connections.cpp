#include "k8s/rest/call_connections.hpp"

#include "k8s/rest/byte_stream.hpp"
#include "k8s/rest/server_connector.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::k8s::rest {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// Of an answer; nothing that is asked for comes near it.
constexpr std::size_t most_of_an_answer = 1u << 30;
constexpr std::size_t read_at_once = 16u << 10;
/// Of most answers more than all. While it waits for one, and afterwards, a
/// connection keeps no larger buffer.
constexpr std::size_t first_read = 2u << 10;

} // namespace

/// One call, on whichever connection.
class call_exchange {
public:
  call_exchange(std::string text, std::size_t longest_answer,
                call_connections::answer_handler handler)
      : request(std::move(text))
      , answer_limit(longest_answer)
      , done_(std::move(handler)) {}

  /// The connection that carries it from now on; false if it was cancelled.
  bool set_connection_unless_cancelled(
      const std::shared_ptr<call_connection>& connection) {
    std::lock_guard guard{mutex_};
    connection_ = connection;
    return !cancelled_;
  }

  bool is_cancelled() {
    std::lock_guard guard{mutex_};
    return cancelled_;
  }

  /// The connection to end it on, if any.
  std::shared_ptr<call_connection> mark_cancelled_and_get_connection() {
    std::lock_guard guard{mutex_};
    cancelled_ = true;
    return connection_.lock();
  }

  void finish(result<http_answer> answer) {
    std::exchange(done_, nullptr)(std::move(answer));
  }

  const std::string request;      ///< Head and body.
  const std::size_t answer_limit; ///< 0: what fits all.

private:
  call_connections::answer_handler done_;
  std::mutex mutex_;
  std::weak_ptr<call_connection> connection_;
  bool cancelled_ = false;
};

using exchange_ptr = std::shared_ptr<call_exchange>;

/// All that is here happens in the strand of the connection. While it carries a
/// call it owns itself and the pool.
class call_connection : public std::enable_shared_from_this<call_connection> {
public:
  explicit call_connection(call_connections& pool)
      : strand_(asio::make_strand(pool.io_.get_executor()))
      , connector_(strand_, *pool.server_)
      , stream_(strand_, pool.server_->tls_context()) {}

  /// From any thread.
  void send_call(exchange_ptr call, std::shared_ptr<call_connections> pool) {
    asio::post(strand_, [self = shared_from_this(), call = std::move(call),
                         pool = std::move(pool)]() mutable {
      self->begin_call(std::move(call), std::move(pool));
    });
  }

  /// From any thread: nothing if it carries another call by now.
  void abort_call_if_still_carried(const exchange_ptr& call) {
    asio::post(strand_, [self = shared_from_this(), call] {
      if (self->call_ == call)
        self->abort_io();
    });
  }

private:
  void begin_call(exchange_ptr call, std::shared_ptr<call_connections> pool) {
    self_ = shared_from_this();
    call_ = std::move(call);
    pool_ = std::move(pool);
    written_ = 0;
    reset_answer_parser();
    if (!call_->set_connection_unless_cancelled(self_))
      fail_call({ec::cancelled, "given up"});
    else if (connected_)
      write_request();
    else
      connect();
  }

  /// It is not eager: Beast 1.74 forgets the limit of one that is, when the
  /// beginning of the body comes with the header.
  void reset_answer_parser() {
    answer_.emplace();
    answer_->body_limit(call_->answer_limit > 0 ? call_->answer_limit
                                                : most_of_an_answer);
  }

  void abort_io() {
    connector_.cancel();
    stream_.close();
  }

  void connect() {
    connector_.open(stream_, [this](const std::string& why) {
      if (call_->is_cancelled())
        return fail_call({ec::cancelled, "given up"});
      if (!why.empty())
        return fail_call(pool_->server_->unreachable_failure(why));
      connected_ = true;
      write_request();
    });
  }

  // -- asking -----------------------------------------------------------------

  void write_request() {
    auto left = asio::buffer(call_->request) + written_;
    stream_.write_some(left, [this](error_code e, std::size_t n) {
      written_ += n;
      if (e)
        resend_or_fail(e);
      else if (written_ < call_->request.size())
        write_request();
      else
        read_answer();
    });
  }

  void read_answer() {
    auto size = answer_->got_some() ? read_at_once : first_read;
    stream_.read_some(buffer_.prepare(size),
                      [this](error_code e, std::size_t n) {
                        buffer_.commit(n);
                        if (e)
                          on_read_error(e);
                        else
                          parse_answer_then_finish_or_read();
                      });
  }

  void parse_answer_then_finish_or_read() {
    error_code e;
    while (buffer_.size() > 0 && !answer_->is_done()) {
      buffer_.consume(answer_->put(buffer_.data(), e));
      if (e == http::error::need_more)
        break;
      if (e)
        return fail_with_unparsable_answer(e);
      if (answer_->is_done() && answer_->get().result_int() < 200)
        reset_answer_parser(); // That was not the last one.
    }
    if (answer_->is_done())
      finish_with_answer();
    else
      read_answer();
  }

  /// The server has closed the connection: the end of an answer without a
  /// length.
  void on_read_error(error_code e) {
    error_code incomplete;
    if (is_closed_by_peer(e) && answer_->is_header_done())
      answer_->put_eof(incomplete);
    if (answer_->is_done() && !incomplete)
      finish_with_answer();
    else
      resend_or_fail(e);
  }

  // -- ending -----------------------------------------------------------------

  void finish_with_answer() {
    auto message = answer_->release();
    http_answer a;
    a.status = static_cast<int>(message.result_int());
    auto retry_after = message[http::field::retry_after];
    a.retry_after.assign(retry_after.data(), retry_after.size());
    a.body = std::move(message.body());
    bool again = message.keep_alive() && buffer_.size() == 0;
    auto call = release_call_and_connection(again);
    call->finish(std::move(a));
  }

  void resend_or_fail(error_code e) {
    if (call_->is_cancelled())
      return fail_call({ec::cancelled, "given up"});
    if (used_ && !answer_->got_some() && is_closed_by_peer(e))
      return resend_on_new_connection();
    fail_call(pool_->server_->unreachable_failure(
        e == asio::error::eof
            ? "it closed the connection before the end of its answer"
            : e.message()));
  }

  void resend_on_new_connection() {
    auto pool = pool_;
    auto call = release_call_and_connection(false);
    pool->make_connection()->send_call(std::move(call), pool);
  }

  void fail_with_unparsable_answer(error_code e) {
    const auto& server = pool_->server_->server;
    if (e == http::error::body_limit)
      return fail_call(
          {call_->answer_limit > 0 ? ec::too_large : ec::garbage,
           "the answer of " + server + " cannot be used: it is too long"});
    fail_call({ec::garbage, server + " does not speak HTTP: " + e.message()});
  }

  void fail_call(failure why) {
    auto call = release_call_and_connection(false);
    call->finish(std::move(why));
  }

  /// The end of a call on this connection; it is kept for another one, or
  /// closed.
  exchange_ptr release_call_and_connection(bool keep_connection) {
    auto self = std::exchange(self_, nullptr);
    auto pool = std::exchange(pool_, nullptr);
    auto call = std::exchange(call_, nullptr);
    answer_.reset();
    used_ = true;
    if (buffer_.capacity() > first_read)
      buffer_ = {};
    if (keep_connection)
      pool->put_idle_connection(std::move(self));
    else
      stream_.close();
    return call;
  }

  asio::strand<asio::io_context::executor_type> strand_;
  server_connector connector_;
  byte_stream stream_;
  bool connected_ = false;
  bool used_ = false; ///< It has carried a call before this one.
  boost::beast::flat_buffer buffer_;

  // Of the call that is under way.
  std::shared_ptr<call_connection> self_;
  std::shared_ptr<call_connections> pool_;
  exchange_ptr call_;
  std::size_t written_ = 0;
  std::optional<http::response_parser<http::string_body>> answer_;
};

call_connections::call_connections(asio::io_context& io,
                                   std::shared_ptr<server_endpoint> server)
    : io_(io)
    , server_(std::move(server)) {
  // nop
}

call_connections::~call_connections() = default;

std::function<void()> call_connections::send(request r,
                                             const std::string& token,
                                             answer_handler handler) {
  auto call = std::make_shared<call_exchange>(
      server_->format_request(r, token), r.answer_limit, std::move(handler));
  auto connection = take_idle_connection();
  if (!connection)
    connection = make_connection();
  connection->send_call(call, shared_from_this());
  return [call] {
    if (auto carrier = call->mark_cancelled_and_get_connection())
      carrier->abort_call_if_still_carried(call);
  };
}

std::shared_ptr<call_connection> call_connections::take_idle_connection() {
  std::lock_guard guard{mutex_};
  return idle_.take(std::chrono::steady_clock::now());
}

void call_connections::put_idle_connection(
    std::shared_ptr<call_connection> used) {
  std::lock_guard guard{mutex_};
  idle_.put(std::move(used), std::chrono::steady_clock::now());
}

std::shared_ptr<call_connection> call_connections::make_connection() {
  return std::make_shared<call_connection>(*this);
}

} // namespace troupe::k8s::rest
