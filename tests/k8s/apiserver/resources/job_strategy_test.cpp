#include "k8s/apiserver/resources/job_strategy.hpp"
#include "tests/k8s/apiserver/job_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(job_strategy_test)

BOOST_AUTO_TEST_CASE(what_a_job_does_not_say_gets_its_default) {
  job_fixture s;
  auto made = s.post(batch_jobs, batch_job("j"));
  BOOST_REQUIRE(made.status == 201);
  json labels{{"job-name", "j"},
              {"batch.kubernetes.io/job-name", "j"},
              {"controller-uid", made["/metadata/uid"]},
              {"batch.kubernetes.io/controller-uid", made["/metadata/uid"]}};
  auto spec = made["/spec"];
  BOOST_TEST(spec["template"]["metadata"]["labels"] == labels);
  BOOST_TEST(spec["template"]["spec"]["dnsPolicy"] == "ClusterFirst");
  spec.erase("template");
  BOOST_TEST(spec
             == (json{{"parallelism", 1},
                      {"completions", 1},
                      {"backoffLimit", 6},
                      {"completionMode", "NonIndexed"},
                      {"suspend", false},
                      {"manualSelector", false},
                      {"podReplacementPolicy", "TerminatingOrFailed"},
                      {"selector",
                       {{"matchLabels",
                         {{"batch.kubernetes.io/controller-uid",
                           made["/metadata/uid"]}}}}}}));
  BOOST_TEST(made["/metadata/labels"] == labels);
  BOOST_TEST(made["/metadata/generation"] == 1);
  BOOST_TEST(made["/status"] == json::object());

  auto queue = s.post(batch_jobs, batch_job("q", {{"parallelism", 3}}));
  BOOST_TEST(!find_value(queue["/spec"], {"completions"}));
  json rules{{{"action", "Ignore"},
              {"onPodConditions", {{{"type", "DisruptionTarget"}}}}}};
  auto ruled = s.post(
      batch_jobs, batch_job("r", {{"podFailurePolicy", {{"rules", rules}}}}));
  BOOST_TEST(ruled["/spec/podReplacementPolicy"] == "Failed");
  BOOST_TEST(ruled["/spec/podFailurePolicy/rules/0/onPodConditions/0/status"]
             == "True");
}

BOOST_AUTO_TEST_CASE(a_bad_job_is_refused_in_the_words_of_kubernetes) {
  json conditions{{{"type", "DisruptionTarget"}}};
  auto rule = [](json fields) {
    return json{{"podFailurePolicy", {{"rules", {std::move(fields)}}}}};
  };
  auto restart = [](const char* policy) {
    return json{{"template", {{"spec", {{"restartPolicy", policy}}}}}};
  };
  struct row {
    json spec;
    const char* message;
  } rows[] = {
      {restart("Always"),
       R"(spec.template.spec.restartPolicy: Required value: valid values: )"
       R"("OnFailure", "Never")"},
      {restart("Sometimes"),
       R"(spec.template.spec.restartPolicy: Unsupported value: "Sometimes": )"
       R"(supported values: "OnFailure", "Never")"},
      {{{"parallelism", -1}},
       "spec.parallelism: Invalid value: -1: must be greater than or equal to "
       "0"},
      {{{"parallelism", 1001}},
       "spec.parallelism: Invalid value: 1001: must be less than or equal to "
       "1000 on this server"},
      {{{"completions", 20000}},
       "spec.completions: Invalid value: 20000: must be less than or equal to "
       "10000 on this server"},
      {{{"backoffLimit", -1}},
       "spec.backoffLimit: Invalid value: -1: must be greater than or equal "
       "to 0"},
      {{{"completionMode", "Sorted"}},
       R"(spec.completionMode: Unsupported value: "Sorted": supported )"
       R"(values: "NonIndexed", "Indexed")"},
      {{{"completionMode", "Indexed"}, {"parallelism", 1}},
       "spec.completions: Required value: when completion mode is Indexed"},
      {{{"podReplacementPolicy", "Never"}},
       R"(spec.podReplacementPolicy: Unsupported value: "Never": supported )"
       R"(values: "Failed", "TerminatingOrFailed")"},
      {{{"backoffLimitPerIndex", 1}},
       "spec.backoffLimitPerIndex: Forbidden: is not supported by this "
       "server"},
      {{{"template", {{"spec", {{"containers", json::array()}}}}}},
       "spec.template.spec.containers: Required value"},
      {{{"selector", {{"matchLabels", {{"a", "b"}}}}}},
       "`selector` not auto-generated"},
      {{{"template", {{"metadata", {{"labels", {{"job-name", "x"}}}}}}}},
       "spec.template.metadata.labels[job-name]: Invalid value"},
      {rule({{"action", "Stop"}, {"onPodConditions", conditions}}),
       R"(spec.podFailurePolicy.rules[0].action: Unsupported value: "Stop")"},
      {rule({{"action", "FailJob"}}),
       "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of "
       "OnExitCodes and OnPodConditions is required"},
      {rule({{"action", "FailJob"},
             {"onExitCodes", {{"operator", "In"}, {"values", {0}}}}}),
       "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: "
       "0: must not be 0 for the In operator"},
      {rule({{"action", "FailJob"},
             {"onExitCodes", {{"operator", "In"}, {"values", {3, 1}}}}}),
       "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: "
       "[3,1]: must be ordered"},
      {rule({{"action", "FailJob"},
             {"onExitCodes",
              {{"operator", "In"}, {"values", {1}}, {"containerName", "x"}}}}),
       R"(onExitCodes.containerName: Invalid value: "x": must be one of the )"
       "container or initContainer names in the pod template"},
      {rule({{"action", "FailIndex"}, {"onPodConditions", conditions}}),
       "requires the backoffLimitPerIndex to be set"},
  };
  job_fixture s;
  for (const auto& r : rows) {
    auto a = s.post(batch_jobs, batch_job("j", r.spec));
    BOOST_TEST(a.status == 422, r.message << ": " << a.message());
    BOOST_TEST(a.says(r.message), r.message << ": " << a.message());
  }
}

BOOST_AUTO_TEST_CASE(what_may_change_later) {
  struct row {
    const char* what;
    bool suspended, started;
    json change;
    const char* error; ///< nullptr: none.
  } rows[] = {
      {"parallelism", false, true, {{"parallelism", 0}}, nullptr},
      {"suspension", false, true, {{"suspend", true}}, nullptr},
      {"the deadline", false, true, {{"activeDeadlineSeconds", 5}}, nullptr},
      {"completions",
       false,
       true,
       {{"completions", 2}},
       "spec.completions: Invalid value: 2: field is immutable"},
      {"the selector",
       false,
       true,
       {{"selector", {{"matchLabels", {{"job-name", "j"}}}}}},
       "spec.selector: Invalid value"},
      {"the image",
       true,
       false,
       {{"template",
         {{"spec",
           {{"containers", {{{"name", "main"}, {"image", "other"}}}}}}}}},
       "spec.template: Invalid value"},
      {"the node selector",
       true,
       false,
       {{"template", {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}}},
       nullptr},
      {"the node selector once it has started",
       true,
       true,
       {{"template", {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}}},
       "field is immutable"},
      {"the node selector of one that runs",
       false,
       false,
       {{"template", {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}}},
       "field is immutable"},
  };
  for (const auto& r : rows) {
    job_fixture s;
    s.post(batch_jobs, batch_job("j", {{"suspend", r.suspended}}));
    if (r.started)
      s.merge(batch_jobs + "/j/status",
              {{"status", {{"startTime", to_rfc3339(s.now)}}}});
    auto a = s.merge(batch_jobs + "/j", {{"spec", r.change}});
    BOOST_TEST(a.status == (r.error ? 422 : 200),
               r.what << ": " << a.message());
    if (r.error)
      BOOST_TEST(a.says(r.error), r.what << ": " << a.message());
    else
      BOOST_TEST(a["/metadata/generation"] == 2, r.what);
  }
}

BOOST_AUTO_TEST_CASE(a_status_may_not_go_back) {
  struct row {
    const char* what;
    bool suspended;
    json before, change;
    const char* error; ///< nullptr: none.
  } rows[] = {
      {"the time of a suspended job is cleared",
       true,
       {{"startTime", "2026-01-01T00:00:00Z"}},
       {{"startTime", nullptr}},
       nullptr},
      {"that of one that runs",
       false,
       {{"startTime", "2026-01-01T00:00:00Z"}},
       {{"startTime", nullptr}},
       "status.startTime: Required value: startTime cannot be removed for "
       "unsuspended job"},
      {"failures",
       false,
       {{"failed", 2}},
       {{"failed", 1}},
       "status.failed: Invalid value: 1: cannot decrease the failed counter"},
      {"the end",
       false,
       {{"conditions", {{{"type", "Failed"}, {"status", "True"}}}}},
       {{"conditions", json::array()}},
       "status.conditions: Invalid value: cannot disable the terminal "
       "Failed=True condition"},
      {"negative counts",
       false,
       json::object(),
       {{"active", -1}},
       "status.active: Invalid value: -1: must be greater than or equal to 0"},
  };
  for (const auto& r : rows) {
    job_fixture s;
    s.post(batch_jobs, batch_job("j", {{"suspend", r.suspended}}));
    s.merge(batch_jobs + "/j/status", {{"status", r.before}});
    auto a = s.merge(batch_jobs + "/j/status", {{"status", r.change}});
    BOOST_TEST(a.status == (r.error ? 422 : 200),
               r.what << ": " << a.message());
    if (r.error)
      BOOST_TEST(a.says(r.error), r.what << ": " << a.message());
  }
}

BOOST_AUTO_TEST_SUITE_END()
