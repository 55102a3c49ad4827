#include "k8s/rest/server_address.hpp"

#include <algorithm>

namespace troupe::k8s::rest {

server_address parse_server_address(const std::string& url) {
  server_address a;
  a.tls = url.rfind("https:", 0) == 0;
  auto scheme = url.find("://");
  auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  auto end = std::min(url.find('/', begin), url.size());
  a.authority = url.substr(begin, end - begin);
  a.base_path = url.substr(end);
  a.host = a.authority;
  a.port = a.tls ? "443" : "80";
  auto colon = a.authority.rfind(':');
  if (colon != std::string::npos
      && a.authority.find(']', colon) == std::string::npos) {
    a.host = a.authority.substr(0, colon);
    a.port = a.authority.substr(colon + 1);
  }
  if (a.host.size() > 1 && a.host.front() == '[')
    a.host = a.host.substr(1, a.host.size() - 2);
  return a;
}

} // namespace troupe::k8s::rest
