#include "k8s/http/server.hpp"

#include "k8s/http/connection.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include <charconv>
#include <future>
#include <list>
#include <unistd.h>

namespace troupe::k8s::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

result<std::shared_ptr<asio::ssl::context>>
make_tls_context(const certificate_pair& pair) {
  namespace ssl = asio::ssl;
  boost::system::error_code why;
  auto tls = std::make_shared<ssl::context>(ssl::context::tls_server);
  tls->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, why);
  // Of clients that say nothing, and of those that have left, little is kept.
  SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(tls->native_handle(), SSL_SESS_CACHE_OFF);
  tls->use_certificate_chain(asio::buffer(pair.certificate), why);
  if (!why)
    tls->use_private_key(asio::buffer(pair.key), ssl::context::pem, why);
  if (why)
    return failure{ec::invalid, "cannot use the certificate: " + why.message()};
  return tls;
}

class beast_server : public server {
public:
  beast_server(handler h, limits l, access_policy access)
      : server_(std::move(h), l, std::move(access)) {
    server_.executor->io = &io_;
  }

  ~beast_server() override {
    if (thread_.joinable()) {
      asio::post(io_, [this] { close_connections_and_stop(); });
      thread_.join();
    }
    std::lock_guard guard{server_.executor->lock};
    server_.executor->io = nullptr;
  }

  result<nothing> use_certificate(const certificate_pair& pair) override {
    auto made = make_tls_context(pair);
    if (!made)
      return made.error();
    // Connections keep OpenSSL's part of the context that they began with.
    server_.executor->dispatch(
        [this, tls = std::move(*made)] { server_.tls = tls; });
    return nothing{};
  }

  void require_token(std::string token) override {
    server_.executor->dispatch([this, token = std::move(token)]() mutable {
      server_.access.token = std::move(token);
    });
  }

  result<nothing> add_listening_socket(int socket) override {
    tcp::acceptor further{io_};
    boost::system::error_code why;
    further.assign(tcp::v4(), socket, why);
    if (why) {
      ::close(socket);
      return failure{ec::invalid, "cannot listen: " + why.message()};
    }
    server_.executor->dispatch(
        [this, taken = std::make_shared<tcp::acceptor>(std::move(further))] {
          accept_clients(listeners_.emplace_back(std::move(*taken)));
        });
    return nothing{};
  }

  boost::system::error_code bind_and_listen(const tcp::endpoint& e) {
    boost::system::error_code why;
    auto& acceptor = listeners_.emplace_back(tcp::acceptor{io_}).acceptor;
    acceptor.open(e.protocol(), why);
    if (!why)
      acceptor.set_option(tcp::acceptor::reuse_address(true), why);
    if (!why && e.protocol() == tcp::v6() && e.address().is_unspecified())
      acceptor.set_option(asio::ip::v6_only(false), why);
    if (!why)
      acceptor.bind(e, why);
    if (!why)
      acceptor.listen(asio::socket_base::max_listen_connections, why);
    if (why) {
      listeners_.clear();
      return why;
    }
    auto own = acceptor.local_endpoint();
    port_ = own.port();
    server_.ends.bound = own.address();
    server_.ends.port = port_;
    server_.ends.host_name = asio::ip::host_name(why);
    return {};
  }

  void start_thread_and_accept() {
    accept_clients(listeners_.front());
    thread_ = std::thread{[this] {
      server_.executor->thread = std::this_thread::get_id();
      run_io_context_despite_exceptions();
    }};
  }

  std::uint16_t port() const override { return port_; }

  void drain(std::chrono::milliseconds limit) override {
    auto all_closed = std::make_shared<std::promise<void>>();
    auto done = all_closed->get_future();
    asio::post(io_, [this, all_closed] {
      stop_accepting_and_close_when_answered(all_closed);
    });
    done.wait_for(limit);
  }

  void post(std::function<void()> task) override {
    asio::post(io_, std::move(task));
  }

  void post_after(std::chrono::milliseconds delay,
                  std::function<void()> task) override {
    asio::post(io_, [this, delay, task = std::move(task)]() mutable {
      auto t = std::make_shared<asio::steady_timer>(io_, delay);
      t->async_wait([t, task = std::move(task)](auto e) {
        if (!e)
          task();
      });
    });
  }

private:
  void run_io_context_despite_exceptions() {
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception&) {
        // A posted task or a `gone` threw: the others continue.
      }
    }
  }

  struct listener {
    explicit listener(tcp::acceptor a)
        : acceptor(std::move(a))
        , pause_timer(acceptor.get_executor()) {}

    tcp::acceptor acceptor;
    asio::steady_timer pause_timer;
  };

  void accept_clients(listener& l) {
    l.acceptor.async_accept([this, &l](const auto& e, tcp::socket s) {
      if (e == asio::error::operation_aborted)
        return;
      if (e) // Most likely out of file descriptors; some will be freed.
        return accept_after_pause(l);
      serve_or_reject_connection(std::move(s));
      accept_clients(l);
    });
  }

  void accept_after_pause(listener& l) {
    l.pause_timer.expires_after(std::chrono::milliseconds{100});
    l.pause_timer.async_wait([this, &l](const auto& e) {
      if (!e)
        accept_clients(l);
    });
  }

  void serve_or_reject_connection(tcp::socket s) {
    boost::system::error_code gone;
    auto client = s.remote_endpoint(gone).address();
    if (gone)
      return;
    bool room = make_room_for_connection(unmap_ipv4(client));
    auto c = std::make_shared<connection>(std::move(s), server_);
    room ? c->start_serving() : c->reject_over_limit();
  }

  bool make_room_for_connection(const asio::ip::address& client) {
    for (;;) {
      auto room = server_.shares.room_for_connection(client);
      if (!room.close_first)
        return room.there;
      server_.present.at(*room.close_first)->close_to_make_room();
    }
  }

  std::vector<connection*> connections_present() const {
    std::vector<connection*> all;
    for (const auto& [number, c] : server_.present)
      all.push_back(c);
    return all;
  }

  void stop_accepting() {
    boost::system::error_code ignored;
    for (auto& l : listeners_) {
      l.acceptor.close(ignored);
      l.pause_timer.cancel();
    }
  }

  void stop_accepting_and_close_when_answered(
      const std::shared_ptr<std::promise<void>>& all_closed) {
    stop_accepting();
    if (server_.present.empty()) {
      all_closed->set_value();
      return;
    }
    server_.on_last_closed = [all_closed] { all_closed->set_value(); };
    for (auto* c : connections_present())
      c->close_after_reply();
  }

  void close_connections_and_stop() {
    stop_accepting();
    for (auto* c : connections_present())
      c->close();
    // After what close() has posted.
    asio::post(io_, [this] { io_.stop(); });
  }

  server_context server_; // Outlives the connections, which io_ owns.
  asio::io_context io_{1};
  std::list<listener> listeners_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

failure listen_address_error(const std::string& address,
                             const std::string& why) {
  return {ec::invalid,
          "cannot listen on \"" + address + "\": " + why
              + "; write it as 127.0.0.1:8080, [::1]:8080, or :8080 "
                "for all interfaces"};
}

result<tcp::endpoint> resolve_listen_address(const std::string& address) {
  auto colon = address.rfind(':');
  if (colon == address.npos)
    return listen_address_error(address, "there is no port");
  std::uint16_t port = 0;
  const char* end = address.data() + address.size();
  auto [stop, e] = std::from_chars(address.data() + colon + 1, end, port);
  if (e != std::errc{} || stop != end)
    return listen_address_error(address,
                                "the port is not a number from 0 to 65535");
  auto host = address.substr(0, colon);
  if (host.empty())
    return tcp::endpoint{tcp::v6(), port};
  if (host == "localhost")
    host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return listen_address_error(address, "an IPv6 address needs brackets");
  boost::system::error_code bad;
  auto ip = asio::ip::make_address(host, bad);
  if (!bad)
    return tcp::endpoint{ip, port};
  asio::io_context io;
  auto found = tcp::resolver{io}.resolve(host, "", bad);
  if (bad || found.empty())
    return listen_address_error(address,
                                "the host is no IP address, and no name "
                                "that is known here");
  return tcp::endpoint{found.begin()->endpoint().address(), port};
}

} // namespace

result<std::unique_ptr<server>> listen(const std::string& address, handler h,
                                       limits l, access_policy access) {
  auto where = resolve_listen_address(address);
  if (!where)
    return where.error();
  auto pair = access.server_certificate;
  auto s = std::make_unique<beast_server>(std::move(h), l, std::move(access));
  if (!pair.certificate.empty())
    if (auto used = s->use_certificate(pair); !used)
      return used.error();
  auto why = s->bind_and_listen(*where);
  // A machine without IPv6: all interfaces are those of IPv4.
  if (why && address.front() == ':')
    why = s->bind_and_listen({tcp::v4(), where->port()});
  if (why == asio::error::address_in_use)
    return failure{ec::invalid,
                   "cannot listen on " + address
                       + ": another program uses this port; stop it "
                         "or choose another port (0 for any)"};
  if (why == boost::system::errc::address_not_available)
    return failure{ec::invalid, "cannot listen on " + address
                                    + ": this machine does not have this "
                                      "address; :PORT is for all that it has"};
  if (why)
    return failure{ec::invalid,
                   "cannot listen on " + address + ": " + why.message()};
  s->start_thread_and_accept();
  return std::unique_ptr<server>{std::move(s)};
}

} // namespace troupe::k8s::http
