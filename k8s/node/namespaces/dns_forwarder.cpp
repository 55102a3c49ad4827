#include "k8s/node/namespaces/dns_forwarder.hpp"

#include <boost/asio/steady_timer.hpp>

#include <sstream>

namespace troupe::k8s::node {

namespace asio = boost::asio;
using asio::ip::udp;

namespace {

constexpr std::chrono::seconds answer_limit{3};

/// One query on its way. Keeps itself alive by its handlers.
class forwarded_query : public std::enable_shared_from_this<forwarded_query> {
public:
  forwarded_query(asio::io_context& io, std::vector<std::string> servers,
                  std::uint16_t port, std::string message,
                  dns_server::response_handler respond)
      : servers_(std::move(servers))
      , port_(port)
      , message_(std::move(message))
      , respond_(std::move(respond))
      , socket_(io)
      , timer_(io) {}

  void query_next_server_or_give_up() {
    boost::system::error_code error;
    socket_.close(error);
    if (!respond_)
      return;
    if (next_ >= servers_.size())
      return respond_once({});
    error.clear();
    udp::endpoint to{asio::ip::make_address(servers_[next_++], error), port_};
    if (!error)
      socket_.open(to.protocol(), error);
    if (!error)
      socket_.connect(to, error);
    if (!error)
      socket_.send(asio::buffer(message_), 0, error);
    if (error)
      return query_next_server_or_give_up();
    socket_.async_receive(asio::buffer(block_),
                          [self = shared_from_this()](auto e, std::size_t n) {
                            if (e == asio::error::operation_aborted)
                              return;
                            self->timer_.cancel();
                            e ? self->query_next_server_or_give_up()
                              : self->respond_once({self->block_.data(), n});
                          });
    timer_.expires_after(answer_limit);
    timer_.async_wait([self = shared_from_this()](auto e) {
      if (!e)
        self->query_next_server_or_give_up();
    });
  }

private:
  /// Once: the timer may have come in the same turn as the answer.
  void respond_once(std::string message) {
    if (auto handle = std::exchange(respond_, nullptr))
      handle(std::move(message));
  }

  std::vector<std::string> servers_;
  std::uint16_t port_;
  std::size_t next_ = 0;
  std::string message_;
  dns_server::response_handler respond_;
  udp::socket socket_;
  asio::steady_timer timer_;
  std::array<char, 4096> block_;
};

} // namespace

std::vector<std::string> parse_name_servers(const std::string& resolv_conf) {
  std::vector<std::string> out;
  std::istringstream lines{resolv_conf};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string key;
    std::string address;
    boost::system::error_code wrong;
    if (words >> key >> address && key == "nameserver") {
      asio::ip::make_address(address, wrong);
      if (!wrong)
        out.push_back(address);
    }
  }
  return out;
}

dns_server::forwarder make_dns_forwarder(asio::io_context& io,
                                         std::vector<std::string> servers,
                                         std::uint16_t port) {
  return [&io, servers = std::move(servers), port](
             const std::string& query, dns_server::response_handler respond) {
    std::make_shared<forwarded_query>(io, servers, port, query,
                                      std::move(respond))
        ->query_next_server_or_give_up();
  };
}

} // namespace troupe::k8s::node
