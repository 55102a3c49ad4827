#include "actors/cli/manifest/manifest_errors.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using troupe::k8s::json;

BOOST_AUTO_TEST_SUITE(manifest_errors)

namespace {

const char* const manifest = R"(apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
spec:
  tfReplicaSpecs:
    Worker:
      replica: 2
      restartPolicy: Sometimes
      template:
        spec:
          containers:
          - name: tensorflow
            comand: [python3]
)";

/// Of some of what a TFJob may have.
json schema() {
  auto container =
      json::parse(R"({"properties": {"name": {}, "command": {}, "args": {}}})");
  json pod{{"properties", {{"containers", {{"items", container}}}}}};
  json replica{{"properties",
                {{"replicas", json::object()},
                 {"restartPolicy", json::object()},
                 {"template", {{"properties", {{"spec", pod}}}}}}}};
  json spec{{"properties",
             {{"tfReplicaSpecs", {{"additionalProperties", replica}}}}}};
  return {{"properties", {{"spec", spec}}}};
}

std::string located(const std::string& message) {
  auto read = troupe::k8s::parse_yaml(manifest, "job.yaml");
  BOOST_REQUIRE(read);
  return refusal_with_location(read->front(), message, schema());
}

} // namespace

BOOST_AUTO_TEST_CASE(an_unknown_field_has_its_line_and_the_nearest_name) {
  const std::string begin = "TFJob in version \"v1\" cannot be handled as a "
                            "TFJob: strict decoding error: ";
  const std::pair<const char*, const char*> rows[] = {
      {R"(unknown field "spec.tfReplicaSpecs.Worker.replica")",
       "job.yaml:8: unknown field spec.tfReplicaSpecs.Worker.replica; did you "
       "mean spec.tfReplicaSpecs.Worker.replicas?"},
      {R"(unknown field "spec.tfReplicaSpecs.Worker.template.spec.containers[0].comand")",
       "job.yaml:14: unknown field spec.tfReplicaSpecs.Worker.template.spec."
       "containers[0].comand; did you mean spec.tfReplicaSpecs.Worker.template."
       "spec.containers[0].command?"},
      {R"(unknown field "spec.tfReplicaSpecs.Worker.spec")",
       "job.yaml:7: unknown field spec.tfReplicaSpecs.Worker.spec; did you "
       "mean "
       "spec.tfReplicaSpecs.Worker.template.spec?"},
      {R"(unknown field "kinds")", "job.yaml:1: unknown field kinds"},
      {R"(unknown field "spec.nodes")", "job.yaml:5: unknown field spec.nodes"},
      {R"(unknown field "a", unknown field "spec.b")",
       "job.yaml:1: unknown field a\njob.yaml:5: unknown field spec.b"},
  };
  for (const auto& [message, text] : rows)
    BOOST_TEST(located(begin + message) == text);
}

BOOST_AUTO_TEST_CASE(a_value_that_is_refused_has_its_line) {
  const std::string begin = "TFJob.kubeflow.org \"mnist\" is invalid: ";
  const std::pair<std::string, const char*> rows[] = {
      {begin + "spec.tfReplicaSpecs.Worker.restartPolicy: Unsupported value",
       "job.yaml:9: TFJob mnist: "},
      {begin + "[spec.tfReplicaSpecs.Worker.restartPolicy: Required value, x]",
       "job.yaml:9: TFJob mnist: "},
      {begin + "spec.runPolicy.suspend: Invalid value",
       "job.yaml:5: TFJob mnist: "},
      {"the server is out of order", "job.yaml:1: TFJob mnist: "},
  };
  for (const auto& [message, place] : rows)
    BOOST_TEST(located(message) == place + message);
}

BOOST_AUTO_TEST_CASE(a_value_that_is_no_choice_is_found) {
  auto find = [](const std::string& from, const std::string& to,
                 const char* field = "tfReplicaSpecs") {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    return wrong_choice_message(troupe::k8s::parse_yaml(text, "f")->front(),
                                field);
  };
  BOOST_TEST(find("spec:", "spec:")
             == "f:9: spec.tfReplicaSpecs.Worker.restartPolicy: \"Sometimes\" "
                "is none of Always, OnFailure, Never, ExitCode");
  BOOST_TEST(find("Sometimes", "ExitCode") == "");
  BOOST_TEST(find("Sometimes", "''") == "");
  BOOST_TEST(find("Sometimes", "5") == "");
  BOOST_TEST(find("spec:", "spec:\n  successPolicy: All", "mpiReplicaSpecs")
             == "f:6: spec.successPolicy: \"All\" is none of AllWorkers");
  BOOST_TEST(find("spec:", "spec:\n  runPolicy: {cleanPodPolicy: Some}", "")
             == "f:6: spec.runPolicy.cleanPodPolicy: \"Some\" is none of All, "
                "Running, None");
  BOOST_TEST(wrong_choice_message({json::object(), "f:1"}, "x") == "");
}

BOOST_AUTO_TEST_CASE(without_a_schema_no_name_is_proposed) {
  BOOST_TEST(known_sibling_field_names(nullptr, "spec.replica").empty());
  BOOST_TEST(known_sibling_field_names(schema(), "spec.unknown.x").empty());
  BOOST_TEST(known_sibling_field_names(schema(), "status").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
