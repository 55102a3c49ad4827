#include "frameworks/core/spec/pod_attempt.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pod_attempt_test)

namespace {

constexpr const char* label = "training.kubeflow.org/restart-attempt";

json pod_of_attempt(const core::job& j, std::optional<std::int32_t> attempt) {
  auto made = core::make_pod_json(j, {"worker", 0}, {}, 0, attempt);
  BOOST_REQUIRE(bool(made));
  return json::parse(*made);
}

/// The variable's values in one container.
strings attempts_in(const json& container) {
  strings values;
  for (const auto& v : container.value("env", json::array()))
    if (v["name"] == "TRAINING_RESTART_ATTEMPT")
      values.push_back(v.value("value", "from elsewhere"));
  return values;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_pods_of_each_kind_say_their_attempt) {
  for (const auto* kind : kinds_with_replica_map())
    BOOST_TEST_CONTEXT(kind->names.type.api_version() + kind->names.type.kind) {
      auto b = make_least_job_of(*kind).workers(2);
      b.pod_template("Worker")["spec"]["containers"].push_back(
          {{"name", "side"}});
      b.pod_template("Worker")["spec"]["initContainers"] =
          json::array({{{"name", "prepare"}}});
      for (auto attempt : {0, 3}) {
        auto pod = pod_of_attempt(b, attempt);
        const auto number = std::to_string(attempt);
        BOOST_TEST(pod["metadata"]["labels"][label] == number);
        for (const char* list : {"containers", "initContainers"}) {
          BOOST_TEST(!pod["spec"][list].empty());
          for (const auto& container : pod["spec"][list])
            BOOST_TEST(attempts_in(container) == strings{number});
        }
      }
      // Unset, not a byte.
      BOOST_TEST(pod_of_attempt(b, {}).dump().find("ttempt")
                 == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(the_label_is_ours_and_the_variable_the_templates) {
  auto b = make_job().workers(1);
  auto& given = b.pod_template("Worker");
  given["metadata"]["labels"] = {{label, "9"}, {"team", "x"}};
  given["spec"]["containers"][0]["env"] =
      json::array({{{"name", "TRAINING_RESTART_ATTEMPT"}, {"value", "mine"}}});
  auto pod = pod_of_attempt(b, 3);
  BOOST_TEST(pod["metadata"]["labels"][label] == "3");
  BOOST_TEST(pod["metadata"]["labels"]["team"] == "x");
  BOOST_TEST(attempts_in(pod["spec"]["containers"][0]) == strings{"mine"});
  // Without attempts, the label means nothing.
  BOOST_TEST(pod_of_attempt(b, {})["metadata"]["labels"][label] == "9");
}

BOOST_AUTO_TEST_CASE(failures_that_must_be_seen_end_the_pod) {
  struct row {
    const char* description;
    core::failure_policy policy;
    bool ends;
  } rows[] = {{"scope Pod", {}, false},
              {"a rule", policy_with_a_rule(), true},
              {"scope Job", policy_of_scope(core::restart_scope::job), true}};
  for (const auto& r : rows)
    for (const char* restart : {"Never", "OnFailure", "Always", "ExitCode"}) {
      auto j = with_failure_policy(
          make_job().workers(1).restart_policy(restart), r.policy);
      bool never = r.ends || restart == std::string{"ExitCode"};
      BOOST_TEST_CONTEXT(r.description << ", " << restart)
      BOOST_TEST(pod_of_attempt(j, 0)["spec"]["restartPolicy"]
                 == (never ? "Never" : restart));
    }
}

BOOST_AUTO_TEST_SUITE_END()
