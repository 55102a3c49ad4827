#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(volcano_policy_test)

namespace {

constexpr const char* mode = "volcano.sh/network-topology-mode";
constexpr const char* tier = "volcano.sh/network-topology-highest-tier";
constexpr const char* tier_name =
    "training.kubeflow.org/network-topology-highest-tier-name";
constexpr const char* sub_groups = "training.kubeflow.org/sub-group-policy";

core::cluster_options volcano() {
  core::cluster_options w;
  w.scheduling = core::gang::volcano;
  w.gang_scheduler = "volcano";
  return w;
}

job_builder workers(int count = 2) {
  return make_job_of("PyTorchJob").type("Master", 1).workers(count);
}

json group_of(const job_builder& b, const core::cluster_options& w) {
  auto g = core::desired_pod_group(b, {}, w);
  BOOST_REQUIRE(g);
  return json::parse(g->body)["spec"];
}

std::string topology_of(const job_builder& b) {
  auto j = b.get();
  BOOST_TEST(to_string(j.policy_errors) == "");
  auto group = group_of(b, volcano());
  return group.contains("networkTopology") ? group["networkTopology"].dump()
                                           : "none";
}

json sub_groups_of(const std::string& text, int worker_count) {
  auto b = workers(worker_count).annotation(sub_groups, text);
  BOOST_TEST(to_string(b.get().policy_errors) == "");
  return group_of(b, volcano())["subGroupPolicy"];
}

json metadata_of(const job_builder& b, const char* type, int index,
                 const core::cluster_options& w = volcano()) {
  auto pod = core::make_pod_json(b, {type, index}, w);
  BOOST_REQUIRE(pod);
  return json::parse(*pod)["metadata"];
}

std::string errors_of(job_builder b,
                      const std::map<std::string, std::string>& before = {}) {
  auto spec = b.spec().dump();
  return to_string(core::validate_write(
      b.kind(), b.name(),
      {spec, core::policy_annotations_of(b.object().meta.annotations)},
      {before.empty() ? "" : spec, core::policy_annotations_of(before)}));
}

} // namespace

BOOST_AUTO_TEST_CASE(the_topology_of_a_job_is_that_of_its_group) {
  BOOST_TEST(topology_of(workers()) == "none");
  BOOST_TEST(topology_of(workers().annotation(mode, "soft"))
             == R"({"mode":"soft"})");
  BOOST_TEST(topology_of(workers().annotation(tier, "2"))
             == R"({"highestTierAllowed":2,"mode":"hard"})");
  // As Volcano reads them of pods that are not of a job.
  BOOST_TEST(
      topology_of(workers().annotation(mode, "Hard").annotation(tier, "0"))
      == R"({"highestTierAllowed":0,"mode":"hard"})");
  BOOST_TEST(
      topology_of(workers().annotation(mode, "soft").annotation(tier, "1"))
      == R"({"highestTierAllowed":1,"mode":"soft"})");
  BOOST_TEST(topology_of(workers().annotation(tier_name, "rack"))
             == R"({"highestTierName":"rack","mode":"hard"})");
}

BOOST_AUTO_TEST_CASE(other_schedulers_get_nothing_of_it) {
  auto b = workers().annotation(tier, "2").annotation(
      sub_groups, R"({"Worker": {"subGroupSize": 1}})");
  core::cluster_options w;
  w.scheduling = core::gang::coscheduling;
  BOOST_TEST(group_of(b, w).dump() == R"({"minMember":3})");
  auto labels = metadata_of(b, "worker", 0, w)["labels"];
  BOOST_TEST(!labels.contains("volcano.sh/partition-id"));
}

BOOST_AUTO_TEST_CASE(our_own_annotations_are_not_those_of_the_group) {
  auto b = workers()
               .annotation(tier, "2")
               .annotation(sub_groups, "Worker: {}")
               .annotation("mine", "kept");
  auto g = core::desired_pod_group(b, {}, volcano());
  BOOST_REQUIRE(g);
  BOOST_TEST(json::parse(g->metadata)["annotations"]
             == json({{"mine", "kept"}, {tier, "2"}}));
}

BOOST_AUTO_TEST_CASE(pods_of_a_type_are_one_group_unless_a_size_divides_them) {
  auto all = sub_groups_of("Worker: {}", 4);
  BOOST_TEST(all.dump()
             == R"([{"labelSelector":{"matchLabels":)"
                R"({"training.kubeflow.org/replica-type":"worker"}},)"
                R"("matchLabelKeys":["training.kubeflow.org/replica-type"],)"
                R"("minSubGroups":0,"name":"worker","subGroupSize":4}])");
  auto divided = sub_groups_of(R"({"Worker": {"subGroupSize": 2,
    "minSubGroups": 1, "networkTopology": {"highestTierAllowed": 1}}})",
                               4);
  BOOST_TEST(divided.dump()
             == R"([{"labelSelector":{"matchLabels":)"
                R"({"training.kubeflow.org/replica-type":"worker"}},)"
                R"("matchLabelKeys":["volcano.sh/partition-id"],)"
                R"("minSubGroups":1,"name":"worker",)"
                R"("networkTopology":{"highestTierAllowed":1,"mode":"hard"},)"
                R"("subGroupSize":2}])");
  auto of_both = sub_groups_of("{Master: {networkTopology: {mode: soft}}, "
                               "Worker: {networkTopology: {mode: hard, "
                               "highestTierName: rack}}}",
                               4);
  BOOST_REQUIRE_EQUAL(of_both.size(), 2u);
  BOOST_TEST(of_both[0]["networkTopology"].dump() == R"({"mode":"soft"})");
  BOOST_TEST(of_both[1]["networkTopology"].dump()
             == R"({"highestTierName":"rack","mode":"hard"})");
  // An elastic job may have none of a type for a time.
  BOOST_TEST(sub_groups_of("Worker: {}", 0).dump() == "[]");
}

BOOST_AUTO_TEST_CASE(a_rest_is_a_sub_group_of_its_own_size) {
  auto list = sub_groups_of("Worker: {subGroupSize: 4, minSubGroups: 2}", 10);
  BOOST_REQUIRE_EQUAL(list.size(), 2u);
  // The first that matches counts.
  BOOST_TEST(list[0]["name"] == "worker-rest");
  BOOST_TEST(list[0]["subGroupSize"] == 2);
  BOOST_TEST(list[0]["labelSelector"]["matchLabels"]
             == json({{"training.kubeflow.org/replica-type", "worker"},
                      {"volcano.sh/partition-id", "2"}}));
  BOOST_TEST(list[0]["minSubGroups"] == 0);
  BOOST_TEST(list[1]["name"] == "worker");
  BOOST_TEST(list[1]["subGroupSize"] == 4);
  BOOST_TEST(list[1]["minSubGroups"] == 2);
  // More than there are would never be met.
  auto three = sub_groups_of("Worker: {subGroupSize: 4, minSubGroups: 3}", 10);
  BOOST_TEST(three[0]["minSubGroups"] == 1);
  BOOST_TEST(three[1]["minSubGroups"] == 2);
  auto few = sub_groups_of("Worker: {subGroupSize: 4, minSubGroups: 3}", 3);
  BOOST_REQUIRE_EQUAL(few.size(), 1u);
  BOOST_TEST(few[0]["subGroupSize"] == 3);
  BOOST_TEST(few[0]["minSubGroups"] == 1);
}

BOOST_AUTO_TEST_CASE(a_pod_says_in_which_sub_group_it_is) {
  auto label_of = [](const std::string& text, const char* type, int index) {
    auto meta =
        metadata_of(workers(10).annotation(sub_groups, text), type, index);
    return meta["labels"].value("volcano.sh/partition-id", "none");
  };
  const char* by_four = "Worker: {subGroupSize: 4}";
  BOOST_TEST(label_of(by_four, "worker", 0) == "0");
  BOOST_TEST(label_of(by_four, "worker", 3) == "0");
  BOOST_TEST(label_of(by_four, "worker", 4) == "1");
  BOOST_TEST(label_of(by_four, "worker", 9) == "2");
  BOOST_TEST(label_of(by_four, "master", 0) == "none");
  BOOST_TEST(label_of("Worker: {}", "worker", 4) == "none");
}

BOOST_AUTO_TEST_CASE(wrong_annotations_are_refused_by_name) {
  struct row {
    const char* annotation;
    const char* value;
    const char* error;
  } rows[] = {
      {mode, "firm",
       R"(Unsupported value: "firm": supported values: "hard", "soft")"},
      {mode, "hard",
       "[volcano.sh/network-topology-highest-tier]: Required value: mode hard "
       "needs the highest tier"},
      {mode, "", R"(Unsupported value: "")"},
      {tier, "rack",
       R"(Invalid value: "rack": must be the number of a tier, a whole number )"
       "from 0 to 2147483647; a name belongs in "
       "training.kubeflow.org/network-topology-highest-tier-name"},
      {tier, "-1", "must be the number of a tier"},
      {tier, "+1", "must be the number of a tier"},
      {tier, "1.0", "must be the number of a tier"},
      {tier, "", "must be the number of a tier"},
      {tier, "2147483648", "must be the number of a tier"},
      {tier_name, "", "Required value: must be the name of a tier"},
      {sub_groups, "", "Required value: must be a policy, as YAML or JSON"},
      {sub_groups, "{", "Invalid value: line 1:"},
      {sub_groups, "Worker", "must be an object with replica types"},
      {sub_groups, "{}", "must be an object with replica types"},
      {sub_groups, "Wroker: {}",
       R"(Wroker: Unsupported value: "Wroker": supported values: "Master", )"
       R"("Worker")"},
      {sub_groups, "Worker: 8", "Worker: Invalid value: 8: must be an object"},
      {sub_groups, "Worker: {size: 8}",
       "Worker.size: Forbidden: there is no such field; there are "
       "subGroupSize"},
      {sub_groups, "Worker: {subGroupSize: 0}",
       "Worker.subGroupSize: Invalid value: 0: must be a whole number from 1"},
      {sub_groups, "Worker: {minSubGroups: -1}",
       "Worker.minSubGroups: Invalid"},
      {sub_groups, "Worker: {networkTopology: 1}",
       "Worker.networkTopology: Invalid value: 1"},
      {sub_groups, "Worker: {networkTopology: {}}",
       "Worker.networkTopology.highestTierAllowed: Required value: mode hard"},
      {sub_groups, "Worker: {networkTopology: {mode: Hard}}",
       R"(Unsupported value: "Hard")"},
      {sub_groups,
       "Worker: {networkTopology: {highestTierAllowed: 1, highestTierName: a}}",
       "highestTierName: Forbidden: highestTierAllowed is set, too"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.annotation << ": " << r.value) {
      auto b = workers().annotation(r.annotation, r.value);
      auto text = errors_of(b);
      BOOST_TEST(text.find("metadata.annotations[") != text.npos, text);
      BOOST_TEST(text.find(r.error) != text.npos, text);
      // Where no webhook refused it, the job does not begin.
      auto j = b.get();
      BOOST_TEST(j.limit_error == to_string(j.policy_errors));
      BOOST_TEST(!j.limit_error.empty());
      BOOST_TEST(!j.policy.volcano);
      // An update that leaves it as it is is let through.
      BOOST_TEST(errors_of(b, {{r.annotation, r.value}}) == "");
    }
}

BOOST_AUTO_TEST_CASE(one_tier_is_named_once) {
  auto b = workers().annotation(tier, "1").annotation(tier_name, "rack");
  auto text = errors_of(b);
  BOOST_TEST(
      text.find("[training.kubeflow.org/network-topology-highest-tier-name]: "
                "Forbidden: volcano.sh/network-topology-highest-tier is set, "
                "too; remove one of the two")
          != text.npos,
      text);
  BOOST_TEST(!b.get().policy.volcano);
}

BOOST_AUTO_TEST_CASE(what_is_right_of_wrong_sub_groups_holds) {
  auto j = workers()
               .annotation(sub_groups, "{Master: {}, Worker: {subGroupSize: 0, "
                                       "networkTopology: {mode: soft}}}")
               .get();
  BOOST_TEST(j.policy_errors.size() == 1u);
  BOOST_REQUIRE(j.policy.volcano);
  BOOST_TEST(j.policy.volcano->sub_groups.size() == 1u);
  BOOST_TEST(j.policy.volcano->find("worker") == nullptr);
  BOOST_TEST(j.policy.volcano->find("master") != nullptr);
}

BOOST_AUTO_TEST_CASE(a_changed_annotation_is_noticed) {
  auto plain = workers().object();
  auto j = workers().get();
  BOOST_TEST(core::is_decoded_from(j, plain));
  for (const char* name : {mode, tier, tier_name, sub_groups})
    BOOST_TEST(
        !core::is_decoded_from(j, workers().annotation(name, "1").object()),
        name);
}

BOOST_AUTO_TEST_SUITE_END()
