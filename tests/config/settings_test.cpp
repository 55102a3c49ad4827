#include "config/settings.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace troupe::config;

namespace {

const std::vector<std::string> kinds{"TFJob"};

/// A temporary file.
struct temporary {
  explicit temporary(const std::string& text) { std::ofstream(path) << text; }

  troupe::fixtures::scratch_directory scratch;
  std::string path = scratch.path() + "/file";
};

} // namespace

BOOST_AUTO_TEST_SUITE(settings_)

BOOST_AUTO_TEST_CASE(flags_go_before_environment_before_file_before_defaults) {
  temporary file("namespace: file\ncluster-domain: file\ngateways: 7\n");
  auto got = load_settings(
      file.path,
      {{"KUBEFLOW_NAMESPACE", "env"}, {"CUSTOM_CLUSTER_DOMAIN", "env"}},
      {{"namespace", "flag", "--namespace"}}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->ns == "flag");
  BOOST_TEST(got->cluster_domain == "env");
  BOOST_TEST(got->gateways == 7);
}

BOOST_AUTO_TEST_CASE(a_burst_alone_brings_the_rate_of_upstream) {
  auto got = load_settings("", {}, {{"kube-api-burst", "50", "--x"}}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->kube_api_qps == 20);
  BOOST_TEST(got->effective_api_burst() == 50);
  // A rate that somebody named stays, wherever it was named.
  temporary file("kube-api-qps: 7\n");
  got = load_settings(file.path, {}, {{"kube-api-burst", "50", "--x"}}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->kube_api_qps == 7);
  got = load_settings(
      "", {}, {{"kube-api-qps", "0", "--x"}, {"kube-api-burst", "50", "--x"}},
      kinds);
  BOOST_REQUIRE(!got);
  BOOST_TEST(got.error().message
             == "kube-api-burst is 50 but kube-api-qps is 0, no limit; name a "
                "rate, or leave one of them out");
  // Neither: no limit.
  got = load_settings("", {}, {}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->kube_api_qps == 0);
}

BOOST_AUTO_TEST_CASE(an_empty_variable_says_nothing) {
  auto got = load_settings("", {{"KUBEFLOW_NAMESPACE", ""}}, {}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->ns == "");
}

BOOST_AUTO_TEST_CASE(a_list_of_a_later_layer_replaces_the_earlier_one) {
  temporary file("enable-scheme: [TFJob, TFJob]\n");
  auto got =
      load_settings(file.path, {}, {{"enable-scheme", "tfjob", ""}}, kinds);
  BOOST_REQUIRE(got);
  BOOST_TEST(got->enable_schemes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_wrong_value_names_where_it_was_said) {
  const std::pair<assignment, const char*> table[] = {
      {{"gateways", "many", "--gateways"},
       "invalid argument \"many\" for \"--gateways\" flag: must be an integer"},
      {{"gateways", "99999999999", "f:3"},
       "f:3: invalid value \"99999999999\" for gateways: must be an integer "
       "from -2147483648 to 2147483647"},
      {{"kube-api-qps", "nan", "x"},
       "x: invalid value \"nan\" for kube-api-qps: must be a number"},
      {{"leader-elect", "yes", "x"},
       "x: invalid value \"yes\" for leader-elect: must be true or false"},
      {{"request-limit", "30", "x"},
       "x: invalid value \"30\" for request-limit: must be a duration such as "
       "300ms, 5s, 2m or 1h30m"},
      {{"nonsense", "1", "x"}, "x: there is no setting nonsense"},
      {{"namespace", "\xd0\xcd", "x"}, "x: namespace is not text in UTF-8"},
  };
  for (const auto& [said, want] : table) {
    auto got = apply_assignments({}, {said});
    BOOST_REQUIRE(!got);
    BOOST_TEST(got.error().message == want);
  }
}

BOOST_AUTO_TEST_CASE(the_former_name_of_controller_threads_is_still_read) {
  struct {
    const char* file;
    assignments flags;
    int threads;
    const char* origin; ///< "": the default.
  } rows[] = {
      {"scheduler-threads: 0\n", {}, 0, ""},
      {"scheduler-threads: 3\n", {}, 3, ":1"},
      // It goes before the other name, 0 excepted.
      {"scheduler-threads: 3\ncontroller-threads: 2\n", {}, 3, ":1"},
      {"scheduler-threads: 0\ncontroller-threads: 2\n", {}, 2, ":2"},
      {"scheduler-threads: 3\n",
       {{"controller-threads", "5", "--controller-threads"}},
       5,
       "--controller-threads"},
      {"controller-threads: 5\n",
       {{"scheduler-threads", "3", "--scheduler-threads"}},
       3,
       "--scheduler-threads"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.file) {
      temporary file(r.file);
      auto got = load_settings(file.path, {}, r.flags, kinds);
      BOOST_REQUIRE(got);
      BOOST_TEST(got->controller_threads == r.threads);
      auto origin = got->origins.find("controller-threads");
      auto shown =
          origin == got->origins.end() ? std::string{} : origin->second;
      BOOST_TEST(shown.size() >= std::string{r.origin}.size());
      BOOST_TEST(shown.substr(shown.size() - std::string{r.origin}.size())
                 == r.origin);
      BOOST_TEST(got->origins.count("scheduler-threads") == 0u);
    }
  auto got = apply_assignments(
      {}, {{"scheduler-threads", "x", "--scheduler-threads"}});
  BOOST_REQUIRE(!got);
  BOOST_TEST(got.error().message
             == "invalid argument \"x\" for \"--scheduler-threads\" flag: must "
                "be an integer");
}

BOOST_AUTO_TEST_CASE(zeroes_are_resolved) {
  settings s;
  BOOST_TEST(s.effective_actor_threads(6) == 3u);
  BOOST_TEST(s.effective_actor_threads(0) == 1u);
  s.controller_threads = 3;
  BOOST_TEST(s.effective_actor_threads(6) == 3u);
  s.kube_api_qps = 20;
  BOOST_TEST(s.effective_api_burst() == 40);
  s.kube_api_qps = 0.1;
  BOOST_TEST(s.effective_api_burst() == 1);
  s.kube_api_burst = 30;
  BOOST_TEST(s.effective_api_burst() == 30);
}

BOOST_AUTO_TEST_SUITE_END()
