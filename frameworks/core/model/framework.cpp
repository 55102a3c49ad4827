#include "frameworks/core/model/framework.hpp"

#include "frameworks/core/model/names.hpp"
#include "k8s/text.hpp"

#include <utility>

namespace troupe::core {

const replica_rule*
framework::find_rule_by_label(const std::string& label) const {
  for (const auto& rule : replicas)
    if (label == rule.label)
      return &rule;
  return nullptr;
}

const replica_rule*
framework::find_rule_by_type(const std::string& spelled) const {
  for (const auto& rule : replicas)
    if (spelled == rule.type
        || (accepted.case_insensitive_types
            && k8s::lower_case(spelled) == rule.label))
      return &rule;
  return nullptr;
}

bool framework::is_indexed_or_unknown_type(const std::string& label) const {
  const auto* rule = find_rule_by_label(label);
  return !rule || rule->indexed;
}

const char* framework::effective_event_source() const {
  return *messages.event_source == '\0' ? names.controller.c_str()
                                        : messages.event_source;
}

const char* framework::effective_metrics_source() const {
  return *messages.metrics_source == '\0' ? names.controller.c_str()
                                          : messages.metrics_source;
}

bool is_job_of(const framework& f, std::string_view created_as) {
  // A definition of others has one version, and no such field.
  return *f.names.born_as == '\0' || created_as.empty()
         || created_as == f.names.born_as;
}

bool has_replica_of_chief_type(const job& j) {
  for (const auto& r : j.replicas)
    if (const auto* rule = j.kind->find_rule_by_label(r.label);
        r.replicas > 0 && rule && rule->chief == chief_rule::if_present)
      return true;
  return false;
}

bool is_chief(const job& j, const replica_rule& rule) {
  switch (rule.chief) {
  case chief_rule::never:
    return false;
  case chief_rule::if_present:
    return true;
  case chief_rule::if_no_other:
    return !has_replica_of_chief_type(j);
  case chief_rule::if_single_process:
    return j.kind->ending.is_single_process
           && j.kind->ending.is_single_process(j);
  }
  return false;
}

const message_templates& message_templates_for(const job& j) {
  return has_replica_of_chief_type(j) ? j.kind->messages.with_chief
                                      : j.kind->messages.without_chief;
}

k8s::object_detail reconcile_detail_of(const framework& f, child_kind c) {
  bool ports = c == child_kind::pod
               && (f.pods.services_from_pods || f.pods.keeps_pod_details);
  return ports ? k8s::object_detail::pod_with_ports : reconcile_detail_of(c);
}

k8s::object_detail watched_detail_of(const framework& f, child_kind c) {
  return is_replica_child(c) ? reconcile_detail_of(f, c) : watched_detail_of(c);
}

std::string fill_placeholders(
    std::string_view phrase,
    const std::vector<std::pair<std::string, std::string>>& values) {
  std::string result;
  while (!phrase.empty()) {
    bool filled = false;
    for (const auto& [hole, value] : values)
      if (phrase.compare(0, hole.size(), hole) == 0) {
        result += value;
        phrase.remove_prefix(hole.size());
        filled = true;
        break;
      }
    if (!filled) {
      result += phrase.front();
      phrase.remove_prefix(1);
    }
  }
  return result;
}

std::string fill_template(const char* phrase, const job& j, std::int32_t count,
                          const std::string& type) {
  return fill_placeholders(phrase, {{"{kind}", j.kind->names.type.kind},
                                    {"{ns}", j.ns},
                                    {"{name}", j.name},
                                    {"{count}", std::to_string(count)},
                                    {"{type}", type}});
}

} // namespace troupe::core
