#include "k8s/rest/watch_connection.hpp"

#include "k8s/rest/byte_stream.hpp"
#include "k8s/rest/server_connector.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::k8s::rest {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t least_read = 2u << 10;
constexpr std::size_t most_read = 32u << 10;
/// What a head, or the line before a chunk, may take. Beast ends either sooner.
constexpr std::size_t most_unparsed = 64u << 10;
constexpr std::size_t most_of_an_error = 64u << 10;

/// All that is here happens in the strand. One operation of the connection is
/// under way at any time, and its handler ends the watch if it has to: so
/// whatever else ends it closes the stream and says why.
class running_watch : public watch_connection,
                      public std::enable_shared_from_this<running_watch> {
public:
  running_watch(asio::io_context& io, std::shared_ptr<server_endpoint> server,
                std::string request, milliseconds silence, listener to)
      : server_(std::move(server))
      , request_(std::move(request))
      , silence_(silence)
      , to_(std::move(to))
      , strand_(asio::make_strand(io.get_executor()))
      , timer_(strand_)
      , connector_(strand_, *server_)
      , stream_(strand_, server_->tls_context()) {}

  void start() {
    asio::post(strand_, [self = shared_from_this()] { self->connect(); });
  }

  void abort() override {
    asio::post(strand_, [self = shared_from_this()] {
      self->close_because({ec::cancelled, "given up"});
    });
  }

private:
  using clock = std::chrono::steady_clock;

  void close_because(failure why) {
    if (!self_ && !to_.ended)
      return; // It has ended.
    if (!closed_because_)
      closed_because_ = std::move(why);
    connector_.cancel();
    if (paused_)
      paused_->cancel();
    stream_.close();
  }

  // -- silence ----------------------------------------------------------------

  /// The timer is not set anew with each piece, which would cost more than the
  /// piece: it looks when the last one came.
  void close_after_silence() {
    timer_.expires_at(heard_at_ + silence_);
    timer_.async_wait([self = shared_from_this()](error_code e) {
      if (e)
        return;
      if (clock::now() < self->heard_at_ + self->silence_)
        self->close_after_silence();
      else
        self->close_because(
            {ec::timeout,
             "no answer from " + self->server_->server + " in time"});
    });
  }

  // -- asking -----------------------------------------------------------------

  void connect() {
    self_ = shared_from_this();
    if (closed_because_)
      return finish(*closed_because_);
    heard_at_ = clock::now();
    close_after_silence();
    connector_.open(stream_, [this](const std::string& why) {
      if (closed_because_ || !why.empty())
        finish(server_->unreachable_failure(why));
      else
        write_request();
    });
  }

  void write_request() {
    auto left = asio::buffer(request_) + written_;
    stream_.write_some(left, [this](error_code e, std::size_t n) {
      written_ += n;
      if (e)
        return finish(server_->unreachable_failure(e.message()));
      if (written_ < request_.size())
        return write_request();
      request_ = {};
      reset_parser();
      read_answer();
    });
  }

  // -- the answer -------------------------------------------------------------

  void reset_parser() {
    answer_.emplace();
    answer_->body_limit(boost::none);
    answer_->eager(true);
    has_status_ = false;
  }

  void read_answer() {
    stream_.read_some(buffer_.prepare(read_size_),
                      [this](error_code e, std::size_t n) {
                        buffer_.commit(n);
                        if (e)
                          return on_read_error(e);
                        auto alive = self_;
                        parse_answer_and_finish_if_done();
                        if (!self_)
                          return;
                        heard_at_ = clock::now();
                        adapt_read_size(n);
                        pause_then_read_on();
                      });
  }

  /// When the listener takes more.
  void pause_then_read_on() {
    auto wait = to_.pause ? to_.pause() : milliseconds::zero();
    if (closed_because_)
      return finish(*closed_because_);
    if (wait <= milliseconds::zero())
      return read_answer();
    heard_at_ = clock::now() + wait; // We are silent, not the server.
    if (!paused_)
      paused_ = std::make_unique<asio::steady_timer>(strand_);
    paused_->expires_after(wait);
    paused_->async_wait([this](error_code) { pause_then_read_on(); });
  }

  /// Much is read at once while much comes; a watch that waits has small
  /// buffers.
  void adapt_read_size(std::size_t n) {
    if (n == read_size_) {
      read_size_ = std::min(read_size_ * 4, most_read);
    } else if (n < read_size_ / 8 && read_size_ > least_read
               && buffer_.size() == 0) {
      read_size_ = least_read;
      buffer_ = {};
      decoded_ = {};
    }
  }

  /// Ends the watch with the answer, or if it is none.
  void parse_answer_and_finish_if_done() {
    error_code e;
    while (buffer_.size() > 0 && !answer_->is_done()) {
      auto used = parse_some(e);
      if (e && e != http::error::need_more)
        return finish(
            failure{ec::garbage,
                    server_->server + " does not speak HTTP: " + e.message()});
      if (answer_->is_done() && answer_->get().result_int() < 200)
        reset_parser(); // That was not the last one.
      if (e || used == 0)
        break;
    }
    if (answer_->is_done())
      finish_with_answer();
    else if (buffer_.size() > most_unparsed)
      finish(failure{ec::garbage, server_->server
                                      + " does not speak HTTP: its answer has "
                                        "no end"});
  }

  std::size_t parse_some(error_code& e) {
    // A body is no longer than what it is read from.
    if (decoded_.size() < buffer_.size())
      decoded_.resize(std::max(buffer_.size(), read_size_));
    auto& body = answer_->get().body();
    body.data = decoded_.data();
    body.size = decoded_.size();
    body.more = true;
    auto used = answer_->put(buffer_.data(), e);
    buffer_.consume(used);
    if (e == http::error::need_buffer)
      e = {};
    if (answer_->is_header_done())
      report_status_and_bytes(
          {decoded_.data(), decoded_.size() - answer_->get().body().size});
    return used;
  }

  void report_status_and_bytes(std::string_view piece) {
    auto status = static_cast<int>(answer_->get().result_int());
    if (status < 200)
      return;
    if (!std::exchange(has_status_, true))
      to_.answered(status);
    if (piece.empty())
      return;
    if (status == 200)
      to_.bytes(piece);
    else
      error_.append(piece.substr(0, most_of_an_error - error_.size()));
  }

  /// The server has closed the connection: the end of an answer without a
  /// length.
  void on_read_error(error_code e) {
    error_code incomplete;
    if (is_closed_by_peer(e) && answer_->is_header_done())
      answer_->put_eof(incomplete);
    if (answer_->is_done() && !incomplete)
      return finish_with_answer();
    finish(server_->unreachable_failure(
        e == asio::error::eof
            ? "it closed the connection before the end of its answer"
            : e.message()));
  }

  // -- ending -----------------------------------------------------------------

  void finish_with_answer() {
    http_answer a;
    a.status = static_cast<int>(answer_->get().result_int());
    auto retry_after = answer_->get()[http::field::retry_after];
    a.retry_after.assign(retry_after.data(), retry_after.size());
    a.body = std::move(error_);
    finish(std::move(a));
  }

  void finish(result<http_answer> how) {
    auto self = std::exchange(self_, nullptr);
    auto to = std::exchange(to_, {});
    timer_.cancel();
    stream_.close();
    if (closed_because_)
      to.ended(*closed_because_);
    else
      to.ended(std::move(how));
  }

  const std::shared_ptr<server_endpoint> server_;
  std::string request_; ///< Until it is written.
  const milliseconds silence_;
  listener to_; ///< Empty at the end.

  asio::strand<asio::io_context::executor_type> strand_;
  asio::steady_timer timer_;
  server_connector connector_;
  byte_stream stream_;
  std::shared_ptr<running_watch> self_; ///< From the start to the end.
  std::optional<failure> closed_because_;
  clock::time_point heard_at_;
  std::unique_ptr<asio::steady_timer> paused_; ///< Made on use.

  std::size_t written_ = 0;
  std::size_t read_size_ = least_read;
  boost::beast::flat_buffer buffer_;
  std::vector<char> decoded_;
  std::optional<http::response_parser<http::buffer_body>> answer_;
  bool has_status_ = false;
  std::string error_; ///< What came instead of events.
};

} // namespace

std::shared_ptr<watch_connection> open_watch_connection(
    asio::io_context& io, std::shared_ptr<server_endpoint> server,
    std::string request, milliseconds silence, watch_connection::listener to) {
  auto watch = std::make_shared<running_watch>(
      io, std::move(server), std::move(request), silence, std::move(to));
  watch->start();
  return watch;
}

} // namespace troupe::k8s::rest
