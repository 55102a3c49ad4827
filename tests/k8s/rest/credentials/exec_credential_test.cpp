#include "k8s/general/base64.hpp"
#include "tests/k8s/rest/credentials_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(exec_credential_test)

namespace {

/// A kubeconfig whose user is a shell script.
std::string with_plugin(const temporary_directory& f, const std::string& script,
                        const std::string& more = "",
                        const std::string& version = "v1") {
  f.write("plugin", "#!/bin/sh\n" + script);
  std::filesystem::permissions(f / "plugin", std::filesystem::perms::owner_all);
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
  temporary_directory f;
  for (auto version : {"v1", "v1beta1"}) {
    std::filesystem::remove(f / "count");
    auto path = with_plugin(
        f,
        "echo >> " + f / "count" + "\nn=$(wc -l < " + f / "count" + ")\n"
            + say("") + "echo '"
            + plugin_reply(R"("token":"t'$n'",)"
                           R"("expirationTimestamp":"2100-01-01T00:00:00Z")",
                           version)
            + "'",
        "", version);
    auto c = must_read(config_from_kubeconfig(path));
    auto l = must_get_credential(c);
    BOOST_CHECK_EQUAL(l.token, "t1"); // Run once so far.
    BOOST_CHECK(l.life == std::chrono::hours{24});
    BOOST_CHECK(l.valid > l.life);
    BOOST_CHECK_EQUAL(must_get_credential(c).token, "t2");
  }
}

BOOST_AUTO_TEST_CASE(a_plugin_gives_a_certificate) {
  temporary_directory f;
  auto in_json = [](std::string pem) {
    for (std::size_t i = 0; (i = pem.find('\n', i)) != std::string::npos;)
      pem.replace(i, 1, "\\n");
    return pem;
  };
  auto c = must_read(config_from_kubeconfig(with_plugin(
      f, say(plugin_reply(
             R"("clientCertificateData":")" + in_json(admin().cert)
             + R"(","clientKeyData":")" + in_json(admin().key)
             + R"(","expirationTimestamp":"2001-01-01T00:00:00Z")")))));
  auto l = must_get_credential(c);
  BOOST_CHECK_EQUAL(l.client_cert_pem, admin().cert);
  BOOST_CHECK_EQUAL(l.client_key_pem, admin().key);
  BOOST_CHECK_EQUAL(l.life.count(), 10);
}

BOOST_AUTO_TEST_CASE(a_plugin_knows_arguments_environment_and_cluster) {
  temporary_directory f;
  environment_variable kept{"SSL_CERT_FILE", "/etc/own.pem"};
  environment_variable replaced{"EXTRA", "old"};
  auto path = with_plugin(
      f,
      "echo \"$1|$2|$EXTRA|$SSL_CERT_FILE|$PATH\" > " + f / "seen"
          + "\nprintf %s \"$KUBERNETES_EXEC_INFO\" > " + f / "reported" + "\n"
          + "read line && exit 9\n" + say(plugin_reply(R"("token":"t")")),
      ", provideClusterInfo: true, args: [a b, '$HOME'], "
      "env: [{name: EXTRA, value: new}]");
  must_read(config_from_kubeconfig(path));
  auto text_of = [&](const char* name) {
    std::ifstream in{f / name};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  BOOST_CHECK_EQUAL(text_of("seen"), std::string{"a b|$HOME|new|/etc/own.pem|"}
                                         + std::getenv("PATH") + "\n");
  auto reported = text_of("reported");
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
  temporary_directory f;
  auto path = f.write(
      "config",
      kubeconfig(plain_server,
                 "exec: {command: no-such-plugin, installHint: 'get it from "
                 "the vendor', apiVersion: client.authentication.k8s.io/v1}"));
  auto r = config_from_kubeconfig(path);
  check_refused(r, "user \"u\": exec: cannot run no-such-plugin");
  check_refused(r, "; get it from the vendor");
  path = f.write("config",
                 kubeconfig(plain_server, "exec: {command: ./none, apiVersion: "
                                          "client.authentication.k8s.io/v1}"));
  check_refused(config_from_kubeconfig(path), "is it installed and in PATH?");
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
  temporary_directory f;
  for (const auto& [script, part] : rows)
    check_refused(config_from_kubeconfig(with_plugin(f, script)), part);
}

BOOST_AUTO_TEST_SUITE_END()
