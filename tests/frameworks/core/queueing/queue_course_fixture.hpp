#pragma once

#include "frameworks/core/queueing/job_admission.hpp"
#include "frameworks/core/queueing/queue_course.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <optional>
#include <string>

namespace troupe::fixtures {

/// A job as it is while it runs: with what its Workload granted.
inline job_builder with_grant(job_builder b, workload_builder w) {
  b.replace(core::start_job(b.whole(), b, w.body(), {}).object);
  return b;
}

inline core::child_view view_of(const workload_builder& w) {
  auto o = w.object();
  core::child_view v;
  v.name = o.meta.name;
  v.uid = core::uid_key{o.meta.uid};
  v.version = o.meta.resource_version;
  v.created = o.meta.created;
  v.owned = true;
  v.terminating = o.meta.deleted.has_value();
  v.unselected = o.meta.labels.count("training.kubeflow.org/queueing") == 0;
  v.content = core::auxiliary_content{
      v.version,
      {},
      {},
      core::read_workload_state(std::get<k8s::full_state>(o.state))};
  return v;
}

/// What decides the next step, and the step.
struct course_fixture {
  core::job j;
  std::optional<core::child_view> workload{};
  std::optional<core::child_view> second{};
  std::optional<core::child_view> spent{};
  core::queue_view v{j, base_time};

  explicit course_fixture(const job_builder& b)
      : j(b.get()) {}
  course_fixture(const job_builder& b, const workload_builder& w)
      : j(b.get())
      , workload(view_of(w)) {}
  course_fixture(const course_fixture&) = delete;
  course_fixture& operator=(const course_fixture&) = delete;

  core::queue_step step() {
    v.workload = workload ? &*workload : nullptr;
    v.second = second ? &*second : nullptr;
    v.spent = spent ? &*spent : nullptr;
    return core::next_queue_step(v);
  }

  /// "hold: suspend the job".
  static std::string text(const core::queue_step& s) {
    const char* verdicts[] = {"run", "wait", "hold"};
    std::string result = verdicts[static_cast<int>(s.verdict)];
    if (s.needs_lookup)
      result += ", looks up";
    return s.order ? result + ": " + core::to_string(s.order->what) : result;
  }
  std::string next() { return text(step()); }
};

} // namespace troupe::fixtures
