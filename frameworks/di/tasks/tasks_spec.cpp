#include "frameworks/di/tasks/tasks_spec.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/di/base/clean_up.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/tasks/tasks_pods.hpp"
#include "frameworks/rules.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <map>

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

constexpr const char* known_types[] = {"learner", "collector", "evaluator",
                                       untyped};

std::string task_type_or_untyped(const json& task) {
  const auto& type = text_at(task, {"type"});
  return type.empty() ? untyped : type;
}

std::string task_name_or_type(const json& task) {
  const auto& name = text_at(task, {"name"});
  auto type = task_type_or_untyped(task);
  return name.empty() && type != untyped ? type : name;
}

/// The one with the name that DI-orchestrator gives it, else the first.
std::string default_container_name_of(const json& containers) {
  for (const auto& c : containers)
    if (text_at(c, {"name"}) == di::main_container)
      return di::main_container;
  return containers.empty() ? "" : text_at(containers[0], {"name"});
}

replica_spec read_task(const json& task) {
  replica_spec r;
  r.type = r.label = task_name_or_type(task);
  r.replicas = std::clamp(int32_at(task, {"replicas"}).value_or(1), 0,
                          core::max_replicas);
  // A failed pod is replaced, not restarted.
  r.restart = restart_policy::on_failure;
  r.restart_text = "Never";
  const auto& pod_template = value_at(task, {"template"});
  r.has_readiness_check = has_readiness_check(pod_template);
  r.pod_template = to_text(pod_template);
  const auto& containers = array_at(task, {"template", "spec", "containers"});
  r.main_container = default_container_name_of(containers);
  return r;
}

std::string in_quotes(const std::string& text) {
  return "\"" + text + "\"";
}

constexpr const char* label_rule =
    "which must be at most 63 lower case letters, digits and \"-\", and begin "
    "and end with a letter or digit";

struct task_check {
  const std::string& job;
  std::vector<field_error>& errors;

  void check_task(const std::string& field, const json& task) {
    if (!task.is_object()) {
      errors.push_back({field, "Invalid value: must be an object"});
      return;
    }
    check_type(field, task);
    check_replicas(field, task);
    const auto& containers = array_at(task, {"template", "spec", "containers"});
    if (containers.empty())
      errors.push_back({field + ".template.spec.containers",
                        "Required value: must be specified"});
  }

  void check_type(const std::string& field, const json& task) {
    auto given = task_type_or_untyped(task);
    if (std::find(std::begin(known_types), std::end(known_types), given)
        == std::end(known_types))
      errors.push_back({field + ".type",
                        "Unsupported value: " + in_quotes(given)
                            + ": supported values: \"learner\", \"collector\", "
                              "\"evaluator\", \"none\""});
  }

  void check_replicas(const std::string& field, const json& task) {
    const auto& given = value_at(task, {"replicas"});
    auto n = given.is_null() ? 1 : int64_at(given, {}).value_or(-1);
    if (n < 0 || n > core::max_replicas) {
      errors.push_back(
          {field + ".replicas", "Invalid value: " + to_text(given)
                                    + ": must be a number from 1 to "
                                    + std::to_string(core::max_replicas)});
      return;
    }
    auto pod = job + "-" + task_name_or_type(task) + "-"
               + std::to_string(std::max<std::int64_t>(n, 1) - 1);
    if (!k8s::is_dns_label(pod))
      errors.push_back({field + ".name",
                        "Invalid value: " + in_quotes(task_name_or_type(task))
                            + ": gives a pod the host name " + in_quotes(pod)
                            + ", " + label_rule});
  }
};

} // namespace

void read_spec(job& out, const json& spec) {
  out.policy.clean = read_di_clean_pod_policy(spec);
  auto types = json::object();
  for (const auto& task : array_at(spec, {"tasks"})) {
    out.replicas.push_back(read_task(task));
    types[out.replicas.back().label] = task_type_or_untyped(task);
  }
  json settings{{"types", std::move(types)}};
  for (const char* field : {"volumes", "backoffLimit", "preemptible"})
    if (const auto& value = value_at(spec, {field}); !value.is_null())
      settings[field] = value;
  out.settings = to_text(settings);
}

std::string type_of_task(const job& j, const std::string& task) {
  const auto types = spec_setting(j, "types");
  return text_at(types, {task.c_str()}, untyped);
}

std::optional<std::int32_t> backoff_limit(const job& j) {
  const auto limit = spec_setting(j, "backoffLimit");
  return int32_at(limit, {});
}

bool is_preemptible(const job& j) {
  const auto preemptible = spec_setting(j, "preemptible");
  return bool_at(preemptible, {});
}

std::vector<field_error> find_task_errors(const std::string& job,
                                          const json& spec) {
  std::vector<field_error> errors;
  if (auto service = job_service_name(job); !k8s::is_dns_label(service))
    errors.push_back(
        {"metadata.name", "Invalid value: " + in_quotes(job)
                              + ": gives the service of the job the name "
                              + in_quotes(service) + ", " + label_rule});
  const auto& tasks = value_at(spec, {"tasks"});
  if (!tasks.is_array()) {
    errors.push_back({"spec.tasks", "Required value: must be a list of tasks"});
    return errors;
  }
  if (auto conflict = describe_task_conflict(spec); !conflict.empty())
    errors.push_back({"spec.tasks", "Invalid value: " + conflict});
  task_check each{job, errors};
  for (std::size_t i = 0; i < tasks.size() && errors.empty(); ++i)
    each.check_task("spec.tasks[" + std::to_string(i) + "]", tasks[i]);
  return errors;
}

std::string describe_task_conflict(const json& spec) {
  std::map<std::string, int> types;
  std::map<std::string, int> names;
  for (const auto& task : array_at(spec, {"tasks"})) {
    if (!task.is_object())
      continue; // An error of its own.
    auto type = task_type_or_untyped(task);
    if (++types[type] > 1 && type != untyped)
      return "the number of " + type + " task is more than one";
    auto name = task_name_or_type(task);
    if (name.empty())
      return "none type task has no name";
    ++names[name];
  }
  for (const auto& [name, times] : names)
    if (times > 1)
      return "there is more than one task named " + name;
  return "";
}

} // namespace troupe::frameworks::di::tasks
