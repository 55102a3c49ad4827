#include "frameworks/core/events.hpp"

#include "frameworks/core/names.hpp"

namespace troupe::core {

namespace {

/// "Pod", "PodGroup".
std::string noun(child_kind kind) {
  return resource_of(kind).kind;
}

/// "pod", but "PodGroup", as in the original.
std::string word(child_kind kind) {
  return is_replica_child(kind) ? to_string(kind) : noun(kind);
}

/// The rule of its framework for the replica type, or the default rule.
const replica_rule& rule_of(const job& j, const slot& at) {
  static const replica_rule common;
  const auto* rule = j.kind->find(at.type);
  return rule ? *rule : common;
}

/// The texts of its framework for pods and services, or nullptr.
const child_event_texts* texts_for(const framework& f, child_kind kind) {
  return is_replica_child(kind) ? f.child_events : nullptr;
}

job_event own_event(bool warning, const char* reason, const char* message,
                    child_kind kind, const std::string& name,
                    const std::string& error = {}) {
  return {warning, reason,
          fill_placeholders(message, {{"{noun}", to_string(kind)},
                                      {"{name}", name},
                                      {"{error}", error}})};
}

job_event create_failed(child_kind kind, const std::string& why) {
  return {true, "FailedCreate" + noun(kind), "Error creating: " + why};
}

} // namespace

job_event created_event(const create_child& made, const job& j,
                        const std::string& name) {
  if (const auto* own = texts_for(*j.kind, made.kind))
    return own_event(false, own->created_reason, own->created, made.kind, name);
  if (made.kind == child_kind::service)
    return {false, "SuccessfulCreateService", "Created service: " + name};
  const auto& rule = rule_of(j, made.at);
  return {false, rule.created_reason, rule.created_message_prefix + name};
}

std::optional<job_event> created_event(const create_auxiliary& made) {
  const auto& name = made.wanted.name;
  switch (made.wanted.kind) {
  // Worded as if they had been found, blanks and all.
  case child_kind::service_account:
    return job_event{false, "ServiceAccount is exist",
                     "ServiceAccount: " + name};
  case child_kind::role:
    return job_event{false, "LauncherRole is exist", "LauncherRole: " + name};
  case child_kind::role_binding:
    return job_event{false, "RoleBinding is exist", "RoleBinding: " + name};
  default:
    return std::nullopt;
  }
}

job_event create_failed_event(const create_child& wanted, const job& j,
                              const k8s::failure& why) {
  if (const auto* own = texts_for(*j.kind, wanted.kind))
    return own_event(true, own->create_failed_reason, own->create_failed,
                     wanted.kind, child_name(j, wanted), why.message);
  if (wanted.kind != child_kind::pod)
    return create_failed(wanted.kind, why.message);
  const auto& rule = rule_of(j, wanted.at);
  return {true, rule.create_failed_reason,
          rule.create_failed_message_prefix + why.message};
}

job_event create_failed_event(const create_auxiliary& wanted, const job& j,
                              const k8s::failure& why,
                              const std::string& why_not_usable) {
  const auto& kind = j.kind->type.kind;
  if (why.code == k8s::ec::exists && !why_not_usable.empty())
    return {true, "ErrResourceExists",
            "Resource \"" + wanted.wanted.name + "\" of " + kind + "Kind \""
                + noun(wanted.wanted.kind)
                + "\" already exists and is not managed by " + kind + "; "
                + why_not_usable};
  return create_failed(wanted.wanted.kind, why.message);
}

std::vector<job_event> deleted_events(const framework& f, child_kind kind,
                                      const std::string& name) {
  std::vector<job_event> result;
  if (const auto* own = texts_for(f, kind))
    return {own_event(false, own->deleted_reason, own->deleted, kind, name)};
  if (kind == child_kind::autoscaler)
    return result;
  if (kind == child_kind::volcano_group || kind == child_kind::pod_group)
    result.push_back(
        {false, "JobTerminated", "Job has been terminated. Deleting PodGroup"});
  result.push_back({false, "SuccessfulDelete" + noun(kind),
                    "Deleted " + word(kind) + ": " + name});
  return result;
}

namespace {

struct refusal {
  const framework& f;
  const k8s::failure& why;
  int before;

  std::optional<job_event> operator()(const delete_child& d) const {
    if (const auto* own = texts_for(f, d.kind))
      return own_event(true, own->delete_failed_reason, own->delete_failed,
                       d.kind, d.name, why.message);
    return said("Delete", d.kind, "Error deleting: ");
  }
  std::optional<job_event> operator()(const update_auxiliary& d) const {
    return said("Update", d.kind, "Error updating: ");
  }
  std::optional<job_event> operator()(const adopt_child& d) const {
    return once("Adopt", d.kind,
                "Error adopting " + d.name
                    + ", which stays in use without an owner: ");
  }
  std::optional<job_event> operator()(const release_child& d) const {
    return once("Release", d.kind, "Error releasing " + d.name + ": ");
  }
  template <class Other>
  std::optional<job_event> operator()(const Other&) const {
    return std::nullopt;
  }

  std::optional<job_event> said(const char* verb, child_kind kind,
                                const std::string& words) const {
    return job_event{true, std::string{"Failed"} + verb + noun(kind),
                     words + why.message};
  }
  std::optional<job_event> once(const char* verb, child_kind kind,
                                const std::string& words) const {
    if (before > 0 || !why.is_refusal())
      return std::nullopt;
    return said(verb, kind, words);
  }
};

} // namespace

std::optional<job_event> refused_event(const framework& f, const decision& d,
                                       const k8s::failure& why,
                                       int refused_before) {
  if (why.code == k8s::ec::cancelled)
    return std::nullopt;
  return std::visit(refusal{f, why, refused_before}, d);
}

job_event job_deleted_event(const framework& f, const std::string& name) {
  return {false, std::string{"SuccessfulDelete"} + f.delete_event_noun,
          "Deleted job: " + name};
}

job_event job_delete_failed_event(const framework& f, const std::string& why) {
  return {true, std::string{"FailedDelete"} + f.delete_event_noun,
          "Error deleting: " + why};
}

} // namespace troupe::core
