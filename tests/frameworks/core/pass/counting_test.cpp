#include "frameworks/core/pass/counting.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(counting_test)

namespace {

/// "active succeeded failed".
std::string to_text(const core::replica_status& c) {
  return std::to_string(c.active) + " " + std::to_string(c.succeeded) + " "
         + std::to_string(c.failed);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_counts_by_its_phase) {
  using k8s::pod_phase;
  struct row {
    const char* description;
    child_builder child;
    const char* counts;
  } rows[] = {
      {"pending", pod("worker", 0), "0 0 0"},
      {"running", pod("worker", 0).running(), "1 0 0"},
      {"unknown", pod("worker", 0).in(pod_phase::unknown), "0 0 0"},
      {"succeeded", pod("worker", 0).succeeded(), "0 1 0"},
      {"failed", pod("worker", 0).failed(), "0 0 1"},
      {"being deleted", pod("worker", 0).running().deleting(), "0 0 0"},
      {"deleted late", pod("worker", 0).succeeded().deleting(), "0 1 0"},
      {"disrupted", pod("worker", 0).failed().disrupted(), "0 0 0"},
      {"out of range", pod("worker", 2).running(), "0 0 0"},
      {"orphan", pod("worker", 0).running().orphan(), "0 0 0"},
      {"service", service("worker", 0), "0 0 0"},
  };
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(2)};
    s.observe(r.child);
    auto children = core::classify_children(s.j, s.seen);
    BOOST_TEST(to_text(core::count_replicas(children.types.at(0))) == r.counts,
               r.description);
  }
}

BOOST_AUTO_TEST_CASE(a_running_pod_does_not_count_once_its_deletion_is_sent) {
  job_fixture s{make_job().workers(2)};
  s.observe(pod("worker", 0).running());
  for (bool in_flight : {true, false}) {
    s.seen.set_delete_in_flight(core::child_kind::pod, "pod-worker-0",
                                in_flight);
    auto children = core::classify_children(s.j, s.seen);
    BOOST_TEST(to_text(core::count_replicas(children.types.at(0)))
               == (in_flight ? "0 0 0" : "1 0 0"));
  }
}

BOOST_AUTO_TEST_CASE(at_the_end_active_replicas_are_settled) {
  struct row {
    const char* condition;
    core::clean_pod_policy clean;
    const char* counts;
  } rows[] = {
      {"Succeeded", core::clean_pod_policy::none, "0 3 4"},
      {"Succeeded", core::clean_pod_policy::running, "0 3 4"},
      {"Succeeded", core::clean_pod_policy::all, "0 3 4"},
      {"Failed", core::clean_pod_policy::none, "2 1 4"},
      {"Failed", core::clean_pod_policy::running, "0 1 4"},
      {"Failed", core::clean_pod_policy::all, "0 1 4"},
  };
  for (const auto& r : rows) {
    core::job_status s;
    s.set_condition(r.condition, true, "", "", base_time);
    s.replicas["Worker"] = {2, 1, 4, ""};
    core::finalize_replica_counts(s, r.clean);
    BOOST_TEST(to_text(s.replicas["Worker"]) == r.counts,
               r.condition << ", policy " << static_cast<int>(r.clean));
  }
}

BOOST_AUTO_TEST_CASE(the_counts_of_a_deleted_job_fall_as_its_pods_end) {
  job_fixture s{make_job().workers(3)};
  s.observe({pod("worker", 0).running(), pod("worker", 1).running(),
             pod("worker", 2).succeeded()});
  s.pass();
  s.j = make_job().workers(3).deleting();
  s.observe({pod("worker", 0).running().deleting().version(2)});
  s.pass();
  BOOST_TEST(s.decisions().empty());
  BOOST_TEST(to_text(s.status.replicas["Worker"]) == "2 1 0");
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-0");
  s.pass();
  BOOST_TEST(to_text(s.status.replicas["Worker"]) == "1 1 0");
  // Never upwards: others may have counted.
  s.status.replicas["Worker"].active = 0;
  s.pass();
  BOOST_TEST(s.status.replicas["Worker"].active == 0);
  // What has finished says how it was then.
  s.status.set_condition("Failed", true, "", "", base_time);
  s.status.replicas["Worker"].active = 2;
  s.pass();
  BOOST_TEST(s.status.replicas["Worker"].active == 2);
}

BOOST_AUTO_TEST_CASE(every_type_is_counted_by_its_name) {
  job_fixture s{make_job().workers(2).servers(1)};
  s.observe({pod("worker", 0).running(), pod("ps", 0).succeeded()});
  s.pass();
  BOOST_TEST(s.status.replicas.size() == 2u);
  BOOST_TEST(to_text(s.status.replicas["Worker"]) == "1 0 0");
  BOOST_TEST(to_text(s.status.replicas["PS"]) == "0 1 0");
}

BOOST_AUTO_TEST_SUITE_END()
