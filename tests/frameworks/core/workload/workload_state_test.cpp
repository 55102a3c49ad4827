#include "frameworks/core/workload/workload_state.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(workload_state_test)

namespace {

core::workload_state state(const workload_builder& w) {
  auto o = w.object();
  return core::read_workload_state(std::get<k8s::full_state>(o.state));
}

core::workload_state read(const char* text, const char* metadata = "{}") {
  return core::read_workload_state({text, metadata});
}

workload_builder workload() {
  return workload_builder{make_queued_job().workers(2).servers(1)};
}

} // namespace

BOOST_AUTO_TEST_CASE(what_was_asked_for_and_granted_is_read) {
  auto w = workload().admitted();
  w.grant(1)["count"] = 1;
  w.pod_set(1)["minCount"] = 1;
  w.status()["reclaimablePods"] = {{{"name", "ps"}, {"count", 1}}};
  auto s = state(w);
  BOOST_TEST(s.queue == "q");
  BOOST_TEST(s.cluster_queue == "cq");
  BOOST_REQUIRE_EQUAL(s.asked.size(), 2u);
  BOOST_TEST((s.asked[0] == core::pod_set_count{"ps", 1, {}}));
  BOOST_TEST((s.asked[1] == core::pod_set_count{"worker", 2, 1}));
  BOOST_REQUIRE_EQUAL(s.granted.size(), 2u);
  BOOST_TEST((s.granted[1] == core::pod_set_count{"worker", 1, {}}));
  BOOST_REQUIRE_EQUAL(s.returned.size(), 1u);
  BOOST_TEST((s.returned[0] == core::pod_set_count{"ps", 1, {}}));
  BOOST_TEST(s.keeps_quota);
  BOOST_TEST(s.active);
  BOOST_TEST(!s.has_admitted_templates);
  BOOST_TEST(s.content_hash.size() == 16u);
  w.body()["metadata"]["annotations"]
          ["training.kubeflow.org/workload-requests"] = "r";
  BOOST_TEST(state(w).requests_hash == "r");
  BOOST_TEST(!(state(w) == s));
  w.body()["spec"]["priorityClassRef"] = {{"kind", "PriorityClass"},
                                          {"name", "p"}};
  BOOST_TEST(state(w).own_class == "");
  w.body()["spec"]["priorityClassRef"]["kind"] = "WorkloadPriorityClass";
  BOOST_TEST(state(w).own_class == "p");
  w.pod_set(0)["template"]["metadata"]["labels"]["kueue.x-k8s.io/podset"] =
      "ps";
  BOOST_TEST(state(w).has_admitted_templates);
  BOOST_TEST(!(state(w) == s));
  BOOST_TEST((state(w) == state(w)));
}

BOOST_AUTO_TEST_CASE(conditions_say_whether_pods_may_run) {
  struct row {
    workload_builder w;
    bool holds_quota;
    bool lets_pods_run;
  };
  const row rows[] = {
      {workload(), false, false},
      {workload().waiting(), false, false},
      {workload().reserved(), true, false},
      {workload().admitted(), true, true},
      {workload().admitted().evicted(), true, false},
      // What is left of an admission counts no more.
      {workload().admitted().finished(), false, false},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.w.text()) {
      BOOST_TEST(state(r.w).holds_quota() == r.holds_quota);
      BOOST_TEST(state(r.w).lets_pods_run() == r.lets_pods_run);
    }
  }
  auto s = state(workload().admitted(base_time).evicted("Preempted"));
  BOOST_TEST((s.admitted->since == base_time));
  BOOST_TEST(s.evicted->reason == "Preempted");
  BOOST_TEST(s.evicted->message == "to make room");
}

BOOST_AUTO_TEST_CASE(the_first_check_that_is_not_ready_is_told) {
  auto w = workload().reserved();
  w.status()["admissionChecks"] = {
      {{"name", "a"}, {"state", "Ready"}, {"message", "good"}},
      {{"name", "b"}, {"state", "Pending"}, {"message", "no node yet"}},
      {{"name", "c"}, {"state", "Retry"}, {"message", "again"}}};
  BOOST_TEST(state(w).check_message == "b: no node yet");
}

BOOST_AUTO_TEST_CASE(what_is_of_another_type_counts_as_missing) {
  for (const char* text :
       {"null", "[]", R"({"spec":[],"status":7})",
        R"({"spec":{"podSets":{},"active":"no"},"status":{"conditions":{}}})",
        R"({"status":{"conditions":[null,7,{"type":"Admitted"}],)"
        R"("admission":[],"admissionChecks":[7]}})",
        "not JSON"}) {
    auto s = read(text, "7");
    BOOST_TEST(s.active);
    BOOST_TEST(!s.keeps_quota);
    BOOST_TEST(!s.lets_pods_run());
    BOOST_TEST(s.asked.empty());
  }
  BOOST_TEST(!read(R"({"spec":{"active":false}})").active);
}

BOOST_AUTO_TEST_CASE(long_messages_are_shortened) {
  auto w = workload().condition("QuotaReserved", false, "Pending",
                                std::string(30'000, 'x').c_str());
  BOOST_TEST(state(w).quota_reserved->message.size() < 1030u);
}

BOOST_AUTO_TEST_SUITE_END()
