#include "k8s/general/openssl_pem.hpp"
#include "k8s/node/volumes/initial_files.hpp"
#include "k8s/node/volumes/ssh_settings.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(ssh_settings_test)

namespace {

json pod_with(const char* container) {
  return {{"spec", {{"containers", {json::parse(container)}}}}};
}

constexpr const char* worker = R"({"name": "w",
    "env": [{"name": "K_MPI_JOB_ROLE", "value": "worker"}],
    "volumeMounts": [{"name": "ssh-auth", "mountPath": "/home/mpiuser/.ssh"}]})";

/// The file's text in the only volume of the pod, "" if it is not there.
std::string text_of(const json& pod, const std::string& name) {
  for (const auto& v : array_at(pod, {"spec", "volumes"}))
    for (const auto& f : array_at(v, {"initialFiles"}))
      if (text_at(f, {"name"}) == name)
        return text_at(f, {"text"});
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

} // namespace

BOOST_AUTO_TEST_CASE(only_containers_of_mpi_jobs_get_settings) {
  struct {
    const char* container;
    std::size_t containers; ///< That get settings.
  } rows[] = {
      {worker, 1},
      {R"({"name": "w"})", 0},
      {R"({"name": "w", "env": [{"name": "ROLE", "value": "worker"}]})", 0},
      {R"({"name": "w", "env": [{"name": "K_MPI_JOB_ROLE"}],
           "volumeMounts": [{"name": "own", "mountPath": "/etc/ssh"}]})",
       0},
      {R"({"name": "w", "env": [{"name": "K_MPI_JOB_ROLE"}],
           "volumeMounts": [{"name": "own", "subPath": "c",
                             "mountPath": "/etc/ssh/sshd_config"}]})",
       0},
      {R"({"name": "w", "env": [{"name": "K_MPI_JOB_ROLE"}],
           "volumeMounts": [{"name": "own", "mountPath": "/etc/sshd"}]})",
       1},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.container) {
      auto before = pod_with(row.container);
      auto after = with_ssh_settings_for_mpi(before, "/bin");
      const auto& volumes = array_at(after, {"spec", "volumes"});
      BOOST_TEST(volumes.size() == 2 * row.containers);
      if (row.containers == 0) {
        BOOST_TEST(after == before);
        continue;
      }
      const auto& mounts = after["spec"]["containers"][0]["volumeMounts"];
      const auto settings = mounts.size() - 2;
      BOOST_TEST(text_at(mounts[settings], {"mountPath"}) == "/etc/ssh");
      BOOST_TEST(text_at(mounts.back(), {"mountPath"}) == "/run/sshd");
      for (auto i : {0u, 1u})
        BOOST_TEST(text_at(mounts[settings + i], {"name"})
                   == text_at(volumes[i], {"name"}));
    }
}

BOOST_AUTO_TEST_CASE(both_sides_use_the_jobs_keys_where_they_are_mounted) {
  auto pod = with_ssh_settings_for_mpi(pod_with(worker), "/venv/bin:/bin");
  auto server = text_of(pod, "sshd_config");
  BOOST_TEST(contains(server, "Port 2222\n"));
  BOOST_TEST(contains(server, "AuthorizedKeysFile "
                              "\"/home/mpiuser/.ssh/authorized_keys\"\n"));
  BOOST_TEST(contains(server, "SetEnv \"PATH=/venv/bin:/bin\"\n"));
  auto client = text_of(pod, "ssh_config");
  BOOST_TEST(contains(client, "  Port 2222\n"));
  BOOST_TEST(
      contains(client, "  IdentityFile \"/home/mpiuser/.ssh/id_rsa\"\n"));
  auto key = private_key_of(text_of(pod, "ssh_host_ecdsa_key"));
  BOOST_TEST((key != nullptr));
}

BOOST_AUTO_TEST_CASE(a_settings_file_of_the_image_is_replaced) {
  struct {
    const char* words;
    const char* replaced;
  } rows[] = {
      {R"("command": ["/usr/sbin/sshd", "-De", "-f", "/home/m/.sshd_config"])",
       "/home/m/.sshd_config"},
      {R"("command": ["/usr/sbin/sshd"], "args": ["-De", "-f", "/home/m/s"])",
       "/home/m/s"},
      {R"("command": ["/usr/sbin/sshd", "-De"])", ""},
      {R"("command": ["/usr/sbin/sshd", "-f"])", ""},
      {R"("command": ["/usr/sbin/sshd", "-f", "here"])", ""},
      {R"("command": ["/usr/sbin/sshd", "-f", "/etc/passwd"])", ""},
      {R"("command": ["/usr/sbin/sshd", "-f", "/own/sshd_config"])", ""},
      {R"("command": ["grep", "-f", "/home/m/words"])", ""},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.words) {
      auto text = std::string{R"({"env": [{"name": "K_MPI_JOB_ROLE"}],
          "volumeMounts": [{"name": "own", "mountPath": "/own"}],)"}
                  + row.words + "}";
      auto pod = with_ssh_settings_for_mpi(pod_with(text.c_str()), "/bin");
      std::string replaced;
      for (const auto& m : pod["spec"]["containers"][0]["volumeMounts"])
        if (text_at(m, {"subPath"}) == "sshd_config")
          replaced = text_at(m, {"mountPath"});
      BOOST_TEST(replaced == row.replaced);
    }
}

BOOST_AUTO_TEST_CASE(what_would_be_another_setting_is_left_out) {
  auto pod = pod_with(worker);
  pod["spec"]["containers"][0]["volumeMounts"][0]["mountPath"] =
      "/a\"\nForceCommand x";
  pod = with_ssh_settings_for_mpi(pod, "/b\nForceCommand y");
  for (const auto* name : {"sshd_config", "ssh_config"})
    BOOST_TEST(!contains(text_of(pod, name), "ForceCommand"));
  BOOST_TEST(
      contains(text_of(pod, "sshd_config"), "AuthorizedKeysFile none\n"));
  auto bare = with_ssh_settings_for_mpi(
      pod_with(R"({"name": "w", "env": [{"name": "K_MPI_JOB_ROLE"}]})"), "");
  BOOST_TEST(!contains(text_of(bare, "sshd_config"), "SetEnv"));
  BOOST_TEST(!contains(text_of(bare, "ssh_config"), "IdentityFile"));
}

BOOST_AUTO_TEST_CASE(files_are_written_once_and_stay_in_their_directory) {
  troupe::fixtures::scratch_directory scratch;
  const auto directory = scratch.path() + "/v";
  std::filesystem::create_directory(directory);
  auto volume = make_volume_with_files(
      "v", {{"key", "secret", 0600}, {"../out", "x", 0644}, {"", "x", 0644}});
  BOOST_TEST(!write_initial_files(volume, directory));
  struct stat s {};
  BOOST_REQUIRE(::stat((directory + "/key").c_str(), &s) == 0);
  BOOST_TEST((s.st_mode & 0777u) == 0600u);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/out"));
  std::ofstream{directory + "/key"} << "changed";
  BOOST_TEST(!write_initial_files(volume, directory));
  BOOST_TEST(read(directory + "/key") == "changed");
}

BOOST_AUTO_TEST_SUITE_END()
