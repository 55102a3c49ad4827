#include "config/flags.hpp"

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe::config;

namespace {

settings parsed(const std::vector<std::string>& said) {
  CLI::App app;
  parsed_flags values;
  add_all_setting_flags(app, values);
  auto args = translate_go_flags(app, said);
  BOOST_REQUIRE(args);
  std::reverse(args->begin(), args->end()); // CLI11 takes them from the back.
  app.parse(*args);
  auto got = apply_assignments({}, values.assigned);
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
  BOOST_TEST(s.log_time_encoding == "iso8601");
  BOOST_TEST(parsed({"--zap-time-encoding=nano"}).log_time_encoding == "nano");
  BOOST_TEST(parsed({"--zap-log-level=panic"}).log_level == "error");
  BOOST_TEST(parsed({"--zap-encoder=console"}).log_format == "text");
}

BOOST_AUTO_TEST_CASE(an_empty_word_of_zap_is_refused) {
  const std::pair<const char*, const char*> table[] = {
      {"--zap-log-level=",
       "log-level is \"\"; choose one of debug, info, warn, error"},
      {"--zap-encoder=", "log-format is \"\"; choose one of text, json"},
      {"--zap-time-encoding=",
       "log-time-encoding is \"\"; choose one of iso8601, rfc3339, "
       "rfc3339nano, epoch, millis, nano"},
  };
  for (const auto& [flag, want] : table) {
    auto got = validate_settings(parsed({flag}), {"TFJob"});
    BOOST_REQUIRE(!got);
    BOOST_TEST(got.error().message == want);
  }
}

BOOST_AUTO_TEST_CASE(zap_devel_chooses_what_no_other_flag_names) {
  auto s = parsed({"--zap-devel"});
  BOOST_TEST(s.log_level + s.log_format == "debugtext");
  s = parsed({"--zap-devel=false"});
  BOOST_TEST(s.log_level + s.log_format == "infojson");
  s = parsed({"--log-level=warn", "--zap-encoder=json", "--zap-devel"});
  BOOST_TEST(s.log_level + s.log_format == "warnjson");
}

BOOST_AUTO_TEST_CASE(every_flag_of_the_training_operator_is_accepted) {
  const char* all[] = {"--metrics-bind-address=:8080",
                       "--health-probe-bind-address=:8081",
                       "--leader-elect=false",
                       "--leader-election-id=1ca428e5.training-operator",
                       "--enable-scheme=tfjob",
                       "--gang-scheduler-name=volcano",
                       "--namespace=ml",
                       "--controller-threads=1",
                       "--kube-api-qps=20",
                       "--kube-api-burst=30",
                       "--pytorch-init-container-image=alpine:3.10",
                       "--pytorch-init-container-template-file=/a.yaml",
                       "--pytorch-init-container-max-tries=100",
                       "--mpi-kubectl-delivery-image=kubectl:latest",
                       "--webhook-server-port=9443",
                       "--webhook-service-name=training-operator",
                       "--webhook-secret-name=training-operator-webhook-cert",
                       "--zap-devel=true",
                       "--zap-encoder=console",
                       "--zap-log-level=debug",
                       "--zap-stacktrace-level=panic",
                       "--zap-time-encoding=rfc3339",
                       "--kubeconfig="};
  auto s = parsed({std::begin(all), std::end(all)});
  BOOST_TEST(bool(validate_settings(s, {"TFJob"})));
}

BOOST_AUTO_TEST_CASE(one_dash_is_as_good_as_two) {
  auto s = parsed({"-leader-elect", "-kube-api-qps=5", "-kube-api-burst", "9",
                   "-namespace", "ml", "-zap-encoder=json", "-zap-devel"});
  BOOST_TEST(s.leader_elect);
  BOOST_TEST(s.kube_api_qps == 5);
  BOOST_TEST(s.kube_api_burst == 9);
  BOOST_TEST(s.ns == "ml");
  BOOST_TEST(s.log_format == "json");
  BOOST_TEST(!parsed({"-leader-elect", "-leader-elect=false"}).leader_elect);
}

BOOST_AUTO_TEST_CASE(a_value_is_whatever_stands_behind_the_name) {
  BOOST_TEST(parsed({"-kube-api-qps", "-1"}).kube_api_qps == -1);
  BOOST_TEST(parsed({"--context", "-a=b"}).context == "-a=b");
  BOOST_TEST(parsed({"--context=a=b"}).context == "a=b");
  auto s = parsed({"--metrics-bind-address=", "--context", "x"});
  BOOST_TEST(s.metrics_address == "");
  BOOST_TEST(s.context == "x");
}

BOOST_AUTO_TEST_CASE(a_wrong_argument_is_named) {
  CLI::App app;
  parsed_flags values;
  add_all_setting_flags(app, values);
  const std::pair<std::vector<std::string>, const char*> table[] = {
      {{"-leader-elekt"},
       "unknown flag -leader-elekt; did you mean --leader-elect?"},
      {{"--kubeApiQps=5"},
       "unknown flag --kubeApiQps=5; did you mean --kube-api-qps?"},
      {{"--gateways=1", "-q"}, "unknown flag -q; --help lists all"},
      {{"---gateways"}, "unknown flag ---gateways; --help lists all"},
      {{"-=5"}, "unknown flag -=5; --help lists all"},
      {{"-kube-api-qps"}, "flag needs an argument: --kube-api-qps"},
      {{"-leader-elect", "false"},
       "unexpected argument \"false\"; did you mean --leader-elect=false?"},
      {{"--gateways=1", "jobs"}, "unexpected argument \"jobs\""},
      {{"-"}, "unexpected argument \"-\""},
  };
  for (const auto& [args, want] : table) {
    auto got = translate_go_flags(app, args);
    BOOST_REQUIRE(!got);
    BOOST_TEST(got.error().message == want);
  }
}

BOOST_AUTO_TEST_CASE(an_address_of_off_survives_the_parser) {
  BOOST_TEST(parsed({"--metrics-bind-address=0"}).metrics_address == "0");
}

BOOST_AUTO_TEST_SUITE_END()
