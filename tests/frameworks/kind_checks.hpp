#pragma once

#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::fixtures {

// What the tables of all kinds are checked with.

inline json pod_of(const core::job& j, const char* type, int index,
                   const core::cluster_options& cluster = {}) {
  auto pod = core::make_pod_json(j, {type, index}, cluster);
  BOOST_REQUIRE_MESSAGE(pod, (pod ? "" : pod.error().message));
  return json::parse(*pod);
}

/// "A=1 B=2 C<status.podIP", of a container.
inline std::string variables(const json& container) {
  std::string text;
  for (const auto& v : container.value("env", json::array())) {
    text += (text.empty() ? "" : " ") + v["name"].get<std::string>();
    if (v.contains("valueFrom"))
      text += "<" + v["valueFrom"]["fieldRef"]["fieldPath"].get<std::string>();
    else
      text += "=" + v.value("value", "");
  }
  return text;
}

inline std::string variables(const core::job& j, const char* type, int index) {
  return variables(pod_of(j, type, index)["spec"]["containers"][0]);
}

inline std::string role(const core::job& j, const char* type, int index) {
  return pod_of(j, type, index)["metadata"]["labels"].value(
      "training.kubeflow.org/job-role", "");
}

/// Why such a job is not accepted; "" if it is.
inline std::string problems(job_builder b) {
  return core::to_string(
      core::validate_write(b.kind(), b.name(), {b.spec().dump()}, {}));
}

/// What becomes of a job whose pods are as given.
struct outcome {
  const char* description;
  job_builder job;
  std::vector<child_builder> pods;
  std::string conditions; ///< "Created Running=False Succeeded".
  std::string message;    ///< Of the last condition.
};

/// Each outcome after two saved passes: the pods come into a job that runs.
inline void check(const std::vector<outcome>& rows) {
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.description) {
      job_fixture s{r.job};
      s.pass_and_save();
      for (const auto& p : r.pods)
        s.observe(p);
      s.pass_and_save();
      BOOST_TEST(s.conditions() == r.conditions);
      BOOST_TEST(s.status.conditions.back().message == r.message);
    }
  }
}

} // namespace troupe::fixtures
