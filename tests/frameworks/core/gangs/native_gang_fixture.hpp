#pragma once

#include "frameworks/core/gangs/native_gang.hpp"
#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

inline core::cluster_options native_gangs() {
  core::cluster_options c;
  c.scheduling = core::gang::kubernetes;
  return c;
}

inline child_builder placed_pod(const char* type, int index) {
  auto p = pod(type, index).running();
  p.state().node = "node";
  p.state().started = base_time;
  return p;
}

/// As a watch shows one that names this group, or none.
inline child_builder in_group(child_builder p, const char* group) {
  p.state().scheduling_group = group;
  return p;
}

/// A job whose PodGroup is `tfjob-job-job-uid`, and passes over it.
struct native_gang_fixture : job_fixture {
  core::cluster_options cluster = native_gangs();
  std::uint64_t version = 0;

  explicit native_gang_fixture(core::job job)
      : job_fixture(std::move(job)) {}

  /// As a watcher sees it.
  void see_group(int min_count, json said = json::object(),
                 const std::string& name = "tfjob-job-job-uid",
                 bool deleting = false) {
    k8s::object o;
    o.meta.name = name;
    o.meta.ns = j.ns;
    o.meta.uid = "group-" + name;
    o.meta.resource_version = ++version;
    if (deleting)
      o.meta.deleted = base_time;
    o.meta.owners.push_back({j.kind->names.type.api_version(),
                             j.kind->names.type.kind, j.name, j.uid, true});
    json body;
    body["spec"]["schedulingPolicy"]["gang"]["minCount"] = min_count;
    body["status"] = std::move(said);
    o.state = k8s::full_state{body.dump(), "{}"};
    record_seen(seen, core::child_kind::native_group, o, j);
  }

  static json refused(const char* reason, const char* message,
                      k8s::time_point since = base_time) {
    return {{"conditions",
             json::array({{{"type", "PodGroupInitiallyScheduled"},
                           {"status", "False"},
                           {"reason", reason},
                           {"message", message},
                           {"lastTransitionTime", k8s::to_rfc3339(since)}}})}};
  }
  static json scheduled() {
    return {{"conditions", json::array({{{"type", "PodGroupInitiallyScheduled"},
                                         {"status", "True"},
                                         {"reason", "Scheduled"}}})}};
  }

  core::native_gang_step step() {
    auto children = core::classify_children(j, seen, *status.recovery);
    return core::decide_native_gang(
        {j, seen, children, *status.recovery, open, now});
  }
  /// What minCount is to be; with "!" if pods have to wait for that.
  std::string min_count() {
    auto s = step();
    if (!s.group)
      return "none";
    auto spec = json::parse(s.group->body)["spec"];
    return std::to_string(
               spec["schedulingPolicy"]["gang"]["minCount"].get<int>())
           + (s.changes_first ? "!" : "");
  }
  std::string warning() {
    auto s = step();
    return s.warning ? s.warning->reason : "";
  }
  strings native_pass() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    save();
    return decisions();
  }
};

} // namespace troupe::fixtures
