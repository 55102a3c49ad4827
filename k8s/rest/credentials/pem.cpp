#include "k8s/rest/credentials/pem.hpp"

#include "k8s/general/openssl_pem.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace troupe::k8s::rest {

std::optional<std::string>
find_first_authority_pem_error(const std::string& pem) {
  auto first = first_certificate_of(pem);
  ERR_clear_error();
  if (!first)
    return "holds no certificate in PEM form";
  return std::nullopt;
}

std::optional<std::string> find_key_pair_error(const std::string& cert_pem,
                                               const std::string& key_pem) {
  auto cert = first_certificate_of(cert_pem);
  auto key = private_key_of(key_pem);
  bool fit = cert && key && X509_check_private_key(cert.get(), key.get()) == 1;
  ERR_clear_error();
  if (!cert)
    return "client-certificate holds no certificate in PEM form";
  if (!key)
    return key_pem.find("ENCRYPTED") != std::string::npos
               ? "client-key is encrypted, which is not supported"
               : "client-key holds no private key in PEM form";
  if (!fit)
    return "client-key does not belong to client-certificate";
  return std::nullopt;
}

} // namespace troupe::k8s::rest
