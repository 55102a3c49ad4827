#include "frameworks/core/spec/native_gang_spec.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr std::size_t most_name_part = 63;
constexpr const char* mode_all = "All";
constexpr const char* mode_single = "Single";

/// "rack", "topology.kubernetes.io/rack".
bool is_label_key(std::string_view text) {
  auto slash = text.find('/');
  auto name = slash == text.npos ? text : text.substr(slash + 1);
  return (slash == text.npos || k8s::is_dns_subdomain(text.substr(0, slash)))
         && name.size() <= most_name_part && k8s::is_alphanumeric_name(name);
}

/// "priority class high", "no priority class".
std::string described(const char* what, const std::string& name) {
  return name.empty() ? std::string{"no "} + what : what + (" " + name);
}

/// The first two of the job's types that differ in it, in words. `usual`: what
/// no text stands for.
std::string difference_of_types(const job& j, const char* what,
                                std::string replica_spec::*field,
                                std::string_view usual = "") {
  auto meant = [&](const replica_spec& type) {
    const auto& text = type.*field;
    return text.empty() ? usual : std::string_view{text};
  };
  const replica_spec* first = nullptr;
  for (const auto& type : j.replicas) {
    if (type.replicas == 0)
      continue;
    if (!first)
      first = &type;
    else if (meant(type) != meant(*first))
      return first->type + " has " + described(what, first->*field) + " and "
             + type.type + " has " + described(what, type.*field);
  }
  return {};
}

std::string first_priority_class(const job& j) {
  for (const auto& type : j.replicas)
    if (type.replicas > 0)
      return type.template_priority_class;
  return {};
}

std::string wanted_priority_class(const job& j) {
  return j.policy.scheduling && !j.policy.scheduling->priority_class.empty()
             ? j.policy.scheduling->priority_class
             : first_priority_class(j);
}

/// What differs between a group's name and that of a job that says nothing: a
/// hash, which is the same in every process.
std::string name_part_of_content(const job& j) {
  const auto& said = *j.policy.gang;
  const auto priority = wanted_priority_class(j);
  if (priority.empty() && said.topology.empty() && !said.disrupts_all)
    return {};
  std::string mode =
      said.disrupts_all ? *said.disrupts_all ? mode_all : mode_single : "";
  std::uint32_t hash = 2'166'136'261U; // FNV-1a.
  for (unsigned char c : priority + "\n" + said.topology + "\n" + mode)
    hash = (hash ^ c) * 16'777'619U;
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "-";
  for (int shift = 28; shift >= 0; shift -= 4)
    out += digits[(hash >> shift) & 0xFU];
  return out;
}

} // namespace

shared_value<gang_annotations>
read_gang_annotations(const policy_annotations& annotations,
                      field_errors& errors) {
  if (!annotations.topology && !annotations.disruption_mode)
    return {};
  gang_annotations out;
  if (const auto& key = annotations.topology; key && !is_label_key(*key))
    errors.add(field_path::of_annotation(label::topology),
               "Invalid value: must be the key of a label of nodes, such as "
               "topology.kubernetes.io/rack");
  else if (key)
    out.topology = *key;
  if (const auto& mode = annotations.disruption_mode;
      mode && *mode != mode_all && *mode != mode_single)
    errors.add(field_path::of_annotation(label::disruption_mode),
               "Unsupported value: "
                   + supported_values({mode_all, mode_single}));
  else if (mode)
    out.disrupts_all = *mode == mode_all;
  return out;
}

bool names_own_group(const job& j) {
  return std::any_of(j.replicas.begin(), j.replicas.end(),
                     [](const auto& t) { return t.has_own_scheduling_group; });
}

std::string find_gang_conflict(const job& j) {
  constexpr const char* priority = "priority class";
  auto priorities =
      difference_of_types(j, priority, &replica_spec::template_priority_class);
  if (priorities.empty() && j.policy.scheduling
      && !j.policy.scheduling->priority_class.empty()
      && first_priority_class(j) != j.policy.scheduling->priority_class)
    priorities = "runPolicy.schedulingPolicy has "
                 + described(priority, j.policy.scheduling->priority_class)
                 + " and the pod templates have "
                 + described(priority, first_priority_class(j));
  if (!priorities.empty())
    return "all pods of a gang must have its priority, but " + priorities;
  auto schedulers =
      difference_of_types(j, "schedulerName", &replica_spec::template_scheduler,
                          "default-scheduler");
  return schedulers.empty()
             ? ""
             : "all pods of a gang must have one scheduler, but " + schedulers;
}

std::string native_group_name(const job& j) {
  constexpr std::size_t uid_part = 8;
  return k8s::lower_case(j.kind->names.type.kind) + "-" + j.name + "-"
         + j.uid.substr(0, uid_part) + name_part_of_content(j);
}

std::string group_of_new_gang(const job& j) {
  return names_own_group(j) || !find_gang_conflict(j).empty()
             ? ""
             : native_group_name(j);
}

std::string native_group_body(const job& j, std::int32_t min_count,
                              bool is_whole_job) {
  const auto& said = *j.policy.gang;
  bool disrupts_all = said.disrupts_all.value_or(is_whole_job);
  json spec;
  spec["schedulingPolicy"]["gang"]["minCount"] = min_count;
  spec["disruptionMode"][disrupts_all ? "all" : "single"] = json::object();
  if (auto priority = wanted_priority_class(j); !priority.empty())
    spec["priorityClassName"] = std::move(priority);
  if (!said.topology.empty())
    spec["schedulingConstraints"]["topology"] =
        json::array({{{"key", said.topology}}});
  return to_text({{"spec", std::move(spec)}});
}

std::string native_group_change(std::int32_t min_count) {
  json spec;
  spec["schedulingPolicy"]["gang"]["minCount"] = min_count;
  return to_text({{"spec", std::move(spec)}});
}

std::optional<job_event> ignored_scheduling_fields_event(const job& j) {
  if (!j.policy.scheduling)
    return std::nullopt;
  const auto& policy = *j.policy.scheduling;
  std::string names;
  auto add = [&](bool set, const char* name) {
    if (set)
      names += (names.empty() ? "" : ", ") + std::string{name};
  };
  add(!policy.queue.empty(), "queue");
  add(!policy.min_resources.empty(), "minResources");
  add(policy.schedule_timeout_seconds.has_value(), "scheduleTimeoutSeconds");
  if (names.empty())
    return std::nullopt;
  return job_event{true, "SchedulingPolicyIgnored",
                   "Kubernetes' gangs have nothing like " + names
                       + " of runPolicy.schedulingPolicy, so that is ignored"};
}

std::string with_scheduling_group(const std::string& pod,
                                  const std::string& group) {
  auto changed = parse_json_or_null(pod);
  ensure_object(ensure_object(changed, "spec"),
                "schedulingGroup")["podGroupName"] = group;
  return to_text(changed);
}

std::string with_scheduling_group_in_template(const std::string& body,
                                              const std::string& group) {
  auto changed = parse_json_or_null(body);
  auto& pod = ensure_object(ensure_object(changed, "spec"), "template");
  ensure_object(ensure_object(pod, "spec"), "schedulingGroup")["podGroupName"] =
      group;
  return to_text(changed);
}

std::string scheduling_group_in_template(const std::string& body) {
  return text_at(parse_json_or_null(body), {"spec", "template", "spec",
                                            "schedulingGroup", "podGroupName"});
}

} // namespace troupe::core
