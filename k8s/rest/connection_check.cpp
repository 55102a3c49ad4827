#include "k8s/rest/connection_check.hpp"

#include "k8s/rest/server_address.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::k8s::rest {

namespace {

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

} // namespace

std::string describe_connect_error(int error) {
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

std::string connect_and_describe_error(const std::string& server,
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
  return describe_connect_error(error);
}

} // namespace troupe::k8s::rest
