#include "k8s/base64.hpp"
#include "k8s/rest/credentials.hpp"
#include "k8s/rest/pem.hpp"
#include "tests/k8s/rest/certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
namespace fs = std::filesystem;

namespace {

/// A folder for one test, with files in it.
class folder {
public:
  folder() {
    auto name = (fs::temp_directory_path() / "credentials-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw std::runtime_error{"no temporary folder"};
    path_ = name;
  }
  ~folder() { fs::remove_all(path_); }

  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path{*this / name}.parent_path());
    std::ofstream{*this / name} << text;
    return *this / name;
  }

private:
  std::string path_;
};

/// Sets a variable of the environment for one test.
class variable {
public:
  variable(const char* name, const std::string& value)
      : name_(name) {
    if (const char* old = std::getenv(name))
      old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~variable() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

private:
  const char* name_;
  std::optional<std::string> old_;
};

const certificate& authority() {
  static const auto made = make_certificate("authority");
  return made;
}

const certificate& admin() {
  static const auto made = make_certificate("admin");
  return made;
}

std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "contexts:\n- name: main\n  context: {cluster: c, user: u, "
         "namespace: team}\n- name: bare\n  context: {cluster: c}\n"
         "- name: lost\n  context: {cluster: nowhere, user: u}\n"
         "- name: nobody\n  context: {cluster: c, user: stranger}\n"
         "clusters:\n- name: c\n  cluster: {"
         + cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

const std::string plain_server = "server: 'https://host:6443/'";

void check_refused(const result<client_config>& r, const std::string& part) {
  BOOST_REQUIRE_MESSAGE(!r, "accepted; expected: " << part);
  BOOST_CHECK(r.error().code == ec::invalid);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message << "\n  lacks: " << part);
}

client_config must_read(const result<client_config>& r) {
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  return *r;
}

credential must_log_in(const client_config& c) {
  auto l = c.get_credential();
  BOOST_REQUIRE_MESSAGE(bool(l), (l ? std::string{} : l.error().message));
  return *l;
}

} // namespace

// -- kubeconfig ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_kubeconfig_with_data_is_read) {
  folder f;
  auto path =
      f.write("config",
              kubeconfig(plain_server
                             + ", tls-server-name: api, "
                               "certificate-authority-data: "
                             + to_base64(authority().cert),
                         "client-certificate-data: " + to_base64(admin().cert)
                             + ", client-key-data: " + to_base64(admin().key)));
  auto c = must_read(from_kubeconfig(path));
  BOOST_CHECK_EQUAL(c.server, "https://host:6443");
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  BOOST_CHECK_EQUAL(c.tls_server_name, "api");
  BOOST_CHECK_EQUAL(c.default_namespace, "team");
  BOOST_CHECK_EQUAL(c.origin, path + " (context main)");
  BOOST_CHECK(!c.insecure);
  auto l = must_log_in(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.client_key_pem, admin().key);
  BOOST_CHECK_EQUAL(l.token, "");
  BOOST_CHECK_EQUAL(l.life.count(), 0);
}

BOOST_AUTO_TEST_CASE(files_are_relative_to_the_kubeconfig) {
  folder f;
  f.write("pki/ca.crt", authority().cert);
  f.write("pki/me.crt", admin().cert);
  f.write("pki/me.key", admin().key);
  f.write("token", "sesame\n");
  auto path = f.write(
      "config", kubeconfig(plain_server + ", certificate-authority: pki/ca.crt",
                           "client-certificate: pki/me.crt, client-key: "
                               + f / "pki/me.key" + ", tokenFile: token"));
  auto c = must_read(from_kubeconfig(path));
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  auto l = must_log_in(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.token, "sesame");
  BOOST_CHECK_GT(l.life.count(), 0);
  f.write("token", "changed");
  BOOST_CHECK_EQUAL(must_log_in(c).token, "changed");
  fs::remove(f / "token");
  BOOST_CHECK(!c.get_credential());
}

BOOST_AUTO_TEST_CASE(the_context_says_which_cluster_and_user) {
  folder f;
  auto path = f.write("config", kubeconfig("server: http://127.0.0.1:8080, "
                                           "insecure-skip-tls-verify: true",
                                           "token: abc"));
  BOOST_CHECK_EQUAL(must_log_in(must_read(from_kubeconfig(path))).token, "abc");
  auto bare = must_read(from_kubeconfig(path, "bare"));
  BOOST_CHECK_EQUAL(must_log_in(bare).token, "");
  BOOST_CHECK_EQUAL(bare.default_namespace, "default");
  BOOST_CHECK(bare.insecure);
  check_refused(from_kubeconfig(path, "other"),
                path + ": there is no context \"other\"");
  check_refused(from_kubeconfig(path, "lost"),
                "names the cluster \"nowhere\", which is not there");
  check_refused(from_kubeconfig(path, "nobody"),
                "names the user \"stranger\", which is not there");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_with_file_and_field) {
  struct {
    std::string cluster;
    std::string user;
    const char* part;
  } const rows[] = {
      {"", "token: a", "server is \"\""},
      {"server: 'ftp://h'", "", "must be https://HOST:PORT"},
      {"server: 'https://'", "", "must be https://HOST:PORT"},
      {"server: host:6443", "", "must be https://HOST:PORT"},
      {"server: 'https://a b'", "", "is no address"},
      {plain_server + ", proxy-url: 'http://p'", "", "proxy-url is not"},
      {plain_server + ", certificate-authority-data: '!!'", "",
       "cluster \"c\": certificate-authority-data is not base64"},
      {plain_server + ", certificate-authority-data: '===='", "",
       "certificate-authority-data is not base64"},
      {plain_server + ", certificate-authority-data: aGVsbG8=", "",
       "certificate-authority holds no certificate"},
      {plain_server + ", certificate-authority: missing.crt", "",
       "missing.crt: No such file"},
      {plain_server, "client-certificate-data: " + to_base64(admin().cert),
       "belong together"},
      {plain_server,
       "client-certificate-data: " + to_base64(admin().cert)
           + ", client-key-data: " + to_base64(authority().key),
       "client-key does not belong to client-certificate"},
      {plain_server,
       "client-certificate-data: " + to_base64(admin().cert)
           + ", client-key-data: " + to_base64(encrypted(admin().key)),
       "client-key is encrypted"},
      {plain_server,
       "client-certificate-data: aGVsbG8=, client-key-data: aGVsbG8=",
       "client-certificate holds no certificate"},
      {plain_server, "tokenFile: missing", "tokenFile: cannot read"},
      {plain_server, "username: a, password: b", "username is not supported"},
      {plain_server, "auth-provider: {name: gcp}", "auth-provider is not"},
      {plain_server, "exec: {apiVersion: a}", "exec: command is missing"},
      {plain_server, "exec: {apiVersion: v9, command: a}",
       "apiVersion is \"v9\""},
      {plain_server, "exec: {command: a, interactiveMode: Always}",
       "interactiveMode is Always"},
  };
  folder f;
  for (const auto& row : rows) {
    auto path = f.write("config", kubeconfig(row.cluster, row.user));
    auto r = from_kubeconfig(path);
    check_refused(r, row.part);
    check_refused(r, path);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_kubeconfig_is_refused) {
  folder f;
  check_refused(from_kubeconfig(f / "missing"), "cannot read the kubeconfig");
  const std::pair<const char*, const char*> rows[] = {
      {"", "is not a map"},
      {"[1, 2]", "is not a map"},
      {"just text", "is not a map"},
      {"a: [", "is not YAML"},
      {"\x01\x02", "kubeconfig"},
      {"{}", "current-context is not set"},
      {"current-context: [a]", "current-context is not set"},
      {"current-context: a", "there is no context \"a\""},
      {"{current-context: a, contexts: 5}", "there is no context"},
      {"{current-context: a, contexts: {a: b}}", "there is no context"},
      {"{current-context: a, contexts: [5, null, [a], {name: a}]}",
       "there is no context"},
      {"{current-context: a, contexts: [{name: a, context: b}]}",
       "there is no context"},
      {"{current-context: a, contexts: [{name: a, context: {}}]}",
       "names the cluster \"\""},
      {"{current-context: a, contexts: [{name: a, context: {cluster: c}}], "
       "clusters: [{name: c}]}",
       "names the cluster \"c\""},
  };
  for (auto [text, part] : rows)
    check_refused(from_kubeconfig(f.write("config", text)), part);
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_kubeconfig_is_read_or_refused) {
  folder f;
  auto text = kubeconfig(plain_server, "token: abc, exec: {command: x}");
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto r = from_kubeconfig(f.write("config", text.substr(0, i)));
    BOOST_CHECK(r || !r.error().message.empty());
  }
}

// -- exec plugins -------------------------------------------------------------

namespace {

/// A kubeconfig whose user is a shell script.
std::string with_plugin(const folder& f, const std::string& script,
                        const std::string& more = "",
                        const std::string& version = "v1") {
  f.write("plugin", "#!/bin/sh\n" + script);
  fs::permissions(f / "plugin", fs::perms::owner_all);
  return f.write(
      "config",
      kubeconfig(plain_server + ", certificate-authority-data: "
                     + to_base64(authority().cert)
                     + ", extensions: [{name: client.authentication.k8s.io/exec"
                       ", extension: {audience: me, deep: [1, true, 'yes']}}]",
                 "exec: {command: ./plugin, interactiveMode: Never, "
                 "apiVersion: client.authentication.k8s.io/"
                     + version + more + "}"));
}

std::string plugin_reply(const std::string& status,
                         const std::string& version = "v1") {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/)"
         + version + R"(","status":{)" + status + "}}";
}

std::string say(const std::string& text) {
  return "cat <<'END'\n" + text + "\nEND\n";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_plugin_gives_a_token_until_it_expires) {
  folder f;
  for (auto version : {"v1", "v1beta1"}) {
    fs::remove(f / "count");
    auto path = with_plugin(
        f,
        "echo >> " + f / "count" + "\nn=$(wc -l < " + f / "count" + ")\n"
            + say("") + "echo '"
            + plugin_reply(R"("token":"t'$n'",)"
                           R"("expirationTimestamp":"2100-01-01T00:00:00Z")",
                           version)
            + "'",
        "", version);
    auto c = must_read(from_kubeconfig(path));
    auto l = must_log_in(c);
    BOOST_CHECK_EQUAL(l.token, "t1"); // Run once so far.
    BOOST_CHECK(l.life == std::chrono::hours{24});
    BOOST_CHECK_EQUAL(must_log_in(c).token, "t2");
  }
}

BOOST_AUTO_TEST_CASE(a_plugin_gives_a_certificate) {
  folder f;
  auto in_json = [](std::string pem) {
    for (std::size_t i = 0; (i = pem.find('\n', i)) != std::string::npos;)
      pem.replace(i, 1, "\\n");
    return pem;
  };
  auto c = must_read(from_kubeconfig(with_plugin(
      f, say(plugin_reply(
             R"("clientCertificateData":")" + in_json(admin().cert)
             + R"(","clientKeyData":")" + in_json(admin().key)
             + R"(","expirationTimestamp":"2001-01-01T00:00:00Z")")))));
  auto l = must_log_in(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.client_key_pem, admin().key);
  BOOST_CHECK_EQUAL(l.life.count(), 10);
}

BOOST_AUTO_TEST_CASE(a_plugin_knows_arguments_environment_and_cluster) {
  folder f;
  variable spared{"SSL_CERT_FILE", "/dev/null"};
  variable replaced{"EXTRA", "old"};
  auto path = with_plugin(
      f,
      "echo \"$1|$2|$EXTRA|$SSL_CERT_FILE|$PATH\" > " + f / "seen"
          + "\nprintf %s \"$KUBERNETES_EXEC_INFO\" > " + f / "told" + "\n"
          + "read line && exit 9\n" + say(plugin_reply(R"("token":"t")")),
      ", provideClusterInfo: true, args: [a b, '$HOME'], "
      "env: [{name: EXTRA, value: new}]");
  must_read(from_kubeconfig(path));
  auto text_of = [&](const char* name) {
    std::ifstream in{f / name};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  BOOST_CHECK_EQUAL(text_of("seen"), std::string{"a b|$HOME|new||"}
                                         + std::getenv("PATH") + "\n");
  auto reported = text_of("told");
  for (const std::string& part :
       {std::string{R"("apiVersion":"client.authentication.k8s.io/v1")"},
        std::string{R"("kind":"ExecCredential")"},
        std::string{R"("interactive":false)"},
        std::string{R"("server":"https://host:6443")"},
        std::string{R"("config":{"audience":"me","deep":[1,true,"yes"]})"},
        R"("certificate-authority-data":")" + to_base64(authority().cert)})
    BOOST_CHECK_MESSAGE(reported.find(part) != std::string::npos,
                        part << reported);
}

BOOST_AUTO_TEST_CASE(a_plugin_that_is_not_there_is_named_with_its_hint) {
  folder f;
  auto path = f.write(
      "config",
      kubeconfig(plain_server,
                 "exec: {command: no-such-plugin, installHint: 'get it from "
                 "the vendor', apiVersion: client.authentication.k8s.io/v1}"));
  auto r = from_kubeconfig(path);
  check_refused(r, "user \"u\": exec: cannot run no-such-plugin");
  check_refused(r, "; get it from the vendor");
  path = f.write("config",
                 kubeconfig(plain_server, "exec: {command: ./none, apiVersion: "
                                          "client.authentication.k8s.io/v1}"));
  check_refused(from_kubeconfig(path), "is it installed and in PATH?");
}

BOOST_AUTO_TEST_CASE(a_plugin_that_answers_badly_is_refused) {
  const std::pair<std::string, const char*> rows[] = {
      {"exit 3", "failed with code 3"},
      {"kill -9 $$", "failed with signal 9"},
      {"true", "did not print an ExecCredential"},
      {"echo hello", "did not print an ExecCredential"},
      {"echo '{}'", "did not print an ExecCredential"},
      {"echo '{\"kind\":5}'", "did not print an ExecCredential"},
      {"echo '[]'", "did not print an ExecCredential"},
      {say(plugin_reply("")), "neither a token nor a certificate"},
      {say(plugin_reply(R"("token":7)")), "neither a token nor a certificate"},
      {say(plugin_reply(R"("token":"a")", "v1beta1")),
       "answered with apiVersion \"client.authentication.k8s.io/v1beta1\""},
      {say(plugin_reply(R"("clientCertificateData":"x")")), "only one of"},
      {say(plugin_reply(R"("clientCertificateData":"x","clientKeyData":"y")")),
       "unusable credential"},
      {"while :; do echo endless talk; done", "wrote too much"},
  };
  folder f;
  for (const auto& [script, part] : rows)
    check_refused(from_kubeconfig(with_plugin(f, script)), part);
}

// -- in a cluster -------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_service_account_is_read_and_its_token_again) {
  folder f;
  variable host{"KUBERNETES_SERVICE_HOST", "fd00::1"};
  variable port{"KUBERNETES_SERVICE_PORT", "443"};
  f.write("ca.crt", authority().cert);
  f.write("namespace", "training\n");
  f.write("token", "one");
  auto c = must_read(in_cluster(f / ""));
  BOOST_CHECK_EQUAL(c.server, "https://[fd00::1]:443");
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  BOOST_CHECK_EQUAL(c.default_namespace, "training");
  BOOST_CHECK_EQUAL(must_log_in(c).token, "one");
  f.write("token", "two\n");
  auto l = must_log_in(c);
  BOOST_CHECK_EQUAL(l.token, "two");
  BOOST_CHECK(l.life <= std::chrono::minutes{1});
  f.write("token", "");
  BOOST_CHECK(!c.get_credential());
}

BOOST_AUTO_TEST_CASE(an_unusable_service_account_is_named) {
  folder f;
  variable host{"KUBERNETES_SERVICE_HOST", "10.0.0.1"};
  variable port{"KUBERNETES_SERVICE_PORT", "443"};
  check_refused(in_cluster(f / "x"), "x/ca.crt: No such file");
  f.write("ca.crt", "hello");
  check_refused(in_cluster(f / ""), "holds no certificate");
  f.write("ca.crt", authority().cert);
  check_refused(in_cluster(f / ""), "token: No such file");
  variable empty{"KUBERNETES_SERVICE_PORT", ""};
  check_refused(in_cluster(f / ""), "not in a cluster");
}

// -- which one ----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_flag_wins_then_the_environment_then_home) {
  folder f;
  variable no_cluster{"KUBERNETES_SERVICE_HOST", ""};
  variable home{"HOME", f / "home"};
  auto one = f.write("one", kubeconfig("server: http://one", ""));
  auto two = f.write("two", kubeconfig("server: http://two", ""));
  {
    variable list{"KUBECONFIG", f / "missing" + "::" + two};
    BOOST_CHECK_EQUAL(must_read(find_client_config(one)).server, "http://one");
    BOOST_CHECK_EQUAL(must_read(find_client_config("")).server, "http://two");
    check_refused(find_client_config("", "other"), "no context \"other\"");
  }
  {
    variable list{"KUBECONFIG", f / "missing"};
    check_refused(find_client_config(""), "no such file exists");
  }
  variable none{"KUBECONFIG", ""};
  check_refused(find_client_config(""), "no cluster to talk to");
  f.write("home/.kube/config", kubeconfig("server: http://home", ""));
  BOOST_CHECK_EQUAL(must_read(find_client_config("")).server, "http://home");
}
