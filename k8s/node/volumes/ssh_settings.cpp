#include "k8s/node/volumes/ssh_settings.hpp"

#include "k8s/general/openssl_pem.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/volumes/initial_files.hpp"

#include <openssl/ec.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace troupe::k8s::node {

namespace {

constexpr const char* settings_directory = "/etc/ssh";
/// Where sshd of root locks itself up before it knows who comes.
constexpr const char* empty_directory = "/run/sshd";
constexpr const char* settings_file_name = "sshd_config";
constexpr const char* host_key_name = "ssh_host_ecdsa_key";
/// Of the images for MPI; one below 1024 is not every user's.
constexpr const char* port = "2222";

/// Programs in containers of MPIJobs of v2beta1 know by this variable what they
/// are.
bool is_mpi_container(const json& container) {
  const auto& env = list_at(container, "env");
  return std::any_of(env.begin(), env.end(), [](const json& variable) {
    return text_at(variable, {"name"}) == "K_MPI_JOB_ROLE";
  });
}

bool mounts_settings(const json& container) {
  const auto& mounts = list_at(container, "volumeMounts");
  return std::any_of(mounts.begin(), mounts.end(), [](const json& m) {
    return (text_at(m, {"mountPath"}) + "/")
               .rfind(std::string{settings_directory} + "/", 0)
           == 0;
  });
}

/// Where the job's keys are, "" if they are not mounted.
std::string keys_directory(const json& container) {
  for (const auto& m : list_at(container, "volumeMounts"))
    if (text_at(m, {"name"}) == "ssh-auth")
      return text_at(m, {"mountPath"});
  return "";
}

bool is_mounted(const json& container, const std::string& path) {
  const auto& mounts = list_at(container, "volumeMounts");
  return std::any_of(mounts.begin(), mounts.end(), [&](const json& m) {
    return (path + "/").rfind(text_at(m, {"mountPath"}) + "/", 0) == 0;
  });
}

/// The file that is given to sshd (-f) as its settings and is in the image
/// alone; "" if there is none.
std::string settings_file_of_image(const json& container) {
  std::vector<std::string> words;
  for (const auto* list : {"command", "args"})
    for (const auto& word : list_at(container, list))
      words.push_back(word.is_string() ? word.get<std::string>() : "");
  if (words.empty() || words[0] != "/usr/sbin/sshd")
    return "";
  auto option = std::find(words.begin(), words.end(), "-f");
  if (option == words.end() || ++option == words.end() || option->empty()
      || option->front() != '/' || is_mounted(container, *option))
    return "";
  std::error_code ignored;
  return std::filesystem::exists(*option, ignored) ? "" : *option;
}

/// As one word of ssh's settings; "" if it cannot be one.
std::string quoted_word(const std::string& text) {
  bool fits = !text.empty()
              && std::none_of(text.begin(), text.end(), [](unsigned char c) {
                   return c < ' ' || c == '"' || c == '\\' || c == '%';
                 });
  return fits ? "\"" + text + "\"" : "";
}

std::string make_server_settings(const std::string& keys,
                                 const std::string& path) {
  // None where the path cannot be written.
  auto authorized = quoted_word(keys + "/authorized_keys");
  if (authorized.empty())
    authorized = "none";
  std::string out =
      std::string{"Port "} + port + "\nHostKey " + settings_directory + "/"
      + host_key_name + "\nAuthorizedKeysFile "
      + (keys.empty() ? ".ssh/authorized_keys" : authorized) + "\n";
  if (auto word = quoted_word("PATH=" + path); !path.empty() && !word.empty())
    out += "SetEnv " + word + "\n";
  // The directories above a volume are the node's. PAM, PID files and records
  // of logins are for root alone. A launcher starts many ranks at once.
  return out
         + "StrictModes no\n"
           "UsePAM no\n"
           "PermitRootLogin prohibit-password\n"
           "PasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\n"
           "AcceptEnv LANG LC_*\n"
           "MaxStartups 1000\n"
           "MaxSessions 1000\n"
           "PidFile none\n"
           "PrintMotd no\n"
           "UseDNS no\n"
           "Subsystem sftp internal-sftp\n";
}

std::string make_client_settings(const std::string& keys) {
  auto identity = quoted_word(keys + "/id_rsa");
  std::string out = std::string{"Host *\n  Port "} + port + "\n";
  if (!keys.empty() && !identity.empty())
    out += "  IdentityFile " + identity + "\n";
  // Host keys are new in each pod, and nobody is there to be asked. A launcher
  // may be there before its workers listen, and not every Hydra knows the
  // variable that asks for attempts.
  return out
         + "  ConnectionAttempts 10\n"
           "  StrictHostKeyChecking no\n"
           "  UserKnownHostsFile /dev/null\n"
           "  GlobalKnownHostsFile /dev/null\n"
           "  LogLevel ERROR\n";
}

std::string make_host_key() {
  openssl_ptr<EVP_PKEY> key{EVP_EC_gen("P-256")};
  return key ? private_key_to_pem(key.get()) : "";
}

} // namespace

json with_ssh_settings_for_mpi(json pod, const std::string& path) {
  auto& spec = ensure_object(pod, "spec");
  auto list = spec.find("containers");
  if (list == spec.end() || !list->is_array())
    return pod;
  int count = 0;
  json volumes = json::array();
  for (auto& c : *list) {
    if (!is_mpi_container(c) || mounts_settings(c))
      continue;
    const auto keys = keys_directory(c);
    const auto file = settings_file_of_image(c);
    const auto name = "ssh-settings-troupe-" + std::to_string(count++);
    volumes.push_back(make_volume_with_files(
        name, {{settings_file_name, make_server_settings(keys, path), 0644},
               {"ssh_config", make_client_settings(keys), 0644},
               {host_key_name, make_host_key(), 0600}}));
    volumes.push_back(make_volume_with_files(name + "-empty", {}));
    auto& mounts = ensure_array(c, "volumeMounts");
    mounts.push_back({{"name", name}, {"mountPath", settings_directory}});
    mounts.push_back(
        {{"name", name + "-empty"}, {"mountPath", empty_directory}});
    if (!file.empty())
      mounts.push_back({{"name", name},
                        {"mountPath", file},
                        {"subPath", settings_file_name}});
  }
  for (auto& v : volumes)
    ensure_array(spec, "volumes").push_back(std::move(v));
  return pod;
}

} // namespace troupe::k8s::node
