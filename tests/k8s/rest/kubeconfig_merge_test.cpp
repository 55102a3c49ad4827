// Several kubeconfigs as one.
#include "tests/k8s/rest/credentials_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(kubeconfig_merge_test)

namespace {

std::string one_cluster(const std::string& name, const std::string& fields) {
  return "clusters: [{name: " + name + ", cluster: {" + fields + "}}]\n";
}

std::string one_user(const std::string& name, const std::string& fields) {
  return "users: [{name: " + name + ", user: {" + fields + "}}]\n";
}

std::string one_context(const std::string& name, const std::string& fields) {
  return "contexts: [{name: " + name + ", context: {" + fields + "}}]\n";
}

} // namespace

BOOST_AUTO_TEST_CASE(entries_may_stand_in_any_file) {
  auto c = must_read(load_kubeconfigs(
      {{"a", one_context("x", "cluster: c, user: u, namespace: team")},
       {"b", one_cluster("c", "server: 'https://h'")},
       {"d", "current-context: x\n" + one_user("u", "token: t")}}));
  BOOST_TEST(c.server == "https://h");
  BOOST_TEST(c.default_namespace == "team");
  BOOST_TEST(c.origin == "a (context x)");
  BOOST_TEST(must_get_credential(c).token == "t");
}

// What the second file has in addition, of an entry of the same name, is not
// added to the first.
BOOST_AUTO_TEST_CASE(the_first_entry_of_a_name_counts_as_a_whole) {
  auto context = one_context("x", "cluster: c, user: u");
  auto c = must_read(load_kubeconfigs(
      {{"a", "current-context: x\n" + context
                 + one_cluster("c", "server: 'https://one'")
                 + one_user("u", "token: one")},
       {"b", "current-context: y\n"
                 + one_context("x", "cluster: c, user: u, namespace: two")
                 + one_cluster("c", "server: 'https://two', "
                                    "tls-server-name: two, "
                                    "insecure-skip-tls-verify: true")
                 + one_user("u", "token: two, as: two")}}));
  BOOST_TEST(c.server == "https://one");
  BOOST_TEST(c.tls_server_name == "");
  BOOST_TEST(!c.insecure);
  BOOST_TEST(c.default_namespace == "default");
  BOOST_TEST(must_get_credential(c).token == "one");
}

BOOST_AUTO_TEST_CASE(the_first_current_context_that_is_set_counts) {
  auto both = "contexts: [{name: x, context: {cluster: c, namespace: of-x}}, "
              "{name: y, context: {cluster: c, namespace: of-y}}]\n"
              + one_cluster("c", "server: 'https://h'");
  const struct {
    const char *first, *second, *ns;
  } table[] = {{"current-context: x", "current-context: y", "of-x"},
               {"current-context: ''", "current-context: y", "of-y"},
               {"{}", "current-context: y", "of-y"}};
  for (const auto& row : table) {
    auto c = must_read(load_kubeconfigs(
        {{"a", row.first}, {"b", std::string{row.second} + "\n" + both}}));
    BOOST_TEST(c.default_namespace == row.ns, row.first);
  }
}

BOOST_AUTO_TEST_CASE(paths_are_relative_to_the_file_that_they_stand_in) {
  temporary_directory f;
  f.write("one/ca.crt", authority().cert);
  f.write("two/token", "of-two");
  auto one =
      f.write("one/config", "current-context: x\n"
                                + one_context("x", "cluster: c, user: u")
                                + one_cluster("c", "server: 'https://h', "
                                                   "certificate-authority: "
                                                   "ca.crt"));
  auto two = f.write("two/config", one_user("u", "tokenFile: token"));
  environment_variable list{"KUBECONFIG",
                            one + ":" + f / "missing" + ":" + two};
  auto c = must_read(load_client_config(""));
  BOOST_TEST(c.ca_pem == authority().cert);
  BOOST_TEST(must_get_credential(c).token == "of-two");
}

BOOST_AUTO_TEST_CASE(a_fault_is_named_with_the_file_that_has_it) {
  auto first = "current-context: x\n" + one_context("x", "cluster: c, user: u");
  const std::pair<std::string, const char*> table[] = {
      {one_cluster("c", "server: 'ftp://h'"), "b: cluster \"c\": server is"},
      {one_cluster("c", "server: 'https://h'") + one_user("u", "as: a"),
       "b: user \"u\": as is not supported"},
      {one_cluster("d", "server: 'https://h'"),
       "a: context \"x\" names the cluster \"c\""},
      {"a: [", "the kubeconfig b is not YAML"},
      {"[]", "the kubeconfig b is not a map"},
  };
  for (const auto& [second, part] : table)
    check_refused(load_kubeconfigs({{"a", first}, {"b", second}}), part);
  check_refused(load_kubeconfigs({{"a", first}, {"b", "{}"}}, "z"),
                "a:b: there is no context \"z\"");
  check_refused(load_kubeconfigs({{"a", "{}"}, {"b", "{}"}}),
                "a:b: current-context is not set");
}

BOOST_AUTO_TEST_SUITE_END()
