#include "actors/process/operator_options.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;

namespace {

config::settings with(const config::assignments& said) {
  auto s = config::apply_assignments({}, said);
  BOOST_REQUIRE(s);
  return *s;
}

actor_options options_of(const config::settings& s, unsigned cores = 4) {
  return make_actor_options(s, {}, cores, true);
}

std::string names_of(const std::vector<const core::framework*>& kinds) {
  std::string names;
  for (const auto* kind : kinds)
    names += (names.empty() ? "" : " ") + kind->names.type.kind;
  return names;
}

} // namespace

BOOST_AUTO_TEST_SUITE(operator_options_test)

BOOST_AUTO_TEST_CASE(all_kinds_are_enabled_unless_some_are_named) {
  BOOST_TEST(enabled_kinds({}).size() == frameworks::all().size());
  BOOST_TEST(names_of(enabled_kinds(with({{"enable-scheme", "mpijob", ""},
                                          {"enable-scheme", "TFJOB", ""}})))
             == "TFJob MPIJob MPIJob"); // Both versions.
}

BOOST_AUTO_TEST_CASE(a_version_of_a_kind_is_enabled_alone) {
  auto versions = [](const char* scheme) {
    std::string all;
    for (const auto* kind :
         enabled_kinds(with({{"enable-scheme", scheme, ""}})))
      all += " " + kind->names.type.version;
    return all;
  };
  BOOST_TEST(versions("DIJob") == " v1alpha1 v2alpha1");
  BOOST_TEST(versions("dijob.v2alpha1") == " v2alpha1");
  BOOST_TEST(versions("TFJob.v1") == " v1");
  BOOST_TEST(versions("MPIJob") == " v1 v2beta1");
  BOOST_TEST(versions("MPIJob.v2beta1") == " v2beta1");
}

BOOST_AUTO_TEST_CASE(no_namespace_means_all) {
  struct {
    const char* setting;
    strings watched;
  } rows[] = {{"", {""}}, {"a", {"a"}}, {"a,b", {"a", "b"}}, {"a,", {"a", ""}}};
  for (const auto& r : rows)
    BOOST_TEST(namespaces_to_watch(r.setting) == r.watched,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unchanged_settings_give_these_options) {
  auto o = options_of({});
  BOOST_TEST(o.namespaces == strings{""}, boost::test_tools::per_element());
  BOOST_TEST(o.gateways == 1);
  BOOST_TEST(o.child_watchers == 1);
  BOOST_TEST(o.directories == 2); // One per thread, one thread for two cores.
  BOOST_TEST(o.window_first == 16);
  BOOST_TEST(o.window_most == 64);
  BOOST_TEST(o.namespace_window == 0);
  BOOST_TEST(o.calls_per_second == 0);
  BOOST_TEST(o.group_window_first == 8);
  BOOST_TEST(o.group_window_most == 64);
  BOOST_TEST(o.events_in_flight == 4);
  BOOST_TEST(o.list_page == 500);
  BOOST_TEST((o.call_limit == 30s));
  BOOST_TEST((o.watch_limit == 300s));
  BOOST_TEST((o.watch_idle == 150s));
  BOOST_TEST((o.status_interval == 1s));
  BOOST_TEST((o.drain == 4s));
  BOOST_TEST(o.reconcile_enabled);
}

BOOST_AUTO_TEST_CASE(gateways_share_the_rate_and_the_burst) {
  struct {
    const char* gateways;
    const char* qps;
    const char* burst;
    double calls_per_second;
    int calls_burst;
  } rows[] = {{"1", "20", "30", 20, 30},
              {"2", "20", "30", 10, 15},
              {"2", "20", "0", 10, 20},
              {"4", "1", "2", 0.25, 1},
              {"3", "0", "0", 0, 1}};
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.gateways << " gateways, rate " << r.qps) {
      auto o = options_of(with({{"gateways", r.gateways, ""},
                                {"kube-api-qps", r.qps, ""},
                                {"kube-api-burst", r.burst, ""}}));
      BOOST_TEST(o.calls_per_second == r.calls_per_second);
      BOOST_TEST(o.calls_burst == r.calls_burst);
    }
}

BOOST_AUTO_TEST_CASE(there_are_as_many_directories_as_threads_unless_named) {
  struct {
    const char* threads;
    const char* directories;
    unsigned cores;
    int count;
  } rows[] = {
      {"0", "0", 1, 1}, {"0", "0", 8, 4}, {"3", "0", 8, 3}, {"3", "5", 8, 5}};
  for (const auto& r : rows)
    BOOST_TEST(options_of(with({{"controller-threads", r.threads, ""},
                                {"directories", r.directories, ""}}),
                          r.cores)
                   .directories
               == r.count);
}

BOOST_AUTO_TEST_CASE(who_only_serves_requests_of_pods_does_not_reconcile) {
  BOOST_TEST(!make_actor_options({}, {}, 1, false).reconcile_enabled);
}

BOOST_AUTO_TEST_CASE(webhooks_are_reached_by_service_or_by_url) {
  struct {
    config::assignments said;
    strings hosts;
  } rows[] = {
      {{},
       {"training-operator.ns.svc", "training-operator.ns.svc.cluster.local",
        "training-operator.ns"}},
      {{{"webhook-service-name", "hooks", ""},
        {"cluster-domain", "example.org", ""}},
       {"hooks.ns.svc", "hooks.ns.svc.example.org", "hooks.ns"}},
      {{{"webhook-url", "https://Host.Example:9443", ""}},
       {"host.example", "training-operator.ns.svc",
        "training-operator.ns.svc.cluster.local", "training-operator.ns"}},
      {{{"webhook-url", "https://[fd00::1]:9443", ""}},
       {"fd00::1", "training-operator.ns.svc",
        "training-operator.ns.svc.cluster.local", "training-operator.ns"}},
      {{{"progress-url", "https://Reports.Example:9443/progress", ""}},
       {"training-operator.ns.svc", "training-operator.ns.svc.cluster.local",
        "training-operator.ns", "reports.example"}},
      {{{"webhook-url", "https://one.example:9443", ""},
        {"progress-url", "https://one.example:9443/progress", ""}},
       {"one.example", "training-operator.ns.svc",
        "training-operator.ns.svc.cluster.local", "training-operator.ns"}},
  };
  for (const auto& r : rows)
    BOOST_TEST(webhook_hosts(with(r.said), "ns") == r.hosts,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(certificates_live_as_long_as_the_settings_say) {
  auto c = make_rotator_config(with({{"webhook-certificate-life", "2h", ""},
                                     {"webhook-authority-life", "5h", ""},
                                     {"webhook-secret-name", "certs", ""},
                                     {"enable-scheme", "TFJob", ""},
                                     {"webhook-url", "https://host", ""}}),
                               "ns");
  BOOST_TEST(c.ns == "ns");
  BOOST_TEST(c.secret == "certs");
  BOOST_TEST((c.certificates.serving_life == 2h));
  BOOST_TEST((c.certificates.authority_life == 5h));
  BOOST_TEST(c.certificates.hosts.front() == "host");
  BOOST_TEST(names_of(c.configuration.kinds) == "TFJob");
  BOOST_TEST(c.configuration.url == "https://host");
}

BOOST_AUTO_TEST_CASE(di_server_listens_if_it_has_an_address_and_a_kind) {
  struct {
    const char* address;
    const char* kind;
    bool enabled;
  } rows[] = {{":8083", "DIJob", true},
              {":8083", "TFJob", false},
              {"0", "DIJob", false},
              {"", "DIJob", false}};
  for (const auto& r : rows)
    BOOST_TEST(
        is_di_server_enabled(with({{"di-server-bind-address", r.address, ""},
                                   {"enable-scheme", r.kind, ""}}))
        == r.enabled);
}

BOOST_AUTO_TEST_CASE(pods_are_told_where_di_server_listens_unless_named) {
  core::cluster_options unnamed;
  unnamed.di_server_address = "";
  unnamed.di_server_url = "";
  auto s = with({{"di-server-bind-address", "127.0.0.1:0", ""}});
  auto c = fill_in_di_server_addresses(unnamed, s, 40000);
  BOOST_TEST(c.di_server_address == "127.0.0.1:40000");
  BOOST_TEST(c.di_server_url == "http://127.0.0.1:40000");
  core::cluster_options named;
  named.di_server_address = "di-server:8080";
  named.di_server_url = "http://di-server:8081";
  c = fill_in_di_server_addresses(named, s, 40000);
  BOOST_TEST(c.di_server_address == "di-server:8080");
  BOOST_TEST(c.di_server_url == "http://di-server:8081");
  s = with({{"di-server-bind-address", "[::1]:8083", ""}});
  BOOST_TEST(fill_in_di_server_addresses(unnamed, s, 8083).di_server_address
             == "[::1]:8083");
}

BOOST_AUTO_TEST_CASE(other_replicas_reach_di_server_by_the_pods_address) {
  BOOST_TEST(advertised_leader_address("", 8083) == "");
  BOOST_TEST(advertised_leader_address("10.0.0.1", 8083) == "10.0.0.1:8083");
  BOOST_TEST(advertised_leader_address("fd00::1", 8083) == "[fd00::1]:8083");
  BOOST_TEST(advertised_leader_address("[fd00::1]", 8083) == "[fd00::1]:8083");
}

BOOST_AUTO_TEST_SUITE_END()
