#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(native_gang_spec_test)

namespace {

constexpr const char* topology = "training.kubeflow.org/topology";
constexpr const char* mode = "training.kubeflow.org/disruption-mode";

std::string spec(const job_builder& b, bool whole = true) {
  return json::parse(core::native_group_body(b, 2, whole))["spec"].dump();
}

job_builder with_class(const char* name) {
  auto b = make_job().servers(1).workers(2);
  for (const char* type : {"PS", "Worker"})
    b.pod_template(type)["spec"]["priorityClassName"] = name;
  return b;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_content_of_a_group) {
  BOOST_TEST(spec(make_job().workers(2))
             == R"({"disruptionMode":{"all":{}},)"
                R"("schedulingPolicy":{"gang":{"minCount":2}}})");
  BOOST_TEST(spec(make_job().workers(2), false)
             == R"({"disruptionMode":{"single":{}},)"
                R"("schedulingPolicy":{"gang":{"minCount":2}}})");
  BOOST_TEST(spec(make_job().workers(2).annotation(mode, "Single"))
             == R"({"disruptionMode":{"single":{}},)"
                R"("schedulingPolicy":{"gang":{"minCount":2}}})");
  BOOST_TEST(spec(with_class("high").annotation(topology, "example.com/rack"))
             == R"({"disruptionMode":{"all":{}},"priorityClassName":"high",)"
                R"("schedulingConstraints":{"topology":[)"
                R"({"key":"example.com/rack"}]},)"
                R"("schedulingPolicy":{"gang":{"minCount":2}}})");
}

BOOST_AUTO_TEST_CASE(names_differ_where_the_content_cannot_change) {
  auto name = [](const job_builder& b) { return core::native_group_name(b); };
  BOOST_TEST(name(make_job()) == "tfjob-job-job-uid");
  BOOST_TEST(name(make_job().workers(9)) == "tfjob-job-job-uid");
  BOOST_TEST(name(make_job_of("MPIJob")) == "mpijob-job-job-uid");
  auto rack = name(make_job().annotation(topology, "rack"));
  BOOST_TEST(rack.rfind("tfjob-job-job-uid-", 0) == 0u);
  BOOST_TEST(rack == name(make_job().annotation(topology, "rack")));
  BOOST_TEST(rack != name(make_job().annotation(topology, "zone")));
  BOOST_TEST(name(with_class("high")) != name(with_class("low")));
  BOOST_TEST(name(make_job().annotation(mode, "All"))
             != name(make_job().annotation(mode, "Single")));
}

BOOST_AUTO_TEST_CASE(annotations_are_checked) {
  struct row {
    const char* name;
    const char* text;
    const char* error;
  };
  const row rows[] = {
      {topology, "rack", ""},
      {topology, "topology.kubernetes.io/rack", ""},
      {topology, "",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {topology, "a/b/c",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {topology, "Topology.Example.COM/rack",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {topology, "a..b/rack",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {topology, "a.-b/rack",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {topology, "-rack",
       "Invalid value: must be the key of a label of nodes, such as "
       "topology.kubernetes.io/rack"},
      {mode, "All", ""},
      {mode, "Single", ""},
      {mode, "all", R"(Unsupported value: supported values: "All", "Single")"},
  };
  for (const auto& r : rows) {
    core::job j = make_job().workers(1).annotation(r.name, r.text);
    std::string wanted = *r.error == '\0' ? ""
                                          : std::string{"metadata.annotations["}
                                                + r.name + "]: " + r.error;
    BOOST_TEST(core::to_string(j.policy_errors) == wanted);
    BOOST_TEST(j.limit_error == wanted);
  }
}

BOOST_AUTO_TEST_CASE(pods_of_a_gang_have_one_priority_and_one_scheduler) {
  auto conflict = [](const job_builder& b) {
    return core::find_gang_conflict(b);
  };
  BOOST_TEST(conflict(make_job().servers(1).workers(2)) == "");
  BOOST_TEST(conflict(with_class("high")) == "");
  auto asks = [](job_builder b, const char* name) {
    return b.policy("schedulingPolicy", {{"priorityClass", name}});
  };
  BOOST_TEST(conflict(asks(with_class("high"), "high")) == "");
  BOOST_TEST(conflict(asks(with_class("low"), "high"))
             == "all pods of a gang must have its priority, but "
                "runPolicy.schedulingPolicy has priority class high and the "
                "pod templates have priority class low");
  BOOST_TEST(conflict(asks(make_job().workers(1), "high"))
             == "all pods of a gang must have its priority, but "
                "runPolicy.schedulingPolicy has priority class high and the "
                "pod templates have no priority class");
  auto one = make_job().servers(1).workers(2);
  one.pod_template("PS")["spec"]["schedulerName"] = "own";
  BOOST_TEST(conflict(one)
             == "all pods of a gang must have one scheduler, but PS has "
                "schedulerName own and Worker has no schedulerName");
  one.pod_template("PS")["spec"]["schedulerName"] = "default-scheduler";
  BOOST_TEST(conflict(one) == ""); // Of a template without one, too.
  one.pod_template("PS")["spec"]["schedulerName"] = "own";
  // A type without replicas has no pods.
  BOOST_TEST(conflict(one.type("PS", 0)) == "");
}

BOOST_AUTO_TEST_CASE(fields_without_a_counterpart_are_told) {
  auto told = [](json policy) {
    auto e = core::ignored_scheduling_fields_event(
        make_job().workers(1).policy("schedulingPolicy", std::move(policy)));
    return e ? e->message : "";
  };
  BOOST_TEST(told({{"minAvailable", 1}, {"priorityClass", "high"}}) == "");
  BOOST_TEST(told({{"queue", "q"},
                   {"minResources", {{"cpu", "1"}}},
                   {"scheduleTimeoutSeconds", 30}})
             == "Kubernetes' gangs have nothing like queue, minResources, "
                "scheduleTimeoutSeconds of runPolicy.schedulingPolicy, so that "
                "is ignored");
}

BOOST_AUTO_TEST_CASE(a_new_gang_has_a_group_unless_that_is_impossible) {
  auto group = [](const job_builder& b) { return core::group_of_new_gang(b); };
  auto b = make_job().servers(1).workers(2);
  BOOST_TEST(group(b) == "tfjob-job-job-uid");
  b.pod_template("Worker")["spec"]["priorityClassName"] = "high";
  BOOST_TEST(group(b) == "");
  auto own = make_job().workers(2);
  own.pod_template("Worker")["spec"]["schedulingGroup"]["podGroupName"] = "own";
  BOOST_TEST(group(own) == "");
}

BOOST_AUTO_TEST_CASE(pods_name_their_group) {
  BOOST_TEST(core::with_scheduling_group(R"({"spec":{"a":1}})", "g")
             == R"({"spec":{"a":1,"schedulingGroup":{"podGroupName":"g"}}})");
  BOOST_TEST(core::with_scheduling_group_in_template(
                 R"({"spec":{"template":{"spec":{}}}})", "g")
             == R"({"spec":{"template":{"spec":{"schedulingGroup":)"
                R"({"podGroupName":"g"}}}}})");
}

BOOST_AUTO_TEST_SUITE_END()
