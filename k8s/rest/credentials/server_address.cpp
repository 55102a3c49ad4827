#include "k8s/rest/credentials/server_address.hpp"

#include <algorithm>

namespace troupe::k8s::rest {

namespace {

/// In a URL the '%' before a zone is written "%25".
std::string decode_zone(std::string host) {
  if (auto at = host.find("%25"); at != std::string::npos)
    host.erase(at + 1, 2);
  return host;
}

/// "[fe80::1%25eth0]:6443" without the zone: that is known on our side only.
std::string without_zone(const std::string& authority) {
  auto begin = authority.find('%');
  auto end = authority.find(']');
  if (begin > end || end == std::string::npos)
    return authority;
  return authority.substr(0, begin) + authority.substr(end);
}

} // namespace

server_address parse_server_address_unchecked(const std::string& url) {
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
  if (a.host.size() > 1 && a.host.front() == '[') {
    a.host = decode_zone(a.host.substr(1, a.host.size() - 2));
    a.authority = without_zone(a.authority);
  }
  return a;
}

bool is_usable_server_url(const std::string& url) {
  auto a = parse_server_address_unchecked(url);
  bool scheme = url.rfind("https://", 0) == 0 || url.rfind("http://", 0) == 0;
  bool brackets = a.host.find(':') == std::string::npos
                  || (a.authority.front() == '['
                      && a.authority.find(']') != std::string::npos);
  return scheme && brackets && !a.host.empty() && !a.port.empty()
         && a.port.find_first_not_of("0123456789") == std::string::npos;
}

} // namespace troupe::k8s::rest
