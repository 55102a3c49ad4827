#include "actors/webhook/webhook_certificates.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/http/certificate_reader.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using k8s::time_point;
using k8s::http::certificate_info;

// Clocks of API servers may be this much behind ours.
constexpr std::chrono::hours clock_skew{1};

bool is_valid_at(const certificate_info& c, time_point now) {
  return c.not_before <= now && now < c.not_after;
}

/// Whether two thirds of the life are over, or with jitter a bit less.
bool is_renewal_due(const certificate_info& c, std::chrono::seconds life,
                    double jitter, time_point now) {
  std::chrono::duration<double> left = c.not_after - now;
  std::chrono::duration<double> whole = life;
  return left <= whole * (1.0 / 3 + jitter / 30);
}

/// The authorities that are valid now, the current one first.
std::vector<certificate_info>
valid_authorities(const webhook_certificates& stored, time_point now) {
  auto all = k8s::http::read_certificates(stored.authorities);
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const certificate_info& c) {
                             return !c.is_authority || !is_valid_at(c, now);
                           }),
            all.end());
  return all;
}

/// The one that can sign, or null.
const certificate_info*
signing_authority(const webhook_certificates& stored,
                  const std::vector<certificate_info>& valid) {
  bool can_sign = !valid.empty()
                  && k8s::http::key_matches_certificate(
                      {valid[0].pem, stored.authority_key});
  return can_sign ? &valid[0] : nullptr;
}

std::string join_pem(const std::vector<certificate_info>& all) {
  std::string text;
  for (const auto& c : all)
    text += c.pem;
  return text;
}

bool is_serving_certificate_usable(
    const webhook_certificates& stored,
    const std::vector<certificate_info>& authorities, const std::string& host,
    time_point now) {
  const auto& pem = stored.serving.certificate;
  auto chain = k8s::http::read_certificates(pem);
  return !chain.empty() && is_valid_at(chain[0], now)
         && k8s::http::key_matches_certificate(stored.serving)
         && k8s::http::is_issued_for(pem, host)
         && std::any_of(authorities.begin(), authorities.end(),
                        [&](const certificate_info& a) {
                          return k8s::http::is_signed_by(pem, a.pem);
                        });
}

certificate_renewal find_due_renewal(const webhook_certificates& stored,
                                     const certificate_policy& policy,
                                     const certificate_info* authority,
                                     bool is_serving_usable,
                                     const std::string& trusted_bundle,
                                     time_point now) {
  if (!authority
      || is_renewal_due(*authority, policy.authority_life, policy.jitter, now))
    return is_serving_usable ? certificate_renewal::authority
                             : certificate_renewal::authority_and_serving;
  if (!is_serving_usable)
    return certificate_renewal::serving;
  const auto& pem = stored.serving.certificate;
  auto serving = k8s::http::read_certificates(pem);
  bool due = is_renewal_due(serving[0], policy.serving_life, policy.jitter, now)
             || !k8s::http::is_signed_by(pem, authority->pem);
  bool is_trusted = trusted_bundle.find(authority->pem) != trusted_bundle.npos;
  return due && is_trusted ? certificate_renewal::serving
                           : certificate_renewal::none;
}

k8s::result<k8s::http::certificate_pair>
make_authority_certificate(const certificate_policy& policy, time_point now) {
  return k8s::http::make_certificate({"training-operator-ca",
                                      "training-operator",
                                      {},
                                      now - clock_skew,
                                      now + policy.authority_life,
                                      true},
                                     policy.algorithm);
}

k8s::result<k8s::http::certificate_pair>
make_serving_certificate(const certificate_policy& policy,
                         const k8s::http::certificate_pair& authority,
                         time_point now) {
  // No common name is longer; clients look at `hosts` only.
  constexpr std::size_t longest_common_name = 64;
  time_point end = now + policy.serving_life;
  auto signers = k8s::http::read_certificates(authority.certificate);
  if (!signers.empty())
    end = std::min(end, signers.front().not_after);
  return k8s::http::make_certificate(
      {policy.hosts.front().substr(0, longest_common_name), "", policy.hosts,
       now - clock_skew, end, false},
      policy.algorithm, &authority);
}

} // namespace

certificate_assessment assess_certificates(const webhook_certificates& stored,
                                           const certificate_policy& policy,
                                           const std::string& trusted_bundle,
                                           time_point now) {
  certificate_assessment result;
  auto authorities = valid_authorities(stored, now);
  const auto* current = signing_authority(stored, authorities);
  result.is_usable = is_serving_certificate_usable(stored, authorities,
                                                   policy.hosts.front(), now);
  result.bundle = join_pem(authorities);
  result.due = find_due_renewal(stored, policy, current, result.is_usable,
                                trusted_bundle, now);
  return result;
}

k8s::result<webhook_certificates>
renew_certificates(webhook_certificates stored, certificate_renewal due,
                   const certificate_policy& policy, time_point now) {
  if (due == certificate_renewal::authority
      || due == certificate_renewal::authority_and_serving) {
    auto made = make_authority_certificate(policy, now);
    if (!made)
      return made.error();
    stored.authorities =
        made->certificate + join_pem(valid_authorities(stored, now));
    stored.authority_key = made->key;
  }
  if (due == certificate_renewal::serving
      || due == certificate_renewal::authority_and_serving) {
    auto made = make_serving_certificate(
        policy, {stored.authorities, stored.authority_key}, now);
    if (!made)
      return made.error();
    stored.serving = std::move(*made);
  }
  return stored;
}

webhook_certificates certificates_from_secret(const k8s::json& secret) {
  auto value = [&](const char* key) {
    return k8s::from_base64(k8s::text_at(secret, {"data", key})).value_or("");
  };
  return {
      value("ca.crt"), value("ca.key"), {value("tls.crt"), value("tls.key")}};
}

k8s::json secret_with_certificates(k8s::json secret,
                                   const webhook_certificates& c) {
  auto& data = k8s::ensure_object(secret, "data");
  data["ca.crt"] = k8s::to_base64(c.authorities);
  data["ca.key"] = k8s::to_base64(c.authority_key);
  data["tls.crt"] = k8s::to_base64(c.serving.certificate);
  data["tls.key"] = k8s::to_base64(c.serving.key);
  return secret;
}

} // namespace troupe::actors
