#include "k8s/apiserver/server_credentials.hpp"

#include "k8s/apiserver/access/json_web_token.hpp"
#include "k8s/general/files.hpp"
#include "k8s/http/access.hpp"
#include "k8s/http/certificate.hpp"
#include "k8s/http/certificate_reader.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/stat.h>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::chrono::hours day{24};
constexpr auto year = 365 * day;

/// The text of a file that only we can read; nullopt if there is none.
result<std::optional<std::string>> read_secret_file(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT)
      return std::optional<std::string>{};
    return failure{ec::invalid,
                   path + " cannot be read: " + std::strerror(errno)};
  }
  if (!S_ISREG(there.st_mode) || (there.st_mode & 077) != 0)
    return failure{ec::invalid, path
                                    + " is a secret that others can read; "
                                      "chmod 600 it, or remove it to have a "
                                      "new one made"};
  auto text = read_file(path);
  if (!text)
    return text.error();
  return std::optional{std::move(*text)};
}

failure unusable_file_error(const std::string& path, const std::string& why) {
  return {ec::invalid, path + ": " + why
                           + "; remove it to have a new one made (kubeconfigs "
                             "and tokens of before are not valid then)"};
}

/// A new text, which is kept if there is a directory. If it cannot be kept,
/// what was there stays.
template <class Make>
result<std::string>
create_secret_and_keep_if_directory(const std::string& directory,
                                    const char* name, Make make) {
  result<std::string> made = make();
  if (made && !directory.empty())
    if (auto bad = write_file_atomically(directory + "/" + name, *made, 0600,
                                         durability::synced))
      return *bad;
  return made;
}

/// The kept text, or else a new one.
template <class Make>
result<std::string> read_or_create_secret_file(const std::string& directory,
                                               const char* name, Make make) {
  if (!directory.empty()) {
    auto kept = read_secret_file(directory + "/" + name);
    if (!kept)
      return kept.error();
    if (*kept)
      return std::move(**kept);
  }
  return create_secret_and_keep_if_directory(directory, name, make);
}

result<http::certificate_pair> make_authority(time_point now) {
  return http::make_certificate(
      {"troupe-ca", "", {}, now - std::chrono::hours{1}, now + 10 * year, true},
      http::key_algorithm::ecdsa_p256);
}

/// Both in one file, so that they cannot be of different authorities.
constexpr const char* authority_file = "authority.pem";
constexpr const char* token_file = "token";
constexpr const char* token_key_file = "token-key.pem";

result<http::certificate_pair>
read_create_or_renew_authority(const std::string& directory, time_point now) {
  auto make = [now]() -> result<std::string> {
    auto made = make_authority(now);
    if (!made)
      return made.error();
    return made->certificate + made->key;
  };
  auto text = read_or_create_secret_file(directory, authority_file, make);
  if (!text)
    return text.error();
  auto certificates = http::read_certificates(*text);
  if (certificates.size() == 1 && certificates[0].not_after < now + year) {
    text = create_secret_and_keep_if_directory(directory, authority_file, make);
    if (!text)
      return failure{ec::invalid, directory + "/" + authority_file
                                      + " expires within a year and cannot be "
                                        "renewed: "
                                      + text.error().message};
    certificates = http::read_certificates(*text);
  }
  if (certificates.size() != 1 || !certificates[0].is_authority
      || !http::key_matches_certificate({*text, *text}))
    return unusable_file_error(directory + "/" + authority_file,
                               "there is no authority and its key as PEM");
  return http::certificate_pair{certificates[0].pem, *text};
}

} // namespace

result<server_credentials>
load_or_create_server_credentials(const std::vector<std::string>& names,
                                  const std::string& directory,
                                  time_point now) {
  server_credentials out;
  auto authority = read_create_or_renew_authority(directory, now);
  if (!authority)
    return authority.error();
  out.authority = std::move(*authority);
  auto self = http::make_certificate(
      {"troupe", "", names, now - std::chrono::hours{1}, now + year, false},
      http::key_algorithm::ecdsa_p256, &out.authority);
  if (!self)
    return self.error();
  out.server_certificate = std::move(*self);
  auto token = read_or_create_secret_file(directory, token_file,
                                          http::make_bearer_token);
  if (!token)
    return token.error();
  if (token->size() < 32
      || token->find_first_not_of("0123456789abcdef") != token->npos)
    return unusable_file_error(directory + "/" + token_file,
                               "there is no token");
  out.token = std::move(*token);
  auto key = read_or_create_secret_file(directory, token_key_file,
                                        []() -> result<std::string> {
                                          auto made = make_token_signer();
                                          if (!made)
                                            return made.error();
                                          return (*made)->private_key_pem();
                                        });
  if (!key)
    return key.error();
  if (auto usable = make_token_signer(*key); !usable)
    return unusable_file_error(directory + "/" + token_key_file,
                               usable.error().message);
  out.token_key = std::move(*key);
  return out;
}

} // namespace troupe::k8s::apiserver
