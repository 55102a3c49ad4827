#include "tests/k8s/rest/credentials_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(credentials_test)

BOOST_AUTO_TEST_CASE(a_service_account_is_read_and_its_token_again) {
  temporary_directory f;
  environment_variable host{"KUBERNETES_SERVICE_HOST", "fd00::1"};
  environment_variable port{"KUBERNETES_SERVICE_PORT", "443"};
  f.write("ca.crt", authority().cert);
  f.write("namespace", "training\n");
  f.write("token", "one");
  auto c = must_read(in_cluster_config(f / ""));
  BOOST_CHECK_EQUAL(c.server, "https://[fd00::1]:443");
  BOOST_CHECK_EQUAL(c.ca_pem, authority().cert);
  BOOST_CHECK_EQUAL(c.default_namespace, "training");
  BOOST_CHECK_EQUAL(must_get_credential(c).token, "one");
  f.write("token", "two\n");
  auto l = must_get_credential(c);
  BOOST_CHECK_EQUAL(l.token, "two");
  BOOST_CHECK(l.life <= std::chrono::minutes{1});
  f.write("token", "");
  BOOST_CHECK(!c.get_credential());
  f.write("ca.crt", admin().cert);
  auto authorities = c.get_authorities();
  BOOST_REQUIRE(bool(authorities));
  BOOST_CHECK_EQUAL(*authorities, admin().cert);
}

BOOST_AUTO_TEST_CASE(the_environment_names_a_proxy) {
  temporary_directory f;
  environment_variable lower{"https_proxy", ""};
  environment_variable lower_exempt{"no_proxy", ""};
  environment_variable exempt{"NO_PROXY", ".corp"};
  auto with = [&](const std::string& proxy, const std::string& cluster) {
    environment_variable set{"HTTPS_PROXY", proxy};
    return config_from_kubeconfig(f.write("config", kubeconfig(cluster, "")));
  };
  BOOST_TEST(must_read(with("http://p:3128", plain_server)).proxy_url
             == "http://p:3128");
  BOOST_TEST(
      must_read(with("http://p:3128", "server: 'https://api.corp'")).proxy_url
      == "");
  BOOST_TEST(must_read(with("http://p", plain_server + ", proxy-url: http://q"))
                 .proxy_url
             == "http://q");
  auto refused = with("socks5://p", plain_server);
  check_refused(refused, "HTTPS_PROXY: a proxy of the kind socks5://");
  check_refused(refused, "or name the server in NO_PROXY");
}

BOOST_AUTO_TEST_CASE(an_unusable_service_account_is_named) {
  temporary_directory f;
  environment_variable host{"KUBERNETES_SERVICE_HOST", "10.0.0.1"};
  environment_variable port{"KUBERNETES_SERVICE_PORT", "443"};
  check_refused(in_cluster_config(f / "x"),
                "x/ca.crt: cannot be read: No such file");
  f.write("ca.crt", "hello");
  check_refused(in_cluster_config(f / ""), "holds no certificate");
  f.write("ca.crt", authority().cert);
  check_refused(in_cluster_config(f / ""),
                "token: cannot be read: No such file");
  environment_variable empty{"KUBERNETES_SERVICE_PORT", ""};
  check_refused(in_cluster_config(f / ""), "not in a cluster");
}

BOOST_AUTO_TEST_CASE(the_flag_wins_then_the_environment_then_home) {
  temporary_directory f;
  environment_variable no_cluster{"KUBERNETES_SERVICE_HOST", ""};
  environment_variable home{"HOME", f / "home"};
  auto one = f.write("one", kubeconfig("server: http://one", ""));
  auto two = f.write("two", kubeconfig("server: http://two", ""));
  {
    environment_variable list{"KUBECONFIG", f / "missing" + "::" + two};
    BOOST_CHECK_EQUAL(must_read(load_client_config(one)).server, "http://one");
    BOOST_CHECK_EQUAL(must_read(load_client_config("")).server, "http://two");
    check_refused(load_client_config("", "other"), "no context \"other\"");
  }
  {
    environment_variable list{"KUBECONFIG", f / "missing"};
    check_refused(load_client_config(""), "no such file exists");
  }
  environment_variable none{"KUBECONFIG", ""};
  check_refused(load_client_config(""), "no cluster to talk to");
  f.write("home/.kube/config", kubeconfig("server: http://home", ""));
  BOOST_CHECK_EQUAL(must_read(load_client_config("")).server, "http://home");
}

BOOST_AUTO_TEST_SUITE_END()
