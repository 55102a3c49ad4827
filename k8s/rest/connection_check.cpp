#include "k8s/rest/connection_check.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::k8s::rest {

namespace {

struct place {
  std::string host;
  std::string port;
};

place parse_server_address(const std::string& server) {
  auto scheme = server.find("://");
  auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  auto text = server.substr(begin, server.find('/', begin) - begin);
  place p{text, server.rfind("https", 0) == 0 ? "443" : "80"};
  auto colon = text.rfind(':');
  if (colon != std::string::npos && text.find(']', colon) == std::string::npos)
    p = {text.substr(0, colon), text.substr(colon + 1)};
  if (p.host.size() > 1 && p.host.front() == '[')
    p.host = p.host.substr(1, p.host.size() - 2);
  return p;
}

/// 0, or the errno of a try to connect.
int try_connect(const addrinfo& to, std::chrono::milliseconds timeout) {
  int fd =
      ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  int error = 0;
  if (::connect(fd, to.ai_addr, to.ai_addrlen) != 0)
    error = errno;
  if (error == EINPROGRESS) {
    pollfd ready{fd, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (::poll(&ready, 1, static_cast<int>(timeout.count())) == 1)
      ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    else
      error = ETIMEDOUT;
  }
  ::close(fd);
  return error;
}

std::string describe_system_error(int error) {
  switch (error) {
  case ECONNREFUSED:
    return "connection refused; is the API server running?";
  case ETIMEDOUT:
    return "no answer to the attempt to connect; is the address right, and "
           "does a firewall let us through?";
  default:
    return std::strerror(error);
  }
}

} // namespace

std::string check_connection(const std::string& server,
                             std::chrono::milliseconds timeout) {
  auto p = parse_server_address(server);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int fault = ::getaddrinfo(p.host.c_str(), p.port.c_str(), &hints, &found);
  if (fault != 0)
    return "the name " + p.host + " is not known (" + ::gai_strerror(fault)
           + ")";
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> all{found, ::freeaddrinfo};
  int error = 0;
  for (auto* one = found; one; one = one->ai_next)
    if (error = try_connect(*one, timeout); error == 0)
      return "";
  return describe_system_error(error);
}

} // namespace troupe::k8s::rest
