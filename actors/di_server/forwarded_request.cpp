#include "actors/di_server/forwarded_request.hpp"

#include "k8s/general/digest.hpp"
#include "k8s/http/access.hpp"
#include "k8s/text.hpp"

#include <charconv>

namespace troupe::actors {

namespace {

/// Each start of another replica is one; only they can make some up.
constexpr std::size_t most_replicas = 10'000;

/// More requests are not on their way at once.
constexpr std::uint64_t most_behind = 1'000;

void append_field(std::string& out, std::string_view field) {
  out += std::to_string(field.size()) + ":";
  out += field;
}

/// All that is signed; of each field the length, so that none can become a part
/// of another one.
std::string signed_text(const k8s::http::request& q, const forwarding& f) {
  std::string out = "troupe di-server 1 ";
  for (const auto& field :
       {f.term, f.replica, std::to_string(f.count), f.client, f.body, q.method,
        q.path, q.header("content-type")})
    append_field(out, field);
  for (const auto& [name, value] : q.query) {
    append_field(out, name);
    append_field(out, value);
  }
  return out;
}

} // namespace

std::string sign_forwarding(std::string_view key, const k8s::http::request& q,
                            const forwarding& f) {
  return k8s::join({f.term, f.replica, std::to_string(f.count), f.client,
                    f.body, k8s::hmac_sha256_hex(key, signed_text(q, f))},
                   " ");
}

std::optional<forwarding>
verify_forwarding_except_body(std::string_view key,
                              const k8s::http::request& head) {
  auto parts =
      k8s::split_without_empty_parts(head.header(forwarded_header), ' ');
  if (key.empty() || parts.size() != 6)
    return std::nullopt;
  forwarding f{parts[0], parts[1], 0, parts[3], parts[4]};
  const auto* end = parts[2].data() + parts[2].size();
  auto [stop, e] = std::from_chars(parts[2].data(), end, f.count);
  if (e != std::errc{} || stop != end || f.count == 0)
    return std::nullopt;
  return k8s::http::equal_in_constant_time(
             parts[5], k8s::hmac_sha256_hex(key, signed_text(head, f)))
             ? std::optional{std::move(f)}
             : std::nullopt;
}

bool taken_counts::take_if_new(const std::string& replica,
                               std::uint64_t count) {
  if (taken_.size() >= most_replicas && taken_.count(replica) == 0)
    return false;
  auto& taken = taken_[replica];
  auto latest = taken.empty() ? 0 : *taken.rbegin();
  if (count + most_behind < latest || !taken.insert(count).second)
    return false;
  while (*taken.begin() + most_behind < *taken.rbegin())
    taken.erase(taken.begin());
  return true;
}

} // namespace troupe::actors
