#include "frameworks/di/tasks/tasks_spec.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace tasks = troupe::frameworks::di::tasks;

BOOST_AUTO_TEST_SUITE(tasks_spec_test)

BOOST_AUTO_TEST_CASE(tasks_are_replica_types_in_the_order_of_the_spec) {
  auto own = di_task("none", 3);
  own["name"] = "buffer-server";
  auto unset = di_task("collector");
  unset.erase("replicas");
  unset["template"]["spec"]["containers"][0]["name"] = "main";
  auto j = make_tasks_job(tasks_spec({own, di_task("learner", 2), unset}));
  BOOST_TEST(j.validation_error == "");
  std::string seen;
  for (const auto& r : j.replicas)
    seen += r.label + "/" + tasks::type_of_task(j, r.label) + "x"
            + std::to_string(r.replicas) + ":" + r.main_container + " ";
  BOOST_TEST(seen
             == "buffer-server/nonex3:di-container "
                "learner/learnerx2:di-container collector/collectorx1:main ");
  BOOST_TEST((j.policy.clean == core::clean_pod_policy::running));
  BOOST_TEST(tasks::backoff_limit(j).value() == 3);
  BOOST_TEST(!tasks::is_preemptible(j));
  BOOST_TEST(!tasks::backoff_limit(make_tasks_job({{"tasks", json::array()}})));
}

BOOST_AUTO_TEST_CASE(errors_name_the_field) {
  auto named = [](const char* type, const char* name) {
    auto t = di_task(type);
    t["name"] = name;
    return t;
  };
  auto without = [](const char* field) {
    auto t = di_task("learner");
    t.erase(field);
    return t;
  };
  auto with = [](const char* field, const json& value) {
    auto t = di_task("learner");
    t[field] = value;
    return t;
  };
  struct {
    json spec;
    const char* name;
    const char* problem;
  } rows[] = {
      {tasks_spec({di_task("learner"), di_task("learner")}), "cp",
       "the number of learner task is more than one"},
      {tasks_spec({di_task("none")}), "cp", "none type task has no name"},
      {tasks_spec({without("type")}), "cp", "none type task has no name"},
      {tasks_spec({named("none", "a"), named("none", "a")}), "cp",
       "there is more than one task named a"},
      {tasks_spec({di_task("learner"), named("none", "learner")}), "cp",
       "there is more than one task named learner"},
      {tasks_spec({named("actor", "a")}), "cp",
       "spec.tasks[0].type: Unsupported value: \"actor\": supported values: "
       "\"learner\", \"collector\", \"evaluator\", \"none\""},
      {tasks_spec({without("template")}), "cp",
       "spec.tasks[0].template.spec.containers: Required value: must be "
       "specified"},
      {tasks_spec({with("replicas", -1)}), "cp",
       "spec.tasks[0].replicas: Invalid value: -1: must be a number from 1 to "
       "100000"},
      {tasks_spec({with("replicas", "two")}), "cp",
       "spec.tasks[0].replicas: Invalid value: \"two\": must be a number from "
       "1 to 100000"},
      {tasks_spec({named("learner", "My_Learner")}), "cp",
       "spec.tasks[0].name: Invalid value: \"My_Learner\": gives a pod the "
       "host name \"cp-My_Learner-0\", which must be at most 63 lower case "
       "letters, digits and \"-\", and begin and end with a letter or digit"},
      {tasks_spec({json("learner")}), "cp",
       "spec.tasks[0]: Invalid value: must be an object"},
      {{{"tasks", "learner"}},
       "cp",
       "spec.tasks: Required value: must be a list of tasks"},
      {tasks_spec(), "a.b",
       "metadata.name: Invalid value: \"a.b\": gives the service of the job "
       "the name \"di-a.b\", which must be at most 63 lower case letters, "
       "digits and \"-\", and begin and end with a letter or digit"},
      {tasks_spec(), "1", ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.spec.dump())
  BOOST_TEST(make_tasks_job(r.spec, r.name).validation_error == r.problem);
}

BOOST_AUTO_TEST_SUITE_END()
