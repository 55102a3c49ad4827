#pragma once

#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "k8s/json_outline.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <string>

// Jobs that exceed a limit, or nearly so.

namespace troupe::fixtures {

inline std::string type_name(int i) {
  return "t" + std::to_string(i);
}

/// So many types of so many replicas each, of a kind that has any types.
inline job_builder job_of_types(const char* kind, int types, int replicas) {
  auto b = make_job_of(kind);
  for (int i = 0; i < types; ++i)
    b.type(type_name(i), replicas);
  return b;
}

inline json task_of(int i, int replicas) {
  auto task = di_task("none", replicas);
  task["name"] = type_name(i);
  return task;
}

inline json spec_of_tasks(int tasks, int replicas) {
  auto spec = tasks_spec({});
  for (int i = 0; i < tasks; ++i)
    spec["tasks"].push_back(task_of(i, replicas));
  return spec;
}

/// What is said of this write; "": it is let through.
inline std::string errors_of(const core::framework& kind, const json& spec,
                             const json& old = nullptr,
                             const std::string& name = "job") {
  return to_string(core::validate_write(
      kind, name, {spec.dump()}, {old.is_null() ? "" : old.dump()}, "ns"));
}

inline json coordinator_with(const char* policy) {
  auto spec = di_spec();
  spec["coordinator"]["template"]["spec"]["restartPolicy"] = policy;
  return spec;
}

/// A spec that estimate_json_value_count() says has so many.
inline json spec_of_values(std::size_t count) {
  auto b = make_job();
  b.workers(1);
  auto& list = b.pod_template("Worker")["spec"]["x"] = json::array();
  auto items = count + 1 - k8s::estimate_json_value_count(b.spec().dump());
  list.get_ref<json::array_t&>().assign(items, 0);
  return b.spec();
}

} // namespace troupe::fixtures
