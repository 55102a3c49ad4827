#include "k8s/codec/codec_parts.hpp"

#include <algorithm>

namespace troupe::k8s {

namespace {

/// A server that asks for more has its figures wrong.
constexpr std::chrono::hours longest_wait{1};

ec error_code_of_status(int status, std::string_view reason) {
  if (reason == "Timeout")
    return ec::timeout;
  switch (status) {
  case 400:
  case 405:
  case 413:
  case 415:
  case 422:
    return ec::invalid;
  case 401:
    return ec::unauthenticated;
  case 403:
    return ec::forbidden;
  case 404:
    return ec::not_found;
  case 412:
    return ec::conflict;
  case 409:
    return reason == "AlreadyExists" ? ec::exists : ec::conflict;
  case 410:
    return ec::expired;
  case 429:
  case 503:
    return ec::overloaded;
  case 408:
  case 504:
    return ec::timeout;
  default:
    return status >= 500 ? ec::server_error : ec::invalid;
  }
}

} // namespace

std::string printable_excerpt(std::string_view text) {
  constexpr std::size_t most = 120;
  std::string out{text.substr(0, most)};
  for (char& c : out)
    if (auto u = static_cast<unsigned char>(c); u < 0x20 || u > 0x7e)
      c = '?';
  return text.size() > most ? out + "..." : out;
}

std::int32_t int32_or_zero(std::int64_t value) {
  auto small = static_cast<std::int32_t>(value);
  return small == value ? small : 0;
}

pod_phase parse_pod_phase(std::string_view text) {
  if (text == "Running")
    return pod_phase::running;
  if (text == "Succeeded")
    return pod_phase::succeeded;
  if (text == "Failed")
    return pod_phase::failed;
  if (text == "Pending" || text.empty())
    return pod_phase::pending;
  return pod_phase::unknown;
}

void add_pod_ip(pod_state& pod, std::string ip, bool goes_first) {
  auto known = std::find(pod.ips.begin(), pod.ips.end(), ip);
  if (ip.empty() || (known != pod.ips.end() && !goes_first))
    return;
  if (known != pod.ips.end())
    pod.ips.erase(known);
  pod.ips.insert(goes_first ? pod.ips.begin() : pod.ips.end(), std::move(ip));
}

void mark_sidecars(pod_state& pod, const std::vector<std::string>& names) {
  for (auto& c : pod.init_containers)
    c.is_sidecar = std::find(names.begin(), names.end(), c.name) != names.end();
}

result<watch_event::kind> parse_event_type(std::string_view type) {
  using kind = watch_event::kind;
  if (type == "ADDED")
    return kind::added;
  if (type == "MODIFIED")
    return kind::modified;
  if (type == "DELETED")
    return kind::deleted;
  if (type == "BOOKMARK")
    return kind::bookmark;
  if (type == "ERROR")
    return kind::error;
  return failure{ec::garbage,
                 "an unknown watch event \"" + printable_excerpt(type) + "\""};
}

failure failure_of_status(const status_text& status, int http_status) {
  failure f{error_code_of_status(http_status, status.reason),
            "the server answered " + std::to_string(http_status)};
  if (!status.message.empty())
    f.message = status.message;
  if (status.retry_after_seconds > 0)
    f.retry_after = std::min<std::chrono::seconds>(
        std::chrono::seconds{status.retry_after_seconds}, longest_wait);
  return f;
}

} // namespace troupe::k8s
