#include "k8s/rest/credentials/proxy_choice.hpp"

#include "k8s/general/addresses.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/rest/credentials/server_address.hpp"
#include "k8s/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <vector>

namespace troupe::k8s::rest {

namespace {

using boost::asio::ip::address;

std::optional<address> parse_address(const std::string& text) {
  boost::system::error_code e;
  auto a = boost::asio::ip::make_address(text, e);
  if (e)
    return std::nullopt;
  return a;
}

/// Its bytes; an IPv4 address in IPv6 is one of IPv4.
std::vector<unsigned char> bytes_of(const address& a) {
  if (a.is_v6() && !a.to_v6().is_v4_mapped()) {
    auto b = a.to_v6().to_bytes();
    return {b.begin(), b.end()};
  }
  auto b =
      a.is_v4()
          ? a.to_v4().to_bytes()
          : make_address_v4(boost::asio::ip::v4_mapped, a.to_v6()).to_bytes();
  return {b.begin(), b.end()};
}

std::optional<std::size_t> parse_number(const std::string& text) {
  std::size_t n = 0;
  auto end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return n;
}

/// Whether `network` is "10.0.0.0/8" or the like, and the address in it;
/// nullopt if it is no network.
std::optional<bool> is_in_network(const address& a,
                                  const std::string& network) {
  auto slash = network.find('/');
  if (slash == std::string::npos)
    return std::nullopt;
  auto base = parse_address(network.substr(0, slash));
  auto bits = parse_number(network.substr(slash + 1));
  if (!base || !bits)
    return std::nullopt;
  auto of_base = bytes_of(*base);
  auto of_a = bytes_of(a);
  if (of_base.size() != of_a.size() || *bits > of_a.size() * 8)
    return false;
  for (std::size_t i = 0; i < *bits; ++i) {
    auto mask = 0x80u >> (i % 8);
    if (((of_base[i / 8] ^ of_a[i / 8]) & mask) != 0)
      return false;
  }
  return true;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size()
         && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Whether one entry of NO_PROXY names this host and port.
bool is_named_by_no_proxy_entry(std::string entry, const std::string& host,
                                const std::optional<address>& as_address,
                                const std::string& port) {
  if (entry == "*")
    return true;
  if (as_address)
    if (auto inside = is_in_network(*as_address, entry))
      return *inside;
  // A port at the end, but not of an IPv6 address without brackets.
  if (!parse_address(entry)) {
    auto colon = entry.rfind(':');
    if (colon != std::string::npos
        && entry.find(']', colon) == std::string::npos) {
      if (entry.substr(colon + 1) != port)
        return false;
      entry.erase(colon);
    }
  }
  if (entry.size() > 1 && entry.front() == '[' && entry.back() == ']')
    entry = entry.substr(1, entry.size() - 2);
  if (auto other = parse_address(entry))
    return as_address && bytes_of(*other) == bytes_of(*as_address);
  if (entry.rfind("*.", 0) == 0)
    entry.erase(0, 1);
  if (entry.empty())
    return false;
  if (entry.front() == '.')
    return ends_with(host, entry);
  return host == entry || ends_with(host, "." + entry);
}

std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      auto* from = text.data() + i + 1;
      auto [end, error] = std::from_chars(from, from + 2, byte, 16);
      if (error == std::errc{} && end == from + 2) {
        out += static_cast<char>(byte);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

std::string first_set_variable(const char* upper, const char* lower) {
  for (const char* name : {upper, lower})
    if (const char* value = std::getenv(name); value && *value)
      return value;
  return "";
}

} // namespace

result<proxy_address> parse_proxy_url(const std::string& url) {
  auto invalid = [](const std::string& what) {
    return failure{ec::invalid, what};
  };
  auto scheme = url.find("://");
  auto rest = scheme == std::string::npos ? url : url.substr(scheme + 3);
  if (scheme != std::string::npos && url.substr(0, scheme) != "http")
    return invalid("a proxy of the kind " + url.substr(0, scheme)
                   + ":// is not supported; name one with http://HOST:PORT");
  rest.erase(std::min(rest.find('/'), rest.size()));
  proxy_address p;
  if (auto at = rest.rfind('@'); at != std::string::npos) {
    auto login = rest.substr(0, at);
    rest.erase(0, at + 1);
    auto colon = std::min(login.find(':'), login.size());
    p.user = percent_decoded(login.substr(0, colon));
    p.password =
        percent_decoded(login.substr(std::min(colon + 1, login.size())));
    p.authorization = "Basic " + to_base64(p.user + ":" + p.password);
  }
  if (rest.find_first_of(" \t\r\n\"<>?#") != std::string::npos
      || !is_usable_server_url("http://" + rest))
    return invalid("a proxy must be http://HOST:PORT or "
                   "http://USER:PASSWORD@HOST:PORT");
  auto a = parse_server_address_unchecked("http://" + rest);
  p.host = a.host;
  p.port = a.port;
  p.name = a.authority;
  return p;
}

proxy_environment read_proxy_environment() {
  return {first_set_variable("HTTPS_PROXY", "https_proxy"),
          first_set_variable("NO_PROXY", "no_proxy")};
}

std::string choose_proxy(const std::string& server_url,
                         const proxy_environment& environment) {
  auto a = parse_server_address_unchecked(server_url);
  if (!a.tls || environment.https_proxy.empty())
    return "";
  auto host = lower_case(a.certificate_name());
  auto as_address = parse_address(host);
  if (is_localhost_or_loopback(host))
    return "";
  for (const auto& entry : split_without_empty_parts(environment.no_proxy, ','))
    if (auto one = lower_case(trim_blanks(entry));
        !one.empty()
        && is_named_by_no_proxy_entry(one, host, as_address, a.port))
      return "";
  return environment.https_proxy;
}

} // namespace troupe::k8s::rest
