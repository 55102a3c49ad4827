#include "frameworks/core/queueing/workload_writes.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(workload_writes_test)

namespace {

const auto later = base_time + 100s;

workload_builder workload() {
  return workload_builder{make_queued_job().workers(2).servers(1)};
}

const json& condition(const json& object, const char* type) {
  static const json none;
  for (const auto& c : object["status"]["conditions"])
    if (c["type"] == type)
      return c;
  return none;
}

/// "True Started: text", and when it became that.
std::string described(const json& object, const char* type) {
  const auto& c = condition(object, type);
  if (c.is_null())
    return "none";
  BOOST_TEST(c["observedGeneration"] == 3);
  return c["status"].get<std::string>() + " " + c["reason"].get<std::string>()
         + ": " + c["message"].get<std::string>()
         + (c["lastTransitionTime"] == k8s::to_rfc3339(later) ? " (new)" : "");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_release_gives_back_all_in_one_write) {
  auto w = workload()
               .admitted(base_time)
               .pods_ready(false, "WaitForRecovery")
               .evicted("Preempted");
  w.status()["reclaimablePods"] = {{{"name", "ps"}, {"count", 1}}};
  w.status()["requeueState"] = {{"count", 1}};
  auto after = core::released_workload(w.body(), later);
  BOOST_TEST(!after["status"].contains("admission"));
  BOOST_TEST(!after["status"].contains("reclaimablePods"));
  BOOST_TEST(after["status"]["requeueState"]["count"] == 1);
  BOOST_TEST(after["status"]["accumulatedPastExecutionTimeSeconds"] == 100);
  BOOST_TEST(described(after, "Requeued")
             == "True Preempted: to make room (new)");
  BOOST_TEST(described(after, "QuotaReserved")
             == "False Pending: to make room (new)");
  BOOST_TEST(described(after, "Admitted")
             == "False NoReservation: The workload has no reservation (new)");
  // Its status does not change, so its time does not either.
  BOOST_TEST(described(after, "PodsReady")
             == "False WaitForStart: Not all pods are ready or succeeded");
  BOOST_TEST(condition(after, "Evicted") == condition(w.body(), "Evicted"));
  BOOST_TEST(after["spec"] == w.body()["spec"]);
  BOOST_TEST(after["metadata"] == w.body()["metadata"]);
}

BOOST_AUTO_TEST_CASE(
    a_released_one_is_in_the_queue_if_nobody_else_puts_it_there) {
  struct row {
    const char* reason;
    bool requeued;
  };
  for (const auto& r :
       {row{"Preempted", true}, row{"NodeFailures", true},
        row{"PodsReadyTimeout", false}, row{"AdmissionCheck", false},
        row{"ClusterQueueStopped", false}, row{"LocalQueueStopped", false},
        row{"Deactivated", false},
        row{"DeactivatedDueToRequeuingLimitExceeded", false},
        row{"FlavorMigration", false}, row{"EvictedOnManagerCluster", false},
        row{"SomethingNew", false}}) {
    auto after = core::released_workload(
        workload().admitted().evicted(r.reason).body(), later);
    BOOST_TEST(described(after, "Requeued")
               == std::string{r.requeued ? "True " : "False "} + r.reason
                      + ": to make room (new)");
  }
}

BOOST_AUTO_TEST_CASE(the_seconds_of_all_admissions_are_summed) {
  auto seconds = [](workload_builder w) {
    auto after = core::released_workload(w.evicted().body(), later);
    return after["status"].value("accumulatedPastExecutionTimeSeconds", -1);
  };
  BOOST_TEST(seconds(workload().reserved()) == -1); // It was not admitted.
  BOOST_TEST(seconds(workload().admitted(base_time + 40s)) == 60);
  auto again = workload().admitted(base_time + 40s);
  again.status()["accumulatedPastExecutionTimeSeconds"] = 7;
  BOOST_TEST(seconds(again) == 67);
  // The clocks of Kueue and of this process may differ.
  BOOST_TEST(seconds(workload().admitted(later + 5s)) == 0);
}

BOOST_AUTO_TEST_CASE(an_end_keeps_all_else) {
  auto w = workload().admitted();
  auto after = core::finished_workload(w.body(), "Succeeded", "done", later);
  BOOST_TEST(described(after, "Finished") == "True Succeeded: done (new)");
  BOOST_TEST(after["status"]["admission"] == w.status()["admission"]);
  BOOST_TEST(condition(after, "Admitted") == condition(w.body(), "Admitted"));
  auto fresh = core::finished_workload(workload().body(), "Failed", "", later);
  BOOST_TEST(described(fresh, "Finished") == "True Failed:  (new)");
}

BOOST_AUTO_TEST_CASE(reports_are_worded_as_those_of_kueue) {
  struct row {
    core::pods_report pods;
    const char* condition;
  };
  const row rows[] = {
      {{true, "Started", {}},
       "True Started: All pods reached readiness and the workload is running"},
      {{true, "Recovered", {}},
       "True Recovered: All pods reached readiness and the workload is "
       "running"},
      {{false, "WaitForStart", {}},
       "False WaitForStart: Not all pods are ready or succeeded"},
      {{false, "WaitForRecovery", {}},
       "False WaitForRecovery: At least one pod has failed, waiting for "
       "recovery"},
  };
  for (const auto& r : rows) {
    for (bool before : {false, true}) {
      auto w = workload().admitted().pods_ready(before, "X");
      auto after = core::reported_workload(w.body(), r.pods, later);
      BOOST_TEST(described(after, "PodsReady")
                 == std::string{r.condition}
                        + (before == r.pods.ready ? "" : " (new)"));
      BOOST_TEST(!after["status"].contains("reclaimablePods"));
    }
  }
  auto with_returned = core::reported_workload(
      workload().admitted().body(), {true, "Started", {{"worker", 2}}}, later);
  BOOST_TEST(with_returned["status"]["reclaimablePods"].dump()
             == R"([{"count":2,"name":"worker"}])");
}

BOOST_AUTO_TEST_CASE(sizes_are_written_in_place) {
  auto w = workload().admitted(); // One server, two workers.
  auto sizes = [](const json& o) {
    return o["spec"]["podSets"][0]["count"].dump() + "+"
           + o["spec"]["podSets"][1]["count"].dump();
  };
  BOOST_TEST(sizes(core::shrunk_workload(w.body(), {{"worker", 1}})) == "1+1");
  BOOST_TEST(sizes(core::shrunk_workload(w.body(), {{"worker", 5}})) == "1+2");
  BOOST_TEST(sizes(core::resized_workload(w.body(), {{"worker", 5}})) == "1+5");
  BOOST_TEST(sizes(core::resized_workload(w.body(), {{"chief", 5}})) == "1+2");
}

BOOST_AUTO_TEST_CASE(a_second_one_is_to_take_the_place_of_the_first) {
  auto w = workload().admitted();
  auto next = core::next_slice(w.body(), "second", {{"worker", 3}});
  const auto& m = next["metadata"];
  auto first = w.body()["metadata"]["name"].get<std::string>();
  BOOST_TEST(m["name"] == "second");
  BOOST_TEST(m["namespace"] == "ns");
  BOOST_TEST(m["labels"] == w.body()["metadata"]["labels"]);
  BOOST_TEST(m["ownerReferences"] == w.body()["metadata"]["ownerReferences"]);
  BOOST_TEST(m["finalizers"] == w.body()["metadata"]["finalizers"]);
  BOOST_TEST(!m.contains("uid"));
  BOOST_TEST(!m.contains("resourceVersion"));
  BOOST_TEST(m["annotations"]["kueue.x-k8s.io/elastic-job"] == "true");
  BOOST_TEST(m["annotations"]["kueue.x-k8s.io/workload-slice-name"] == first);
  BOOST_TEST(m["annotations"]["kueue.x-k8s.io/workload-slice-replacement-for"]
             == "ns/" + first);
  BOOST_TEST(!next.contains("status"));
  BOOST_TEST(next["spec"]["podSets"][1]["count"] == 3);
  // The third knows the first, and replaces the second.
  auto third = core::next_slice(next, "third", {});
  const auto& annotations = third["metadata"]["annotations"];
  BOOST_TEST(annotations["kueue.x-k8s.io/workload-slice-name"] == first);
  BOOST_TEST(annotations["kueue.x-k8s.io/workload-slice-replacement-for"]
             == "ns/second");
}

BOOST_AUTO_TEST_CASE(only_our_finalizer_is_taken_off) {
  auto w = workload();
  w.body()["metadata"]["finalizers"].push_back("other/one");
  BOOST_TEST(core::unguarded_workload(w.body())["metadata"]["finalizers"].dump()
             == R"(["other/one"])");
  auto taken = core::labelled_workload(workload().made_by_kueue().body());
  BOOST_TEST(taken["metadata"]["labels"]["training.kubeflow.org/queueing"]
             == "operator");
}

BOOST_AUTO_TEST_SUITE_END()
