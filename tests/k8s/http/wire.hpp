#pragma once

#include "k8s/http/server.hpp"

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

namespace troupe::k8s {

using boost::asio::ip::tcp;

inline std::unique_ptr<http::server> serve(http::handler h, http::limits l = {},
                                           http::access_policy a = {}) {
  auto s = http::listen("127.0.0.1:0", std::move(h), l, std::move(a));
  BOOST_REQUIRE_MESSAGE(s, (s ? "" : s.error().message));
  return std::move(*s);
}

/// A client that sends bytes as they are.
struct wire {
  explicit wire(const http::server& s)
      : wire(s, "127.0.0.1", 0) {}
  /// With an address of this machine, and a bound on what waits in the kernel
  /// for it to be read; 0: none.
  wire(const http::server& s, const std::string& own, int receive_bytes) {
    socket.open(tcp::v4());
    if (receive_bytes > 0)
      socket.set_option(
          boost::asio::socket_base::receive_buffer_size(receive_bytes));
    socket.bind({boost::asio::ip::make_address(own), 0});
    socket.connect({boost::asio::ip::address_v4::loopback(), s.port()});
    timeval limit{20, 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit,
                 sizeof limit);
  }
  void send(const std::string& text) {
    boost::system::error_code cut;
    boost::asio::write(socket, boost::asio::buffer(text), cut);
  }
  /// Reads until `end` was seen or the server closed.
  std::string receive(const std::string& end) {
    boost::system::error_code over;
    while (received.find(end) == std::string::npos && !over) {
      char piece[65536];
      auto n = socket.read_some(boost::asio::buffer(piece), over);
      received.append(piece, n);
    }
    auto cut = received.find(end);
    auto until = cut == std::string::npos ? received.size() : cut + end.size();
    auto out = received.substr(0, until);
    received.erase(0, until);
    return out;
  }
  std::string receive_all() { return receive("\1never\1"); }

  boost::asio::io_context io;
  tcp::socket socket{io};
  std::string received;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace troupe::k8s
