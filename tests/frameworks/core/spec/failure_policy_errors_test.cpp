#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "k8s/codec/yaml.hpp"
#include "k8s/text.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(failure_policy_errors_test)

namespace {

const std::string in_spec = "spec.runPolicy.failurePolicy";
const std::string in_annotation =
    "metadata.annotations[training.kubeflow.org/failure-policy]";

job_builder workers() {
  return make_job_of("PyTorchJob").type("Master", 1).workers(2);
}

std::string errors_of(job_builder b, const core::written_job& old = {}) {
  auto object = b.object();
  return to_string(core::validate_write(
      b.kind(), b.name(),
      {b.spec().dump(), core::policy_annotations_of(object.meta.annotations)},
      old));
}

json value_of(const std::string& yaml) {
  auto documents = k8s::parse_yaml(yaml, "row");
  BOOST_REQUIRE(documents);
  return documents->front().value;
}

json bad_policies() {
  std::ifstream in{std::string{REPOSITORY}
                   + "/tests/fixtures/bad_policies.yaml"};
  return value_of({std::istreambuf_iterator<char>{in}, {}});
}

/// A list of so many copies of an item in which # is the number.
std::string list_of(int items, const std::string& item) {
  std::string out = "[";
  for (int i = 1; i <= items; ++i)
    out += (i > 1 ? ", " : "") + k8s::replace_all(item, "#", std::to_string(i));
  return out + "]";
}

std::string errors_of_annotation(const std::string& text) {
  return errors_of(workers().annotation(core::label::failure_policy, text));
}

} // namespace

BOOST_AUTO_TEST_CASE(each_wrong_field_is_told_with_its_path_and_the_fix) {
  const std::pair<const char*, const char*> places[] = {
      {"failurePolicy", core::label::failure_policy},
      {"successPolicy", core::label::success_policy},
      {"progress", core::label::progress}};
  const auto table = bad_policies();
  for (const auto& [field, label] : places)
    for (const auto& row : table[field]) {
      auto policy = row["policy"].get<std::string>();
      auto path = row["path"].get<std::string>();
      auto rest = path + ": " + row["error"].get<std::string>();
      BOOST_TEST_CONTEXT(policy) {
        BOOST_TEST(errors_of(workers().policy(field, value_of(policy)))
                   == std::string{"spec.runPolicy."} + field
                          + (path.empty() ? "" : ".") + rest);
        BOOST_TEST(errors_of(workers().annotation(label, policy))
                   == std::string{"metadata.annotations["} + label + "]"
                          + (path.empty() ? "" : ": ") + rest);
      }
    }
}

BOOST_AUTO_TEST_CASE(lists_have_limits) {
  struct limit {
    int most;
    const char* item;
    const char* around; ///< % is the list.
    const char* path;
  };
  const limit limits[] = {
      {20, "{action: Ignore, onReasons: [a#]}", "{rules: %}", "rules"},
      {255, "#",
       "{rules: [{action: Ignore, onExitCodes: {operator: In, values: %}}]}",
       "rules[0].onExitCodes.values"},
      {20, "{type: T#}", "{rules: [{action: Ignore, onPodConditions: %}]}",
       "rules[0].onPodConditions"},
      {20, "a#", "{rules: [{action: Ignore, onReasons: %}]}",
       "rules[0].onReasons"}};
  for (const auto& l : limits) {
    auto errors_with = [&](int items) {
      auto text = k8s::replace_all(l.around, "%", list_of(items, l.item));
      return errors_of(workers().failure_policy(value_of(text)));
    };
    BOOST_TEST(errors_with(l.most) == "");
    BOOST_TEST(errors_with(l.most + 1)
               == in_spec + "." + l.path + ": Too many: "
                      + std::to_string(l.most + 1) + ": must have at most "
                      + std::to_string(l.most) + " items");
  }
}

BOOST_AUTO_TEST_CASE(texts_have_limits) {
  auto errors_with = [](const char* field, json value) {
    return errors_of(workers().failure_policy(
        {{"rules", {{{"action", "Ignore"}, {field, std::move(value)}}}}}));
  };
  auto reason = [&](std::size_t n) {
    return errors_with("onReasons", {std::string(n, 'a')});
  };
  BOOST_TEST(reason(128) == "");
  BOOST_TEST(reason(129)
             == in_spec
                    + ".rules[0].onReasons[0]: Too long: has 129 bytes, the "
                      "limit is 128");
  auto pattern = [&](std::size_t n) {
    return errors_with("onMessagePattern", std::string(n, 'a'));
  };
  BOOST_TEST(pattern(1024) == "");
  BOOST_TEST(pattern(1025)
             == in_spec
                    + ".rules[0].onMessagePattern: Too long: has 1025 bytes, "
                      "the limit is 1024");
}

BOOST_AUTO_TEST_CASE(all_patterns_together_have_a_limit) {
  auto errors_with = [](int rules) {
    json all = json::array();
    for (int i = 0; i < rules; ++i)
      all.push_back(
          {{"action", "Ignore"}, {"onMessagePattern", std::string(1000, 'a')}});
    return errors_of(workers().failure_policy({{"rules", all}}));
  };
  BOOST_TEST(errors_with(2) == "");
  BOOST_TEST(errors_with(3)
             == in_spec + ".rules[2].onMessagePattern: Invalid value: \""
                    + std::string(64, 'a')
                    + "...\": with it the patterns of all rules have more than "
                      "2500 steps; shorten them, or repeat less");
}

BOOST_AUTO_TEST_CASE(an_annotation_must_be_one_small_document) {
  BOOST_TEST(errors_of_annotation("")
             == in_annotation
                    + ": Required value: must be a policy, as YAML or JSON; "
                      "without one remove the annotation");
  BOOST_TEST(errors_of_annotation("# none\n").find("Required value")
             != std::string::npos);
  BOOST_TEST(errors_of_annotation("restartScope: Job\n---\nmaxRestarts: 1\n")
             == in_annotation
                    + ": Invalid value: must be one YAML document, not 2");
  BOOST_TEST(errors_of_annotation("restartScope: Job\n rules: [\n")
             == in_annotation
                    + ": Invalid value: line 2: not YAML: illegal map value");
  BOOST_TEST(errors_of_annotation("maxRestarts: 1\nmaxRestarts: 2\n")
             == in_annotation
                    + ": Invalid value: line 2: has the key maxRestarts twice");
  BOOST_TEST(errors_of_annotation(std::string(16 * 1024 + 1, ' '))
             == in_annotation
                    + ": Too long: has 16385 bytes, the limit is 16384");
  BOOST_TEST(errors_of_annotation("a: &a [1,1,1,1,1,1,1,1,1,1]\n"
                                  "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                                  "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                                  "d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n")
             == in_annotation
                    + ": Invalid value: line 4: is nested too deeply, or its "
                      "anchors repeat too much");
  BOOST_TEST(errors_of_annotation(std::string(400, '[')).find("Invalid value")
             != std::string::npos);
  BOOST_TEST(errors_of_annotation("restartScope: \"\xff\"").find("not UTF-8")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_policy_is_written_in_one_place) {
  auto both = workers();
  both.failure_policy({{"restartScope", "Job"}})
      .annotation(core::label::failure_policy, "restartScope: Job");
  BOOST_TEST(errors_of(both)
             == in_annotation + ": Forbidden: " + in_spec
                    + " is set, too; remove one of the two");
  auto each = workers();
  each.failure_policy({{"restartScope", "Job"}})
      .annotation(core::label::success_policy, "operator: All");
  BOOST_TEST(errors_of(each) == "");
  auto tf = make_job();
  tf.workers(2).all_workers().success_policy({{"operator", "All"}});
  BOOST_TEST(errors_of(tf)
             == "spec.runPolicy.successPolicy: Forbidden: spec.successPolicy "
                "is set, too; remove one of the two");
  auto noted = make_job();
  noted.workers(2).all_workers().annotation(core::label::success_policy,
                                            "operator: All");
  BOOST_TEST(errors_of(noted)
             == "metadata.annotations[training.kubeflow.org/success-policy]: "
                "Forbidden: spec.successPolicy is set, too; remove one of the "
                "two");
}

BOOST_AUTO_TEST_CASE(a_container_may_be_in_the_templates_of_some_types) {
  auto b = workers();
  b.pod_template("Worker")["spec"]["initContainers"] =
      json::array({{{"name", "copy"}, {"image", "reg.example/copy:1"}}});
  auto with_types = [&](json types) {
    json rule{
        {"action", "Ignore"},
        {"onExitCodes",
         {{"containerName", "copy"}, {"operator", "In"}, {"values", {1}}}}};
    rule["targetReplicaTypes"] = std::move(types);
    return errors_of(b.failure_policy({{"rules", {rule}}}));
  };
  BOOST_TEST(with_types(nullptr) == "");
  BOOST_TEST(with_types({"Worker"}) == "");
  BOOST_TEST(with_types({"Master"})
             == in_spec
                    + ".rules[0].onExitCodes.containerName: Unsupported value: "
                      "\"copy\": supported values: \"pytorch\"");
}

BOOST_AUTO_TEST_CASE(all_errors_are_told_up_to_a_number) {
  auto b = workers();
  b.failure_policy({{"restartScope", "x"}, {"maxRestarts", -1}});
  b.annotation(core::label::success_policy, "operator: x");
  BOOST_TEST(
      errors_of(b)
      == "[spec.runPolicy.failurePolicy.restartScope: Unsupported value: "
         "\"x\": supported values: \"Pod\", \"ReplicaType\", \"Job\", "
         "spec.runPolicy.failurePolicy.maxRestarts: Invalid value: -1: must be "
         "a whole number from 0 to 1000, "
         "metadata.annotations[training.kubeflow.org/success-policy]: "
         "operator: Unsupported value: \"x\": supported values: \"All\", "
         "\"Any\"]");
  json many;
  for (int i = 0; i < 1000; ++i)
    many["f" + std::to_string(i)] = 1;
  BOOST_TEST(workers().failure_policy(many).get().policy_errors.size() == 50u);
}

BOOST_AUTO_TEST_CASE(an_update_that_leaves_a_bad_policy_alone_is_let_through) {
  auto b = workers();
  b.failure_policy({{"restartScope", "x"}})
      .annotation(core::label::success_policy, "operator: x");
  const auto spec = b.spec().dump();
  const core::written_job old{
      spec, core::policy_annotations_of(b.object().meta.annotations)};
  BOOST_TEST(errors_of(b).find("restartScope") != std::string::npos);
  auto other = b;
  BOOST_TEST(errors_of(other.workers(3).annotation("other", "x"), old) == "");
  auto better = b;
  better.failure_policy({{"restartScope", "Pod"}});
  BOOST_TEST(errors_of(better, old) == "");
  auto worse = b;
  worse.annotation(core::label::success_policy, "operator: y");
  BOOST_TEST(errors_of(worse, old)
             == "metadata.annotations[training.kubeflow.org/success-policy]: "
                "operator: Unsupported value: \"y\": supported values: "
                "\"All\", \"Any\"");
}

BOOST_AUTO_TEST_SUITE_END()
