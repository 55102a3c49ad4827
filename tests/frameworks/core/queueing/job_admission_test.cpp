#include "frameworks/core/queueing/job_admission.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(job_admission_test)

namespace {

json flavor() {
  return {{"spec",
           {{"nodeLabels", {{"pool", "fast"}}},
            {"tolerations", {{{"key", "fast"}, {"operator", "Exists"}}}}}}};
}

std::map<std::string, json> flavors() {
  return {{"f1", flavor()}};
}

json started(const job_builder& b, workload_builder w) {
  auto result = core::start_job(b.whole(), b, w.body(), flavors());
  BOOST_TEST(result.conflict == "");
  return result.object;
}

std::string conflict(const job_builder& b, workload_builder w) {
  return core::start_job(b.whole(), b, w.body(), flavors()).conflict;
}

json held(const job_builder& b, workload_builder w) {
  return core::held_job(b.whole(), b, w.body());
}

const json& template_of(const json& object, const char* type) {
  return object["spec"]["tfReplicaSpecs"][type]["template"];
}

} // namespace

BOOST_AUTO_TEST_CASE(what_was_granted_is_written_into_the_templates) {
  auto b = make_queued_job().workers(2).servers(1).suspended();
  auto w = workload_builder{b}.admitted();
  w.status()["admissionChecks"] = {{{"name", "check"},
                                    {"state", "Ready"},
                                    {"podSetUpdates",
                                     {{{"name", "worker"},
                                       {"labels", {{"l", "1"}}},
                                       {"annotations", {{"a", "2"}}},
                                       {"nodeSelector", {{"n", "3"}}},
                                       {"tolerations", {{{"key", "t"}}}}}}}}};
  auto after = started(b, w);
  BOOST_TEST(after["spec"]["runPolicy"]["suspend"] == false);
  const auto& worker = template_of(after, "Worker");
  BOOST_TEST(worker["metadata"]["labels"].dump()
             == R"({"kueue.x-k8s.io/cluster-queue-name":"cq",)"
                R"("kueue.x-k8s.io/local-queue-name":"q",)"
                R"("kueue.x-k8s.io/podset":"worker","l":"1"})");
  BOOST_TEST(worker["metadata"]["annotations"].dump()
             == R"({"a":"2","kueue.x-k8s.io/workload":")"
                    + core::workload_name(b) + R"("})");
  BOOST_TEST(worker["spec"]["nodeSelector"].dump()
             == R"({"n":"3","pool":"fast"})");
  BOOST_TEST(worker["spec"]["tolerations"].dump()
             == R"([{"key":"fast","operator":"Exists"},{"key":"t"}])");
  BOOST_TEST(!worker["spec"].contains("schedulingGates"));
  const auto& server = template_of(after, "PS");
  BOOST_TEST(server["metadata"]["labels"]["kueue.x-k8s.io/podset"] == "ps");
  BOOST_TEST(!server["metadata"]["labels"].contains("l"));
  BOOST_TEST(started(b.replace(after), w) == after); // Once more.
}

BOOST_AUTO_TEST_CASE(names_that_are_no_labels_are_left_out) {
  auto b = make_queued_job().workers(1);
  for (const char* queue : {"Upper", "dot.ted", "-a", ""}) {
    auto w = workload_builder{b}.admitted();
    w.status()["admission"]["clusterQueue"] = queue;
    BOOST_TEST(
        !template_of(started(b, w), "Worker")["metadata"]["labels"].contains(
            "kueue.x-k8s.io/cluster-queue-name"));
  }
}

BOOST_AUTO_TEST_CASE(pods_with_a_place_are_gated) {
  for (bool asks : {false, true}) {
    auto b = make_queued_job().workers(1);
    if (asks)
      b.pod_template("Worker")["metadata"]["annotations"]
                              ["kueue.x-k8s.io/podset-required-topology"] =
          "rack";
    auto w = workload_builder{b}.admitted();
    w.grant(0)["topologyAssignment"] = json::object();
    auto after = started(b, w);
    const auto& worker = template_of(after, "Worker");
    BOOST_TEST(worker["spec"]["schedulingGates"].dump()
               == R"([{"name":"kueue.x-k8s.io/topology"}])");
    BOOST_TEST(worker["metadata"]["annotations"].value(
                   "kueue.x-k8s.io/podset-unconstrained-topology", "")
               == (asks ? "" : "true"));
    BOOST_TEST(started(b.replace(after), w) == after);
  }
}

BOOST_AUTO_TEST_CASE(a_held_job_is_as_its_owner_wrote_it) {
  const json templates[] = {
      json::object(),
      {{"metadata", {{"labels", {{"a", "b"}}}}}},
      {{"metadata", {{"annotations", {{"a", "b"}}}, {"name", "n"}}}},
      {{"metadata", json::object()}},
      {{"metadata", {{"labels", json::object()}}}},
      {{"metadata", {{"creationTimestamp", nullptr}}}},
      {{"spec", {{"nodeSelector", {{"a", "b"}}}}}},
      {{"spec", {{"nodeSelector", json::object()}}}},
      {{"spec", {{"tolerations", {{{"key", "k"}}}}}}},
      {{"spec", {{"tolerations", json::array()}}}},
      {{"spec", {{"tolerations", flavor()["spec"]["tolerations"]}}}},
      {{"spec", {{"schedulingGates", {{{"name", "own"}}}}}}},
  };
  for (const auto& one : templates) {
    auto b = make_queued_job().workers(2).servers(1).suspended();
    b.pod_template("Worker").merge_patch(one);
    auto w = workload_builder{b}.admitted();
    w.grant(1)["topologyAssignment"] = json::object();
    // A merge would remove what is null.
    if (one.contains("metadata")
        && one["metadata"].contains("creationTimestamp"))
      b.pod_template("Worker")["metadata"]["creationTimestamp"] = nullptr;
    const auto before = b.whole();
    const auto hash = core::hash_of_asked_content(b);
    for (int round = 0; round < 2; ++round) {
      b.replace(started(b, w));
      BOOST_TEST(core::hash_of_asked_content(b) != hash);
      b.replace(held(b, w));
      BOOST_TEST(b.whole().dump() == before.dump());
      BOOST_TEST(core::hash_of_asked_content(b) == hash);
      BOOST_TEST(held(b, w).dump() == before.dump()); // Once more.
    }
  }
}

BOOST_AUTO_TEST_CASE(without_a_workload_a_job_is_only_suspended) {
  auto b = make_queued_job().workers(2);
  auto expected = b.whole();
  expected["spec"]["runPolicy"]["suspend"] = true;
  BOOST_TEST(core::held_job(b.whole(), b, nullptr) == expected);
}

BOOST_AUTO_TEST_CASE(a_job_of_fewer_pods_has_its_full_size_while_it_waits) {
  auto b = make_queued_job("PyTorchJob")
               .type("Master", 1)
               .workers(5)
               .with("elasticPolicy", {{"minReplicas", 1}})
               .suspended();
  auto w = workload_builder{b}.admitted();
  w.grant(1)["count"] = 2;
  const auto before = b.whole();
  b.replace(started(b, w));
  BOOST_TEST(b.types()["Worker"]["replicas"] == 2);
  BOOST_TEST(b.types()["Master"]["replicas"] == 1);
  // A size that somebody has written meanwhile is the one that is wanted.
  auto resized = job_builder{b}.workers(4);
  resized.replace(held(resized, w));
  BOOST_TEST(resized.types()["Worker"]["replicas"] == 4);
  b.replace(held(b, w));
  BOOST_TEST(b.whole().dump() == before.dump());
}

BOOST_AUTO_TEST_CASE(contradictions_are_told) {
  auto b = make_queued_job().workers(1);
  b.pod_template("Worker")["spec"]["nodeSelector"]["pool"] = "slow";
  BOOST_TEST(conflict(b, workload_builder{b}.admitted())
             == "the node selector pool of the template is \"slow\", the "
                "admission wants \"fast\"");
  auto c = make_queued_job().workers(1);
  c.pod_template("Worker")["metadata"]["labels"]["kueue.x-k8s.io/podset"] =
      "mine";
  BOOST_TEST(conflict(c, workload_builder{c}.admitted()).find("the label")
             == 0u);
  auto d = make_queued_job().workers(1);
  d.pod_template(
      "Worker")["metadata"]["annotations"]["kueue.x-k8s.io/workload"] = "mine";
  BOOST_TEST(conflict(d, workload_builder{d}.admitted()).find("the annotation")
             == 0u);
}

// As of a job that has grown, or that was suspended when its quota was taken.
BOOST_AUTO_TEST_CASE(a_former_admission_does_not_contradict) {
  auto b = make_queued_job().workers(1).suspended();
  auto w = workload_builder{b}.admitted();
  auto ran = b;
  ran.replace(started(b, w));
  w.body()["metadata"]["name"] = "second";
  w.status()["admission"]["clusterQueue"] = "other";
  auto next = core::start_job(
      ran.whole(), ran, w.body(),
      {{"f1", {{"spec", {{"nodeLabels", {{"pool", "slow"}}}}}}}});
  BOOST_TEST(next.conflict == "");
  const auto& worker = template_of(next.object, "Worker");
  BOOST_TEST(worker["spec"]["nodeSelector"]["pool"] == "slow");
  BOOST_TEST(worker["metadata"]["annotations"]["kueue.x-k8s.io/workload"]
             == "second");
  BOOST_TEST(!worker["spec"].contains("tolerations"));
}

BOOST_AUTO_TEST_CASE(each_flavor_is_read_once) {
  auto b = make_queued_job().workers(2).servers(1);
  auto w = workload_builder{b}.admitted();
  w.grant(0)["flavors"] = {{"cpu", "f1"}, {"gpu", "f2"}, {"bad", 7}};
  BOOST_TEST(core::granted_flavors(w.body())
                 == (std::vector<std::string>{"f1", "f2"}),
             boost::test_tools::per_element());
  BOOST_TEST(core::granted_flavors(nullptr).empty());
}

BOOST_AUTO_TEST_SUITE_END()
