#pragma once

#include "frameworks/core/model/names.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

namespace troupe::fixtures {

// Workloads of Kueue's, as what a job waits for looks at them.

inline json workload_condition(const char* type, bool status,
                               const char* reason, const char* message) {
  return {{"type", type},
          {"status", status ? "True" : "False"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", "2026-02-02T02:40:00Z"}};
}

inline json quota_reserved() {
  return workload_condition("QuotaReserved", true, "QuotaReserved", "");
}
inline json admitted() {
  return workload_condition("Admitted", true, "Admitted", "");
}
inline json quota_refused(const char* message) {
  return workload_condition("QuotaReserved", false, "Pending", message);
}
inline json evicted(const char* reason, const char* message) {
  return workload_condition("Evicted", true, reason, message);
}

/// Of a job of two workers in queue team-a, where jobs are queued.
struct queue_fixture : waiting_fixture {
  explicit queue_fixture(core::job job = make_job().workers(2).suspended())
      : waiting_fixture(std::move(job)) {
    j.queue = "team-a";
    cluster.queueing.on = true;
  }

  queue_fixture& workload(json conditions, json rest = json::object(),
                          bool leaves = false, const char* uid = "w") {
    k8s::object o;
    o.meta.name = std::string{"tfjob-job-"} + uid;
    o.meta.ns = "ns";
    o.meta.uid = uid;
    o.meta.resource_version = 1;
    o.meta.created = base_time;
    if (leaves)
      o.meta.deleted = base_time;
    o.meta.owners.push_back(
        {"kubeflow.org/v1", "TFJob", "job", "job-uid", true});
    json body{
        {"spec",
         {{"queueName", "team-a"},
          {"podSets", {{{"name", "worker"}, {"count", 2}}}}}},
        {"status",
         {{"conditions", std::move(conditions)},
          {"admission",
           {{"clusterQueue", "cq"},
            {"podSetAssignments", {{{"name", "worker"}, {"count", 2}}}}}}}}};
    body.merge_patch(rest);
    o.state = k8s::full_state{
        body.dump(),
        json{{"finalizers", {core::label::workload_finalizer}}}.dump()};
    record_seen(seen, core::child_kind::workload, o, j);
    return *this;
  }
};

} // namespace troupe::fixtures
