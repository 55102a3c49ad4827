// Pod groups, and the pods that belong to them.
#include "tests/simulation/replica_types/replica_type_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

/// Whether the spec of a pod group says what the manifest asks for. An
/// administrator may have moved the group to another queue.
bool says(const json& spec, const manifest& m, core::gang how) {
  const auto& policy = at(m.spec, "runPolicy", "schedulingPolicy");
  if (number(at(spec, "minMember"), -1) != m.min_member())
    return false;
  const auto& asked = at(policy, "minResources");
  auto cpus = cpus_of_replica * std::min(m.min_member(), m.all_replicas());
  if (asked.is_object() ? at(spec, "minResources") != asked
                        : m.requests_cpus && cpus > 0
                              && text(at(spec, "minResources", "cpu"))
                                     != std::to_string(cpus))
    return false;
  if (how == core::gang::volcano)
    return text(at(spec, "priorityClassName"))
               == text(at(policy, "priorityClass"))
           && !text(at(spec, "queue")).empty();
  return at(spec, "scheduleTimeoutSeconds")
         == at(policy, "scheduleTimeoutSeconds");
}

} // namespace

void replica_type_invariants::pod_group_changed() {
  const auto* group = api().find("podgroups", job_key());
  if (!group)
    return;
  const auto& owner = text(at(owner_of(*group), "uid"));
  auto& known = present_knowledge();
  known.grouped.insert(owner);
  if (is_admitted(*group))
    known.admitted.insert(owner);
}

void replica_type_invariants::check_pod_group_creation(const json& body) {
  for (auto& [process, known] : known_)
    known.grouped.insert(text(at(owner_of(body), "uid")));
  if (rules_.gang() == core::gang::none)
    report_violation("makes a pod group without a gang scheduler");
  if (writer().over)
    report_violation("makes a pod group for a finished job");
  if (!some([&](const manifest& m) {
        return m.wants_any() && says(at(body, "spec"), m, rules_.gang());
      }))
    report_violation("makes a pod group that is not as the job asks for it: "
                     + body.dump());
}

void replica_type_invariants::check_gang_of_pod(const std::string& key,
                                                const json& pod) {
  if (rules_.gang() == core::gang::none)
    return;
  const auto& meta = at(pod, "metadata");
  bool volcano = rules_.gang() == core::gang::volcano;
  const auto& group =
      volcano ? at(meta, "annotations", "scheduling.k8s.io/group-name")
              : at(meta, "labels", "scheduling.x-k8s.io/pod-group");
  if (text(group) != "job"
      || text(at(pod, "spec", "schedulerName")) != gang_scheduler)
    report_violation("makes " + key + " without marking it for its gang");
  const auto& ready = volcano ? writer().admitted : writer().grouped;
  if (ready.count(text(at(owner_of(pod), "uid"))) == 0)
    report_violation("makes " + key + " before its pod group "
                     + (volcano ? "is admitted" : "exists"));
}

bool replica_type_invariants::gang_waits() const {
  if (rules_.gang() != core::gang::volcano)
    return false;
  const auto* group = api().find("podgroups", job_key());
  return !group || !is_admitted(*group);
}

void replica_type_invariants::check_pod_group_at_end(const manifest& m,
                                                     const json& job) {
  const auto* group = api().find("podgroups", job_key());
  bool there = group && ours(*group);
  bool wanted =
      rules_.gang() != core::gang::none && m.wants_any() && !finished(job);
  if (there != wanted)
    report_violation(wanted ? "the pod group is missing"
                            : "the pod group is left, which is not wanted");
  else if (there && !says(at(*group, "spec"), m, rules_.gang()))
    report_violation("the pod group is not as the job asks for it: "
                     + group->dump());
}

} // namespace troupe::simulation
