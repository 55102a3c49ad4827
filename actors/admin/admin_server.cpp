#include "actors/admin/admin_server.hpp"

#include "actors/admin/page_files.hpp"
#include "config/logging.hpp"
#include "k8s/general/files.hpp"

namespace troupe::actors {

namespace {

/// Shorter ones could be guessed.
constexpr std::size_t least_token_length = 16;

/// Readers are people and their browsers. A stream that is so much behind is
/// cut off; its client gets a new list then.
k8s::http::limits admin_limits() {
  k8s::http::limits l;
  l.body_bytes = 64u << 10;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  l.connections = 200;
  l.connections_per_client = 100; // Behind a port-forward all are one.
  l.request_bytes = 32u << 20;
  l.request_bytes_per_client = 24u << 20;
  l.stream_backlog = 4u << 20;
  return l;
}

k8s::result<std::string>
read_file_of_setting_if_named(const char* setting, const std::string& path) {
  if (path.empty())
    return std::string{};
  auto text = k8s::read_file(path);
  if (!text)
    return k8s::failure{text.error().code,
                        std::string{setting} + ": " + text.error().message};
  return text;
}

k8s::result<std::string> read_admin_token(const std::string& path) {
  auto text = read_file_of_setting_if_named("--admin-token-file", path);
  if (!text || path.empty())
    return text;
  constexpr const char* blanks = " \t\r\n";
  text->erase(text->find_last_not_of(blanks) + 1);
  text->erase(0, text->find_first_not_of(blanks));
  if (text->size() < least_token_length
      || text->find_first_of(blanks) != std::string::npos)
    return k8s::failure{k8s::ec::invalid,
                        "--admin-token-file: " + path
                            + " has no token of 16 characters or more; write "
                              "one into it: openssl rand -hex 32"};
  return text;
}

/// The files of a server that runs, and what it uses of them.
struct followed_files {
  k8s::http::server* server; ///< Runs all that uses it.
  admin_access_files files;
  std::chrono::milliseconds interval;
  std::string token;
  k8s::http::certificate_pair self;
  std::string last_failure;
};

k8s::result<k8s::nothing> reload_changed_files(followed_files& f) {
  auto who = read_admin_access(f.files);
  if (!who)
    return who.error();
  if (who->token != f.token) {
    f.token = who->token;
    f.server->require_token(f.token);
    log::info("the token of the admin endpoint has changed");
  }
  if (who->server_certificate.certificate != f.self.certificate
      || who->server_certificate.key != f.self.key) {
    f.self = who->server_certificate;
    if (auto used = f.server->use_certificate(f.self); !used)
      return used.error();
    log::info("the certificate of the admin endpoint has changed");
  }
  return k8s::nothing{};
}

void schedule_repeated_reload(const std::shared_ptr<followed_files>& f) {
  f->server->post_after(f->interval, [f] {
    auto done = reload_changed_files(*f);
    if (!done && done.error().message != f->last_failure)
      log::warn("cannot use a changed file of the admin endpoint",
                {{"error", done.error().message}});
    f->last_failure = done ? "" : done.error().message;
    schedule_repeated_reload(f);
  });
}

} // namespace

k8s::result<k8s::http::access_policy>
read_admin_access(const admin_access_files& files) {
  auto token = read_admin_token(files.token);
  if (!token)
    return token.error();
  auto certificate = read_file_of_setting_if_named("--admin-tls-cert-file",
                                                   files.tls_certificate);
  if (!certificate)
    return certificate.error();
  auto key =
      read_file_of_setting_if_named("--admin-tls-key-file", files.tls_key);
  if (!key)
    return key.error();
  k8s::http::access_policy who;
  who.token = std::move(*token);
  who.token_place = "the file that admin-token-file names";
  who.public_paths = page_paths();
  who.body_media_types = {"application/json"};
  who.tls_only = !certificate->empty();
  who.server_certificate = {std::move(*certificate), std::move(*key)};
  return who;
}

k8s::result<std::unique_ptr<k8s::http::server>>
start_admin_server(const std::string& address, const admin_access_files& files,
                   k8s::http::handler handler,
                   std::chrono::milliseconds reading_interval) {
  auto who = read_admin_access(files);
  if (!who)
    return who.error();
  auto followed =
      std::make_shared<followed_files>(followed_files{nullptr,
                                                      files,
                                                      reading_interval,
                                                      who->token,
                                                      who->server_certificate,
                                                      {}});
  auto server = k8s::http::listen(address, std::move(handler), admin_limits(),
                                  std::move(*who));
  if (!server)
    return k8s::failure{server.error().code,
                        "--admin-bind-address: " + server.error().message};
  followed->server = server->get();
  if (!files.token.empty() || !files.tls_certificate.empty())
    schedule_repeated_reload(followed);
  return server;
}

} // namespace troupe::actors
