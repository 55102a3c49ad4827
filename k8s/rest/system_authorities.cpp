#include "k8s/rest/system_authorities.hpp"

#include <openssl/x509.h>

#include <cstdlib>
#include <filesystem>

namespace troupe::k8s::rest {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

bool is_file(const std::string& path) {
  std::error_code wrong;
  return std::filesystem::is_regular_file(path, wrong);
}

bool has_entries(const char* directory) {
  std::error_code wrong;
  std::filesystem::directory_iterator all{directory, wrong};
  return !wrong && all != std::filesystem::directory_iterator{};
}

own_authorities find_own_authorities() {
  return {is_set(X509_get_default_cert_file_env())
              || is_set(X509_get_default_cert_dir_env()),
          is_file(X509_get_default_cert_file())
              || has_entries(X509_get_default_cert_dir())};
}

} // namespace

std::string
choose_authority_file(const own_authorities& own,
                      const std::function<bool(const std::string&)>& exists) {
  if (own.are_named || own.are_there)
    return "";
  for (const char* path : {
           "/etc/ssl/certs/ca-certificates.crt", // Debian, Arch, Alpine
           "/etc/pki/tls/certs/ca-bundle.crt",   // RHEL, Fedora, Amazon Linux
           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // newer ones
           "/etc/ssl/ca-bundle.pem",                            // SUSE
           "/etc/ssl/cert.pem", // Alpine without the package
       })
    if (exists(path))
      return path;
  return "";
}

void trust_system_authorities(boost::asio::ssl::context& context) {
  context.set_default_verify_paths();
  // One that cannot be read adds no authority: the handshake says so.
  boost::system::error_code unreadable;
  if (auto file = choose_authority_file(find_own_authorities(), is_file);
      !file.empty())
    context.load_verify_file(file, unreadable);
}

} // namespace troupe::k8s::rest
