#include "frameworks/core/recovery/losses.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/failure_rules.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::core {

// Of a job that has grown or was resumed since, some may never have run.
bool have_all_run(const job_status& saved, const replica_spec& type) {
  const auto& r = *saved.recovery;
  if (saved.is_condition_true(condition_type::suspended)
      || (r.attempt > 0 && !r.last.recovered))
    return false;
  auto i = saved.replicas.find(type.type);
  return i != saved.replicas.end()
         && std::int64_t{i->second.active} + i->second.succeeded
                >= type.replicas;
}

bool is_absence_recorded(const job& j, const job_status& saved,
                         const replica_spec& type) {
  return j.failure_policy_or_default().scope == restart_scope::pod
         || !have_all_run(saved, type);
}

bool concerns_more_than_pod(failure_action a) {
  return a == failure_action::fail_job || a == failure_action::restart_job
         || a == failure_action::restart_replica_type;
}

failure_decision decide_on_pod_taken_away(const job& j,
                                          const replica_spec& type,
                                          const child_view& pod, pod_loss how) {
  const auto* rule = find_matching_rule(j, type, pod, how);
  if (!rule)
    return {action_of_scope(j, j.failure_policy_or_default().scope), nullptr};
  switch (rule->action) {
  case failure_verdict::fail_job:
    return {failure_action::fail_job, rule};
  case failure_verdict::restart_job:
    return {failure_action::restart_job, rule};
  case failure_verdict::restart_replica_type:
    return {action_of_scope(j, restart_scope::replica_type), rule};
  case failure_verdict::restart_pod:
  case failure_verdict::ignore:
    break;
  }
  return {failure_action::replace_uncounted, rule};
}

namespace {

/// One pod that was lost, or one of which nothing is known but that it is.
struct loss {
  const replica_spec* type = nullptr;
  const child_view* pod = nullptr;
  std::string name;
  pod_loss how = pod_loss::failed;
  failure_decision decision;
  std::string reason = {}; ///< If no pod says it.
};

int strength(failure_action a) {
  switch (a) {
  case failure_action::fail_job:
    return 3;
  case failure_action::restart_job:
    return 2;
  case failure_action::restart_replica_type:
    return 1;
  default:
    return 0;
  }
}

class loss_collector {
public:
  loss_collector(const restart_state& s, const observed_children& seen,
                 const job_status& saved)
      : s_(s)
      , seen_(seen)
      , saved_(saved) {}

  std::vector<loss> collect() {
    for (const auto& type : s_.children.types)
      if (type.rule)
        for (const auto& state : type.slots)
          if (state.pod)
            look_at_pod(*type.spec, *state.pod);
    if (!s_.of.failure_policy_or_default().may_restart_beyond_pod()) {
      look_at_launcher_pods();
      return std::move(found_);
    }
    for (const auto& lost : s_.lost_replicas)
      add_lost_replica(lost);
    for (const auto& pod : seen_.gone().lost())
      look_at_lost_pod(pod);
    if (seen_.has_issued_no_order())
      for (const auto& type : s_.children.types)
        if (type.rule && !is_made_by_job(*type.spec) && all_pods_ran(type))
          look_for_missing_pods(type);
    return std::move(found_);
  }

private:
  void add(const replica_spec& type, const child_view& pod, pod_loss how,
           failure_decision decision) {
    if (strength(decision.action) > 0)
      found_.push_back({&type, &pod, pod.name, how, decision});
  }

  /// Their Job replaces them by itself, unless a rule says otherwise.
  void look_at_launcher_pods() {
    for (const auto& pod : seen_.pods())
      if (const auto* type = s_.of.find_replica_spec(pod.at.type);
          type && is_launcher_pod(pod, seen_))
        look_at_pod(*type, pod);
  }

  /// Whether its pod is there is its Job's to say.
  bool is_made_by_job(const replica_spec& type) const {
    return type.label == s_.of.kind->names.type_made_by_job;
  }

  /// No rule can match what is not known.
  void add_lost_replica(const lost_replica& lost) {
    auto action =
        action_of_scope(s_.of, s_.of.failure_policy_or_default().scope);
    for (const auto& type : s_.of.replicas)
      if (type.type == lost.type && strength(action) > 0)
        found_.push_back({&type,
                          nullptr,
                          lost.name,
                          lost.failed ? pod_loss::failed : pod_loss::taken_away,
                          {action, nullptr},
                          lost.reason});
  }

  /// Only by a rule does a failure end the job here: without one, the kind's
  /// own course does it, in its own words.
  void look_at_pod(const replica_spec& type, const child_view& pod) {
    bool failed = pod.phase == k8s::pod_phase::failed;
    if (failed && (!pod.terminating || pod.failed_before_deletion)) {
      auto decision = decide_on_failure(s_.of, type, pod);
      if (decision.rule || decision.action != failure_action::fail_job)
        add(type, pod, pod_loss::failed, decision);
    } else if (is_on_lost_node(pod)) {
      add(type, pod, pod_loss::node_lost,
          decide_on_pod_taken_away(s_.of, type, pod, pod_loss::node_lost));
    } else if (pod.terminating && !pod.delete_requested
               && pod.phase != k8s::pod_phase::succeeded) {
      add(type, pod, pod_loss::taken_away,
          decide_on_pod_taken_away(s_.of, type, pod));
    }
  }

  bool is_on_lost_node(const child_view& pod) const {
    const auto& all = s_.on_lost_nodes;
    return std::find(all.begin(), all.end(), &pod) != all.end();
  }

  void look_at_lost_pod(const child_view& pod) {
    const auto* type = s_.of.find_replica_spec(pod.at.type);
    if (!type || pod.at.index >= type->replicas
        || pod.attempt < s_.wanted.attempt_of(type->type)
        || s_.wanted.completed_of(type->type).contains(pod.at.index))
      return;
    bool failed = pod.phase == k8s::pod_phase::failed
                  && (!pod.terminating || pod.failed_before_deletion);
    if (failed) {
      auto decision = decide_on_failure(s_.of, *type, pod);
      if (decision.rule || decision.action != failure_action::fail_job)
        add(*type, pod, pod_loss::failed, decision);
    } else {
      add(*type, pod, pod_loss::taken_away,
          decide_on_pod_taken_away(s_.of, *type, pod));
    }
  }

  /// Those of this attempt.
  bool all_pods_ran(const replica_type_view& type) const {
    return s_.saved.attempt == s_.wanted.attempt
           && have_all_run(saved_, *type.spec) && !has_shrunk(type);
  }

  /// The saved counts may be about pods that are out of range by now.
  bool has_shrunk(const replica_type_view& type) const {
    const auto& beyond = s_.children.out_of_range;
    return std::any_of(beyond.begin(), beyond.end(), [&](const auto& child) {
      return child.kind == child_kind::pod
             && child.view->at.type == type.spec->label;
    });
  }

  void look_for_missing_pods(const replica_type_view& type) {
    auto action =
        action_of_scope(s_.of, s_.of.failure_policy_or_default().scope);
    if (strength(action) == 0)
      return;
    const auto& completed = s_.wanted.completed_of(type.spec->type);
    for (const auto& state : type.slots)
      if (!state.pod && !state.orphan_pod
          && !completed.contains(state.at.index))
        found_.push_back({type.spec,
                          nullptr,
                          child_name(s_.of, state.at),
                          pod_loss::taken_away,
                          {action, nullptr}});
  }

  const restart_state& s_;
  const observed_children& seen_;
  const job_status& saved_;
  std::vector<loss> found_;
};

/// Anybody can write the labels of a pod that a Job makes.
bool is_proven(const child_view& pod, const observed_children& seen) {
  return pod.owned || seen.launchers().has_ever_had(pod.made_by_job);
}

/// Pods of attempts that are over can only end the job, by a rule.
void add_fatal_losses_of_older_attempts(const restart_state& s,
                                        const observed_children& seen,
                                        std::vector<loss>& to) {
  for (const auto* pod : s.children.of_older_attempts) {
    const auto* type = s.of.find_replica_spec(pod->at.type);
    if (!type || pod->phase != k8s::pod_phase::failed
        || !pod->failed_before_deletion || !is_proven(*pod, seen))
      continue;
    const auto* rule = find_matching_rule(s.of, *type, *pod, pod_loss::failed);
    if (rule && rule->action == failure_verdict::fail_job)
      to.push_back({type,
                    pod,
                    pod->name,
                    pod_loss::failed,
                    {failure_action::fail_job, rule}});
  }
}

bool counts_against_budget(const loss& l) {
  return l.how == pod_loss::failed && !(l.pod && l.pod->is_excused());
}

/// Of the container that failed: the main one, or the first.
const pod_trouble::ended_container* failed_container(const loss& l) {
  if (!l.pod || !l.pod->trouble)
    return nullptr;
  const pod_trouble::ended_container* first = nullptr;
  for (const auto& c : l.pod->trouble->ended) {
    if (c.exit_code == 0)
      continue;
    if (c.name == l.type->main_container)
      return &c;
    if (!first)
      first = &c;
  }
  return first;
}

std::string disruption_reason(const child_view& pod) {
  if (pod.trouble)
    for (const auto& c : pod.trouble->conditions)
      if (c.type == "DisruptionTarget" && c.status == "True")
        return c.reason;
  return {};
}

std::string restart_reason_of(const loss& l) {
  if (l.how == pod_loss::node_lost)
    return node_lost_reason;
  if (l.pod && l.pod->disrupted) {
    auto why = disruption_reason(*l.pod);
    return why.empty() ? "Disrupted" : why;
  }
  if (l.how == pod_loss::taken_away)
    return pod_deleted_reason;
  if (!l.pod)
    return l.reason;
  if (!l.pod->status_reason->empty())
    return *l.pod->status_reason;
  const auto* c = failed_container(l);
  return c && !c->reason.empty() ? c->reason : "Error";
}

std::string describe_loss(const loss& l, const std::string& reason) {
  if (l.how == pod_loss::node_lost)
    return "is lost with its node";
  if (l.pod && l.pod->disrupted)
    return "was disrupted (" + reason + ")";
  if (l.how == pod_loss::taken_away)
    return l.pod && l.pod->terminating ? "is being deleted" : "is gone";
  const auto* c = failed_container(l);
  auto code = c       ? std::optional{c->exit_code}
              : l.pod ? l.pod->exit_code
                      : std::nullopt;
  return (code ? "failed with exit code " + std::to_string(*code)
               : std::string{"failed"})
         + " (" + reason + ")";
}

std::string name_of_rule(const job& j, const failure_rule* rule) {
  if (!rule || !rule->name.empty())
    return rule ? rule->name : "";
  return "rules["
         + std::to_string(rule - j.failure_policy_or_default().rules.data())
         + "]";
}

/// Within so long of the start of its last pod.
bool has_ended_early(const restart_state& s, const loss& l) {
  if (!l.pod)
    return false;
  auto last_start = l.pod->started;
  for (const auto& type : s.children.types)
    for (const auto& state : type.slots)
      if (state.pod)
        last_start = std::max(last_start, state.pod->started);
  if (counts_against_budget(l))
    return l.pod->ended - last_start < early_failure_limit;
  // It has no end of its own: how long the attempt has lasted.
  return s.now - std::max(last_start, s.wanted.last.time) < early_failure_limit;
}

} // namespace

std::optional<restart_decision> decide_restart(const restart_state& s,
                                               const observed_children& seen,
                                               const job_status& saved) {
  if (!s.of.policy.failure)
    return std::nullopt;
  auto losses = loss_collector{s, seen, saved}.collect();
  add_fatal_losses_of_older_attempts(s, seen, losses);
  const loss* cause = nullptr;
  restart_decision result;
  result.counts = false;
  for (const auto& l : losses) {
    auto rank = [](const loss& x) {
      return std::make_pair(strength(x.decision.action),
                            counts_against_budget(x));
    };
    if (!cause || rank(l) > rank(*cause))
      cause = &l;
    result.counts |= counts_against_budget(l);
    if (l.decision.action == failure_action::restart_replica_type)
      result.types.insert(l.type->type);
  }
  if (!cause)
    return std::nullopt;
  result.action = cause->decision.action;
  if (result.action != failure_action::restart_replica_type)
    result.types.clear();
  result.ended_early = has_ended_early(s, *cause);
  result.pod = cause->name;
  result.node =
      cause->pod && cause->pod->trouble ? cause->pod->trouble->node : "";
  constexpr std::size_t longest_reason = 256;
  result.reason = k8s::utf8_prefix(restart_reason_of(*cause), longest_reason);
  result.what = describe_loss(*cause, result.reason);
  result.rule = name_of_rule(s.of, cause->decision.rule);
  return result;
}

std::string describe_cause(const restart_decision& d) {
  if (d.pod.empty())
    return "it " + d.what;
  return "pod " + d.pod + (d.node.empty() ? "" : " on node " + d.node) + " "
         + d.what;
}

} // namespace troupe::core
