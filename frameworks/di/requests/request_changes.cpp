#include "frameworks/di/requests/request_changes.hpp"

#include "frameworks/di/requests/replica_creations.hpp"
#include "frameworks/di/requests/replica_lists.hpp"
#include "frameworks/di/requests/replica_pods.hpp"
#include "frameworks/di/requests/replica_response.hpp"

#include <algorithm>
#include <set>

namespace troupe::frameworks::di {

namespace {

using core::child_view;
using core::job_response;
using core::request_inputs;
using k8s::json;

/// More pods at once are a mistake.
constexpr std::size_t most_pods = 5000;

core::delete_child make_requested_pod_deletion(const child_view& pod) {
  core::delete_child d;
  d.at = pod.at;
  d.name = pod.name;
  d.uid = pod.uid.text();
  d.why = "a pod of the job has asked for it";
  d.adds_event = false;
  return d;
}

std::vector<core::delete_child>
make_requested_pod_deletions(const pod_views& pods) {
  std::vector<core::delete_child> result;
  for (const auto* pod : pods)
    result.push_back(make_requested_pod_deletion(*pod));
  return result;
}

bool needs_aggregator(const replica_amount& learners) {
  return learners.gpu_count > 1;
}

std::size_t count_pods_to_create(const change_stages& stages) {
  std::size_t count = 0;
  for (const auto& stage : stages.creations)
    count += stage.size();
  return count;
}

std::variant<requested_changes, job_response>
changes_to_add_replicas(const replica_request& q,
                        const request_material& material,
                        const request_inputs& in) {
  requested_changes result;
  auto origin = make_pod_origin(in);
  if (q.collectors.replicas > 0)
    result.collectors.assign(static_cast<std::size_t>(q.collectors.replicas),
                             stages_to_create_collector_or_learner(
                                 origin, role::collector, q.collectors));
  if (q.learners.replicas <= 0)
    return result;
  auto learner =
      needs_aggregator(q.learners)
          ? stages_to_create_logic_learner(origin, q.learners, material)
          : k8s::result<change_stages>{stages_to_create_collector_or_learner(
              origin, role::learner, q.learners)};
  if (!learner)
    return bad_request_response(learner.error().message);
  auto replicas = static_cast<std::size_t>(q.learners.replicas);
  if (replicas * count_pods_to_create(*learner) > most_pods)
    return bad_request_response(
        "learners: " + std::to_string(replicas * count_pods_to_create(*learner))
        + " pods are too many for one request");
  result.learners.assign(replicas, *learner);
  return result;
}

// -- deleting -----------------------------------------------------------------

change_stages stages_to_remove_replica(const child_view& pod,
                                       const request_inputs& in) {
  change_stages stages;
  // The garbage collector would keep these: the job owns them, too.
  if (auto processes = list_undeleted_ddp_learners_of(in.seen, pod.name);
      !processes.empty())
    stages.deletions.push_back(make_requested_pod_deletions(processes));
  stages.deletions.push_back({make_requested_pod_deletion(pod)});
  stages.deleted_urls = {pod_url(pod, in.of.ns)};
  return stages;
}

requested_changes changes_to_remove_replicas(const replica_request& q,
                                             const request_inputs& in) {
  requested_changes result;
  for (const auto* pod : choose_replicas_to_remove(
           list_undeleted_replicas_of_role(in.seen, role::collector),
           q.collectors.replicas))
    result.collectors.push_back(stages_to_remove_replica(*pod, in));
  auto left = q.learners.replicas;
  for (const char* role : {role::learner, role::aggregator})
    for (const auto* pod : choose_replicas_to_remove(
             list_undeleted_replicas_of_role(in.seen, role), left)) {
      result.learners.push_back(stages_to_remove_replica(*pod, in));
      --left;
    }
  return result;
}

// -- replacing ----------------------------------------------------------------

/// The ddp learners that go with an aggregator or with their master: those that
/// are not terminating, and those that are reported.
pod_views
list_undeleted_or_reported_ddp_learners(const replica_request& q,
                                        const request_inputs& in,
                                        const std::string& aggregator) {
  auto result = list_undeleted_ddp_learners_of(in.seen, aggregator);
  for (const auto& name : all_reported_pods(q))
    if (const auto* pod = find_pod_not_deleted_by_us(in.seen, name);
        pod && pod->terminating && pod->at.type == role::ddp_learner
        && *pod->owner_pod == aggregator)
      result.push_back(pod);
  return result;
}

bool has_owner(const json& pod, const std::string& uid) {
  const auto& owners = k8s::array_at(pod, {"metadata", "ownerReferences"});
  return std::any_of(owners.begin(), owners.end(), [&](const json& owner) {
    return k8s::text_at(owner, {"uid"}) == uid;
  });
}

/// The live pod; nullptr if it is gone, or not the job's any more. What is
/// read may be newer than what is known: another pod can have the name.
const json* find_live_json_of_same_pod(const request_material& material,
                                       const child_view& pod,
                                       const core::job& of) {
  auto i = material.pods.find(pod.name);
  return i != material.pods.end()
                 && pod.uid == k8s::text_at(i->second, {"metadata", "uid"})
                 && has_owner(i->second, of.uid)
             ? &i->second
             : nullptr;
}

pod_to_create replacement_pod_to_create(const json& live, const char* role) {
  return {role,
          [live](const std::string& name, const auto&) {
            return k8s::result<complete_pod>{make_replacement_pod(live, name)};
          },
          true};
}

change_stages stages_to_replace_pod(const child_view& pod, const char* role,
                                    const json& live) {
  return {{{make_requested_pod_deletion(pod)}},
          {{replacement_pod_to_create(live, role)}},
          {}};
}

k8s::result<change_stages> stages_to_replace_aggregator_and_learners(
    const child_view& pod, const json& live, const replica_request& q,
    const request_material& material, const request_inputs& in) {
  auto processes = list_undeleted_or_reported_ddp_learners(q, in, pod.name);
  const json* one = nullptr;
  for (const auto* process : processes)
    if (!one)
      one = find_live_json_of_same_pod(material, *process, in.of);
  auto wanted = one ? logic_learner_amount_from_pod(*one) : replica_amount{};
  if (wanted.gpu_count < 1)
    return k8s::failure{
        k8s::ec::invalid,
        pod.name
            + " has no ddp learner left that tells how many "
              "GPUs it had; delete the learner and add another"};
  change_stages stages;
  stages.deletions = {make_requested_pod_deletions(processes),
                      {make_requested_pod_deletion(pod)}};
  stages.creations = {{replacement_pod_to_create(live, role::aggregator)}};
  if (auto done = append_ddp_learners(stages, make_pod_origin(in), wanted,
                                      material.gpus_per_node);
      !done)
    return done.error();
  return stages;
}

/// All processes of the master's learner: the others contain its name.
change_stages stages_to_replace_ddp_group(const child_view& master,
                                          const replica_request& q,
                                          const request_material& material,
                                          const request_inputs& in) {
  change_stages stages;
  stages.deletions.emplace_back();
  stages.creations = {{replacement_pod_to_create(
      *find_live_json_of_same_pod(material, master, in.of),
      role::ddp_learner)}};
  for (const auto* pod :
       list_undeleted_or_reported_ddp_learners(q, in, *master.owner_pod)) {
    stages.deletions[0].push_back(make_requested_pod_deletion(*pod));
    const auto* live = find_live_json_of_same_pod(material, *pod, in.of);
    if (pod == &master || !live)
      continue;
    if (stages.creations.size() < 2)
      stages.creations.emplace_back();
    stages.creations[1].push_back(
        {role::ddp_learner,
         [live = *live](const std::string& name,
                        const std::vector<created_pod>& earlier) {
           return k8s::result<complete_pod>{
               make_replacement_pod(live, name, earlier[0].name)};
         },
         is_reported_pod(q, pod->name)});
  }
  return stages;
}

const char* role_of_pod(const child_view& pod) {
  for (const char* known : {role::collector, role::learner, role::ddp_learner,
                            role::aggregator, role::coordinator})
    if (pod.at.type == known)
      return known;
  return "";
}

/// Collects the changes for the reported pods.
class replacements {
public:
  replacements(const replica_request& q, const request_material& material,
               const request_inputs& in)
      : q_(q)
      , material_(material)
      , in_(in) {}

  std::optional<job_response>
  add_replacements(const std::vector<std::string>& names,
                   std::vector<change_stages>& to) {
    for (const auto& name : names)
      if (auto wrong = add_replacement(name, to))
        return wrong;
    return std::nullopt;
  }

private:
  std::optional<job_response> add_replacement(const std::string& name,
                                              std::vector<change_stages>& to) {
    if (!taken_.insert(name).second)
      return std::nullopt; // It goes with another one that was reported.
    const auto* pod = find_pod_not_deleted_by_us(in_.seen, name);
    const auto* live =
        pod ? find_live_json_of_same_pod(material_, *pod, in_.of) : nullptr;
    if (!live)
      return pod_not_found_response(in_.of.ns, name, unchanged_entry_json());
    const char* role = role_of_pod(*pod);
    if (role == std::string{role::aggregator}) {
      auto stages = stages_to_replace_aggregator_and_learners(*pod, *live, q_,
                                                              material_, in_);
      if (!stages)
        return bad_request_response(stages.error().message);
      mark_as_replaced(list_undeleted_or_reported_ddp_learners(q_, in_, name));
      to.push_back(std::move(*stages));
    } else if (const auto* master = reported_master_of(*pod)) {
      mark_as_replaced(
          list_undeleted_or_reported_ddp_learners(q_, in_, *master->owner_pod));
      to.push_back(stages_to_replace_ddp_group(*master, q_, material_, in_));
    } else {
      to.push_back(stages_to_replace_pod(*pod, role, *live));
    }
    return std::nullopt;
  }

  void mark_as_replaced(const pod_views& pods) {
    for (const auto* pod : pods)
      taken_.insert(pod->name);
  }

  /// The master of the pod's group, if that is reported, too.
  const child_view* reported_master_of(const child_view& pod) const {
    if (pod.at.type != role::ddp_learner)
      return nullptr;
    for (const auto* other :
         list_undeleted_or_reported_ddp_learners(q_, in_, *pod.owner_pod)) {
      const auto* live = find_live_json_of_same_pod(material_, *other, in_.of);
      if (is_reported_pod(q_, other->name) && live && is_ddp_master(*live))
        return other;
    }
    return nullptr;
  }

  const replica_request& q_;
  const request_material& material_;
  const request_inputs& in_;
  std::set<std::string> taken_;
};

} // namespace

required_reads required_reads_for(const replica_request& q,
                                  const request_inputs& in) {
  required_reads result;
  if (q.verb == request_verb::add && q.learners.replicas > 0)
    result.nodes = result.aggregator_config = needs_aggregator(q.learners);
  if (q.verb != request_verb::replace)
    return result;
  std::set<std::string> names;
  for (const auto& name : all_reported_pods(q)) {
    const auto* pod = find_pod_not_deleted_by_us(in.seen, name);
    if (!pod)
      continue;
    names.insert(name);
    bool is_aggregator = pod->at.type == role::aggregator;
    result.nodes |= is_aggregator;
    if (is_aggregator || pod->at.type == role::ddp_learner)
      for (const auto* other : list_undeleted_or_reported_ddp_learners(
               q, in, is_aggregator ? pod->name : *pod->owner_pod))
        names.insert(other->name);
  }
  result.pods.assign(names.begin(), names.end());
  return result;
}

std::variant<requested_changes, job_response>
requested_changes_for(const replica_request& q,
                      const request_material& material,
                      const request_inputs& in) {
  if (q.verb == request_verb::add)
    return changes_to_add_replicas(q, material, in);
  if (q.verb == request_verb::remove)
    return changes_to_remove_replicas(q, in);
  requested_changes result;
  replacements collected{q, material, in};
  if (auto wrong =
          collected.add_replacements(q.failed_collectors, result.collectors))
    return *wrong;
  result.learners_error =
      collected.add_replacements(q.failed_learners, result.learners);
  if (!result.learners_error)
    return result;
  if (q.failed_collectors.empty())
    return *result.learners_error;
  result.learners.clear();
  return result;
}

} // namespace troupe::frameworks::di
