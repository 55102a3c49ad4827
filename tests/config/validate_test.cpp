#include "config/setting_rows.hpp"
#include "config/settings.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::config;

namespace {

/// What is wrong after saying NAME=VALUE for each pair; "" if nothing.
std::string
verdict(const std::vector<std::pair<const char*, const char*>>& said) {
  settings s;
  for (const auto& [name, value] : said) {
    auto r = find_setting_row(name);
    BOOST_REQUIRE(r != nullptr);
    BOOST_REQUIRE(set_setting_from_text(*r, s, value));
  }
  auto got = validate_settings(s, {"TFJob", "PyTorchJob"});
  return got ? "" : got.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(validate_)

BOOST_AUTO_TEST_CASE(the_defaults_are_valid) {
  BOOST_TEST(verdict({}) == "");
}

BOOST_AUTO_TEST_CASE(legal_settings_pass) {
  BOOST_TEST(verdict({{"enable-scheme", "tfjob,PYTORCHJOB"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", "[::1]:0"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", "localhost:1"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", "127.1.2.3:1"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", "[::ffff:127.0.0.1]:1"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", "0"}}) == "");
  BOOST_TEST(verdict({{"admin-bind-address", ":8082"},
                      {"admin-token-file", "token"},
                      {"admin-tls-cert-file", "cert.pem"},
                      {"admin-tls-key-file", "key.pem"}})
             == "");
  // Port 0 is a free one, so it may be said thrice.
  BOOST_TEST(verdict({{"metrics-bind-address", ":0"},
                      {"health-probe-bind-address", ":0"},
                      {"admin-bind-address", "127.0.0.1:0"}})
             == "");
  BOOST_TEST(verdict({{"kube-api-qps", "20"}, {"kube-api-burst", "30"}}) == "");
  for (const char* url :
       {"https://10.0.0.1:9443", "https://host.example", "https://[::1]:9443"})
    BOOST_TEST(verdict({{"webhook-url", url}}) == "");
}

BOOST_AUTO_TEST_CASE(jobs_without_a_queue_wait_in_namespaces_that_can_be) {
  auto verdict_on = [](const char* names, const char* kueue = "auto") {
    return verdict({{"kueue-jobs-without-queue", names}, {"kueue", kueue}});
  };
  BOOST_TEST(verdict_on("team-a,team-b,*") == "");
  for (std::string wrong : {"Team", "-a", "a-", "a.b", "*a"})
    BOOST_TEST(verdict_on(wrong.c_str())
               == "kueue-jobs-without-queue has \"" + wrong
                      + "\", which is no name of a namespace; name one, or * "
                        "for all");
  BOOST_TEST(verdict_on(std::string(64, 'a').c_str()) != "");
  BOOST_TEST(verdict_on("a", "off")
             == "kueue-jobs-without-queue contradicts kueue, which is off; "
                "leave one of them out");
}

BOOST_AUTO_TEST_CASE(pods_report_to_an_https_url_with_or_without_a_path) {
  for (const char* url :
       {"https://host.example", "https://10.0.0.1:9443",
        "https://host.example/progress", "https://[fd00::1]",
        "https://[fd00::1]:9443/a/b-c_d.e~f", "https://h:1", "https://H:65535"})
    BOOST_TEST(verdict({{"progress-url", url}}) == "", url);
  const std::string scheme = "begin it with https://; pods send their tokens "
                             "there";
  const std::string host = "name the host, a DNS name or an IP address "
                           "([::1]), and, if it is not 443, the port from 1 "
                           "to 65535";
  const std::string query = "leave out the query and the fragment; paths of "
                            "jobs are appended";
  const std::string user = "leave out the user; pods have tokens";
  const std::string slash = "leave out the slash at its end";
  const std::string path = "use a path of names of letters, digits, -, _, . "
                           "and ~";
  const auto long_host = "https://" + std::string(254, 'a');
  const std::pair<const char*, std::string> table[] = {
      {"http://host/progress", scheme},
      {"host", scheme},
      {"HTTPS://host", scheme},
      {"https:/host", scheme},
      {" https://host", scheme},
      {"https://", host},
      {"https:///progress", host},
      {"https://:9443", host},
      {"https://host:", host},
      {"https://host:0", host},
      {"https://host:65536", host},
      {"https://host:1:2", host},
      {"https://host:port", host},
      {"https://ho st", host},
      {"https://ho\nst", host},
      {"https://-host", host},
      {"https://.host", host},
      {"https://fd00::1", host},
      {"https://[fd00::1", host},
      {"https://[]", host},
      {"https://[host]", host},
      {"https://[fd00::1]9443", host},
      {long_host.c_str(), host},
      {"https://host?a=b", query},
      {"https://host/progress?a", query},
      {"https://host/progress#a", query},
      {"https://user@host/progress", user},
      {"https://user:word@host:9443", user},
      {"https://host/", slash},
      {"https://host/progress/", slash},
      {"https://host/a b", path},
      {"https://host/a%2f", path},
      {"https://host/a//b", path},
      {"https://host/../b", path},
      {"https://host/a/.", path},
      {"https://host//b", path},
      {"https://host/a\\b", path},
  };
  for (const auto& [url, fix] : table)
    BOOST_TEST(verdict({{"progress-url", url}})
               == "progress-url is \"" + std::string{url} + "\"; " + fix
                      + ", as in https://HOST:PORT/progress");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_with_its_fix) {
  const std::tuple<const char*, const char*, const char*> table[] = {
      {"gateways", "0", "gateways is 0; choose from 1 to 64"},
      {"kube-api-qps", "-1", "kube-api-qps is -1; choose from 0 to 1000000"},
      {"stop-limit", "9s", "stop-limit is 9s; choose from 0s to 4.5s"},
      {"window-most", "8",
       "window-first is 16, above window-most (8); lower it or raise the "
       "other"},
      {"kube-api-burst", "5",
       "kube-api-burst is 5 but kube-api-qps is 0, no limit; name a rate, or "
       "leave one of them out"},
      {"metrics-bind-address", "8080",
       "metrics-bind-address is \"8080\"; must be HOST:PORT, :PORT, or 0 for "
       "off"},
      {"metrics-bind-address", ":99999",
       "metrics-bind-address is \":99999\"; must be HOST:PORT, :PORT, or 0 for "
       "off"},
      {"metrics-bind-address", "::1:80",
       "metrics-bind-address is \"::1:80\"; must be HOST:PORT, :PORT, or 0 for "
       "off"},
      {"metrics-bind-address", "127.0.0.1:8081",
       "metrics-bind-address is \"127.0.0.1:8081\", the port of "
       "health-probe-bind-address; give each a port of its own"},
      {"admin-bind-address", "0.0.0.0:8082",
       "admin-bind-address is \"0.0.0.0:8082\", which others can reach, "
       "without a token or without TLS; name admin-token-file, "
       "admin-tls-cert-file, admin-tls-key-file, or use 127.0.0.1"},
      {"admin-tls-key-file", "key.pem",
       "admin-tls-cert-file and admin-tls-key-file belong together; name "
       "both, or none"},
      {"webhook-url", "http://10.0.0.1:9443",
       "webhook-url is \"http://10.0.0.1:9443\"; must be https://HOST:PORT "
       "without a path"},
      {"webhook-url", "https://10.0.0.1:9443/path",
       "webhook-url is \"https://10.0.0.1:9443/path\"; must be "
       "https://HOST:PORT without a path"},
      {"webhook-url", "https://:9443",
       "webhook-url is \"https://:9443\"; must be https://HOST:PORT without a "
       "path"},
      {"webhook-url", "https://host:port",
       "webhook-url is \"https://host:port\"; must be https://HOST:PORT "
       "without "
       "a path"},
      {"webhook-authority-life", "9000h",
       "webhook-authority-life is 9000h, less than twice "
       "webhook-certificate-life (8760h); raise it or lower the other"},
      {"webhook-certificate-life", "1s",
       "webhook-certificate-life is 1s; choose from 3s to 1000000000s"},
      {"enable-scheme", "FooJob",
       "scheme FooJob is not supported yet (known: TFJob, PyTorchJob)"},
      {"log-level", "loud",
       "log-level is \"loud\"; choose one of debug, info, warn, error"},
      {"log-format", "xml", "log-format is \"xml\"; choose one of text, json"},
      {"log-time-encoding", "unix",
       "log-time-encoding is \"unix\"; choose one of iso8601, rfc3339, "
       "rfc3339nano, epoch, millis, nano"},
  };
  for (const auto& [name, value, want] : table)
    BOOST_TEST(verdict({{name, value}}) == want);
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_told_at_once) {
  auto text = verdict({{"gateways", "0"}, {"log-format", "xml"}});
  BOOST_TEST(text.find("gateways") != std::string::npos);
  BOOST_TEST(text.find("\nlog-format") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_token_alone_opens_no_remote_admin_page) {
  BOOST_TEST(
      verdict({{"admin-bind-address", ":8082"}, {"admin-token-file", "token"}})
      == "admin-bind-address is \":8082\", which others can reach, without a "
         "token or without TLS; name admin-tls-cert-file, admin-tls-key-file, "
         "or use 127.0.0.1");
}

BOOST_AUTO_TEST_CASE(a_name_that_looks_like_the_loopback_is_not_it) {
  // The server resolves names, and may find an address that others can reach.
  for (const std::string host :
       {"127.example.org", "127.0.0.1.example.org", "127.1", "127.",
        "localhost.example.org", "[::ffff:10.0.0.1]"}) {
    auto address = host + ":8082";
    BOOST_TEST(
        verdict({{"admin-bind-address", address.c_str()}})
        == "admin-bind-address is \"" + address
               + "\", which others can reach, without a token or without TLS; "
                 "name admin-token-file, admin-tls-cert-file, "
                 "admin-tls-key-file, or use 127.0.0.1");
  }
}

BOOST_AUTO_TEST_SUITE_END()
