#pragma once

#include "k8s/http/certificate.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::actors {

/// The certificates of the webhooks, PEM, as the Secret contains them. It has
/// the keys of training-operator v1's, so that either operator can follow the
/// other.
struct webhook_certificates {
  /// ca.crt: the current authority, then earlier ones whose certificates may
  /// still be in use.
  std::string authorities;
  std::string authority_key;           ///< ca.key, of the current authority.
  k8s::http::certificate_pair serving; ///< tls.crt, tls.key.
};

/// Which certificates are made, and for how long they are valid.
struct certificate_policy {
  /// Host names and addresses of the server; the first one is what the API
  /// server connects to.
  std::vector<std::string> hosts;
  std::chrono::seconds authority_life{10L * 365 * 24 * 3600};
  std::chrono::seconds serving_life{365L * 24 * 3600};
  /// In [0, 1): makes a renewal earlier by a part of the life, so that replicas
  /// do not renew at the same time.
  double jitter = 0;
  k8s::http::key_algorithm algorithm = k8s::http::key_algorithm::rsa_2048;
};

/// Which certificates have to be made.
enum class certificate_renewal : std::uint8_t {
  none,
  serving,   ///< Signed by the current authority.
  authority, ///< The serving certificate stays in use.
  authority_and_serving,
};

/// Whether the certificates of the Secret can be used now, and which are due.
struct certificate_assessment {
  bool is_usable = false; ///< A client that trusts `bundle` accepts the server.
  std::string bundle;     ///< PEM of all authorities that are valid now.
  certificate_renewal due = certificate_renewal::none;
};

/// `trusted_bundle`: PEM of the authorities that all API servers know. While it
/// does not contain the current authority, a usable serving certificate is not
/// replaced by one that this authority has signed. An authority and a serving
/// certificate are renewed at two thirds of their lives.
certificate_assessment assess_certificates(const webhook_certificates& stored,
                                           const certificate_policy& policy,
                                           const std::string& trusted_bundle,
                                           k8s::time_point now);

/// The same certificates with those replaced that `due` names.
k8s::result<webhook_certificates>
renew_certificates(webhook_certificates stored, certificate_renewal due,
                   const certificate_policy& policy, k8s::time_point now);

/// The certificates in a Secret; one that is missing or not base64 is "".
webhook_certificates certificates_from_secret(const k8s::json& secret);

/// The Secret with these certificates; everything else in it stays.
k8s::json secret_with_certificates(k8s::json secret,
                                   const webhook_certificates& c);

} // namespace troupe::actors
