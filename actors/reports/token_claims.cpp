#include "actors/reports/token_claims.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

/// Of "HEADER.CLAIMS.SIGNATURE"; null if it is not such a text.
json claims_or_null(std::string_view token) {
  auto first = token.find('.');
  auto second = token.find('.', std::min(first, token.size() - 1) + 1);
  if (first == std::string_view::npos || second == std::string_view::npos
      || token.find('.', second + 1) != std::string_view::npos)
    return nullptr;
  std::string text{token.substr(first + 1, second - first - 1)};
  // As in URLs, and without padding.
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  auto claims = k8s::from_base64(text);
  return claims ? k8s::parse_json_or_null(*claims) : json{};
}

bool is_for(const json& audiences, const std::string& audience) {
  if (audiences.is_array())
    return std::find(audiences.begin(), audiences.end(), audience)
           != audiences.end();
  return audiences == audience;
}

} // namespace

std::string claimed_pod_uid(const std::string& token,
                            const std::string& audience) {
  auto claims = token.empty() ? json{} : claims_or_null(token);
  return is_for(value_at(claims, {"aud"}), audience)
             ? text_at(claims, {"kubernetes.io", "pod", "uid"})
             : "";
}

claim_verdict judge_claim(int status, bool was_taken) {
  switch (status) {
  case 200:
    return claim_verdict::review;
  case 403:
    return claim_verdict::refuse;
  case 404:
    return was_taken ? claim_verdict::review_as_of_gone_job
                     : claim_verdict::refuse;
  default:
    return claim_verdict::later;
  }
}

} // namespace troupe::actors
