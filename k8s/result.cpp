#include "k8s/result.hpp"

namespace troupe::k8s {

const char* to_string(ec code) {
  switch (code) {
  case ec::unreachable:
    return "unreachable";
  case ec::timeout:
    return "timeout";
  case ec::overloaded:
    return "overloaded";
  case ec::conflict:
    return "conflict";
  case ec::exists:
    return "exists";
  case ec::not_found:
    return "not_found";
  case ec::expired:
    return "expired";
  case ec::unauthenticated:
    return "unauthenticated";
  case ec::forbidden:
    return "forbidden";
  case ec::invalid:
    return "invalid";
  case ec::server_error:
    return "server_error";
  case ec::garbage:
    return "garbage";
  case ec::too_large:
    return "too_large";
  case ec::cancelled:
    return "cancelled";
  case ec::bug:
    break;
  }
  return "bug";
}

} // namespace troupe::k8s
