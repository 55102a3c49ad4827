#include "frameworks/core/events.hpp"

namespace troupe::core {

namespace {

/// "Pod", "PodGroup".
std::string noun(child what) {
  return resource_of(what).kind;
}

/// "pod", but "PodGroup", as ever.
std::string word(child what) {
  return fills_place(what) ? to_string(what) : noun(what);
}

/// What its kind says of a replica, or what all kinds do.
const replica_rule& rule_of(const job& j, const slot& at) {
  static const replica_rule common;
  const auto* rule = j.kind->find(at.type);
  return rule ? *rule : common;
}

tell create_failed(child what, const std::string& why) {
  return {true, "FailedCreate" + noun(what), "Error creating: " + why};
}

} // namespace

std::vector<tell> created_events(const job& j, child what,
                                 const std::string& name, const slot& at) {
  switch (what) {
  case child::pod: {
    const auto& rule = rule_of(j, at);
    return {{false, rule.made_reason, rule.made_words + name}};
  }
  case child::service:
    return {{false, "SuccessfulCreateService", "Created service: " + name}};
  // Worded as if they had been found, blanks and all.
  case child::service_account:
    return {{false, "ServiceAccount is exist", "ServiceAccount: " + name}};
  case child::role:
    return {{false, "LauncherRole is exist", "LauncherRole: " + name}};
  case child::role_binding:
    return {{false, "RoleBinding is exist", "RoleBinding: " + name}};
  case child::config_map:
  case child::autoscaler:
  case child::volcano_group:
  case child::pod_group:
    break;
  }
  return {};
}

tell create_failed_event(const job& j, child what, const slot& at,
                         const std::string& why) {
  if (what != child::pod)
    return create_failed(what, why);
  const auto& rule = rule_of(j, at);
  return {true, rule.refused_reason, rule.refused_words + why};
}

std::vector<tell> deleted_events(child what, const std::string& name) {
  std::vector<tell> result;
  if (what == child::autoscaler)
    return result;
  if (what == child::volcano_group || what == child::pod_group)
    result.push_back(
        {false, "JobTerminated", "Job has been terminated. Deleting PodGroup"});
  result.push_back({false, "SuccessfulDelete" + noun(what),
                    "Deleted " + word(what) + ": " + name});
  return result;
}

tell belonging_failed_event(const job& j, const belonging& b,
                            const k8s::failure& why, const std::string& taken) {
  if (why.code == k8s::ec::exists && !taken.empty())
    return {true, "ErrResourceExists",
            "Resource \"" + b.name + "\" of " + j.kind->type.kind + "Kind \""
                + noun(b.what) + "\" already exists and is not managed by "
                + j.kind->type.kind + "; " + taken};
  return create_failed(b.what, why.what);
}

namespace {

struct refusal {
  const k8s::failure& why;
  int before;

  std::optional<tell> operator()(const remove_child& d) const {
    return said("Delete", d.what, "Error deleting: ");
  }
  std::optional<tell> operator()(const update_child& d) const {
    return said("Update", d.what, "Error updating: ");
  }
  std::optional<tell> operator()(const adopt_child& d) const {
    return once("Adopt", d.what,
                "Error adopting " + d.name
                    + ", which stays in use without an owner: ");
  }
  std::optional<tell> operator()(const release_child& d) const {
    return once("Release", d.what, "Error releasing " + d.name + ": ");
  }
  template <class Other>
  std::optional<tell> operator()(const Other&) const {
    return std::nullopt;
  }

  std::optional<tell> said(const char* verb, child what,
                           const std::string& words) const {
    return tell{true, std::string{"Failed"} + verb + noun(what),
                words + why.what};
  }
  std::optional<tell> once(const char* verb, child what,
                           const std::string& words) const {
    if (before > 0 || !why.is_refusal())
      return std::nullopt;
    return said(verb, what, words);
  }
};

} // namespace

std::optional<tell> refused_event(const decision& d, const k8s::failure& why,
                                  int refused_before) {
  if (why.code == k8s::ec::cancelled)
    return std::nullopt;
  return std::visit(refusal{why, refused_before}, d);
}

tell job_deleted_event(const framework& f, const std::string& name) {
  return {false, std::string{"SuccessfulDelete"} + f.removal_noun,
          "Deleted job: " + name};
}

tell job_delete_failed_event(const framework& f, const std::string& why) {
  return {true, std::string{"FailedDelete"} + f.removal_noun,
          "Error deleting: " + why};
}

} // namespace troupe::core
