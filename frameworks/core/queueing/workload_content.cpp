#include "frameworks/core/queueing/workload_content.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "k8s/general/digest.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>

namespace troupe::core {

namespace {

constexpr std::size_t digits_of_hash = 5;
constexpr std::size_t longest_name = 253;

/// Kueue's order of types is that of evaluation of its integrations; the names
/// of pod sets decide, so it only shows.
constexpr std::array order_of_types{"launcher",  "chief",  "master",
                                    "scheduler", "server", "ps",
                                    "worker",    "tuner",  "evaluator"};

std::size_t rank_of_type(const std::string& label) {
  auto i = std::find(order_of_types.begin(), order_of_types.end(), label);
  return static_cast<std::size_t>(i - order_of_types.begin());
}

/// Of a template what an admission writes into: empty and absent are the same.
json comparable_template(const std::string& text) {
  auto whole = parse_json_or_null(text);
  json result{{"labels", value_at(whole, {"metadata", "labels"})},
              {"annotations", value_at(whole, {"metadata", "annotations"})},
              {"spec", value_at(whole, {"spec"})}};
  auto drop_empty = [](json& object, const char* key) {
    if (object.is_object() && object.contains(key) && object[key].empty())
      object.erase(key);
  };
  for (const char* key : {"labels", "annotations"})
    drop_empty(result, key);
  for (const char* key : {"nodeSelector", "tolerations", "schedulingGates"})
    drop_empty(result["spec"], key);
  return result;
}

/// What of a pod counts against quota.
json requests_of(const std::string& pod_template) {
  const auto spec = value_at(parse_json_or_null(pod_template), {"spec"});
  auto result = json::array();
  for (const char* field : {"resources", "overhead", "runtimeClassName"})
    result.push_back(value_at(spec, {field}));
  for (const char* list : {"containers", "initContainers"}) {
    auto all = json::array();
    for (const auto& c : array_at(spec, {list}))
      all.push_back(
          {value_at(c, {"resources"}), value_at(c, {"restartPolicy"})});
    result.push_back(std::move(all));
  }
  return result;
}

/// `env` is a list keyed by name in the schema of Workloads: of equal names the
/// last one counts, as it does for a kubelet.
void keep_last_of_equal_variables(json& container) {
  if (!value_at(container, {"env"}).is_array())
    return;
  auto& all = container["env"];
  std::set<std::string> names;
  std::vector<json> kept;
  for (auto i = all.rbegin(); i != all.rend(); ++i)
    if (names.insert(text_at(*i, {"name"})).second)
      kept.push_back(*i);
  std::reverse(kept.begin(), kept.end());
  all = std::move(kept);
}

json pod_set_template(const json& written) {
  auto result = json::object();
  if (value_at(written, {"metadata"}).is_object())
    result["metadata"] = json::object();
  for (const char* key : {"labels", "annotations"})
    if (const auto& map = value_at(written, {"metadata", key}); map.is_object())
      result["metadata"][key] = map;
  result["spec"] = value_at(written, {"spec"});
  for (const char* list : {"containers", "initContainers"})
    if (value_at(result, {"spec", list}).is_array())
      for (auto& container : result["spec"][list])
        keep_last_of_equal_variables(container);
  return result;
}

/// Only positive ones mean something; others would have all refused.
void copy_number(json& to, const char* field, const std::string& text) {
  char* end = nullptr;
  auto n = std::strtoll(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0' && n > 0
      && n <= std::numeric_limits<std::int32_t>::max())
    to[field] = n;
}

/// By the annotations of the template; always the label of a pod's index.
json topology_request(const json& written) {
  json result{{"podIndexLabel", label::replica_index}};
  auto annotation = [&](const char* key) {
    return text_at(written, {"metadata", "annotations", key});
  };
  auto required = annotation(label::kueue_required_topology);
  auto preferred = annotation(label::kueue_preferred_topology);
  if (!required.empty())
    result["required"] = required;
  else if (!preferred.empty())
    result["preferred"] = preferred;
  else if (auto any = annotation(label::kueue_any_topology); !any.empty())
    result["unconstrained"] = any == "true";
  auto slice = annotation(label::kueue_slice_topology);
  if (!slice.empty()) // Both or none.
    copy_number(result, "podSetSliceSize", annotation(label::kueue_slice_size));
  if (result.contains("podSetSliceSize"))
    result["podSetSliceRequiredTopology"] = slice;
  auto group = annotation(label::kueue_group_name);
  if (!group.empty() && (!required.empty() || !preferred.empty()))
    result["podSetGroupName"] = group;
  return result;
}

std::string name_with_hash(const job& j, const std::string& more) {
  const auto& type = j.kind->names.type;
  auto hash = k8s::sha1_hex(type.kind + "\n" + type.group + "\n" + j.name + "\n"
                            + j.uid + more);
  auto name = k8s::lower_case(type.kind) + "-" + j.name;
  return name.substr(0, longest_name - digits_of_hash - 1) + "-"
         + hash.substr(0, digits_of_hash);
}

/// The workers of an elastic job may be fewer than it asks for.
std::optional<std::int32_t> least_count(const job& j, const replica_spec& r) {
  if (!j.elastic_policy || r.label != "worker" || is_elastic(j))
    return std::nullopt;
  auto least = int32_at(parse_json_or_null(j.settings),
                        {"elasticPolicy", "minReplicas"});
  return least && *least >= 1 && *least < r.replicas ? least : std::nullopt;
}

} // namespace

std::string workload_name(const job& j) {
  return name_with_hash(j, "");
}

std::string workload_slice_name(const job& j) {
  return name_with_hash(j, "\n" + std::to_string(j.generation));
}

bool is_elastic(const job& j) {
  if (j.queue_settings.find(label::kueue_elastic) == std::string::npos)
    return false;
  return text_at(parse_json_or_null(j.queue_settings),
                 {"annotations", label::kueue_elastic})
         == "true";
}

bool is_copied_annotation(const std::string& key) {
  return key.rfind(label::provisioning_prefix, 0) == 0
         || key == label::kueue_gated_by;
}

bool has_pod_set_label(const json& written) {
  return value_at(written, {"metadata", "labels", label::kueue_pod_set})
      .is_string();
}

std::string hash_of_asked_content(const job& j) {
  auto content =
      json::array({j.queue_settings, j.settings,
                   j.policy.scheduling ? j.policy.scheduling->priority_class
                                       : std::string{}});
  for (const auto& r : j.replicas)
    content.push_back(
        {r.label, r.replicas, comparable_template(r.pod_template)});
  return k8s::sha256_hex(to_text(content)).substr(0, 16);
}

std::string hash_of_requests(const job& j) {
  auto requests = json::array();
  for (const auto& r : j.replicas)
    requests.push_back({r.label, requests_of(r.pod_template)});
  return k8s::sha256_hex(to_text(requests)).substr(0, 16);
}

std::vector<std::pair<std::string, json*>> pod_templates_of(json& object,
                                                            const job& j) {
  std::vector<std::pair<std::string, json*>> result;
  auto* types = const_cast<json*>(
      k8s::find_value(object, {"spec", j.kind->names.spec_field}));
  if (types && types->is_object())
    for (auto& [type, spec] : types->items())
      if (spec.is_object()) {
        const auto* rule = j.kind->find_rule_by_type(type);
        result.emplace_back(rule ? rule->label : k8s::lower_case(type),
                            &ensure_object(spec, "template"));
      }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) {
                     return rank_of_type(a.first) < rank_of_type(b.first);
                   });
  return result;
}

priority_class_ref priority_class_of(const json& object, const job& j) {
  auto named = text_at(object, {"metadata", "labels", label::kueue_priority});
  if (!named.empty())
    return {"kueue.x-k8s.io", "WorkloadPriorityClass", named};
  auto of_pods = j.policy.scheduling ? j.policy.scheduling->priority_class : "";
  auto copy = object;
  for (const auto& [type, written] : pod_templates_of(copy, j))
    if (of_pods.empty())
      of_pods = text_at(*written, {"spec", "priorityClassName"});
  return of_pods.empty() ? priority_class_ref{}
                         : priority_class_ref{"scheduling.k8s.io",
                                              "PriorityClass", of_pods};
}

json make_workload_spec(json object, const job& j,
                        const workload_priority& priority) {
  json spec{{"podSets", json::array()}};
  if (!j.queue.empty()) // Its schema knows no empty name.
    spec["queueName"] = j.queue;
  for (const auto& [type, written] : pod_templates_of(object, j)) {
    const auto* r = j.find_replica_spec(type);
    json one{{"name", type},
             {"count", r ? r->replicas : 1},
             {"template", pod_set_template(*written)},
             {"topologyRequest", topology_request(*written)}};
    if (auto least = r ? least_count(j, *r) : std::nullopt)
      one["minCount"] = *least;
    spec["podSets"].push_back(std::move(one));
  }
  if (const auto& ref = priority.of; !ref.kind.empty()) {
    spec["priorityClassRef"] = {
        {"group", ref.group}, {"kind", ref.kind}, {"name", ref.name}};
    spec["priority"] = priority.value;
  }
  copy_number(
      spec, "maximumExecutionTimeSeconds",
      text_at(object, {"metadata", "labels", label::kueue_longest_run}));
  return spec;
}

json make_workload_metadata(const json& object, const job& j,
                            const std::string& hash) {
  json result{{"name", workload_name(j)},
              {"namespace", j.ns},
              {"labels",
               {{label::kueue_job_uid, j.uid},
                {label::workload_owner, label::workload_owner_value}}},
              {"annotations", {{label::workload_content, hash}}},
              {"finalizers", {label::workload_finalizer}},
              {"ownerReferences", json::array({controller_reference(j)})}};
  if (is_elastic(j)) {
    result["annotations"][label::kueue_elastic] = "true";
    result["annotations"][label::kueue_slice_of] = workload_name(j);
  }
  for (const auto& [key, value] :
       value_at(object, {"metadata", "annotations"}).items())
    if (is_copied_annotation(key))
      result["annotations"][key] = value;
  return result;
}

} // namespace troupe::core
