#pragma once

#include "k8s/rest/credentials/credentials.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/rest/certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// A temporary directory with files.
class temporary_directory {
public:
  std::string operator/(const std::string& name) const {
    return scratch_.path() + "/" + name;
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(
        std::filesystem::path{*this / name}.parent_path());
    std::ofstream{*this / name} << text;
    return *this / name;
  }

private:
  fixtures::scratch_directory scratch_;
};

/// Sets an environment variable until it is destroyed.
class environment_variable {
public:
  environment_variable(const char* name, const std::string& value)
      : name_(name) {
    if (const char* old = std::getenv(name))
      old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~environment_variable() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

private:
  const char* name_;
  std::optional<std::string> old_;
};

inline const certificate& authority() {
  static const auto made = make_certificate("authority");
  return made;
}

inline const certificate& admin() {
  static const auto made = make_certificate("admin");
  return made;
}

inline std::string kubeconfig(const std::string& cluster,
                              const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "contexts:\n- name: main\n  context: {cluster: c, user: u, "
         "namespace: team}\n- name: bare\n  context: {cluster: c}\n"
         "- name: lost\n  context: {cluster: nowhere, user: u}\n"
         "- name: nobody\n  context: {cluster: c, user: unknown}\n"
         "clusters:\n- name: c\n  cluster: {"
         + cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

inline const std::string plain_server = "server: 'https://host:6443/'";

inline void check_refused(const result<client_config>& r,
                          const std::string& part) {
  BOOST_REQUIRE_MESSAGE(!r, "accepted; expected: " << part);
  BOOST_CHECK(r.error().code == ec::invalid);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message << "\n  lacks: " << part);
}

inline client_config must_read(const result<client_config>& r) {
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  return *r;
}

inline credential must_get_credential(const client_config& c) {
  auto l = c.get_credential();
  BOOST_REQUIRE_MESSAGE(bool(l), (l ? std::string{} : l.error().message));
  return *l;
}

} // namespace troupe::k8s::rest
