#include "frameworks/core/queueing/job_admission.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// The member of a list that has this name; null if none has.
const json& named(const json& list, const std::string& name) {
  static const json none;
  for (const auto& one : list)
    if (text_at(one, {"name"}) == name)
      return one;
  return none;
}

/// Sets or removes `to[key]`. What is there and empty stays so.
void copy_or_erase(json& to, const char* key, const json& from) {
  if (!from.is_null())
    to[key] = from;
  else if (to.is_object())
    to.erase(key);
}

void restore_template(json& written, const json& kept) {
  auto& metadata = ensure_object(written, "metadata");
  for (const char* key : {"labels", "annotations"})
    copy_or_erase(metadata, key, value_at(kept, {"metadata", key}));
  // Only an admission needed it.
  if (metadata.empty() && !value_at(kept, {"metadata"}).is_object())
    written.erase("metadata");
  auto& spec = ensure_object(written, "spec");
  for (const char* key : {"nodeSelector", "tolerations", "schedulingGates"})
    copy_or_erase(spec, key, value_at(kept, {"spec", key}));
}

/// The entry of the replica map that has this template.
json* spec_of_type(json& object, const job& j, const std::string& label) {
  for (auto& [type, spec] : object["spec"][j.kind->names.spec_field].items()) {
    const auto* r = j.find_replica_spec(label);
    if (r && (type == r->type || k8s::equal_ignoring_case(type, label)))
      return &spec;
  }
  return nullptr;
}

/// Collects what is to be written into one template.
class template_additions {
public:
  template_additions(json& written, std::string& conflict)
      : written_(written)
      , conflict_(conflict) {}

  void add_label(const std::string& key, const std::string& value) {
    set(ensure_object(ensure_object(written_, "metadata"), "labels"), "label",
        key, value);
  }
  void add_annotation(const std::string& key, const std::string& value) {
    set(ensure_object(ensure_object(written_, "metadata"), "annotations"),
        "annotation", key, value);
  }
  void add_node_selector(const std::string& key, const std::string& value) {
    set(ensure_object(ensure_object(written_, "spec"), "nodeSelector"),
        "node selector", key, value);
  }
  void add_to_list(const char* list, const json& value) {
    auto& all = ensure_array(ensure_object(written_, "spec"), list);
    if (std::find(all.begin(), all.end(), value) == all.end())
      all.push_back(value);
  }

  /// What a flavor or an admission check wants of a pod set.
  void add_all(const json& labels, const json& annotations,
               const json& node_selector, const json& tolerations) {
    for (const auto& [key, value] : labels.items())
      add_label(key, value);
    for (const auto& [key, value] : annotations.items())
      add_annotation(key, value);
    for (const auto& [key, value] : node_selector.items())
      add_node_selector(key, value);
    for (const auto& one : tolerations)
      add_to_list("tolerations", one);
  }

private:
  void set(json& map, const char* what, const std::string& key,
           const std::string& value) {
    auto [i, is_new] = map.emplace(key, value);
    if (!is_new && *i != value && conflict_.empty())
      conflict_ = std::string{"the "} + what + " " + key
                  + " of the template is " + to_text(*i)
                  + ", the admission wants \"" + value + "\"";
  }

  json& written_;
  std::string& conflict_;
};

bool is_dns_label(const std::string& text) {
  auto is_inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 63
         && std::all_of(text.begin(), text.end(), is_inner)
         && text.front() != '-' && text.back() != '-';
}

bool asks_for_topology(const json& written) {
  for (const char* key :
       {label::kueue_required_topology, label::kueue_preferred_topology,
        label::kueue_any_topology, label::kueue_slice_topology})
    if (!text_at(written, {"metadata", "annotations", key}).empty())
      return true;
  return false;
}

json gate(const char* name) {
  return {{"name", name}};
}

/// Writes the count that was asked for, if an admission has written another
/// one. A count that somebody has written since stays.
void restore_replicas(json& spec, const json& asked, const json& granted) {
  const auto& wrote = value_at(granted, {"count"});
  if (asked.contains("minCount")
      && (wrote.is_null() || value_at(spec, {"replicas"}) == wrote))
    spec["replicas"] = asked["count"];
}

} // namespace

json held_job(json object, const job& j, const json& workload) {
  ensure_object(ensure_object(object, "spec"), "runPolicy")["suspend"] = true;
  const auto& sets = array_at(workload, {"spec", "podSets"});
  const auto& grants =
      array_at(workload, {"status", "admission", "podSetAssignments"});
  for (auto& [type, written] : pod_templates_of(object, j)) {
    const auto& set = named(sets, type);
    // Nothing has been written into another: it is as a person has left it.
    if (!set.is_object() || !has_pod_set_label(*written))
      continue;
    restore_template(*written, value_at(set, {"template"}));
    if (auto* spec = spec_of_type(object, j, type))
      restore_replicas(*spec, set, named(grants, type));
  }
  return object;
}

std::vector<std::string> granted_flavors(const json& workload) {
  std::vector<std::string> result;
  for (const auto& set :
       array_at(workload, {"status", "admission", "podSetAssignments"}))
    for (const auto& [resource, flavor] : value_at(set, {"flavors"}).items())
      if (flavor.is_string()
          && std::find(result.begin(), result.end(), flavor) == result.end())
        result.push_back(flavor);
  return result;
}

started_job start_job(json object, const job& j, const json& workload,
                      const std::map<std::string, json>& flavors) {
  started_job result;
  const auto& admission = value_at(workload, {"status", "admission"});
  const auto& cluster_queue = text_at(admission, {"clusterQueue"});
  for (auto& [type, written] : pod_templates_of(object, j)) {
    const auto& grant = named(array_at(admission, {"podSetAssignments"}), type);
    if (!grant.is_object())
      continue;
    const auto& asked = named(array_at(workload, {"spec", "podSets"}), type);
    // Of an admission before this one; it may contradict this one.
    if (has_pod_set_label(*written) && asked.is_object())
      restore_template(*written, value_at(asked, {"template"}));
    bool asked_for_topology = asks_for_topology(*written);
    template_additions add{*written, result.conflict};
    add.add_label(label::kueue_pod_set, type);
    add.add_label(label::kueue_local_queue,
                  text_at(workload, {"spec", "queueName"}));
    if (is_dns_label(cluster_queue))
      add.add_label(label::kueue_cluster_queue, cluster_queue);
    add.add_annotation(label::kueue_workload,
                       text_at(workload, {"metadata", "name"}));
    for (const auto& [resource, name] : value_at(grant, {"flavors"}).items())
      if (auto f = flavors.find(name.is_string() ? std::string{name} : "");
          f != flavors.end())
        add.add_all({}, {}, value_at(f->second, {"spec", "nodeLabels"}),
                    array_at(f->second, {"spec", "tolerations"}));
    if (value_at(grant, {"topologyAssignment"}).is_object()) {
      add.add_to_list("schedulingGates", gate(label::kueue_topology_gate));
      if (!asked_for_topology)
        add.add_annotation(label::kueue_any_topology, "true");
    }
    for (const auto& check : array_at(workload, {"status", "admissionChecks"}))
      if (const auto& update = named(array_at(check, {"podSetUpdates"}), type);
          update.is_object())
        add.add_all(value_at(update, {"labels"}),
                    value_at(update, {"annotations"}),
                    value_at(update, {"nodeSelector"}),
                    array_at(update, {"tolerations"}));
    if (asked.contains("minCount") && grant.contains("count"))
      if (auto* spec = spec_of_type(object, j, type))
        (*spec)["replicas"] = grant["count"];
  }
  ensure_object(ensure_object(object, "spec"), "runPolicy")["suspend"] = false;
  result.object = std::move(object);
  return result;
}

} // namespace troupe::core
