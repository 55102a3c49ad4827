#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pod_progress_test)

namespace {

core::cluster_options with_reports() {
  core::cluster_options c;
  c.progress_url = "https://host:9443/progress";
  c.progress_authority = "-----BEGIN CERTIFICATE-----\n";
  return c;
}

json pod_of(const core::job& j, const core::cluster_options& cluster) {
  auto made = core::make_pod_json(j, {"worker", 0}, cluster);
  BOOST_REQUIRE(bool(made));
  return json::parse(*made);
}

job_builder reporting_job() {
  return make_job().workers(1).policy("progress", {{"report", true}});
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_is_told_where_to_report) {
  auto pod = pod_of(reporting_job(), with_reports());
  auto container = pod["spec"]["containers"][0];
  json env = json::array();
  for (const auto& v : container["env"])
    if (v["name"].get<std::string>().rfind("KUBEFLOW_TRAINER", 0) == 0)
      env.push_back(v);
  BOOST_TEST(env == json::parse(R"([
    {"name": "KUBEFLOW_TRAINER_SERVER_URL",
     "value": "https://host:9443/progress/namespaces/ns/tfjobs/job"},
    {"name": "KUBEFLOW_TRAINER_SERVER_CA_CERT",
     "value": "/var/run/secrets/kubeflow/trainer/ca.crt"},
    {"name": "KUBEFLOW_TRAINER_SERVER_TOKEN",
     "value": "/var/run/secrets/kubeflow/trainer/token"}])"));
  BOOST_TEST(container["volumeMounts"] == json::parse(R"([
    {"name": "kubeflow-trainer-token", "readOnly": true,
     "mountPath": "/var/run/secrets/kubeflow/trainer"}])"));
  BOOST_TEST(pod["spec"]["volumes"] == json::parse(R"([
    {"name": "kubeflow-trainer-token", "projected": {"sources": [
      {"serviceAccountToken": {
        "audience": "training.kubeflow.org/progress/namespaces/ns/tfjobs/job",
        "expirationSeconds": 3600, "path": "token"}},
      {"configMap": {"name": "job-progress",
        "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}}])"));
}

BOOST_AUTO_TEST_CASE(the_token_is_one_of_the_pods_account) {
  struct row {
    const char* field; ///< "": the template names none.
    const char* expected;
  } rows[] = {{"", "default"},
              {"serviceAccountName", "trainer"},
              {"serviceAccount", ""}}; // Its old name.
  for (const auto& r : rows) {
    auto b = reporting_job();
    if (*r.field != '\0')
      b.pod_template("Worker")["spec"][r.field] = "trainer";
    BOOST_TEST(pod_of(b, with_reports())["spec"].value("serviceAccountName", "")
               == r.expected);
  }
}

BOOST_AUTO_TEST_CASE(unset_not_a_byte_of_a_pod_changes) {
  auto as_ever = pod_of(make_job().workers(1), {});
  BOOST_TEST(pod_of(make_job().workers(1), with_reports()) == as_ever);
  BOOST_TEST(pod_of(reporting_job(), {}) == as_ever);
  BOOST_TEST(pod_of(make_job().workers(1).policy("progress", json::object()),
                    with_reports())
             == as_ever);
}

BOOST_AUTO_TEST_CASE(what_the_template_has_stays) {
  struct row {
    const char* obstacle;
    void (*change)(json& spec);
  } rows[] = {
      {"the variable KUBEFLOW_TRAINER_SERVER_TOKEN",
       [](json& s) {
         s["containers"][0]["env"] = json::array(
             {{{"name", "KUBEFLOW_TRAINER_SERVER_TOKEN"}, {"value", "x"}}});
       }},
      {"the mount at /var/run/secrets/kubeflow/trainer",
       [](json& s) {
         s["containers"][0]["volumeMounts"] = json::array(
             {{{"name", "v"},
               {"mountPath", "/var/run/secrets/kubeflow/trainer"}}});
       }},
      {"the volume kubeflow-trainer-token",
       [](json& s) {
         s["volumes"] = json::array({{{"name", "kubeflow-trainer-token"},
                                      {"emptyDir", json::object()}}});
       }},
  };
  for (const auto& r : rows) {
    auto b = reporting_job();
    r.change(b.pod_template("Worker")["spec"]);
    BOOST_TEST(core::obstacle_to_reporting(b.pod_template("Worker")["spec"],
                                           "tensorflow")
               == r.obstacle);
    BOOST_TEST(pod_of(b, with_reports()) == pod_of(b, {}), r.obstacle);
    auto event = core::not_told_event(b, with_reports());
    BOOST_REQUIRE(event.has_value());
    BOOST_TEST(event->reason == "TFJobNoProgressReports");
    BOOST_TEST(event->message
               == "Pods are not told where to report how far they are: the "
                  "template of Worker has "
                      + std::string{r.obstacle}
                      + " already, which stays as it is");
  }
}

BOOST_AUTO_TEST_CASE(where_nothing_is_in_the_way_nothing_is_told) {
  BOOST_TEST(!core::not_told_event(reporting_job(), with_reports()));
  BOOST_TEST(!core::not_told_event(make_job().workers(1), {}));
  auto event = core::not_told_event(reporting_job(), {});
  BOOST_REQUIRE(event.has_value());
  BOOST_TEST(event->message
             == "Pods are not told where to report how far they are: the "
                "operator serves no webhooks, whose address it would be");
}

BOOST_AUTO_TEST_CASE(the_job_has_the_authority_in_a_config_map) {
  auto map = core::report_config_map(reporting_job(), with_reports());
  BOOST_TEST(map.name == "job-progress");
  BOOST_TEST(map.before_pods);
  BOOST_TEST(
      json::parse(map.body)
      == json({{"data", {{"ca.crt", "-----BEGIN CERTIFICATE-----\n"}}}}));
  auto unknown = with_reports();
  unknown.progress_authority.clear();
  BOOST_TEST(core::report_config_map(reporting_job(), unknown).body == "");
}

BOOST_AUTO_TEST_SUITE_END()
