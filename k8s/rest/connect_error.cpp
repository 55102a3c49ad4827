#include "k8s/rest/connect_error.hpp"

#include <cerrno>
#include <cstring>

namespace troupe::k8s::rest {

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

} // namespace troupe::k8s::rest
