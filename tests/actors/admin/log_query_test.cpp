#include "actors/admin/log_query.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::actors;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(log_query_test)

namespace {

std::string read(std::map<std::string, std::string> query) {
  k8s::http::request q;
  q.query = std::move(query);
  auto read = parse_log_query(q);
  if (!read)
    return read.error().message;
  return read->container + " " + (read->previous ? "previous" : "last") + " "
         + std::to_string(read->lines);
}

json report() {
  return {
      {"kind", "TFJob"},
      {"namespace", "ns"},
      {"name", "job"},
      {"mainContainer", "main"},
      {"mainContainers", {{"ps", "server"}}},
      {"pods",
       {{{"name", "job-worker-0"},
         {"uid", "w0"},
         {"type", "worker"},
         {"owned", true}},
        {{"name", "job-ps-0"}, {"uid", "p0"}, {"type", "ps"}, {"owned", true}},
        {{"name", "job-worker-1"},
         {"uid", "w1"},
         {"type", "worker"},
         {"owned", false}}}}};
}

std::string found(const std::string& pod) {
  auto p = find_logged_pod(report(), pod);
  return p ? p->uid + " " + p->main_container : p.error().message;
}

json pod_of(const char* uid, json annotations = json::object()) {
  return {{"metadata", {{"uid", uid}, {"annotations", annotations}}},
          {"spec",
           {{"containers", {{{"name", "mesh"}}, {{"name", "main"}}}},
            {"initContainers", {{{"name", "download"}}}}}},
          {"status",
           {{"containerStatuses",
             {{{"name", "main"},
               {"restartCount", 3},
               {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}},
              {{"name", "mesh"},
               {"restartCount", 0},
               {"state", {{"running", json::object()}}}}}},
            {"initContainerStatuses",
             {{{"name", "download"},
               {"state", {{"terminated", {{"exitCode", 0}}}}}}}}}}};
}

std::string chosen(const json& pod, const std::string& wanted,
                   const std::string& main = "main") {
  auto choice = choose_log_container(pod, {"u", main}, wanted);
  return choice ? (*choice)["container"].get<std::string>()
                : choice.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(parameters_have_limits_and_errors_name_them) {
  BOOST_TEST(read({}) == " last 500");
  BOOST_TEST(read({{"container", "a"}, {"previous", "true"}, {"lines", "7"}})
             == "a previous 7");
  BOOST_TEST(read({{"previous", "false"}, {"lines", "5000"}}) == " last 5000");
  BOOST_TEST(read({{"previous", "yes"}})
             == "the parameter previous is \"yes\"; must be true or false");
  for (const char* lines : {"0", "5001", "-1", "x", "1x", "99999999999999999"})
    BOOST_TEST(read({{"lines", lines}})
               == std::string{"the parameter lines is \""} + lines
                      + "\"; must be a number from 1 to 5000");
  BOOST_TEST(read({{"container", std::string(254, 'a')}})
                 .find("the parameter container is")
             == 0u);
}

BOOST_AUTO_TEST_CASE(only_a_pod_of_the_job_is_found) {
  BOOST_TEST(found("job-worker-0") == "w0 main");
  BOOST_TEST(found("job-ps-0") == "p0 server");
  BOOST_TEST(found("job-worker-1") == "TFJob ns/job has no pod job-worker-1");
  BOOST_TEST(found("other") == "TFJob ns/job has no pod other");
  BOOST_TEST(found("") == "TFJob ns/job has no pod ");
  BOOST_TEST(found("../secrets") == "TFJob ns/job has no pod ../secrets");
}

BOOST_AUTO_TEST_CASE(the_container_that_does_the_work_is_chosen) {
  const json annotated{{"kubectl.kubernetes.io/default-container", "download"}};
  BOOST_TEST(chosen(pod_of("u"), "") == "main");
  BOOST_TEST(chosen(pod_of("u"), "", "elsewhere") == "mesh");
  BOOST_TEST(chosen(pod_of("u"), "", "") == "mesh");
  BOOST_TEST(chosen(pod_of("u", annotated), "") == "download");
  BOOST_TEST(chosen(pod_of("u", annotated), "main") == "main");
  BOOST_TEST(chosen(pod_of("u"), "other")
             == "the pod has no container other; it has mesh, main, download");
  BOOST_TEST(chosen(pod_of("another"), "")
             == "another pod has this name now; the job has not seen it yet");
  BOOST_TEST(chosen(json{}, "")
             == "another pod has this name now; the job has not seen it yet");
}

BOOST_AUTO_TEST_CASE(the_containers_are_told_with_their_states) {
  auto choice = choose_log_container(pod_of("u"), {"u", "main"}, "");
  BOOST_REQUIRE(choice);
  const json wanted{{"container", "main"},
                    {"containers",
                     {{{"name", "mesh"},
                       {"init", false},
                       {"restarts", 0},
                       {"state", "running"}},
                      {{"name", "main"},
                       {"init", false},
                       {"restarts", 3},
                       {"state", "waiting"}},
                      {{"name", "download"},
                       {"init", true},
                       {"restarts", 0},
                       {"state", "terminated"}}}}};
  BOOST_TEST(*choice == wanted, choice->dump());
}

BOOST_AUTO_TEST_CASE(a_missing_right_is_named_with_what_grants_it) {
  auto refused =
      pod_log_problem_json({k8s::ec::forbidden, "x cannot get pods/log"});
  for (const char* part : {"deploy/overlays/pod-logs", "x cannot get pods/log"})
    BOOST_TEST(refused["why"].get<std::string>().find(part)
               != std::string::npos);
  BOOST_TEST(refused["again"] == false);
  struct row {
    k8s::ec code;
    bool again;
  } rows[] = {{k8s::ec::invalid, true}, // It waits to start.
              {k8s::ec::unreachable, true},
              {k8s::ec::timeout, true},
              {k8s::ec::server_error, true},
              {k8s::ec::not_found, false}};
  for (const auto& r : rows) {
    auto told = pod_log_problem_json({r.code, "why"});
    BOOST_TEST(told["why"] == "why");
    BOOST_TEST(told["again"] == r.again, k8s::to_string(r.code));
  }
}

BOOST_AUTO_TEST_SUITE_END()
