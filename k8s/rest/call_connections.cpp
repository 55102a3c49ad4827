#include "k8s/rest/call_connections.hpp"

#include "k8s/codec.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/byte_stream.hpp"
#include "k8s/rest/connection_check.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe::k8s::rest {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Of an answer; nothing that is asked for comes near it.
constexpr std::size_t most_of_an_answer = 1u << 30;
constexpr std::size_t read_at_once = 16u << 10;
/// What a connection keeps for its next answer.
constexpr std::size_t most_kept_buffer = 256u << 10;
/// Servers close connections that are idle for longer.
constexpr std::chrono::seconds longest_idle{60};

bool is_usable(const std::string& url, const server_address& a) {
  bool scheme = url.rfind("https://", 0) == 0 || url.rfind("http://", 0) == 0;
  return scheme && !a.host.empty() && !a.port.empty()
         && a.port.find_first_not_of("0123456789") == std::string::npos;
}

bool is_end_of_connection(error_code e) {
  return e == asio::error::eof || e == asio::error::connection_reset
         || e == asio::error::connection_aborted
         || e == asio::error::broken_pipe
         || e == asio::ssl::error::stream_truncated;
}

} // namespace

/// One call, on whichever connection.
class call_exchange {
public:
  call_exchange(std::string text, call_connections::done f)
      : request(std::move(text))
      , done_(std::move(f)) {}

  /// The connection that carries it from now on; false if it was cancelled.
  bool moves_to(const std::shared_ptr<call_connection>& connection) {
    std::lock_guard guard{mutex_};
    connection_ = connection;
    return !cancelled_;
  }

  bool cancelled() {
    std::lock_guard guard{mutex_};
    return cancelled_;
  }

  /// The connection to end it on, if any.
  std::shared_ptr<call_connection> cancel() {
    std::lock_guard guard{mutex_};
    cancelled_ = true;
    return connection_.lock();
  }

  void finish(result<http_answer> how) {
    std::exchange(done_, nullptr)(std::move(how));
  }

  const std::string request; ///< Head and body.

private:
  call_connections::done done_;
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
      , resolver_(strand_)
      , stream_(strand_, pool.address_.tls ? &pool.tls_ : nullptr) {}

  /// From any thread.
  void carry(exchange_ptr call, std::shared_ptr<call_connections> pool) {
    asio::post(strand_, [self = shared_from_this(), call = std::move(call),
                         pool = std::move(pool)]() mutable {
      self->begin(std::move(call), std::move(pool));
    });
  }

  /// From any thread: nothing if it carries another call by now.
  void end(const exchange_ptr& call) {
    asio::post(strand_, [self = shared_from_this(), call] {
      if (self->call_ == call)
        self->break_off();
    });
  }

private:
  void begin(exchange_ptr call, std::shared_ptr<call_connections> pool) {
    self_ = shared_from_this();
    call_ = std::move(call);
    pool_ = std::move(pool);
    written_ = 0;
    expect_answer();
    if (!call_->moves_to(self_))
      fail({ec::cancelled, "given up"});
    else if (connected_)
      write();
    else
      resolve();
  }

  void expect_answer() {
    answer_.emplace();
    answer_->body_limit(most_of_an_answer);
    answer_->eager(true);
  }

  void break_off() {
    resolver_.cancel();
    stream_.close();
  }

  // -- connecting -------------------------------------------------------------

  void resolve() {
    const auto& to = pool_->address_;
    auto flags = tcp::resolver::numeric_service;
    error_code is_name;
    asio::ip::make_address(to.host, is_name);
    if (!is_name) { // Without the resolver's thread.
      error_code e;
      connect(e, resolver_.resolve(to.host, to.port,
                                   flags | tcp::resolver::numeric_host, e));
      return;
    }
    resolver_.async_resolve(
        to.host, to.port, flags,
        [this](error_code e, const tcp::resolver::results_type& found) {
          connect(e, found);
        });
  }

  void connect(error_code e, const tcp::resolver::results_type& found) {
    if (e || call_->cancelled())
      return not_connected("the name " + pool_->address_.host
                           + " is not known (" + e.message() + ")");
    stream_.connect(found, [this](error_code why) { secure(why); });
  }

  void secure(error_code e) {
    if (e || call_->cancelled())
      return not_connected(describe_connect_error(e.value()));
    stream_.handshake(pool_->expected_name_, [this](error_code why) {
      if (why)
        return not_connected(pool_->terms_.describe_failure(why.message()));
      connected_ = true;
      write();
    });
  }

  void not_connected(const std::string& why) {
    fail(call_->cancelled() ? failure{ec::cancelled, "given up"}
                            : unreachable(why));
  }

  // -- asking -----------------------------------------------------------------

  void write() {
    auto left = asio::buffer(call_->request) + written_;
    stream_.write(left, [this](error_code e, std::size_t n) {
      written_ += n;
      if (e)
        broken(e);
      else if (written_ < call_->request.size())
        write();
      else
        read();
    });
  }

  void read() {
    stream_.read(buffer_.prepare(read_at_once),
                 [this](error_code e, std::size_t n) {
                   buffer_.commit(n);
                   if (e)
                     ended(e);
                   else
                     parse();
                 });
  }

  void parse() {
    error_code e;
    while (buffer_.size() > 0 && !answer_->is_done()) {
      buffer_.consume(answer_->put(buffer_.data(), e));
      if (e == http::error::need_more)
        break;
      if (e)
        return not_http(e);
      if (answer_->is_done() && answer_->get().result_int() < 200)
        expect_answer(); // That was not the last one.
    }
    if (answer_->is_done())
      succeed();
    else
      read();
  }

  /// The server has closed the connection: the end of an answer without a
  /// length.
  void ended(error_code e) {
    error_code incomplete;
    if (is_end_of_connection(e) && answer_->is_header_done())
      answer_->put_eof(incomplete);
    if (answer_->is_done() && !incomplete)
      succeed();
    else
      broken(e);
  }

  // -- ending -----------------------------------------------------------------

  void succeed() {
    auto message = answer_->release();
    http_answer a;
    a.status = static_cast<int>(message.result_int());
    auto retry_after = message[http::field::retry_after];
    a.retry_after.assign(retry_after.data(), retry_after.size());
    a.body = std::move(message.body());
    bool again = message.keep_alive() && buffer_.size() == 0;
    auto call = release(again);
    call->finish(std::move(a));
  }

  void broken(error_code e) {
    if (call_->cancelled())
      return fail({ec::cancelled, "given up"});
    if (used_ && !answer_->got_some() && is_end_of_connection(e))
      return send_on_another();
    fail(unreachable(
        e == asio::error::eof
            ? "it closed the connection before the end of its answer"
            : e.message()));
  }

  void send_on_another() {
    auto pool = pool_;
    auto call = release(false);
    pool->make()->carry(std::move(call), pool);
  }

  void not_http(error_code e) {
    if (e == http::error::body_limit)
      return fail({ec::garbage, "the answer of " + pool_->server_
                                    + " cannot be used: it is too long"});
    fail(
        {ec::garbage, pool_->server_ + " does not speak HTTP: " + e.message()});
  }

  failure unreachable(const std::string& why) const {
    return {ec::unreachable, "cannot reach " + pool_->server_ + ": " + why};
  }

  void fail(failure why) {
    auto call = release(false);
    call->finish(std::move(why));
  }

  /// The end of a call on this connection; it is kept for another one, or
  /// closed.
  exchange_ptr release(bool keep) {
    auto self = std::exchange(self_, nullptr);
    auto pool = std::exchange(pool_, nullptr);
    auto call = std::exchange(call_, nullptr);
    answer_.reset();
    used_ = true;
    if (buffer_.capacity() > most_kept_buffer)
      buffer_ = {};
    if (keep)
      pool->keep(std::move(self));
    else
      stream_.close();
    return call;
  }

  asio::strand<asio::io_context::executor_type> strand_;
  tcp::resolver resolver_;
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

failure failure_of(const http_answer& answer) {
  auto f = decode_status(answer.body, answer.status);
  const auto& text = answer.retry_after;
  int wait = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), wait);
  if (error == std::errc{} && end == text.data() + text.size() && wait > 0)
    f.retry_after = std::chrono::seconds{std::min(wait, 3600)};
  return f;
}

call_connections::call_connections(asio::io_context& io,
                                   const client_config& who,
                                   const credential& l)
    : io_(io)
    , server_(who.server)
    , address_(parse_server_address(who.server))
    , expected_name_(who.tls_server_name.empty() ? address_.host
                                                 : who.tls_server_name)
    , host_(who.tls_server_name.empty() ? address_.authority
                                        : who.tls_server_name)
    , terms_(who, l) {
  if (!is_usable(who.server, address_))
    throw std::invalid_argument{"it must be https://HOST:PORT"};
  if (address_.tls)
    terms_.prepare(tls_);
}

call_connections::~call_connections() = default;

std::function<void()> call_connections::send(request r,
                                             const std::string& token, done f) {
  auto call =
      std::make_shared<call_exchange>(write_request(r, token), std::move(f));
  auto connection = take_idle();
  if (!connection)
    connection = make();
  connection->carry(call, shared_from_this());
  return [call] {
    if (auto carrier = call->cancel())
      carrier->end(call);
  };
}

std::shared_ptr<call_connection> call_connections::take_idle() {
  std::lock_guard guard{mutex_};
  auto now = clock::now();
  auto fresh =
      std::find_if(idle_.begin(), idle_.end(), [&](const idle_connection& c) {
        return now - c.since < longest_idle;
      });
  idle_.erase(idle_.begin(), fresh);
  if (idle_.empty())
    return nullptr;
  auto taken = std::move(idle_.back().connection);
  idle_.pop_back();
  return taken;
}

void call_connections::keep(std::shared_ptr<call_connection> used) {
  std::lock_guard guard{mutex_};
  idle_.push_back({std::move(used), clock::now()});
}

std::shared_ptr<call_connection> call_connections::make() {
  return std::make_shared<call_connection>(*this);
}

std::string call_connections::write_request(const request& r,
                                            const std::string& token) const {
  std::string text;
  text.reserve(512 + token.size() + r.path.size() + r.body.size());
  auto header = [&](const char* name, const std::string& value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  text.append(http_method(r.method)).append(" ");
  text.append(address_.base_path).append(r.path).append(" HTTP/1.1\r\n");
  header("Host", host_);
  header("Accept", r.accept.empty() ? "application/json" : r.accept);
  header("User-Agent", "troupe"); // Shows up in managedFields.
  if (!token.empty())
    header("Authorization", "Bearer " + token);
  if (!r.body.empty())
    header("Content-Type",
           r.content_type.empty() ? "application/json" : r.content_type);
  if (!r.body.empty() || r.method == verb::create || r.method == verb::update
      || r.method == verb::patch)
    header("Content-Length", std::to_string(r.body.size()));
  return text.append("\r\n").append(r.body);
}

} // namespace troupe::k8s::rest
