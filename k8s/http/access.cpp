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

response make_status_response(int code, const char* reason,
                              const std::string& message) {
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
std::string truncate_and_quote(std::string_view text) {
  return "\"" + std::string{text.substr(0, 100)} + "\"";
}

// -- Host ---------------------------------------------------------------------

struct host_port {
  std::string name; ///< In lower case, without brackets.
  std::string port; ///< "" if there is none.
};

/// "name", "name:80", "[::1]:80".
std::optional<host_port> parse_host_header(std::string_view text) {
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

bool is_from_this_machine(const connection_ends& e) {
  auto peer = unmap_ipv4(e.peer);
  return peer.is_loopback() || peer == unmap_ipv4(e.here);
}

/// Whether the name is one of ours, that no stranger can have led here.
bool is_host_name_safe_from_rebinding(const connection_ends& e,
                                      const std::string& name) {
  boost::system::error_code no_address;
  auto address = unmap_ipv4(ip::make_address(name, no_address));
  if (unmap_ipv4(e.bound).is_loopback())
    return no_address ? name == "localhost" : address.is_loopback();
  return !no_address || name == "localhost" || name == lower_case(e.host_name)
         || !is_from_this_machine(e);
}

/// How to ask instead, for a message.
std::string suggested_address(const connection_ends& e) {
  auto address =
      unmap_ipv4(unmap_ipv4(e.bound).is_unspecified() ? e.here : e.bound);
  auto text = address.to_string();
  return (address.is_v6() ? "[" + text + "]" : text) + ":"
         + std::to_string(e.port);
}

std::optional<response> refuse_foreign_host(const access_policy& access,
                                            const connection_ends& e,
                                            const request& head) {
  const auto& text = head.header("host");
  auto host = parse_host_header(text);
  if (host && host->port.empty())
    host->port = e.secure ? "443" : "80";
  if (host
      && (is_host_name_safe_from_rebinding(e, host->name)
          || std::find(access.hosts.begin(), access.hosts.end(), host->name)
                 != access.hosts.end())
      && (access.any_port || host->port == std::to_string(e.port)))
    return std::nullopt;
  return make_status_response(
      421, "MisdirectedRequest",
      "the request is for " + truncate_and_quote(text)
          + " (its Host header), which is not this server; ask "
          + suggested_address(e));
}

// -- Origin, token, body ------------------------------------------------------

std::optional<response> refuse_foreign_origin(const connection_ends& e,
                                              const request& head) {
  auto origin = head.headers.find("origin");
  auto own =
      (e.secure ? "https://" : "http://") + lower_case(head.header("host"));
  if (origin == head.headers.end() || lower_case(origin->second) == own)
    return std::nullopt;
  return make_status_response(
      403, "Forbidden",
      "a page of " + truncate_and_quote(origin->second)
          + " (the Origin header) may not use this server");
}

std::optional<response>
refuse_missing_token_or_set_user(const access_policy& access, request& head) {
  std::string_view said = head.header("authorization");
  constexpr std::string_view scheme = "bearer ";
  bool bearer = lower_case(said.substr(0, scheme.size())) == scheme;
  if (bearer)
    said.remove_prefix(scheme.size());
  if (access.token.empty()
      || (bearer && equal_in_constant_time(said, access.token))) {
    head.user = access.token_user;
    return std::nullopt;
  }
  if (bearer && access.find_user_by_token)
    head.user = access.find_user_by_token(said);
  if (head.user)
    return std::nullopt;
  if ((head.method == "GET" || head.method == "HEAD")
      && std::find(access.public_paths.begin(), access.public_paths.end(),
                   head.path)
             != access.public_paths.end())
    return std::nullopt;
  auto r = make_status_response(
      401, "Unauthorized",
      "the bearer token of this server is required; it is in "
          + access.token_place);
  r.headers["WWW-Authenticate"] = "Bearer";
  return r;
}

std::optional<response> refuse_unknown_content_type(const access_policy& access,
                                                    const request& head) {
  const auto& known = head.method == "PATCH" ? access.patch_media_types
                                             : access.body_media_types;
  if (known.empty())
    return std::nullopt;
  std::string_view said = head.header("content-type");
  auto type = lower_case(trim_blanks(said.substr(0, said.find(';'))));
  if (std::find(known.begin(), known.end(), type) != known.end())
    return std::nullopt;
  return make_status_response(
      415, "UnsupportedMediaType",
      (said.empty() ? std::string{"the body of the request has no Content-Type"}
                    : "the body of the request was in an unknown format ("
                          + truncate_and_quote(said) + ")")
          + " - accepted media types include: " + join(known, ", "));
}

} // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  volatile unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs = static_cast<unsigned char>(
        differs | (a[i] ^ (b.empty() ? '\0' : b[i % b.size()])));
  return differs == 0;
}

ip::address unmap_ipv4(const ip::address& a) {
  return a.is_v6() && a.to_v6().is_v4_mapped()
             ? ip::make_address_v4(ip::v4_mapped, a.to_v6())
             : a;
}

std::optional<response> refuse_access_or_set_user(const access_policy& access,
                                                  const connection_ends& ends,
                                                  request& head,
                                                  bool has_body) {
  if (access.tls_only && !ends.secure)
    return make_status_response(400, "BadRequest",
                                "this server takes https only");
  if (!access.server_certificate.certificate.empty() && !ends.secure
      && !is_from_this_machine(ends))
    return make_status_response(
        400, "BadRequest",
        "this server takes plain HTTP from its own machine only; use "
        "https");
  if (auto no = refuse_foreign_host(access, ends, head))
    return no;
  if (auto no = refuse_foreign_origin(ends, head))
    return no;
  if (auto no = refuse_missing_token_or_set_user(access, head))
    return no;
  return has_body ? refuse_unknown_content_type(access, head) : std::nullopt;
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
