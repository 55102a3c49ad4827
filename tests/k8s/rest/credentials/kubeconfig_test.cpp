#include "k8s/general/base64.hpp"
#include "k8s/rest/credentials/pem.hpp"
#include "tests/k8s/rest/credentials_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(kubeconfig_test)

BOOST_AUTO_TEST_CASE(a_kubeconfig_with_data_is_read) {
  temporary_directory f;
  auto path =
      f.write("config",
              kubeconfig(plain_server
                             + ", tls-server-name: api, "
                               "certificate-authority-data: "
                             + to_base64(authority().cert),
                         "client-certificate-data: " + to_base64(admin().cert)
                             + ", client-key-data: " + to_base64(admin().key)));
  auto c = must_read(config_from_kubeconfig(path));
  BOOST_CHECK_EQUAL(c.server, "https://host:6443");
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  BOOST_CHECK_EQUAL(c.tls_server_name, "api");
  BOOST_CHECK_EQUAL(c.default_namespace, "team");
  BOOST_CHECK_EQUAL(c.origin, path + " (context main)");
  BOOST_CHECK(!c.insecure);
  auto l = must_get_credential(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.client_key_pem, admin().key);
  BOOST_CHECK_EQUAL(l.token, "");
  BOOST_CHECK_EQUAL(l.life.count(), 0);
}

BOOST_AUTO_TEST_CASE(files_are_relative_to_the_kubeconfig) {
  temporary_directory f;
  f.write("pki/ca.crt", authority().cert);
  f.write("pki/me.crt", admin().cert);
  f.write("pki/me.key", admin().key);
  f.write("token", "sesame\n");
  auto path = f.write(
      "config", kubeconfig(plain_server + ", certificate-authority: pki/ca.crt",
                           "client-certificate: pki/me.crt, client-key: "
                               + f / "pki/me.key" + ", tokenFile: token"));
  auto c = must_read(config_from_kubeconfig(path));
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  auto l = must_get_credential(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.token, "sesame");
  BOOST_CHECK_GT(l.life.count(), 0);
  f.write("token", "changed");
  BOOST_CHECK_EQUAL(must_get_credential(c).token, "changed");
  std::filesystem::remove(f / "token");
  BOOST_CHECK(!c.get_credential());
}

// What is in the kubeconfig itself cannot change.
BOOST_AUTO_TEST_CASE(certificates_in_files_are_read_again) {
  temporary_directory f;
  f.write("ca.crt", authority().cert);
  f.write("me.crt", admin().cert);
  f.write("me.key", admin().key);
  auto path = f.write(
      "config", kubeconfig(plain_server + ", certificate-authority: ca.crt",
                           "client-certificate: me.crt, client-key: "
                           "me.key"));
  auto c = must_read(config_from_kubeconfig(path));
  BOOST_TEST(must_get_credential(c).client_cert_pem == admin().cert);
  BOOST_TEST(must_get_credential(c).life.count() > 0);
  BOOST_REQUIRE(bool(c.get_authorities));
  const auto renewed = make_certificate("admin");
  f.write("me.crt", renewed.cert); // Not yet its key.
  BOOST_TEST(!c.get_credential());
  f.write("me.key", renewed.key);
  BOOST_TEST(must_get_credential(c).client_cert_pem == renewed.cert);
  f.write("ca.crt", renewed.cert);
  auto authorities = c.get_authorities();
  BOOST_REQUIRE(bool(authorities));
  BOOST_TEST(*authorities == renewed.cert);
}

BOOST_AUTO_TEST_CASE(a_proxy_of_the_cluster_is_read) {
  temporary_directory f;
  auto path = f.write("config", kubeconfig(plain_server
                                               + ", proxy-url: "
                                                 "'http://me:pw@p:3128'",
                                           ""));
  BOOST_TEST(must_read(config_from_kubeconfig(path)).proxy_url
             == "http://me:pw@p:3128");
}

BOOST_AUTO_TEST_CASE(the_context_says_which_cluster_and_user) {
  temporary_directory f;
  auto path = f.write("config", kubeconfig("server: http://127.0.0.1:8080, "
                                           "insecure-skip-tls-verify: true",
                                           "token: abc"));
  BOOST_CHECK_EQUAL(
      must_get_credential(must_read(config_from_kubeconfig(path))).token,
      "abc");
  auto bare = must_read(config_from_kubeconfig(path, "bare"));
  BOOST_CHECK_EQUAL(must_get_credential(bare).token, "");
  BOOST_CHECK_EQUAL(bare.default_namespace, "default");
  BOOST_CHECK(bare.insecure);
  check_refused(config_from_kubeconfig(path, "other"),
                path + ": there is no context \"other\"");
  check_refused(config_from_kubeconfig(path, "lost"),
                "names the cluster \"nowhere\", which is not there");
  check_refused(config_from_kubeconfig(path, "nobody"),
                "names the user \"unknown\", which is not there");
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
      {"server: https", "", "must be https://HOST:PORT"},
      {"server: host:6443", "", "must be https://HOST:PORT"},
      {"server: 'https://a b'", "", "is no address"},
      {"server: 'https://::1:6443'", "", "is written https://[ADDRESS]:PORT"},
      {"server: 'https://me:secret@h'", "", "is no address"},
      {plain_server + ", proxy-url: 'socks5://p'", "",
       "proxy-url: a proxy of the kind socks5:// is not supported"},
      {plain_server + ", proxy-url: 'http://'", "",
       "proxy-url: a proxy must be http://HOST:PORT"},
      {plain_server + ", certificate-authority-data: '!!'", "",
       "cluster \"c\": certificate-authority-data is not base64"},
      {plain_server + ", certificate-authority-data: '===='", "",
       "certificate-authority-data is not base64"},
      {plain_server + ", certificate-authority-data: aGVsbG8=", "",
       "certificate-authority holds no certificate"},
      {plain_server + ", certificate-authority: missing.crt", "",
       "missing.crt: cannot be read: No such file"},
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
      {plain_server, "tokenFile: missing", "cannot be read"},
      {plain_server, "username: a, password: b", "username is not supported"},
      {plain_server, "auth-provider: {name: gcp}", "auth-provider is not"},
      {plain_server, "exec: {apiVersion: a}", "exec: command is missing"},
      {plain_server, "exec: {apiVersion: v9, command: a}",
       "apiVersion is \"v9\""},
      {plain_server, "exec: {command: a, interactiveMode: Always}",
       "interactiveMode is Always"},
  };
  temporary_directory f;
  for (const auto& row : rows) {
    auto path = f.write("config", kubeconfig(row.cluster, row.user));
    auto r = config_from_kubeconfig(path);
    check_refused(r, row.part);
    check_refused(r, path);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_kubeconfig_is_refused) {
  temporary_directory f;
  check_refused(config_from_kubeconfig(f / "missing"),
                "cannot be read: No such file");
  check_refused(config_from_kubeconfig(f / ""),
                "cannot be read: Is a directory");
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
    check_refused(config_from_kubeconfig(f.write("config", text)), part);
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_kubeconfig_is_read_or_refused) {
  temporary_directory f;
  auto text = kubeconfig(plain_server, "token: abc, exec: {command: x}");
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto r = config_from_kubeconfig(f.write("config", text.substr(0, i)));
    BOOST_CHECK(r || !r.error().message.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
