#pragma once

#include "tests/frameworks/di/dijob_fixture.hpp"

#include <initializer_list>

namespace troupe::fixtures {

/// A typed task of a DIJob, named after its type.
inline json di_task(const char* type, int replicas = 1) {
  return {{"type", type}, {"replicas", replicas}, {"template", di_template()}};
}

/// The spec of a DIJob of these tasks, as the API server completes it.
inline json tasks_spec(std::initializer_list<json> tasks) {
  return {{"tasks", json(tasks)},
          {"backoffLimit", 3},
          {"cleanPodPolicy", "Running"},
          {"preemptible", false},
          {"priority", "normal"}};
}

/// A learner and two collectors.
inline json tasks_spec() {
  return tasks_spec({di_task("learner"), di_task("collector", 2)});
}

/// "default/cp" with this spec.
inline core::job make_tasks_job(const json& spec,
                                const std::string& name = "cp") {
  static const auto kind = frameworks::dijob_tasks();
  return make_job_of(kind, spec, name);
}

} // namespace troupe::fixtures
