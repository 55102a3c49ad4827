#include "k8s/rest/server_endpoint.hpp"

#include "k8s/request_counts.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <stdexcept>

namespace troupe::k8s::rest {

namespace asio = boost::asio;

namespace {

std::optional<proxy_address> parse_proxy_or_throw(const client_config& config) {
  if (config.proxy_url.empty())
    return std::nullopt;
  auto proxy = parse_proxy_url(config.proxy_url);
  if (!proxy)
    throw std::invalid_argument{proxy.error().message};
  return std::move(*proxy);
}

} // namespace

server_endpoint::server_endpoint(const client_config& config,
                                 const credential& cred)
    : server(config.server)
    , address(parse_server_address_unchecked(config.server))
    , expected_name(config.tls_server_name.empty() ? address.certificate_name()
                                                   : config.tls_server_name)
    , proxy(parse_proxy_or_throw(config))
    , terms(config, cred) {
  if (!is_usable_server_url(config.server))
    throw std::invalid_argument{"it must be https://HOST:PORT"};
  if (address.tls)
    terms.configure_context(tls_);
}

std::string server_endpoint::format_request(const request& r,
                                            const std::string& token) const {
  std::string text;
  text.reserve(512 + token.size() + r.path.size() + r.body.size());
  auto header = [&](const char* name, const std::string& value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  text.append(http_method(r.method)).append(" ");
  text.append(address.base_path).append(r.path).append(" HTTP/1.1\r\n");
  header("Host", address.authority);
  header("Accept", r.accept.empty() ? "application/json" : r.accept);
  header("User-Agent", "troupe"); // Shows up in managedFields.
  if (!token.empty())
    header("Authorization", "Bearer " + token);
  if (!r.body.empty())
    header("Content-Type",
           r.content_type.empty() ? "application/json" : r.content_type);
  if (!r.body.empty() || r.method == verb::create || r.method == verb::update
      || r.method == verb::patch)
    header("Content-Length", std::to_string(r.body.size()));
  return text.append("\r\n").append(r.body);
}

bool is_closed_by_peer(boost::system::error_code e) {
  return e == asio::error::eof || e == asio::error::connection_reset
         || e == asio::error::connection_aborted
         || e == asio::error::broken_pipe
         || e == asio::ssl::error::stream_truncated;
}

} // namespace troupe::k8s::rest
