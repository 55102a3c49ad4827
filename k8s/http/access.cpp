#include "k8s/http/access.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/random.h>

namespace troupe::k8s::http {

namespace {

namespace ip = boost::asio::ip;

/// The value of a header, or "".
std::string_view header(const request& r, const char* name) {
  auto i = r.headers.find(name);
  return i == r.headers.end() ? std::string_view{} : i->second;
}

response status(int code, const char* reason, const std::string& message) {
  response r;
  r.status = code;
  json body{
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
      {"status", "Failure"}, {"message", message}, {"reason", reason},
      {"code", code}};
  r.body = to_text(body) + "\n";
  return r;
}

/// As much of a stranger's text as belongs into a message.
std::string in_quotes(std::string_view text) {
  return "\"" + std::string{text.substr(0, 100)} + "\"";
}

// -- Host ---------------------------------------------------------------------

struct host_port {
  std::string name; ///< In lower case, without brackets.
  std::string port; ///< "" if there is none.
};

/// "name", "name:80", "[::1]:80".
std::optional<host_port> read_host(std::string_view text) {
  host_port out;
  auto end = text.size();
  if (!text.empty() && text[0] == '[') {
    auto close = text.find(']');
    if (close == text.npos)
      return std::nullopt;
    out.name = lower_case(text.substr(1, close - 1));
    end = close + 1;
  } else {
    end = std::min(text.find(':'), text.size());
    out.name = lower_case(text.substr(0, end));
    if (out.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._")
        != out.name.npos)
      return std::nullopt;
  }
  auto rest = text.substr(end);
  if (!rest.empty()) {
    if (rest[0] != ':' || rest.size() < 2
        || rest.find_first_not_of("0123456789", 1) != rest.npos)
      return std::nullopt;
    out.port = rest.substr(1);
  }
  return out.name.empty() ? std::nullopt : std::optional{out};
}

bool is_from_here(const connection_ends& e) {
  auto peer = unmap_ipv4(e.peer);
  return peer.is_loopback() || peer == unmap_ipv4(e.here);
}

/// Whether the name is one of ours, that no stranger can have led here.
bool is_allowed_host_name(const connection_ends& e, const std::string& name) {
  boost::system::error_code no_address;
  auto address = unmap_ipv4(ip::make_address(name, no_address));
  if (unmap_ipv4(e.bound).is_loopback())
    return no_address ? name == "localhost" : address.is_loopback();
  return !no_address || name == "localhost" || name == lower_case(e.host_name)
         || !is_from_here(e);
}

/// How to ask instead, for a message.
std::string address_to_ask_instead(const connection_ends& e) {
  auto address =
      unmap_ipv4(unmap_ipv4(e.bound).is_unspecified() ? e.here : e.bound);
  auto text = address.to_string();
  return (address.is_v6() ? "[" + text + "]" : text) + ":"
         + std::to_string(e.port);
}

std::optional<response> check_host(const access_policy& who,
                                   const connection_ends& e,
                                   const request& head) {
  auto text = header(head, "host");
  auto host = read_host(text);
  if (host && host->port.empty())
    host->port = e.secure ? "443" : "80";
  if (host
      && (is_allowed_host_name(e, host->name)
          || std::find(who.hosts.begin(), who.hosts.end(), host->name)
                 != who.hosts.end())
      && (who.any_port || host->port == std::to_string(e.port)))
    return std::nullopt;
  return status(421, "MisdirectedRequest",
                "the request is for " + in_quotes(text)
                    + " (its Host header), which is not this server; ask "
                    + address_to_ask_instead(e));
}

// -- Origin, token, body ------------------------------------------------------

std::optional<response> check_origin(const connection_ends& e,
                                     const request& head) {
  auto origin = head.headers.find("origin");
  auto own =
      (e.secure ? "https://" : "http://") + lower_case(header(head, "host"));
  if (origin == head.headers.end() || lower_case(origin->second) == own)
    return std::nullopt;
  return status(403, "Forbidden",
                "a page of " + in_quotes(origin->second)
                    + " (the Origin header) may not use this server");
}

/// Takes as long whatever the difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  volatile unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs = static_cast<unsigned char>(
        differs | (a[i] ^ (b.empty() ? '\0' : b[i % b.size()])));
  return differs == 0;
}

std::optional<response> check_token(const access_policy& who, request& head) {
  auto said = header(head, "authorization");
  constexpr std::string_view scheme = "bearer ";
  bool bearer = lower_case(said.substr(0, scheme.size())) == scheme;
  if (bearer)
    said.remove_prefix(scheme.size());
  if (who.token.empty()
      || (bearer && equal_in_constant_time(said, who.token))) {
    head.user = who.token_user;
    return std::nullopt;
  }
  if (bearer && who.find_user)
    head.user = who.find_user(said);
  if (head.user)
    return std::nullopt;
  if ((head.method == "GET" || head.method == "HEAD")
      && std::find(who.public_paths.begin(), who.public_paths.end(), head.path)
             != who.public_paths.end())
    return std::nullopt;
  auto r = status(401, "Unauthorized",
                  "the bearer token of this server is required; it is in "
                      + who.token_place);
  r.headers["WWW-Authenticate"] = "Bearer";
  return r;
}

std::optional<response> check_content_type(const access_policy& who,
                                           const request& head) {
  const auto& known = head.method == "PATCH" ? who.patches : who.bodies;
  if (known.empty())
    return std::nullopt;
  auto said = header(head, "content-type");
  auto type = lower_case(said.substr(0, said.find(';')));
  type.erase(type.find_last_not_of(" \t") + 1);
  if (std::find(known.begin(), known.end(), type) != known.end())
    return std::nullopt;
  return status(
      415, "UnsupportedMediaType",
      (said.empty() ? std::string{"the body of the request has no Content-Type"}
                    : "the body of the request was in an unknown format ("
                          + in_quotes(said) + ")")
          + " - accepted media types include: " + join(known, ", "));
}

} // namespace

ip::address unmap_ipv4(const ip::address& a) {
  return a.is_v6() && a.to_v6().is_v4_mapped()
             ? ip::make_address_v4(ip::v4_mapped, a.to_v6())
             : a;
}

std::optional<response> check_access(const access_policy& who,
                                     const connection_ends& between,
                                     request& head, bool has_body) {
  if (who.tls_only && !between.secure)
    return status(400, "BadRequest", "this server takes https only");
  if (!who.self.certificate.empty() && !between.secure
      && !is_from_here(between))
    return status(400, "BadRequest",
                  "this server takes plain HTTP from its own machine only; use "
                  "https");
  if (auto no = check_host(who, between, head))
    return no;
  if (auto no = check_origin(between, head))
    return no;
  if (auto no = check_token(who, head))
    return no;
  return has_body ? check_content_type(who, head) : std::nullopt;
}

result<std::string> make_bearer_token() {
  std::array<unsigned char, 32> bytes{};
  for (std::size_t got = 0; got < bytes.size();) {
    auto n = ::getrandom(bytes.data() + got, bytes.size() - got, 0);
    if (n < 0 && errno != EINTR)
      return failure{ec::bug, std::string{"no random bytes from the kernel: "}
                                  + std::strerror(errno)};
    got += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string token;
  for (auto b : bytes) {
    token += digits[b >> 4];
    token += digits[b & 15];
  }
  return token;
}

} // namespace troupe::k8s::http
