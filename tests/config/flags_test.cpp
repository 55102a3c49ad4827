#include "config/flags.hpp"

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe::config;

namespace {

settings parsed(std::vector<std::string> args) {
  CLI::App app;
  flag_values values;
  add_flags(app, values);
  std::reverse(args.begin(), args.end()); // CLI11 takes them from the back.
  app.parse(args);
  auto got = applied({}, values.said);
  BOOST_REQUIRE(got);
  return *got;
}

} // namespace

BOOST_AUTO_TEST_SUITE(flags)

BOOST_AUTO_TEST_CASE(every_kind_of_value_is_understood) {
  auto s = parsed({"--gateways", "3", "--kube-api-qps=12.5", "--namespace=ml",
                   "--request-limit", "5s"});
  BOOST_TEST(s.gateways == 3);
  BOOST_TEST(s.kube_api_qps == 12.5);
  BOOST_TEST(s.ns == "ml");
  BOOST_TEST(s.request_limit.count() == 5000);
}

BOOST_AUTO_TEST_CASE(switches_are_understood_as_go_writes_them) {
  BOOST_TEST(parsed({"--leader-elect"}).leader_elect);
  BOOST_TEST(parsed({"--leader-elect=true"}).leader_elect);
  BOOST_TEST(!parsed({"--leader-elect=false"}).leader_elect);
  BOOST_TEST(!parsed({"--leader-elect", "--leader-elect=false"}).leader_elect);
}

BOOST_AUTO_TEST_CASE(a_scheme_may_be_repeated) {
  auto s = parsed({"--enable-scheme=tfjob", "--enable-scheme", "PyTorchJob",
                   "--enable-scheme=a,b"});
  const std::vector<std::string> want{"tfjob", "PyTorchJob", "a", "b"};
  BOOST_TEST(s.enable_schemes == want);
}

BOOST_AUTO_TEST_CASE(a_repeated_flag_means_its_last_value) {
  BOOST_TEST(parsed({"--gateways=2", "--gateways=4"}).gateways == 4);
}

BOOST_AUTO_TEST_CASE(the_flags_of_zap_are_translated) {
  auto s = parsed({"--zap-log-level=3", "--zap-encoder=json", "--zap-devel",
                   "--zap-devel=false", "--zap-stacktrace-level=error",
                   "--zap-time-encoding", "iso8601"});
  BOOST_TEST(s.log_level == "debug");
  BOOST_TEST(s.log_format == "json");
  BOOST_TEST(parsed({"--zap-log-level=panic"}).log_level == "error");
  BOOST_TEST(parsed({"--zap-encoder=console"}).log_format == "text");
}

BOOST_AUTO_TEST_CASE(an_address_of_off_survives_the_parser) {
  BOOST_TEST(parsed({"--metrics-bind-address=0"}).metrics_address == "0");
}

BOOST_AUTO_TEST_SUITE_END()
