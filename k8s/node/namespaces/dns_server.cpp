#include "k8s/node/namespaces/dns_server.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace troupe::k8s::node {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;

namespace {

constexpr std::size_t most_message_bytes = 65'535;
constexpr std::size_t most_datagram_bytes = 4096;
constexpr std::chrono::seconds idle_limit{30};
constexpr std::chrono::milliseconds accept_pause{100};

} // namespace

/// One connection: queries with their lengths before them, one after the other.
class dns_server::tcp_client : public std::enable_shared_from_this<tcp_client> {
public:
  tcp_client(dns_server& server, tcp::socket s)
      : server_(server)
      , alive_(server.alive_)
      , socket_(std::move(s))
      , idle_(socket_.get_executor()) {
    ++server_.clients_;
  }
  ~tcp_client() {
    if (*alive_)
      --server_.clients_;
  }
  tcp_client(const tcp_client&) = delete;
  tcp_client& operator=(const tcp_client&) = delete;

  void read_length() {
    idle_.expires_after(idle_limit);
    idle_.async_wait([self = shared_from_this()](auto error) {
      boost::system::error_code ignored;
      if (error)
        return;
      self->socket_.close(ignored);
      self->waiting_ = nullptr;
    });
    asio::async_read(socket_, asio::buffer(length_),
                     [self = shared_from_this()](auto error, std::size_t) {
                       error ? self->release_itself() : self->read_message();
                     });
  }

private:
  void read_message() {
    message_.resize(static_cast<std::size_t>(length_[0] << 8 | length_[1]));
    asio::async_read(socket_, asio::buffer(message_),
                     [self = shared_from_this()](auto error, std::size_t) {
                       error ? self->release_itself() : self->answer_query();
                     });
  }

  void answer_query() {
    waiting_ = shared_from_this(); // Nobody else has it until the answer.
    if (*alive_)
      server_.answer_query(
          message_, false, [weak = weak_from_this()](const std::string& text) {
            if (auto self = weak.lock(); self && self->waiting_)
              self->write_response(text);
          });
  }

  void write_response(const std::string& text) {
    auto kept = std::exchange(waiting_, nullptr);
    message_ = std::string{static_cast<char>(text.size() >> 8 & 0xff),
                           static_cast<char>(text.size() & 0xff)}
               + text;
    asio::async_write(socket_, asio::buffer(message_),
                      [self = shared_from_this()](auto error, std::size_t) {
                        error ? self->release_itself() : self->read_length();
                      });
  }

  void release_itself() {
    idle_.cancel();
    waiting_ = nullptr;
  }

  dns_server& server_;
  std::shared_ptr<bool> alive_;
  tcp::socket socket_;
  asio::steady_timer idle_;
  std::array<unsigned char, 2> length_{};
  std::string message_;
  std::shared_ptr<tcp_client> waiting_;
};

dns_server::dns_server(asio::io_context& io, unique_descriptor udp,
                       unique_descriptor tcp)
    : udp_(io, udp::v4(), udp.release())
    , tcp_(io, tcp::v4(), tcp.release())
    , pause_(io) {
  receive_datagrams();
  accept_tcp_clients();
}

dns_server::~dns_server() {
  *alive_ = false;
}

void dns_server::receive_datagrams() {
  udp_.async_receive_from(
      asio::buffer(block_), peer_,
      [this, alive = alive_](boost::system::error_code error, std::size_t n) {
        if (!*alive || error == asio::error::operation_aborted)
          return;
        if (!error)
          answer_query({block_.data(), n}, true,
                       [this, alive, to = peer_](const std::string& text) {
                         boost::system::error_code ignored;
                         if (*alive)
                           udp_.send_to(asio::buffer(text), to, 0, ignored);
                       });
        receive_datagrams();
      });
}

void dns_server::accept_tcp_clients() {
  tcp_.async_accept(
      [this, alive = alive_](boost::system::error_code error, tcp::socket s) {
        if (!*alive || error == asio::error::operation_aborted)
          return;
        if (error)
          return accept_after_pause();
        if (clients_ < most_clients) // Else it is closed.
          std::make_shared<tcp_client>(*this, std::move(s))->read_length();
        accept_tcp_clients();
      });
}

/// There may be no descriptor left, and the client is still there.
void dns_server::accept_after_pause() {
  pause_.expires_after(accept_pause);
  pause_.async_wait([this, alive = alive_](boost::system::error_code error) {
    if (*alive && !error)
      accept_tcp_clients();
  });
}

void dns_server::answer_query(const std::string& message, bool is_datagram,
                              response_handler respond) {
  auto query = parse_dns_query(message);
  if (!query)
    return;
  auto found = zone_.find_answer(*query);
  auto limit = is_datagram ? std::min(query->limit, most_datagram_bytes)
                           : most_message_bytes;
  auto own = make_dns_response(
      *query, found ? *found : dns_answer{dns_code::server_failure}, limit);
  if (!found && forward_ && forwarded_ < most_forwarded)
    forward_query(message, own, std::move(respond));
  else
    respond(std::move(own));
}

void dns_server::forward_query(const std::string& message,
                               const std::string& fallback,
                               response_handler respond) {
  ++forwarded_;
  forward_(message, [this, alive = alive_, fallback,
                     respond = std::move(respond)](std::string text) {
    if (*alive)
      --forwarded_;
    respond(text.empty() ? fallback : text);
  });
}

} // namespace troupe::k8s::node
